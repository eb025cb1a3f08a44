"""Least squares and trees, slow and obvious."""

import numpy as np


def ridge(X, Y, alpha, intercept):
    """Weights and bias by the normal equations; the bias is one more term, not penalised."""
    columns = np.hstack([X, np.ones((len(X), 1))]) if intercept else X
    penalty = alpha * np.eye(columns.shape[1])
    if intercept:
        penalty[-1, -1] = 0.0
    solved = np.linalg.lstsq(columns.T @ columns + penalty, columns.T @ Y, rcond=None)[0]
    return (solved[:-1], solved[-1]) if intercept else (solved, np.zeros(Y.shape[1]))


def walk(tree, row):
    """The probabilities of the leaf that one document comes to."""
    node = 0
    while tree.left[node] >= 0:
        low = row[tree.feature[node]] <= tree.threshold[node]
        node = tree.left[node] if low else tree.right[node]
    return tree.probabilities[tree.leaf[node]]
