"""A tally as dictionaries of counters: no arrays, no sharing, no cleverness."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction


class OracleTally:
    def __init__(self, documents=(), planes=()):
        self.documents = list(documents)  # (counts, labels, weight)
        self.planes = list(planes)

    def cells(self):
        """(term, class) -> [occurrences, documents, planes...]"""
        return self._sum((term, label) for term in self._terms() for label in self._classes())

    def _terms(self):
        return dict.fromkeys(term for counts, _, _ in self.documents for term in counts)

    def _classes(self):
        return dict.fromkeys(label for _, labels, _ in self.documents for label in labels)

    def _sum(self, keys):
        found = {}
        for counts, labels, weight in self.documents:
            for term, block in self._blocks(counts, labels, weight).items():
                for label in dict.fromkeys(labels):
                    found[term, label] = _added(found.get((term, label)), block)
        return {key: found[key] for key in keys if key in found}

    def terms(self):
        """Term -> block, each document once."""
        found = {}
        for counts, labels, weight in self.documents:
            for term, block in self._blocks(counts, labels, weight).items():
                found[term] = _added(found.get(term), block)
        return found

    def classes(self):
        """Class -> (documents, distinct terms, block, scales)"""
        cells, found = self.cells(), {}
        for label in self._classes():
            mine = [d for d in self.documents if label in d[1]]
            blocks = [block for (_, c), block in cells.items() if c == label]
            total = [sum(column) for column in zip(*blocks, strict=True)] if blocks else None
            scales = [sum(fixed(scale(p, *d)) for d in mine) for p in self.planes]
            found[label] = (len(mine), len(blocks), total or [0] * self.width, scales)
        return found

    @property
    def width(self):
        return 2 + len(self.planes)

    def counts_of_counts(self, events):
        blocks = self.cells() if events == "cells" else self.terms()
        return dict(Counter(block[0] for block in blocks.values()))

    def _blocks(self, counts, labels, weight):
        counts = {term: n for term, n in counts.items() if n}
        scales = [scale(plane, counts, labels, weight) for plane in self.planes]
        return {
            term: [n, 1] + [fixed(tf(p, n) * s) for p, s in zip(self.planes, scales, strict=True)]
            for term, n in counts.items()
        }


def _added(block, more):
    return list(more) if block is None else [a + b for a, b in zip(block, more, strict=True)]


def fixed(value):
    """Rounded to 2**-32, halves to even, as an integer."""
    return round(Fraction(value) * 2**32)


def tf(plane, n):
    return {"raw": float(n), "log": math.log1p(n), "binary": 1.0}[plane.tf]


def scale(plane, counts, labels, weight):
    """s(d), with sums over fixed-point parts so that the order of terms cannot matter."""
    values = [tf(plane, n) for n in counts.values() if n]
    if plane.norm == "l2":
        values = [v * v for v in values]
    length = sum(fixed(v) for v in values) / 2**32
    if plane.norm in ("l1", "l2") and not length:
        found = 0.0
    elif plane.norm in ("poisson", "poisson_mass"):
        found = (length if plane.norm == "poisson_mass" else 1) / (length + plane.theta)
    elif plane.norm in ("log_length", "log_length_squared"):
        found = math.log1p(length) ** (2 if plane.norm == "log_length_squared" else 1)
    else:
        found = {None: 1.0, "l1": 1 / (length or 1), "l2": 1 / math.sqrt(length or 1)}[plane.norm]
    found = found * weight if plane.weighted else found
    return found / max(1, len(set(labels))) if plane.shared else found
