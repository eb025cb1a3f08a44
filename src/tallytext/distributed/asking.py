"""A model is asked of the documents in a piece of work, or judged by them, by who has both."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

from tallytext.distributed.answering import model_of
from tallytext.distributed.asked import Asked
from tallytext.distributed.files import Split
from tallytext.distributed.judging import judged
from tallytext.distributed.outcome import Seen
from tallytext.errors import FileError, StaleWarning
from tallytext.storage import pack_arrays, unpack_arrays
from tallytext.storage.writing import save_blocks
from tallytext.threads import at_most

_KIND = "tallytext.asking"
_BEGIN = 8  # bytes, which tell how long the question is


def packed_question(
    model: bytes, reading: dict[str, Any], asked: Asked | None = None, folder: str | None = None
) -> bytes:
    """Return what everyone has to know who is to answer, or to judge.

    Parameters
    ----------
    model : bytes
        As :func:`tallytext.distributed.answering.model_bytes` returns it.
    reading : dict
        How documents are read, as :func:`tallytext.datasets.read_documents` takes it.
    asked : Asked, default=None
        What is asked.
    folder : str, default=None
        Where answers are written to; None to have them sent back.
    """
    question = None if asked is None else asdict(asked)
    header = {"kind": _KIND, "reading": reading, "asked": question, "folder": folder}
    asking = pack_arrays({}, header)
    # Behind it the model, which has checksums of its own: it is read once, not for every split.
    return len(asking).to_bytes(_BEGIN, "little") + asking + model


def part_name(number: str, asked: Asked) -> str:
    """Return what a file of answers is called.

    Examples
    --------
    >>> part_name("00007", Asked(to="csv"))
    'part-00007.csv'
    """
    return f"part-{number}.{asked.to}"


def answered(split: Split, question: bytes) -> bytes:
    """Return an outcome, packed: answers as lines, unless they were written to a file.

    The file has the number of the split, and appears whole or not at all.
    """
    model, header = _unpacked(question)
    asked, folder = Asked(**header["asked"]), header["folder"]
    seen = Seen(split.reader(**header["reading"]))
    with _alone():
        blocks = _answers(seen, split, model, asked)
        if folder is None:
            return seen.outcome(b"".join(blocks)).pack()
        path = Path(folder) / part_name(f"{split.number:05}", asked)
        _save(path, chain([asked.lines().head], blocks))
    return seen.outcome(b"").pack()


def judged_split(split: Split, question: bytes) -> bytes:
    """Return an outcome, packed: what :func:`tallytext.distributed.judging.judged` found."""
    model, header = _unpacked(question)
    seen = Seen(split.reader(**header["reading"]))
    with _alone():
        return seen.outcome(judged(model, seen)).pack()


def _unpacked(question: bytes) -> tuple[bytes, dict[str, Any]]:
    """Return the model, and what is asked of it."""
    end = _BEGIN + int.from_bytes(question[:_BEGIN], "little")
    _, header = unpack_arrays(question[_BEGIN:end], _KIND)
    return question[end:], header


def _save(path: Path, blocks: Iterable[bytes]) -> None:
    try:
        save_blocks(path, blocks)
    except OSError as problem:
        raise FileError(
            f"cannot write {str(path)!r}: {problem.strerror or problem}. Every worker must find "
            "the folder under the same name, and may write to it."
        ) from None


def _answers(seen: Seen, split: Split, model: bytes, asked: Asked) -> Iterator[bytes]:
    answers, lines = asked.answers(model_of(model)), asked.lines()
    file = split.name if asked.has_file else None
    for batch in seen:
        yield lines.of(answers.of(batch, file))


@contextmanager
def _alone() -> Iterator[None]:
    """Leave the other cores to others, and warnings to who asked."""
    with at_most(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", StaleWarning)
        yield
