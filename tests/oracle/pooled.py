"""Learning from a pool in plain NumPy, as the equations say it."""

import numpy as np


def columns(values, empty):
    """Columns that sum to one; others in the place of those of nothing."""
    found = np.empty_like(values)
    for c in range(values.shape[1]):
        total = values[:, c].sum()
        found[:, c] = values[:, c] / total if total > 0 else empty[:, c]
    return found


def unit(vector):
    length = np.sqrt((vector**2).sum())
    return vector / length if length > 0 else vector


def softmax(row):
    powers = np.exp(row - row.max())
    return powers / powers.sum()


def shares(counts, emphasis):
    """u of one document."""
    values = emphasis * np.log(1 + counts)
    return values / values.sum() if values.sum() > 0 else values


def one_round(u, z, rows, truth, own, translated, background, floor, held, settings):
    """Shares, ln p(w|c), places and ln π after one round of expectation and maximisation."""
    length, concentration, annealing = settings
    n, n_classes = len(u), truth.shape[1]
    start = 0.1 * own + 0.6 * translated + 0.3 * background[:, None] + floor
    labelled = [
        unit(sum(t * row for t, row in zip(truth[:, c], z[rows], strict=True)))
        for c in range(n_classes)
    ]
    expected = np.empty((n, n_classes))
    for d in range(n):
        evidence = [
            length * (u[d] @ np.log(start[:, c]))
            + concentration * (z[d] @ labelled[c])
            + held[d, c]
            for c in range(n_classes)
        ]
        expected[d] = softmax(annealing * np.array(evidence))
    sizes = np.log((expected.sum(axis=0) + 0.1 * n / n_classes) / (1.1 * n))
    expected[rows] = truth
    pooled = columns(u.T @ expected, own)
    words = np.log(
        0.05 * own + 0.05 * translated + 0.6 * pooled + 0.3 * background[:, None] + floor
    )
    places = np.array([unit(expected[:, c] @ z + 0.2 * labelled[c]) for c in range(n_classes)]).T
    return expected, words, places, sizes


def translated(own, rows):
    """Words that those of a class stand for, after one step and after two; rows are p(w|t)."""
    once = columns(rows.T @ own, own)
    return (once + columns(rows.T @ once, once)) / 2


def ridge_held_out(views, truth, folds, penalty):
    """Least-squares scores of documents by regressions on the others, refitted for each fold."""
    targets = truth - 1 / truth.shape[1]
    found = np.empty_like(targets)
    for fold in set(folds.tolist()):
        held, kept = folds == fold, folds != fold
        gram = views[kept].T @ views[kept] + penalty * np.eye(views.shape[1])
        found[held] = views[held] @ np.linalg.solve(gram, views[kept].T @ targets[kept])
    return found


def regression(v, shares, weights, penalty):
    """The exact minimum of the weighted least squares with a penalty."""
    mean = weights @ shares / weights.sum()
    left = v.T @ (weights[:, None] * v) + penalty * np.eye(v.shape[1])
    return np.linalg.solve(left, v.T @ (weights[:, None] * (shares - mean)))
