"""From counted documents to a fitted classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallytext.classifier.budget import Size, affordable
from tallytext.classifier.candidates import (
    candidates_for,
    drawn_from,
    limits_for,
    planes_for,
    pool_for,
    vectorizer_for,
)
from tallytext.classifier.choosing import Choice
from tallytext.classifier.contest import Contest, Fitted, fitted
from tallytext.classifier.counting import Counting
from tallytext.classifier.folds import (
    Rows,
    dealt_out,
    few_for_refitting,
    grouped,
    latest,
    some_for_itself,
    whole,
)
from tallytext.classifier.judging import Candidate, Judge, n_judged
from tallytext.classifier.kept import KeptRows
from tallytext.classifier.labels import expect_single
from tallytext.classifier.origin import said_of_outgrown
from tallytext.classifier.pool import FEW, Pool, reason_for, refuse_several
from tallytext.classifier.sample import Drawn
from tallytext.classifier.selecting import expect_documents, selector_for
from tallytext.errors import CountOverflowError
from tallytext.learners import CHOICES
from tallytext.planes import Plane
from tallytext.tally import Tally
from tallytext.text.sources import as_texts
from tallytext.vectorizer import TextVectorizer


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
        expect_documents(self.selector, [each.learner for each in self.candidates])
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
            labels = expect_single(labels, self.counting.n_documents)
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
        several = settings.multi_label
        if several is None:
            several = indicator or tally.n_several > 0 or tally.n_unlabelled > 0
        if several and self.counting.n_unlabelled:
            refuse_several()
        self.candidates = self._entrants()
        drawn = self.counting.sample.drawn(len(self.vectorizer.vocabulary_))
        if not several:
            drawn = drawn._replace(labels=expect_single(drawn.labels))
        folds = self._folds(drawn, several, by_group, by_time)
        method = "groups" if by_group else "time" if by_time else "cross-validation"
        documents = self.counting.documents(several)
        judge = Judge(tally, drawn, folds, several, documents, method, self.selector)
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

    def _folds(self, drawn: Drawn, several: bool, by_group: bool, by_time: bool) -> list[Rows]:
        n_documents = int(self.counting.tally.n_documents)
        n = n_judged(drawn, self.counting.tally, several)
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
        return deal(drawn.labels[:n], n_documents, several)

    def _size(self, size: Size, candidate: Candidate) -> Size:
        """Return how much there is to learn from, in terms of the features of a candidate."""
        kept = self.counting.kept.get(candidate.features)
        if candidate.learner.unlabelled:
            size = size._replace(n_documents=size.n_documents + self.counting.n_unlabelled)
        return size if kept is None else size._replace(n_terms=len(kept.vectorizer.vocabulary_))
