"""Poisson naive Bayes by loops over documents and words (Kim, Seo and Rim, 2003)."""

from __future__ import annotations

import math


def rates(documents, alpha, theta):
    """Equations 7-9: documents are lists of counts, theta is per word."""
    n_words = len(documents[0])
    lengths = [sum(document) for document in documents]
    found = [0.0] * n_words
    for document, length in zip(documents, lengths, strict=True):
        share = length / sum(lengths) if sum(lengths) else 1 / len(documents)
        g = alpha / len(documents) + (1 - alpha) * share
        for w, x in enumerate(document):
            found[w] += g * (x + theta) / (length + theta * n_words)
    return found


def weights(inside, outside, method):
    """Equations 11-13, from documents."""
    return [_weight(*_table(inside, outside, w), method) for w in range(len(inside[0]))]


def z(query, inside, outside, alpha, theta, method=None):
    """Equations 10, 14 and 15: A, B, W, z hat, z star, z at the scale of the document."""
    rate, rest = rates(inside, alpha, theta), rates(outside, alpha, theta)
    w = weights(inside, outside, method)
    words = range(len(rate))
    length = sum(query) + theta * len(rate)
    a = sum(w[i] * (rest[i] - rate[i]) for i in words)
    b = theta * sum(w[i] * math.log(rate[i] / rest[i]) for i in words)
    hat = sum(w[i] * query[i] * math.log(rate[i] / rest[i]) for i in words)
    star = (b + hat) / length
    alive = sum(any(document[i] for document in inside + outside) for i in words)
    scale = (len(rate) if method is None else alive) / sum(w) if sum(w) else 0.0
    return a, b, sum(w), hat, star, scale * (a * length + b + hat)


def _table(inside, outside, word):
    a = sum(document[word] > 0 for document in inside)
    c = sum(document[word] > 0 for document in outside)
    return a, len(inside) - a, c, len(outside) - c


def _weight(a, b, c, d, method):
    if method is None:
        return 1.0
    if a + c == 0:
        return 0.0
    if method == "prr":
        ratio = ((a + 0.5) / (a + b + 1)) / ((c + 0.5) / (c + d + 1))
        return min(ratio + 1 / ratio, 100.0)
    n = a + b + c + d
    if method == "chi":
        below = (a + b) * (a + c) * (b + d) * (c + d)
        return (a * d - b * c) ** 2 / below if below else 0.0
    cells = [(a, a + b, a + c), (b, a + b, b + d), (c, c + d, a + c), (d, c + d, b + d)]
    return sum(x / n * math.log(x * n / (row * column)) for x, row, column in cells if x)
