"""What is to be counted, and how: sent once to all who count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.metadata import version
from numbers import Integral
from typing import Any, Literal, TypeAlias

from sklearn.base import clone

from tallytext.classifier.counting import SAMPLE
from tallytext.datasets.columns import Columns
from tallytext.datasets.reading import expect_on_error
from tallytext.errors import EngineError, InputError, RecipeError, VocabularyError
from tallytext.planes import Plane, in_order
from tallytext.settings import estimator_from, settings_of
from tallytext.storage import pack_arrays, unpack_arrays
from tallytext.vectorizer import TextVectorizer

OnError: TypeAlias = Literal["fail", "skip"]

KIND = "tallytext.job"


@dataclass(frozen=True)
class Job:
    """How documents are counted.

    Attributes
    ----------
    columns : Columns
        Where texts and labels are; the weights of documents, if there are any, are the further one.
    vectorizer : TextVectorizer
        Not fitted.
    planes : tuple of Plane
    on_error : {"fail", "skip"}
    n_drawn : int
        How many documents to keep, to judge models on.
    max_terms : int or None
        How many terms a tally may have; None for any number.
    n_shards : int
        Into how many pieces tallies are cut.
    """

    columns: Columns
    vectorizer: TextVectorizer
    planes: tuple[Plane, ...] = ()
    on_error: OnError = "fail"
    n_drawn: int = SAMPLE
    max_terms: int | None = None
    n_shards: int = 1

    @classmethod
    def of(
        cls,
        *,
        text: str,
        labels: str | None,
        weights: str | None = None,
        label_separator: str | None = None,
        vectorizer: TextVectorizer | None = None,
        planes: Iterable[Plane] = (),
        on_error: OnError = "fail",
        sample: int = SAMPLE,
        max_terms: int | None = None,
    ) -> Job:
        """Check what a user asks for.

        Raises
        ------
        VocabularyError
            If the vectorizer has limits that need all documents at once.
        """
        also = () if weights is None else (weights,)
        job = cls(
            Columns(text, labels, also, label_separator or None),
            TextVectorizer() if vectorizer is None else clone(vectorizer),
            in_order(planes),
            on_error,
            sample,
            max_terms,
        )
        job._check()
        most = None if max_terms is None else int(max_terms)  # NumPy's numbers cannot be sent
        return replace(job, n_drawn=int(sample), max_terms=most)

    def in_shards(self, n_shards: int) -> Job:
        """Return the same job, for tallies that are cut into so many pieces."""
        expect_count("shards", n_shards, 1)
        return replace(self, n_shards=int(n_shards))

    @property
    def most_in_shard(self) -> int | None:
        """How many terms a piece may have; None for any number."""
        return None if self.max_terms is None else -(-self.max_terms // self.n_shards)

    def pack(self) -> bytes:
        """Return the job as bytes that hold no code.

        Raises
        ------
        FileError
            If the vectorizer has a Python function, which cannot be sent.
        """
        columns = self.columns
        header = {
            "kind": KIND,
            "version": version("tallytext"),
            "columns": [columns.text, columns.label, list(columns.also), columns.separator],
            "vectorizer": settings_of(self.vectorizer),
            "planes": [plane.to_dict() for plane in self.planes],
            "on_error": self.on_error,
            "n_drawn": self.n_drawn,
            "max_terms": self.max_terms,
            "n_shards": self.n_shards,
        }
        return pack_arrays({}, header)

    @classmethod
    def unpack(cls, packed: bytes) -> Job:
        """Read what :meth:`pack` returned.

        Raises
        ------
        EngineError
            If another version of tallytext has packed it: it may count otherwise.
        """
        _, header = unpack_arrays(packed, KIND)
        here, there = version("tallytext"), header.get("version")
        if here != there:
            raise EngineError(
                f"this worker has tallytext {here}, and the work comes from {there}: install the "
                "same version on all machines."
            )
        text, label, also, separator = header["columns"]
        vectorizer: Any = estimator_from(header["vectorizer"])
        return cls(
            Columns(text, label, tuple(also), separator),
            vectorizer,
            tuple(Plane.from_dict(plane) for plane in header["planes"]),
            header["on_error"],
            header["n_drawn"],
            header["max_terms"],
            header["n_shards"],
        )

    def _check(self) -> None:
        if self.vectorizer.is_limited:
            raise VocabularyError(
                "min_df, max_df and max_features need all documents at once: count without them "
                "and mask the tally, or bound the vocabulary with max_terms."
            )
        expect_on_error(self.on_error)
        if self.max_terms is not None and not _is_count(self.max_terms, 1):
            raise VocabularyError(
                f"max_terms must be a whole number, 1 or more, not {self.max_terms!r}."
            )
        if not _is_count(self.n_drawn, 0):
            raise InputError(f"sample must be a number of documents, not {self.n_drawn!r}.")
        if self.columns.also and not any(plane.weighted for plane in self.planes):
            raise RecipeError("weights have no effect here: keep a Plane(weighted=True).")


def expect_count(name: str, value: object, least: int) -> None:
    """Refuse what is no whole number, or too small.

    Raises
    ------
    InputError

    Examples
    --------
    >>> expect_count("fan_in", 2.5, 2)
    Traceback (most recent call last):
    tallytext.errors.InputError: fan_in must be a whole number, 2 or more, not 2.5.
    """
    if not _is_count(value, least):
        raise InputError(f"{name} must be a whole number, {least} or more, not {value!r}.")


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least
