"""Measures of decisions, rankings and probabilities. Pure functions: arrays in, numbers out.

Scores are arrays of shape ``(n_documents, n_classes)``; the truth is a boolean matrix of that shape
or one class index per document. For confusion matrices, log-loss and areas under curves use
:mod:`sklearn.metrics`. :class:`Evaluation` adds up predictions batch by batch and makes an
:class:`EvaluationReport`.
"""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.evaluation.evaluation import Evaluation
    from tallytext.evaluation.folds import TrainTestSplit
    from tallytext.evaluation.measures import (
        FMeasures,
        average_precision_11,
        break_even,
        f_measures,
        precision_at_recall,
        relative_gain,
    )
    from tallytext.evaluation.reliability import (
        ReliabilityCurve,
        brier_score,
        calibration_error,
        reliability_curve,
        reliability_diagram,
        top_label,
    )
    from tallytext.evaluation.report import (
        ClassMeasures,
        ConfidenceLevel,
        Confusion,
        EvaluationReport,
    )
    from tallytext.evaluation.significance import (
        Interval,
        McNemar,
        SignTest,
        bootstrap_interval,
        bootstrap_interval_of_counts,
        mcnemar,
        micro_sign_test,
        wilson_interval,
    )

__all__ = [
    "ClassMeasures",
    "ConfidenceLevel",
    "Confusion",
    "Evaluation",
    "EvaluationReport",
    "FMeasures",
    "Interval",
    "McNemar",
    "ReliabilityCurve",
    "SignTest",
    "TrainTestSplit",
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

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "evaluation": ["Evaluation"],
        "folds": ["TrainTestSplit"],
        "measures": [
            "FMeasures",
            "average_precision_11",
            "break_even",
            "f_measures",
            "precision_at_recall",
            "relative_gain",
        ],
        "reliability": [
            "ReliabilityCurve",
            "brier_score",
            "calibration_error",
            "reliability_curve",
            "reliability_diagram",
            "top_label",
        ],
        "report": ["ClassMeasures", "ConfidenceLevel", "Confusion", "EvaluationReport"],
        "significance": [
            "Interval",
            "McNemar",
            "SignTest",
            "bootstrap_interval",
            "bootstrap_interval_of_counts",
            "mcnemar",
            "micro_sign_test",
            "wilson_interval",
        ],
    },
)
