"""What PooledNB can be given, checked before any work is done."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.errors import CountError, LabelError
from tallytext.matrices import checked_matrix
from tallytext.smoothing.base import Numbers, expect_between, expect_whole
from tallytext.unlabelled.counts import Rows

MOST_BYTES = 2**31
"""The most that a table of all words and classes may take."""


def expect_parameters(model: Any) -> None:
    """Refuse parameters of a model that cannot be."""
    if model.translation not in (True, False, "auto"):
        raise ValueError(f"translation must be True, False or 'auto', not {model.translation!r}.")
    for name in ("n_components", "min_df", "rounds"):
        expect_whole(name, getattr(model, name), 1)
    expect_whole("random_state", model.random_state, 0)
    for name in ("cost", "length", "penalty", "labelled_weight"):
        expect_between(name, getattr(model, name), 1e-9, 1e9)
    for name in ("topicality", "concentration"):
        expect_between(name, getattr(model, name), 0.0, 1e6)
    expect_between("beta", model.beta, 0.0, 0.999)
    expect_between("annealing", model.annealing, 1e-6, 1.0)
    if model.trust is not None:
        expect_between("trust", model.trust, 0.0, 1.0)
    expect_between("doubt", model.doubt, 0.0, 1e6)


def expect_one_label(truth: Numbers, multi_label: bool | None) -> None:
    """Refuse documents with several labels or none, and to be told that there will be some."""
    several = np.flatnonzero(truth.sum(axis=1) != 1)
    if not (several.size or multi_label):
        return
    found = "multi_label=True was asked for"
    if several.size:
        found = f"document {several[0]} has {int(truth[several[0]].sum())} labels"
    raise LabelError(
        f"{found}, and PooledNB takes documents with one label each. Documents without a label go "
        "into unlabelled; for several labels per document use RefinedNB or MultinomialNB."
    )


def expect_room(n_terms: int, n_classes: int) -> None:
    """Refuse more words and classes than tables of them have room for."""
    needed = 8 * n_terms * n_classes
    if needed > MOST_BYTES:
        raise CountError(
            f"{n_terms:,} columns times {n_classes:,} classes are a table of {needed / 2**30:.1f} "
            f"GiB, and PooledNB takes no more than {MOST_BYTES / 2**30:.0f}. Keep fewer words, by "
            "min_df or max_features of the vectorizer, or use MultinomialNB."
        )


def checked_others(model: Any, unlabelled: Any) -> Rows[Any]:
    """Return counts of documents without labels, of which there may be none."""
    shape = unlabelled.shape if hasattr(unlabelled, "shape") else np.shape(unlabelled)
    n_terms = model.n_features_in_
    if len(shape) == 2 and shape[1] != n_terms:
        raise CountError(
            f"unlabelled has {shape[1]} columns, but the documents with labels have {n_terms}. "
            "Were both counted by the same vectorizer?"
        )
    if shape[:1] == (0,):
        return sparse.csr_array((0, n_terms))
    return sparse.csr_array(checked_matrix(model, unlabelled, reset=False, open_width=False))


def checked_folds(folds: Any, n_documents: int) -> NDArray[np.int64]:
    """Return a fold for each labelled document."""
    found = np.asarray(folds)
    if found.shape != (n_documents,) or found.dtype.kind not in "iu":
        raise ValueError(
            f"folds must be {n_documents} whole numbers, one for each labelled document, not "
            f"{found.dtype} of shape {found.shape}."
        )
    return found.astype(np.int64)
