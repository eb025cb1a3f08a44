"""Naive Bayes: event models as pure functions of a tally."""

from tallytext.bayes.bernoulli import BernoulliNB
from tallytext.bayes.expectation import ExpectationMaximisation
from tallytext.bayes.folds import cross_validate
from tallytext.bayes.multinomial import MultinomialNB
from tallytext.bayes.poisson import PoissonNB
from tallytext.bayes.poisson_choice import choose_per_class

__all__ = [
    "BernoulliNB",
    "ExpectationMaximisation",
    "MultinomialNB",
    "PoissonNB",
    "choose_per_class",
    "cross_validate",
]
