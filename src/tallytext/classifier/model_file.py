"""A classifier as one file: safetensors with a JSON header, and no code in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from tallytext.classifier.calibration import Calibration
from tallytext.classifier.model_selection import Trial
from tallytext.classifier.registry import Learner, find_learner, learner_of
from tallytext.classifier.report import Changes, Pool, sentences_from
from tallytext.classifier.term_selection import (
    Selector,
    parts_of_selection,
    selection_from,
    selector_for,
)
from tallytext.errors import FileError
from tallytext.features.selected_tally import SelectedTally
from tallytext.features.selector import TermSelector
from tallytext.io.safetensors import load_arrays, pack_arrays, save_arrays, unpack_arrays
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.models.parameters import estimator_from, settings_of
from tallytext.models.serialization import arrays_of, model_from, state_of
from tallytext.models.smoothing.semantic import Semantic
from tallytext.models.trained import TrainedClassifier
from tallytext.tally.labels import array_of_labels, sort_labels
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import Duplicates
from tallytext.text.vectorizer import TextVectorizer

if TYPE_CHECKING:
    from tallytext.classifier.classifier import ClassifierBase


# ------------------------------------------------------------------------------------------------
# The model of a classifier in a file: functions of counts, and models trained on documents.

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
        _check_parameters(model)
    return model


def sharing_rows(given: Any, model: Model) -> Any:
    """Return the model that a classifier was given, with the translation of the one it fitted.

    A file holds the rows of a translation once.
    """
    own = getattr(model, "smoothing", None)
    if isinstance(own, Semantic) and isinstance(getattr(given, "smoothing", None), Semantic):
        given.smoothing = replace(given.smoothing, translation=own.translation)
    return given


def _check_parameters(model: TrainedClassifier) -> None:
    """Refuse settings that no training could have had: nobody would look at them again."""
    try:
        model._check_parameters()
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


# ------------------------------------------------------------------------------------------------
# The parameters of a classifier in a file.


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
    multi_label, budget = stored["multi_label"], stored["budget"]
    if multi_label is not None and type(multi_label) is not bool:
        raise FileError(f"multi_label cannot be {multi_label!r:.40}")
    if budget is not None and type(budget) not in (int, float):
        raise FileError(f"a budget cannot be {budget!r:.40}")
    return {
        "model": model if isinstance(model, str) else model_with(model),
        "vectorizer": None if vectorizer is None else vectorizer_from(vectorizer),
        "select": _selection(stored.get("select")),
        "multi_label": multi_label,
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


KIND = "tallytext.model"
FORMAT = 2
_LIBRARIES = ("tallytext", "numpy", "scipy", "scikit-learn")
# An answer has a number for each column, whether the file has counts for it or not.
_MOST_COLUMNS = 2**20
_MOST_DOCUMENTS = 2**63
# What values that cannot be lead to where they are used; a file is to blame for all of it.
_REFUSALS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def save(classifier: ClassifierBase, path: str | Path) -> None:
    """Write a fitted classifier to a file, whole or not at all."""
    save_arrays(path, *_contents(classifier))


def pack(classifier: ClassifierBase) -> bytes:
    """Return the bytes of the file of a fitted classifier."""
    return pack_arrays(*_contents(classifier))


def _contents(classifier: ClassifierBase) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the header of a file."""
    if (classifier.n_columns_ or 0) > _MOST_COLUMNS:
        raise FileError(f"labels of {classifier.n_columns_:,} columns cannot be kept in a file.")
    arrays, counts = classifier._all_counts().to_arrays()
    of_model, model = parts_of(classifier.model_)
    of_selection, selection = parts_of_selection(classifier.selector_)
    repeated, calibration = classifier.duplicates_, classifier.calibration_
    header = {
        "kind": KIND,
        "format": FORMAT,
        "versions": {name: version(name) for name in _LIBRARIES},
        "parameters": parameters_of(classifier),
        "learner": classifier.learner_.name,
        **model,
        "vectorizer": settings_of(classifier.vectorizer_),
        "selection": selection,
        "columns": classifier.n_columns_,
        "tally": counts,
        "calibration": None if calibration is None else calibration.to_dict(),
        "summary": {
            "trials": [asdict(trial) for trial in classifier.trials_],
            "changes": asdict(classifier.changes_),
            "duplicates": None if repeated is None else repeated.to_dict(),
            "pool": classifier.pool_.to_dict(),
            "origin": classifier.origin_,
        },
    }
    return arrays | of_model | of_selection, header


def load(classifier: ClassifierBase, path: str | Path) -> dict[str, Any]:
    """Read a file into a classifier that is not fitted; return the header of the file.

    Raises
    ------
    FileError
        If the file is missing, damaged, of a newer format, or no model.
    """
    return _read(classifier, *load_arrays(path, KIND, newest=FORMAT), repr(str(path)))


def unpack(classifier: ClassifierBase, packed: bytes) -> dict[str, Any]:
    """Do what :func:`load` does with the bytes of a file.

    Raises
    ------
    FileError
        If they are cut short, damaged, of a newer format, or no model.
    """
    return _read(classifier, *unpack_arrays(packed, KIND, newest=FORMAT), "what was sent")


def _read(
    classifier: ClassifierBase,
    arrays: dict[str, NDArray[Any]],
    header: dict[str, Any],
    source: str,
) -> dict[str, Any]:
    try:
        tally = Tally.from_arrays(arrays, header["tally"])
        # Files of format 1 know of no selection.
        selector = selection_from(header.get("selection"), arrays, tally)
        model = model_with(header["model"])
        counts = Counts.of(tally, selector, isinstance(model, NaiveBayes))
        _fill(classifier, counts, model_of(model, header["state"], arrays, counts.read), header)
    except KeyError as missing:
        raise FileError(f"cannot read {source}: it lacks {missing}.") from None
    except _REFUSALS as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"cannot read {source}: {reason}.") from None
    return header


class Counts(NamedTuple):
    """What a classifier has counted, and what its model reads of it."""

    all: Tally
    read: Tally
    selector: Selector | None
    selected: SelectedTally | None

    @classmethod
    def of(cls, tally: Tally, selector: Selector | None, additive: bool) -> Counts:
        """Return counts of which a selector, if there is one, has chosen some before.

        A model that is no function of them is given documents of chosen terms.
        """
        if selector is None or not additive:
            return cls(tally, tally, selector, None)
        if not isinstance(selector, TermSelector):
            raise FileError("its terms were chosen for a model that is trained on documents")
        selected = SelectedTally.chosen(tally, selector)
        return cls(selected.all, selected.tally, selected.selector, selected)


def _fill(
    classifier: ClassifierBase, counts: Counts, model: Model, header: Mapping[str, Any]
) -> None:
    given = parameters_from(header["parameters"])
    classifier.set_params(**given | {"model": sharing_rows(given["model"], model)})
    tally = counts.all
    classifier.vectorizer_ = vectorizer_from(header["vectorizer"])
    classifier.vectorizer_.vocabulary_ = tally.vocabulary
    summary = header["summary"]
    classifier.trials_ = [_trial(each) for each in _list(summary["trials"])]
    classifier.changes_ = Changes(**_counts(summary["changes"]))
    repeated = summary["duplicates"]
    classifier.duplicates_ = None if repeated is None else Duplicates.from_dict(repeated)
    # Files of earlier releases know of no documents without labels, and not of tallies.
    classifier.pool_ = Pool.from_dict(summary.get("pool", Pool().to_dict()))
    classifier.origin_ = sentences_from(summary.get("origin", []))
    classifier._calibration = _calibration(header["calibration"], model)
    classifier.learner_ = learner_named(header["learner"], model)
    classifier.tally_, classifier._selected = counts.read, counts.selected
    classifier.selector_ = counts.selector
    classifier.n_columns_ = _columns(header["columns"], tally)
    classifier.multi_label_ = model.multi_label_
    classifier.model_ = model
    _check_versions(header["versions"])


def _calibration(stored: Any, model: Model) -> Calibration | None:
    if stored is None:
        return None
    made = Calibration.from_dict(stored)
    if (made.common is not None) != model.multi_label_:
        raise FileError("its probabilities are for another number of labels per document")
    return made


def _trial(stored: Any) -> Trial:
    trial = Trial(**stored)
    scored = trial.score is None or (type(trial.score) is float and 0 <= trial.score <= 1)
    texts = isinstance(trial.learner, str) and isinstance(trial.setting, str)
    if not (scored and texts and _is_count(trial.n_documents)):
        raise FileError(f"{stored!r:.80} is no trial")
    return trial


def _counts(stored: Any) -> dict[str, int]:
    if not all(_is_count(count) for count in stored.values()):
        raise FileError(f"{stored!r:.80} are no numbers of documents")
    return dict(stored)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST_DOCUMENTS


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise FileError(f"{value!r:.80} is no list")
    return value


def _columns(stored: Any, tally: Tally) -> int | None:
    if stored is None:
        return None
    possible = type(stored) is int and stored <= _MOST_COLUMNS
    if not possible or not all(type(c) is int and 0 <= c < stored for c in tally.classes):
        raise FileError(f"labels cannot be the numbers of {stored!r:.40} columns")
    return stored


def _check_versions(stored: Any) -> None:
    if not all(isinstance(version, str) for version in stored.values()):
        raise FileError(f"{stored!r:.80} are no versions of libraries")
