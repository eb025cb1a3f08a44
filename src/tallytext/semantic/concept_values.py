"""Concepts as plain values, and back. What is read is checked, since files may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallytext.errors import FileError, VocabularyError
from tallytext.semantic.concept_list import pairs_of
from tallytext.semantic.counting import strings_in
from tallytext.semantic.plain_settings import checked_settings, plain_settings

_NAMES = {"settings", "phrases", "concepts"}


def concepts_to_values(model: Any) -> dict[str, Any]:
    """Return concepts as lists of strings and one dict of settings."""
    phrases, concepts = pairs_of(model.mapping)
    return {"settings": plain_settings(model), "phrases": phrases, "concepts": concepts}


def concepts_from_values(values: Any, cls: Any) -> Any:
    """Return the concepts that :func:`concepts_to_values` wrote."""
    if not isinstance(values, Mapping) or set(values) != _NAMES:
        raise FileError("these are no concepts: other values are there than should be.")
    settings = checked_settings(values["settings"], cls)
    phrases, concepts = strings_in(values, "phrases"), strings_in(values, "concepts")
    if len(phrases) != len(concepts):
        raise FileError(f"{len(phrases):,} phrases have {len(concepts):,} concepts.")
    try:
        return cls(tuple(zip(phrases, concepts, strict=True)), **settings).fit()
    except VocabularyError as problem:
        raise FileError(f"these are no concepts: {problem}") from None
