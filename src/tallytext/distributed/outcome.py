"""What became of a piece of work, as it is sent back by who did it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from tallytext.datasets import Batch, DocumentReader, Skipped
from tallytext.storage import pack_arrays, unpack_arrays

_KIND, _CONTENT = "tallytext.outcome", "content"


@dataclass(frozen=True)
class Outcome:
    """What was made of the documents of a piece of work.

    Attributes
    ----------
    content : bytes
        What was made.
    n_documents, n_bytes : int
        How many documents there were, and how much of the file they took.
    skipped : Skipped
        What could not be read.

    Examples
    --------
    >>> Outcome.unpack(Outcome(b"answers", 7, 512, Skipped()).pack()).n_documents
    7
    """

    content: bytes
    n_documents: int
    n_bytes: int
    skipped: Skipped

    def pack(self) -> bytes:
        """Return this as bytes that hold no code."""
        counts = {"n_documents": self.n_documents, "n_bytes": self.n_bytes}
        header = {"kind": _KIND, **counts, "skipped": asdict(self.skipped)}
        return pack_arrays({_CONTENT: np.frombuffer(self.content, np.uint8)}, header)

    @classmethod
    def unpack(cls, sent: bytes) -> Outcome:
        """Read what :meth:`pack` returned."""
        arrays, header = unpack_arrays(sent, _KIND)
        content, skipped = arrays[_CONTENT].tobytes(), Skipped(**header["skipped"])
        return cls(content, header["n_documents"], header["n_bytes"], skipped)


class Seen:
    """The batches of a reader, counted as they go by."""

    def __init__(self, reader: DocumentReader) -> None:
        self._reader = reader
        self.n_documents = self.n_bytes = 0

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._reader:
            self.n_documents += len(batch)
            self.n_bytes += batch.n_bytes
            yield batch

    def outcome(self, content: bytes) -> Outcome:
        """Return what was made of all of them."""
        return Outcome(content, self.n_documents, self.n_bytes, self._reader.skipped)
