"""Commands that write files, and what may be found afterwards: the old content or the new."""

from __future__ import annotations

import csv
import io
import random
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from faults import Commands, Outcome

PLACES = {"sea": "wave salt tide ship fish", "sky": "cloud star moon wing bird"}
#: Beside the outputs, only these may be left by a command that was killed.
LEFT_BEHIND = (".part", ".lock")


@dataclass(frozen=True)
class Job:
    """A command in a folder that has the files of :func:`workspace`.

    Parameters
    ----------
    line : str
        Its arguments.
    writes : str
        The files that it writes.
    stdin : str
        Its standard input.
    steps : bool
        True if it saves on the way, so that the content may be one between old and new.
    dated : bool
        True if what it writes differs from run to run: it is complete if it ends as it should.
    resumes : bool
        True if it goes on where it was stopped, and ends with the same content.
    stdin_again : str
        The standard input to go on with.
    parts : tuple of str and int, or None
        What gives each content in between: a command that reads the beginning of ``more.csv``,
        and the number of rows of a step.
    """

    line: str
    writes: str
    stdin: str = ""
    steps: bool = False
    dated: bool = False
    resumes: bool = False
    stdin_again: str = ""
    parts: tuple[str, int] | None = None

    @property
    def arguments(self) -> list[str]:
        return self.line.split()

    @property
    def outputs(self) -> list[str]:
        return self.writes.split()


JOBS = [
    Job("train docs.csv --model multinomial -o new.tally -q", "new.tally"),
    Job("train docs.csv --model refined -o counts.tally --force -q", "counts.tally"),
    Job("learn counts.tally more.csv -q", "counts.tally"),
    Job("learn refined.tally more.csv -q", "refined.tally"),
    Job(
        "learn counts.tally more.csv --save-every 2 -q",
        "counts.tally",
        steps=True,
        parts=("learn counts.tally {part} --save-every 2 -q", 2),
    ),
    Job("forget counts.tally some.csv -q", "counts.tally"),
    Job("forget refined.tally some.csv -q", "refined.tally"),
    Job("merge counts.tally second.tally -o counts.tally -q", "counts.tally"),
    Job("recalibrate counts.tally more.csv -q", "counts.tally"),
    Job("thresholds several.tally macro -q", "several.tally"),
    Job(
        "label notes.txt -o new.tally -q",
        "new.tally new.labels.jsonl",
        stdin="n\nsea\nn\nsky\n1\n2\nu\n1\nq\n",
        steps=True,
        stdin_again="q\n",
    ),
    Job("filter start new.tally docs.csv -q", "new.tally"),
    Job(
        "filter run f.tally more.csv -o out.csv --batch 3 -q",
        "f.tally out.csv",
        steps=True,
        resumes=True,
    ),
    Job("filter feedback f.tally judged.jsonl -q", "f.tally"),
    Job("compare docs.csv --learner multinomial -o page.html -q", "page.html", dated=True),
    Job("evaluate counts.tally more.csv --html page.html -q", "page.html", dated=True),
    Job("evaluate counts.tally more.csv --errors wrong.csv -q", "wrong.csv"),
    Job("predict counts.tally more.csv -o out.csv --force -q", "out.csv"),
    Job("predict counts.tally more.csv -o out.jsonl.gz --force -q", "out.jsonl.gz"),
    Job("predict counts.tally more.csv -o out.parquet --force -q", "out.parquet"),
    Job("predict counts.tally more.csv -o out.xlsx --force -q", "out.xlsx", dated=True),
    Job("rank counts.tally more.csv --label sea -o out.csv -q", "out.csv"),
    Job("explain counts.tally wave --html page.html", "page.html", dated=True),
    Job("filter report f.tally --picture new.svg", "new.svg"),
    Job("demo --tickets new.csv", "new.csv"),
    Job("translate learn notes.txt -o new.translation -q", "new.translation"),
]


def notes(n: int, seed: int) -> list[tuple[str, str]]:
    """Return texts and their labels."""
    rng = random.Random(seed)
    labels = [rng.choice([*PLACES]) for _ in range(n)]
    return [
        (f"{' '.join(rng.choices(PLACES[label].split(), k=6))} note{seed}x{at}", label)
        for at, label in enumerate(labels)
    ]


def workspace(folder: Path, tally: Commands) -> Path:
    """Make the files that jobs read and write, and return their folder."""
    folder.mkdir()
    docs, more = notes(40, 1), notes(8, 2)
    write(folder / "docs.csv", docs)
    write(folder / "some.csv", docs[:5])
    write(folder / "more.csv", more)
    write(folder / "several.csv", [(text, f"{label};all") for text, label in docs[:20]])
    (folder / "notes.txt").write_text("".join(f"{text}\n" for text, _ in notes(12, 3)))
    for line in (
        "train docs.csv --model multinomial -o counts.tally -q",
        "train more.csv --model multinomial -o second.tally -q",
        "train docs.csv --model refined -o refined.tally -q",
        "train several.csv --model multinomial --label-separator ; -o several.tally -q",
        "filter start f.tally docs.csv -q",
        "filter run f.tally some.csv -o judged.jsonl -q",
    ):
        done(tally.run(line.split(), folder))
    judged = folder / "judged.jsonl"
    judged.write_text(judged.read_text().replace('"relevant": null', '"relevant": true'))
    return folder


def write(path: Path, rows: Iterable[tuple[str, str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])


def done(outcome: Outcome) -> Outcome:
    """Return the outcome of a command that must succeed."""
    if outcome.code:
        raise AssertionError(f"the command failed with {outcome.code}: {outcome.err[-500:]}")
    return outcome


class Bench:
    """One job, its folder before, and what it writes undisturbed.

    Parameters
    ----------
    job : Job
    before : Path
        The folder of :func:`workspace`.
    folder : Path
        Where copies of it are made.
    tally : Commands
        What runs commands.
    """

    def __init__(self, job: Job, before: Path, folder: Path, tally: Commands) -> None:
        self.job, self._before, self._tally = job, before, tally
        self.folder = folder / "work"
        self.old = contents(before, job.outputs)
        self.restore()
        self.undisturbed = done(tally.run(job.arguments, self.folder, stdin=job.stdin))
        self.new = contents(self.folder, job.outputs)
        if None in self.new:
            raise AssertionError(f"{job.line} did not write {job.writes}")
        self._between = None if job.parts is None else [*self._steps(*job.parts)]

    def _steps(self, line: str, size: int) -> Iterator[list[bytes | None]]:
        rows = (self._before / "more.csv").read_text().splitlines(keepends=True)
        for end in range(1 + size, len(rows), size):
            self.restore()
            (self.folder / "part.csv").write_text("".join(rows[:end]))
            done(self._tally.run(line.format(part="part.csv").split(), self.folder))
            yield contents(self.folder, self.job.outputs)

    def restore(self) -> None:
        """Make the folder as it was before."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self._before, self.folder)

    def found(self) -> str:
        """Return "old", "new" or, in words, what is wrong with the files."""
        now = contents(self.folder, self.job.outputs)
        if now == self.old:
            return "old"
        if now == self.new:
            return "new"
        if self.job.dated:
            same = [is_complete(*pair) for pair in zip(now, self.new, strict=True)]
            return "new" if all(same) else "an incomplete file"
        is_between = self.job.steps and (self._between is None or now in self._between)
        return "between" if is_between else "neither the old nor the new content"

    def strangers(self) -> list[str]:
        """Return the files that nobody wanted, but for those that a killed command may leave."""
        known = {path.name for path in self._before.iterdir()} | {*self.job.outputs}
        now = {path.name for path in self.folder.iterdir()} - known
        return sorted(name for name in now if not name.endswith(LEFT_BEHIND))

    def left_behind(self) -> list[str]:
        return sorted(p.name for p in self.folder.iterdir() if p.name.endswith(LEFT_BEHIND))

    def repeat(self) -> str:
        """Run the command again, undisturbed; return what is wrong, or an empty string."""
        state = self.found()
        if state == "new":
            return ""
        started = state != "old"
        stdin = self.job.stdin_again if started else self.job.stdin
        outcome = self._tally.run(self.job.arguments, self.folder, stdin=stdin)
        if outcome.code:
            return f"the command fails when it is repeated: {outcome.err[-300:]}"
        if (self.job.resumes or not started) and self.found() != "new":
            return f"the command, repeated, gives {self.found()}"
        locks = [name for name in self.left_behind() if name.endswith(".lock")]
        return f"the command, repeated, leaves {locks}" if locks else ""


def contents(folder: Path, names: list[str]) -> list[bytes | None]:
    paths = [folder / name for name in names]
    return [path.read_bytes() if path.exists() else None for path in paths]


def is_complete(now: bytes | None, wanted: bytes | None) -> bool:
    """Return True if a file that bears the time of its making is whole."""
    if now is None or wanted is None:
        return False
    if wanted.startswith(b"PK"):  # a workbook is a zip file, with a checksum of each member
        file = io.BytesIO(now)
        return zipfile.is_zipfile(file) and zipfile.ZipFile(file).testzip() is None
    return now[-6:] == wanted[-6:]
