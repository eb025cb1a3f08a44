"""Counts of words that are kept in a file, so that texts are read once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext import TextVectorizer


class Counts(NamedTuple):
    """Occurrences of words in documents, and the words."""

    matrix: sparse.csr_array
    words: NDArray[np.str_]


def counted(texts: Sequence[str], vectorizer: TextVectorizer, folder: Path | None) -> Counts:
    """Count the words of texts, or read what was counted before with the same settings."""
    if folder is None:
        return _count(texts, vectorizer)
    path = folder / f"{_key(texts, vectorizer)}.npz"
    if not path.is_file():
        _write(_count(texts, vectorizer), path)
    return _read(path)


def _count(texts: Sequence[str], vectorizer: TextVectorizer) -> Counts:
    matrix = sparse.csr_array(vectorizer.fit_transform(texts))
    return Counts(matrix, np.asarray(vectorizer.get_feature_names_out(), dtype=str))


def _key(texts: Sequence[str], vectorizer: TextVectorizer) -> str:
    digest = hashlib.blake2b(repr(sorted(vectorizer.get_params().items())).encode(), digest_size=12)
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


def _write(counts: Counts, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    matrix, part = counts.matrix, path.with_suffix(".part.npz")
    np.savez(
        part,
        data=matrix.data,
        indices=matrix.indices,
        indptr=matrix.indptr,
        shape=matrix.shape,
        words=counts.words,
    )
    part.replace(path)


def _read(path: Path) -> Counts:
    with np.load(path, allow_pickle=False) as stored:
        cells = stored["data"], stored["indices"], stored["indptr"]
        return Counts(sparse.csr_array(cells, shape=tuple(stored["shape"])), stored["words"])
