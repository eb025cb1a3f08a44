"""5.3.3: the naive assumption is wrong, and what a better one is worth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import chi2

from experiments.aggarwal.augmented import TreeAugmented, class_shares, dependence
from experiments.aggarwal.corpora import (
    SEED,
    TITLES,
    Documents,
    documents_of,
    names,
    right,
    split_of,
)
from experiments.aggarwal.event_models import ranked_terms
from experiments.aggarwal.events import bernoulli
from experiments.aggarwal.wording import listed
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace

HEADING = "The naive assumption (5.3.3)"
ABOUT = """The book says that conditional independence is never really true, that predictions are
robust all the same, and that more complicated assumptions often overfit. Three measurements with
the 200 best terms by information gain:

- *Is it true?* For each pair of terms, the mutual information given the class, times twice the
  number of documents, is chi-squared distributed if they are independent given the class. *Pairs*
  is the share of pairs beyond the 99 % point. For rare terms in many classes the distribution is
  only approximate, so the same share is given after every term was permuted among the documents of
  each class: *by chance*.
- *Is the model overconfident?* The mean posterior of the predicted class, and the share of correct
  predictions.
- *Is a richer model better?* A tree-augmented Bernoulli model lets each term depend on the class
  and on one other term: the tree of most mutual information given the class (Friedman, Geiger and
  Goldszmidt), its shares smoothed as in (5.17) towards those without the other term. Both models
  learn from 100, 300, … training documents sampled at random, five times (all: once).

The terms are those of all training documents, so that only the models differ."""

N_TERMS = 200
SIZES = (100, 300, 1000, 3000)
SEEDS = 5
_LIMITS = {"ynat": 20000}


def measure(work: Workplace) -> dict[str, Any]:
    found = {}
    for name in work.track(names(work)):
        whole = documents_of(work, split_of(work, name, _LIMITS.get(name)))
        documents = whole.terms(ranked_terms(whole, "ig")[: 50 if work.quick else N_TERMS])
        found[name] = _measured(documents, 2 if work.quick else SEEDS)
    return {"corpora": found}


def _measured(documents: Documents, seeds: int) -> dict[str, Any]:
    n = documents.X.shape[0]
    sizes = [*(size for size in SIZES if size < n), n]
    model = bernoulli().fit(documents.X, documents.y)
    posteriors = model.predict_proba(documents.Z)
    return {
        "sizes": sizes,
        "pairs": dependent_pairs(documents),
        "pairs_shuffled": dependent_pairs(shuffled(documents)),
        "sure": round(float(posteriors.max(axis=1).mean()), 5),
        **_curves(documents, sizes, seeds),
    }


def dependent_pairs(documents: Documents) -> float:
    """Return the share of pairs of terms that are not independent given the class, at 1 %."""
    given = dependence(class_shares(documents.X, documents.y))
    above = np.triu_indices(len(given), 1)
    limit = chi2.ppf(0.99, len(np.unique(documents.y)))
    return round(float((2 * documents.X.shape[0] * given[above] > limit).mean()), 5)


def shuffled(documents: Documents) -> Documents:
    """Return training documents in which terms are independent given the class.

    Each term is dealt anew among the documents of a class.
    """
    random = np.random.default_rng(SEED)
    words = (documents.X > 0).toarray()
    for label in np.unique(documents.y):
        rows = np.flatnonzero(documents.y == label)
        words[rows] = random.permuted(words[rows], axis=0)
    return documents._replace(X=sparse.csr_array(words.astype(np.int64)))


def _curves(documents: Documents, sizes: list[int], seeds: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for size in sizes:
        n = documents.X.shape[0]
        rows = [
            np.sort(np.random.default_rng(seed).choice(n, size, replace=False))
            for seed in range(seeds if size < n else 1)
        ]
        each = [compared(documents._replace(X=documents.X[r], y=documents.y[r])) for r in rows]
        for name in each[0]:
            mean = float(np.mean([one[name] for one in each]))
            found.setdefault(name, []).append(round(mean, 5))
    return found


def compared(documents: Documents) -> dict[str, float]:
    """Return what both models get right, of the documents they learned and of others."""
    models = {
        "naive": bernoulli().fit(documents.X, documents.y),
        "tree": TreeAugmented.of(documents.X, documents.y),
    }
    return {
        f"{name}_{side}": right(model.predict(matrix), wanted)
        for name, model in models.items()
        for side, matrix, wanted in (
            ("learned", documents.X, documents.y),
            ("test", documents.Z, documents.z),
        )
    }


LINES = {
    "naive_test": "naive, test",
    "tree_test": "tree-augmented, test",
    "naive_learned": "naive, learned",
    "tree_learned": "tree-augmented, learned",
}


def show(found: Record) -> Iterable[str | Table | Figure]:
    rows = [
        (
            TITLES[name],
            f"{100 * corpus.pairs:.2f}",
            f"{100 * corpus.pairs_shuffled:.2f}",
            100 * corpus.sure,
            100 * corpus.naive_test[-1],
            100 * corpus.tree_test[-1],
            100 * (corpus.naive_learned[0] - corpus.naive_test[0]),
            100 * (corpus.tree_learned[0] - corpus.tree_test[0]),
        )
        for name, corpus in found.corpora.items()
    ]
    columns = (
        "all documents learned",
        "pairs",
        "by chance",
        "how sure",
        "how right, naive",
        "tree-augmented",
        "learned − test, naive, fewest",
        "tree-augmented, fewest",
    )
    yield Table("Dependent pairs, posterior and accuracy, in %", columns, rows, 1)
    drawn, plots = panels(len(found.corpora), across=len(found.corpora), height=2.7)
    for plot, (name, corpus) in zip(plots, found.corpora.items(), strict=True):
        lines = {title: [100 * value for value in corpus[key]] for key, title in LINES.items()}
        draw_lines(
            plot, corpus.sizes, lines, title=TITLES[name], x_label="training documents", log_x=True
        )
    plots[0].set_ylabel("accuracy, %")
    legend_below(drawn, plots)
    yield _remark(found)
    yield Figure("aggarwal-independence", "Naive and tree-augmented Bernoulli models.", drawn)


def _remark(found: Record) -> str:
    pairs = [
        (f"{TITLES[name]} with {size:,}", gap)
        for name, corpus in found.corpora.items()
        for size, gap in zip(corpus.sizes, _gaps(corpus), strict=True)
    ]
    others = [title for title, gap in pairs if gap <= 0]
    leads = [
        f"{TITLES[name]} {100 * (corpus.tree_test[-1] - corpus.naive_test[-1]):+.1f}"
        for name, corpus in found.corpora.items()
    ]
    return (
        f"The richer model overfits more than the naive one in {len(pairs) - len(others)} pairs of "
        f"corpus and size of {len(pairs)}; exceptions: {listed(others)}. Its lead on test "
        f"documents when all are learned, in points: {', '.join(leads)}."
    )


def _gaps(corpus: Record) -> list[float]:
    """Return by how much further learned documents are ahead in the richer model."""
    tree, naive = (
        np.subtract(corpus[f"{name}_learned"], corpus[f"{name}_test"]) for name in ("tree", "naive")
    )
    return (tree - naive).tolist()
