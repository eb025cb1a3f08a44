"""How much of semantic smoothing: what makes documents likeliest that were left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallytext.smoothing.base import Numbers

_WEIGHTS = [step / 10 for step in range(10)]
_ALPHAS = [step / 10 for step in range(1, 10)]
_DEFAULTS = 0.4, 0.5
_MARGIN = 1e-12  # relative: nearer than this is equal


@dataclass(frozen=True)
class LeftWords:
    """Words of training documents, each in a class of its document that has lost the document.

    Attributes
    ----------
    tokens : ndarray
        How often the document has the word.
    inside, background, translated : ndarray
        Its share of the words of the class, of all words, and of what the signatures of the class
        stand for, all without the document.
    usable : ndarray
        One if the class still has signatures, else zero.
    """

    tokens: Numbers
    inside: Numbers
    background: Numbers
    translated: Numbers
    usable: Numbers

    def log_likelihood(self, weight: float, alpha: float) -> float:
        """Return the logarithm of the probability of all these words."""
        mixed = (1 - alpha) * self.inside + alpha * self.background
        weights = weight * self.usable
        mixed = (1 - weights) * mixed + weights * self.translated
        return float((self.tokens * np.log(mixed)).sum())


def chosen_shares(words: LeftWords, weight: float | str, alpha: float | str) -> tuple[float, float]:
    """Return the weight and the alpha under which words are likeliest; the smallest of equal ones.

    What is given as a number stays. Where no document could be left out of its class, there is
    nothing to choose from, and it is 0.4 and 0.5.

    Examples
    --------
    >>> words = LeftWords(*np.array([[3.0], [0.1], [0.1], [0.5], [1.0]]))
    >>> chosen_shares(words, "leave-one-out", 0.5)
    (0.9, 0.5)
    """
    if not len(words.tokens):
        pair = zip((weight, alpha), _DEFAULTS, strict=True)
        first, second = (default if isinstance(own, str) else own for own, default in pair)
        return first, second
    weights = _WEIGHTS if isinstance(weight, str) else [weight]
    alphas = _ALPHAS if isinstance(alpha, str) else [alpha]
    best, found = -np.inf, (weights[0], alphas[0])
    for pair_ in ((one, other) for one in weights for other in alphas):
        value = words.log_likelihood(*pair_)
        if value > best + _MARGIN * abs(value):
            best, found = value, pair_
    return found
