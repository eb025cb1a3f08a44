"""A classifier as one file: safetensors with a JSON header, and no code in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tallytext.bayes.model import NaiveBayes
from tallytext.bayes.stored import model_from, state_of
from tallytext.classifier.base import ClassifierBase
from tallytext.classifier.calibration import Calibration
from tallytext.classifier.choosing import Trial
from tallytext.classifier.report import Changes
from tallytext.duplicates import Duplicates
from tallytext.errors import FileError, TallytextError
from tallytext.learners import Learner, find_learner
from tallytext.settings import estimator_from, settings_of
from tallytext.storage import load_arrays, save_arrays
from tallytext.tally import Tally

KIND = "tallytext.model"
FORMAT = 1
_LIBRARIES = ("tallytext", "numpy", "scipy", "scikit-learn")


def save(classifier: ClassifierBase, path: str | Path) -> None:
    """Write a fitted classifier to a file, whole or not at all."""
    if not classifier.learner_.additive:
        raise FileError(f"a {classifier.learner_.name} cannot be saved: it is no sum of counts.")
    arrays, counts = classifier.tally_.to_arrays()
    repeated, calibration = classifier.duplicates_, classifier.calibration_
    header = {
        "kind": KIND,
        "format": FORMAT,
        "versions": {name: version(name) for name in _LIBRARIES},
        "parameters": _parameters(classifier),
        "learner": classifier.learner_.name,
        "model": settings_of(classifier.model_),
        "state": state_of(classifier.model_),
        "vectorizer": settings_of(classifier.vectorizer_),
        "columns": classifier.n_columns_,
        "tally": counts,
        "calibration": None if calibration is None else calibration.to_dict(),
        "summary": {
            "trials": [asdict(trial) for trial in classifier.trials_],
            "changes": asdict(classifier.changes_),
            "duplicates": None if repeated is None else repeated.to_dict(),
        },
    }
    save_arrays(path, arrays, header)


def load(classifier: ClassifierBase, path: str | Path) -> dict[str, Any]:
    """Read a file into a classifier that is not fitted; return the header of the file.

    Raises
    ------
    FileError
        If the file is missing, damaged, of a newer format, or no model.
    """
    arrays, header = load_arrays(path, KIND, newest=FORMAT)
    try:
        _fill(classifier, Tally.from_arrays(arrays, header["tally"]), header)
    except KeyError as missing:
        raise FileError(f"cannot read {str(path)!r}: it lacks {missing}.") from None
    except (TallytextError, TypeError, ValueError, AttributeError, RecursionError) as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"cannot read {str(path)!r}: {reason}.") from None
    return header


def _fill(classifier: ClassifierBase, tally: Tally, header: Mapping[str, Any]) -> None:
    classifier.set_params(**_given(header["parameters"]))
    model = model_from(_naive_bayes(header["model"]), tally, header["state"])
    vectorizer = estimator_from(header["vectorizer"])
    vectorizer.vocabulary_ = tally.vocabulary
    summary = header["summary"]
    classifier.trials_ = [_trial(each) for each in summary["trials"]]
    classifier.changes_ = Changes(**_counts(summary["changes"]))
    repeated = summary["duplicates"]
    classifier.duplicates_ = None if repeated is None else Duplicates.from_dict(repeated)
    stored = header["calibration"]
    classifier._calibration = None if stored is None else Calibration.from_dict(stored)
    classifier.learner_ = _learner(header["learner"], model)
    classifier.vectorizer_, classifier.tally_ = vectorizer, tally
    classifier.n_columns_ = _columns(header["columns"], tally)
    classifier.multi_label_ = model.multi_label_
    classifier.model_ = model


def _parameters(classifier: ClassifierBase) -> dict[str, Any]:
    """Return the parameters that say what a classifier is, as JSON can hold them."""
    given = classifier.get_params(deep=False)
    model, vectorizer = given["model"], given["vectorizer"]
    return {
        "model": model if isinstance(model, str) else settings_of(model),
        "vectorizer": None if vectorizer is None else settings_of(vectorizer),
        "multi_label": given["multi_label"],
        "budget": given["budget"],
    }


def _given(stored: Mapping[str, Any]) -> dict[str, Any]:
    model, vectorizer = stored["model"], stored["vectorizer"]
    given = {
        "model": model if isinstance(model, str) else estimator_from(model),
        "vectorizer": None if vectorizer is None else estimator_from(vectorizer),
        "multi_label": stored["multi_label"],
        "budget": stored["budget"],
    }
    if given["multi_label"] not in (None, True, False):
        raise FileError(f"multi_label cannot be {given['multi_label']!r:.40}")
    if given["budget"] is not None and not isinstance(given["budget"], int | float):
        raise FileError(f"a budget cannot be {given['budget']!r:.40}")
    return given


def _naive_bayes(settings: Any) -> NaiveBayes:
    model = estimator_from(settings)
    if not isinstance(model, NaiveBayes):
        raise FileError(f"{type(model).__name__} is no model")
    return model


def _learner(name: Any, model: NaiveBayes) -> Learner:
    if not isinstance(name, str):
        raise FileError(f"{name!r:.40} is no name of a learner")
    if name == type(model).__name__:
        return Learner(name, "given by its settings", type(model))
    return find_learner(name)


def _trial(stored: Any) -> Trial:
    trial = Trial(**stored)
    whole = type(trial.n_documents) is int and isinstance(trial.score, float | None)
    if not (whole and isinstance(trial.learner, str) and isinstance(trial.setting, str)):
        raise FileError(f"{stored!r:.80} is no trial")
    return trial


def _counts(stored: Any) -> dict[str, int]:
    if not all(type(count) is int and count >= 0 for count in stored.values()):
        raise FileError(f"{stored!r:.80} are no numbers of documents")
    return dict(stored)


def _columns(stored: Any, tally: Tally) -> int | None:
    if stored is None:
        return None
    numbers = all(type(label) is int and 0 <= label < stored for label in tally.classes)
    if type(stored) is not int or not numbers:
        raise FileError(f"labels cannot be the numbers of {stored!r:.40} columns")
    return stored
