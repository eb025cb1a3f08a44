"""``TextClassifier``: from texts to labels, probabilities and explanations."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.registry import (
        CHOICES,
        Learner,
        find_learner,
        learner_for_model,
        learners,
        register,
        unregister,
    )
    from tallytext.classifier.report import Report

__all__ = [
    "CHOICES",
    "Learner",
    "Report",
    "TextClassifier",
    "find_learner",
    "learner_for_model",
    "learners",
    "register",
    "unregister",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "classifier": ["TextClassifier"],
        "registry": [
            "CHOICES",
            "Learner",
            "find_learner",
            "learner_for_model",
            "learners",
            "register",
            "unregister",
        ],
        "report": ["Report"],
    },
)
