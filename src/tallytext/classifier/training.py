"""Training of a classifier: count the documents in one pass, then select and fit a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from inspect import signature
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._estimators import clone
from tallytext._typing import FloatArray
from tallytext.classifier.expressions import build_model
from tallytext.classifier.labels import check_label_count, single_labels
from tallytext.classifier.model_selection import (
    MAX_SELECTION_DOCUMENTS,
    Candidate,
    ClassifierSettings,
    DocumentSample,
    FittedParts,
    FoldScorer,
    Keys,
    SampledDocuments,
    Selection,
    Selector,
    StoredRows,
    TrainingDocuments,
    fitted_parts,
    is_affordable,
    n_scored_documents,
    select_model,
    selector_for,
    training_size,
)
from tallytext.classifier.registry import (
    CHOICES,
    FEATURES,
    GIVEN_FEATURES,
    learner_for_model,
    learners,
)
from tallytext.classifier.report import (
    MAX_FEW_LABELS,
    MIN_COMPARED_WITH_POOL,
    UnlabelledSummary,
    check_semi_supervised,
    describe_overflow,
    explain_unlabelled_choice,
    refuse_multi_label,
)
from tallytext.decision.thresholds import check_threshold_rule
from tallytext.errors import CountOverflowError, LabelError, SettingsError, VocabularyError
from tallytext.evaluation.folds import (
    Rows,
    folds_of_sorted_groups,
    latest_fold,
    refitting_folds,
    self_evaluation_folds,
    subtraction_folds,
    take_whole_groups,
)
from tallytext.features.selector import TermSelector
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.models.refined import RefinedNB, label_hashes
from tallytext.models.smoothing.semantic import Semantic, Signatures, check_translation
from tallytext.semantic.translation import TranslationModel
from tallytext.tally.gathered import add_tallies
from tallytext.tally.labels import LabelIndex, distinct_labels
from tallytext.tally.planes import Plane, sort_planes
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import Duplicates, document_keys
from tallytext.text.sources import as_texts, fingerprints, split_documents
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

TRAINING_BATCH = 65_536
"""Number of documents that are counted at a time."""
_MAX_SHORT_WORDS = 25  # of the median text; shorter ones are counted with strings of characters
SAMPLE_SIZE = 4096
"""Largest number of documents that models are scored on."""
SAMPLE_SIZE_REFITTING = 16_384
"""The same if all documents are stored in any case, for learners that are trained on them."""
MAX_KEPT_BYTES = 1 << 30
"""Largest size of stored documents, of all features together; larger ones are dropped."""
_BYTES_PER_CELL = 12  # the number of a term and its count


def vectorizer_for(settings: ClassifierSettings, features: str) -> TextVectorizer:
    """Return an unfitted vectorizer: that of the settings, or the usual one for the features."""
    given = settings.vectorizer
    if given is None:
        return TextVectorizer(**FEATURES[features].vectorizer, n_jobs=settings.n_jobs)
    if not isinstance(given, TextVectorizer):
        raise TypeError(f"vectorizer must be a TextVectorizer, not {given!r:.80}.")
    # A clone, so that the vectorizer of the user stays unfitted and can serve other classifiers.
    return clone(given)


def candidates_for(settings: ClassifierSettings, unlabelled: bool = False) -> list[Candidate]:
    """Return the candidates of model selection.

    Parameters
    ----------
    settings : ClassifierSettings
    unlabelled : bool, default=False
        True if there will be documents without labels.

    Examples
    --------
    >>> from tallytext import TextClassifier
    >>> [str(each) for each in candidates_for(TextClassifier("bernoulli"))]
    ['bernoulli: BernoulliNB(gamma=0.1)']
    """
    check_threshold_rule(settings.thresholds)
    if settings.keep not in ("documents", "counts"):
        raise ValueError(f'keep must be "documents" or "counts", not {settings.keep!r:.40}.')
    if unlabelled and settings.multi_label:
        refuse_multi_label()
    model, multi_label = settings.model, bool(settings.multi_label)
    if not isinstance(model, str):
        found = [Candidate(learner_for_model(model), clone(model))]
    elif model not in CHOICES:
        learner, made = build_model(model)
        # Whether strings of characters are counted, too, is decided by the length of the texts.
        features = learner.features if unlabelled and learner.unlabelled else learner.features[:1]
        found = [Candidate(learner, made, each) for each in features]
    else:
        # Without documents, only functions of counts can go on learning.
        additive = True if model == "additive" or settings.keep == "counts" else None
        # Whether documents have several labels may be known only when all labels are read.
        wanted = {True} if settings.multi_label is False else {True, "multi-label"}
        kinds = [
            kind
            for kind in learners(additive=additive, multi_label=multi_label)
            if kind.automatic in wanted
        ]
        if unlabelled:
            kinds += [kind for kind in learners(unlabelled=True) if kind not in kinds]
        found = [
            Candidate(kind, each, features)
            for kind in kinds
            for each in kind.models()
            for features in kind.features
        ]
    if unlabelled and model not in CHOICES and semantic_smoothing(found[0].model) is None:
        check_semi_supervised(found[0].learner)
    if settings.vectorizer is not None:
        # Without a choice of features, one candidate remains of each model.
        found = list({(each.learner.name, id(each.model)): each for each in found}.values())
        found = [replace(each, features=GIVEN_FEATURES) for each in found]
    # A given model keeps its own values where the classifier has none.
    common = {"n_jobs": settings.n_jobs, "verbose": settings.verbose}
    for candidate in found:
        known = candidate.model.get_params(deep=False)
        candidate.model.set_params(
            **{name: v for name, v in common.items() if v is not None and name in known}
        )
        if settings.keep == "counts" and isinstance(candidate.model, RefinedNB):
            candidate.model.set_params(keep=False)
    return found


def candidates_of_names(
    candidates: list[Candidate], settings: ClassifierSettings, unlabelled: bool
) -> list[Candidate]:
    """Return the candidates that can learn classes from their names and unlabelled texts.

    Raises
    ------
    SettingsError
        If there is none, there are no unlabelled texts, or names are to be ignored.
    """
    able = [each for each in candidates if hasattr(each.model, "class_words")]
    if not unlabelled:
        raise SettingsError(
            "classes= needs unlabelled=, texts in which the words of the class names occur."
        )
    if not able or settings.descriptions is False:
        raise SettingsError(
            'classes= needs a model that reads the names of classes: model="auto" or "pooled", '
            "and descriptions= must not be False."
        )
    return able


def median_terms(documents: TrainingDocuments, features: str) -> float:
    """Return the median number of distinct terms of all documents."""
    stored = [part[features] for part in (documents.rows, documents.unlabelled) if features in part]
    sizes = np.concatenate([np.diff(each.matrix().indptr) for each in stored])
    return float(np.median(sizes)) if len(sizes) else 0.0


def semantic_smoothing(model: Any) -> Semantic | None:
    """Return the semantic smoothing of a model, or None if it has another one.

    Raises
    ------
    SettingsError
        If the smoothing is inside a model that is trained on documents and would ignore it.
    """
    if isinstance(getattr(getattr(model, "nb", None), "smoothing", None), Semantic):
        raise SettingsError(
            f"{type(model).__name__} cannot start from semantic smoothing. Use "
            "MultinomialNB(Semantic(...)) itself."
        )
    smoothing = getattr(model, "smoothing", None)
    return smoothing if isinstance(smoothing, Semantic) else None


def accepts_weights(model: Any) -> bool:
    """Return True if a model can be fitted on documents with weights."""
    return isinstance(model, NaiveBayes) or "sample_weight" in signature(model.fit).parameters


def weighted_candidates(
    candidates: list[Candidate], settings: ClassifierSettings
) -> list[Candidate]:
    """Return the candidates that can be fitted on documents with weights.

    Raises
    ------
    SettingsError
        If there is none, or terms are selected or translated, which would ignore the weights.
    """
    if settings.select is not None or semantic_smoothing(candidates[0].model) is not None:
        raise SettingsError(
            "sample_weight and class_weight cannot be used with select= or semantic smoothing, "
            "which count every document once. Repeat documents instead."
        )
    able = [each for each in candidates if accepts_weights(each.model)]
    if not able:
        names = [each.name for each in learners() if accepts_weights(each.default())]
        raise SettingsError(
            f"{candidates[0].learner.name} cannot weigh documents, so sample_weight and "
            f"class_weight would have no effect. Learners that can: {', '.join(names)}."
        )
    return able


def planes_for(
    candidate: Candidate, selector: Selector | None, weighted: bool = False
) -> list[Plane]:
    """Return the planes that a tally must count for a model of the selected terms."""
    planes: list[Plane] = []
    if candidate.learner.additive:
        model = candidate.model
        smoothing = semantic_smoothing(model)
        if smoothing is not None and not _is_fitted(smoothing.translation):
            # The planes do not depend on the translation, which is learned later.
            model = clone(model).set_params(smoothing=None)
        model._resolve_multi_label(bool(model.multi_label))
        # A classifier counts whole occurrences: in units of 1.
        planes += [column for column in model._columns(1.0, weighted) if isinstance(column, Plane)]
    if isinstance(selector, TermSelector) and selector.method == "ig":
        # Information gain may count a multi-label document in equal parts for each of its labels.
        shared = Plane("binary", shared=True)
        if selector.labels in (None, "fractional") and shared not in planes:
            planes.append(shared)
    return planes


def _is_fitted(translation: Any) -> bool:
    return hasattr(translation, "rows_")


def check_words_only(translation: Any) -> None:
    """Raise SettingsError for a translation of phrases that cannot be counted in these texts."""
    if (np.asarray(translation.kinds_) > 0).any():
        raise SettingsError(
            "this translation has rows of phrases or concepts, but cannot count them in texts: it "
            "is not a TranslationModel, or the texts are not at hand. Fit a TextClassifier on "
            "texts with a TranslationModel that was fitted on texts, or translate words only."
        )


def check_signatures_occur(translation: Any, tally: Tally) -> None:
    """Raise SettingsError if semantic smoothing would be plain background smoothing.

    Raises
    ------
    SettingsError
        If no signature of the translation, or none of its words, occurs in the documents.
    """
    vocabulary = tally.vocabulary
    found = Signatures.from_translation(translation, vocabulary.ids, len(vocabulary))
    for name, columns in (("signature", found.columns), ("word", found.words)):
        if tally.n_tokens and not (columns >= 0).any():
            raise SettingsError(
                f"no {name} of the translation occurs in the training documents, so it would have "
                "no effect. Was it learned from texts of another kind or language, or with another "
                "vectorizer? Learn it from texts like these; words have more signatures than "
                "phrases."
            )


class DocumentCounter:
    """Counts labelled documents, batch by batch.

    Memory grows by eight bytes and a label per document, to find duplicates; and by the rows of
    counts only if a candidate is trained on documents.

    Parameters
    ----------
    vectorizer : TextVectorizer
        Unfitted; its vocabulary grows.
    planes : iterable of Plane
        Planes to count. A plane whose sums would overflow is dropped.
    rows : mapping of StoredRows, default={}
        Where to store the counts of all documents, by the name of the features. Those with this
        vectorizer are counted once.
    max_words : mapping of float, default={}
        By the name of the features, the mean number of words per document in the first batch above
        which these features are not counted.
    unlabelled : mapping of StoredRows, default={}
        Where to store the counts of documents without labels, by the name of the features.
    sample_size : int, default=4096
        Largest number of documents that models are scored on.

    Attributes
    ----------
    tally : Tally or None
        The counts of all documents; None before the first batch.
    overflowing : list of Plane
        Planes that were dropped, because a sum would exceed 64 bits.
    """

    def __init__(
        self,
        vectorizer: TextVectorizer,
        planes: Iterable[Plane],
        rows: Mapping[str, StoredRows] = MappingProxyType({}),
        max_words: Mapping[str, float] = MappingProxyType({}),
        unlabelled: Mapping[str, StoredRows] = MappingProxyType({}),
        sample_size: int = SAMPLE_SIZE,
    ) -> None:
        self.vectorizer = vectorizer
        self.sample = DocumentSample(sample_size)
        self.rows, self._unlabelled = dict(rows), dict(unlabelled)
        self.labels: list[Any] = []
        self.n_unlabelled = 0
        self.tally: Tally | None = None
        # True to count documents without labels in the totals of the tally, and in no class.
        self.counts_unlabelled = False
        # True if other candidates remain without the documents.
        self.may_drop_rows = False
        self.overflowing: list[Plane] = []
        # True if the documents are too large to be kept, and if they were dropped for that.
        self.is_large = self.dropped_rows = False
        self._planes = sort_planes(planes)
        self._max_words = max_words
        self._fingerprints: list[NDArray[np.uint64]] = []
        self._weights: list[FloatArray] = []

    def add(
        self,
        texts: Any,
        labels: list[Any],
        keys: Keys | None = None,
        weights: FloatArray | None = None,
    ) -> None:
        """Count documents.

        Parameters
        ----------
        texts : list or column of str
        labels : list
            A label per document, or a list of labels.
        keys : ndarray of uint64, default=None
            Keys to sample by, see :class:`~tallytext.classifier.model_selection.DocumentSample`.
        weights : ndarray of shape (n_documents,), default=None
            Weights of the documents, for planes that are weighted.
        """
        vectorizer = self.vectorizer
        if vectorizer.is_limited and self._fingerprints:
            raise VocabularyError(
                "min_df, max_df and max_features need all documents at once: use fit, or a "
                "vectorizer without limits."
            )
        X = vectorizer.partial_fit_transform(texts)
        check_label_count(X.shape[0], labels)
        self._learn(X, labels, weights)
        if weights is not None:
            self._weights.append(weights)
        if keys is None and self.rows:
            keys = content_keys(X, labels, vectorizer.vocabulary_)
        self.sample.add(X, labels, keys)
        self.labels += labels
        self._fingerprints.append(
            fingerprints(
                texts,
                encoding=vectorizer.encoding,
                decode_error=vectorizer.decode_error,
                n_jobs=vectorizer.n_jobs,
            )
        )
        if len(self._fingerprints) == 1:
            # Decided by the first batch: counting features to drop them at the end would cost the
            # same time and memory as counting them to use them.
            self._drop_features_of_short_texts(X)
        for stored in self.rows.values():
            if stored.vectorizer is vectorizer:
                stored.add(X)
            else:
                stored.count(texts)
        n_bytes = _BYTES_PER_CELL * sum(stored.n_cells for stored in self.rows.values())
        self.is_large = n_bytes > MAX_KEPT_BYTES
        if self.may_drop_rows and self.is_large:
            self.rows, self.dropped_rows = {}, True

    def add_counted(self, X: Any, labels: list[Any], sort_terms: bool) -> None:
        """Add all documents at once, counted by the vocabulary of the vectorizer.

        Parameters
        ----------
        X : CSR matrix
        labels : list
        sort_terms : bool
            True to renumber the terms in an order that depends on the documents alone.
        """
        (stored,) = self.rows.values()
        stored.add(X)
        if sort_terms:
            stored.sort_terms()
            self.vectorizer = stored.vectorizer
        X = stored.matrix()
        self._learn(X, labels)
        self.sample.add(X, labels, content_keys(X, labels, self.vectorizer.vocabulary_))
        self.labels += labels

    def add_unlabelled(self, texts: Any) -> None:
        """Count documents without labels, for the learners that use them.

        They are in no class, and only semantic smoothing has them in its tally; but their words
        become part of the vocabulary.
        """
        if self.counts_unlabelled:
            X = self.vectorizer.partial_fit_transform(texts)
            self.n_unlabelled += X.shape[0]
            if X.shape[0]:
                self._learn(X, [[]] * X.shape[0])
        for name, stored in [*self._unlabelled.items()]:
            if name in self._unlabelled:
                X = stored.count(texts)
                # Each of them counts the same texts, so these must not be added up.
                self.n_unlabelled = max(self.n_unlabelled, stored.n_documents)
                if name not in self._max_words:
                    self._drop_features_of_short_texts(X)

    def _drop_features_of_short_texts(self, X: Any) -> None:
        """Drop features that are not worth their cost on documents as long as these."""
        mean_words = X.sum() / max(X.shape[0], 1)
        for name, limit in self._max_words.items():
            if mean_words > limit:
                self.rows.pop(name, None)
                self._unlabelled.pop(name, None)

    @property
    def weights(self) -> FloatArray | None:
        """The weights of all documents, if they have any."""
        return np.concatenate(self._weights) if self._weights else None

    def _learn(self, X: Any, labels: list[Any], weights: FloatArray | None = None) -> None:
        terms = self.vectorizer.vocabulary_
        if self.tally is None:
            self.tally = Tally(terms, planes=self._planes)
            # Models list classes in sorted order, and read a tally faster if it has the same order.
            self.tally.number_labels(distinct_labels(labels))
        if not any(plane.weighted for plane in self.tally.planes):
            weights = None  # those of models that are trained on documents
        try:
            self.tally.learn(X, labels, terms=terms, sample_weight=weights)
        except CountOverflowError:
            if not self.tally.planes:
                raise
            # Adding tallies drops the planes that overflow, where learning raises.
            more = Tally(terms, planes=self.tally.planes)
            more.learn(X, labels, terms=terms, sample_weight=weights)
            self.tally = add_tallies(self.tally, more)
            left = self.tally.planes
            self.overflowing = [each for each in self._planes if each not in left]

    def documents(self, multi_label: bool) -> TrainingDocuments | None:
        """Return all documents, or None if they were not stored."""
        if not self.rows:
            return None
        labels = self.labels if multi_label else single_labels(self.labels)
        return TrainingDocuments(self.rows, labels, self._unlabelled if self.n_unlabelled else {})

    def duplicates(self) -> Duplicates:
        """Return the documents that occur more than once."""
        index = LabelIndex()
        encoded = index.encode(self.labels, len(self.labels))
        return Duplicates.from_fingerprints(
            np.concatenate(self._fingerprints), encoded, index.names
        )


def content_keys(X: Any, labels: list[Any], terms: Vocabulary) -> Keys:
    """Return keys of documents that depend on their contents alone, to sample by.

    Parameters
    ----------
    X : CSR matrix
    labels : list
        A label per document, or a list of labels.
    terms : Vocabulary
        The terms of the columns.
    """
    index = LabelIndex()
    starts, ids = index.encode(labels, len(labels))
    classes = sparse.csr_matrix(
        (np.ones(len(ids)), ids, starts), shape=(len(labels), max(len(index.names), 1))
    )
    return document_keys(X, classes, label_hashes(list(index.names)), terms.hashes())


class Training:
    """The training of one classifier: add documents, then finish.

    Parameters
    ----------
    settings : ClassifierSettings
        Not changed.
    unlabelled : bool, default=False
        True if there will be documents without labels.
    weighted : bool, default=False
        True if documents will have weights.
    declared : iterable of labels, default=()
        Classes that need no labelled documents.
    """

    def __init__(
        self,
        settings: ClassifierSettings,
        unlabelled: bool = False,
        weighted: bool = False,
        declared: Iterable[Any] = (),
    ) -> None:
        self._settings, self._weighted = settings, weighted
        self._declared = tuple(dict.fromkeys(declared))
        self.candidates = candidates_for(settings, unlabelled)
        if self._declared:
            self.candidates = candidates_of_names(self.candidates, settings, unlabelled)
        if weighted:
            self.candidates = weighted_candidates(self.candidates, settings)
        self._base = base = self.candidates[0].features
        self.vectorizer = vectorizer_for(settings, base)
        self.selector = selector_for(settings.select, [each.learner for each in self.candidates])
        rows: dict[str, StoredRows] = {}
        pool: dict[str, StoredRows] = {}
        max_words: dict[str, float] = {}
        for features, learner in ((each.features, each.learner) for each in self.candidates):
            if learner.needs_documents and features not in rows:
                own = features == base
                rows[features] = StoredRows(
                    self.vectorizer if own else vectorizer_for(settings, features)
                )
                # The features of the first candidate are counted for the tally in any case.
                limit = None if own else FEATURES[features].max_words
                if limit is not None:
                    max_words[features] = limit
            if unlabelled and learner.unlabelled and features not in pool:
                # The same vectorizer, so that rows with and without labels have the same columns.
                pool[features] = StoredRows(rows[features].vectorizer)
        refits = any(each.learner.validation == "refitting" for each in self.candidates)
        self.counter = DocumentCounter(
            self.vectorizer,
            (
                plane
                for each in self.candidates
                for plane in planes_for(each, self.selector, weighted)
            ),
            rows,
            max_words,
            pool,
            SAMPLE_SIZE_REFITTING if refits else SAMPLE_SIZE,
        )
        self.counter.may_drop_rows = any(each.learner.additive for each in self.candidates)
        # The smoothing of the only candidate, if that is semantic.
        self._semantic = semantic_smoothing(self.candidates[0].model)
        # Documents without labels that are too few so far to be counted.
        self._waiting: list[str] = []
        self.counter.counts_unlabelled = self._semantic is not None
        if self._semantic is not None and not self.learns_translation:
            self._count_signatures(settings.vectorizer)

    @property
    def learns_translation(self) -> bool:
        """True if a translation has to be learned from the texts before they are counted."""
        return self._semantic is not None and not _is_fitted(self._semantic.translation)

    def learn_translation(self, texts: Any, unlabelled: Any) -> tuple[list[str], list[str]]:
        """Learn the translation of semantic smoothing from all texts; return these as lists."""
        assert self._semantic is not None
        given, settings = self._semantic.translation, self._settings
        if given is None:
            translation = TranslationModel(
                self._semantic.signatures,
                vectorizer=self.vectorizer,
                n_jobs=settings.n_jobs,
                verbose=settings.verbose,
            )
        elif isinstance(given, TranslationModel):
            translation = clone(given)
        else:
            check_translation(given)  # raises
        labelled, others = self._as_lists(texts, () if unlabelled is None else unlabelled)
        if labelled or others:
            self._semantic = replace(
                self._semantic, translation=translation.fit([*labelled, *others])
            )
            self.candidates[0].model.smoothing = self._semantic
            self._count_signatures(settings.vectorizer)
        return labelled, others

    def _count_signatures(self, given: TextVectorizer | None) -> None:
        """Count words as the translation does, unless a vectorizer is given, and its signatures."""
        assert self._semantic is not None
        translation = self._semantic.translation
        if isinstance(translation, TranslationModel):
            self.vectorizer = self.counter.vectorizer = translation.new_vectorizer(given)
        else:
            check_words_only(translation)

    def add(
        self,
        texts: Any,
        labels: list[Any],
        keys: Keys | None = None,
        weights: FloatArray | None = None,
    ) -> None:
        """Count documents, batch by batch.

        Raises
        ------
        CountOverflowError
            If the sums that every candidate reads would exceed 64 bits.
        """
        counter, start = self.counter, 0
        # Limits of the vocabulary depend on all documents, so these must be a single batch.
        size = len(labels) + 1 if self.vectorizer.is_limited else TRAINING_BATCH
        for batch in split_documents(texts, size):
            end = start + len(batch)
            listed = labels[start:end]
            if self._settings.multi_label is False:
                listed = single_labels(listed, len(counter.labels))
            counter.add(
                batch,
                listed,
                None if keys is None else keys[start:end],
                None if weights is None else weights[start:end],
            )
            if counter.overflowing:
                self._drop_candidates(counter.overflowing)
            start = end
        # The number of texts of an iterator is known only now.
        check_label_count(start, labels)
        if self._declared and counter.tally is None:
            counter.add([], [])

    def add_unlabelled(self, texts: Any) -> None:
        """Count documents without labels, after those with labels.

        With few labels, those of "auto" wait until they are as many as the documents with labels:
        a smaller pool has lowered the accuracy on most corpora. It is not counted then, so that it
        changes nothing.
        """
        if self._needs_larger_pool:
            self._waiting += self.as_strings(texts)
            texts = self._waiting
        if not self._needs_larger_pool:
            self._waiting = []
            self.counter.add_unlabelled(texts)

    @property
    def _needs_larger_pool(self) -> bool:
        """True if the documents without labels are too few to be used."""
        tally = self.counter.tally
        if self._settings.model not in CHOICES or tally is None or self.counter.n_unlabelled:
            return False
        return self._has_few_labels(tally) and len(self._waiting) < tally.n_documents

    @staticmethod
    def _has_few_labels(tally: Tally) -> bool:
        if not tally.n_documents:
            return True
        return float(np.median(tally.class_documents)) <= MAX_FEW_LABELS

    def fit_vocabulary(self, texts: Any, unlabelled: Any) -> tuple[list[str], list[str]]:
        """Fit a limited vocabulary on all texts, and return these as lists."""
        labelled, others = self._as_lists(texts, unlabelled)
        self.vectorizer.fit([*labelled, *others])
        return labelled, others

    def _as_lists(self, texts: Any, unlabelled: Any) -> tuple[list[str], list[str]]:
        """Return texts as lists, because an iterator could not be read again to count them."""
        return self.as_strings(texts), self.as_strings(unlabelled)

    def as_strings(self, texts: Any) -> list[str]:
        """Return texts as a list of strings, decoded as the vectorizer decodes them."""
        decoding = {
            "encoding": self.vectorizer.encoding,
            "decode_error": self.vectorizer.decode_error,
        }
        return as_texts(texts, **decoding).strings()

    def finish(self, indicator: bool, by_group: bool, by_time: bool) -> FittedParts:
        """Select a model and return the parts of the fitted classifier.

        Parameters
        ----------
        indicator : bool
            True if the labels were an indicator matrix.
        by_group, by_time : bool
            True if the keys of documents are their groups, or their times.
        """
        counter, tally, settings = self.counter, self.counter.tally, self._settings
        if tally is None or not (tally.n_documents or self._declared):
            raise LabelError("there is no document to learn from.")
        multi_label = settings.multi_label
        if multi_label is None:
            # An indicator matrix allows several labels even if no row happens to have two.
            n_without_label = tally.n_unlabelled - self._n_in_no_class
            multi_label = indicator or tally.n_multi_label > 0 or n_without_label > 0
        if multi_label and (counter.n_unlabelled or self._waiting):
            refuse_multi_label()
        if self._semantic is not None:
            check_signatures_occur(self._semantic.translation, tally)
        documents = counter.documents(multi_label)
        if counter.is_large:
            for candidate in self.candidates:
                if isinstance(candidate.model, RefinedNB):
                    candidate.model.set_params(keep=False)
        if documents is not None and self.selector is None and not counter.n_unlabelled:
            for stored in documents.rows.values():
                stored.mark_strings()
        self.candidates = self._compared_candidates(tally, documents, multi_label)
        sample = counter.sample.documents(len(self.vectorizer.vocabulary_))
        if not multi_label:
            sample = sample._replace(labels=single_labels(sample.labels))
        scorer = FoldScorer(
            tally,
            sample,
            self._folds(tally, sample, multi_label, by_group, by_time),
            multi_label,
            documents,
            "groups" if by_group else "time" if by_time else "cross-validation",
            self.selector,
            settings.thresholds,
            None if multi_label or by_group or by_time else MAX_SELECTION_DOCUMENTS,
            counter.weights,
            self._declared,
            settings.descriptions,
        )
        settles = documents is not None and self.selector is None
        settles = settles and not (by_group or by_time or counter.n_unlabelled or self._weighted)

        def is_settled(candidate: Candidate) -> bool:
            return settles and isinstance(candidate.model, RefinedNB)

        selection = select_model(settings, self.candidates, scorer, is_settled)
        chosen, vectorizer = selection.candidate, self.vectorizer
        common: dict[str, Any] = {
            "duplicates": counter.duplicates(),
            "pool": self._unlabelled_summary(selection, scorer.tally),
            "origin": self._notes(),
        }
        if documents is not None and is_settled(chosen):
            # By the function that settles a model, so that both give the same.
            stored = documents.rows[chosen.features]
            documents.rows.clear()  # frees those of other features
            rows = stored.matrix(), documents.labels
            parts = retrain(settings, chosen, stored.vectorizer, rows, multi_label)
            return replace(parts, scores=selection.scores, **common)
        if documents is not None and not chosen.learner.additive:
            # The winner reads other terms than those that all documents were counted by, or
            # numbers them in another order.
            stored = documents.rows[chosen.features]
            vectorizer = stored.vectorizer
            tally = Tally.from_counts(stored.matrix(), documents.labels, vectorizer.vocabulary_)
        return fitted_parts(
            scorer,
            selection,
            vectorizer,
            tally,
            planes_for(chosen, self.selector, self._weighted) if chosen.learner.additive else [],
            **common,
        )

    def _notes(self) -> tuple[str, ...]:
        """Return remarks about the counts for the report."""
        notes = []
        if self.counter.overflowing:
            notes.append(describe_overflow(self.counter.overflowing))
        if self.counter.dropped_rows:
            notes.append(
                f"the documents take more than {MAX_KEPT_BYTES / 2**30:.0f} GiB of memory and are "
                "not kept: only additive learners were compared"
            )
        elif self.counter.is_large and isinstance(self.candidates[0].model, RefinedNB):
            notes.append(
                f"the documents take more than {MAX_KEPT_BYTES / 2**30:.0f} GiB of memory and are "
                "not kept: this model cannot learn or forget"
            )
        return tuple(notes)

    @property
    def _n_in_no_class(self) -> int:
        """The number of documents in the tally that were given as unlabelled."""
        return self.counter.n_unlabelled if self.counter.counts_unlabelled else 0

    def _drop_candidates(self, planes: list[Plane]) -> None:
        """Drop the candidates that read planes which are no longer counted."""
        left = [
            each
            for each in self.candidates
            if {*planes}.isdisjoint(planes_for(each, self.selector, self._weighted))
        ]
        if not left:
            name, full = self.candidates[0].learner.name, ", ".join(map(repr, planes))
            raise CountOverflowError(
                f"too many documents for {name}: the sums of {full}, which it reads, would exceed "
                '64 bits. Use fewer documents, or a model of plain counts such as "contrast"; '
                'model="auto" does that by itself.'
            )
        self.candidates = left

    def _compared_candidates(
        self, tally: Tally, documents: TrainingDocuments | None, multi_label: bool
    ) -> list[Candidate]:
        """Return the candidates to compare: only semi-supervised ones if labels are few."""
        if self.counter.dropped_rows:
            self.candidates = [each for each in self.candidates if each.learner.additive]
        if not self.counter.n_unlabelled and self._settings.model in CHOICES:
            # Before anything depends on them: an empty pool changes nothing.
            self.candidates = [each for each in self.candidates if not each.learner.unlabelled]
        if not multi_label and tally.n_documents > MAX_SELECTION_DOCUMENTS:
            # Of so many documents a model that is trained on them is always better.
            able = [each for each in self.candidates if each.learner.needs_documents]
            if any(
                is_affordable(each.learner, training_size(each, tally, documents)) for each in able
            ):
                self.candidates = able
        self.candidates = self._by_text_length(documents)
        semi_supervised = [each for each in self.candidates if each.learner.unlabelled]
        if self._settings.model not in CHOICES or not semi_supervised:
            return self.candidates
        if not self.counter.n_unlabelled or not all(
            is_affordable(each.learner, training_size(each, tally, documents))
            for each in semi_supervised
        ):
            return [each for each in self.candidates if not each.learner.unlabelled]
        # Held-out scores on so few documents are too noisy to choose between learners.
        is_noisy = tally.n_documents - self._n_in_no_class <= MIN_COMPARED_WITH_POOL
        return semi_supervised if is_noisy and self._has_few_labels(tally) else self.candidates

    def _by_text_length(self, documents: TrainingDocuments | None) -> list[Candidate]:
        """Return the candidates; those with a pool read strings, too, if texts are short."""
        with_strings = {"trigrams": True, "all words": False}
        counted = {each.features for each in self.candidates if each.learner.unlabelled}
        if documents is None or not counted >= with_strings.keys() <= documents.rows.keys():
            return [each for each in self.candidates if each.features != "trigrams"]
        is_short = self.counter.n_unlabelled > 0
        is_short = is_short and median_terms(documents, "all words") < _MAX_SHORT_WORDS
        return [
            each
            for each in self.candidates
            if not each.learner.unlabelled or with_strings.get(each.features, is_short) == is_short
        ]

    def _folds(
        self,
        tally: Tally,
        sample: SampledDocuments,
        multi_label: bool,
        by_group: bool,
        by_time: bool,
    ) -> list[Rows]:
        n_documents = int(tally.n_documents) - self._n_in_no_class
        n = n_scored_documents(len(sample.labels), len(tally.classes), multi_label)
        if not n:
            return []
        # A group, or a time, that was cut would be on both sides of a split.
        if by_time:
            return latest_fold(take_whole_groups(sample.keys, n), n_documents)
        if by_group:
            return folds_of_sorted_groups(take_whole_groups(sample.keys, n), n_documents)
        # All candidates are compared on the same folds, so that the slowest kind of validation
        # among them determines the number of folds.
        validation = {each.learner.validation for each in self.candidates}
        make_folds = subtraction_folds
        if "refitting" in validation:
            make_folds = refitting_folds
        elif "self" in validation:
            make_folds = self_evaluation_folds
        return make_folds(sample.labels[:n], n_documents, multi_label)

    def _unlabelled_summary(self, selection: Selection, tally: Tally) -> UnlabelledSummary:
        n, chosen = self.counter.n_unlabelled or len(self._waiting), selection.candidate.learner
        notes = tuple(getattr(selection.model, "notes_", ())) if chosen.unlabelled else ()
        reason = ""
        if n and self._settings.model in CHOICES:
            labelled = tally.class_documents
            labels_per_class = float(np.median(labelled)) if len(labelled) else 0.0
            compared = [each.learner for each in self.candidates]
            reason = explain_unlabelled_choice(
                labels_per_class, chosen, compared, selection.scores, bool(self._waiting)
            )
        return UnlabelledSummary(n, reason, notes)


def retrain(
    settings: ClassifierSettings,
    candidate: Candidate,
    vectorizer: TextVectorizer,
    documents: tuple[Any, list[Any]],
    multi_label: bool,
    sort_terms: bool = True,
) -> FittedParts:
    """Train one candidate from scratch on documents that are already counted.

    The result equals that of :meth:`Training.finish` on the same documents if the same candidate
    was chosen there.

    Parameters
    ----------
    settings : ClassifierSettings
    candidate : Candidate
        The learner and its unfitted model.
    vectorizer : TextVectorizer
        Its vocabulary has the terms of the columns; not changed.
    documents : (X, labels)
        Counts, and a label or a list of labels for each document.
    multi_label : bool
        True if documents may have several labels.
    sort_terms : bool, default=True
        False to leave the numbers of the terms as they are.
    """
    X, labels = documents
    counter = DocumentCounter(
        vectorizer,
        (),
        {candidate.features: StoredRows(vectorizer)},
        sample_size=SAMPLE_SIZE_REFITTING,
    )
    counter.add_counted(X, labels, sort_terms)
    tally, vectorizer = counter.tally, counter.vectorizer
    assert tally is not None
    sample = counter.sample.documents(len(vectorizer.vocabulary_))
    n = n_scored_documents(len(sample.labels), len(tally.classes), multi_label)
    folds = refitting_folds(sample.labels[:n], int(tally.n_documents), multi_label) if n else []
    scorer = FoldScorer(
        tally,
        sample,
        folds,
        multi_label,
        counter.documents(multi_label),
        thresholds=settings.thresholds,
    )
    model, _ = scorer.fit(candidate)
    selection = Selection(candidate, model, None, [], [])
    return fitted_parts(scorer, selection, vectorizer, tally, [])
