"""Counts of words that are kept in a file, so that texts are read once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext import TextVectorizer, Vocabulary


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
    settings = {name: _spelt(value) for name, value in vectorizer.get_params().items()}
    known = f"{version('tallytext')} {sorted(settings.items())}"
    digest = hashlib.blake2b(known.encode("utf-8", "surrogatepass"), digest_size=12)
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


def _spelt(value: object) -> str:
    """Return all of a value: arrays do not show their middle, nor objects what they hold.

    Examples
    --------
    >>> _spelt(np.array(["sea", "sky"])), _spelt((1, 2))
    ("['sea', 'sky']", '(1, 2)')
    """
    if isinstance(value, re.Pattern):
        return f"{value.pattern!r} {value.flags}"
    if isinstance(value, Vocabulary):
        return repr([*value])
    return repr(value.tolist() if isinstance(value, np.ndarray) else value)


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
