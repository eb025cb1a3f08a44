"""Model files: a classifier as safetensors with a JSON header, without code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext.classifier.calibration import Calibration
from tallytext.classifier.class_names import check_descriptions
from tallytext.classifier.model_selection import (
    CandidateScore,
    Selector,
    is_l1_selector,
    selector_for,
)
from tallytext.classifier.registry import Learner, find_learner, learner_for_model
from tallytext.classifier.report import Changes, UnlabelledSummary, describe_model
from tallytext.decision.score_histograms import N_INTERVALS, ScoreHistograms
from tallytext.decision.thresholds import check_threshold_rule
from tallytext.errors import FileError
from tallytext.features.selected_tally import SelectedTally
from tallytext.features.selector import TermSelector
from tallytext.io.safetensors import (
    load_arrays,
    load_header,
    pack_arrays,
    save_arrays,
    unpack_arrays,
)
from tallytext.models.base import TrainedClassifier
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.models.packed_rows import (
    MAX_UNPACKED_BYTES,
    max_unpacked_bytes,
    pack_array,
    unpack_array,
)
from tallytext.models.serialization import (
    estimator_from_dict,
    estimator_to_dict,
    model_arrays,
    model_state,
    restore_model,
)
from tallytext.models.smoothing.semantic import Semantic
from tallytext.semantic.signatures import SignatureVectorizer
from tallytext.semantic.translation import TranslationModel
from tallytext.tally.labels import label_array, plain_label, sort_labels
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import Duplicates
from tallytext.text.vectorizer import TextVectorizer

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier

Arrays: TypeAlias = dict[str, NDArray[Any]]
Model: TypeAlias = NaiveBayes | TrainedClassifier

KIND = "tallytext.model"
FORMAT = 5
# Arrays of this size are packed if they become smaller by a quarter.
_MIN_PACKED_BYTES = 1 << 14
_MAX_PACKED_SHARE = 0.75
_LIBRARIES = ("tallytext", "numpy", "scipy", "scikit-learn")
# A prediction has a number for each column, even if the file has no counts for it.
_MAX_COLUMNS = 2**20
_MAX_DOCUMENTS = 2**63
# Arrays of the model are stored beside those of the tally.
_MODEL_PREFIX = "model."
# So are the histograms of scores, and those of the selection of terms.
_SCORES_PREFIX = "scores."
_SELECTION_PREFIX = "selection."
_SELECTION_DTYPES = {"scores": np.float64, "documents": np.int64, "best": np.int64}
# The state of every naive Bayes model in a classifier: it reads whole counts and stays open.
_CLASSIFIER_STATE = {"unit": 1.0, "open": True, "named": False, "announced": []}
# Errors that impossible values cause where they are used; all of them become a FileError.
_INVALID_VALUES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def save(classifier: TextClassifier, path: str | Path) -> None:
    """Write a fitted classifier to a file, as a whole or not at all."""
    save_arrays(path, *_contents(classifier))


def pack(classifier: TextClassifier) -> bytes:
    """Return the bytes of the file of a fitted classifier."""
    return pack_arrays(*_contents(classifier))


def load(classifier: TextClassifier, path: str | Path) -> dict[str, Any]:
    """Read a file into an unfitted classifier; return the header of the file.

    Raises
    ------
    FileError
        If the file is missing, damaged, of a newer format, or not a model.
    """
    return _read(classifier, *load_arrays(path, KIND, newest=FORMAT), repr(str(path)))


def unpack(classifier: TextClassifier, packed: bytes) -> dict[str, Any]:
    """Read the bytes of a file into an unfitted classifier; return the header of the file.

    Raises
    ------
    FileError
        If they are truncated, damaged, of a newer format, or not a model.
    """
    return _read(classifier, *unpack_arrays(packed, KIND, newest=FORMAT), "what was sent")


@cache
def _library_versions() -> dict[str, str]:
    return {name: version(name) for name in _LIBRARIES}


def _contents(classifier: TextClassifier) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and the header of a file."""
    if (classifier.n_columns_ or 0) > _MAX_COLUMNS:
        raise FileError(f"labels of {classifier.n_columns_:,} columns cannot be stored in a file.")
    if not classifier.learner_.additive and not len(classifier.classes_):
        # Weights are trained on documents, so that a file without any could not be read.
        raise FileError(
            f"the model ({classifier.learner_.name!r}) has no labelled documents left, so it is "
            "not saved. Keep at least one of them, or train a new model instead."
        )
    arrays, counts = classifier._all_counts.to_arrays()
    own_arrays, state = _model_contents(classifier.model_)
    selection_arrays, selection = _selection_to_arrays(classifier.selector_)
    classifier._finish_calibration()
    duplicates, calibration = classifier.duplicates_, classifier._checked_calibration()
    header = {
        "kind": KIND,
        "format": FORMAT,
        "versions": dict(_library_versions()),
        "parameters": _parameters_to_dict(classifier),
        "learner": classifier.learner_.name,
        "expression": describe_model(classifier.model_),  # for readers of the file only
        "model": estimator_to_dict(classifier.model_),
        "state": state,
        "vectorizer": estimator_to_dict(_without_signatures(classifier.vectorizer_)),
        "selection": selection,
        "columns": classifier.n_columns_,
        "tally": counts,
        "calibration": None if calibration is None else calibration.to_dict(),
        "summary": {
            "trials": [asdict(score) for score in classifier.trials_],
            "changes": asdict(classifier.changes_),
            "updates": asdict(classifier._updates),
            "duplicates": None if duplicates is None else duplicates.to_dict(),
            "pool": classifier.pool_.to_dict(),
            "origin": classifier.origin_,
            "weighted": classifier.weighted_,
        },
    }
    named = {_MODEL_PREFIX + name: array for name, array in own_arrays.items()}
    histogram_arrays, header["scores"] = _histograms_to_arrays(classifier._histograms)
    stored, header["packed"] = _pack_large(arrays | named | selection_arrays | histogram_arrays)
    return stored, header


def _pack_large(arrays: Arrays) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays with large ones packed, and the type and shape of each of these."""
    stored, packed = dict(arrays), {}
    for name, array in arrays.items():
        if _MIN_PACKED_BYTES <= array.nbytes <= MAX_UNPACKED_BYTES and array.ndim:
            # Types in the byte order of files, whatever that of this machine.
            array = array.astype(array.dtype.newbyteorder("<"), copy=False)
            smaller = pack_array(array)
            if len(smaller) < array.nbytes * _MAX_PACKED_SHARE:
                stored[name] = smaller
                packed[name] = [array.dtype.str, list(array.shape)]
    # A file that unpacks to too much is refused, so the smallest for their content stay unpacked.
    for name in sorted(packed, key=lambda name: stored[name].nbytes / arrays[name].nbytes):
        if sum(arrays[each].nbytes for each in packed) <= _max_unpacked(stored):
            break
        stored[name] = arrays[name]
        del packed[name]
    return stored, packed


def _max_unpacked(stored: Arrays) -> int:
    return max_unpacked_bytes(sum(array.nbytes for array in stored.values()))


def _unpack_large(arrays: Arrays, packed: Any) -> Arrays:
    """Return the arrays that :func:`_pack_large` packed.

    Raises
    ------
    FileError
        If a packed array is damaged.
    """
    unpacked, left = dict(arrays), _max_unpacked(arrays)
    for name, (dtype, shape) in packed.items():
        if np.dtype(dtype).kind not in "iufb":
            raise FileError(f"{name} has numbers of type {dtype!r:.20}")
        unpacked[name] = unpack_array(arrays[name], dtype, tuple(shape), max_bytes=left)
        left -= unpacked[name].nbytes
    return unpacked


def _model_contents(model: Model) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and the state of a fitted model, without its tally."""
    if isinstance(model, NaiveBayes):
        return model_arrays(model), model_state(model)
    arrays, values = model.to_arrays()
    return arrays, {"several": model.multi_label_, "open": model.open_, "values": values}


def _without_signatures(vectorizer: TextVectorizer) -> TextVectorizer:
    """Return the vectorizer of words: the phrases to count are those of the translation."""
    if isinstance(vectorizer, SignatureVectorizer):
        return vectorizer.without_signatures()
    return vectorizer


def _parameters_to_dict(classifier: TextClassifier) -> dict[str, Any]:
    """Return the parameters that determine results, as JSON values."""
    given = classifier.get_params(deep=False)
    model, vectorizer, select = given["model"], given["vectorizer"], given["select"]
    return {
        "model": model if isinstance(model, str) else estimator_to_dict(model),
        "vectorizer": None if vectorizer is None else estimator_to_dict(vectorizer),
        "select": select
        if select is None or isinstance(select, str)
        else estimator_to_dict(select),
        "multi_label": given["multi_label"],
        "thresholds": _thresholds_to_json(given["thresholds"]),
        "keep": given["keep"],
        "class_weight": _class_weight_to_json(given["class_weight"]),
        "descriptions": _descriptions_to_json(given["descriptions"]),
        "budget": given["budget"],
    }


class EarlierModel(NamedTuple):
    """The changes and the expected accuracy in the header of a model file.

    Attributes
    ----------
    updates : Changes
        The numbers of documents learned, forgotten and merged since the training.
    score : float or None
        The expected accuracy, or micro-F1; None if it was not measured.
    """

    updates: Changes
    score: float | None


def read_earlier_model(path: str | Path) -> EarlierModel:
    """Return the changes since the training of a model, and its expected accuracy.

    Only the header of its file is read.

    Raises
    ------
    FileError
        If the file is missing, damaged, of a newer format, or not a model.
    """
    header = load_header(path, KIND, newest=FORMAT)
    try:
        fitted = header["calibration"]
        score = float(fitted["score"]) if fitted and fitted["n_documents"] else None
        return EarlierModel(_updates(header["summary"]), score)
    except _INVALID_VALUES as problem:
        raise FileError(f"cannot read {str(path)!r}: {problem}.") from None


def _updates(summary: Mapping[str, Any]) -> Changes:
    # Files of earlier releases know the changes since the calibration only.
    counts = summary.get("updates", summary["changes"])
    if not all(_is_count(count) for count in counts.values()):
        raise FileError(f"{counts!r:.80} are not numbers of documents")
    return Changes(**counts)


def _read(
    classifier: TextClassifier, arrays: Arrays, header: dict[str, Any], source: str
) -> dict[str, Any]:
    try:
        _fill(classifier, arrays, header)
    except KeyError as missing:
        raise FileError(f"cannot read {source}: it lacks {missing}.") from None
    except _INVALID_VALUES as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"cannot read {source}: {reason}.") from None
    return header


def _fill(classifier: TextClassifier, arrays: Arrays, header: dict[str, Any]) -> None:
    """Set the parameters and the fitted attributes of a classifier."""
    # Files of format 3 and earlier have no packed arrays.
    arrays = _unpack_large(arrays, header.get("packed", {}))
    tally = Tally.from_arrays(arrays, header["tally"])
    # Files of format 1 have no selection.
    selector = _selection_from_arrays(header.get("selection"), arrays, tally)
    unfitted, read, selected = _unfitted_model(header["model"]), tally, None
    if selector is not None and isinstance(unfitted, NaiveBayes):
        if not isinstance(selector, TermSelector):
            raise FileError("its terms were selected for a model that is trained on documents")
        selected = SelectedTally.from_fitted(tally, selector)
        tally, read, selector = selected.all, selected.tally, selected.selector
    model = _restore_model(unfitted, header["state"], arrays, read)
    parameters = _parameters_from_dict(header["parameters"])
    # A file stores the rows of a translation once, for the fitted and for the given model.
    own, given = getattr(model, "smoothing", None), parameters["model"]
    if isinstance(own, Semantic) and isinstance(getattr(given, "smoothing", None), Semantic):
        given.smoothing = replace(given.smoothing, translation=own.translation)
    classifier.set_params(**parameters)
    classifier.vectorizer_ = _vectorizer(header["vectorizer"])
    if isinstance(own, Semantic) and isinstance(own.translation, TranslationModel):
        classifier.vectorizer_ = own.translation.new_vectorizer(classifier.vectorizer_)
    classifier.vectorizer_.vocabulary_ = tally.vocabulary
    _fill_summary(classifier, header["summary"])
    classifier._calibration = _calibration(header["calibration"], model)
    # Files of formats 1 and 2 have no scores.
    classifier._histograms = _histograms_from_arrays(header.get("scores"), arrays, model)
    classifier.learner_ = _learner(header["learner"], model)
    classifier.tally_, classifier._selected = read, selected
    classifier.selector_ = selector
    classifier.n_columns_ = _columns(header["columns"], tally)
    classifier.multi_label_ = model.multi_label_
    classifier._set_reading(classifier.vectorizer_, model)
    if not all(isinstance(number, str) for number in header["versions"].values()):
        raise FileError(f"{header['versions']!r:.80} are not versions of libraries")


def _fill_summary(classifier: TextClassifier, summary: Mapping[str, Any]) -> None:
    """Set the attributes that only the report shows."""
    trials, changes, duplicates = summary["trials"], summary["changes"], summary["duplicates"]
    if not isinstance(trials, list):
        raise FileError(f"{trials!r:.80} is not a list")
    if not all(_is_count(count) for count in changes.values()):
        raise FileError(f"{changes!r:.80} are not numbers of documents")
    # Files of earlier releases know neither documents without labels nor the origin of counts.
    origin = summary.get("origin", [])
    if not isinstance(origin, list) or not all(isinstance(each, str) for each in origin):
        raise FileError(f"{origin!r:.80} is not the origin of counts")
    classifier.trials_ = [_candidate_score(each) for each in trials]
    classifier.changes_, classifier._updates = Changes(**changes), _updates(summary)
    classifier.duplicates_ = None if duplicates is None else Duplicates.from_dict(duplicates)
    classifier.pool_ = (
        UnlabelledSummary.from_dict(summary["pool"]) if "pool" in summary else UnlabelledSummary()
    )
    classifier.origin_ = list(origin)
    classifier.weighted_ = summary.get("weighted", False)
    if type(classifier.weighted_) is not bool:
        raise FileError(f"weighted cannot be {classifier.weighted_!r:.40}")


def _unfitted_model(stored: Any) -> Model:
    """Return an unfitted model with the parameters in a file."""
    if isinstance(stored, Mapping) and isinstance(stored.get("parameters"), Mapping):
        # Files of format 3 and earlier have a parameter that models no longer have.
        left = {name: v for name, v in stored["parameters"].items() if name != "warm_start"}
        stored = {**stored, "parameters": left}
    model = estimator_from_dict(stored)
    if not isinstance(model, NaiveBayes | TrainedClassifier):
        raise FileError(f"{type(model).__name__} is not a model")
    if isinstance(model, TrainedClassifier):
        # A model checks its parameters when it is trained, and this one is not trained again.
        try:
            model._check_parameters()
        except (TypeError, ValueError) as problem:
            reason, name = str(problem).removesuffix("."), type(model).__name__
            raise FileError(f"{name} cannot have these settings: {reason}") from None
    return model


def _restore_model(model: Model, state: Any, arrays: Arrays, tally: Tally) -> Model:
    """Return the fitted model, given an unfitted one, its state and its arrays.

    Raises
    ------
    FileError
        If no classifier could have such a model, or its parts do not match.
    """
    # Copies, because the arrays are read-only views of the file.
    own = {
        name.removeprefix(_MODEL_PREFIX): np.array(array)
        for name, array in arrays.items()
        if name.startswith(_MODEL_PREFIX)
    }
    if isinstance(model, TrainedClassifier):
        return _restore_trained(model, state, own, tally)
    restored = restore_model(model, tally, state, own)
    # Compared as text, because 1 == 1.0 == True.
    wrong = [name for name, v in _CLASSIFIER_STATE.items() if repr(state[name]) != repr(v)]
    if wrong or restored.multi_label is not restored.multi_label_:
        raise FileError(f"no classifier has such a model: {', '.join(wrong) or 'multi_label'}")
    return restored


def _restore_trained(
    model: TrainedClassifier, state: Any, arrays: Arrays, tally: Tally
) -> TrainedClassifier:
    if not isinstance(state, Mapping) or state.keys() != {"several", "open", "values"}:
        raise FileError(f"this is not the state of a model: {state!r:.80}")
    flags = state["several"], state["open"]
    if not all(type(flag) is bool for flag in flags) or not isinstance(state["values"], Mapping):
        raise FileError("this is not the state of a model: a flag or its values are invalid")
    if model.multi_label not in (None, state["several"]):
        raise FileError("no classifier has such a model: multi_label")
    model.multi_label_, model.open_ = flags
    declared = state["values"].get("classes", [])
    if not isinstance(declared, list):
        raise FileError(f"these are not classes: {declared!r:.80}")
    names = sort_labels({*tally.classes, *(plain_label(each, "classes") for each in declared)})
    if not names:
        raise FileError("it has no class")
    model.classes_ = label_array(names)
    documents = dict(zip(tally.classes, tally.class_documents.tolist(), strict=True))
    model.class_documents_ = np.array([documents.get(name, 0) for name in names], dtype=np.int64)
    model.n_features_in_ = len(tally.vocabulary)
    return model.read_arrays(arrays, state["values"])


def _parameters_from_dict(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that :func:`_parameters_to_dict` wrote."""
    model, vectorizer, select = stored["model"], stored["vectorizer"], stored.get("select")
    multi_label, budget = stored["multi_label"], stored["budget"]
    keep = stored.get("keep", "documents")
    if keep not in ("documents", "counts"):
        raise FileError(f"keep cannot be {keep!r:.40}")
    if multi_label is not None and type(multi_label) is not bool:
        raise FileError(f"multi_label cannot be {multi_label!r:.40}")
    if budget is not None and type(budget) not in (int, float):
        raise FileError(f"a budget cannot be {budget!r:.40}")
    if isinstance(select, Mapping):
        select = estimator_from_dict(select)
    selector_for(select)  # raises if it does not select terms
    return {
        "model": model if isinstance(model, str) else _unfitted_model(model),
        "vectorizer": None if vectorizer is None else _vectorizer(vectorizer),
        "select": select,
        "thresholds": _thresholds_from_json(stored.get("thresholds", "micro")),
        "class_weight": _class_weight_from_json(stored.get("class_weight")),
        "descriptions": _descriptions_from_json(stored.get("descriptions")),
        "multi_label": multi_label,
        "keep": keep,
        "budget": budget,
    }


def _vectorizer(stored: Any) -> TextVectorizer:
    """Return an unfitted vectorizer with the parameters in a file."""
    vectorizer = estimator_from_dict(stored)
    if not isinstance(vectorizer, TextVectorizer):
        raise FileError(f"{type(vectorizer).__name__} is not a vectorizer of texts")
    return vectorizer


def _learner(name: Any, model: Model) -> Learner:
    """Return the learner of the model, by its name in a file."""
    if not isinstance(name, str):
        raise FileError(f"{name!r:.40} is not the name of a learner")
    if name == type(model).__name__:
        return learner_for_model(model)
    learner = find_learner(name)
    if type(learner.default()) is not type(model):
        raise FileError(f"a {type(model).__name__} is not a model of the learner {name!r:.40}")
    return learner


def _calibration(stored: Any, model: Model) -> Calibration | None:
    if stored is None:
        return None
    calibration = Calibration.from_dict(stored)
    if (calibration.common is not None) != model.multi_label_:
        raise FileError("its probabilities are for another number of labels per document")
    return calibration


def _histograms_to_arrays(histograms: ScoreHistograms | None) -> tuple[Arrays, Any]:
    """Return the arrays and the header entry of histograms of scores."""
    if histograms is None:
        return {}, None
    # Most intervals have no count.
    at = np.flatnonzero(histograms.counts)
    arrays = {
        _SCORES_PREFIX + "cells": at.astype(np.int64),
        _SCORES_PREFIX + "counts": histograms.counts.ravel()[at],
        _SCORES_PREFIX + "unscored": histograms.unscored,
    }
    return arrays, {"classes": list(histograms.classes), "n_documents": histograms.n_documents}


def _histograms_from_arrays(stored: Any, arrays: Arrays, model: Model) -> ScoreHistograms | None:
    if stored is None:
        return None
    if not model.multi_label_ or set(stored) != {"classes", "n_documents"}:
        raise FileError("its scores are for another number of labels per document")
    names = [plain_label(label, f"class {c}") for c, label in enumerate(stored["classes"])]
    cells, counts, unscored = (
        np.array(arrays[_SCORES_PREFIX + name], np.int64)
        for name in ("cells", "counts", "unscored")
    )
    n, n_documents = len(names) * 2 * N_INTERVALS, stored["n_documents"]
    if len(cells) != len(counts) or (len(cells) and not 0 <= cells.min() <= cells.max() < n):
        raise FileError("its scores do not match its classes")
    all_counts: NDArray[np.int64] = np.zeros(n, np.int64)
    all_counts[cells] = counts
    all_counts = all_counts.reshape(len(names), 2, N_INTERVALS)
    # As floats, because the sum of damaged counts could overflow.
    n_scores = all_counts.sum(axis=(1, 2), dtype=np.float64) + unscored
    if not _is_count(n_documents) or n_scores.max(initial=0) > n_documents:
        raise FileError("it has more scores than documents")
    return ScoreHistograms(tuple(names), all_counts, unscored, n_documents)


def _thresholds_to_json(thresholds: Any) -> Any:
    # The keys of JSON objects are strings, and labels may be numbers.
    if isinstance(thresholds, Mapping):
        return [[plain_label(label, "thresholds"), float(v)] for label, v in thresholds.items()]
    return thresholds if isinstance(thresholds, str) else float(thresholds)


def _thresholds_from_json(stored: Any) -> Any:
    if isinstance(stored, list):
        stored = {plain_label(label, "thresholds"): value for label, value in stored}
    check_threshold_rule(stored)
    return stored


def _class_weight_to_json(class_weight: Any) -> Any:
    if not isinstance(class_weight, Mapping):
        return class_weight
    return [[plain_label(label, "class_weight"), float(v)] for label, v in class_weight.items()]


def _class_weight_from_json(stored: Any) -> Any:
    if isinstance(stored, list) and all(type(weight) is float for _, weight in stored):
        return {plain_label(label, "class_weight"): weight for label, weight in stored}
    if stored not in (None, "balanced"):
        raise FileError(f"class_weight cannot be {stored!r:.40}")
    return stored


def _descriptions_to_json(descriptions: Any) -> Any:
    if not isinstance(descriptions, Mapping):
        return descriptions
    return [[plain_label(label, "descriptions"), text] for label, text in descriptions.items()]


def _descriptions_from_json(stored: Any) -> Any:
    if isinstance(stored, list):
        stored = {plain_label(label, "descriptions"): text for label, text in stored}
    check_descriptions(stored)
    return stored


def _candidate_score(stored: Any) -> CandidateScore:
    score = CandidateScore(**stored)
    is_score = score.score is None or (type(score.score) is float and 0 <= score.score <= 1)
    is_text = isinstance(score.learner, str) and isinstance(score.setting, str)
    if not (is_score and is_text and _is_count(score.n_documents)):
        raise FileError(f"{stored!r:.80} is not the score of a model")
    return score


def _is_count(value: Any) -> bool:
    # True is an instance of int, but not a count.
    return type(value) is int and 0 <= value < _MAX_DOCUMENTS


def _columns(stored: Any, tally: Tally) -> int | None:
    if stored is None:
        return None
    is_valid = type(stored) is int and stored <= _MAX_COLUMNS
    if not is_valid or not all(type(c) is int and 0 <= c < stored for c in tally.classes):
        raise FileError(f"labels cannot be the numbers of {stored!r:.40} columns")
    return stored


def _selection_to_arrays(selector: Selector | None) -> tuple[dict[str, NDArray[Any]], Any]:
    """Return the arrays and the header entry of a fitted selector, for a model file."""
    if selector is None:
        return {}, None
    header = {"selector": estimator_to_dict(selector), "open": True}
    if not isinstance(selector, TermSelector):
        return {_SELECTION_PREFIX + "support": selector.get_support()}, header
    arrays = {
        _SELECTION_PREFIX + "scores": selector.scores_,
        _SELECTION_PREFIX + "documents": selector.documents_.astype(np.int64),
        _SELECTION_PREFIX + "best": selector.best_.astype(np.int64),
    }
    return arrays, header | {"open": selector.open_}


def _selection_from_arrays(
    stored: Any, arrays: Mapping[str, NDArray[Any]], tally: Tally
) -> Selector | None:
    """Return the selector that :func:`_selection_to_arrays` wrote.

    Raises
    ------
    FileError
        If the arrays do not describe a selection of terms of the tally.
    """
    if stored is None:
        return None
    if not isinstance(stored, Mapping) or stored.keys() != {"selector", "open"}:
        raise FileError(f"this is not a selection of terms: {stored!r:.80}")
    selector, is_open = estimator_from_dict(stored["selector"]), stored["open"]
    if type(is_open) is not bool:
        raise FileError(f"this is not a selection of terms: {stored!r:.80}")
    n_terms = len(tally.vocabulary)
    if is_l1_selector(selector):
        support = np.array(arrays[_SELECTION_PREFIX + "support"])
        if support.dtype != bool or support.ndim != 1 or len(support) > n_terms:
            raise FileError("the selected terms have the wrong type or number")
        restored: Selector = selector.restore(support)
        return restored
    if not isinstance(selector, TermSelector):
        raise FileError(f"{type(selector).__name__} does not select terms")
    parts = {name: np.array(arrays[_SELECTION_PREFIX + name]) for name in _SELECTION_DTYPES}
    for name, dtype in _SELECTION_DTYPES.items():
        if parts[name].dtype != dtype or parts[name].ndim != 1:
            raise FileError("the selected terms have the wrong type or number")
    _check_selection(**parts, n_terms=n_terms)
    return selector.restore(**parts, vocabulary=tally.vocabulary, open_=is_open)


def _check_selection(
    scores: NDArray[Any], documents: NDArray[Any], best: NDArray[Any], n_terms: int
) -> None:
    is_valid = len(scores) == len(documents) <= n_terms and not np.isnan(scores).any()
    is_valid = is_valid and bool((documents >= 0).all() and len(np.unique(best)) == len(best))
    if not is_valid or (len(best) and not 0 <= best.min() <= best.max() < len(scores)):
        raise FileError("the selected terms do not match the counts")
