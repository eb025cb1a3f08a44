"""Smoothings as plain values, and back: by a list of kinds, never by the name of code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.models.smoothing.base import Smoothing
from tallytext.models.smoothing.closed_form import Background, Dirichlet, Laplace, Unsmoothed
from tallytext.models.smoothing.discounting import AbsoluteDiscount
from tallytext.models.smoothing.semantic import Semantic, Translation, check_translation

_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (AbsoluteDiscount, Background, Dirichlet, Laplace, Semantic, Unsmoothed)
}
_IN_ARRAYS = "translation"  # of Semantic: too large for a header


def smoothing_to_dict(smoothing: Smoothing) -> dict[str, Any]:
    """Return a smoothing as plain values, for a file.

    The rows of a translation are no such values: see :func:`smoothing_to_arrays`.

    Raises
    ------
    FileError
        If it is not one of :mod:`tallytext.smoothing`.

    Examples
    --------
    >>> smoothing_to_dict(Laplace(0.1))
    {'kind': 'Laplace', 'parameters': {'epsilon': 0.1}}
    """
    kind = type(smoothing)
    if _KINDS.get(kind.__name__) is not kind:
        raise FileError(
            f"a file cannot hold {smoothing!r:.80}: it holds values and no code, so that only the "
            f"smoothings of tallytext ({', '.join(_KINDS)}) can be kept in it."
        )
    names = [field.name for field in fields(_KINDS[kind.__name__])]
    parameters = {name: _plain(getattr(smoothing, name)) for name in names if name != _IN_ARRAYS}
    return {"kind": kind.__name__, "parameters": parameters}


def smoothing_from_dict(stored: Any) -> Smoothing:
    """Read what :func:`smoothing_to_dict` wrote.

    Raises
    ------
    FileError
        If there is no such smoothing, or a parameter is not one of its own.

    Examples
    --------
    >>> smoothing_from_dict({"kind": "Laplace", "parameters": {"epsilon": 0.1}})
    Laplace(epsilon=0.1)
    """
    if not isinstance(stored, Mapping) or stored.keys() != {"kind", "parameters"}:
        raise FileError(f"this is no smoothing: {stored!r:.80}")
    kind, parameters = stored["kind"], stored["parameters"]
    if not isinstance(kind, str) or kind not in _KINDS:
        raise FileError(f"there is no smoothing {kind!r:.80} here: is the file of a newer release?")
    known = {field.name: field.type for field in fields(_KINDS[kind]) if field.name != _IN_ARRAYS}
    if not isinstance(parameters, Mapping) or parameters.keys() - known.keys():
        raise FileError(f"these are not the parameters of {kind}: {parameters!r:.80}")
    for name, value in parameters.items():
        if (known[name] == "bool") != isinstance(value, bool):
            raise FileError(f"{kind} cannot have {name}={value!r:.80}")
    try:
        smoothing: Smoothing = _KINDS[kind](**parameters)
    except (TypeError, ValueError) as problem:
        raise FileError(f"{kind}: {problem}") from None
    return smoothing


def smoothing_to_arrays(smoothing: Smoothing | None) -> dict[str, NDArray[Any]]:
    """Return what a smoothing knows besides plain values: the rows of its translation."""
    if not isinstance(smoothing, Semantic) or smoothing.translation is None:
        return {}
    check_translation(smoothing.translation)
    return Translation.like(smoothing.translation).to_arrays()


def smoothing_with_arrays(smoothing: Smoothing, arrays: Mapping[str, NDArray[Any]]) -> Smoothing:
    """Return a smoothing of plain values with what :func:`smoothing_to_arrays` returned.

    Raises
    ------
    FileError
        If these are not the arrays of such a smoothing.

    Examples
    --------
    >>> smoothing_with_arrays(Laplace(0.1), smoothing_to_arrays(Laplace(0.1)))
    Laplace(epsilon=0.1)
    """
    if not isinstance(smoothing, Semantic) or not arrays:
        return smoothing
    return replace(smoothing, translation=Translation.from_arrays(arrays))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
