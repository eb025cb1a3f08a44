"""5.2.7: Fisher's directions as features, for trees above all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from experiments.aggarwal.corpora import TITLES, Documents, for_trees, right
from experiments.aggarwal.l1_path import weighed
from experiments.aggarwal.latent import latent_and_fisher
from experiments.aggarwal.wording import spread
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace

HEADING = "Fisher's directions as features (5.2.7)"
ABOUT = """The book names Fisher's linear discriminant as a method of feature engineering for trees.
Compared are a tree and a linear support vector machine on terms (ltc), on 200 LSA features, on
Fisher's directions among these (one fewer than classes), on LSA and Fisher together, and on terms
and Fisher together. The same documents as for rotation; three seeds for trees. Fisher's directions
are computed from the labels and can overfit. The figure shows training and test accuracy by the
number of dimensions (there also with the nearest mean in their space, which is Fisher's own
rule)."""

KINDS = {
    "terms": "terms",
    "lsa": "LSA",
    "fisher": "Fisher",
    "lsa_fisher": "LSA and Fisher",
    "terms_fisher": "terms and Fisher",
}
DIMENSIONS = (25, 50, 100, 200, 400)
SEEDS = 3


def measure(work: Workplace) -> dict[str, Any]:
    found = {}
    for name, documents in for_trees(work):
        found[name] = _measured(documents, work.quick)
    return {"corpora": found}


def _measured(documents: Documents, quick: bool) -> dict[str, Any]:
    kinds = features(documents, 50 if quick else 200)
    seeds = range(1 if quick else SEEDS)
    found: dict[str, Any] = {"tree": {}, "svm": {}}
    for kind, given in kinds.items():
        trees = [given.accuracy(DecisionTreeClassifier(random_state=seed)) for seed in seeds]
        found["tree"][kind] = trees
        found["svm"][kind] = given.accuracy(LinearSVC(dual=False, random_state=0))
    dimensions = [*DIMENSIONS[: 2 if quick else None]]
    return found | {"dimensions": dimensions} | _by_dimensions(documents, dimensions)


def features(documents: Documents, n: int) -> dict[str, Documents]:
    """Return documents as terms, as LSA features and as Fisher's, alone and together."""
    terms = weighed(documents)
    lsa, fisher = latent_and_fisher(documents, n)
    return {
        "terms": terms,
        "lsa": lsa,
        "fisher": fisher,
        "lsa_fisher": together(lsa, fisher),
        "terms_fisher": together(terms, fisher),
    }


def together(first: Documents, second: Documents) -> Documents:
    """Return documents with the features of both."""
    if sparse.issparse(first.X):
        X, Z = (sparse.hstack(pair, "csr") for pair in ((first.X, second.X), (first.Z, second.Z)))
    else:
        X, Z = np.hstack([first.X, second.X]), np.hstack([first.Z, second.Z])
    return first._replace(X=X, Z=Z)


def _by_dimensions(documents: Documents, dimensions: list[int]) -> dict[str, list[float]]:
    """Return what a tree on Fisher's directions gets right, by how many dimensions they are of."""
    found: dict[str, list[float]] = {"learned": [], "test": [], "tree_test": []}
    for n in dimensions:
        _, fisher = latent_and_fisher(documents, n)
        nearest = _nearest_mean(fisher)
        found["learned"].append(right(nearest(fisher.X), fisher.y))
        found["test"].append(right(nearest(fisher.Z), fisher.z))
        found["tree_test"].append(fisher.accuracy(DecisionTreeClassifier(random_state=0)))
    return found


def _nearest_mean(given: Documents) -> Any:
    """Return what gives a document the class whose mean is nearest, as Fisher's rule does."""
    classes = np.unique(given.y)
    means = np.array([given.X[given.y == label].mean(axis=0) for label in classes])

    def nearest(X: Any) -> Any:
        distances = np.square(means).sum(axis=1) - 2 * X @ means.T
        return classes[distances.argmin(axis=1)]

    return nearest


def show(found: Record) -> Iterable[str | Table | Figure]:
    rows = []
    for name, corpus in found.corpora.items():
        rows.append((f"{TITLES[name]}, tree", *map(spread, corpus.tree.values())))
        rows.append((f"{TITLES[name]}, SVM", *(100 * value for value in corpus.svm.values())))
    yield Table("Accuracy, %", ("", *KINDS.values()), rows, 1)
    drawn, plots = panels(len(found.corpora), across=2, width=4.4, height=2.8)
    for plot, (name, corpus) in zip(plots, found.corpora.items(), strict=True):
        lines = {
            "nearest mean, learned": corpus.learned,
            "nearest mean, test": corpus.test,
            "tree, test": corpus.tree_test,
        }
        scaled = {title: [100 * value for value in values] for title, values in lines.items()}
        at = corpus.dimensions
        draw_lines(plot, at, scaled, title=TITLES[name], x_label="LSA dimensions", log_x=True)
        plot.set_ylabel("accuracy, %")
    legend_below(drawn, plots)
    about = "Fisher's directions of more and more dimensions: learned and other documents."
    yield Figure("aggarwal-fisher", about, drawn)
    yield " ".join(_remark(TITLES[name], corpus) for name, corpus in found.corpora.items())


def _remark(title: str, corpus: Record) -> str:
    few, many = corpus.dimensions[0], corpus.dimensions[-1]
    best = corpus.dimensions[int(np.argmax(corpus.test))]
    harm = "fitting too much does no harm yet" if best == many else f"most are right with {best}"
    return (
        f"{title}, nearest mean, from {few} to {many} dimensions: learned documents go from "
        f"{100 * corpus.learned[0]:.1f} to {100 * corpus.learned[-1]:.1f} %, others from "
        f"{100 * corpus.test[0]:.1f} to {100 * corpus.test[-1]:.1f} %; {harm}."
    )
