"""Why something cannot be taken out of a tally, in words."""

from __future__ import annotations

from tallytext._core import Refusal
from tallytext.errors import NegativeCountError
from tallytext.labels import LabelIndex
from tallytext.vocabulary import Vocabulary

_LABEL = "Was this document ever learned by this tally, with this label?"
_WEIGHT = "Was it learned with other weights?"


def refused(refusal: Refusal, vocabulary: Vocabulary, labels: LabelIndex) -> NegativeCountError:
    """Return the error for what would be left that no documents can add up to."""
    if refusal.term >= 0:
        term = vocabulary.term(refusal.term)
        where = f" in class {labels.names[refusal.label]!r}" if refusal.label >= 0 else ""
        return NegativeCountError(f"cannot forget: term {term!r}{where} {_of_term(refusal.left)}")
    name = f"class {labels.names[refusal.label]!r}" if refusal.label >= 0 else "the tally"
    return NegativeCountError(f"cannot forget: {name} {_of_documents(refusal.left)}")


def unknown_term(term: str, count: int, label: object) -> NegativeCountError:
    """Return the error for a term that the tally has never seen; None stands for no label."""
    where = "" if label is None else f" in class {label!r}"
    return NegativeCountError(
        f"cannot forget: term {term!r}{where} would fall to {-count}. {_LABEL}"
    )


def _of_term(left: list[int]) -> str:
    occurrences, documents, *_ = left
    if occurrences < 0:
        return f"would fall to {occurrences}. {_LABEL}"
    if documents < 0 or documents > occurrences or (documents == 0) != (occurrences == 0):
        return f"would be left with {occurrences} occurrences in {documents} documents. {_LABEL}"
    if min(left) < 0 or (occurrences == 0 and any(left)):
        return f"would be left with a plane that {occurrences} occurrences cannot have. {_WEIGHT}"
    return f"would be left with more than the documents that remain can hold. {_LABEL}"


def _of_documents(left: list[int]) -> str:
    n_documents, *scales = left
    if n_documents < 0:
        return f"would fall to {n_documents} documents. {_LABEL}"
    if any(scale < 0 for scale in scales) or (n_documents == 0 and any(scales)):
        return f"would be left with a plane that {n_documents} documents cannot have. {_WEIGHT}"
    return (
        f"would be left with {n_documents} documents that its counts contradict. "
        "Were these documents ever learned by this tally, with as many labels?"
    )
