"""Translations of signatures by loops over documents and words, the maximum by sorting."""

from __future__ import annotations

import math


def counts_of(documents, held, t):
    """What each word counts in the documents that hold signature t; words without are left out."""
    chosen = [row for row, marks in zip(documents, held, strict=True) if marks[t]]
    sums = [math.fsum(row[w] for row in chosen) for w in range(len(documents[0]))]
    return {w: c for w, c in enumerate(sums) if c > 0}


def exact(counts, background, beta):
    """Words by falling ratio of count to background enter while the last one stays positive."""
    k = beta / (1 - beta)
    ratio = {w: c / background[w] if background[w] else math.inf for w, c in counts.items()}
    active, mu = [], 0.0
    for w in sorted(counts, key=lambda w: -ratio[w]):
        mass = 1 + k * math.fsum(background[v] for v in [*active, w])
        level = math.fsum(counts[v] for v in [*active, w]) / mass
        if counts[w] <= k * level * background[w]:
            break
        active, mu = [*active, w], level
    return {w: counts[w] / mu - k * background[w] for w in active}


def em(counts, background, beta, n_steps):
    total = math.fsum(counts.values())
    p = {w: c / total for w, c in counts.items()}
    for _ in range(n_steps):
        h = {w: (1 - beta) * p[w] for w in p}
        h = {w: h[w] / (h[w] + beta * background[w]) if h[w] else 0.0 for w in p}
        total = math.fsum(counts[w] * h[w] for w in p)
        p = {w: counts[w] * h[w] / total for w in p}
    return p


def trimmed(counts, background):
    """The words of at least the mean count and a thousandth of the sum, and their background."""
    total = math.fsum(counts.values())
    least = max(total / len(counts), 0.001 * total)
    kept = {w: c for w, c in counts.items() if c >= least}
    mass = math.fsum(background[w] for w in kept) or 1.0
    return kept, {w: background[w] / mass for w in kept}


def pruned(row, least, most):
    """The most probable words of at least some probability, made to sum to one."""
    kept = sorted((w for w in row if row[w] > 0 and row[w] >= least), key=lambda w: (-row[w], w))
    total = math.fsum(row[w] for w in kept[:most])
    return {w: row[w] / total for w in sorted(kept[:most])}


def log_likelihood(row, counts, background, beta):
    return math.fsum(
        c * math.log((1 - beta) * row.get(w, 0.0) + beta * background[w]) for w, c in counts.items()
    )
