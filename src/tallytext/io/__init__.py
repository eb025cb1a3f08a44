"""Readers of labelled documents, named corpora, and the safetensors container of model files.

A container file holds a JSON header and arrays. The header field ``kind`` names the type of the
object and ``format`` its version, so that a newer file is recognised. Loading a file runs no code.
"""

from typing import TYPE_CHECKING

from tallytext._lazy import lazy_exports

if TYPE_CHECKING:
    from tallytext.io.batches import Batch, Skipped
    from tallytext.io.cleaning import page_text, stripped, without_headers
    from tallytext.io.corpora import load
    from tallytext.io.corpus import Corpus
    from tallytext.io.docstrings import load_docstrings
    from tallytext.io.documents import DocumentReader, load_documents, read_documents
    from tallytext.io.published import CORPORA
    from tallytext.io.safetensors import (
        is_arrays_file,
        load_arrays,
        pack_arrays,
        save_arrays,
        save_text,
        unpack_arrays,
    )

__all__ = [
    "CORPORA",
    "Batch",
    "Corpus",
    "DocumentReader",
    "Skipped",
    "is_arrays_file",
    "load",
    "load_arrays",
    "load_docstrings",
    "load_documents",
    "pack_arrays",
    "page_text",
    "read_documents",
    "save_arrays",
    "save_text",
    "stripped",
    "unpack_arrays",
    "without_headers",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "batches": ["Batch", "Skipped"],
        "cleaning": ["page_text", "stripped", "without_headers"],
        "corpora": ["load"],
        "corpus": ["Corpus"],
        "docstrings": ["load_docstrings"],
        "documents": ["DocumentReader", "load_documents", "read_documents"],
        "published": ["CORPORA"],
        "safetensors": [
            "is_arrays_file",
            "load_arrays",
            "pack_arrays",
            "save_arrays",
            "save_text",
            "unpack_arrays",
        ],
    },
)
