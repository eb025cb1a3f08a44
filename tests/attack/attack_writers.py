"""Processes that change one file at the same time: none waits for ever, and no update is lost."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from faults import can_fault, commands
from jobs import notes, write
from trial import Trial

from tallytext import TextClassifier

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from warm_tally import warm_tally

WAIT = ["--wait", "600", "-q"]
START, N_ROWS = notes(40, 1), 4


@dataclass
class Shop:
    """A folder, and the command as a program that starts fast."""

    folder: Path
    program: Path

    def start(self, *arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [self.program, *map(str, arguments)],
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=600,
        )

    def succeed(self, *arguments: str | Path, stdin: str = "") -> None:
        ended = self.start(*arguments, stdin=stdin)
        assert ended.returncode == 0, f"{arguments} failed: {ended.stderr[-400:]}"

    def trained(self, name: str, model: str) -> Path:
        write(self.folder / "start.csv", START)
        self.succeed("train", "start.csv", "--model", model, "-o", name, "--force", "-q")
        return self.folder / name

    def parts(self, n: int) -> list[Path]:
        """Return files with a few new documents each."""
        paths = [self.folder / f"part{at}.csv" for at in range(n)]
        for at, path in enumerate(paths):
            write(path, notes(N_ROWS, 100 + at))
        return paths


def attack(trial: Trial) -> None:
    if not hasattr(os, "fork"):
        trial.notes["needs fork"] += 1
        return
    with warm_tally() as folder:
        for attacked in (learners, mixed, impatient, feedback, sessions):
            for round in range(trial.some(1, 8)):
                place = trial.folder / f"{attacked.__name__}{round}"
                place.mkdir()
                with trial.case(f"{attacked.__name__}, round {round}"):
                    attacked(trial, Shop(place, Path(folder, "tally")))
    if can_fault():
        for round in range(trial.some(1, 4)):
            with trial.case(f"killed, round {round}"):
                killed(trial, trial.folder / f"killed{round}")


def together(trial: Trial, work: list[Callable[[], None]]) -> None:
    """Do all at the same time; the first exception is raised when all have ended."""
    trial.cases += len(work)
    with ThreadPoolExecutor(len(work)) as pool:
        for one in [pool.submit(each) for each in work]:
            one.result()


def same(found: Path, wanted: TextClassifier) -> None:
    """Raise AssertionError unless a file has the counts of a classifier, and predicts the same."""
    classifier = TextClassifier.load(found)
    assert classifier.tally_ == wanted.tally_, "the counts are not those of all updates"
    texts = [text for text, _ in START]
    assert (classifier.predict(texts) == wanted.settle().predict(texts)).all()
    left = [path.name for path in found.parent.iterdir() if path.name.startswith(".")]
    assert not left, f"left {left}"


def learners(trial: Trial, shop: Shop) -> None:
    """Several commands learn different documents, some saving after each; others read."""
    kind = trial.rng("learners", shop.folder.name).choice(["multinomial", "refined"])
    model, parts = shop.trained("m.tally", kind), shop.parts(trial.some(4, 8))
    wanted = TextClassifier.load(model)
    for at in range(len(parts)):
        wanted.learn(*map(list, zip(*notes(N_ROWS, 100 + at), strict=True)))
    often = ["--save-every", "1"]
    with reading(trial, model):
        together(
            trial,
            [
                lambda at=at, part=part: shop.succeed(
                    "learn", model, part, *often[at % 2 * 2 :], *WAIT
                )
                for at, part in enumerate(parts)
            ],
        )
    same(model, wanted)


@contextlib.contextmanager
def reading(trial: Trial, model: Path) -> Iterator[None]:
    """Read a model again and again meanwhile: each time a whole one, and never an older one."""
    done, counts, problems = threading.Event(), [0], list[Exception]()

    def read() -> None:
        while not done.is_set():
            try:
                counts.append(int(TextClassifier.load(model).tally_.n_documents))
            except Exception as problem:
                problems.append(problem)
                return

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield
    finally:
        done.set()
        reader.join()
    trial.notes["models read while others were written"] += len(counts) - 1
    assert not problems, f"a reader met {problems[0]!r}"
    assert counts == sorted(counts), "a reader saw an older model"


def mixed(trial: Trial, shop: Shop) -> None:
    """Commands that learn, forget, merge and recalibrate."""
    model, parts = shop.trained("m.tally", "multinomial"), shop.parts(3)
    wanted = TextClassifier.load(model)
    write(shop.folder / "old.csv", START[:5])
    shop.succeed("learn", model, parts[1], "-o", "other.tally", "-q")
    for at in (0, 2):
        wanted.learn(*map(list, zip(*notes(N_ROWS, 100 + at), strict=True)))
    wanted.forget(*map(list, zip(*START[:5], strict=True)))
    wanted = wanted + TextClassifier.load(shop.folder / "other.tally")
    lines = [
        ["learn", model, parts[0]],
        ["forget", model, "old.csv"],
        ["merge", model, "other.tally", "-o", model],
        ["learn", model, parts[2], "--save-every", "1"],
        ["recalibrate", model, parts[1]],
    ]
    together(trial, [lambda line=line: shop.succeed(*line, *WAIT) for line in lines])
    same(model, wanted)


def impatient(trial: Trial, shop: Shop) -> None:
    """Commands that do not wait: each is done, or says that it is not."""
    model, parts = shop.trained("m.tally", "multinomial"), shop.parts(6)
    wanted, learned = TextClassifier.load(model), list[int]()

    def learn(at: int) -> None:
        ended = shop.start("learn", model, parts[at], "--wait", "0", "-q")
        if ended.returncode == 0:
            learned.append(at)
        else:
            assert " is in use by " in ended.stderr, ended.stderr[-400:]
            trial.notes["refused"] += 1

    together(trial, [lambda at=at: learn(at) for at in range(len(parts))])
    assert learned, "nobody was let in"
    for at in learned:
        wanted.learn(*map(list, zip(*notes(N_ROWS, 100 + at), strict=True)))
    same(model, wanted)


def feedback(trial: Trial, shop: Shop) -> None:
    """Feedback from several people on one filter, each repeated until it is accepted."""
    write(shop.folder / "start.csv", START)
    write(shop.folder / "stream.csv", notes(12, 7))
    shop.succeed("filter", "start", "f.tally", "start.csv", "-q")
    shop.succeed("filter", "run", "f.tally", "stream.csv", "-o", "out.jsonl", "-q")
    delivered = [json.loads(line) for line in (shop.folder / "out.jsonl").read_text().splitlines()]
    judged = [json.dumps({**each, "relevant": at % 2 == 0}) for at, each in enumerate(delivered)]

    def judge(line: str) -> None:
        while (
            ended := shop.start("filter", "feedback", "f.tally", "-", "-q", stdin=line)
        ).returncode:
            assert "was changed by another command" in ended.stderr, ended.stderr[-400:]
            trial.notes["feedback repeated"] += 1

    together(trial, [lambda line=line: judge(line) for line in judged[:6]])
    again = shop.start("filter", "feedback", "f.tally", "-", stdin="\n".join(judged[:6]))
    assert f"{len(judged[:6])} judgements read, 0 new or changed" in again.stderr, again.stderr


def sessions(trial: Trial, shop: Shop) -> None:
    """Two sessions of labelling with the same file of answers: one of them is refused."""
    (shop.folder / "notes.txt").write_text("".join(f"{text}\n" for text, _ in START))
    ended = list[subprocess.CompletedProcess[str]]()
    line = ["label", "notes.txt", "-o", "m.tally", "-q"]
    keys = "n\nsea\nn\nsky\n1\n2\nq\n"
    together(trial, [lambda: ended.append(shop.start(*line, stdin=keys)) for _ in range(2)])
    refused = [each for each in ended if each.returncode]
    # Both succeed if the first has ended before the second begins.
    assert len(refused) < 2, [each.stderr[-200:] for each in refused]
    assert all("is in use by another session" in each.stderr for each in refused), refused
    answers = (shop.folder / "m.labels.jsonl").read_text().splitlines()
    assert len({json.loads(each)["row"] for each in answers}) == len(answers) >= 4


def killed(trial: Trial, folder: Path) -> None:
    """Commands that are killed while others wait for them: what was acknowledged stays."""
    folder.mkdir()
    write(folder / "start.csv", START)
    n = trial.some(3, 10)
    outcomes: dict[int, int] = {}
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(commands(build(folder, at))) for at in range(2)]
        trained = ["train", "start.csv", "--model", "multinomial", "-o", "m.tally", "-q"]
        seconds = servers[0].run(trained, folder).seconds

        def learn(who: int) -> None:
            rng = trial.rng(folder.name, who)
            for at in range(who * n, (who + 1) * n):
                write(folder / f"part{at}.csv", notes(N_ROWS, 100 + at))
                moment = rng.uniform(0.0, 2 * seconds) if at % 2 else None
                line = ["learn", "m.tally", f"part{at}.csv", *WAIT]
                outcomes[at] = servers[who].run(line, folder, kill_after=moment).code

        together(trial, [lambda who=who: learn(who) for who in range(2)])
    known = TextClassifier.load(folder / "m.tally").tally_.vocabulary
    for at, code in outcomes.items():
        present = {f"note{100 + at}x{row}" in known for row in range(N_ROWS)}
        assert len(present) == 1, f"a half of part {at} was learned"
        assert code in (0, -9), f"learning part {at} ended with {code}"
        assert present == {True} or code, f"part {at} was learned, and lost"
        trial.notes["killed while learning" if code else "learned beside those"] += 1


def build(folder: Path, number: int) -> Path:
    """Return a new folder for a library."""
    path = folder / f"faults{number}"
    path.mkdir()
    return path
