"""Rankings, thresholds and odds by plain loops and long decimals."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction


def eleven_precisions(relevance, n_relevant, interpolated):
    points, hits = [], 0
    for position, relevant in enumerate(relevance, start=1):
        hits += relevant
        points.append((Fraction(hits, n_relevant), Fraction(hits, position)))
    return [_precision(points, Fraction(tenth, 10), interpolated) for tenth in range(11)]


def _precision(points, recall, interpolated):
    reached = [precision for r, precision in points if r >= recall and r > 0]
    if not reached:
        return 0.0
    return float(max(reached) if interpolated else reached[0])


def average_precision_11(scores, truth, interpolated):
    averages = []
    for row, wanted in zip(scores, truth, strict=True):
        ranked = sorted((c for c, s in enumerate(row) if s > -math.inf), key=lambda c: (-row[c], c))
        if any(wanted):
            values = eleven_precisions([wanted[c] for c in ranked], sum(wanted), interpolated)
            averages.append(sum(values) / 11)
    return sum(averages) / len(averages)


def f1_of(decided, wanted):
    tp = sum(d and w for d, w in zip(decided, wanted, strict=True))
    return 2 * tp / max(1, sum(decided) + sum(wanted))


def log_odds(scores):
    with localcontext() as context:
        context.prec = 200
        weights = [Decimal(s).exp() for s in scores]
        return [
            float(Decimal(s) - sum(w for j, w in enumerate(weights) if j != i).ln())
            for i, s in enumerate(scores)
        ]


def strangest_allowed(strange, coverage):
    """Return the score of the rank that conformal sets ask for; 1 if the rank is too high."""
    rank = math.ceil(Fraction(str(coverage)) * (len(strange) + 1))
    return sorted(strange)[rank - 1] if rank <= len(strange) else 1.0


def prediction_sets(probabilities, truth, new, coverage, by_class):
    """Return the classes in the set of each new document, by the definition."""
    pairs = [
        (1 - row[c], c) for row, right in zip(probabilities, truth, strict=True) for c in right
    ]
    sets = []
    for row in new:
        chosen = set()
        for c, p in enumerate(row):
            own = [a for a, label in pairs if label == c]
            enough = len(own) * (1 - Fraction(str(coverage))) >= 1
            used = own if by_class and enough else [a for a, _ in pairs]
            if 1 - p <= strangest_allowed(used, coverage):
                chosen.add(c)
        sets.append(chosen)
    return sets
