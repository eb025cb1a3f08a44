"""Model tuning on training documents: grid search and vocabulary curves."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.tuning.curves import CurveLine, VocabularyCurve, vocabulary_curve
    from tallytext.tuning.grid_search import TuningResult, tune

__all__ = [
    "CurveLine",
    "TuningResult",
    "VocabularyCurve",
    "tune",
    "vocabulary_curve",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "curves": ["CurveLine", "VocabularyCurve", "vocabulary_curve"],
        "grid_search": ["TuningResult", "tune"],
    },
)
