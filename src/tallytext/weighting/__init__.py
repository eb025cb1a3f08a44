"""Weights of words in documents, by the three letters of SMART."""

from tallytext.weighting.smart import SmartWeighting, document_frequencies, smart_weights

__all__ = ["SmartWeighting", "document_frequencies", "smart_weights"]
