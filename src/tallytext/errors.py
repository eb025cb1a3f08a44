"""The errors and warnings that tallytext raises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = [
    "AnalysisError",
    "CountError",
    "CountOverflowError",
    "EngineError",
    "ExpressionError",
    "FileError",
    "FileInUseError",
    "FrozenVocabularyError",
    "InputError",
    "LabelError",
    "LanguageError",
    "NegativeCountError",
    "NotAdditiveError",
    "RecipeError",
    "ScoreError",
    "SettingsError",
    "StaleWarning",
    "TallytextError",
    "UnknownModelError",
    "UnknownNameError",
    "VocabularyError",
]


class TallytextError(ValueError):
    """Base class of the errors that tallytext raises."""


class FrozenVocabularyError(TallytextError):
    """A new term cannot be added, because the vocabulary is frozen."""


class VocabularyError(TallytextError):
    """A vocabulary is inconsistent or empty, or its limits are invalid."""


class NegativeCountError(TallytextError):
    """A document or tally cannot be subtracted, because it was never added."""


class RecipeError(TallytextError):
    """A plane is invalid, missing from a tally, or different in two tallies."""


class CountOverflowError(TallytextError):
    """A sum exceeds the range of a 64-bit integer."""


class LabelError(TallytextError):
    """Labels are missing, invalid, or do not match the documents."""


class InputError(TallytextError):
    """The input cannot be read as documents."""


class LanguageError(TallytextError):
    """A language has no stemmer or no list of stop words."""


class AnalysisError(TallytextError):
    """A setting of the text analysis is invalid, or its callable returned an invalid value."""


class FileError(TallytextError):
    """A file is missing, damaged, or of another kind."""


class FileInUseError(FileError):
    """Another process is changing a file, or has it open for changes.

    Attributes
    ----------
    holder : str
        The process, as in "process 4711".
    """

    def __init__(self, message: str, holder: str = "another process") -> None:
        super().__init__(message)
        self.holder = holder


class CountError(TallytextError):
    """Counts are negative, fractional, or of the wrong shape."""


class UnknownNameError(TallytextError):
    """A term or class name is unknown."""


class ScoreError(TallytextError):
    """Scores, probabilities or decisions are invalid, or a decision rule cannot be applied."""


class NotAdditiveError(TallytextError):
    """A model that is not a function of sums cannot learn, forget or merge."""


class SettingsError(TallytextError):
    """Settings are invalid, differ between two classifiers, or cannot be stored in a file."""


class ExpressionError(SettingsError):
    """A model expression cannot be read, or has unknown names or invalid values."""


class UnknownModelError(ExpressionError, UnknownNameError):
    """There is no model of this name."""


class EngineError(TallytextError):
    """A cluster was lost, or failed to do a part of its work."""


class StaleWarning(UserWarning):
    """Probabilities, prediction sets and thresholds are older than the last change of the model."""


def quote_value(value: object, width: int = 60) -> str:
    """Return a value in quotes for a message; a long text is shortened inside its quotes.

    Examples
    --------
    >>> print(quote_value("a label that is a whole sentence", 20), quote_value(1999))
    'a label that is a w…' 1999
    """
    if isinstance(value, str) and len(value) > width:
        return repr(f"{value[: width - 1]}…")
    return f"{value!r:.{width}}" if not isinstance(value, str) else repr(value)


def quote_values(values: Sequence[object], n: int = 5, width: int = 40) -> str:
    """Return the first values of a list in quotes.

    Examples
    --------
    >>> quote_values(["sea", "sky", "land"], 2)
    "'sea', 'sky', …"
    """
    return ", ".join(
        [*(quote_value(each, width) for each in values[:n]), *["…"] * (len(values) > n)]
    )


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return a sentence that suggests the most similar known names, or an empty string.

    Examples
    --------
    >>> did_you_mean("pollitics", ["sports", "politics"])
    " Did you mean 'politics'?"
    >>> did_you_mean("zebra", ["sports", "politics"])
    ''
    """
    wanted = str(name)
    # Comparing is slow, and a typo rarely changes the first letter or the length by much.
    similar = (
        text
        for text in map(str, known)
        if text[:1] == wanted[:1] and abs(len(text) - len(wanted)) <= 2
    )
    nearest = get_close_matches(wanted, similar, n=3)
    return f" Did you mean {' or '.join(map(repr, nearest))}?" if nearest else ""
