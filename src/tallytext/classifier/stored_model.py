"""The model of a classifier in a file: functions of counts, and models trained on documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.model import NaiveBayes
from tallytext.bayes.stored import arrays_of, model_from, state_of
from tallytext.errors import FileError
from tallytext.labels import array_of_labels, sort_labels
from tallytext.learners import Learner, find_learner, learner_of
from tallytext.settings import estimator_from, settings_of
from tallytext.smoothing import Semantic
from tallytext.tally import Tally
from tallytext.trained import TrainedClassifier

Arrays = dict[str, NDArray[Any]]
Model = NaiveBayes | TrainedClassifier

# Arrays of a model lie beside those of the tally.
_PREFIX = "model."
# A classifier gives its model whole counts of words, and takes new ones at any time.
_STATE = {"unit": 1.0, "weighted": False, "open": True, "named": False, "announced": []}


def parts_of(model: Model) -> tuple[Arrays, dict[str, Any]]:
    """Return what a fitted model is, besides the tally: arrays, and a part of the header.

    Raises
    ------
    FileError
        If it cannot be kept in a file.
    """
    if isinstance(model, NaiveBayes):
        return _named(arrays_of(model)), {"model": settings_of(model), "state": state_of(model)}
    arrays, values = model.to_arrays()
    state = {"several": model.multi_label_, "open": model.open_, "values": values}
    return _named(arrays), {"model": settings_of(model), "state": state}


def model_of(model: Model, state: Any, arrays: Mapping[str, NDArray[Any]], tally: Tally) -> Model:
    """Return a model, so far with its settings only, as the file describes it.

    Raises
    ------
    FileError
        If no classifier could have such a model, or its parts do not fit each other.
    """
    if isinstance(model, TrainedClassifier):
        return _trained(model, state, arrays, tally)
    counted = model_from(model, tally, state, _own(arrays))
    other = [name for name, value in _STATE.items() if repr(state[name]) != repr(value)]
    if other or counted.multi_label is not counted.multi_label_:
        raise FileError(f"no classifier has such a model: {', '.join(other) or 'multi_label'}")
    return counted


def model_with(settings: Any) -> Model:
    """Return a model that is not fitted, with the settings of a file."""
    model = estimator_from(settings)
    if not isinstance(model, NaiveBayes | TrainedClassifier):
        raise FileError(f"{type(model).__name__} is no model")
    if isinstance(model, TrainedClassifier):
        _expect_parameters(model)
    return model


def sharing_rows(given: Any, model: Model) -> Any:
    """Return the model that a classifier was given, with the translation of the one it fitted.

    A file holds the rows of a translation once.
    """
    own = getattr(model, "smoothing", None)
    if isinstance(own, Semantic) and isinstance(getattr(given, "smoothing", None), Semantic):
        given.smoothing = replace(given.smoothing, translation=own.translation)
    return given


def _expect_parameters(model: TrainedClassifier) -> None:
    """Refuse settings that no training could have had: nobody would look at them again."""
    try:
        model._expect_parameters()
    except (TypeError, ValueError) as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{type(model).__name__} cannot have these settings: {reason}") from None


def learner_named(name: Any, model: Model) -> Learner:
    """Return the learner that a file says made its model."""
    if not isinstance(name, str):
        raise FileError(f"{name!r:.40} is no name of a learner")
    if name == type(model).__name__:
        return learner_of(model)
    learner = find_learner(name)
    if type(learner.default()) is not type(model):
        raise FileError(f"a {type(model).__name__} is no {name!r:.40}")
    return learner


def _trained(
    model: TrainedClassifier, state: Any, arrays: Mapping[str, NDArray[Any]], tally: Tally
) -> TrainedClassifier:
    if not isinstance(state, Mapping) or state.keys() != {"several", "open", "values"}:
        raise FileError(f"this is not the state of a model: {state!r:.80}")
    flags = state["several"], state["open"]
    if not all(type(flag) is bool for flag in flags) or not isinstance(state["values"], Mapping):
        raise FileError("this is not the state of a model: a flag or its values cannot be")
    if model.multi_label not in (None, state["several"]):
        raise FileError("no classifier has such a model: multi_label")
    model.multi_label_, model.open_ = flags
    names = sort_labels(tally.classes)
    if not names:
        raise FileError("it has no class")
    model.classes_ = array_of_labels(names)
    documents = dict(zip(tally.classes, tally.class_documents.tolist(), strict=True))
    model.class_documents_ = np.array([documents[name] for name in names], dtype=np.int64)
    model.n_features_in_ = len(tally.vocabulary)
    return model.read_arrays(_own(arrays), state["values"])


def _named(arrays: Arrays) -> Arrays:
    return {_PREFIX + name: array for name, array in arrays.items()}


def _own(arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    return {
        name.removeprefix(_PREFIX): np.array(array)
        for name, array in arrays.items()
        if name.startswith(_PREFIX)
    }
