"""A classifier as one file: safetensors with a JSON header, and no code in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from tallytext.bayes.model import NaiveBayes
from tallytext.classifier.base import ClassifierBase
from tallytext.classifier.calibration import Calibration
from tallytext.classifier.choosing import Trial
from tallytext.classifier.origin import sentences_from
from tallytext.classifier.pool import Pool
from tallytext.classifier.report import Changes
from tallytext.classifier.selecting import (
    Selector,
    parts_of_selection,
    selection_from,
)
from tallytext.classifier.stored_model import (
    Model,
    learner_named,
    model_of,
    model_with,
    parts_of,
    sharing_rows,
)
from tallytext.classifier.stored_parameters import (
    parameters_from,
    parameters_of,
    vectorizer_from,
)
from tallytext.duplicates import Duplicates
from tallytext.errors import FileError
from tallytext.selection import SelectedTally, TermSelector
from tallytext.settings import settings_of
from tallytext.storage import load_arrays, pack_arrays, save_arrays, unpack_arrays
from tallytext.tally import Tally

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
    _expect_versions(header["versions"])


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


def _expect_versions(stored: Any) -> None:
    if not all(isinstance(version, str) for version in stored.values()):
        raise FileError(f"{stored!r:.80} are no versions of libraries")
