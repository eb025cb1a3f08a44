"""Reads what a vectorizer counted back into plain dictionaries."""

import numpy as np


def counts_by_name(vectorizer, texts):
    """One dictionary of term -> count for each document."""
    X = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    return [rows_as_dict(X, i, names) for i in range(X.shape[0])]


def rows_as_dict(X, i, names):
    begin, end = X.indptr[i], X.indptr[i + 1]
    return dict(zip(names[X.indices[begin:end]], X.data[begin:end].tolist(), strict=True))


def same_matrix(A, B):
    return (
        A.shape == B.shape
        and np.array_equal(A.indptr, B.indptr)
        and np.array_equal(A.indices, B.indices)
        and np.array_equal(A.data, B.data)
    )


def in_term_order(vectorizer, X):
    """The columns put in the order of their names, and the names."""
    names = vectorizer.get_feature_names_out()
    order = np.argsort(names)
    X = X[:, order]
    X.sort_indices()
    return X, names[order]
