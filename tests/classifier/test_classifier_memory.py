"""A classifier that runs out of memory while it learns or forgets answers as before."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("resource")

TESTS = Path(__file__).parents[1]

PROGRAM = textwrap.dedent(
    """
    import resource
    import sys
    from pathlib import Path

    from classifiers import fitted, spread

    UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    many = [" ".join(f"v{at}x{word}" for word in range(2_000)) for at in range(10)]

    def answers(clf):
        return clf.predict_proba(["salt wave", "blue hill", ""]).tolist(), clf.tally_.copy()

    def limited(work, step):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + step * 2**18
        try:
            resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
            work(many, ["sea"] * len(many))
        except MemoryError:
            return True
        finally:
            resource.setrlimit(resource.RLIMIT_AS, UNLIMITED)
        return False

    name, refused = sys.argv[1], 0
    # Once without a limit: libraries that are loaded on first use end the process without memory.
    fitted(name, spread()).learn(many, ["sea"] * len(many)).forget(many, ["sea"] * len(many))
    for step in range(0, 60, 2):
        clf = fitted(name, spread())
        before = answers(clf)
        if not limited(clf.learn, step):
            break
        refused += 1
        assert answers(clf) == before, step
        assert answers(clf.learn(many, ["sea"] * len(many)))[1] != before[1], step
    for step in range(0, 60, 2):
        clf = fitted(name, spread()).learn(many, ["sea"] * len(many))
        before = answers(clf)
        if not limited(clf.forget, step):
            break
        refused += 1
        assert answers(clf) == before, step
    print(refused)
    """
)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are Linux's")
@pytest.mark.parametrize("model", ["multinomial", "refined", "neighbours"])
def test_a_classifier_without_memory_answers_as_before(model):
    path = f"import sys; sys.path.insert(0, {str(TESTS)!r})\n"
    command = [sys.executable, "-c", path + PROGRAM, model]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 1
