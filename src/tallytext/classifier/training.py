"""From counted documents to a fitted classifier."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tallytext.classifier.labels import check_as_many, check_single
from tallytext.classifier.model_selection import (
    Candidate,
    Choice,
    Contest,
    Fitted,
    Judge,
    Size,
    affordable,
    fitted,
    n_judged,
)
from tallytext.classifier.registry import (
    CHOICES,
    FEATURES,
    GIVEN,
    Learner,
    find_learner,
    learner_of,
    learners,
)
from tallytext.classifier.report import (
    FEW,
    Pool,
    check_ears,
    reason_for,
    refuse_several,
    said_of_outgrown,
)
from tallytext.classifier.sampling import (
    Drawn,
    KeptRows,
    Keys,
    Rows,
    Sample,
    TrainingDocuments,
    dealt_out,
    few_for_refitting,
    grouped,
    latest,
    some_for_itself,
    whole,
)
from tallytext.classifier.term_selection import (
    Selector,
    check_documents,
    planes_to_select,
    selector_for,
)
from tallytext.errors import CountOverflowError, LabelError, VocabularyError
from tallytext.tally.gathered import added
from tallytext.tally.labels import LabelIndex, distinct_labels
from tallytext.tally.planes import Plane, in_order
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import Duplicates
from tallytext.text.sources import as_texts, fingerprints
from tallytext.text.vectorizer import TextVectorizer

# ------------------------------------------------------------------------------------------------
# Training documents as they stream by: counted, some of them kept to judge models on.

SAMPLE = 4096
"""How many documents are kept to judge models on, at most."""
SAMPLE_OF_KEPT = 16_384
"""The same where all documents are kept anyway."""


class Counting:
    """Counts documents, batch by batch, in memory that does not grow with their number.

    But for eight bytes and a label each, to find those that come twice; and for all of them, if a
    model is to be trained on documents.

    Parameters
    ----------
    vectorizer : TextVectorizer
        Not fitted; learns the words.
    planes : iterable of Plane
        What to count besides, as long as sums have room for it.
    kept : dict of KeptRows
        By names of features, what to keep of all documents; those with this vectorizer are
        counted once.
    most_words : mapping
        By names of features, of how many words documents may be on average in the first batch for
        these features to be counted at all.
    pool : dict of KeptRows
        By names of features, what to keep of documents without labels.
    n_drawn : int
        How many documents are kept to judge models on, at most.
    """

    def __init__(
        self,
        vectorizer: TextVectorizer,
        planes: Iterable[Plane],
        kept: Mapping[str, KeptRows] = MappingProxyType({}),
        most_words: Mapping[str, float] = MappingProxyType({}),
        pool: Mapping[str, KeptRows] = MappingProxyType({}),
        n_drawn: int = SAMPLE,
    ) -> None:
        self.vectorizer = vectorizer
        self.sample = Sample(n_drawn)
        self._planes = in_order(planes)
        self._tally: Tally | None = None
        self.kept, self._pool = dict(kept), dict(pool)
        self.n_unlabelled = 0
        self._most_words = most_words
        self._labels: list[Any] = []
        self._fingerprints: list[NDArray[np.uint64]] = []

    def add(self, texts: Any, labels: list[Any], keys: Keys | None = None) -> None:
        """Count more documents.

        Parameters
        ----------
        texts : list or column of str
        labels : list
            A label per document, or a list of labels.
        keys : ndarray of uint64, default=None
            What documents are drawn by, see :class:`~tallytext.classifier.sampling.Sample`.
        """
        self._check_order()
        X = self.vectorizer.partial_fit_transform(texts)
        check_as_many(X.shape[0], labels)
        self._learn(X, labels)
        self.sample.add(X, labels, keys)
        self._labels += labels
        self._fingerprints.append(self._prints(texts))
        self._keep(texts, X)

    def add_unlabelled(self, texts: Any) -> None:
        """Count more documents without labels, for the models that learn from these.

        They are in no class and in no tally; but their words are known from now on.
        """
        for rows in self._pool.values():
            rows.count(texts)
        self.n_unlabelled = max((rows.n_documents for rows in self._pool.values()), default=0)

    @property
    def tally(self) -> Tally:
        """What was counted."""
        if self._tally is None or not self._tally.n_documents:
            raise LabelError("there is no document to learn from.")
        return self._tally

    @property
    def outgrown(self) -> list[Plane]:
        """What is no longer counted, since sums would have left 64 bits."""
        kept = self._planes if self._tally is None else self._tally.planes
        return [each for each in self._planes if each not in kept]

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""
        return len(self._labels)

    def documents(self, multi_label: bool) -> TrainingDocuments | None:
        """Return all documents, if they were kept."""
        labels = self._labels if multi_label else check_single(self._labels)
        pool = self._pool if self.n_unlabelled else {}
        return TrainingDocuments(self.kept, labels, pool) if self.kept else None

    def duplicates(self) -> Duplicates:
        """Return which documents came more than once."""
        index = LabelIndex()
        encoded = index.encode(self._labels, len(self._labels))
        return Duplicates.of(np.concatenate(self._fingerprints), encoded, index.names)

    def _keep(self, texts: Any, X: Any) -> None:
        if len(self._fingerprints) == 1:
            words = X.sum() / max(X.shape[0], 1)
            for name, most in self._most_words.items():
                if words > most:
                    self.kept.pop(name, None)
        for rows in self.kept.values():
            if rows.vectorizer is self.vectorizer:
                rows.add(X)
            else:
                rows.count(texts)

    def _learn(self, X: Any, labels: list[Any]) -> None:
        tally, terms = self._counted_into(labels), self.vectorizer.vocabulary_
        try:
            tally.learn(X, labels, terms=terms)
        except CountOverflowError:
            if not tally.planes:
                raise
            more = Tally(terms, planes=tally.planes).learn(X, labels, terms=terms)
            self._tally = added(tally, more)

    def _counted_into(self, labels: list[Any]) -> Tally:
        if self._tally is None:
            self._tally = Tally(self.vectorizer.vocabulary_, planes=self._planes)
            self._tally.number_labels(distinct_labels(labels))
        return self._tally

    def _prints(self, texts: Any) -> NDArray[np.uint64]:
        read = self.vectorizer
        return fingerprints(
            texts, encoding=read.encoding, decode_error=read.decode_error, n_jobs=read.n_jobs
        )

    def _check_order(self) -> None:
        if self.vectorizer.is_limited and self._fingerprints:
            raise VocabularyError(
                "min_df, max_df and max_features need all documents at once: use fit, or a "
                "vectorizer without limits."
            )


# ------------------------------------------------------------------------------------------------
# What there is to choose from, as the settings of a classifier say.


def vectorizer_for(settings: Any, features: str) -> TextVectorizer:
    """Return a vectorizer that is not fitted yet, as the settings of a classifier say."""
    given = settings.vectorizer
    if given is None:
        return TextVectorizer(**FEATURES[features].vectorizer, n_jobs=settings.n_jobs)
    if not isinstance(given, TextVectorizer):
        raise TypeError(f"vectorizer must be a TextVectorizer, not {given!r:.80}.")
    return clone(given)


def candidates_for(settings: Any, unlabelled: bool = False) -> list[Candidate]:
    """Return what there is to choose from.

    Parameters
    ----------
    settings : TextClassifier
    unlabelled : bool, default=False
        Whether there will be documents without labels.

    Examples
    --------
    >>> from tallytext import TextClassifier
    >>> [str(each) for each in candidates_for(TextClassifier("bernoulli"))]
    ['bernoulli: BernoulliNB(gamma=0.1)']
    """
    if unlabelled and settings.multi_label:
        refuse_several()
    found = _found(settings, unlabelled)
    if unlabelled and settings.model not in CHOICES:
        check_ears(found[0].learner)
    if settings.vectorizer is not None:
        found = list({(each.learner.name, id(each.model)): each for each in found}.values())
        found = [replace(each, features=GIVEN) for each in found]
    common = {"n_jobs": settings.n_jobs, "verbose": settings.verbose}
    given = {name: value for name, value in common.items() if value is not None}
    for candidate in found:
        known = candidate.model.get_params(deep=False)
        candidate.model.set_params(**{name: given[name] for name in given if name in known})
    return found


def _found(settings: Any, unlabelled: bool) -> list[Candidate]:
    model = settings.model
    if isinstance(model, str) and model in CHOICES:
        additive = True if model == "auto" else None
        multi_label = bool(settings.multi_label)
        kinds = [k for k in learners(additive=additive, multi_label=multi_label) if k.considered]
        if unlabelled:
            kinds += [kind for kind in learners(unlabelled=True) if kind not in kinds]
        return [each for kind in kinds for each in _variants(kind)]
    if isinstance(model, str):
        kind = find_learner(model)
        return [Candidate(kind, kind.default(), kind.features[0])]
    return [Candidate(learner_of(model), clone(model))]


def _variants(kind: Learner) -> list[Candidate]:
    return [Candidate(kind, each, name) for each in kind.models() for name in kind.features]


def pool_for(kept: dict[str, KeptRows], candidates: list[Candidate]) -> dict[str, KeptRows]:
    """Return what to keep of documents without labels, for those that learn from them."""
    names = {each.features for each in candidates if each.learner.unlabelled}
    return {name: KeptRows(kept[name].vectorizer) for name in names}


def drawn_from(candidates: list[Candidate]) -> int:
    """Return how many documents to judge models on: more where all are kept for others anyway."""
    kept = any(each.learner.judged_by == "refitting" for each in candidates)
    return SAMPLE_OF_KEPT if kept else SAMPLE


def limits_for(kept: dict[str, KeptRows], base: str) -> dict[str, float]:
    """Return how long documents may be for features to be worth counting."""
    limits = {name: FEATURES[name].most_words for name in kept if name not in (GIVEN, base)}
    return {name: most for name, most in limits.items() if most is not None}


def planes_for(candidate: Candidate, selector: Selector | None) -> list[Plane]:
    """Return what a tally must count for a model of chosen terms to be read off it."""
    own = planes_of(candidate)
    return [*own, *(each for each in planes_to_select(selector) if each not in own)]


def planes_of(candidate: Candidate) -> list[Plane]:
    """Return what a tally must count for a model to be read off it."""
    if not candidate.learner.additive:
        return []
    candidate.model._settle(bool(candidate.model.multi_label))
    return [column for column in candidate.model._columns(1.0, False) if isinstance(column, Plane)]


class Training:
    """One training of a classifier, from its settings: add documents, then finish.

    Parameters
    ----------
    settings : TextClassifier
        Its parameters are read; it is not changed.
    unlabelled : bool, default=False
        Whether there will be documents without labels.
    """

    def __init__(self, settings: Any, unlabelled: bool = False) -> None:
        self._settings = settings
        self.candidates = candidates_for(settings, unlabelled)
        self._base = base = self.candidates[0].features
        self.vectorizer = vectorizer_for(settings, base)
        self.at_once = self.vectorizer.is_limited
        kept = {}
        for each in self.candidates:
            if each.learner.needs_documents and each.features not in kept:
                own = each.features == base
                counts = self.vectorizer if own else vectorizer_for(settings, each.features)
                kept[each.features] = KeptRows(counts)
        self.selector = selector_for(settings.select)
        check_documents(self.selector, [each.learner for each in self.candidates])
        planes = [plane for candidate in self.candidates for plane in self._planes(candidate)]
        self.counting = Counting(
            self.vectorizer,
            planes,
            kept,
            limits_for(kept, base),
            pool_for(kept, self.candidates) if unlabelled else {},
            drawn_from(self.candidates),
        )

    def add(self, texts: Any, labels: list[Any], keys: Any = None) -> None:
        """Count more documents.

        Raises
        ------
        CountOverflowError
            If there are more than any of the models can have counted for it.
        """
        if self._settings.multi_label is False:
            labels = check_single(labels, self.counting.n_documents)
        self.counting.add(texts, labels, keys)
        if outgrown := self.counting.outgrown:
            self._do_without(outgrown)

    def read(self, texts: Any) -> list[str]:
        """Return all texts, where limits of the vocabulary can be told from all together only."""
        read = self.vectorizer
        return as_texts(texts, encoding=read.encoding, decode_error=read.decode_error).strings()

    def add_unlabelled(self, texts: Any) -> None:
        """Count more documents without labels, after those that have some."""
        self.counting.add_unlabelled(texts)

    def finished(self, indicator: bool, by_group: bool, by_time: bool) -> Fitted:
        """Choose a model, and calibrate it."""
        tally, settings = self.counting.tally, self._settings
        multi_label = settings.multi_label
        if multi_label is None:
            multi_label = indicator or tally.n_several > 0 or tally.n_unlabelled > 0
        if multi_label and self.counting.n_unlabelled:
            refuse_several()
        self.candidates = self._entrants()
        drawn = self.counting.sample.drawn(len(self.vectorizer.vocabulary_))
        if not multi_label:
            drawn = drawn._replace(labels=check_single(drawn.labels))
        folds = self._folds(drawn, multi_label, by_group, by_time)
        method = "groups" if by_group else "time" if by_time else "cross-validation"
        documents = self.counting.documents(multi_label)
        judge = Judge(tally, drawn, folds, multi_label, documents, method, self.selector)
        choice = Contest(settings, self.candidates, self._size).choice(judge)
        return self._fitted(judge, choice)

    def _fitted(self, judge: Judge, choice: Choice) -> Fitted:
        additive = choice.candidate.learner.additive
        return fitted(
            judge,
            choice,
            self._counted(judge, choice),
            self._planes(choice.candidate) if additive else [],
            duplicates=self.counting.duplicates(),
            pool=self._pool(choice),
            origin=(said_of_outgrown(outgrown),) if (outgrown := self.counting.outgrown) else (),
        )

    def _do_without(self, planes: list[Plane]) -> None:
        """Leave out the models that read what is no longer counted."""
        left = [each for each in self.candidates if not {*planes} & {*self._planes(each)}]
        if not left:
            name, full = self.candidates[0].learner.name, ", ".join(map(repr, planes))
            raise CountOverflowError(
                f"too many documents for {name}: {full}, which it reads, would leave 64 bits. "
                'Learn from fewer, or take a model of plain counts, as "contrast" is; "auto" does.'
            )
        self.candidates = left

    def _entrants(self) -> list[Candidate]:
        """Return what is compared: where labels are few, nothing but what does well with few."""
        pooled = [each for each in self.candidates if each.learner.unlabelled]
        if self._settings.model not in CHOICES or not pooled:
            return self.candidates
        if not self.counting.n_unlabelled or not all(map(self._has_room, pooled)):
            return [each for each in self.candidates if not each.learner.unlabelled]
        return pooled if self._labels_per_class() <= FEW else self.candidates

    def _has_room(self, candidate: Candidate) -> bool:
        """Whether what a candidate must have in memory is not too much."""
        tally = self.counting.tally
        sums = int(tally.n_documents), int(tally.n_tokens), 0, int(tally.n_terms)
        return affordable(candidate.learner, self._size(Size(*sums, len(tally.classes)), candidate))

    def _labels_per_class(self) -> float:
        return float(np.median(self.counting.tally.class_documents))

    def _pool(self, choice: Choice) -> Pool:
        """Return what became of the documents without labels."""
        n, chosen = self.counting.n_unlabelled, choice.candidate.learner
        notes = tuple(getattr(choice.model, "notes_", ())) if chosen.unlabelled else ()
        reason = ""
        if n and self._settings.model in CHOICES:
            reason = reason_for(
                self._labels_per_class(), chosen, [each.learner for each in self.candidates]
            )
        return Pool(n, reason, notes)

    def _counted(self, judge: Judge, choice: Choice) -> tuple[TextVectorizer, Tally]:
        """Return what counts texts for the model that was chosen, and what it has counted."""
        features = choice.candidate.features
        if features == self._base or judge.documents is None:
            return self.vectorizer, judge.tally
        rows = judge.documents.kept[features]
        vectorizer = rows.vectorizer
        labels = judge.documents.labels
        return vectorizer, Tally.from_counts(rows.matrix(), labels, vectorizer.vocabulary_)

    def _planes(self, candidate: Candidate) -> list[Plane]:
        return planes_for(candidate, self.selector)

    def _folds(self, drawn: Drawn, multi_label: bool, by_group: bool, by_time: bool) -> list[Rows]:
        n_documents = int(self.counting.tally.n_documents)
        n = n_judged(drawn, self.counting.tally, multi_label)
        if not n:
            return []
        if by_time:
            return latest(whole(drawn.keys, n), n_documents)
        if by_group:
            return grouped(whole(drawn.keys, n), n_documents)
        ways = {each.learner.judged_by for each in self.candidates}
        deal = dealt_out
        if "refitting" in ways:
            deal = few_for_refitting
        elif "itself" in ways:
            deal = some_for_itself
        return deal(drawn.labels[:n], n_documents, multi_label)

    def _size(self, size: Size, candidate: Candidate) -> Size:
        """Return how much there is to learn from, in terms of the features of a candidate."""
        kept = self.counting.kept.get(candidate.features)
        if candidate.learner.unlabelled:
            size = size._replace(n_documents=size.n_documents + self.counting.n_unlabelled)
        return size if kept is None else size._replace(n_terms=len(kept.vectorizer.vocabulary_))
