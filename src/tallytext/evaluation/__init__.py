"""How good decisions, rankings and probabilities are. Pure: arrays in, numbers out.

Scores are ``(n_documents, n_classes)``, truth is a boolean matrix of that shape or one class index
per document. What scikit-learn measures already is not repeated here: take confusion matrices,
log-loss and areas under curves from :mod:`sklearn.metrics`. :class:`Evaluation` sums up predictions
that come batch by batch, for an :class:`EvaluationReport`.
"""

from tallytext.evaluation.diagram import reliability_diagram
from tallytext.evaluation.evaluation import Evaluation
from tallytext.evaluation.measures import FMeasures, f_measures, relative_gain
from tallytext.evaluation.precision import average_precision_11, break_even, precision_at_recall
from tallytext.evaluation.reliability import (
    ReliabilityCurve,
    brier_score,
    calibration_error,
    reliability_curve,
    top_label,
)
from tallytext.evaluation.report import ClassMeasures, Confusion, EvaluationReport
from tallytext.evaluation.shares import wilson_interval
from tallytext.evaluation.significance import (
    Interval,
    McNemar,
    SignTest,
    bootstrap_interval,
    bootstrap_interval_of_counts,
    mcnemar,
    micro_sign_test,
)

__all__ = [
    "ClassMeasures",
    "Confusion",
    "Evaluation",
    "EvaluationReport",
    "FMeasures",
    "Interval",
    "McNemar",
    "ReliabilityCurve",
    "SignTest",
    "average_precision_11",
    "bootstrap_interval",
    "bootstrap_interval_of_counts",
    "break_even",
    "brier_score",
    "calibration_error",
    "f_measures",
    "mcnemar",
    "micro_sign_test",
    "precision_at_recall",
    "relative_gain",
    "reliability_curve",
    "reliability_diagram",
    "top_label",
    "wilson_interval",
]
