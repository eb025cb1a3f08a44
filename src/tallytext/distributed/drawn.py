"""Some of all documents, the same whoever counted which of them, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallytext.classifier.sample import scattered
from tallytext.datasets.parquet import plain_texts
from tallytext.errors import FileError
from tallytext.text.sources import fingerprints

_NO_END = 2**64
_CHARACTERS = 8192  # of each of the documents that are wanted, on average at most
_LEAST = 1 << 24  # characters that there is room for, however few documents are wanted
_SHARE = 16  # so many documents have room at least: longer ones are not drawn

_TEXTS, _LENGTHS, _KEYS, _END = "drawn.texts", "drawn.lengths", "drawn.keys", "drawn.end"


@dataclass(frozen=True)
class Drawn:
    """The documents with the lowest keys, of those that differ; fewer where they are long.

    There is room for so many characters. A document that would take a large part of it by itself
    is not drawn.

    A key is a function of the text alone, and as good as random. So what is drawn from the union of
    two sets of documents is drawn from what was drawn from each, and texts that come often have the
    same chance as others.

    Attributes
    ----------
    keys : ndarray of uint64
        Ascending.
    texts : list of str
    labels : list
        For each document its label, or the list of its labels.
    end : int
        The key of the first document that was left out since texts are long: what comes after it
        has no place, wherever it is from.

    Examples
    --------
    >>> one, other = Drawn.of(["to be", "or not"], ["a", "b"], 2), Drawn.of(["to do"], ["a"], 2)
    >>> one.merged(other, 2) == other.merged(one, 2)
    True
    """

    keys: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    texts: list[str] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    end: int = _NO_END

    @classmethod
    def of(cls, texts: Any, labels: list[Any], size: int, below: int | None = None) -> Drawn:
        """Draw from some documents.

        Parameters
        ----------
        texts : list of str or pyarrow.Array
        labels : list
        size : int
            How many to draw at most.
        below : int, default=None
            A key, if it is known that none above it will be drawn in the end.
        """
        keys = scattered(fingerprints(texts, n_jobs=1))
        short = _is_shorter(texts, _room(size) // _SHARE)
        cutoff = np.unique(keys[short])[:size].max(initial=0)
        if below is not None:
            cutoff = min(cutoff, np.uint64(below))
        rows = np.flatnonzero(short & (keys <= cutoff)) if size else np.empty(0, np.intp)
        arrow = isinstance(texts, pa.Array)
        strings = texts.take(pa.array(rows)).to_pylist() if arrow else [texts[r] for r in rows]
        documents = zip(keys[rows].tolist(), strings, (labels[r] for r in rows), strict=True)
        return cls._of({(key, text, repr(label)): label for key, text, label in documents}, size)

    def merged(self, other: Drawn, size: int) -> Drawn:
        """Draw from the documents of both."""
        return self.together([self, other], size)

    @classmethod
    def together(cls, many: Iterable[Drawn], size: int) -> Drawn:
        """Draw from the documents of many."""
        listed = list(many)
        end = min((each.end for each in listed), default=_NO_END)
        return cls._of(
            {key: label for each in listed for key, label in each._documents()}, size, end
        )

    def to_parts(self) -> tuple[dict[str, NDArray[Any]], list[Any]]:
        """Return arrays, and labels as JSON can hold them."""
        spelt = [text.encode("utf-8", "surrogatepass") for text in self.texts]
        arrays: dict[str, NDArray[Any]] = {
            _TEXTS: np.frombuffer(b"".join(spelt), np.uint8),
            _LENGTHS: np.array([len(text) for text in spelt], np.int64),
            _KEYS: self.keys,
            _END: np.array([self.end] if self.end < _NO_END else [], np.uint64),
        }
        return arrays, self.labels

    @classmethod
    def from_parts(cls, arrays: Mapping[str, NDArray[Any]], labels: list[Any]) -> Drawn:
        """Read what :meth:`to_parts` returned.

        Raises
        ------
        FileError
            If the parts do not fit each other.
        """
        lengths = arrays[_LENGTHS]
        sizes = {len(lengths), len(arrays[_KEYS]), len(labels)}
        if len(sizes) > 1 or (lengths < 0).any() or lengths.sum() != len(arrays[_TEXTS]):
            raise FileError("cannot read what was sent: its sample contradicts itself.")
        letters, ends = arrays[_TEXTS].tobytes(), np.cumsum(lengths).tolist()
        texts = [
            letters[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip([0, *ends[:-1]], ends, strict=False)
        ]
        end = arrays[_END].tolist()
        return cls(np.array(arrays[_KEYS]), texts, labels, end[0] if end else _NO_END)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Drawn):
            return NotImplemented
        return (self.texts, self.labels, self.end) == (other.texts, other.labels, other.end)

    __hash__ = None  # type: ignore[assignment]

    @property
    def last(self) -> int | None:
        """The highest key."""
        return int(self.keys[-1]) if len(self.keys) else None

    def _documents(self) -> Iterator[tuple[tuple[int, str, str], Any]]:
        rows = zip(self.keys.tolist(), self.texts, self.labels, strict=True)
        return (((key, text, repr(label)), label) for key, text, label in rows)

    @classmethod
    def _of(
        cls, documents: dict[tuple[int, str, str], Any], size: int, end: int = _NO_END
    ) -> Drawn:
        first = sorted(each for each in documents if each[0] < end)[:size]
        lengths = np.cumsum([len(text) for _, text, _ in first])
        n_short = int(np.searchsorted(lengths, _room(size), side="right"))
        if n_short < len(first):
            end = first[n_short][0]
            first = [each for each in first[:n_short] if each[0] < end]
        elif len(first) == size:
            end = _NO_END  # there are enough before
        keys = np.array([key for key, _, _ in first], np.uint64)
        texts, labels = [text for _, text, _ in first], [documents[each] for each in first]
        return cls(keys, texts, labels, end)


def _room(size: int) -> int:
    """Return how many characters so many documents may have."""
    return max(size * _CHARACTERS, _LEAST)


def _is_shorter(texts: Any, length: int) -> NDArray[np.bool_]:
    """Return which texts have no more characters than this."""
    if not isinstance(texts, pa.Array):
        return np.array([len(text) <= length for text in texts], dtype=bool)
    shorter = pc.binary_length(plain_texts(texts)).to_numpy(zero_copy_only=False) <= length
    for row in np.flatnonzero(~shorter).tolist():  # of few bytes more, characters may be fewer
        shorter[row] = len(texts[row].as_py()) <= length
    return np.asarray(shorter, dtype=bool)
