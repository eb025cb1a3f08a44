"""Where the counts of a classifier are from, in sentences."""

from __future__ import annotations

from typing import Any

from tallytext.classifier.sampled import Sampled
from tallytext.errors import FileError
from tallytext.planes import Plane
from tallytext.tally import Origin, Tally


def sentences(tally: Tally, origin: Origin | None, sampled: Sampled, n_compared: int) -> list[str]:
    """Return what there is to say of a classifier that was made of a tally.

    Parameters
    ----------
    tally : Tally
    origin : Origin or None
        What is known of its making.
    sampled : Sampled
        The documents that models were judged on.
    n_compared : int
        How many models were judged on them.
    """
    said = [f"{_where(origin)}; {_judged_on(tally, sampled, n_compared)}"]
    if origin is not None and origin.n_skipped:
        said.append(f"{_some(origin.n_skipped, 'row')} could not be read, and left out")
    if origin is not None and origin.dropped:
        lost = origin.dropped
        said.append(
            f"{_some(lost.n_tokens, 'occurrence')} of rare words left out: no count is off by more "
            f"than {lost.bound:,}"
        )
    if origin is not None and origin.outgrown:
        said.append(said_of_outgrown(origin.outgrown))
    if sampled.n_uncertain:
        said.append(
            f"{_some(sampled.n_uncertain, 'word')} of the sample ignored when models were judged: "
            "the counts have fewer of them than the sample"
        )
    return said


def said_of_outgrown(planes: list[Plane]) -> str:
    """Return what there is to say of planes that had no room for all documents."""
    return f"too many documents for the 64 bits of {', '.join(map(repr, planes))}: not counted"


def sentences_from(stored: Any) -> list[str]:
    """Read sentences from a file."""
    if not isinstance(stored, list) or not all(isinstance(each, str) for each in stored):
        raise FileError(f"{stored!r:.80} does not say where counts are from")
    return list(stored)


def _where(origin: Origin | None) -> str:
    # Not how many: a model is the same however documents were spread.
    return "a tally" if origin is None else "in partitions"


def _judged_on(tally: Tally, sampled: Sampled, n_compared: int) -> str:
    n = len(sampled.drawn.labels)
    if not n_compared:
        few = f"a sample of {_some(n, 'document')} is too small" if n else "no sample of documents"
        return f"{few} to judge models on"
    verb = "compared" if n_compared > 1 else "judged"
    return f"{verb} on a sample of {_some(n, 'document')} of {tally.n_documents:,}"


def _some(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"
