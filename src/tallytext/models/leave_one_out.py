"""Every training document judged by the model that has forgotten it, exactly and all at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext._validation import weights_of
from tallytext.decision.out_of_sample import OutOfSample
from tallytext.errors import CountError, NegativeCountError
from tallytext.models.left_out import LeftOut, Training, in_pieces, training_of
from tallytext.models.left_out_multinomial import LeftShares, LeftTranslations
from tallytext.models.priors import class_priors, log_priors, weighted_priors
from tallytext.models.reading import (
    Reader,
    Reading,
    at_one_moment,
    check_classes,
    documents_of,
    transformed,
)
from tallytext.models.scorer import Documents
from tallytext.models.smoothing.base import Smoothing
from tallytext.runtime import thread_count
from tallytext.tally.labels import Targets, truth_of

if TYPE_CHECKING:
    from tallytext.models.multinomial import Smoothed
    from tallytext.models.naive_bayes import NaiveBayes


# ------------------------------------------------------------------------------------------------
# How likely each class is without a document: one row of logarithms for each document.


def left_intercept(model: NaiveBayes, left: LeftOut) -> FloatArray:
    """Return the logarithms of the priors without each document, minus infinity for classes gone.

    Documents of the same classes and weight leave the same behind, so it is found once for them.
    """
    classes, (documents, whole) = left.reading.order.classes, left.prior_documents
    announced = [label in model.ordering_.announced for label in classes.tolist()]
    alive = (left.labelled_documents > 0) | np.array(announced, dtype=bool)
    first, kind = _kinds(left)
    rows = [_row(model, documents[at], float(whole[at]), alive[at], classes) for at in first]
    return np.array(rows).reshape(-1, len(classes))[kind]


def _kinds(left: LeftOut) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first document of each kind, and the kind of each: same labels, same weight."""
    training = left.training
    if training.weights is None and (training.n_labels == 1).all():
        _, first, kind = np.unique(training.labels, return_index=True, return_inverse=True)
        return first, kind
    bounds = zip(training.label_starts[:-1], training.label_starts[1:], strict=True)
    labels = [training.labels[start:stop].tobytes() for start, stop in bounds]
    weights = [1.0] * left.n if training.weights is None else training.weights.tolist()
    firsts: dict[Any, int] = {}
    kinds = [firsts.setdefault(key, at) for at, key in enumerate(zip(labels, weights, strict=True))]
    first, kind = np.unique(kinds, return_inverse=True)
    return first, kind


def _row(
    model: NaiveBayes,
    documents: FloatArray,
    n_documents: float,
    alive: NDArray[np.bool_],
    classes: NDArray[Any],
) -> FloatArray:
    row = np.full(len(classes), -np.inf)
    if not alive.any():
        return row
    multi_label, prior = model.multi_label_, model.prior
    if isinstance(prior, str | Mapping):
        whole = n_documents if multi_label else None
        priors = class_priors(prior, model.prior_beta, documents[alive], classes[alive], whole)
    else:
        # Numbers in the order of all classes stay as they are.
        priors = np.asarray(prior, dtype=np.float64)[alive]
    weighed = weighted_priors(priors, model.class_weight, classes[alive], multi_label)
    row[alive] = log_priors(weighed, model._contrasts)
    return row


def leave_one_out(
    model: NaiveBayes, X: Any, targets: Targets, sample_weight: Any = None
) -> OutOfSample:
    """Return how each document is judged by the model that has forgotten it."""

    def judged(reader: Reader) -> OutOfSample:
        return _judged(model, X, targets, sample_weight, reader.read())

    return at_one_moment(model._reader(), judged)


def _judged(
    model: NaiveBayes, X: Any, targets: Targets, sample_weight: Any, reading: Reading
) -> OutOfSample:
    check_classes(reading)
    leaving = model._leaving(reading)
    left = documents_left_out(model, X, targets, sample_weight, reading)

    def judge(piece: LeftOut) -> tuple[FloatArray, FloatArray]:
        scores, lengths = leaving(piece, left_intercept(model, piece))
        return model._left_lengthened(scores, piece), lengths

    scores, lengths = in_pieces(judge, left.pieces(leaving.wide), thread_count(model.n_jobs))
    return OutOfSample(
        scores=scores,
        lengths=lengths,
        truth=truth_of(targets.labels, reading.order.classes),
        classes=reading.order.classes,
        contrasts=model._contrasts,
        multi_label=model.multi_label_,
        method="leave-one-out",
    )


def documents_left_out(
    model: NaiveBayes, X: Any, targets: Targets, sample_weight: Any, reading: Reading
) -> LeftOut:
    """Return what the tally is without each of the documents, as far as they were learned."""
    weights = weights_of(sample_weight, X.shape[0])
    if weights is not None and not model.weighted_:
        raise CountError("sample_weight was not given when these documents were learned.")
    documents = documents_of(X)
    # Where whole numbers were counted a fraction cannot have been learned; the cells will tell.
    units = documents.values if model.unit_ == 1 else np.rint(documents.values / model.unit_)
    counted = documents._replace(values=units)
    training = training_of(counted, targets.labels, model.tally_.label_index, weights)
    training = training.without_weightless()
    _check_terms(documents, reading)
    _check_classes(training, targets, reading)
    columns = model._columns(model.unit_, model.weighted_)
    return LeftOut(reading, columns, transformed(documents, model.tf_test), training)


def _check_terms(documents: Documents, reading: Reading) -> None:
    most = int(documents.terms.max()) if documents.terms.size else -1
    if most >= reading.n_terms:
        raise NegativeCountError(
            f"cannot leave out: column {most} is none of the {reading.n_terms} terms of this model."
            " Were these documents ever learned by it?"
        )


def _check_classes(training: Training, targets: Targets, reading: Reading) -> None:
    known = np.zeros(int(training.labels.max(initial=-1)) + 1, dtype=bool)
    sources = reading.order.sources
    known[sources[(sources >= 0) & (sources < len(known))]] = True
    strange = ~known[training.labels]
    if strange.any():
        slot = int(np.argmax(strange))
        document = int(np.searchsorted(training.label_starts, slot, side="right")) - 1
        raise NegativeCountError(
            f"cannot leave out: the model has no document of a class of document {document}, "
            f"{targets.labels[document]!r}. Was it ever learned, with this label?"
        )


# ------------------------------------------------------------------------------------------------
# Which of several smoothings judges left-out documents best: one look at the documents for all.


def left_out_accuracies(
    model: Smoothed, X: Any, targets: Targets, weights: Any, candidates: Sequence[Smoothing]
) -> list[float]:
    """Return how many documents each smoothing judges right when each is left out, as shares.

    The smoothings differ in their numbers only, so that what signatures stand for is found once.
    """
    reading = model._reader().read()
    left = documents_left_out(model, X, targets, weights, reading)
    counts = model.word_counts(reading, candidates[0])
    assert counts.translated is not None
    shared = Remembered(LeftTranslations(counts.translated.made))
    judges = [
        model._leaving_of(reading, replace(counts, smoothing=each), shared) for each in candidates
    ]
    truth, right, at = truth_of(targets.labels, reading.order.classes), np.zeros(len(judges)), 0
    for piece in left.pieces(wide=True):
        intercept, here = left_intercept(model, piece), truth[at : at + piece.n]
        at += piece.n
        for number, judge in enumerate(judges):
            scores = model._left_lengthened(judge(piece, intercept)[0], piece)
            right[number] += _n_right(scores, here, model.multi_label_)
    return [float(share) for share in right / max(left.n, 1)]


class Remembered:
    """Translations of classes without a document, kept for as long as the same are asked for."""

    def __init__(self, translations: LeftTranslations) -> None:
        self._translations = translations
        self._kept: dict[str, tuple[LeftOut, LeftShares]] = {}

    def classes(self, left: LeftOut) -> LeftShares:
        """Return what is left in each class."""
        return self._once("classes", left, self._translations.classes)

    def rests(self, left: LeftOut) -> LeftShares:
        """Return what is left outside each class."""
        return self._once("rests", left, self._translations.rests)

    def _once(self, name: str, left: LeftOut, make: Callable[[LeftOut], LeftShares]) -> LeftShares:
        kept = self._kept.get(name)
        if kept is None or kept[0] is not left:
            self._kept[name] = kept = left, make(left)
        return kept[1]


def _n_right(scores: FloatArray, truth: NDArray[np.bool_], multi_label: bool) -> int:
    if multi_label:
        return int(((scores > 0) == truth).all(axis=1).sum())
    return int(truth[np.arange(len(scores)), scores.argmax(axis=1)].sum())
