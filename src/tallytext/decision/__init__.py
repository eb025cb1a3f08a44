"""Decisions from scores: calibration, thresholds, prediction sets, ranking and explanations.

Scores are arrays of shape ``(n_documents, n_classes)``. Fitted objects are immutable: ``fit``
returns a new object and expects out-of-sample scores.
"""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.decision.calibrators import (
        AccuracyPrior,
        Isotonic,
        Platt,
        Temperature,
        TopLabel,
        log_odds,
        log_posteriors,
    )
    from tallytext.decision.explanation import Contribution, Explanation
    from tallytext.decision.prediction_sets import PredictionSets
    from tallytext.decision.thresholds import Argmax, PCut, RCut, SCut

__all__ = [
    "AccuracyPrior",
    "Argmax",
    "Contribution",
    "Explanation",
    "Isotonic",
    "PCut",
    "Platt",
    "PredictionSets",
    "RCut",
    "SCut",
    "Temperature",
    "TopLabel",
    "log_odds",
    "log_posteriors",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "calibrators": [
            "AccuracyPrior",
            "Isotonic",
            "Platt",
            "Temperature",
            "TopLabel",
            "log_odds",
            "log_posteriors",
        ],
        "explanation": ["Contribution", "Explanation"],
        "prediction_sets": ["PredictionSets"],
        "thresholds": ["Argmax", "PCut", "RCut", "SCut"],
    },
)
