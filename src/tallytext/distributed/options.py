"""Options of distributed counting, prediction and evaluation, the same for Dask and Spark.

The public functions of both engines build one of these classes from their arguments. It checks
them once, before any worker starts, and is the only thing passed on to the layers below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.metadata import version
from numbers import Integral
from typing import Any, Literal, TypeAlias

from tallytext._estimators import clone
from tallytext._validation import check_whole
from tallytext.classifier.classifier import check_min_confidence
from tallytext.classifier.training import SAMPLE_SIZE
from tallytext.errors import EngineError, InputError, RecipeError, VocabularyError
from tallytext.io.batches import Columns
from tallytext.io.documents import check_on_error
from tallytext.io.safetensors import pack_arrays, unpack_arrays
from tallytext.models.serialization import estimator_from_dict, estimator_to_dict
from tallytext.tally.planes import Plane, sort_planes
from tallytext.text.vectorizer import TextVectorizer

OnError: TypeAlias = Literal["fail", "skip"]

_KIND = "tallytext.job"

# Terms are assigned to shards by a hash. With this many per shard, their sizes are almost equal,
# so that each shard can apply its share of max_terms on its own.
_MIN_TERMS_PER_SHARD = 65_536
_MAX_SHARDS = 32


@dataclass(frozen=True)
class CountingOptions:
    """Options of ``dask_tally`` and ``spark_tally``.

    Attributes
    ----------
    columns : Columns
        Names of the columns of texts and labels; the further column, if any, has the weights.
    vectorizer : TextVectorizer
        Settings that turn texts into terms; not fitted.
    planes : tuple of Plane
        Fractional counts to add up besides the integer counts.
    on_error : {"fail", "skip"}
        Treatment of rows that cannot be read.
    n_sampled : int
        Number of documents to sample, on which models are evaluated.
    max_terms : int or None
        Largest number of terms of a tally; None for no limit.
    shards : int or None
        Number of shards into which tallies are split by terms; None to derive it from the number
        of partitions.
    fan_in : int
        Number of partial tallies that one task merges.
    """

    columns: Columns
    vectorizer: TextVectorizer
    planes: tuple[Plane, ...] = ()
    on_error: OnError = "fail"
    n_sampled: int = SAMPLE_SIZE
    max_terms: int | None = None
    shards: int | None = None
    fan_in: int = 8

    @classmethod
    def from_arguments(
        cls,
        *,
        text: str,
        labels: str | None,
        weights: str | None = None,
        label_separator: str | None = None,
        vectorizer: TextVectorizer | None = None,
        planes: Iterable[Plane] = (),
        on_error: OnError = "fail",
        sample: int = SAMPLE_SIZE,
        max_terms: int | None = None,
        shards: int | None = None,
        fan_in: int = 8,
    ) -> CountingOptions:
        """Build the options from the arguments of a public function, and check them.

        Raises
        ------
        VocabularyError
            If the vectorizer has limits that need all documents at once, or ``max_terms`` is not
            a positive whole number.
        InputError
            If ``on_error``, ``sample``, ``shards`` or ``fan_in`` has a wrong value.
        RecipeError
            If there are weights, but no plane that uses them.
        """
        options = cls(
            Columns(text, labels, () if weights is None else (weights,), label_separator or None),
            TextVectorizer() if vectorizer is None else clone(vectorizer),
            sort_planes(planes),
            on_error,
            sample,
            max_terms,
            shards,
            fan_in,
        )
        options._check()
        # JSON, in which options are sent, has no integers of NumPy.
        return replace(
            options,
            n_sampled=int(sample),
            max_terms=None if max_terms is None else int(max_terms),
            shards=None if shards is None else int(shards),
            fan_in=int(fan_in),
        )

    @property
    def n_shards(self) -> int:
        """Number of shards into which tallies are split; 1 if it was not set yet."""
        return 1 if self.shards is None else self.shards

    @property
    def max_shard_terms(self) -> int | None:
        """Largest number of terms of a shard; None for no limit."""
        # Rounded up, so that all shards together have room for max_terms.
        return None if self.max_terms is None else -(-self.max_terms // self.n_shards)

    def with_shards(self, n_shards: int) -> CountingOptions:
        """Return the same options with this number of shards."""
        check_count("shards", n_shards, 1)
        return replace(self, shards=int(n_shards))

    def for_partitions(self, n_partitions: int) -> CountingOptions:
        """Return the same options, with a number of shards for so many partitions if unset."""
        if self.shards is not None:
            return self
        return self.with_shards(default_n_shards(n_partitions, self.max_terms))

    def pack(self) -> bytes:
        """Return the options as bytes that hold no code.

        Raises
        ------
        FileError
            If the vectorizer has a Python function, which cannot be sent.
        """
        columns = self.columns
        header = {
            "kind": _KIND,
            "version": version("tallytext"),
            "columns": [columns.text, columns.label, list(columns.also), columns.separator],
            "vectorizer": estimator_to_dict(self.vectorizer),
            "planes": [plane.to_dict() for plane in self.planes],
            "on_error": self.on_error,
            "n_drawn": self.n_sampled,
            "max_terms": self.max_terms,
            "n_shards": self.n_shards,
            "fan_in": self.fan_in,
        }
        return pack_arrays({}, header)

    @classmethod
    def unpack(cls, packed: bytes) -> CountingOptions:
        """Restore options from the bytes of :meth:`pack`.

        Raises
        ------
        EngineError
            If they were packed by another version of tallytext, which may count differently.
        """
        _, header = unpack_arrays(packed, _KIND)
        here, there = version("tallytext"), header.get("version")
        # Another version may tokenize differently, and the counts would be wrong without an error.
        if here != there:
            raise EngineError(
                f"this worker has tallytext {here}, but the task was sent by tallytext {there}: "
                "install the same version on all machines."
            )
        text, label, also, separator = header["columns"]
        vectorizer: Any = estimator_from_dict(header["vectorizer"])
        return cls(
            Columns(text, label, tuple(also), separator),
            vectorizer,
            tuple(Plane.from_dict(plane) for plane in header["planes"]),
            header["on_error"],
            header["n_drawn"],
            header["max_terms"],
            header["n_shards"],
            header["fan_in"],
        )

    def _check(self) -> None:
        if self.vectorizer.is_limited:
            raise VocabularyError(
                "min_df, max_df and max_features need all documents at once: count without them "
                "and mask the tally, or bound the vocabulary with max_terms."
            )
        check_on_error(self.on_error)
        if self.max_terms is not None and not _is_count(self.max_terms, 1):
            raise VocabularyError(
                f"max_terms must be a whole number of at least 1, not {self.max_terms!r}."
            )
        if not _is_count(self.n_sampled, 0):
            raise InputError(f"sample must be a number of documents, not {self.n_sampled!r}.")
        check_count("fan_in", self.fan_in, 2)
        if self.shards is not None:
            check_count("shards", self.shards, 1)
        if self.columns.also and not any(plane.weighted for plane in self.planes):
            raise RecipeError("weights have no effect here: add a Plane(weighted=True) to planes.")


@dataclass(frozen=True)
class PredictionOptions:
    """Options of ``dask_predict`` and ``spark_predict``.

    Attributes
    ----------
    text : str
        Name of the column of texts.
    min_confidence : float or None
        Smallest probability of a label; less likely labels become null.
    into : tuple of two str
        Names of the new columns: label and probability.

    Raises
    ------
    InputError
        If ``into`` is not a pair of different names.
    ScoreError
        If ``min_confidence`` is not a probability.

    Examples
    --------
    >>> PredictionOptions("text", into=("label", "label"))
    Traceback (most recent call last):
    tallytext.errors.InputError: into must be the names of two columns, not ('label', 'label').
    """

    text: str
    min_confidence: float | None = None
    into: tuple[str, str] = ("label", "probability")

    def __post_init__(self) -> None:
        names = list(self.into) if isinstance(self.into, tuple | list) else []
        if not (all(isinstance(name, str) for name in names) and len({*names}) == len(names) == 2):
            raise InputError(f"into must be the names of two columns, not {self.into!r}.")
        check_min_confidence(self.min_confidence)


@dataclass(frozen=True)
class EvaluationOptions:
    """Options of ``dask_evaluate`` and ``spark_evaluate``.

    Attributes
    ----------
    columns : Columns
        Names of the columns of texts and labels.
    on_error : {"fail", "skip"}
        Treatment of rows that cannot be read.
    ranking : bool
        True for average precision and break-even point, too.
    """

    columns: Columns
    on_error: OnError
    ranking: bool = False

    @classmethod
    def from_arguments(
        cls,
        text: str,
        labels: str,
        label_separator: str | None,
        on_error: OnError,
        ranking: bool = False,
    ) -> EvaluationOptions:
        """Build the options from the arguments of a public function, and check them.

        Raises
        ------
        InputError
            If there is no column of labels, or ``on_error`` has a wrong value.

        Examples
        --------
        >>> EvaluationOptions.from_arguments("text", "topic", None, "skipp")
        Traceback (most recent call last):
        tallytext.errors.InputError: on_error must be 'fail' or 'skip', not 'skipp'.
        """
        if labels is None:
            raise InputError("an evaluation needs true labels: labels must name a column.")
        check_on_error(on_error)
        return cls(Columns(text, labels, (), label_separator or None), on_error, ranking)


def default_n_shards(n_partitions: int, max_terms: int | None = None) -> int:
    """Return the number of shards into which the tallies of so many partitions are split.

    The last merges are the largest, and shards allow them to run side by side; so there are more
    shards for more partitions. If the number of terms is limited, each shard gets an equal share
    of them, and small vocabularies are not split.

    Examples
    --------
    >>> [default_n_shards(n) for n in (1, 4, 64, 100_000)]
    [1, 2, 8, 32]
    >>> default_n_shards(64, max_terms=200_000)
    3
    """
    n_shards = max(1, min(_MAX_SHARDS, round(n_partitions**0.5)))
    if max_terms is None:
        return n_shards
    return max(1, min(n_shards, max_terms // _MIN_TERMS_PER_SHARD))


def check_count(name: str, value: object, least: int) -> None:
    """Raise InputError unless a value is a whole number of at least ``least``.

    Examples
    --------
    >>> check_count("fan_in", 2.5, 2)
    Traceback (most recent call last):
    tallytext.errors.InputError: fan_in must be a whole number of at least 2, not 2.5.
    """
    check_whole(name, value, least, error=InputError)


def check_new_columns(
    names: Iterable[str],
    existing: Iterable[Any],
    source: str,
    key: Callable[[str], str] = str,
) -> None:
    """Raise InputError if a new column would have the name of another one.

    Parameters
    ----------
    names : iterable of str
        Names of the new columns.
    existing : iterable
        Names of the columns that the source has.
    source : str
        The source, as messages call it.
    key : callable, optional
        Maps names that count as equal to the same string; Spark ignores case.

    Examples
    --------
    >>> check_new_columns(["Label"], ["text", "label"], "the DataFrame", key=str.lower)
    Traceback (most recent call last):
    tallytext.errors.InputError: the DataFrame already has 'Label': drop it, or choose other names \
for the new columns, for instance into=('predicted', 'probability').
    """
    used = {key(str(name)) for name in existing}
    for name in names:
        if key(name) in used:
            raise InputError(
                f"{source} already has {name!r}: drop it, or choose other names for the new "
                "columns, for instance into=('predicted', 'probability')."
            )
        used.add(key(name))


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least
