"""What a classifier has to say of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, NoReturn

from tallytext.classifier.registry import Learner, learners
from tallytext.errors import FileError, LabelError, SettingsError
from tallytext.tally.gathered import Origin
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import Duplicates

if TYPE_CHECKING:
    from tallytext.classifier.from_tally import Sampled
    from tallytext.classifier.model_selection import Trial


@dataclass(frozen=True)
class Changes:
    """How many documents came and went, and terms, since something was found out."""

    learned: int = 0
    forgotten: int = 0
    merged: int = 0
    exchanged: int = 0

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    def __str__(self) -> str:
        counts = {name: count for name, count in asdict(self).items() if count}
        terms = counts.pop("exchanged", 0)
        parts = [_counted(counts, "document")] if counts else []
        parts += [_counted({"exchanged": terms}, "term")] if terms else []
        return ", ".join(parts) or "nothing"

    def more(self, name: str, count: int) -> Changes:
        """Return the changes after more documents."""
        counts: dict[str, Any] = asdict(self)
        return Changes(**(counts | {name: counts[name] + count}))


def _counted(counts: dict[str, int], what: str) -> str:
    kinds = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return f"{kinds} {what}{'s' if sum(counts.values()) != 1 else ''}"


@dataclass(frozen=True)
class Report:
    """How a classifier came to be what it is, and how far it can be trusted.

    Attributes
    ----------
    learner, setting : str
        What was chosen, or named.
    several : bool
        Whether documents may have several labels.
    n_documents, n_classes, n_terms, n_tokens : int
        What it has learned by now.
    trials : list of Trial
        What was tried, the best first; one that was named was not compared with others.
    score : float or None
        Accuracy, or F1 where documents may have several labels, on documents kept from the model.
    n_judged : int
        How many these were.
    method : str
        How they were kept from it: folds at random, of all documents or of a "sample", "groups"
        that stayed together, the latest in "time", or "held out" for those given to
        ``recalibrate``.
    changes : Changes
        Since the calibration was fitted.
    duplicates : Duplicates or None
        Documents that came more than once when the classifier was fitted.
    n_unlabelled : int
        How many documents without labels there were besides.
    reason : str
        Why a learner was taken that learns from these, or one that does not; empty for one that
        was named.
    notes : list of str
        What the learner did with them, in sentences.
    origin : list of str
        Where its counts are from, if it was made of a tally, and what was not counted, in
        sentences.
    """

    learner: str
    setting: str
    multi_label: bool
    n_documents: int
    n_classes: int
    n_terms: int
    n_tokens: int
    trials: list[Trial]
    score: float | None
    n_judged: int
    method: str
    changes: Changes
    duplicates: Duplicates | None
    n_unlabelled: int = 0
    reason: str = ""
    notes: list[str] = field(default_factory=list)
    origin: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = self._what, self._counted, self._pool, self._trust, self._repeated, self._why
        return "\n".join(line for part in parts for line in part())

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        values = asdict(self)
        repeated = self.duplicates
        return values | {"duplicates": None if repeated is None else repeated.to_dict()}

    def _what(self) -> list[str]:
        labels = "several labels per document" if self.multi_label else "one label per document"
        return [
            f"{self.learner}, {labels}",
            f"  learned      {self.n_documents:,} document{'s' * (self.n_documents != 1)}, "
            f"{self.n_classes:,} class{'es' * (self.n_classes != 1)}, "
            f"{self.n_terms:,} different words of {self.n_tokens:,}",
        ]

    def _counted(self) -> list[str]:
        heads = ["  counted", *[""] * len(self.origin)]
        return [f"{head:<15}{line}" for head, line in zip(heads, self.origin, strict=False)]

    def _pool(self) -> list[str]:
        said = [self.reason] if self.reason else []
        n = self.n_unlabelled
        if n:
            said.insert(0, f"{n:,} document{'s' * (n != 1)} besides")
        first, *rest = [*said, *self.notes] or [""]
        kind = "unlabelled" if n else "learning"
        return [f"  {kind:<12} {first}", *(f"{'':15}{line}" for line in rest)] if first else []

    def _trust(self) -> list[str]:
        if self.score is None:
            return ["  probabilities are raw: there was nothing to calibrate them on"]
        measure = "F1" if self.multi_label else "accuracy"
        lines = [
            f"  expected     {self.score:.1%} {measure}, on {self.n_judged:,} documents kept from "
            f"the model ({self.method})"
        ]
        if self.method in ("cross-validation", "sample"):
            known = ": give fit groups= or time=" * (self.method == "cross-validation")
            lines.append(
                f"               too high where near duplicates, threads or authors recur{known}"
            )
        if self.changes:
            lines.append(
                f"  stale        {self.changes} since probabilities, sets and thresholds were "
                "found; call recalibrate(texts, labels)"
            )
        return lines

    def _repeated(self) -> list[str]:
        if self.duplicates is None or not (
            self.duplicates.n_repeated or self.duplicates.n_conflicting
        ):
            return []
        first, *rest = str(self.duplicates).splitlines()
        return [f"  duplicates   {first}", *(f"               {line}" for line in rest)]

    def _why(self) -> list[str]:
        if len(self.trials) < 2:
            return [f"  setting      {self.setting}"]
        tried = [trial for trial in self.trials if trial.score is not None]
        if not tried:
            return [f"  setting      {self.setting}, for want of documents to compare others on"]
        best = {trial.learner: trial for trial in reversed(tried)}
        lines = [f"  chosen as the best of {len(tried)} settings; the best of each learner:"]
        lines += [_line(trial) for trial in tried if best[trial.learner] is trial]
        if skipped := sorted({t.learner for t in self.trials if t.score is None}):
            lines.append(f"  not all tried, to save time: {', '.join(skipped)}")
        return lines


def _line(trial: Trial) -> str:
    return (
        f"    {trial.score:>6.1%} of {trial.n_documents:>5,}  {trial.learner:<12}  {trial.setting}"
    )


# ------------------------------------------------------------------------------------------------
# Settings in few words: what is not as usual.


def in_few_words(model: Any) -> str:
    """Return the settings of a model that are not its defaults.

    Examples
    --------
    >>> from tallytext import MultinomialNB
    >>> from tallytext.models import AbsoluteDiscount, Laplace
    >>> in_few_words(MultinomialNB(Laplace(0.1), complement=True))
    'MultinomialNB(smoothing=Laplace(epsilon=0.1), complement=True)'
    >>> in_few_words(MultinomialNB(AbsoluteDiscount()))
    'MultinomialNB(smoothing=AbsoluteDiscount())'
    """
    kind: Any = type(model)
    usual = _defaults(kind)
    given = model.get_params(deep=False)
    return _named(model, {name: given[name] for name in usual if name != "verbose"}, usual)


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {name: each.default for name, each in signature(kind).parameters.items()}


def _named(value: Any, given: dict[str, Any], usual: dict[str, Any]) -> str:
    unusual = (
        f"{name}={_value(each)}" for name, each in given.items() if not _same(each, usual[name])
    )
    return f"{type(value).__name__}({', '.join(unusual)})"


def _value(value: Any) -> str:
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    settled = [each for each in fields(value) if each.init]
    given = {each.name: getattr(value, each.name) for each in settled}
    return _named(value, given, {each.name: each.default for each in settled})


def _same(value: Any, usual: Any) -> bool:
    return usual is not MISSING and type(value) is type(usual) and bool(value == usual)


# ------------------------------------------------------------------------------------------------
# Documents without labels: what a classifier was given of them, and what became of it.

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


def check_ears(learner: Learner) -> None:
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
    >>> from tallytext.classifier import find_learner
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


# ------------------------------------------------------------------------------------------------
# Where the counts of a classifier are from, in sentences.


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
