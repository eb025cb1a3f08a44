"""A learner that was compared with others, and how it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tallytext.comparison.intervals import Difference
from tallytext.evaluation import EvaluationReport


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
