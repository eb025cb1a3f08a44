"""Latent semantic analysis, and Fisher's directions after it, as features of documents."""

from __future__ import annotations

import numpy as np

from experiments.aggarwal.corpora import Documents
from tallytext import FisherFeatures


def latent(documents: Documents, n: int) -> Documents:
    """Return so many LSA features of documents, with weights ltc."""
    lsa, _ = latent_and_fisher(documents, n)
    return lsa


def latent_and_fisher(
    documents: Documents, n: int, ridge: float = 1e-3
) -> tuple[Documents, Documents]:
    """Return LSA features, and Fisher's directions among them."""
    fisher = FisherFeatures(n_lsa=n, ridge=ridge, append=True).fit(documents.X, documents.y)
    X, Z = (fisher.transform(each).astype(np.float32) for each in (documents.X, documents.Z))
    at = fisher.components_.shape[0]
    return (
        documents._replace(X=X[:, :at], Z=Z[:, :at]),
        documents._replace(X=X[:, at:], Z=Z[:, at:]),
    )
