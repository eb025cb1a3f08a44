"""The parameters of estimators as plain values, and estimators from them."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from importlib import import_module
from numbers import Integral, Real
from typing import Any

import numpy as np

from tallytext.errors import FileError
from tallytext.settings.values import from_plain, to_plain
from tallytext.vectorizer import TextVectorizer
from tallytext.vocabulary import given_vocabulary

# Where each kind lives; imported when a file has one, since some bring much with them.
_HOMES = {
    "BernoulliNB": "tallytext.bayes",
    "CosineKNN": "tallytext.neighbours",
    "L1Selector": "tallytext.linear",
    "LLSF": "tallytext.linear",
    "MultinomialNB": "tallytext.bayes",
    "PoissonNB": "tallytext.bayes",
    "PooledNB": "tallytext.unlabelled",
    "RefinedNB": "tallytext.linear",
    "RotationForest": "tallytext.rotation",
    "TermSelector": "tallytext.selection",
    "TextVectorizer": "tallytext.vectorizer",
}
_SELECTORS = ("L1Selector", "TermSelector")
# How many threads there are is for the machine to say that reads the file, and what it shows.
_NOT_KEPT = {"n_jobs", "verbose"}


def settings_of(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as plain values, for a file.

    All but ``n_jobs`` and ``verbose``, which are of the machine and not of the model.

    Raises
    ------
    FileError
        If a parameter is a function, or something else that a file cannot hold.

    Examples
    --------
    >>> from tallytext import BernoulliNB
    >>> settings_of(BernoulliNB(0.5))["parameters"]["gamma"]
    0.5
    >>> settings_of(TextVectorizer(term_filter=str.strip))
    Traceback (most recent call last):
    tallytext.errors.FileError: TextVectorizer cannot be saved with this term_filter: <method \
'strip' of 'str' objects> is a Python function, and a file holds no code. Use one of the choices \
that have a name, or for tokens a compiled regular expression.
    """
    kind = type(estimator).__name__
    if not _is_known(estimator):
        raise FileError(f"{estimator!r:.80} cannot be saved: only {', '.join(_HOMES)} can.")
    names = [name for name in estimator._get_param_names() if name not in _NOT_KEPT]
    parameters = {name: _plain(kind, name, getattr(estimator, name)) for name in names}
    return {"kind": kind, "parameters": parameters}


def estimator_from(settings: Any) -> Any:
    """Return an estimator with the parameters that :func:`settings_of` returned.

    A vectorizer is checked here; what a model can be is known with its counts, so it is checked by
    :func:`~tallytext.bayes.stored.model_from`.

    Raises
    ------
    FileError
        If there is no such estimator, or it has no such parameter, or one that cannot be.

    Examples
    --------
    >>> from tallytext import BernoulliNB
    >>> estimator_from(settings_of(BernoulliNB(0.5)))
    BernoulliNB(gamma=0.5)
    """
    if not isinstance(settings, Mapping) or settings.keys() != {"kind", "parameters"}:
        raise FileError(f"these are not the settings of an estimator: {settings!r:.80}.")
    kind, parameters = settings["kind"], settings["parameters"]
    if not isinstance(kind, str) or kind not in _HOMES:
        raise FileError(f"there is no {kind!r:.80} here: is the file of a newer release?")
    known = set(_kind(kind)._get_param_names()) - _NOT_KEPT
    if not isinstance(parameters, Mapping) or parameters.keys() - known:
        raise FileError(f"{kind} has no such parameters as {parameters!r:.200}.")
    try:
        estimator = _kind(kind)(**{name: _value(parameters[name]) for name in parameters})
        if isinstance(estimator, TextVectorizer):
            _expect_vectorizer(estimator)
        if kind in _SELECTORS:
            estimator._expect_parameters()
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{kind} cannot have these settings: {reason}.") from None
    return estimator


def _kind(name: str) -> Any:
    return getattr(import_module(_HOMES[name]), name)


def _is_known(value: Any) -> bool:
    name = type(value).__name__
    return name in _HOMES and type(value) is _kind(name)


def _value(stored: Any) -> Any:
    """Return the value of a parameter, which may be an estimator itself."""
    if isinstance(stored, Mapping) and stored.keys() == {"estimator"}:
        return estimator_from(stored["estimator"])
    return from_plain(stored)


def _plain(kind: str, name: str, value: Any) -> Any:
    if _is_known(value):
        return {"estimator": settings_of(value)}
    try:
        return to_plain(value)
    except FileError as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{kind} cannot be saved with this {name}: {reason}.") from None


def _expect_vectorizer(vectorizer: TextVectorizer) -> None:
    """Refuse parameters that would be refused when they are used."""
    vectorizer.build_analyzer()
    b"text".decode(vectorizer.encoding, "replace")  # not all codecs make text of bytes
    codecs.lookup_error(vectorizer.decode_error)
    np.zeros(1, dtype=vectorizer.dtype) + 1
    if vectorizer.vocabulary is not None:
        given_vocabulary(vectorizer.vocabulary)
    limits = [vectorizer.min_df, vectorizer.max_df, vectorizer.max_features]
    flags = [vectorizer.lowercase, vectorizer.binary]
    if not all(isinstance(flag, bool) for flag in flags):
        raise ValueError("lowercase and binary are True or False")
    if not all(isinstance(limit, Real) for limit in limits[:2]):
        raise ValueError("min_df and max_df are numbers")
    if limits[2] is not None and not isinstance(limits[2], Integral):
        raise ValueError("max_features is a whole number")
