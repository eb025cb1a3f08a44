"""What a model knows besides its tally and its parameters, as plain values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tallytext.errors import FileError
from tallytext.models.em import expected_from_dict, expected_to_dict
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.naive_bayes import NO_TERMS, NaiveBayes
from tallytext.models.reading import FRACTION, Ordering
from tallytext.models.smoothing.semantic import Semantic
from tallytext.models.smoothing.serialization import (
    smoothing_from_dict,
    smoothing_to_arrays,
    smoothing_to_dict,
    smoothing_with_arrays,
)
from tallytext.tally.labels import LabelIndex
from tallytext.tally.tally import Tally

Model = TypeVar("Model", bound=NaiveBayes)

_EXPECTED = "expected."
_NAMES = {"unit", "weighted", "open", "named", "several", "announced", "chosen"}


def state_of(model: NaiveBayes) -> dict[str, Any]:
    """Return what a fitted model knows besides its tally and its parameters, for a file.

    Examples
    --------
    >>> model = MultinomialNB().fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
    >>> state = state_of(model)
    >>> again = model_from(MultinomialNB(), model.tally_, state)
    >>> again.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """
    check_is_fitted(model)
    chosen = model.chosen_ if isinstance(model, MultinomialNB) else None
    # What was chosen for other parameters is of no use any more.
    holds = chosen is not None and chosen[0] is model.smoothing
    expected = {} if model.expected_ is None else {"expected": expected_to_dict(model.expected_)}
    return expected | {
        "unit": model.unit_,
        "weighted": model.weighted_,
        "open": model.open_,
        "named": hasattr(model, "feature_names_in_"),
        "several": model.multi_label_,
        "announced": model.ordering_.announced,
        "chosen": smoothing_to_dict(chosen[1]) if chosen is not None and holds else None,
    }


def arrays_of(model: NaiveBayes) -> dict[str, NDArray[Any]]:
    """Return what a model knows besides its tally and plain values, for a file.

    The rows of a translation, and what documents without labels are expected to add.

    Examples
    --------
    >>> arrays_of(MultinomialNB())
    {}
    """
    found = smoothing_to_arrays(model.smoothing) if isinstance(model, MultinomialNB) else {}
    if model.expected_ is None:
        return found
    counts, _ = model.expected_.tally.to_arrays()
    return found | {_EXPECTED + name: array for name, array in counts.items()}


def model_from(
    model: Model,
    tally: Tally,
    state: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]] | None = None,
) -> Model:
    """Return a model with its parameters that is fitted as another one was, to the last bit.

    Parameters
    ----------
    model : NaiveBayes
        With the parameters of the other one. It is this model that is returned.
    tally : Tally
        The counts of the other one; the model reads this very tally.
    state : mapping
        What :func:`state_of` returned.
    arrays : mapping, default=None
        What :func:`arrays_of` returned.

    Raises
    ------
    FileError
        If this is no state of such a model, the model has parameters that cannot be, or the tally
        lacks a plane that they ask for.
    """
    _check_state(state)
    try:
        if isinstance(model, MultinomialNB) and model.smoothing is not None:
            model.smoothing = smoothing_with_arrays(model.smoothing, _others(arrays or {}))
            _check_rows(model.smoothing)
        return _with_expected(_fitted(model, tally, state), state, arrays or {})
    except (AttributeError, TypeError, ValueError) as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{type(model).__name__} cannot be what was saved: {reason}.") from None


def _fitted(model: Model, tally: Tally, state: Mapping[str, Any]) -> Model:
    model.multi_label_ = state["several"]
    model._check_parameters()
    model._start(tally, state["unit"], state["weighted"], open_=state["open"])
    model.ordering_ = Ordering(LabelIndex(state["announced"]).names)
    # A closed model has a column for each term of its vocabulary.
    model.n_features_in_ = len(tally.vocabulary)
    if state["named"]:
        model.feature_names_in_ = tally.vocabulary.terms()
    if state["chosen"] is not None:
        _choose(model, smoothing_from_dict(state["chosen"]))
    # Priors that cannot be are refused now, and not when a document comes.
    reading = model._reader().read(NO_TERMS)
    if reading.n_classes:
        model._log_priors(reading)
    return model


def _with_expected(model: Model, state: Mapping[str, Any], arrays: Mapping[str, Any]) -> Model:
    if "expected" in state:
        counts = {
            name.removeprefix(_EXPECTED): array
            for name, array in arrays.items()
            if name.startswith(_EXPECTED)
        }
        columns = model._expected_columns()
        model.expected_ = expected_from_dict(state["expected"], counts, model.tally_, columns)
    return model


def _check_rows(smoothing: Any) -> None:
    if isinstance(smoothing, Semantic) and smoothing.translation is None:
        raise FileError("the rows of its translation are missing")


def _others(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name: array for name, array in arrays.items() if not name.startswith(_EXPECTED)}


def _choose(model: NaiveBayes, chosen: Any) -> None:
    own = model.smoothing if isinstance(model, MultinomialNB) else None
    if own is None or type(own) is not type(chosen):
        raise FileError(f"{type(model).__name__} could not have chosen {chosen!r:.80}")
    assert isinstance(model, MultinomialNB)
    if isinstance(own, Semantic) and isinstance(chosen, Semantic):
        chosen = replace(chosen, translation=own.translation)
    model.chosen_ = (own, chosen)


def _check_state(state: Any) -> None:
    if not isinstance(state, Mapping) or state.keys() - {"expected"} != _NAMES:
        raise FileError(f"this is not the state of a model: {state!r:.80}")
    flags = [state[name] for name in ("weighted", "open", "named", "several")]
    if not all(isinstance(flag, bool) for flag in flags) or state["unit"] not in (1.0, FRACTION):
        raise FileError("this is not the state of a model: a flag or its unit cannot be")
    if not isinstance(state["announced"], list):
        raise FileError("this is not the state of a model: its announced classes are no list")
