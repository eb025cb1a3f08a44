"""Texts with labels: read from files in bounded memory, or there to try things on."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallytext.datasets.batch import Batch, Skipped
    from tallytext.datasets.corpus import Corpus
    from tallytext.datasets.docstrings import load_docstrings
    from tallytext.datasets.named import CORPORA, load
    from tallytext.datasets.pages import page_text
    from tallytext.datasets.posts import stripped, without_headers
    from tallytext.datasets.reading import DocumentReader, load_documents, read_documents

__all__ = [
    "CORPORA",
    "Batch",
    "Corpus",
    "DocumentReader",
    "Skipped",
    "load",
    "load_docstrings",
    "load_documents",
    "page_text",
    "read_documents",
    "stripped",
    "without_headers",
]

# Imported when first asked for, as in the package itself.
_HOMES = {
    "CORPORA": "tallytext.datasets.named",
    "Batch": "tallytext.datasets.batch",
    "Corpus": "tallytext.datasets.corpus",
    "DocumentReader": "tallytext.datasets.reading",
    "Skipped": "tallytext.datasets.batch",
    "load": "tallytext.datasets.named",
    "load_docstrings": "tallytext.datasets.docstrings",
    "load_documents": "tallytext.datasets.reading",
    "page_text": "tallytext.datasets.pages",
    "read_documents": "tallytext.datasets.reading",
    "stripped": "tallytext.datasets.posts",
    "without_headers": "tallytext.datasets.posts",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'tallytext.datasets' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
