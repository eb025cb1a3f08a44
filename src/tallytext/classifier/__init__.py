"""``TextClassifier``: from texts to labels, probabilities and explanations."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.expressions import (
        build_estimator,
        format_estimator,
        parse_expression,
    )
    from tallytext.classifier.label_checks import (
        LabelLeak,
        LabelProblems,
        find_leaks,
        label_problems,
    )
    from tallytext.classifier.registry import (
        CHOICES,
        Learner,
        ModelName,
        find_learner,
        learner_for_model,
        learners,
        register,
        unregister,
    )
    from tallytext.classifier.report import Report

__all__ = [
    "CHOICES",
    "LabelLeak",
    "LabelProblems",
    "Learner",
    "ModelName",
    "Report",
    "TextClassifier",
    "build_estimator",
    "find_leaks",
    "find_learner",
    "format_estimator",
    "label_problems",
    "learner_for_model",
    "learners",
    "parse_expression",
    "register",
    "unregister",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "classifier": ["TextClassifier"],
        "expressions": ["build_estimator", "format_estimator", "parse_expression"],
        "label_checks": ["LabelLeak", "LabelProblems", "find_leaks", "label_problems"],
        "registry": [
            "CHOICES",
            "Learner",
            "ModelName",
            "find_learner",
            "learner_for_model",
            "learners",
            "register",
            "unregister",
        ],
        "report": ["Report"],
    },
)
