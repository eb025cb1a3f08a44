"""Classification by the documents that are most alike."""

from tallytext.neighbours.knn import CosineKNN
from tallytext.neighbours.search import Neighbours

__all__ = ["CosineKNN", "Neighbours"]
