"""A tally that runs out of memory is as it was before."""

import subprocess
import sys
import textwrap

import pytest

resource = pytest.importorskip("resource")

PROGRAM = textwrap.dedent(
    """
    import resource
    from pathlib import Path

    from tallytext import Tally

    UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    few = [{f"w{7 * d + i}": i + 1 for i in range(50)} for d in range(20)]
    many = {f"v{i}": 2 for i in range(40_000)}

    def pages():
        return int(Path("/proc/self/statm").read_text().split()[0])

    refused = 0
    for step in range(120):
        tally = Tally()
        for at, document in enumerate(few):
            tally.learn(document, f"c{at % 4}")
        before = tally.copy()
        limit = pages() * resource.getpagesize() + step * 2**17
        try:
            resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
            tally.learn(many, "new")
        except MemoryError:
            refused += 1
        else:
            resource.setrlimit(resource.RLIMIT_AS, UNLIMITED)
            tally.forget(many, "new")
        finally:
            resource.setrlimit(resource.RLIMIT_AS, UNLIMITED)
        assert tally == before, step
        assert tally.classes == before.classes, step
        assert Tally.from_arrays(*tally.to_arrays()) == before, step
        assert tally.learn(few[0], "x").forget(few[0], "x") == before, step
    print(refused)
    """
)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are Linux's")
def test_a_tally_without_memory_is_unchanged():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
