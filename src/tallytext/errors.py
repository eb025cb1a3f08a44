"""What can go wrong, in words a user understands."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "AnalysisError",
    "CountError",
    "CountOverflowError",
    "EngineError",
    "FileError",
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
    "UnknownNameError",
    "VocabularyError",
]


class TallytextError(ValueError):
    """Base of every error that tallytext raises on purpose."""


class FrozenVocabularyError(TallytextError):
    """A term was to be added to a vocabulary that takes no more."""


class VocabularyError(TallytextError):
    """A vocabulary that contradicts itself, or has nothing left in it."""


class NegativeCountError(TallytextError):
    """Something was to be taken out of a tally that was never put in."""


class RecipeError(TallytextError):
    """Planes of different recipes, or a plane that was not kept, were asked for."""


class CountOverflowError(TallytextError):
    """A sum left the range of its 64-bit integer."""


class LabelError(TallytextError):
    """Labels that do not fit the documents, or that cannot be labels."""


class InputError(TallytextError):
    """Documents of a kind that cannot be read as text."""


class LanguageError(TallytextError):
    """A language for which there is no stemmer or no list of stop words."""


class AnalysisError(TallytextError):
    """Settings or callables that cannot turn terms into terms."""


class FileError(TallytextError):
    """A file is missing, damaged, or not what it was taken for."""


class CountError(TallytextError):
    """Counts that cannot be counts: negative, fractional, or of the wrong shape."""


class UnknownNameError(TallytextError):
    """A term or class was asked for that a tally does not hold."""


class ScoreError(TallytextError):
    """Scores, probabilities or decisions that cannot be used, or a rule that cannot be applied."""


class NotAdditiveError(TallytextError):
    """A model that is no function of sums was to learn, forget or merge."""


class SettingsError(TallytextError):
    """Settings of two classifiers that cannot be merged, or that cannot be kept in a file."""


class EngineError(TallytextError):
    """A cluster was lost, or could not do a part of its work."""


class StaleWarning(UserWarning):
    """Probabilities, sets and thresholds were found before the model last learned or forgot."""


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return a sentence that offers the nearest of the known names, or nothing.

    Examples
    --------
    >>> did_you_mean("pollitics", ["sports", "politics"])
    " Did you mean 'politics'?"
    >>> did_you_mean("zebra", ["sports", "politics"])
    ''
    """
    wanted = str(name)
    # Comparing is slow; a slip of the pen rarely changes the first letter or the length by much.
    similar = (
        text
        for text in map(str, known)
        if text[:1] == wanted[:1] and abs(len(text) - len(wanted)) <= 2
    )
    nearest = get_close_matches(wanted, similar, n=3)
    return f" Did you mean {' or '.join(map(repr, nearest))}?" if nearest else ""
