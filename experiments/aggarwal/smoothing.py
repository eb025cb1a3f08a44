"""5.3.1.2: what is added to counts, where there are few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from experiments.aggarwal.corpora import TITLES, Documents, documents_of, names, right, split_of
from experiments.aggarwal.events import Presences, bernoulli, book_smoothing, multinomial
from experiments.aggarwal.wording import listed
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import BernoulliNB, MultinomialNB
from tallytext.models import Laplace

HEADING = "Smoothing where documents are few (5.14 to 5.17)"
ABOUT = """The book smooths priors with β (5.15) and the shares of documents with γ (5.17), whose
denominator gives an unseen term the probability of an average one, d_a / d. Most programs add 1 to
the count and 2 to the number of documents instead, so that such a term is expected in half of all
documents. Here 50, 100, … training documents are sampled at random, five times (all of them: once),
the lexicon consists of their terms, and the usual test documents are evaluated. Compared are (5.17)
with γ of 1, 0.1, 0.01 and nearly 0, the usual (m + 1) / (n + 2), no smoothing (5.16), and the prior
without β. Without smoothing, a class is impossible for a document with a term that occurs in no
document of the class, or without a term that occurs in all of them; if all classes are impossible,
the prior decides. *Own class impossible* counts the test documents with a term that did not occur
in their own class, the case that the book warns of, and *all impossible* those for which (5.16)
excludes every class. Both use only the terms of the sampled documents, so with few and short
documents hardly any term can be missing; *own class impossible, whole lexicon* uses the terms of
all training documents."""

SIZES = (50, 100, 200, 500, 1000, 2000)
SEEDS = 5
VARIANTS = {
    "book": "(5.17), γ = 1",
    "tenth": "(5.17), γ = 0.1",
    "hundredth": "(5.17), γ = 0.01",
    "usual": "(m + 1) / (n + 2)",
    "hardly": "γ = 1e-9",
    "unsmoothed": "(5.16)",
}
_LIMITS = {"ynat": 20000}


def measure(work: Workplace) -> dict[str, Any]:
    found = {}
    for name in work.track(names(work)):
        whole = documents_of(work, split_of(work, name, _LIMITS.get(name)))
        n = whole.X.shape[0]
        sizes = [*(size for size in SIZES if size < n), n]
        found[name] = {"sizes": sizes, **_curves(whole, sizes, 2 if work.quick else SEEDS)}
    return {"corpora": found}


def _curves(whole: Documents, sizes: list[int], seeds: int) -> dict[str, list[float]]:
    curves: dict[str, list[float]] = {}
    for size in sizes:
        samples = [
            measured(whole.learned(rows)) | {"own_unseen": own_unseen(whole, rows)}
            for rows in _samples(whole, size, seeds)
        ]
        for name in samples[0]:
            mean = np.mean([sample[name] for sample in samples]).item()
            curves.setdefault(name, []).append(round(mean, 5))
    return curves


def _samples(whole: Documents, size: int, seeds: int) -> Iterator[Any]:
    n = whole.X.shape[0]
    for seed in range(seeds if size < n else 1):
        yield np.sort(np.random.default_rng(seed).choice(n, size, replace=False))


def own_unseen(whole: Documents, rows: Any) -> float:
    """Return how many test documents have a term that their class does not show in some rows.

    The lexicon is that of all training documents: with the terms of the rows alone it would be
    small when they are few, and a document would have next to nothing that could be missing.
    """
    y = np.asarray(whole.y)[rows]
    classes, number = np.unique(y, return_inverse=True)
    members = sparse.csr_array((np.ones(len(y)), (number, np.arange(len(y)))))
    shown = (members @ (whole.X[rows] > 0).astype(float) > 0).astype(float)
    words = (whole.Z > 0).astype(float)
    known = np.isin(whole.z, classes)
    own = np.searchsorted(classes, np.asarray(whole.z)[known])
    seen = np.asarray((words @ shown.T).todense())[known, own]
    return round(float(np.mean(np.asarray(words.sum(axis=1)).ravel()[known] > seen)), 5)


def measured(documents: Documents) -> dict[str, float]:
    """Return accuracies, and how often a class is impossible without smoothing."""
    models = {
        "book": bernoulli(),
        "tenth": BernoulliNB(0.1),
        "hundredth": BernoulliNB(0.01),
        "hardly": BernoulliNB(1e-9),
        "bernoulli_ml_prior": BernoulliNB(prior="ml"),
        "multinomial": multinomial(),
        "multinomial_ml_prior": MultinomialNB(Laplace(1.0), prior="ml"),
    }
    found = {name: documents.accuracy(model) for name, model in models.items()}
    usual = Presences.of(documents, 1, 2)
    predicted = usual.classes[usual.scores(documents.Z).argmax(axis=1)]
    return found | {"usual": right(predicted, documents.z)} | unsmoothed(documents)


def unsmoothed(documents: Documents) -> dict[str, float]:
    """Return how (5.16) does, and how many documents are impossible in their class, and in all.

    Where all classes are impossible, the prior has to decide.
    """
    plain = Presences.of(documents, 0, 0)
    words = (documents.Z > 0).astype(float)
    unseen = words @ (plain.shares == 0).astype(float).T > 0
    always = (plain.shares == 1).astype(float)
    never = unseen | (always.sum(axis=1) - words @ always.T > 0)
    scores = _possible(plain).scores(documents.Z) - np.where(never, _FAR, 0.0)
    scores[never.all(axis=1)] = plain.priors
    known = np.isin(documents.z, plain.classes)
    own = unseen[known, np.searchsorted(plain.classes, documents.z[known])]
    return {
        "unsmoothed": right(plain.classes[scores.argmax(axis=1)], documents.z),
        "own_impossible": round(float(own.mean()), 5),
        "all_impossible": round(float(never.all(axis=1).mean()), 5),
        "added": round(book_smoothing(documents)[1], 1),
        "known": round(float(words.sum() / words.shape[0]), 2),
    }


# Farther than any document could bring two classes apart.
_FAR = 1e12


def _possible(plain: Presences) -> Presences:
    """Keep shares off zero and one, so that their logarithms are there."""
    return plain._replace(shares=np.clip(plain.shares, 1e-12, 1 - 1e-12))


def show(found: Record) -> Iterable[str | Table | Figure]:
    yield _figure(found)
    yield _table(found)
    yield (
        "*Known terms* are those of the lexicon that a test document has. With γ = 1, (5.17) adds "
        "*d / d_a* documents to each class: one that has fewer depends more on the default than "
        "on its own counts."
    )
    yield _remark(found)
    yield _priors(found)


def _remark(found: Record) -> str:
    cells = [
        (f"{TITLES[name]} with {size:,} documents", corpus, at)
        for name, corpus in found.corpora.items()
        for at, size in enumerate(corpus.sizes)
    ]
    level = [
        f"{title} (where a test document has {corpus.known[at]:.1f} known terms)"
        for title, corpus, at in cells
        if corpus.unsmoothed[at] >= corpus.book[at]
    ]
    gains = [100 * (corpus.tenth[at] - corpus.book[at]) for _, corpus, at in cells]
    most, least = (cells[int(at)][0] for at in (np.argmax(gains), np.argmin(gains)))
    return (
        f"(5.16) is not behind (5.17) on: {listed(level)}. γ = 0.1 is better than γ = 1 in "
        f"{sum(gain > 0 for gain in gains)} pairs of corpus and size of {len(gains)}, "
        f"{np.mean(gains):+.1f} points in the mean, from {min(gains):+.1f} ({least}) to "
        f"{max(gains):+.1f} ({most})."
    )


def _figure(found: Record) -> Figure:
    drawn, plots = panels(len(found.corpora), across=len(found.corpora), height=2.7)
    for plot, (name, corpus) in zip(plots, found.corpora.items(), strict=True):
        lines = {title: [100 * value for value in corpus[key]] for key, title in VARIANTS.items()}
        lines |= {"multinomial (5.21)": [100 * value for value in corpus.multinomial]}
        title = TITLES[name]
        draw_lines(plot, corpus.sizes, lines, title=title, x_label="training documents", log_x=True)
    plots[0].set_ylabel("accuracy, %")
    legend_below(drawn, plots, 4)
    return Figure("aggarwal-smoothing", "Accuracy over the number of training documents.", drawn)


def _table(found: Record) -> Table:
    rows = []
    for name, corpus in found.corpora.items():
        for at in (0, len(corpus.sizes) // 2, -1):
            scores = [100 * corpus[key][at] for key in VARIANTS]
            keys = ("own_unseen", "own_impossible", "all_impossible")
            zeros = [100 * corpus[key][at] for key in keys]
            head = corpus.sizes[at], corpus.known[at], corpus.added[at]
            rows.append((TITLES[name], *head, *scores, *zeros))
    own = "own class impossible"
    impossible = f"{own}, whole lexicon", own, "all impossible"
    columns = ("", "documents", "known terms", "d / d_a", *VARIANTS.values(), *impossible)
    return Table(
        "Bernoulli, accuracy in %; and what (5.16) makes impossible, in %", columns, rows, 1
    )


def _priors(found: Record) -> Table:
    rows = []
    for name, corpus in found.corpora.items():
        gains = [
            100 * (smoothed - plain)
            for smoothed, plain in zip(corpus.book, corpus.bernoulli_ml_prior, strict=True)
        ]
        others = [
            100 * (smoothed - plain)
            for smoothed, plain in zip(corpus.multinomial, corpus.multinomial_ml_prior, strict=True)
        ]
        rows.append((TITLES[name], *gains[:3], *others[:3]))
    sizes = next(iter(found.corpora.values())).sizes[:3]
    columns = (
        "",
        *(f"Bernoulli, {size}" for size in sizes),
        *(f"multinomial, {size}" for size in sizes),
    )
    return Table("What smoothing the prior (5.15) adds to accuracy, in points", columns, rows, 2)
