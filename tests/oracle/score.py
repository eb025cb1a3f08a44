"""Linear scores by loops over documents, terms and classes."""

from __future__ import annotations

import math


def scores(documents, postings, common, mass, intercept, slope):
    """Score of each class and length of each document.

    documents: lists of (term, value); postings: for each term, class -> weight.
    """
    rows, lengths = [], []
    for document in documents:
        known = [(t, x) for t, x in document if 0 <= t < len(common) and x]
        length = math.fsum(x * mass[t] for t, x in known)
        rows.append(
            [
                _sum(
                    [intercept[c], slope[c] * length]
                    + [x * (common[t] + postings[t].get(c, 0.0)) for t, x in known]
                )
                for c in range(len(intercept))
            ]
        )
        lengths.append(length)
    return rows, lengths


def best(row, order, k):
    """The k best classes, best first; among equals the one that comes first in order."""
    return sorted(range(len(row)), key=lambda c: (-row[c], order[c]))[:k]


def _sum(values):
    return -math.inf if -math.inf in values else math.fsum(values)
