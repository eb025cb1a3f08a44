"""Stop words, by language."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from tallytext.errors import LanguageError

# ISO 639-1 codes and the names of the languages in Snowball.
_NAMES = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


def language_name(language: str, supported: Iterable[str], purpose: str) -> str:
    """Return the name of a language given by its name or ISO 639-1 code.

    Parameters
    ----------
    language : str
        A name (``"german"``), a code (``"de"``) or a code with a region (``"de-AT"``), in any case.
    supported : iterable of str
        The names to choose from.
    purpose : str
        The use of the language, for the error message.

    Raises
    ------
    LanguageError
        If the language is not supported.

    Examples
    --------
    >>> language_name("pt-BR", ["english", "portuguese"], "stemming")
    'portuguese'
    """
    names = sorted(supported)
    wanted = language.strip().lower()
    name = _NAMES.get(wanted.replace("_", "-").partition("-")[0], wanted)
    if name not in names:
        raise LanguageError(
            f"there is no {purpose} for the language {language!r}. "
            f"Supported: {', '.join(names)}, and their ISO 639-1 codes."
        )
    return name


def stop_words(language: str) -> frozenset[str]:
    """Return the most common function words of a language, in lower case.

    English is scikit-learn's ``ENGLISH_STOP_WORDS``. The other lists hold articles, pronouns,
    prepositions, conjunctions, auxiliary verbs and the most common adverbs with their forms.
    Look at the list before you rely on it: some of its words may matter for your classes.

    Parameters
    ----------
    language : str
        A name such as ``"german"`` or an ISO 639-1 code such as ``"de"``.

    Raises
    ------
    LanguageError
        If there is no list for the language.

    Examples
    --------
    >>> sorted(stop_words("german"))[:4]
    ['aber', 'alle', 'allem', 'allen']
    >>> "the" in stop_words("en")
    True
    """
    return _read_list(language_name(language, stop_word_languages(), "list of stop words"))


@cache
def stop_word_languages() -> tuple[str, ...]:
    """Return the languages that have a list of stop words, sorted.

    Examples
    --------
    >>> stop_word_languages()[:4]
    ('danish', 'dutch', 'english', 'finnish')
    """
    lists = (file.name for file in _list_folder().iterdir() if file.name.endswith(".txt"))
    return tuple(sorted(["english", *(name.removesuffix(".txt") for name in lists)]))


@cache
def _read_list(name: str) -> frozenset[str]:
    if name == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    return frozenset((_list_folder() / f"{name}.txt").read_text(encoding="utf-8").split())


def _list_folder() -> Traversable:
    return files("tallytext.text") / "stop_word_lists"
