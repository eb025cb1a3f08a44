"""Learning from few labelled documents and many others."""

from tallytext.unlabelled.anchor import Anchor
from tallytext.unlabelled.anchored_em import AnchoredEM, Expected
from tallytext.unlabelled.class_model import ClassWords
from tallytext.unlabelled.pool import Pool
from tallytext.unlabelled.pooled import PooledNB
from tallytext.unlabelled.regression import document_weights, expected_regression
from tallytext.unlabelled.topicality import Topicality
from tallytext.unlabelled.trust import Trust

__all__ = [
    "Anchor",
    "AnchoredEM",
    "ClassWords",
    "Expected",
    "Pool",
    "PooledNB",
    "Topicality",
    "Trust",
    "document_weights",
    "expected_regression",
]
