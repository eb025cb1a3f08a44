"""5.2.7: trees on single terms, on latent semantic analysis, and rotated ensembles of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from experiments.aggarwal.corpora import TITLES, Documents, for_trees, right
from experiments.aggarwal.events import multinomial
from experiments.aggarwal.l1_path import weighed
from experiments.aggarwal.latent import latent
from experiments.aggarwal.trees import (
    bagging,
    disagreement,
    first_classes,
    of_first,
    probabilities,
    random_forest,
    staged,
    trees_said,
)
from experiments.aggarwal.wording import listed, spread
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import RotationForest

HEADING = "Rotation ensembles (5.2.7)"
ABOUT = """The book says that sparsity makes trees overfit, that latent semantic analysis (LSA)
makes trees usable on text, and that a rotation ensemble suits ensembles: divide the terms into K
blocks, reduce each to r features by LSA, pool them, train, repeat, average. Here K = 5 and r = 20;
the LSA tree has 100 features of the whole matrix, too. Compared are bagged trees on terms and on
LSA features, and random forests on both. Trees are grown until leaves are pure. The trees of a
rotation forest consider a random tenth of the features at each split (their square root, the
library's default), or all features. Samples of 2,000 training and 2,000 test documents each of 20
Newsgroups and AG News, without English stop words, words of two training documents or more, ltc
weights. Forests: three seeds and their spread; one seed for bagged trees on terms, which are slow
and end at ten, and for rotated trees with all features. *Disagreement* is the share of test
documents on which two trees of a forest differ. Nothing was tuned here; the library's defaults for
forests were chosen earlier on other documents of 20 Newsgroups."""

TREES = (1, 2, 5, 10, 30)
SEEDS = 3
MANY = 100
CURVES = {
    "rotation": "rotation forest",
    "rotation_all": "rotation, all features",
    "bagged_lsa": "bagged trees, LSA",
    "forest_lsa": "random forest, LSA",
    "forest": "random forest, terms",
    "bagged": "bagged trees, terms",
}
BLOCKS = (1, 2, 5, 10)
FEW = 10


def measure(work: Workplace) -> dict[str, Any]:
    found = {}
    for name, documents in for_trees(work):
        found[name] = _measured(documents, work)
    return {"corpora": found}


def _measured(documents: Documents, work: Workplace) -> dict[str, Any]:
    n_trees = [n for n in TREES if n <= 2] if work.quick else [*TREES]
    weighted, reduced = weighed(documents), latent(documents, 20 if work.quick else 100)
    work.say("single trees")
    found = _single(documents, weighted, reduced, 1 if work.quick else SEEDS)
    work.say("forests")
    found |= _forests(documents, weighted, reduced, n_trees, 1 if work.quick else SEEDS)
    work.say("many trees")
    found |= {"many": _many(documents, reduced, 3 if work.quick else MANY)}
    work.say("blocks")
    return found | {"n_trees": n_trees, "blocks": _by_blocks(documents, min(FEW, n_trees[-1]))}


def _single(
    documents: Documents, weighted: Documents, reduced: Documents, seeds: int
) -> dict[str, Any]:
    """Return what trees by themselves get right, learned and test documents."""
    found: dict[str, Any] = {"bayes": documents.accuracy(multinomial())}
    for name, given in (("tree", weighted), ("tree_lsa", reduced)):
        trees = [
            DecisionTreeClassifier(random_state=seed).fit(given.X, given.y) for seed in range(seeds)
        ]
        found[name] = [right(tree.predict(given.Z), given.z) for tree in trees]
        found[f"{name}_learned"] = right(trees[0].predict(given.X), given.y)
        found[f"{name}_leaves"] = float(np.mean([tree.get_n_leaves() for tree in trees]))
    return found


def _forests(
    documents: Documents, weighted: Documents, reduced: Documents, n_trees: list[int], seeds: int
) -> dict[str, Any]:
    most, few = n_trees[-1], [n for n in n_trees if n <= 10]
    every = RotationForest(most, estimator=DecisionTreeClassifier())
    said = probabilities(every.fit(documents.X, documents.y), documents)
    found: dict[str, Any] = {
        "bagged": [staged(bagging(few[-1], 0), weighted, few)],
        "rotation_all": [of_first(said, every.classes_, documents, n_trees)],
        "disagreement": {"rotation_all": disagreement(first_classes(said))},
    }
    for seed in range(seeds):
        curves = _of_seed(documents, weighted, reduced, n_trees, seed)
        for name, curve in curves.items():
            found.setdefault(name, []).append(curve)
    forest = RotationForest(5).fit(documents.X, documents.y)
    found["disagreement"] |= {
        "rotation": disagreement(first_classes(probabilities(forest, documents))),
        "bagged_lsa": disagreement(trees_said(bagging(5, 0), reduced)),
    }
    return found


def _of_seed(
    documents: Documents, weighted: Documents, reduced: Documents, n_trees: list[int], seed: int
) -> dict[str, list[float]]:
    """Return the accuracy of forests over trees."""
    most = n_trees[-1]
    forest = RotationForest(most, random_state=seed).fit(documents.X, documents.y)
    said = probabilities(forest, documents)
    return {
        "rotation": of_first(said, forest.classes_, documents, n_trees),
        "bagged_lsa": staged(bagging(most, seed), reduced, n_trees),
        "forest_lsa": staged(random_forest(most, seed), reduced, n_trees),
        "forest": staged(random_forest(most, seed), weighted, n_trees),
    }


def _many(documents: Documents, reduced: Documents, n: int) -> dict[str, Any]:
    """Return how rotated and bagged trees do when there are many."""
    forest = RotationForest(n).fit(documents.X, documents.y)
    return {
        "n": n,
        "rotation": right(forest.predict(documents.Z), documents.z),
        "forest_lsa": staged(random_forest(n, 0), reduced, [n])[0],
        "bagged_lsa": staged(bagging(n, 0), reduced, [n])[0],
    }


def _by_blocks(documents: Documents, n_trees: int) -> dict[str, Any]:
    """Return what forests get right whose 100 features come from 1, 2, 5 or 10 blocks."""
    found: dict[str, Any] = {"K": [*BLOCKS], "forest": [], "alone": []}
    for blocks in BLOCKS:
        forest = RotationForest(n_trees, blocks, 100 // blocks).fit(documents.X, documents.y)
        said = probabilities(forest, documents)
        single = [right(forest.classes_[each.argmax(axis=1)], documents.z) for each in said]
        found["alone"].append(round(float(np.mean(single)), 5))
        found["forest"].append(right(forest.predict(documents.Z), documents.z))
    return found


def show(found: Record) -> Iterable[str | Table | Figure]:
    for name, corpus in found.corpora.items():
        yield _table(TITLES[name], corpus)
    yield _figure(found)
    rows = [
        (f"{TITLES[name]}, {title}", *(100 * value for value in corpus.blocks[key]))
        for name, corpus in found.corpora.items()
        for key, title in (("alone", "one tree, mean"), ("forest", f"{_few(corpus)} trees"))
    ]
    columns = ("", *(f"{k} × {100 // k}" for k in BLOCKS))
    yield Table("Blocks × features of each: accuracy, %", columns, rows, 1)
    rows = [
        (TITLES[name], *(100 * corpus.disagreement[key] for key in _SAID))
        for name, corpus in found.corpora.items()
    ]
    yield Table("Disagreement of two trees, %", ("", *(CURVES[k] for k in _SAID)), rows, 1)
    yield " ".join(_verdict(TITLES[name], corpus) for name, corpus in found.corpora.items())
    yield " ".join(_splits(TITLES[name], corpus) for name, corpus in found.corpora.items())
    yield _ahead(found)


def _few(corpus: Record) -> int:
    return min(FEW, corpus.n_trees[-1])


def _splits(title: str, corpus: Record) -> str:
    """Return what dealing terms into more blocks does, as features are as many in all."""
    alone, forest = ([100 * value for value in corpus.blocks[key]] for key in ("alone", "forest"))
    falls = all(values == sorted(values, reverse=True) for values in (alone, forest))
    how = "every further split costs" if falls else "not every further split costs"
    return (
        f"{title}, from {BLOCKS[0]} block to {BLOCKS[-1]}, with as many features in all: one tree "
        f"goes from {alone[0]:.1f} to {alone[-1]:.1f} %, {_few(corpus)} trees from "
        f"{forest[0]:.1f} to {forest[-1]:.1f} %; {how}."
    )


def _ahead(found: Record) -> str:
    many = {TITLES[name]: corpus.many for name, corpus in found.corpora.items()}
    bagged = [title for title, each in many.items() if each.rotation > each.bagged_lsa]
    forest = [title for title, each in many.items() if each.rotation > each.forest_lsa]
    (n,) = {each.n for each in many.values()}
    return (
        f"With {n} trees rotation is ahead of bagged trees on plain LSA features on: "
        f"{listed(bagged)}; ahead of a random forest on them on: {listed(forest)}."
    )


def _verdict(title: str, corpus: Record) -> str:
    many = corpus.many
    return (
        f"{title}, {many.n} trees: rotation forest {100 * many.rotation:.1f} %, bagged trees on "
        f"LSA features {100 * many.bagged_lsa:.1f} %, random forest on them "
        f"{100 * many.forest_lsa:.1f} %."
    )


_SAID = ("rotation", "rotation_all", "bagged_lsa")


def _table(title: str, corpus: Record) -> Table:
    rows: list[tuple[Any, ...]] = []
    for key, name in (("tree", "tree, terms"), ("tree_lsa", "tree, LSA")):
        rows.append((name, 100 * float(np.mean(corpus[key])), *[None] * (len(corpus.n_trees) - 1)))
    for key, name in CURVES.items():
        cells = [spread(values) for values in zip(*corpus[key], strict=True)]
        rows.append((name, *cells, *[None] * (len(corpus.n_trees) - len(cells))))
    rows.append(
        ("multinomial naive Bayes", 100 * corpus.bayes, *[None] * (len(corpus.n_trees) - 1))
    )
    return Table(f"{title}: accuracy in %, by trees", ("", *map(str, corpus.n_trees)), rows, 1)


def _figure(found: Record) -> Figure:
    drawn, plots = panels(len(found.corpora), across=2, width=4.6, height=3.2)
    for plot, (name, corpus) in zip(plots, found.corpora.items(), strict=True):
        lines = {}
        for key, title in CURVES.items():
            means = (100 * np.mean(corpus[key], axis=0)).tolist()
            lines[title] = [*means, *[None] * (len(corpus.n_trees) - len(means))]
        draw_lines(plot, corpus.n_trees, lines, title=TITLES[name], x_label="trees", log_x=True)
        for key, style in (("tree", ":"), ("tree_lsa", "--")):
            plot.axhline(100 * np.mean(corpus[key]), color="black", lw=0.9, ls=style)
        plot.set_ylabel("accuracy, %")
    legend_below(drawn, plots, 3)
    about = "Accuracy over trees; dotted: one tree on terms, dashed: one tree on LSA features."
    return Figure("aggarwal-rotation", about, drawn)
