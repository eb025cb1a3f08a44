"""Ensembles of classifiers that each look at documents from another side."""

from tallytext.rotation.forest import RotationForest

__all__ = ["RotationForest"]
