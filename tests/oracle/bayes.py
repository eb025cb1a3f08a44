"""Naive Bayes on dense tables, one document, class and word at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from oracle.semantic import event_columns, semantic_probabilities
from tallytext.models import AbsoluteDiscount, Background, Dirichlet, Laplace, Semantic, Unsmoothed

TINY = np.finfo(float).tiny


@dataclass
class Corpus:
    """Documents (lists of counts), their labels (lists of lists) and weights."""

    rows: list
    labels: list
    weights: list | None = None
    live_only: bool = False  # whether the vocabulary is what occurs, or all columns
    announced: list = field(default_factory=list)

    def __post_init__(self):
        self.rows = np.asarray(self.rows, dtype=float)
        self.weights = [1.0] * len(self.labels) if self.weights is None else self.weights

    @property
    def classes(self):
        found = {label for labels in self.labels for label in labels} | {*self.announced}
        return sorted(found, key=lambda label: (isinstance(label, str), label))

    @property
    def n_documents(self):
        return sum(self.weights)

    def members(self, label, outside=False):
        return [d for d, labels in enumerate(self.labels) if (label in labels) != outside]

    def size(self, documents):
        return sum(self.weights[d] for d in documents)

    def vocabulary(self):
        occurs = self.rows.sum(axis=0) > 0
        return occurs if self.live_only else np.full(occurs.shape, True)

    def with_term(self, documents):
        """For each word, the weight of the documents that have it."""
        return sum([(self.rows[d] > 0) * self.weights[d] for d in documents], self.nothing())

    def nothing(self):
        return np.zeros(self.rows.shape[1])


# ---------------------------------------------------------------------- counts


def tf_of(row, tf):
    return {"raw": row, "log": np.log1p(row), "binary": (row > 0) * 1.0}[tf]


def counted(corpus, tf="raw", normalize=None, norm_length=None):
    """What each document counts: rows of tf, brought to one length, times its weight."""
    rows = [tf_of(row, tf) for row in corpus.rows]
    if normalize:
        norms = [row.sum() if normalize == "l1" else math.sqrt((row**2).sum()) for row in rows]
        rows = [row / norm if norm else row for row, norm in zip(rows, norms, strict=True)]
        each = zip(corpus.weights, norms, strict=True)
        below = sum(weight / norm for weight, norm in each if norm)
        length = norm_length or (corpus.n_documents / below if below else 1.0)
        rows = [row * length for row in rows]
    return [row * weight for row, weight in zip(rows, corpus.weights, strict=True)]


def summed(corpus, rows, documents):
    return sum([rows[d] for d in documents], corpus.nothing())


# ---------------------------------------------------------------------- smoothing


def word_probabilities(smoothing, counts, words, vocabulary, rest=False):
    """p(w|c) of one class, or of its rest, from N_cw, T_w, and which words there are."""
    if isinstance(smoothing, Semantic):
        return semantic_probabilities(smoothing, counts, words, names_of(words), not rest)
    inside, total, n_terms = counts.sum(), words.sum(), vocabulary.sum()
    unigram = words / total if total else np.zeros(len(words))
    if isinstance(smoothing, Laplace):
        epsilon = smoothing.epsilon
        return np.where(vocabulary, (counts + epsilon) / (inside + epsilon * n_terms), 0.0)
    if not inside:
        even = isinstance(smoothing, AbsoluteDiscount) and smoothing.background == "uniform"
        return np.where(vocabulary, 1 / n_terms, 0.0) if even else unigram
    if isinstance(smoothing, Unsmoothed):
        return counts / inside
    if isinstance(smoothing, Background):
        return (1 - smoothing.alpha) * counts / inside + smoothing.alpha * unigram
    if isinstance(smoothing, Dirichlet):
        return (counts + smoothing.m * unigram) / (inside + smoothing.m)
    return discounted(smoothing, counts, unigram, vocabulary)


def names_of(words):
    """The names that the columns of all corpora have."""
    return [f"w{at}" for at in range(len(words))]


def discounted(smoothing, counts, unigram, vocabulary):
    inside, b = counts.sum(), smoothing.b
    freed = np.minimum(counts, b).sum() / inside
    even = np.where(vocabulary, 1 / vocabulary.sum(), 0.0)
    spread = even if smoothing.background == "uniform" else unigram
    if smoothing.scheme == "interpolate":
        return np.maximum(counts - b, 0) / inside + freed * spread
    left = spread[counts <= b].sum()
    if left < 1e-12:
        return counts / inside
    return np.where(counts > b, (counts - b) / inside, freed * spread / left)


def resolved(smoothing, corpus, rows):
    """The smoothing with a number for what follows from sums of whole counts."""
    inside = [summed(corpus, rows, corpus.members(label)) for label in corpus.classes]
    if isinstance(smoothing, Dirichlet) and smoothing.m is None:
        return Dirichlet(0.5 * float(np.mean([counts.sum() for counts in inside])) or 1.0)
    if isinstance(smoothing, AbsoluteDiscount) and smoothing.b == "closed-form":
        cells = np.concatenate([counts[counts > 0] for counts in inside])
        once, twice = max((cells == 1).sum(), 1), max((cells == 2).sum(), 1)
        b = float(np.clip(once / (once + 2 * twice), 0.01, 0.99))
        return AbsoluteDiscount(b, smoothing.background, smoothing.scheme)
    return smoothing


# ---------------------------------------------------------------------- weights of words


def tables(corpus, label):
    """A, B, C', D for each word."""
    n, inside = corpus.n_documents, corpus.size(corpus.members(label))
    a = corpus.with_term(corpus.members(label))
    b = corpus.with_term(range(len(corpus.rows))) - a
    return a, b, inside - a, np.maximum(n - inside - b, 0)


def word_scores(method, a, b, c, d):
    n = a + b + c + d
    if method == "df":
        return a + b
    if method in ("chi", "phi"):
        below = (a + c) * (b + d) * (a + b) * (c + d)
        phi = np.divide((a * d - c * b) ** 2, below, out=np.zeros_like(n), where=below > 0)
        return phi if method == "phi" else n * phi
    if method == "prr":
        ratio = ((a + 0.5) / (a + c + 1)) / ((b + 0.5) / (b + d + 1))
        return np.minimum(ratio + 1 / ratio, 100)
    if method == "mi":
        below = (a + c) * (a + b)
        lift = np.divide(a * n, below, out=np.zeros_like(n), where=below > 0)
        return np.where(a > 0, np.log(np.where(a > 0, lift, 1)), -np.inf)
    parts = [(a, a + c, a + b), (b, b + d, a + b), (c, a + c, c + d), (d, b + d, c + d)]
    return sum(
        cell / n * np.log(np.where(cell > 0, cell * n, 1) / np.where(cell > 0, side * other, 1))
        for cell, side, other in parts
    )


def emphasis(corpus, method, power):
    if method is None:
        return np.ones(corpus.rows.shape[1])
    each = [word_scores(method, *tables(corpus, label)) for label in corpus.classes]
    over_all = np.sum(each, axis=0) if method == "ig" else np.max(each, axis=0)
    live = corpus.rows.sum(axis=0) > 0
    return np.where(live, np.maximum(over_all, 0) ** power, 0)


def class_emphasis(corpus, method, power, label):
    live = corpus.rows.sum(axis=0) > 0
    name = {"chi": "phi"}.get(method, method)
    each = word_scores(name, *tables(corpus, label)) ** power if method else np.ones(len(live))
    each = np.where(live, each, 0)
    return each * (live.sum() / each.sum()) if each.sum() > 0 else each


# ---------------------------------------------------------------------- priors and lengths


def log_prior(corpus, label, *, prior, prior_beta, class_weight, multi_label, contrast):
    shares = {c: _share(corpus, c, prior, prior_beta, multi_label) for c in corpus.classes}
    if class_weight == "balanced":
        shares = dict.fromkeys(shares, 0.5 if multi_label else 1 / len(shares))
    elif class_weight:
        weighed = {c: p * class_weight.get(c, 1.0) for c, p in shares.items()}
        whole = sum(weighed.values())
        shares = {
            c: p / (p + 1 - shares[c]) if multi_label else p / whole for c, p in weighed.items()
        }
    share = shares[label]
    if share == 0:
        return -math.inf
    return math.log(share) - (math.log(max(1 - share, 1e-12)) if contrast else 0.0)


def _share(corpus, label, prior, beta, multi_label):
    if isinstance(prior, dict):
        return prior[label] / (1 if multi_label else sum(prior[c] for c in corpus.classes))
    if prior == "uniform":
        return 1 / len(corpus.classes)
    beta = beta if prior == "smoothed" else 0.0
    sizes = {c: corpus.size(corpus.members(c)) + beta for c in corpus.classes}
    return sizes[label] / (corpus.n_documents + 2 * beta if multi_label else sum(sizes.values()))


def log_length(corpus, documents, length):
    logs = np.log1p(corpus.rows.sum(axis=1))
    every = range(len(corpus.rows))
    n = corpus.size(documents) + 1
    average = sum(corpus.weights[d] * logs[d] for d in every) / max(corpus.n_documents, 1)
    squares = sum(corpus.weights[d] * logs[d] ** 2 for d in every) / max(corpus.n_documents, 1)
    mean = (sum(corpus.weights[d] * logs[d] for d in documents) + average) / n
    square = (sum(corpus.weights[d] * logs[d] ** 2 for d in documents) + squares) / n
    variance = max(square - mean**2, 1e-3)
    return -0.5 * (math.log(2 * math.pi * variance) + (math.log1p(length) - mean) ** 2 / variance)


# ---------------------------------------------------------------------- models


def multinomial_scores(
    corpus,
    queries,
    smoothing=None,
    *,
    tf="raw",
    normalize=None,
    norm_length=None,
    tf_test="raw",
    complement=False,
    weighting=None,
    weight_power=1.0,
    weight_by_class=False,
    length_model=False,
    prior="ml",
    prior_beta=1.0,
    class_weight=None,
    multi_label=False,
):
    rows = counted(corpus, tf, normalize, norm_length)
    smoothing = resolved(Background() if smoothing is None else smoothing, corpus, rows)
    words, vocabulary = summed(corpus, rows, range(len(rows))), corpus.vocabulary()
    contrast = multi_label or bool(complement)
    table = np.zeros((len(queries), len(corpus.classes)))
    intercepts = []
    for c, label in enumerate(corpus.classes):
        inside = summed(corpus, rows, corpus.members(label))
        logs = _logs(word_probabilities(smoothing, inside, words, vocabulary), contrast)
        rest = summed(corpus, rows, corpus.members(label, outside=True))
        logs_rest = _logs(word_probabilities(smoothing, rest, words, vocabulary, True), contrast)
        weight = (-logs_rest if complement == "only" else logs - logs_rest) if contrast else logs
        if weight_by_class:
            emphasised = class_emphasis(corpus, weighting, weight_power, label)
        else:
            emphasised = emphasis(corpus, weighting, weight_power)
        known = vocabulary & (_background(smoothing, words, vocabulary) > 0) & (emphasised > 0)
        weight = np.where(known, np.where(known, weight, 0) * emphasised, 0)
        intercepts.append(
            log_prior(
                corpus,
                label,
                prior=prior,
                prior_beta=prior_beta,
                class_weight=class_weight,
                multi_label=multi_label,
                contrast=contrast,
            )
        )
        for q, query in enumerate(queries):
            values = tf_of(np.asarray(query, dtype=float), tf_test)
            table[q, c] = intercepts[-1] + sum(
                x * w for x, w in zip(values, weight, strict=True) if x
            )
    for q, query in enumerate(queries):
        if (table[q] == -np.inf).all():
            table[q] = intercepts
        if length_model:
            table[q] += _lengths(corpus, sum(query), contrast)
    return table


def _lengths(corpus, length, contrast):
    found = []
    for label in corpus.classes:
        here = log_length(corpus, corpus.members(label), length)
        rest = log_length(corpus, corpus.members(label, outside=True), length)
        found.append(here - rest if contrast else here)
    return np.array(found)


def _background(smoothing, words, vocabulary):
    if isinstance(smoothing, Semantic):
        return words * event_columns(smoothing, names_of(words))
    even = isinstance(smoothing, Laplace) or getattr(smoothing, "background", "") == "uniform"
    return vocabulary * 1.0 if even else words


def _logs(probabilities, floored):
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(probabilities, TINY if floored else 0.0))


def bernoulli_scores(
    corpus,
    queries,
    gamma=1.0,
    *,
    complement=False,
    prior="smoothed",
    prior_beta=1.0,
    class_weight=None,
    multi_label=False,
):
    vocabulary, n = corpus.vocabulary(), corpus.n_documents
    distinct = corpus.with_term(range(len(corpus.rows))).sum()
    pseudo = gamma * vocabulary.sum() * (n / distinct if distinct else 1.0)
    contrast = multi_label or complement
    table = np.zeros((len(queries), len(corpus.classes)))
    for c, label in enumerate(corpus.classes):
        sides = []
        for outside in (False, True):
            documents = corpus.members(label, outside)
            p = (corpus.with_term(documents) + gamma) / (corpus.size(documents) + pseudo)
            sides.append((np.log(p), np.log(np.maximum(1 - p, 1e-12))))
        intercept = log_prior(
            corpus,
            label,
            prior=prior,
            prior_beta=prior_beta,
            class_weight=class_weight,
            multi_label=multi_label,
            contrast=contrast,
        )
        for q, query in enumerate(queries):
            there = np.asarray(query) > 0
            logs = [np.where(there, yes, no)[vocabulary].sum() for yes, no in sides]
            table[q, c] = intercept + (logs[0] - logs[1] if contrast else logs[0])
    return table
