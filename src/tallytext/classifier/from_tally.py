"""Training from a tally: make a classifier of documents that are already counted."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._estimators import clone
from tallytext.classifier.labels import check_label_count, single_labels
from tallytext.classifier.model_selection import (
    Candidate,
    ClassifierSettings,
    DocumentSample,
    FittedParts,
    FoldScorer,
    SampledDocuments,
    fitted_parts,
    n_scored_documents,
    select_model,
    selector_for,
)
from tallytext.classifier.report import describe_origin
from tallytext.classifier.training import (
    candidates_for,
    check_signatures_occur,
    check_words_only,
    planes_for,
    semantic_smoothing,
)
from tallytext.errors import (
    CountError,
    LabelError,
    NegativeCountError,
    NotAdditiveError,
    RecipeError,
    SettingsError,
)
from tallytext.evaluation.folds import Rows, subtraction_folds
from tallytext.models.smoothing.semantic import check_translation
from tallytext.tally.gathered import GatheredTally, Origin
from tallytext.tally.labels import sort_labels
from tallytext.tally.planes import Plane, sort_planes
from tallytext.tally.tally import Tally
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

Counts: TypeAlias = NDArray[np.int64]


class TallyTraining:
    """The training of one classifier from a tally.

    Parameters
    ----------
    settings : ClassifierSettings
        Not changed; with a vectorizer.
    tally : Tally
        Not changed.
    origin : Origin or None
        How the tally was counted, if that is known.
    """

    def __init__(self, settings: ClassifierSettings, tally: Tally, origin: Origin | None) -> None:
        self._settings, self._origin = settings, origin
        candidates = _additive_candidates(settings)
        self._selector = selector_for(settings.select, [each.learner for each in candidates])
        self._multi_label = _is_multi_label(settings.multi_label, tally)
        self._available = tally.planes
        self._candidates = [each for each in candidates if not self._missing_planes(each)]
        self._left_out = [each for each in candidates if each not in self._candidates]
        if not self._candidates:
            self._refuse()
        # A copy with a vocabulary of its own, because a classifier may learn new words.
        needed = sort_planes(plane for each in self._candidates for plane in self._planes(each))
        self._tally = Tally(tally.vocabulary.copy(), planes=needed)
        self._tally.number_labels(sort_labels(tally.classes))
        self._tally += tally if tally.planes == needed else tally.keep_planes(needed)
        self._vectorizer = clone(settings.vectorizer)
        self._vectorizer.vocabulary_ = self._tally.vocabulary

    def finish(self, texts: Any, labels: list[Any]) -> FittedParts:
        """Select a model and return the parts of the fitted classifier.

        Parameters
        ----------
        texts : list or column of str
            A sample of the counted documents; may be empty.
        labels : list
            A label per document, or a list of labels.
        """
        tally, multi_label = self._tally, self._multi_label
        smoothing = semantic_smoothing(self._candidates[0].model)
        if smoothing is not None:
            check_signatures_occur(smoothing.translation, tally)
        labels = labels if multi_label else single_labels(labels)
        bounded = self._origin is not None and bool(self._origin.dropped)
        sampled = TallySample.from_texts(tally, self._vectorizer, texts, labels, bounded)
        sample = sampled.documents
        n = n_scored_documents(len(sample.labels), len(tally.classes), multi_label)
        folds = subtraction_folds(sample.labels[:n], int(tally.n_documents), multi_label)
        scorer = SampleScorer(
            tally,
            sample,
            folds,
            multi_label,
            None,
            "sample",
            self._selector,
            self._settings.thresholds,
            sampled=sampled,
        )
        selection = select_model(self._settings, self._candidates, scorer)
        n_compared = len(self._candidates) if folds else 0
        origin = describe_origin(
            self._origin, tally, len(sample.labels), sampled.n_uncertain, n_compared
        )
        return fitted_parts(
            scorer,
            selection,
            self._vectorizer,
            tally,
            self._planes(selection.candidate),
            origin=(*origin, *self._describe_left_out()),
        )

    def _planes(self, candidate: Candidate) -> list[Plane]:
        """Return the planes that a candidate reads, without those that it can do without."""
        planes = planes_for(candidate, self._selector)
        # If each document has one label, a fractional count by label is the whole count.
        single = not self._multi_label
        return [each for each in planes if each in self._available or not (single and each.shared)]

    def _missing_planes(self, candidate: Candidate) -> list[Plane]:
        return [each for each in self._planes(candidate) if each not in self._available]

    def _refuse(self) -> NoReturn:
        """Raise RecipeError: no candidate can be made from the tally."""
        missing = [{*self._missing_planes(each)} for each in self._left_out]
        common = sort_planes(set.intersection(*missing) or missing[0])
        model, select = self._settings.model, self._settings.select
        name = repr(model) if isinstance(model, str) else "..."
        selection = "" if select is None else ", select=..."
        raise RecipeError(
            f"the tally lacks {' and '.join(map(repr, common))}, which this model reads. Count "
            f"with planes=TextClassifier({name}{selection}).planes(), or use another model."
        )

    def _describe_left_out(self) -> list[str]:
        left_out = Counter(each.learner.name for each in self._left_out)
        if not left_out:
            return []
        compared = Counter(each.learner.name for each in self._candidates)
        names = ", ".join(
            f"{n} of {n + compared[name]} settings of {name}" if compared[name] else name
            for name, n in left_out.items()
        )
        return [
            f"not compared, because the tally lacks their planes: {names}; count with "
            "planes=TextClassifier().planes()"
        ]


def planes_needed(settings: ClassifierSettings) -> list[Plane]:
    """Return the planes that a tally must count for a classifier with these settings."""
    selector = selector_for(settings.select)
    found = (planes_for(each, selector) for each in _additive_candidates(settings))
    return list(sort_planes(plane for planes in found for plane in planes))


def tally_origin(tally: Any) -> Origin | None:
    """Return the origin of a tally, if it has one.

    Raises
    ------
    CountError
        If it is not a tally.
    """
    if not isinstance(tally, Tally):
        raise CountError(
            f"from_tally reads a Tally, not {tally!r:.60}. To train on texts, use fit."
        )
    return tally.origin if isinstance(tally, GatheredTally) else None


def tally_vectorizer(given: TextVectorizer | None, origin: Origin | None) -> TextVectorizer:
    """Return the unfitted vectorizer that counted a tally.

    Raises
    ------
    SettingsError
        If the given vectorizer has other parameters than the one that counted.
    """
    if given is not None and not isinstance(given, TextVectorizer):
        raise TypeError(f"vectorizer must be a TextVectorizer, not {given!r:.80}.")
    if origin is None:
        return clone(TextVectorizer() if given is None else given)
    counted = origin.vectorizer.get_params(deep=False)
    for name, value in {} if given is None else given.get_params(deep=False).items():
        if name != "n_jobs" and not _is_same_parameter(value, counted[name]):
            raise SettingsError(
                f"the tally was counted by a vectorizer with {name}={counted[name]!r:.60}, not "
                f"{value!r:.60}. Leave out vectorizer= to use that of the tally."
            )
    return clone(origin.vectorizer if given is None else given)


def _is_same_parameter(one: Any, other: Any) -> bool:
    # Equal sets may be printed in different orders.
    if isinstance(one, set | frozenset):
        return bool(one == other)
    return repr(one) == repr(other)


def _additive_candidates(settings: ClassifierSettings) -> list[Candidate]:
    """Return the candidates whose models are functions of counts."""
    candidates = candidates_for(settings)
    found = [each for each in candidates if each.learner.additive]
    if not found:
        name = candidates[0].learner.name
        raise NotAdditiveError(
            f"{name} is trained on documents, and a tally holds only their sums. Train it with "
            'fit, for example on a sample of the documents, or use model="auto".'
        )
    smoothing = semantic_smoothing(found[0].model)
    if smoothing is not None:
        check_translation(smoothing.translation)
        check_words_only(smoothing.translation)
    return found


def _is_multi_label(setting: bool | None, tally: Tally) -> bool:
    """Return True if documents may have several labels."""
    if not tally.classes:
        raise LabelError("there is no class to learn: no document of the tally has a label.")
    n_other = int(tally.n_multi_label + tally.n_unlabelled)
    if setting is False and n_other:
        raise LabelError(
            f"{n_other:,} documents of the tally have several labels or none, but this classifier "
            "is for documents with one label each. Make it with multi_label=True."
        )
    return n_other > 0 if setting is None else setting


@dataclass(frozen=True)
class TallySample:
    """A sample of the documents of a tally, which can be subtracted from it.

    Attributes
    ----------
    documents : SampledDocuments
        Counts of the words that models are scored by.
    rows : CSR matrix
        Counts of all words, because fractional planes depend on all words of a document.
    vocabulary : Vocabulary
        The columns of ``rows``: first those of the tally.
    used : ndarray of bool
        True for the columns that models are scored by.
    n_uncertain : int
        Number of words that the tally has fewer of than the sample, because rare words were dropped
        to bound its vocabulary. Models are scored without these words.
    """

    documents: SampledDocuments
    rows: Any
    vocabulary: Vocabulary
    used: NDArray[np.bool_]
    n_uncertain: int = 0

    @classmethod
    def from_texts(
        cls, tally: Tally, vectorizer: TextVectorizer, texts: Any, labels: list[Any], bounded: bool
    ) -> TallySample:
        """Count documents of a tally.

        Parameters
        ----------
        tally : Tally
        vectorizer : TextVectorizer
            With the vocabulary of the tally; not changed.
        texts : list or column of str
        labels : list
        bounded : bool
            True if rare words were dropped from the tally, so that it may have fewer of them than
            the sample.

        Raises
        ------
        NegativeCountError
            If the documents are not in the tally.
        """
        rows, vocabulary = _count_with_new_words(vectorizer, texts)
        check_label_count(rows.shape[0], labels)
        width = len(tally.vocabulary)
        if not bounded and len(vocabulary) > width:
            raise _not_counted_error(f"the tally does not have {vocabulary.term(width)!r}")
        used = np.zeros(len(vocabulary), dtype=bool)
        used[:width] = tally.live
        part = _partial_tally(rows, labels, vocabulary, tally, used)
        n_known = int(np.count_nonzero(used))
        if bounded:
            used[uncertain_terms(tally, part)] = False
            part = part.mask(used)
        # Subtracted once only to raise now, with advice, and not in the middle of model selection.
        try:
            tally.mask(np.flatnonzero(part.live)) - part
        except NegativeCountError as problem:
            reason = str(problem).removeprefix("cannot forget: ").split(". ")[0]
            raise _not_counted_error(f"without it, {reason}") from None
        X = rows.copy()
        X.data[~used[X.indices]] = 0
        X.eliminate_zeros()
        X.resize(X.shape[0], width)
        sample = DocumentSample(max(1, len(labels)))  # all of them, in random order
        sample.add(X, labels)
        n_uncertain = n_known - int(np.count_nonzero(used))
        return cls(sample.documents(width), rows, vocabulary, used, n_uncertain)

    def subtract(self, rows: Rows, labels: list[Any], tally: Tally) -> Tally:
        """Return the tally minus some of the documents, without the uncertain words."""
        if self.n_uncertain:
            uncertain = tally.live & ~self.used[: len(tally.vocabulary)]
            tally = tally.mask(~uncertain)
        X = self.rows[self.documents.rows[rows]]
        return tally - _partial_tally(X, labels, self.vocabulary, tally, self.used)


@dataclass
class SampleScorer(FoldScorer):
    """A scorer that subtracts the folds of a sample from a tally that was counted before.

    Attributes
    ----------
    sampled : TallySample
        The documents.
    """

    sampled: TallySample = field(kw_only=True, repr=False)

    def _tally_without(self, rows: Rows, labels: list[Any]) -> Tally:
        return self.sampled.subtract(rows, labels, self.tally)


def _count_with_new_words(vectorizer: TextVectorizer, texts: Any) -> tuple[Any, Vocabulary]:
    """Return counts, and their vocabulary: that of the vectorizer and then the new words."""
    if hasattr(texts, "__len__") and not len(texts):
        return vectorizer.transform([]), vectorizer.vocabulary_
    own = copy.copy(vectorizer)
    own.vocabulary_ = vectorizer.vocabulary_.copy()
    return own.partial_fit_transform(texts), own.vocabulary_


def _partial_tally(
    rows: Any, labels: list[Any], vocabulary: Vocabulary, tally: Tally, used: NDArray[np.bool_]
) -> Tally:
    """Return the counts of documents, with the planes of a tally and the words in use."""
    part = Tally(vocabulary, planes=tally.planes).learn(rows, labels, terms=vocabulary)
    return part.mask(used)


def _not_counted_error(reason: str) -> NegativeCountError:
    return NegativeCountError(
        f"the sample is not among the documents of the tally: {reason}. Give documents that were "
        "counted, with their labels and with the vectorizer that counted them; or "
        "sample=([], []) to select the model without a sample."
    )


def uncertain_terms(tally: Tally, part: Tally) -> NDArray[np.intp]:
    """Return the terms that a tally has fewer of than a part of it, in a class or in total.

    A term that was dropped from a bounded vocabulary and came back is counted without its earlier
    occurrences. Subtracting the part could leave counts that no documents add up to.

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
    terms = np.flatnonzero(part.live)
    whole = tally.mask(terms)
    number = {label: at for at, label in enumerate(dict.fromkeys([*whole.classes, *part.classes]))}
    our_keys, our_counts = _cells(whole, number)
    their_keys, their_counts = _cells(part, number)
    keys = np.union1d(our_keys, their_keys)
    left = _counts_at(our_keys, our_counts, keys) - _counts_at(their_keys, their_counts, keys)
    totals = _totals(whole, terms) - _totals(part, terms)
    # A key is the term times the number of classes, plus the class.
    row = np.searchsorted(terms, keys // max(1, len(number)))
    uncertain = _is_impossible(totals)
    uncertain[row[_is_impossible(left) | (left > totals[row]).any(axis=1)]] = True
    if whole.n_multi_label <= part.n_multi_label:
        # No document with several labels is left, so that the classes must add up to the totals.
        sums = np.zeros_like(totals)
        np.add.at(sums, row, left)
        # A document without a label is in the totals but in no class.
        exact = whole.n_unlabelled == part.n_unlabelled
        uncertain |= (sums != totals if exact else sums > totals).any(axis=1)
    return terms[uncertain]


def _is_impossible(left: Counts) -> NDArray[np.bool_]:
    """Return True for rows of occurrences, documents and planes that no documents add up to."""
    occurrences, documents = left[:, 0], left[:, 1]
    odd = (documents > occurrences) | ((documents == 0) != (occurrences == 0))
    empty = (occurrences == 0) & left.any(axis=1)
    return np.asarray(odd | empty | (left < 0).any(axis=1))


def _cells(tally: Tally, number: Mapping[Any, int]) -> tuple[Counts, Counts]:
    """Return a key for each pair of term and class with counts, ascending, and the counts."""
    arrays, header = tally._arrays()
    names = np.array([number[label] for label in header["classes"]], dtype=np.int64)
    term = np.repeat(np.arange(len(arrays["starts"]) - 1), np.diff(arrays["starts"]))
    keys = term * len(number) + names[arrays["classes"]]
    order = np.argsort(keys, kind="stable")
    return keys[order], arrays["cells"][order]


def _counts_at(keys: Counts, counts: Counts, wanted: Counts) -> Counts:
    """Return the counts of some keys, 0 for keys without counts."""
    at = np.searchsorted(keys, wanted)
    found = np.zeros((len(wanted), counts.shape[1]), dtype=np.int64)
    known = at < len(keys)
    known[known] = keys[at[known]] == wanted[known]
    found[known] = counts[at[known]]
    return found


def _totals(tally: Tally, terms: NDArray[np.intp]) -> Counts:
    totals: Counts = tally._arrays()[0]["term_totals"]
    # There may be no rows for terms after the last one that occurs.
    rows = np.zeros((int(terms.max(initial=-1)) + 1, totals.shape[1]), dtype=np.int64)
    rows[: len(totals)] = totals[: len(rows)]
    return rows[terms]
