"""Calibrations and decision rules as plain values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from tallytext import decision
from tallytext.errors import FileError
from tallytext.settings.values import from_plain, to_plain

_KINDS: dict[str, Any] = {
    name: getattr(decision, name)
    for name in decision.__all__
    if isinstance(getattr(decision, name), type)
}


def calibrator_to_dict(calibrator: Any) -> dict[str, Any]:
    """Return a calibration or a decision rule as plain values, for a file.

    Examples
    --------
    >>> from tallytext.decision import Temperature
    >>> calibrator_to_dict(Temperature(2.0, 0.5))
    {'kind': 'Temperature', 'parameters': {'mapping': [['a', 2.0], ['p', 0.5]]}}
    """
    kind = type(calibrator).__name__
    if _KINDS.get(kind) is not type(calibrator):
        raise FileError(f"{calibrator!r:.80} cannot be saved: only {', '.join(_KINDS)} can.")
    return {"kind": kind, "parameters": to_plain(_parameters(calibrator))}


def calibrator_from_dict(stored: Any) -> Any:
    """Read what :func:`calibrator_to_dict` wrote.

    Raises
    ------
    FileError
        If there is no such calibration, or its parameters cannot be.

    Examples
    --------
    >>> from tallytext.decision import RCut
    >>> calibrator_from_dict(calibrator_to_dict(RCut(2)))
    RCut(t=2)
    """
    if not isinstance(stored, Mapping) or stored.keys() != {"kind", "parameters"}:
        raise FileError(f"this is no calibration: {stored!r:.80}.")
    kind = stored["kind"]
    if not isinstance(kind, str) or kind not in _KINDS:
        raise FileError(
            f"there is no calibration {kind!r:.80} here: is the file of a newer release?"
        )
    try:
        values = from_plain(stored["parameters"])
        if not isinstance(values, Mapping):
            raise ValueError(f"they are no mapping, but {values!r:.80}")
        made = _KINDS[kind]
        return made.from_dict(values) if hasattr(made, "from_dict") else made(**values)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{kind} cannot have these parameters: {reason}.") from None


def _parameters(calibrator: Any) -> dict[str, Any]:
    if hasattr(calibrator, "to_dict"):
        values: dict[str, Any] = calibrator.to_dict()
        return values
    found = {field.name: getattr(calibrator, field.name) for field in fields(calibrator)}
    return {name: _listed(value) for name, value in found.items()}


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value
