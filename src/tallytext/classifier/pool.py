"""Documents without labels: what a classifier was given of them, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

from tallytext.errors import FileError, LabelError, SettingsError
from tallytext.learners import Learner, learners

FEW = 50
"""Labels per class up to which learners are not compared where there is text without labels."""

_MOST_DOCUMENTS = 2**63


@dataclass(frozen=True)
class Pool:
    """The documents without labels that a classifier was trained with.

    Attributes
    ----------
    n_documents : int
        How many there were.
    reason : str
        Why a learner was taken that learns from them, or one that does not.
    notes : tuple of str
        What the learner did with them, in sentences.

    Examples
    --------
    >>> Pool.from_dict(Pool(3, "it was named", ("3 documents",)).to_dict()).n_documents
    3
    """

    n_documents: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        return asdict(self) | {"notes": list(self.notes)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Pool:
        """Read what :meth:`to_dict` wrote."""
        made = cls(**{**values, "notes": tuple(values["notes"])})
        texts = all(isinstance(text, str) for text in (made.reason, *made.notes))
        counted = type(made.n_documents) is int and 0 <= made.n_documents < _MOST_DOCUMENTS
        if not (texts and counted and isinstance(values["notes"], list)):
            raise FileError(f"{values!r:.80} says nothing of unlabelled documents")
        return made


def expect_ears(learner: Learner) -> None:
    """Refuse documents without labels for a learner that would not listen.

    Raises
    ------
    SettingsError
        Names those that would.
    """
    if not learner.unlabelled:
        able = " or ".join(f"model={each.name!r}" for each in learners(unlabelled=True))
        alone = " A naive Bayes model by itself, given counts, has fit(X, y, unlabelled=)."
        raise SettingsError(
            f"{learner.name} learns nothing from unlabelled documents in a classifier. Use {able}, "
            'or leave the choice to model="auto"; or fit it without unlabelled=.'
            f"{alone * learner.additive}"
        )


def refuse_several() -> NoReturn:
    """Refuse documents without labels beside those that may have several.

    Raises
    ------
    LabelError
    """
    raise LabelError(
        "unlabelled documents can be learned from where each of the others has exactly one label, "
        "and here documents may have several or none. Give texts whose labels are not known as "
        "unlabelled= and not with the label []; or fit without unlabelled=, or one classifier for "
        'each label, with "yes" and "no" for labels.'
    )


def reason_for(n_labels: float, chosen: Learner, compared: Sequence[Learner]) -> str:
    """Return why a learner was taken where there were documents without labels.

    Parameters
    ----------
    n_labels : float
        Labels per class, the median.
    chosen : Learner
    compared : sequence of Learner
        What it was compared with, itself among them.

    Examples
    --------
    >>> from tallytext.learners import find_learner
    >>> print(reason_for(10, find_learner("pooled"), [find_learner("pooled")]))
    pooled learns from them; 10 labels per class (median) are too few to compare learners by
    """
    if not any(each.unlabelled for each in compared):
        return "not learned from: tables of their words and all classes would fill memory"
    if all(each.unlabelled for each in compared):
        return (
            f"{chosen.name} learns from them; {n_labels:g} label{'s' * (n_labels != 1)} per class "
            f"(median) {'is' if n_labels == 1 else 'are'} too few to compare learners by"
        )
    if chosen.unlabelled:
        return f"{chosen.name} learns from them, and did best on documents kept from all learners"
    return f"of no use here: {chosen.name}, which learns nothing from them, did best without"
