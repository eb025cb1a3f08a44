"""Ensembles of trees, and what their first trees say."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from joblib import parallel_config
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from experiments.aggarwal.corpora import Documents, right
from tallytext import RotationForest


def random_forest(n: int, seed: int) -> RandomForestClassifier:
    """Trees on random documents, each question on random features."""
    return RandomForestClassifier(n, random_state=seed, n_jobs=2)


def bagging(n: int, seed: int) -> BaggingClassifier:
    """Trees on random documents."""
    return BaggingClassifier(DecisionTreeClassifier(), n, random_state=seed, n_jobs=2)


def staged(ensemble: Any, given: Documents, n_trees: list[int]) -> list[float]:
    """Return what the first trees of an ensemble get right, 1, 2, 5, … of them."""
    _fitted(ensemble, given)
    said = [tree.predict_proba(given.Z) for tree in ensemble.estimators_]
    return of_first(said, ensemble.classes_, given, n_trees)


def of_first(said: list[Any], classes: Any, given: Documents, n_trees: list[int]) -> list[float]:
    """Return what the average of the first so many classifiers gets right."""
    sums = np.cumsum(said, axis=0)
    return [right(classes[sums[n - 1].argmax(axis=1)], given.z) for n in n_trees]


def probabilities(forest: RotationForest, documents: Documents) -> list[Any]:
    """Return what each tree of a forest says, by forests of one tree."""
    found = []
    for member in forest.members_:
        alone = copy(forest)
        alone.members_ = [member]
        found.append(alone.decision_function(documents.Z))
    return found


def first_classes(said: list[Any]) -> list[Any]:
    """Return which classes five of several classifiers give."""
    return [each.argmax(axis=1) for each in said[:5]]


def _fitted(ensemble: Any, given: Documents) -> Any:
    # Trees let go of the interpreter, so that threads do, and no process is to be started.
    with parallel_config("threading"):
        return ensemble.fit(given.X, given.y)


def trees_said(ensemble: Any, given: Documents) -> list[Any]:
    """Return which classes each tree of an ensemble gives."""
    _fitted(ensemble, given)
    return [tree.predict(given.Z) for tree in ensemble.estimators_]


def disagreement(said: list[Any]) -> float:
    """Return how often two of several classifiers differ.

    Examples
    --------
    >>> disagreement([np.array([0, 1]), np.array([0, 2]), np.array([0, 1])])
    0.33333
    """
    pairs = [(a, b) for at, a in enumerate(said) for b in said[:at]]
    return round(float(np.mean([np.mean(a != b) for a, b in pairs])), 5)
