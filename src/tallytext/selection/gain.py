"""Information gain of terms, also where documents have several labels or none."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tallytext.contingency import Floats, Table
from tallytext.selection.postings import Postings
from tallytext.tally import Tally

Labels = Literal["fractional", "pairs", "binary"]


def fractional_gain(tally: Tally) -> Floats:
    """Return the gain where a document with m labels counts 1/m for each.

    What no class has of a document, all of it if it has no label, is a class of its own: so the
    probabilities are those of documents and sum to one.
    """
    postings = Postings.shared(tally)
    with_label, in_classes = postings.sums(postings.counts), float(postings.sizes.sum())
    # Sixths, rounded, sum to more than one.
    rest = max(postings.total - in_classes, 0.0)
    unnamed = np.clip(postings.terms - with_label, 0.0, rest)
    whole = postings.over(with_label + unnamed, in_classes + rest)
    if not rest:
        return _gain(whole)
    return _gain(whole) + Table.of(unnamed, whole.terms, rest, whole.total).information()


def gain_of_pairs(tally: Tally) -> Floats:
    """Return the gain where each pair of a document and one of its labels is an event."""
    postings = Postings.of(tally)
    pairs = postings.over(postings.sums(postings.counts), float(postings.sizes.sum()))
    return _gain(pairs)


def sum_of_gains(tally: Tally) -> Floats:
    """Return the sum of the gains for telling each class from all others."""
    postings = Postings.of(tally)
    return postings.summed(Table.gain, np.ones_like(postings.sizes))


def _gain(postings: Postings) -> Floats:
    """Return equation 9 of Vilar et al. (2004); a class without the term adds −p(c) log p(w̄)."""
    present = postings.sums(postings.tables().information())
    absent = postings.sizes.sum() - postings.sums(postings.sizes[postings.classes])
    if not postings.total:
        return present
    # A term that all documents have is absent from no class: the bound only keeps 0 log 0 quiet.
    share = np.minimum(postings.terms / postings.total, 1 - 2.0**-53)
    found: Floats = present - absent / postings.total * np.log1p(-share)
    return found
