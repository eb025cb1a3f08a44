"""What a classifier can be made of: registered here, and known everywhere."""

from tallytext.learners import naive_bayes as _naive_bayes  # registers its learners
from tallytext.learners import trained as _trained  # and so does this
from tallytext.learners.given import learner_of
from tallytext.learners.learner import Learner
from tallytext.learners.registry import CHOICES, find_learner, learners, register, unregister

__all__ = ["CHOICES", "Learner", "find_learner", "learner_of", "learners", "register", "unregister"]

del _naive_bayes, _trained
