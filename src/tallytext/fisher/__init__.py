"""Fisher's discriminant as features of documents."""

from tallytext.fisher.directions import Fisher, fisher_directions
from tallytext.fisher.features import FisherFeatures

__all__ = ["Fisher", "FisherFeatures", "fisher_directions"]
