"""Every training document judged by the model that has forgotten it, exactly and all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tallytext.bayes.base import expect_classes
from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.left_out_pieces import in_pieces
from tallytext.bayes.left_out_priors import left_intercept
from tallytext.bayes.matrices import documents_of, transformed
from tallytext.bayes.out_of_sample import OutOfSample
from tallytext.bayes.reading import Reader, Reading, at_one_moment
from tallytext.bayes.training import Training, training_of
from tallytext.errors import CountError, NegativeCountError
from tallytext.matrices import weights_of
from tallytext.scorer import Documents
from tallytext.smoothing.base import Numbers
from tallytext.targets import Targets, truth_of
from tallytext.threads import thread_count

if TYPE_CHECKING:
    from tallytext.bayes.model import NaiveBayes


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
    expect_classes(reading)
    leaving = model._leaving(reading)
    left = documents_left_out(model, X, targets, sample_weight, reading)

    def judge(piece: LeftOut) -> tuple[Numbers, Numbers]:
        scores, lengths = leaving(piece, left_intercept(model, piece))
        return model._left_lengthened(scores, piece), lengths

    scores, lengths = in_pieces(judge, left.pieces(leaving.wide), thread_count(model.n_jobs))
    return OutOfSample(
        scores=scores,
        lengths=lengths,
        truth=truth_of(targets.labels, reading.order.classes),
        classes=reading.order.classes,
        contrasts=model._contrasts,
        several=model.multi_label_,
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
    _expect_terms(documents, reading)
    _expect_classes(training, targets, reading)
    columns = model._columns(model.unit_, model.weighted_)
    return LeftOut(reading, columns, transformed(documents, model.tf_test), training)


def _expect_terms(documents: Documents, reading: Reading) -> None:
    most = int(documents.terms.max()) if documents.terms.size else -1
    if most >= reading.n_terms:
        raise NegativeCountError(
            f"cannot leave out: column {most} is none of the {reading.n_terms} terms of this model."
            " Were these documents ever learned by it?"
        )


def _expect_classes(training: Training, targets: Targets, reading: Reading) -> None:
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
