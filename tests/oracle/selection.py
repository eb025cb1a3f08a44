"""Scores of terms by looking at every document, for every term and every class."""

from __future__ import annotations

import math
from collections import Counter


class OracleScores:
    """Of documents given as (terms, labels)."""

    def __init__(self, documents):
        self.documents = [(set(terms), set(labels)) for terms, labels in documents]
        self.classes = set().union(*(labels for _, labels in self.documents))

    def df(self, term):
        return sum(term in terms for terms, _ in self.documents)

    def ig(self, term, labels="fractional"):
        if labels == "binary":
            return sum(
                dependence(
                    (label in labels, term in terms, 1.0) for terms, labels in self.documents
                )
                for label in self.classes
            )
        return dependence(
            (label, term in terms, 1.0 if labels == "pairs" else 1 / max(1, len(theirs)))
            for terms, theirs in self.documents
            for label in theirs or ([None] if labels == "fractional" else [])
        )

    def table(self, term, label):
        """A, B, C', D"""
        seen = Counter((term in terms, label in labels) for terms, labels in self.documents)
        return seen[True, True], seen[True, False], seen[False, True], seen[False, False]

    def over_classes(self, term, value, average):
        found = {label: value(*self.table(term, label)) for label in self.classes}
        if average == "max":
            return max(found.values())
        shares = {c: sum(c in labels for _, labels in self.documents) for c in self.classes}
        return sum(shares[c] / len(self.documents) * found[c] for c in self.classes)

    def chi(self, term, average="max"):
        return self.over_classes(term, chi_square, average)

    def prr(self, term, average="max"):
        return self.over_classes(term, probability_ratio, average)

    def mi(self, term, average="max", shrunken=False):
        value = shrunken_information if shrunken or average == "avg" else mutual_information
        if average == "avg":
            return self.over_classes(term, value, "avg")
        tables = [self.table(term, label) for label in self.classes]
        return max((value(*table) for table in tables if table[0]), default=-math.inf)


def dependence(events):
    """Mutual information of two variables from (one, other, weight)."""
    joint, ones, others = Counter(), Counter(), Counter()
    for one, other, weight in events:
        joint[one, other] += weight
        ones[one] += weight
        others[other] += weight
    n = sum(ones.values())
    return sum(
        count / n * math.log(count * n / (ones[one] * others[other]))
        for (one, other), count in joint.items()
    )


def chi_square(a, b, c, d):
    """Sum of (observed - expected)² / expected."""
    n, found = a + b + c + d, 0.0
    for observed, row, column in ((a, a + b, a + c), (b, a + b, b + d), (c, c + d, a + c)):
        found += _square(observed, row * column / n if n else 0)
    return found + _square(d, (c + d) * (b + d) / n if n else 0)


def _square(observed, expected):
    return (observed - expected) ** 2 / expected if expected else 0.0


def gain(a, b, c, d):
    return dependence(
        (label, seen, count)
        for label, seen, count in ((1, 1, a), (0, 1, b), (1, 0, c), (0, 0, d))
        if count
    )


def mutual_information(a, b, c, d):
    return math.log(a * (a + b + c + d) / ((a + c) * (a + b))) if a else -math.inf


def shrunken_information(a, b, c, d):
    return mutual_information(a + 0.5, b + 0.5, c + 0.5, d + 0.5)


def probability_ratio(a, b, c, d, cap=100.0):
    p, q = (a + 0.5) / (a + c + 1), (b + 0.5) / (b + d + 1)
    return min(cap, p / q + q / p)
