"""Naive Bayes: event models as pure functions of a tally."""

from tallytext.bayes.bernoulli import BernoulliNB
from tallytext.bayes.multinomial import MultinomialNB

__all__ = ["BernoulliNB", "MultinomialNB"]
