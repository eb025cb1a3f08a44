"""Readers of labelled documents, named corpora, and the safetensors container of model files.

A container file holds a JSON header and arrays. The header field ``kind`` names the type of the
object and ``format`` its version, so that a newer file is recognised. Loading a file runs no code.
"""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.io.atomic import save_text
    from tallytext.io.batches import Batch, SkippedRows
    from tallytext.io.cleaning import html_text, strip_headers, strip_post
    from tallytext.io.corpora import CORPORA, Corpus, load_corpus
    from tallytext.io.docstrings import load_docstrings
    from tallytext.io.documents import DocumentReader, load_documents, read_documents
    from tallytext.io.locks import lock_file
    from tallytext.io.safetensors import (
        is_array_file,
        load_arrays,
        pack_arrays,
        save_arrays,
        unpack_arrays,
    )

__all__ = [
    "CORPORA",
    "Batch",
    "Corpus",
    "DocumentReader",
    "SkippedRows",
    "html_text",
    "is_array_file",
    "load_arrays",
    "load_corpus",
    "load_docstrings",
    "load_documents",
    "lock_file",
    "pack_arrays",
    "read_documents",
    "save_arrays",
    "save_text",
    "strip_headers",
    "strip_post",
    "unpack_arrays",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "atomic": ["save_text"],
        "batches": ["Batch", "SkippedRows"],
        "cleaning": ["html_text", "strip_headers", "strip_post"],
        "corpora": ["CORPORA", "Corpus", "load_corpus"],
        "docstrings": ["load_docstrings"],
        "documents": ["DocumentReader", "load_documents", "read_documents"],
        "locks": ["lock_file"],
        "safetensors": [
            "is_array_file",
            "load_arrays",
            "pack_arrays",
            "save_arrays",
            "unpack_arrays",
        ],
    },
)
