"""Translation files of commands, and the texts they are learned from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.errors import InputError

if TYPE_CHECKING:
    from tallytext.cli.documents import Documents
    from tallytext.semantic import TranslationModel

Translation = Annotated[
    Path,
    typer.Argument(metavar="TRANSLATION", help="A file that tally translate learn wrote."),
]


def load(path: Path) -> TranslationModel:
    """Read a translation file."""
    from tallytext.semantic import TranslationModel

    return TranslationModel.load(path)


def texts_of(documents: Documents) -> list[str]:
    """Return all texts, which are looked at more than once."""
    texts: list[str] = []
    for batch in documents:
        texts += ["" if text is None else text for text in batch.strings]
    if not texts:
        raise InputError("there are no documents: nothing can be learned or looked up.")
    return texts


def summary(model: TranslationModel) -> dict[str, Any]:
    """Return what a model holds, in numbers."""
    from tallytext.semantic.signatures import KIND_NAMES

    others = len(model.get_feature_names_out()) - len(model.words_)
    counts = [int((model.kinds_ == kind).sum()) for kind in range(len(KIND_NAMES))]
    return {
        "words": len(model.words_),
        "phrases_and_concepts": others,
        "rows": dict(zip(KIND_NAMES, counts, strict=True)),
        "probabilities": int(model.rows_.nnz),
        "beta": model.beta,
        "counts": model.counts,
    }


def as_text(of: dict[str, Any]) -> str:
    """Return a summary as a paragraph.

    Examples
    --------
    >>> rows = {"word": 700, "phrase": 1, "concept": 0}
    >>> print(as_text({"words": 1000, "rows": rows, "probabilities": 9000, "beta": 0.5}))
    1,000 words; rows of 700 words and 1 phrase, 9,000 probabilities in all
    """
    named = [f"{n:,} {kind}{'s' * (n != 1)}" for kind, n in of["rows"].items() if n]
    rows = " and ".join(named) or "nothing"
    return f"{of['words']:,} words; rows of {rows}, {of['probabilities']:,} probabilities in all"
