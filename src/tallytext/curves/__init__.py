"""How error depends on what a classifier is given: curves over the number of terms."""

from tallytext.curves.curve import CurveLine, VocabularyCurve
from tallytext.curves.vocabulary import vocabulary_curve

__all__ = ["CurveLine", "VocabularyCurve", "vocabulary_curve"]
