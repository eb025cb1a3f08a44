"""From text to labels, with everything in between."""

from tallytext.classifier.classifier import TextClassifier
from tallytext.classifier.report import Report

__all__ = ["Report", "TextClassifier"]
