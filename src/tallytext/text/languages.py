"""Names of languages: what users write, as Snowball spells it."""

from __future__ import annotations

from collections.abc import Iterable

from tallytext.errors import LanguageError

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
        What the language is for, to be named when there is no such language.

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
