"""Documents to compare learners on: texts and labels, refused where nothing can be learned."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from tallytext._typing import FloatArray
from tallytext.classifier.labels import (
    check_as_many,
    check_labels,
    check_single,
    is_single,
    labels_of,
)
from tallytext.errors import InputError, LabelError, VocabularyError
from tallytext.models.knn import CosineKNN
from tallytext.text.sources import as_texts
from tallytext.text.vectorizer import TextVectorizer

# ------------------------------------------------------------------------------------------------
# What users say of each document besides its label: its group, or its moment.


def group_numbers(groups: ArrayLike, n_documents: int) -> NDArray[np.intp]:
    """Number groups in order of arrival; a document without a value is a group of its own.

    Examples
    --------
    >>> group_numbers(["tea", None, "milk", "tea", None], 5)
    array([0, 1, 2, 0, 3])
    """
    numbers: dict[Any, int] = {}
    values = _values(groups, n_documents, "groups")
    named = [("none", at) if is_missing(value) else (value,) for at, value in enumerate(values)]
    return np.array([numbers.setdefault(name, len(numbers)) for name in named], dtype=np.intp)


def moment_numbers(time: ArrayLike, n_documents: int) -> NDArray[np.intp]:
    """Number moments from the earliest to the latest.

    Examples
    --------
    >>> moment_numbers([2009, 1999, 2024, 2009], 4)
    array([1, 0, 2, 1])
    """
    values = _values(time, n_documents, "time")
    missing = [at for at, value in enumerate(values) if is_missing(value)]
    if missing:
        others = f", nor for {len(missing) - 1:,} more" if len(missing) > 1 else ""
        raise InputError(
            f"time has no value for document {missing[0]}{others}. "
            "Leave such documents out: they are neither earlier nor later than others."
        )
    try:
        moments = sorted(set(values))
    except TypeError as problem:
        raise InputError(f"moments cannot be put in order: {problem}.") from problem
    place = {moment: at for at, moment in enumerate(moments)}
    return np.array([place[value] for value in values], dtype=np.intp)


def is_missing(value: Any) -> bool:
    """Whether there is no value: None, NaN, or an empty string.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "", 0, "0")]
    [True, True, True, False, False]
    """
    # pandas.NA is neither equal to itself nor unequal.
    known = value is not None and isinstance(value == value, bool) and value == value
    return not known or value == ""


def _values(given: ArrayLike, n_documents: int, name: str) -> list[Any]:
    if hasattr(given, "to_pylist"):
        given = given.to_pylist()
    values = given if isinstance(given, list) else np.asarray(given).tolist()
    shape = np.shape(values) if values and isinstance(values[0], list) else (len(values),)
    if shape != (n_documents,):
        raise InputError(f"{n_documents} documents, but {name} of shape {shape}.")
    return values


# ------------------------------------------------------------------------------------------------
# Which documents are learned and which are judged: at random, by groups, or by time.

Rows = NDArray[np.intp]
# To deal out groups by their classes takes a look at all classes for each group.
_MOST_DEALT = 2_000_000


@dataclass(frozen=True)
class Split:
    """Documents to learn from, and documents to be judged by.

    Attributes
    ----------
    learned, judged : ndarray of int
        Rows, in order.
    """

    learned: Rows
    judged: Rows


@dataclass(frozen=True)
class Splits:
    """How documents are kept from models: each split has some to learn and some to be judged by.

    Attributes
    ----------
    method : {"random", "groups", "time"}
        At random, classes dealt out evenly; groups kept whole; or each block of documents after
        all earlier ones.
    splits : tuple of Split
        Those of time: the latest first, which have most to learn from.
    units : ndarray of int of shape (n_documents,)
        What is independent of each other: the number of the group of each document, or of the
        document itself.
    moments : ndarray of int of shape (n_documents,) or None
        The place of each document in time, where that is known.
    """

    method: str
    splits: tuple[Split, ...]
    units: Rows
    moments: Rows | None = None

    def __len__(self) -> int:
        return len(self.splits)

    def __iter__(self) -> Iterator[Split]:
        return iter(self.splits)

    @property
    def described(self) -> str:
        """How documents were kept from models, in words."""
        n = len(self)
        return {
            "random": f"{n} folds at random",
            "groups": f"{n} folds of whole groups",
            "time": f"{n} block{'s' * (n > 1)} of time, each after all earlier ones",
        }[self.method]

    @property
    def n_judged(self) -> int:
        """How many documents are judged: of time, all but those of the first block."""
        return sum(len(split.judged) for split in self.splits)


def splits_of(
    labels: list[Any],
    multi_label: bool,
    n_folds: int,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    seed: int = 0,
) -> Splits:
    """Return as many splits as asked for, or as there can be.

    Parameters
    ----------
    labels : list
        One label for each document, or a list of labels.
    several : bool
        Whether documents may have several labels.
    n_folds : int
        How many; at least two.
    groups : array-like of shape (n_documents,), default=None
        What keeps documents together. A document without a value is a group of its own.
    time : array-like of shape (n_documents,), default=None
        What puts documents in order; not both of them.
    seed : int
        For folds at random.

    Examples
    --------
    >>> found = splits_of([*"aabb"], False, 2)
    >>> [(split.learned.tolist(), split.judged.tolist()) for split in found]
    [([0, 3], [1, 2]), ([1, 2], [0, 3])]
    >>> [split.judged.tolist() for split in splits_of([*"aabb"], False, 2, groups=[7, 8, 7, 8])]
    [[1, 3], [0, 2]]
    >>> [split.judged.tolist() for split in splits_of([*"abab"], False, 2, time=[3, 1, 2, 2])]
    [[0], [2, 3]]
    """
    if n_folds < 2:
        raise InputError(f"models are compared on 2 folds or more, not on {n_folds}.")
    if groups is not None and time is not None:
        raise InputError("give groups or time, not both: blocks of time cannot keep groups whole.")
    if len(labels) < 4:
        raise InputError(f"there are {len(labels)} documents: too few to compare anything on.")
    if groups is not None:
        numbers = group_numbers(groups, len(labels))
        return Splits("groups", _of_groups(numbers, labels, multi_label, n_folds, seed), numbers)
    each = np.arange(len(labels))
    if time is not None:
        moments = moment_numbers(time, len(labels))
        return Splits("time", _of_time(moments, n_folds), each, moments)
    return Splits("random", _at_random(labels, multi_label, n_folds, seed), each)


def class_numbers(labels: list[Any], multi_label: bool) -> Rows | None:
    """Return the number of each document's class, in order of arrival; None for several."""
    if multi_label:
        return None
    number = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    return np.array([number[label] for label in labels], dtype=np.intp)


def _at_random(labels: list[Any], multi_label: bool, n_folds: int, seed: int) -> tuple[Split, ...]:
    folds, classes = min(n_folds, len(labels)), class_numbers(labels, multi_label)
    if classes is None:
        parts = [*KFold(folds, shuffle=True, random_state=seed).split(labels)]
    else:
        folds = max(2, min(folds, max(Counter(labels).values())))
        dealer = StratifiedKFold(folds, shuffle=True, random_state=seed)
        parts = _dealt(dealer, classes)
    return _as_splits(parts)


def _of_groups(
    numbers: Rows, labels: list[Any], multi_label: bool, n_folds: int, seed: int
) -> tuple[Split, ...]:
    n_groups = int(numbers.max()) + 1
    if n_groups < 2:
        raise InputError("all documents are of one group, which cannot be learned and judged by.")
    folds, classes = min(n_folds, n_groups), class_numbers(labels, multi_label)
    if classes is None or n_groups * (int(classes.max()) + 1) > _MOST_DEALT:
        dealer = GroupKFold(folds, shuffle=True, random_state=seed)
        return _as_splits([*dealer.split(numbers, groups=numbers)])
    folds = max(2, min(folds, int(np.bincount(classes).max())))
    stratified = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    return _as_splits(_dealt(stratified, classes, numbers))


def _dealt(dealer: Any, classes: Rows, groups: Rows | None = None) -> list[tuple[Rows, Rows]]:
    with warnings.catch_warnings():
        # A class with fewer documents than folds is in some of them only.
        warnings.simplefilter("ignore", UserWarning)
        return [*dealer.split(classes, classes, groups)]


def _as_splits(parts: list[tuple[Rows, Rows]]) -> tuple[Split, ...]:
    # Groups of very different sizes may leave a fold without any.
    return tuple(Split(learned, judged) for learned, judged in parts if len(learned) * len(judged))


def _of_time(moments: Rows, n_folds: int) -> tuple[Split, ...]:
    """Return blocks of about as many documents each; those of one moment stay together."""
    sizes = np.bincount(moments)
    if len(sizes) < 2:
        raise InputError("all documents are of one moment, so that none is later than others.")
    middles = (np.cumsum(sizes) - sizes / 2) / len(moments)
    block_of = np.floor(middles * (n_folds + 1)).astype(np.intp)[moments]
    return tuple(
        Split(np.flatnonzero(block_of < block), np.flatnonzero(block_of == block))
        for block in np.unique(block_of)[:0:-1]
    )


# So many tell in nearly all cases whether there are words at all.
_FIRST = 1_000


@dataclass(frozen=True)
class Documents:
    """Texts and their labels.

    Attributes
    ----------
    texts : sequence of str
    labels : list
        One label each, or a list of labels each.
    several : bool
        Whether documents may have several labels.
    """

    texts: Sequence[str]
    labels: list[Any]
    multi_label: bool

    def some(self, rows: Rows) -> tuple[list[str], list[Any]]:
        """Return the texts and labels of some documents.

        Parameters
        ----------
        rows : ndarray of int
            Which documents, counted from 0.
        """
        return [self.texts[row] for row in rows], [self.labels[row] for row in rows]


def documents_of(texts: Any, labels: Any) -> Documents:
    """Return texts with their labels, if learners can be compared on them.

    Parameters
    ----------
    texts : list, column or iterable of str
    labels : list, column or array
        One label per text, or a list of labels per text.

    Examples
    --------
    >>> documents_of(["a wave", "a cloud", "a reef"], ["sea", "sky", "sea"]).several
    False
    """
    listed, _ = labels_of(labels)
    check_labels(listed)
    read = as_texts(texts).strings()
    check_as_many(len(read), listed)
    if not any(map(str.strip, read)):
        raise InputError("all documents are empty. Is this the column of the texts?")
    multi_label = not all(map(is_single, listed))
    documents = Documents(read, listed if multi_label else check_single(listed), multi_label)
    _check_classes(documents)
    return documents


def check_words(texts: Sequence[str], vectorizer: TextVectorizer) -> None:
    """Refuse texts that no term can be made of, before every learner has tried.

    Parameters
    ----------
    texts : sequence of str
    vectorizer : TextVectorizer
        How texts become terms; it is fitted.

    Examples
    --------
    >>> check_words(["?!", "..."], TextVectorizer())
    Traceback (most recent call last):
    tallytext.errors.InputError: no document has a word. Is this the column of the texts?
    """
    try:
        if vectorizer.fit_transform(texts[:_FIRST]).shape[1]:
            return
    except VocabularyError:  # of limits such as min_df, which all of them may meet
        pass
    if not vectorizer.fit_transform(texts).shape[1]:
        raise InputError("no document has a word. Is this the column of the texts?")


def _check_classes(documents: Documents) -> None:
    """Refuse labels that nothing can be learned from."""
    labels = documents.labels
    distinct = {label for each in labels for label in (each if documents.multi_label else [each])}
    if len(distinct) < 2:
        raise LabelError(
            f"all documents have the label {[*distinct]!r:.80}: nothing to tell apart."
        )
    if not documents.multi_label and len(distinct) == len(labels):
        raise LabelError(
            f"no two of the {len(labels)} documents have the same label: nothing can be learned "
            "from one and judged by another. Is this the column of the labels?"
        )


# ------------------------------------------------------------------------------------------------
# What became of each document, in two numbers whose sums make a score.


@dataclass(frozen=True)
class Outcomes:
    r"""Numbers of each document; the score of some is the quotient of their sums.

    .. math:: s = \frac{\sum_d t_d}{\sum_d b_d}, \qquad t_d = 2 |P_d \cap L_d|,
        \quad b_d = |P_d| + |L_d|

    with the labels L of a document and those P that it was given: micro-averaged F1, and the
    accuracy where documents have one label and were given one.

    Attributes
    ----------
    tops, bottoms : ndarray of shape (n_documents,)
        :math:`t_d` and :math:`b_d`; both are 0 for documents that were not judged.
    judged : ndarray of bool of shape (n_documents,)

    Examples
    --------
    >>> outcomes = Outcomes.none(3)
    >>> outcomes.add(np.array([0, 2]), ["sea", "sky"], ["sea", "sea"])
    >>> outcomes.score, outcomes.judged.tolist()
    (0.5, [True, False, True])
    """

    tops: FloatArray
    bottoms: FloatArray
    judged: Any

    @classmethod
    def none(cls, n_documents: int) -> Outcomes:
        """Return those of documents that were not judged yet."""
        return cls(np.zeros(n_documents), np.zeros(n_documents), np.zeros(n_documents, dtype=bool))

    def add(self, rows: Rows, truth: Sequence[Any], predicted: Sequence[Any]) -> None:
        """Enter what some documents were given: labels, or lists of labels."""
        pairs = [
            (_set(given), _set(wanted)) for given, wanted in zip(predicted, truth, strict=True)
        ]
        self.tops[rows] = [2 * len(given & wanted) for given, wanted in pairs]
        self.bottoms[rows] = [len(given) + len(wanted) for given, wanted in pairs]
        self.judged[rows] = True

    def of(self, shown: Any) -> Outcomes:
        """Return the outcomes with all documents but these taken for not judged."""
        return Outcomes(self.tops * shown, self.bottoms * shown, self.judged & shown)

    def on(self, rows: Any) -> float:
        """Return the score of some documents."""
        return float(self.tops[rows].sum() / max(self.bottoms[rows].sum(), 1))

    @property
    def score(self) -> float:
        """Of all documents that were judged."""
        return self.on(slice(None))

    @property
    def n_judged(self) -> int:
        """How many documents were judged."""
        return int(self.judged.sum())


def _set(labels: Any) -> set[Any]:
    return set(labels) if isinstance(labels, list | tuple | set | frozenset) else {labels}


# ------------------------------------------------------------------------------------------------
# Documents that are nearly the same and stand on both sides of a split.

ALIKE = 0.9
MOST_ASKED = 2_000
WORTH_SAYING = 0.02
_MOST_LOOKED_AT = 20
# What helps, besides what was done already.
_ADVICE = {
    "random": "keep such documents together with groups (--groups), or judge by time (--time)",
    "groups": "give such documents the same group, or judge by time (--time)",
    "time": "groups (--groups) would keep such documents together",
}


@dataclass(frozen=True)
class NearDuplicates:
    """How many judged documents have a near duplicate among those learned.

    Attributes
    ----------
    n_asked : int
        How many judged documents were looked at.
    n_crossing : int
        How many of these have one: with a cosine of 0.9 or more between their weighted words.
    examples : tuple of (int, int, float)
        Rows of a judged document and a learned one, and how similar they are; the first ten.
    score, score_without : float or None
        Of the best learner on the documents looked at, and on those of them that have none.
    method : {"random", "groups", "time"}
        How documents were kept from models.
    """

    n_asked: int
    n_crossing: int
    examples: tuple[tuple[int, int, float], ...] = ()
    score: float | None = field(default=None, repr=False)
    score_without: float | None = field(default=None, repr=False)
    method: str = field(default="random", repr=False)

    @property
    def share(self) -> float:
        """Of judged documents that have one."""
        return self.n_crossing / self.n_asked if self.n_asked else 0.0

    @property
    def warning(self) -> str:
        """A sentence, if they are many enough to make scores too high; else nothing."""
        if self.share < WORTH_SAYING:
            return ""
        return (
            f"{self.share:.0%} of the judged documents have a near duplicate among those learned"
            f"{self._effect}: {_ADVICE[self.method]}."
        )

    @property
    def _effect(self) -> str:
        if self.score is None or self.score_without is None:
            return ", so that scores are too high for documents that are really new"
        scores = f"with them {self.score:.1%}, without them {self.score_without:.1%}"
        if self.score_without < self.score:
            return f", so that scores are too high for documents that are really new ({scores})"
        return f", though it does not show in the score ({scores})"


def near_duplicates(
    texts: Sequence[str], splits: Splits, seed: int = 0, best: Outcomes | None = None
) -> NearDuplicates:
    """Look for judged documents whose words are nearly those of a document learned.

    Parameters
    ----------
    texts : sequence of str
    splits : Splits
    seed : int
        Of all judged documents 2,000 are asked, drawn at random.
    best : Outcomes, default=None
        Of the best learner.

    Examples
    --------
    >>> from tallytext.comparison import Split
    >>> texts = ["a blue bird sang", "red tea and milk", "a blue bird sang", "rain in may"]
    >>> halves = Splits("random", (Split(np.array([0, 1]), np.array([2, 3])),), np.arange(4))
    >>> near_duplicates(texts, halves)
    NearDuplicates(n_asked=2, n_crossing=1, examples=((2, 0, 1.0),))
    """
    counts = TextVectorizer(min_length=1).fit_transform(texts)
    if not counts.shape[1]:  # somebody counts other things than words
        return NearDuplicates(0, 0, method=splits.method)
    index = CosineKNN().fit(counts, ["document"] * len(texts))
    fold_of = _fold_of(splits, len(texts))
    judged = np.flatnonzero(fold_of >= 0)
    asked = np.sort(
        np.random.default_rng(seed).choice(judged, min(MOST_ASKED, len(judged)), replace=False)
    )
    near = index.kneighbors(counts[asked], min(_MOST_LOOKED_AT, len(texts)))
    found = [
        _other_side(int(row), documents, similarities, splits, fold_of)
        for row, documents, similarities in zip(
            asked, near.documents, near.similarities, strict=True
        )
    ]
    crossing = [each for each in found if each is not None]
    new = asked[[each is None for each in found]]
    return NearDuplicates(
        len(asked), len(crossing), tuple(crossing[:10]), *_scores(best, asked, new), splits.method
    )


def _scores(best: Outcomes | None, asked: Any, new: Any) -> tuple[float | None, float | None]:
    """Return those of all and of some documents, as far as the best was judged by any."""
    if best is None or not best.judged[new].any():
        return None, None
    return best.on(asked), best.on(new)


def _fold_of(splits: Splits, n: int) -> Any:
    fold_of = np.full(n, -1)
    for fold, split in enumerate(splits):
        fold_of[split.judged] = fold
    return fold_of


def _other_side(
    row: int, documents: Any, similarities: Any, splits: Splits, fold_of: Any
) -> tuple[int, int, float] | None:
    learned = splits.splits[fold_of[row]].learned
    for other, cosine in zip(documents.tolist(), similarities.tolist(), strict=True):
        if cosine >= ALIKE and other != row and _holds(learned, other):
            return row, other, round(cosine, 3)
    return None


def _holds(sorted_rows: Any, row: int) -> bool:
    at = int(np.searchsorted(sorted_rows, row))
    return at < len(sorted_rows) and bool(sorted_rows[at] == row)
