"""What was found of learners on the same documents."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text
from scipy.stats import t as student

from tallytext._typing import FloatArray
from tallytext.comparison.documents import Documents, NearDuplicates, Outcomes, Splits
from tallytext.comparison.learning_curve import LearningCurve
from tallytext.comparison.suspects import Suspect
from tallytext.evaluation.evaluation import Evaluation
from tallytext.evaluation.report import EvaluationReport
from tallytext.evaluation.significance import wilson_interval
from tallytext.io.safetensors import save_text
from tallytext.tuning.curves import VocabularyCurve

# ------------------------------------------------------------------------------------------------
# How far chance may have moved a score, or the difference of two, on so many documents.

_LEVEL = 0.95


@dataclass(frozen=True)
class Difference:
    """By how much a learner differs from the best, on documents that both were judged by.

    Attributes
    ----------
    value : float
        Its score minus that of the best.
    interval : (float, float)
        95% of it.
    n_documents : int
        How many documents both were judged by.
    """

    value: float
    interval: tuple[float, float]
    n_documents: int

    @property
    def may_be_chance(self) -> bool:
        """Whether the interval holds 0."""
        return self.interval[0] <= 0 <= self.interval[1]


def score_interval(outcomes: Outcomes, units: Any) -> tuple[float, float]:
    r"""Return the 95% interval of a score: Wilson's, for as many documents as they are worth.

    .. math::
        \frac{s + q^2/2m \pm q \sqrt{s (1 - s)/m + q^2/4m^2}}{1 + q^2/m}, \quad
        m = \frac{s (1 - s)}{v}, \quad
        v = \frac{U}{U - 1} \frac{\sum_u (t_u - s\,b_u)^2}{(\sum_u b_u)^2}

    over U units that are independent of each other: documents, or whole groups, whose documents
    are alike and so worth fewer. q is the quantile of Student's distribution with U - 1 degrees of
    freedom. Without a mistake, or without anything right, v says nothing, and m is U - 1. It is
    never more than the number of judged documents.

    Parameters
    ----------
    outcomes : Outcomes
    units : ndarray of int of shape (n_documents,)
        The number of the unit that each document is of.

    Examples
    --------
    >>> from tallytext.comparison.documents import Outcomes
    >>> outcomes = Outcomes.none(20)
    >>> outcomes.add(np.arange(20), ["sea"] * 20, ["sea"] * 20)
    >>> [round(end, 3) for end in score_interval(outcomes, np.arange(20))]
    [0.813, 1.0]
    >>> [round(end, 3) for end in score_interval(outcomes, np.arange(20) // 5)]  # 4 groups
    [0.229, 1.0]
    """
    tops, bottoms = _by_unit(units, outcomes)
    n_units = len(tops)
    if n_units < 2:
        return 0.0, 1.0
    score = outcomes.score
    spread = _variance((tops - score * bottoms) / bottoms.sum())
    worth = min(score * (1 - score) / spread, outcomes.n_judged) if spread else n_units - 1
    return wilson_interval(score * worth, worth, _quantile(n_units))


def difference(other: Outcomes, best: Outcomes, units: Any) -> Difference:
    r"""Compare two learners, document by document, where both were judged.

    .. math:: (s - s') \pm q \sqrt{\frac{U}{U - 1} \sum_u \Bigl(
        \frac{t_u - s\,b_u}{\sum b} - \frac{t'_u - s'\,b'_u}{\sum b'} \Bigr)^2}

    where two documents are added, one that only the one got right, and one that only the other
    did, so that a handful of documents does not decide (Bonett and Price 2012).

    Parameters
    ----------
    other, best : Outcomes
    units : ndarray of int of shape (n_documents,)

    Examples
    --------
    >>> from tallytext.comparison.documents import Outcomes
    >>> best, other = Outcomes.none(6), Outcomes.none(6)
    >>> best.add(np.arange(6), ["sea"] * 6, ["sea"] * 6)
    >>> other.add(np.arange(6), ["sea"] * 6, ["sea"] * 4 + ["sky"] * 2)
    >>> found = difference(other, best, np.arange(6))
    >>> round(found.value, 3), found.may_be_chance
    (-0.333, True)
    """
    both = other.judged & best.judged
    mine, its = other.of(both), best.of(both)
    tops, bottoms, its_tops, its_bottoms = _by_unit(units, mine, its)
    one, another = _parts(tops, bottoms, (2, 0)), _parts(its_tops, its_bottoms, (0, 2))
    middle = one[0] - another[0]
    reach = _quantile(len(tops)) * float(np.sqrt(_variance(one[1] - another[1])))
    return Difference(mine.score - its.score, (middle - reach, middle + reach), int(both.sum()))


def _by_unit(units: Any, *outcomes: Outcomes) -> list[FloatArray]:
    """Return sums over the units that were judged."""
    seen, numbers = np.unique(units[outcomes[0].judged], return_inverse=True)
    kept = (each[outcomes[0].judged] for both in outcomes for each in (both.tops, both.bottoms))
    return [np.bincount(numbers, each, len(seen)).astype(np.float64) for each in kept]


def _parts(
    tops: FloatArray, bottoms: FloatArray, added: tuple[int, int]
) -> tuple[float, FloatArray]:
    """Return a score, and what each unit moves it by, with two documents more."""
    tops, bottoms = np.append(tops, added), np.append(bottoms, (2, 2))
    score = float(tops.sum() / bottoms.sum())
    return score, (tops - score * bottoms) / bottoms.sum()


def _variance(moves: FloatArray) -> float:
    return float((moves**2).sum() * len(moves) / (len(moves) - 1))


def _quantile(n_units: int) -> float:
    return float(student.ppf((1 + _LEVEL) / 2, max(n_units - 1, 1)))


# ------------------------------------------------------------------------------------------------
# A learner that was compared with others, and how it did.


@dataclass(frozen=True)
class Contender:
    """How a learner did on documents that were kept from it.

    Attributes
    ----------
    name, summary : str
        Of the learner.
    report : EvaluationReport or None
        Of all documents that it was judged by; None if it failed.
    n_folds : int
        On how many folds it was judged: fewer than others, if it took too long.
    fold_scores : tuple of float
        On each of them, in the order of the splits.
    difference : Difference or None
        From the best learner, on the documents that both were judged by.
    fit_seconds, predict_seconds : float
        For one fold: what learning from text took, and what answering took; medians, so that the
        first fold, which warms things up, does not count against a learner.
    megabytes : float or None
        Memory beyond that of the texts, at the peak of learning and answering; None where the
        system does not tell.
    failure : str
        Why it could not be judged, or on no more folds; empty if it could.
    """

    name: str
    summary: str
    report: EvaluationReport | None
    n_folds: int = 0
    fold_scores: tuple[float, ...] = ()
    difference: Difference | None = None
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    megabytes: float | None = None
    failure: str = ""

    @property
    def score(self) -> float | None:
        """Accuracy; micro-averaged F1 where documents have several labels."""
        if self.report is None:
            return None
        return self.report.micro_f1 if self.report.several_labels else self.report.accuracy

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the score of any number of such documents lies, with 95% confidence."""
        report = self.report
        if report is None:
            return None
        return report.micro_f1_interval if report.several_labels else report.accuracy_interval

    @property
    def as_good(self) -> bool:
        """Whether it is the best learner, or its difference from the best may be chance."""
        return self.difference is not None and self.difference.may_be_chance

    def remark(self, n_folds: int) -> str:
        """Return what is to be known of it besides figures.

        Parameters
        ----------
        n_folds : int
            How many folds there were.
        """
        if self.report is None:
            return self.failure
        if self.n_folds == n_folds:
            return ""
        why = f": {self.failure}" if self.failure else ""
        return f"{self.n_folds} of {n_folds} folds{why}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        values = {**vars(self), "score": self.score, "interval": self.interval}
        report, difference = self.report, self.difference
        return values | {
            "report": None if report is None else report.to_dict(),
            "difference": None if difference is None else vars(difference),
            "as_good": self.as_good,
        }


@dataclass(frozen=True)
class Comparison:
    """How learners did on the same documents.

    Attributes
    ----------
    contenders : list of Contender
        The best first, then the others by how much they differ from it on the same documents;
        those that failed last.
    measure : {"accuracy", "micro-F1"}
    splits : Splits
        How documents were kept from models.
    documents : Documents
    near_duplicates : NearDuplicates
        Judged documents that are nearly the same as one learned.
    learning_curve : LearningCurve
        Of the best learner: on all splits that it was judged on where documents are few and have
        no time, else on the first.
    vocabulary_curve : VocabularyCurve or None
        Of naive Bayes, on the first split; None if no word can be learned there.
    suspects : list of Suspect
        Documents whose label is most likely wrong; where documents have several, those that have
        one too many, or lack one.
    evaluation : Evaluation
        What became of the labels that the best learner gave.
    terms : dict of label to list of str
        The most telling terms of each class, those of most documents first.

    Examples
    --------
    >>> from tallytext import compare
    >>> texts = ["cheap pills", "lunch at noon", "cheap watches", "noon, for lunch"] * 5
    >>> found = compare(texts, ["spam", "ham"] * 10, learners=["multinomial", "bernoulli"])
    >>> found.measure, [contender.score for contender in found.contenders]
    ('accuracy', [1.0, 1.0])
    """

    contenders: list[Contender]
    measure: str
    splits: Splits
    documents: Documents = field(repr=False)
    near_duplicates: NearDuplicates
    learning_curve: LearningCurve
    vocabulary_curve: VocabularyCurve | None = field(repr=False)
    suspects: list[Suspect] = field(repr=False)
    evaluation: Evaluation = field(repr=False)
    terms: dict[Any, list[str]] = field(repr=False)

    @property
    def best(self) -> Contender:
        """The learner with the highest score on the same documents."""
        return self.contenders[0]

    @property
    def warnings(self) -> list[str]:
        """What may make scores other than they seem, in sentences."""

        return remarks_on(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values, as JSON has them."""
        alike, words = self.near_duplicates, self.vocabulary_curve
        return {
            "measure": self.measure,
            "method": self.splits.described,
            "n_documents": len(self.documents.labels),
            "n_judged": self.splits.n_judged,
            "warnings": self.warnings,
            "contenders": [each.to_dict() for each in self.contenders],
            "near_duplicates": {"asked": alike.n_asked, "crossing": alike.n_crossing},
            "learning_curve": vars(self.learning_curve),
            "vocabulary_curve": None if words is None else words.to_dict(),
            "suspects": [
                {name: value for name, value in each._asdict().items() if name != "evidence"}
                for each in self.suspects
            ],
        }

    def to_rich(self) -> Table:
        """Return the table of learners, for a terminal."""

        return table_of(self)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return a page that needs nothing else: tables, drawings, evidence.

        Parameters
        ----------
        path : str or path, default=None
            A file to write it to as well. It appears whole or not at all.
        """
        from tallytext.comparison.page import page_of

        page = page_of(self)
        if path is not None:
            save_text(Path(path), page)
        return page


# ------------------------------------------------------------------------------------------------
# What may make scores other than they seem.

_FEW_GROUPS = 10


def remarks_on(comparison: Comparison) -> list[str]:
    """Return sentences, none if there is nothing to say."""
    found = (
        comparison.near_duplicates.warning,
        _alone(comparison),
        _few_groups(comparison),
        _fewer_folds(comparison),
        _failed(comparison),
    )
    return [sentence for sentence in found if sentence]


def _alone(comparison: Comparison) -> str:
    """Say how many documents no learner could have got right."""
    if comparison.documents.multi_label:
        return ""
    counts = Counter(comparison.documents.labels)
    alone = sum(1 for count in counts.values() if count == 1)
    if not alone:
        return ""
    few = "1 label is that" if alone == 1 else f"{alone:,} labels are those"
    return (
        f"{few} of a single document, which no model can learn before it is judged: "
        "it counts as a mistake of all learners."
    )


def _few_groups(comparison: Comparison) -> str:
    n = len(np.unique(comparison.splits.units))
    if comparison.splits.method != "groups" or n >= _FEW_GROUPS:
        return ""
    return (
        f"there are {n} groups only, so that intervals are wide: what a new group brings is open."
    )


def _fewer_folds(comparison: Comparison) -> str:
    """Name learners that look better than the best, as far as they were judged."""
    ahead = [
        each
        for each in comparison.contenders[1:]
        if each.difference is not None and each.difference.value > 0
    ]
    if not ahead:
        return ""
    names = " and ".join(each.name for each in ahead)
    return (
        f"{names} did better than {comparison.best.name} on the folds that there was time for: "
        "allow more time (--budget) to know."
    )


def _failed(comparison: Comparison) -> str:
    failed = [each.name for each in comparison.contenders if each.failure]
    return f"could not be judged on all folds: {', '.join(failed)}." if failed else ""


# ------------------------------------------------------------------------------------------------
# A comparison as a table in the terminal.

CHANCE = "≈ may be chance: not told apart from the best, document by document"


def table_of(comparison: Comparison) -> Table:
    """Return learners, the best first, with scores, intervals, times and memory."""
    table = Table(box=None, pad_edge=False, header_style="dim", caption_justify="left")
    table.add_column("learner", no_wrap=True)
    measure = comparison.measure
    for name in (measure, "95% interval", "to best", "macro-F1", "learn", "answer", "MB"):
        table.add_column(name, justify="right", no_wrap=True)
    for at, contender in enumerate(comparison.contenders):
        table.add_row(*map(Text, _cells(contender)), style="bold" if at == 0 else "")
    if remarks := _remarks(comparison):
        table.caption = Text("\n".join(remarks))
    return table


def _remarks(comparison: Comparison) -> list[str]:
    n_folds, contenders = len(comparison.splits), comparison.contenders
    chance = [CHANCE] if any(each.as_good for each in contenders[1:]) else []
    return chance + [
        f"{each.name}: {said}" for each in contenders if (said := each.remark(n_folds))
    ]


def _cells(contender: Contender) -> list[str]:
    report, interval = contender.report, contender.interval
    if report is None or interval is None:
        return [contender.name, *[""] * 7]
    return [
        contender.name,
        f"{contender.score:.4f}",
        f"{interval[0]:.3f}–{interval[1]:.3f}",
        to_best(contender),
        f"{report.macro_f1:.4f}",
        seconds(contender.fit_seconds),
        seconds(contender.predict_seconds),
        "" if contender.megabytes is None else f"{contender.megabytes:,.0f}",
    ]


def to_best(contender: Contender) -> str:
    """Write the difference from the best, with a mark if it may be chance.

    Examples
    --------
    >>> from tallytext.comparison import Contender, Difference
    >>> to_best(Contender("a", "", None, difference=Difference(-0.0123, (-0.03, 0.01), 9)))
    '≈ -0.012'
    """
    found = contender.difference
    if found is None or found.interval == (0.0, 0.0):
        return ""
    return f"{'≈ ' * found.may_be_chance}{found.value:+.3f}"


def seconds(value: float) -> str:
    """Write a time.

    Examples
    --------
    >>> seconds(0.0314), seconds(12.34), seconds(0.0004), seconds(123.4)
    ('0.03 s', '12.3 s', '0.4 ms', '123 s')
    """
    if value < 0.01:
        return f"{1000 * value:.1f} ms"
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f} s"


def megabytes(value: float | None) -> str:
    """Write an amount of memory, if it is known."""
    return "" if value is None else f"{value:,.0f} MB"
