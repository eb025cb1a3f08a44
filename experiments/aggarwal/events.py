"""The event models of 5.3: the book's two, and what lies between them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from experiments.aggarwal.corpora import Documents, right
from tallytext import BernoulliNB, MultinomialNB
from tallytext.evaluation import mcnemar
from tallytext.models import Laplace

Numbers = NDArray[np.float64]


def bernoulli() -> BernoulliNB:
    """(5.11) to (5.17), gamma and beta 1."""
    return BernoulliNB()


def multinomial() -> MultinomialNB:
    """(5.18) to (5.21), gamma and beta 1."""
    return MultinomialNB(Laplace(1.0), prior="smoothed")


def binary() -> MultinomialNB:
    """The same where each word of a document counts once."""
    return MultinomialNB(Laplace(1.0), prior="smoothed", tf="binary", tf_test="binary")


def accuracies(documents: Documents) -> dict[str, float]:
    """Return how many documents each event model gets right.

    ``p`` is the probability that Bernoulli and multinomial differ as much if they were equally
    good, by McNemar's exact test.
    """
    predicted = predictions(documents)
    hits = {name: found == documents.z for name, found in predicted.items()}
    p_value = mcnemar(hits["bernoulli"], hits["multinomial"]).p_value
    found = {name: right(each, documents.z) for name, each in predicted.items()}
    return found | {"p": float(f"{p_value:.2g}")}


def predictions(documents: Documents) -> dict[str, NDArray[Any]]:
    """Return which class each event model gives each document to be judged."""
    made = {"bernoulli": bernoulli(), "multinomial": multinomial(), "binary": binary()}
    fitted = {name: model.fit(documents.X, documents.y) for name, model in made.items()}
    found = {name: model.predict(documents.Z) for name, model in fitted.items()}
    presence = Presences.of(documents, *book_smoothing(documents))
    scores = presence.scores(documents.Z, absence=False)
    return found | {"presence": presence.classes[scores.argmax(axis=1)]}


def book_smoothing(documents: Documents, gamma: float = 1.0) -> tuple[float, float]:
    """Return what (5.17) adds above, and below, the line."""
    n_documents, n_terms = documents.X.shape
    return gamma, gamma * n_terms / (documents.X.nnz / n_documents)


class Presences(NamedTuple):
    r"""Which share of a class's documents have a term, :math:`(m + a) / (n + b)`.

    Attributes
    ----------
    classes : ndarray
    priors : ndarray of shape (n_classes,)
        Logarithms, by (5.15).
    shares : ndarray of shape (n_classes, n_terms)
    """

    classes: NDArray[Any]
    priors: Numbers
    shares: Numbers

    @classmethod
    def of(cls, documents: Documents, above: float, below: float) -> Presences:
        """Estimate from training documents, adding so much above and below the line."""
        classes, numbers = np.unique(documents.y, return_inverse=True)
        sizes = np.bincount(numbers).astype(float)
        members = sparse.csr_array(
            (np.ones(len(numbers)), numbers, np.arange(len(numbers) + 1)),
            shape=(len(numbers), len(classes)),
        )
        df = (members.T @ (documents.X > 0).astype(float)).toarray()
        priors = np.log((sizes + 1) / (sizes + 1).sum())
        return cls(classes, priors, (df + above) / (sizes + below)[:, None])

    def scores(self, Z: sparse.csr_array, absence: bool = True) -> Numbers:
        """Return log joints, with or without the second product of (5.11)."""
        words = (Z > 0).astype(float)
        present = np.log(self.shares)
        if not absence:
            return words @ present.T + self.priors
        missing = np.log1p(-np.minimum(self.shares, 1 - 1e-12))
        return words @ (present - missing).T + missing.sum(axis=1) + self.priors
