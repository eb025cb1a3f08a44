"""Documents of ``tally train``: rows with a label, rows without one, and held-out documents."""

from __future__ import annotations

import heapq
import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import count
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, TypeAlias

import typer

from tallytext.cli.io import InputDocuments, check_not_empty
from tallytext.errors import InputError

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.text.duplicates import Duplicates

#: Values of --unlabelled that are not names of files.
UNLABELLED_WORDS = ("use", "none", "error")

_SPOOL_BYTES = 32 << 20
_BATCH_DOCUMENTS = 4096
_HASH_BYTES = 8
_N_HASHES = 1 << 8 * _HASH_BYTES
_AUTOMATIC = ("auto", "best")

_Pair: TypeAlias = tuple[list[str], list[Any]]


def parse_unlabelled(given: list[str] | None) -> tuple[str | None, list[str]]:
    """Return the word among the values of ``--unlabelled``, if any, and the files.

    Examples
    --------
    >>> parse_unlabelled(["none", "more.csv"]), parse_unlabelled(["./use"]), parse_unlabelled(None)
    (('none', ['more.csv']), (None, ['./use']), (None, []))
    """
    words = sorted({each for each in given or [] if each in UNLABELLED_WORDS})
    if len(words) > 1:
        raise typer.BadParameter(
            f"--unlabelled {words[0]} and --unlabelled {words[1]} exclude each other. Leave out "
            "one of the two. To read a file of that name, write ./use."
        )
    files = [each for each in given or [] if each not in UNLABELLED_WORDS]
    return (words[0] if words else None), files


def parse_test_size(value: float | None) -> float | int | None:
    """Return ``--test-size`` as a share, a whole number of documents, or None.

    Examples
    --------
    >>> parse_test_size(0.2), parse_test_size(500.0), parse_test_size(None)
    (0.2, 500, None)
    """
    if value is None or 0 < value < 1:
        return value
    if value >= 1 and float(value).is_integer():
        return int(value)
    raise typer.BadParameter(
        "--test-size is a share of the documents between 0 and 1, such as 0.2, or a whole number "
        f"of documents, not {value:g}."
    )


def learns_from_unlabelled(classifier: TextClassifier) -> bool:
    """Return True if training can use documents without labels, by its settings."""
    from tallytext.classifier.registry import CHOICES
    from tallytext.classifier.training import candidates_for, semantic_smoothing

    if classifier.multi_label or classifier.keep == "counts" or classifier.model == "additive":
        return False
    if classifier.model in CHOICES:
        return True
    (first, *_) = candidates_for(classifier)
    return first.learner.unlabelled or semantic_smoothing(first.model) is not None


class _Spool:
    """Batches on disk, or in memory while they are small, to be read once they are written."""

    def __init__(self) -> None:
        self.n_documents = 0
        # Not a context, since it is written and read in different calls.
        self._file = SpooledTemporaryFile(  # noqa: SIM115
            _SPOOL_BYTES, mode="w+", encoding="ascii"
        )

    def add(self, texts: list[str], labels: list[Any]) -> None:
        """Append documents."""
        if texts:
            self.n_documents += len(texts)
            self._file.write(json.dumps([texts, labels]) + "\n")

    def pairs(self) -> Iterator[tuple[list[str], list[Any]]]:
        """Yield the texts and labels of the batches."""
        self._file.seek(0)
        for line in self._file:
            texts, labels = json.loads(line)
            yield texts, labels

    def __del__(self) -> None:
        self._file.close()


class HalfLabelled:
    """The labelled rows of an input; rows without a label are stored until they are wanted.

    Parameters
    ----------
    documents : InputDocuments
        Read with ``on_unlabelled="keep"``.
    sources : list of str
        Names of files and folders, for messages.
    label : str or None
        The column of the labels.
    word : str or None
        The value of ``--unlabelled``: "use", "none", "error"; None for the default.
    uses : bool
        True if the model can use documents without labels.

    Attributes
    ----------
    n_unlabelled : int
        Number of rows without a label so far.
    needs_label : bool
        True if it is an error that no row has a label.
    """

    def __init__(
        self,
        documents: InputDocuments,
        sources: list[str],
        label: str | None,
        word: str | None,
        uses: bool,
    ) -> None:
        self.n_unlabelled, self.needs_label = 0, True
        self._documents, self._sources, self._label = documents, sources, label
        self._word, self._uses = word, uses
        self._has_lists = False
        self._pool = _Spool()
        self._rows = array("q")

    def pairs(self) -> Iterator[tuple[Any, list[Any]]]:
        """Yield the texts and labels of the rows with a label; raise InputError if none has one."""
        n_labelled = 0
        for source, batch in self._documents.by_source():
            labels = batch.labels or []
            rows = [row for row, label in enumerate(labels) if label is not None]
            if len(rows) < len(labels):
                self._set_aside(source, batch, [r for r, each in enumerate(labels) if each is None])
                batch = batch.take(rows)
            if rows:
                n_labelled += len(rows)
                if len(self._sources) == 1 and isinstance(batch.places[0], int):
                    self._rows.extend(batch.places)
                self._has_lists = self._has_lists or any(
                    isinstance(each, list) and len(each) != 1 for each in batch.labels or []
                )
                yield batch.texts, batch.labels or []
        documents = self._documents
        check_not_empty(documents.n_documents, documents.n_skipped, self._sources)
        if not n_labelled and self.needs_label:
            raise InputError(
                f"none of the {documents.n_documents:,} documents in {', '.join(self._sources)} "
                f"has a label: {self._label!r} is empty in all rows. Is --label the right column? "
                "To label some of them, run tally label."
            )

    def texts(self) -> Iterator[list[str]]:
        """Yield the texts of the rows without a label, if they are to be used."""
        if self.are_used:
            for texts, _ in self._pool.pairs():
                yield texts

    def number_rows(self, duplicates: Duplicates) -> Duplicates:
        """Return duplicates whose examples count the rows of the input, not its labelled rows."""
        if not self._rows:
            return duplicates
        examples = tuple(
            each._replace(first=self._rows[each.first] - 1, other=self._rows[each.other] - 1)
            for each in duplicates.examples
        )
        return replace(duplicates, examples=examples)

    @property
    def are_used(self) -> bool:
        """True if the rows without a label are passed to the training."""
        # Without the word "use", documents of several labels leave them out; with it, they are an
        # error.
        return self._uses and (self._word == "use" or not self._has_lists)

    def describe(self, classifier: TextClassifier) -> str:
        """Return a sentence about the rows without a label, or ''."""
        n = self.n_unlabelled
        if not n:
            return ""
        rows = f"{n:,} row without a label was" if n == 1 else f"{n:,} rows without a label were"
        if self.are_used and not classifier.learner_.unlabelled and classifier.model in _AUTOMATIC:
            return f"{rows} not used"  # the report has the reason
        if self.are_used:
            return f"{rows} used as unlabelled documents (to leave them out, add --unlabelled none)"
        if self._word == "none":
            return f"{rows} left out (--unlabelled none)"
        if self._has_lists or classifier.multi_label:
            return (
                f"{rows} left out: unlabelled documents can be used only if all other documents "
                "have one label each"
            )
        return f"{rows} left out: this model learns from labelled documents only"

    def _set_aside(self, source: str, batch: Any, rows: list[int]) -> None:
        self.n_unlabelled += len(rows)
        if self._word == "error":
            raise InputError(
                f"row {batch.places[rows[0]]} of {source} has no label (--unlabelled error). Leave "
                "such rows out with --unlabelled none, or learn from their texts with --unlabelled "
                "use."
            )
        if self._uses:
            self._pool.add(batch.take(rows).strings, [])


class HeldOut:
    """Documents that are held out of training, to measure the model on them.

    The hash of a text decides, so that the same documents are held out whatever their order, and
    equal texts are on the same side.

    Parameters
    ----------
    size : float or int
        A share of the documents below 1, or the largest number of documents, which are then held
        in memory until all documents are read.
    """

    def __init__(self, size: float | int) -> None:
        self._size = size
        self._spool = _Spool()

    @property
    def n_documents(self) -> int:
        """Number of documents held out, once all are read."""
        return self._spool.n_documents

    def split(self, pairs: Iterable[tuple[Any, list[Any]]]) -> Iterator[tuple[Any, list[Any]]]:
        """Yield the texts and labels to train on; store the others."""
        split = self._split_share if self._size < 1 else self._split_number
        for batch in split(pairs):
            if batch[0]:
                yield batch

    def pairs(self) -> Iterator[tuple[list[str], list[Any]]]:
        """Yield the texts and labels that are held out."""
        return self._spool.pairs()

    def _split_share(self, pairs: Iterable[tuple[Any, list[Any]]]) -> Iterator[_Pair]:
        bound = int(self._size * _N_HASHES)
        for texts, labels in pairs:
            documents = list(zip(_strings(texts), labels, strict=True))
            held = [text_hash(text) < bound for text, _ in documents]
            self._spool.add(*_unzip(each for each, out in zip(documents, held, strict=True) if out))
            yield _unzip(each for each, out in zip(documents, held, strict=True) if not out)

    def _split_number(self, pairs: Iterable[tuple[Any, list[Any]]]) -> Iterator[_Pair]:
        """Hold out the documents with the smallest hashes."""
        held: list[tuple[int, int, str, Any]] = []  # a heap, the largest hash first
        bound, numbers = _N_HASHES, count()
        for texts, labels in pairs:
            left: list[tuple[str, Any]] = []
            for text, label in zip(_strings(texts), labels, strict=True):
                if (hashed := text_hash(text)) >= bound:
                    left.append((text, label))
                    continue
                heapq.heappush(held, (-hashed, next(numbers), text, label))
                if len(held) > self._size:
                    bound = -held[0][0]
                # Equal texts leave together.
                while held and -held[0][0] >= bound:
                    left.append(heapq.heappop(held)[2:])
            yield _unzip(left)
        for at in range(0, len(held), _BATCH_DOCUMENTS):
            self._spool.add(*_unzip(each[2:] for each in held[at : at + _BATCH_DOCUMENTS]))


def text_hash(text: str) -> int:
    """Return a number of 64 bits that depends on the text only.

    Examples
    --------
    >>> text_hash("see you at noon") == text_hash("see you at noon") < 1 << 64
    True
    """
    content = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=_HASH_BYTES, person=b"held out").digest())


def _strings(texts: Any) -> list[str]:
    return texts if isinstance(texts, list) else texts.to_pylist()


def _unzip(documents: Iterable[tuple[str, Any]]) -> _Pair:
    listed = list(documents)
    return [text for text, _ in listed], [label for _, label in listed]
