"""The score of one document for each class, taken apart into what adds up to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._typing import FloatArray
from tallytext.decision.contributions import Contribution, places_of
from tallytext.decision.explanation import Explanation
from tallytext.errors import CountError, InputError, LabelError, VocabularyError
from tallytext.models.reading import Seen
from tallytext.models.scorer import Documents, best_of, order_of_ties
from tallytext.text.counting import Analyzer
from tallytext.text.vocabulary import Vocabulary

Pair = tuple[int, int | None]
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Summands:
    """What adds up to the scores of a document.

    Attributes
    ----------
    classes : ndarray
        The labels of all columns below.
    counts : ndarray of shape (n_terms,)
    known : ndarray of bool of shape (n_terms,)
        Whether each term counts at all.
    terms : ndarray of shape (n_terms, n_classes)
        What each term adds.
    prior, constant, length : ndarray of shape (n_classes,)
        What is added whatever the words: before the document is read, for a document without
        words, and for its length.
    scores : ndarray of shape (n_classes,)
    """

    classes: NDArray[Any]
    counts: FloatArray
    known: NDArray[np.bool_]
    terms: FloatArray
    prior: FloatArray
    constant: FloatArray
    length: FloatArray
    scores: FloatArray

    @classmethod
    def of(
        cls, seen: Seen, documents: Documents, prior: FloatArray, length: FloatArray
    ) -> Summands:
        """Take the scores apart that weights of the document's own terms give it."""
        weights, local = seen.weights, seen.local(documents)
        each = documents.values[:, None] * weights.rows(0, seen.reading.n_terms)[local.terms]
        scores = weights.scores(local, 1)[0][0]
        if not (scores > -np.inf).any():
            # No class can have written this: only the prior is left.
            each, scores = np.zeros_like(each), weights.intercept
        with np.errstate(invalid="ignore"):
            constant = np.nan_to_num(weights.intercept - prior)
        # A word that was seen may have no mass: one that says nothing about any class.
        known = ((weights.mass > 0) | (seen.reading.term_totals[-1] > 0))[local.terms]
        classes = seen.reading.order.classes
        return cls(classes, documents.values, known, each, prior, constant, length, scores + length)

    def pair(self, label: int | None, against: int | None, alone: bool) -> Pair:
        """Return the class to explain and the one to compare it with, None for all others.

        Parameters
        ----------
        label, against : int or None
            What was asked for.
        alone : bool
            Whether a score is itself a comparison with all others.
        """
        order = order_of_ties(self.prior + self.constant)
        ranked = best_of(self.scores[None], len(order), order).classes[0].tolist()
        if label is None:
            label = next((c for c in ranked if c != against), ranked[0])
        if label == against:
            raise LabelError(
                f"class {self.classes.tolist()[label]!r} cannot be compared with itself."
            )
        if against is None and not alone:
            against = next((c for c in ranked if c != label), None)
        return label, against

    def between(self, values: FloatArray, pair: Pair) -> FloatArray:
        """Return by how much values of the first class exceed those of the second."""
        label, against = pair
        if against is None:
            return values[..., label]
        with np.errstate(invalid="ignore"):
            # What neither class can have written tells nothing about them.
            return np.nan_to_num(
                values[..., label] - values[..., against], posinf=np.inf, neginf=-np.inf
            )


def explained(
    summands: Summands, pair: Pair, names: list[str], text: str | None, vectorizer: Any
) -> Explanation:
    """Return the difference of two scores as data."""
    label, against = pair
    spans = {} if text is None else _spans_of(text, vectorizer)
    between = {
        name: float(summands.between(getattr(summands, name), pair))
        for name in ("prior", "constant", "length", "scores")
    }
    values = summands.between(summands.terms, pair).tolist()
    known = summands.known.tolist()
    rows = zip(names, summands.counts.tolist(), values, known, strict=True)
    terms = [Contribution(*row, spans.get(row[0], ())) for row in rows]
    strangers = [
        Contribution(term, float(len(found)), 0.0, False, found)
        for term, found in spans.items()
        if term not in set(names)
    ]
    classes = summands.classes.tolist()
    return Explanation(
        label=classes[label],
        against=None if against is None else classes[against],
        score=float(summands.scores[label]),
        other_score=0.0 if against is None else float(summands.scores[against]),
        difference=between["scores"],
        prior=between["prior"],
        contributions=(*terms, *strangers),
        absent=between["constant"] if summands.constant.any() else None,
        length=between["length"] if summands.length.any() else None,
        text=text,
    )


def as_row(x: Any) -> Any:
    """Return a row, which arrays give for X[i] without its second dimension, as a matrix.

    Examples
    --------
    >>> as_row(np.array([2, 0, 1])).shape
    (1, 3)
    """
    row: Any = x if sparse.issparse(x) else np.asarray(x)
    return row.reshape(1, -1) if row.ndim == 1 else x


def one_document(documents: Documents) -> Documents:
    """Refuse several documents, or none."""
    if documents.n_documents != 1:
        raise CountError(
            f"one document can be explained at a time, but these are {documents.n_documents}: "
            "give one row, X[[i]], say."
        )
    return documents


def names_of(columns: NDArray[np.int32], terms: Vocabulary | Sequence[str]) -> list[str]:
    """Return the names of columns; those beyond an open vocabulary are numbered.

    Examples
    --------
    >>> names_of(np.array([2, 0]), ["salt", "wave", "blue"])
    ['blue', 'salt']
    """
    if isinstance(terms, Vocabulary):
        inside = columns < len(terms)
        named = iter(terms.terms(columns[inside]).tolist())
        return [
            next(named) if there else f"x{column}"
            for column, there in zip(columns.tolist(), inside.tolist(), strict=True)
        ]
    if len(columns) and columns.max() >= len(terms):
        raise VocabularyError(
            f"{len(terms)} terms were given, but the document has a word in column "
            f"{columns.max()}. Are these the names of the columns?"
        )
    return [str(terms[column]) for column in columns.tolist()]


def _spans_of(text: str, vectorizer: Any) -> dict[str, Spans]:
    analyzer = vectorizer.build_analyzer() if hasattr(vectorizer, "build_analyzer") else None
    if not isinstance(analyzer, Analyzer):
        raise InputError(
            "to show words where they stand in the text, give the TextVectorizer that counted "
            f"them as vectorizer, not {vectorizer!r:.80}."
        )
    if not isinstance(text, str):
        raise InputError(f"text must be one document, not {text!r:.80}.")
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for place in places_of(analyzer, text):
        found[place.term].append((place.start, place.end))
    return {term: tuple(spans) for term, spans in found.items()}
