"""SMART weights, neighbours and term strength by loops over words and documents."""

from __future__ import annotations

import math

TF = {
    "n": lambda tf, row: tf,
    "b": lambda tf, row: 1.0,
    "a": lambda tf, row: 0.5 + 0.5 * tf / max(row),
    "m": lambda tf, row: tf / max(row),
    "l": lambda tf, row: 1 + math.log(tf),
    "L": lambda tf, row: (1 + math.log(tf)) / (1 + math.log(sum(row) / len(row))),
    "d": lambda tf, row: 1 + math.log(1 + math.log(tf)),
    "s": lambda tf, row: tf**2,
}
IDF = {
    "n": lambda df, n: 1.0,
    "t": lambda df, n: math.log(n / df),
    "p": lambda df, n: max(0.0, math.log((n - df) / df)) if df < n else 0.0,
    "s": lambda df, n: math.log(n / df) ** 2,
    "f": lambda df, n: 1 / df,
}
NORM = {
    "n": lambda row: 1.0,
    "c": lambda row: math.sqrt(math.fsum(w * w for w in row)),
    "s": lambda row: math.fsum(row),
    "m": lambda row: max(row, default=0.0),
}


def weights(rows, scheme, training):
    """The weights of dense rows of whole counts, with frequencies of the training rows."""
    tf, idf, norm = scheme
    df = [sum(row[w] > 0 for row in training) for w in range(len(training[0]))]
    found = []
    for row in rows:
        present = [x for x in row if x > 0]
        raw = [
            TF[tf](x, present) * IDF[idf](df[w], len(training)) if x > 0 and df[w] else 0.0
            for w, x in enumerate(row)
        ]
        size = NORM[norm](raw)
        found.append([w / size if size else 0.0 for w in raw])
    return found


def similarity(one, other):
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def nearest(query, documents, k):
    """(similarity, document) of the k nearest, nearest first; those that share nothing left out."""
    each = [(similarity(query, document), n) for n, document in enumerate(documents)]
    return sorted((pair for pair in each if pair[0] > 0), key=lambda pair: (-pair[0], pair[1]))[:k]


def class_scores(near, labels, classes):
    """The summed similarity of the neighbours that have each class."""
    return [math.fsum(s for s, n in near if c in labels[n]) for c in classes]


def strength(rows, pairs):
    """The share of ordered pairs with the word in the second document, given the first has it."""
    found = []
    for w in range(len(rows[0])):
        ordered = [*pairs, *((b, a) for a, b in pairs)]
        first = [(a, b) for a, b in ordered if rows[a][w]]
        found.append(sum(rows[b][w] > 0 for _, b in first) / len(first) if first else 0.0)
    return found
