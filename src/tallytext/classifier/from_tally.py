"""From counts that are there already to a fitted classifier."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tallytext.classifier.labels import check_as_many, check_single
from tallytext.classifier.model_selection import Candidate, Contest, Fitted, Judge, fitted, n_judged
from tallytext.classifier.report import sentences
from tallytext.classifier.sampling import Drawn, Rows, Sample, dealt_out
from tallytext.classifier.term_selection import check_documents, selector_for
from tallytext.classifier.training import candidates_for, planes_for
from tallytext.errors import (
    CountError,
    LabelError,
    NegativeCountError,
    NotAdditiveError,
    RecipeError,
    SettingsError,
)
from tallytext.tally.gathered import GatheredTally, Origin
from tallytext.tally.labels import sort_labels
from tallytext.tally.planes import Plane, in_order
from tallytext.tally.tally import Tally
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

# ------------------------------------------------------------------------------------------------
# Terms of which a tally has too few, because they were dropped and came again.

Counts = NDArray[np.int64]


def uncertain_terms(tally: Tally, part: Tally) -> NDArray[np.intp]:
    """Return the terms of which a tally has less than a part of it, in a class or over all.

    Terms that were dropped, and came again, are counted without what they lost. What remained of
    them without the part might be what no documents can add up to.

    Parameters
    ----------
    tally, part : Tally
        With the same planes; ids of the tally are those of the part.

    Examples
    --------
    >>> tally = Tally.from_counts([[1, 1], [1, 3]], ["x", "x"], ["sea", "sky"])
    >>> part = Tally.from_counts([[1, 5]], ["x"], ["sea", "sky"])
    >>> uncertain_terms(tally, part)
    array([1])
    """
    used = np.flatnonzero(part.live)
    whole = tally.mask(used)
    number = {label: at for at, label in enumerate(dict.fromkeys([*whole.classes, *part.classes]))}
    places, counted = _cells(whole, number)
    theirs, taken = _cells(part, number)
    every = np.union1d(places, theirs)
    left = _found(places, counted, every) - _found(theirs, taken, every)
    totals = _totals(whole, used) - _totals(part, used)
    row = np.searchsorted(used, every // max(1, len(number)))
    wrong = _impossible(totals)
    wrong[row[_impossible(left) | (left > totals[row]).any(axis=1)]] = True
    return used[wrong | _unlike(totals, left, row, whole, part)]


def _unlike(
    totals: Counts, left: Counts, row: NDArray[np.intp], whole: Tally, part: Tally
) -> NDArray[np.bool_]:
    """Whether classes do not add up to the total, where no document of several labels is left."""
    if whole.n_several > part.n_several:
        return np.zeros(len(totals), dtype=bool)
    sums = np.zeros_like(totals)
    np.add.at(sums, row, left)
    exact = whole.n_unlabelled == part.n_unlabelled
    return np.asarray((sums != totals if exact else sums > totals).any(axis=1))


def _impossible(left: Counts) -> NDArray[np.bool_]:
    """Whether no documents can add up to occurrences, documents and planes."""
    occurrences, documents = left[:, 0], left[:, 1]
    odd = (documents > occurrences) | ((documents == 0) != (occurrences == 0))
    empty = (occurrences == 0) & left.any(axis=1)
    return np.asarray(odd | empty | (left < 0).any(axis=1))


def _cells(tally: Tally, number: Mapping[Any, int]) -> tuple[Counts, Counts]:
    """Return a number for each term and class that have counts, ascending, and the counts."""
    arrays, header = tally._arrays()
    names = np.array([number[label] for label in header["classes"]], dtype=np.int64)
    term = np.repeat(np.arange(len(arrays["starts"]) - 1), np.diff(arrays["starts"]))
    places = term * len(number) + names[arrays["classes"]]
    order = np.argsort(places, kind="stable")
    return places[order], arrays["cells"][order]


def _found(places: Counts, counted: Counts, wanted: Counts) -> Counts:
    """Return the counts at some places, 0 where there are none."""
    at = np.searchsorted(places, wanted)
    found = np.zeros((len(wanted), counted.shape[1]), dtype=np.int64)
    there = at < len(places)
    there[there] = places[at[there]] == wanted[there]
    found[there] = counted[at[there]]
    return found


def _totals(tally: Tally, terms: NDArray[np.intp]) -> Counts:
    totals: Counts = tally._arrays()[0]["term_totals"]
    # Terms after the last one that occurs may be without a row.
    rows = np.zeros((int(terms.max(initial=-1)) + 1, totals.shape[1]), dtype=np.int64)
    rows[: len(totals)] = totals[: len(rows)]
    return rows[terms]


# ------------------------------------------------------------------------------------------------
# A sample of the documents of a tally: what can be taken out of it again, to judge models on.


@dataclass(frozen=True)
class Sampled:
    """Documents of a tally, as rows of counts.

    Attributes
    ----------
    drawn : Drawn
        Their words that the tally counts and models are judged by.
    rows : CSR matrix
        All their words, so that each document weighs in fractional planes what it weighed when
        it was counted.
    vocabulary : Vocabulary
        The columns of ``rows``: first those of the tally.
    kept : ndarray of bool
        Which of the columns the tally counts and models are judged by.
    n_uncertain : int
        How many words the tally counts, but fewer of them than there are in the sample, since some
        were dropped to keep a vocabulary small. Models are judged as if there were no such words,
        neither in the tally nor in the documents.
    """

    drawn: Drawn
    rows: Any
    vocabulary: Vocabulary
    kept: NDArray[np.bool_]
    n_uncertain: int = 0

    @classmethod
    def of(
        cls, tally: Tally, vectorizer: TextVectorizer, texts: Any, labels: list[Any], bounded: bool
    ) -> Sampled:
        """Count documents that are in a tally.

        Parameters
        ----------
        tally : Tally
        vectorizer : TextVectorizer
            Its vocabulary is that of the tally; it learns nothing.
        texts : list or column of str
        labels : list
        bounded : bool
            Whether rare words were left out of the tally from time to time, so that it may have
            fewer of them than the sample.

        Raises
        ------
        NegativeCountError
            If the documents are not in the tally.
        """
        rows, vocabulary = _counted(vectorizer, texts)
        check_as_many(rows.shape[0], labels)
        kept = np.zeros(len(vocabulary), dtype=bool)
        kept[: len(tally.vocabulary)] = tally.live
        if not bounded:
            _check_known(vocabulary, len(tally.vocabulary))
        part = _part(rows, labels, vocabulary, tally, kept)
        n_known = int(np.count_nonzero(kept))
        if bounded:
            kept[uncertain_terms(tally, part)] = False
            part = part.mask(kept)
        _check_within(tally, part)
        drawn = _drawn(rows, labels, kept, len(tally.vocabulary))
        n_uncertain = n_known - int(np.count_nonzero(kept))
        return cls(drawn, rows, vocabulary, kept, n_uncertain)

    def certain(self, tally: Tally) -> Tally:
        """Return the tally of all terms but those that were left out here."""
        if not self.n_uncertain:
            return tally
        uncertain = tally.live & ~self.kept[: len(tally.vocabulary)]
        return tally.mask(~uncertain)

    def part(self, rows: Rows, labels: list[Any], tally: Tally) -> Tally:
        """Return what some of the documents that were drawn have put into the tally."""
        X = self.rows[self.drawn.rows[rows]]
        return _part(X, labels, self.vocabulary, tally, self.kept)


@dataclass
class SampleJudge(Judge):
    """A judge who takes documents out of a tally that was there before him.

    Attributes
    ----------
    sampled : Sampled
        The documents.
    """

    sampled: Sampled = field(kw_only=True, repr=False)

    def _rest(self, rows: Rows, labels: list[Any]) -> Tally:
        tally = self.sampled.certain(self.tally)
        return tally - self.sampled.part(rows, labels, tally)


def _counted(vectorizer: TextVectorizer, texts: Any) -> tuple[Any, Vocabulary]:
    """Return rows of counts by a vocabulary that begins with that of the vectorizer."""
    if hasattr(texts, "__len__") and not len(texts):
        return vectorizer.transform([]), vectorizer.vocabulary_
    own = copy.copy(vectorizer)
    own.vocabulary_ = vectorizer.vocabulary_.copy()
    rows = own.partial_fit_transform(texts)
    return rows, own.vocabulary_


def _part(
    rows: Any, labels: list[Any], vocabulary: Vocabulary, tally: Tally, kept: NDArray[np.bool_]
) -> Tally:
    """Return what documents have put into a tally that counts some of their words."""
    part = Tally(vocabulary, planes=tally.planes).learn(rows, labels, terms=vocabulary)
    return part.mask(kept)


def _drawn(rows: Any, labels: list[Any], kept: NDArray[np.bool_], width: int) -> Drawn:
    """Return documents in random order, with the words that are kept."""
    sample = Sample(max(1, len(labels)))
    X = rows.copy()
    X.data[~kept[X.indices]] = 0
    X.eliminate_zeros()
    X.resize(X.shape[0], width)
    sample.add(X, labels)
    return sample.drawn(width)


def _check_known(vocabulary: Vocabulary, n_known: int) -> None:
    """Refuse words that were never counted; those that were masked since are in the vocabulary."""
    if len(vocabulary) > n_known:
        raise _not_within(f"the tally does not know {vocabulary.term(n_known)!r}")


def _check_within(tally: Tally, part: Tally) -> None:
    """Refuse documents that are not in a tally."""
    try:
        tally.mask(np.flatnonzero(part.live)) - part
    except NegativeCountError as problem:
        reason = str(problem).removeprefix("cannot forget: ").split(". ")[0]
        raise _not_within(f"without it, {reason}") from None


def _not_within(reason: str) -> NegativeCountError:
    return NegativeCountError(
        f"the sample is not among the documents of the tally: {reason}. Give documents that were "
        "counted, with their labels and with the vectorizer that counted them; or "
        "sample=([], []), and the model is chosen without."
    )


def origin_of(tally: Any) -> Origin | None:
    """Return where a tally is from, if it knows.

    Raises
    ------
    CountError
        If it is no tally.
    """
    if not isinstance(tally, Tally):
        raise CountError(f"from_tally reads a Tally, not {tally!r:.60}. To learn, use fit.")
    return tally.origin if isinstance(tally, GatheredTally) else None


def vectorizer_of(given: TextVectorizer | None, origin: Origin | None) -> TextVectorizer:
    """Return how the texts of a tally became terms; not fitted.

    Raises
    ------
    SettingsError
        If another way is given than the one in which they were counted.
    """
    if given is not None and not isinstance(given, TextVectorizer):
        raise TypeError(f"vectorizer must be a TextVectorizer, not {given!r:.80}.")
    if origin is not None and given is not None:
        _check_same(given, origin.vectorizer)
    own = TextVectorizer() if origin is None else origin.vectorizer
    return clone(own if given is None else given)


def planes_needed(settings: Any) -> list[Plane]:
    """Return what a tally must count so that a classifier with these settings can be made of it."""
    selector = selector_for(settings.select)
    found = (planes_for(each, selector) for each in _additive(settings))
    return list(in_order(plane for planes in found for plane in planes))


class Counted:
    """Makes a classifier of a tally, as its settings say.

    Parameters
    ----------
    settings : TextClassifier
        Its parameters are read; it is not changed. It has a vectorizer.
    tally : Tally
        It is not changed.
    origin : Origin or None
        What is known of its making.
    """

    def __init__(self, settings: Any, tally: Tally, origin: Origin | None) -> None:
        self._settings, self._origin = settings, origin
        self._selector = selector_for(settings.select)
        candidates = _additive(settings)
        check_documents(self._selector, [each.learner for each in candidates])
        self._several = _several(settings.multi_label, tally)
        self._there = tally.planes
        self._candidates = [each for each in candidates if not self._lacking(each)]
        self._left_out = [each for each in candidates if each not in self._candidates]
        if not self._candidates:
            self._refuse()
        self._tally = self._own(tally)
        self._vectorizer = clone(settings.vectorizer)
        self._vectorizer.vocabulary_ = self._tally.vocabulary

    def finished(self, texts: Any, labels: list[Any]) -> Fitted:
        """Choose a model, and calibrate it.

        Parameters
        ----------
        texts : list or column of str
            Some of the documents that were counted; perhaps none.
        labels : list
            A label per document, or a list of labels.
        """
        labels = labels if self._several else check_single(labels)
        bounded = self._origin is not None and bool(self._origin.dropped)
        sampled = Sampled.of(self._tally, self._vectorizer, texts, labels, bounded)
        drawn, multi_label = sampled.drawn, self._several
        n = n_judged(drawn, self._tally, multi_label)
        folds = dealt_out(drawn.labels[:n], int(self._tally.n_documents), multi_label)
        judge = SampleJudge(
            self._tally, drawn, folds, multi_label, None, "sample", self._selector, sampled=sampled
        )
        choice = Contest(self._settings, self._candidates).choice(judge)
        n_compared = len(self._candidates) if folds else 0
        told = sentences(self._tally, self._origin, sampled, n_compared)
        return fitted(
            judge,
            choice,
            (self._vectorizer, self._tally),
            self._planes(choice.candidate),
            origin=(*told, *self._said_of_planes()),
        )

    def _own(self, tally: Tally) -> Tally:
        """Return the counts that are needed, with words of their own, which may become more."""
        needed = in_order(plane for each in self._candidates for plane in self._planes(each))
        own = Tally(tally.vocabulary.copy(), planes=needed)
        own.number_labels(sort_labels(tally.classes))
        own += tally if tally.planes == needed else tally.keep_planes(needed)
        return own

    def _planes(self, candidate: Candidate) -> list[Plane]:
        """Return what a candidate reads that was counted, or cannot be done without."""
        planes = planes_for(candidate, self._selector)
        # Where all documents have one label, a share of it is a whole.
        single = not self._several
        return [each for each in planes if each in self._there or not (single and each.shared)]

    def _lacking(self, candidate: Candidate) -> list[Plane]:
        return [each for each in self._planes(candidate) if each not in self._there]

    def _refuse(self) -> NoReturn:
        lacking = [{*self._lacking(each)} for each in self._left_out]
        common = in_order(set.intersection(*lacking) or lacking[0])
        model, select = self._settings.model, self._settings.select
        spelt = repr(model) if isinstance(model, str) else "..."
        chosen = "" if select is None else ", select=..."
        raise RecipeError(
            f"the tally lacks {' and '.join(map(repr, common))}, which this model reads. Count "
            f"with planes=TextClassifier({spelt}{chosen}).planes(), or take another model."
        )

    def _said_of_planes(self) -> list[str]:
        left_out = Counter(each.learner.name for each in self._left_out)
        if not left_out:
            return []
        considered = Counter(each.learner.name for each in self._candidates)
        some = ", ".join(
            f"{n} of {n + considered[name]} settings of {name}" if considered[name] else name
            for name, n in left_out.items()
        )
        return [
            f"not considered, for want of planes: {some}; count with "
            "planes=TextClassifier().planes()"
        ]


def _additive(settings: Any) -> list[Candidate]:
    """Return the candidates that are functions of sums."""
    candidates = candidates_for(settings)
    found = [each for each in candidates if each.learner.additive]
    if not found:
        name = candidates[0].learner.name
        raise NotAdditiveError(
            f"{name} is trained on documents, and a tally holds nothing but their sums: train it "
            'with fit, on a sample of the documents for instance; or take model="auto".'
        )
    return found


def _several(asked: bool | None, tally: Tally) -> bool:
    """Return whether documents may have several labels."""
    if not tally.classes:
        raise LabelError("there is no class to learn: no document of the tally has a label.")
    other = int(tally.n_several + tally.n_unlabelled)
    if asked is False and other:
        raise LabelError(
            f"{other:,} documents of the tally have several labels or none, but this classifier "
            "is for documents with one label each. Make it with multi_label=True."
        )
    return other > 0 if asked is None else asked


def _check_same(given: TextVectorizer, counted: TextVectorizer) -> None:
    theirs: dict[str, Any] = counted.get_params(deep=False)
    for name, value in given.get_params(deep=False).items():
        if name != "n_jobs" and not _is_same(value, theirs[name]):
            raise SettingsError(
                f"the tally was counted with {name}={theirs[name]!r:.60} of the vectorizer, and "
                f"not with {value!r:.60}: give none, and that of the tally is taken."
            )


def _is_same(one: Any, other: Any) -> bool:
    """Whether two settings are the same; equal sets may be spelt in different orders."""
    if isinstance(one, set | frozenset):
        return bool(one == other)
    return repr(one) == repr(other)
