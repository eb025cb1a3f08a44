"""Why a document was given its class: what each word of it contributed, as data, text and HTML."""

from tallytext.explanation.explanation import Contribution, Explanation

__all__ = ["Contribution", "Explanation"]
