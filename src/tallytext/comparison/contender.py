"""A learner that was compared with others, and how it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    fit_seconds, predict_seconds : float
        For one fold: what learning from text took, and what answering took; means.
    megabytes : float or None
        Memory beyond that of the texts, at the peak; None where the system does not tell.
    failure : str
        Why it could not be judged; empty if it could.
    """

    name: str
    summary: str
    report: EvaluationReport | None
    n_folds: int = 0
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
        """Where the score lies for 95 % of samples of so many documents, by the bootstrap."""
        report = self.report
        if report is None:
            return None
        return report.micro_f1_interval if report.several_labels else report.accuracy_interval

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        values = {**vars(self), "score": self.score, "interval": self.interval}
        report = self.report
        return values | {"report": None if report is None else report.to_dict()}
