"""Naive Bayes: event models as pure functions of a tally."""

from tallytext.bayes.bernoulli import BernoulliNB
from tallytext.bayes.folds import cross_validate
from tallytext.bayes.multinomial import MultinomialNB
from tallytext.bayes.poisson import PoissonNB

__all__ = ["BernoulliNB", "MultinomialNB", "PoissonNB", "cross_validate"]
