"""The parameters of a classifier in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator

from tallytext.classifier.selecting import selector_for
from tallytext.classifier.stored_model import model_with
from tallytext.errors import FileError
from tallytext.settings import estimator_from, settings_of
from tallytext.vectorizer import TextVectorizer


def parameters_of(classifier: BaseEstimator) -> dict[str, Any]:
    """Return the parameters that say what a classifier is, as JSON can hold them."""
    given = classifier.get_params(deep=False)
    model, vectorizer = given["model"], given["vectorizer"]
    return {
        "model": model if isinstance(model, str) else settings_of(model),
        "vectorizer": None if vectorizer is None else settings_of(vectorizer),
        "select": _spelt(given["select"]),
        "multi_label": given["multi_label"],
        "budget": given["budget"],
    }


def parameters_from(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Read what :func:`parameters_of` returned."""
    model, vectorizer = stored["model"], stored["vectorizer"]
    several, budget = stored["multi_label"], stored["budget"]
    if several is not None and type(several) is not bool:
        raise FileError(f"multi_label cannot be {several!r:.40}")
    if budget is not None and type(budget) not in (int, float):
        raise FileError(f"a budget cannot be {budget!r:.40}")
    return {
        "model": model if isinstance(model, str) else model_with(model),
        "vectorizer": None if vectorizer is None else vectorizer_from(vectorizer),
        "select": _selection(stored.get("select")),
        "multi_label": several,
        "budget": budget,
    }


def _spelt(select: Any) -> Any:
    return select if select is None or isinstance(select, str) else settings_of(select)


def _selection(stored: Any) -> Any:
    selection = estimator_from(stored) if isinstance(stored, Mapping) else stored
    selector_for(selection)
    return selection


def vectorizer_from(settings: Any) -> TextVectorizer:
    """Return a vectorizer that is not fitted, with the settings of a file."""
    vectorizer = estimator_from(settings)
    if not isinstance(vectorizer, TextVectorizer):
        raise FileError(f"{type(vectorizer).__name__} makes no terms of texts")
    return vectorizer
