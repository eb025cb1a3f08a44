"""Settings in few words: what is not as usual."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from inspect import signature
from typing import Any


def in_few_words(model: Any) -> str:
    """Return the settings of a model that are not its defaults.

    Examples
    --------
    >>> from tallytext import MultinomialNB
    >>> from tallytext.smoothing import AbsoluteDiscount, Laplace
    >>> in_few_words(MultinomialNB(Laplace(0.1), complement=True))
    'MultinomialNB(smoothing=Laplace(epsilon=0.1), complement=True)'
    >>> in_few_words(MultinomialNB(AbsoluteDiscount()))
    'MultinomialNB(smoothing=AbsoluteDiscount())'
    """
    kind: Any = type(model)
    usual = _defaults(kind)
    given = model.get_params(deep=False)
    return _named(model, {name: given[name] for name in usual if name != "verbose"}, usual)


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {name: each.default for name, each in signature(kind).parameters.items()}


def _named(value: Any, given: dict[str, Any], usual: dict[str, Any]) -> str:
    unusual = (
        f"{name}={_value(each)}" for name, each in given.items() if not _same(each, usual[name])
    )
    return f"{type(value).__name__}({', '.join(unusual)})"


def _value(value: Any) -> str:
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    settled = [each for each in fields(value) if each.init]
    given = {each.name: getattr(value, each.name) for each in settled}
    return _named(value, given, {each.name: each.default for each in settled})


def _same(value: Any, usual: Any) -> bool:
    return usual is not MISSING and type(value) is type(usual) and bool(value == usual)
