"""From word probabilities to the weights of a scorer: joint scores and contrasts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallytext.bayes.weighting import ClassWeighting
from tallytext.bayes.word_probabilities import WordCounts
from tallytext.scorer import MakeRows, RowWeights, SparseWeights, Weights
from tallytext.smoothing.base import Numbers

_LEAST = np.finfo(np.float64).tiny


def joint_weights(counts: WordCounts, intercept: Numbers, emphasis: Numbers) -> Weights:
    r"""Return the weights of :math:`\log p(c) + \sum_w x_w q_w \log p(w \mid c)`.

    What a class has not shown costs :math:`\log \gamma_c + \log g(w)`; what it has shown adds
    :math:`\log(1 + f / (\gamma_c g))`. So only cells need a weight of their own.
    """
    freed = counts.smoothing.freed(counts.classes)
    if not (freed > 0).all():
        return row_weights(counts, intercept, emphasis, counts.rows)
    gain = _gain(counts, freed)
    return SparseWeights(
        intercept=intercept,
        slope=np.log(freed),
        common=emphasis * _log_where(counts.spread),
        mass=emphasis * counts.known,
        starts=counts.reading.starts,
        classes=counts.reading.classes,
        values=gain * emphasis[counts.term],
    )


def contrast_weights(
    counts: WordCounts, intercept: Numbers, emphasis: Numbers, only_rest: bool
) -> Weights:
    r"""Return the weights of :math:`\sum_w x_w q_w [\log p(w \mid c) - \log p(w \mid \bar c)]`.

    With ``only_rest`` the first logarithm is left out. When f is proportional to the count, the
    rest of a class that does not show w has a probability of the form A(w) B(c), and only cells
    need a weight of their own.
    """
    dense = not counts.smoothing.linear
    joint = None if dense else joint_weights(counts, intercept, np.ones_like(emphasis))
    if not isinstance(joint, SparseWeights):
        return row_weights(
            counts, intercept, emphasis, _contrast(counts, only_rest), already_logs=True
        )
    if only_rest:
        joint = replace(
            joint, slope=joint.slope * 0, common=joint.common * 0, values=joint.values * 0
        )
    of_word, of_class, of_cell = _rest_logs(counts)
    return replace(
        joint,
        slope=joint.slope - of_class,
        common=emphasis * (joint.common - of_word),
        mass=emphasis * counts.known,
        values=emphasis[counts.term] * (joint.values - of_cell),
    )


def row_weights(
    counts: WordCounts,
    intercept: Numbers,
    emphasis: Numbers,
    rows: MakeRows,
    already_logs: bool = False,
) -> RowWeights:
    """Return weights that are made row by row, from probabilities or from logarithms."""

    mass = emphasis * counts.known

    def make(first: int, last: int) -> Numbers:
        made = rows(first, last)
        with np.errstate(divide="ignore"):
            logs = made if already_logs else np.log(made)
        weights = np.zeros_like(logs)
        return np.multiply(
            logs, emphasis[first:last, None], out=weights, where=mass[first:last, None] > 0
        )

    # What rows need of all counts is read now, while the tally is as it was.
    make(0, 0)
    return RowWeights(intercept, np.zeros_like(intercept), mass, make)


def class_contrast_weights(
    counts: WordCounts, intercept: Numbers, weighting: ClassWeighting, only_rest: bool
) -> RowWeights:
    r"""Return the weights of :math:`\sum_w x_w \frac{V w_{cw}}{\sum_v w_{cv}} [\dots]`."""
    scale, contrast = weighting.scale(), _contrast(counts, only_rest)
    return row_weights(
        counts,
        intercept,
        np.ones(counts.reading.n_terms),
        lambda first, last: contrast(first, last) * weighting.rows(first, last) * scale,
        already_logs=True,
    )


def _contrast(counts: WordCounts, only_rest: bool) -> MakeRows:
    def rows(first: int, last: int) -> Numbers:
        inside = None if only_rest else counts.rows(first, last)
        return contrast_logs(inside, counts.rest_rows(first, last))

    return rows


def contrast_logs(inside: Numbers | None, outside: Numbers) -> Numbers:
    """Return log p(w|c) - log p(w|rest of c), or the latter alone.

    Without smoothing a word may be impossible in the class, in its rest, or in both: then it says a
    great deal, but not infinitely much, or nothing.
    """
    rest = np.log(np.maximum(outside, _LEAST))
    return -rest if inside is None else np.log(np.maximum(inside, _LEAST)) - rest


def _gain(counts: WordCounts, freed: Numbers) -> Numbers:
    seen = counts.cells_seen
    spread = freed[counts.reading.classes] * counts.spread[counts.term]
    ratio = np.divide(seen, spread, out=np.zeros_like(seen), where=spread > 0)
    return _log_where(ratio) if counts.smoothing.exclusive else np.log1p(ratio)


def _rest_logs(counts: WordCounts) -> tuple[Numbers, Numbers, Numbers]:
    """Return log A(w), log B(c), and for each cell log p(w|rest of c) - log A(w) B(c)."""
    reading, rests = counts.reading, counts.rests
    freed = counts.smoothing.freed(rests)
    first = int(np.argmax(rests.tokens))
    absent = counts.seen(counts.words, rests, np.full(reading.n_terms, first))
    of_word = _log_where(absent + freed[first] * counts.spread)
    one = np.array([counts.total])
    any_word = counts.seen(np.repeat(one, len(freed)), rests) + freed * counts.spread_of(one)
    of_class = _log_where(any_word) - _log_where(any_word[[first]])
    rest = np.maximum(counts.words[counts.term] - counts.cells, 0.0)
    here = counts.seen(rest, rests, reading.classes)
    log_here = _log_where(here + freed[reading.classes] * counts.spread[counts.term])
    return of_word, of_class, log_here - of_word[counts.term] - of_class[reading.classes]


def _log_where(values: Numbers) -> Numbers:
    """Return logarithms, zero where there is nothing to take one of."""
    values = np.asarray(values)
    return np.log(values, out=np.zeros_like(values), where=values > 0)
