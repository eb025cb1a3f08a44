"""Interactive labelling of documents with a model in the loop."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.labelling.journal import Annotation, Journal
    from tallytext.labelling.session import Accuracy, LabellingStats, PredictedLabel, Query, Session

__all__ = [
    "Accuracy",
    "Annotation",
    "Journal",
    "LabellingStats",
    "PredictedLabel",
    "Query",
    "Session",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "journal": ["Annotation", "Journal"],
        "session": ["Accuracy", "PredictedLabel", "Query", "Session", "LabellingStats"],
    },
)
