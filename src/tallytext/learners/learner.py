"""What a classifier can be made of, and what each of these can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

from tallytext.learners.features import FEATURES

Setting: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Learner:
    """A kind of model with settings that are worth a try.

    Attributes
    ----------
    name : str
        What users call it.
    summary : str
        What it is, in one line, for help and documentation.
    make : callable
        From the parameters of a setting to a model that is not fitted yet.
    settings : tuple of mappings
        What is tried, the usual setting first.
    additive : bool
        Whether the model is a function of a tally, so that it can learn, forget and merge.
    multi_label : bool
        Whether documents may have several labels.
    needs_documents : bool
        Whether it is trained on documents, and not on their sums.
    judged_by : {"subtraction", "refitting", "itself"}
        How documents are kept from it: by subtracting them from the tally, by training anew, or by
        the model, which says of its own documents what it would without their labels.
    dense : bool
        Whether it weighs every word for every class, which takes longer where both are many.
    features : tuple of str
        What terms it is tried on, by the names of :mod:`tallytext.learners.features`; the usual
        ones first.
    considered : bool
        Whether it is worth a try where the best learner is looked for.
    learns : bool
        Whether a model takes and gives back single documents, though it is no function of a
        tally.
    most_weights : int or None
        How many numbers for pairs of a class and a word, or a class and a document, it may come
        to where the best learner is looked for.
    unlabelled : bool
        Whether it learns from documents without labels, too.

    Examples
    --------
    >>> from tallytext.learners import find_learner
    >>> find_learner("multinomial").default()
    MultinomialNB(smoothing=Background(alpha=0.5))
    """

    name: str
    summary: str
    make: Callable[..., Any]
    settings: tuple[Setting, ...] = ({},)
    additive: bool = True
    multi_label: bool = True
    needs_documents: bool = False
    judged_by: Literal["subtraction", "refitting", "itself"] = "subtraction"
    dense: bool = False
    features: tuple[str, ...] = ("words",)
    considered: bool = True
    learns: bool = False
    most_weights: int | None = None
    unlabelled: bool = False

    def __post_init__(self) -> None:
        if not self.settings:
            raise ValueError(f"the learner {self.name!r} has no setting to try.")
        if not self.features or not {*self.features} <= {*FEATURES}:
            raise ValueError(f"{self.name!r}: features are some of {', '.join(FEATURES)}.")
        if self.additive and (self.needs_documents or self.judged_by != "subtraction"):
            raise ValueError(f"{self.name!r}: what is additive is judged by subtraction.")

    @classmethod
    def of_documents(cls, name: str, summary: str, make: Callable[..., Any], **more: Any) -> Self:
        """Return a learner that is trained on documents, and anew for each fold it is judged on.

        Parameters
        ----------
        name : str
            Its name.
        summary : str
            What it is, in half a sentence.
        make : callable
            Makes a model of its settings.
        **more : Any
            Other fields of :class:`Learner`.
        """
        given: dict[str, Any] = {"judged_by": "refitting", **more}
        return cls(name, summary, make, additive=False, needs_documents=True, **given)

    @classmethod
    def of_pools(cls, name: str, summary: str, make: Callable[..., Any], **more: Any) -> Self:
        """Return a learner of documents with one label and without, which judges itself.

        Parameters
        ----------
        name : str
            Its name.
        summary : str
            What it is, in half a sentence.
        make : callable
            Makes a model of its settings.
        **more : Any
            Other fields of :class:`Learner`.
        """
        given: dict[str, Any] = {"judged_by": "itself", "multi_label": False, **more}
        return cls.of_documents(name, summary, make, unlabelled=True, **given)

    def default(self) -> Any:
        """Return a model with the usual setting."""
        return self.make(**self.settings[0])

    def models(self) -> list[Any]:
        """Return a model for each setting that is worth a try."""
        return [self.make(**setting) for setting in self.settings]
