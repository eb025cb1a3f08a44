"""Repeated documents by a dictionary of texts."""

from __future__ import annotations

from collections import Counter


def duplicates(texts, labels):
    """Return the numbers of repeated and of conflicting documents, the conflicts, the pairs."""
    seen, repeated, conflicts, pairs = {}, 0, [], Counter()
    for d, (text, given) in enumerate(zip(texts, map(frozenset, labels), strict=True)):
        earlier = seen.setdefault(text, [])
        repeated += any(given == other for _, other in earlier)
        if earlier and earlier[0][1] != given:
            conflicts.append((earlier[0][0], d))
            pairs[frozenset([earlier[0][1], given])] += 1
        earlier.append((d, given))
    conflicting = sum(len(same) for same in seen.values() if len({given for _, given in same}) > 1)
    return repeated, conflicting, conflicts, pairs
