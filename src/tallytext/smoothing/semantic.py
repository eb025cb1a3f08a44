"""Semantic smoothing: words that are often near those of a class share in its probability."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import RecipeError
from tallytext.smoothing.base import (
    Classes,
    Corpus,
    Numbers,
    Smoothing,
    expect_between,
    safe_ratio,
)
from tallytext.smoothing.semantic_choice import ALPHAS, WEIGHTS, Accuracies, best_of
from tallytext.smoothing.signatures import Signatures
from tallytext.smoothing.translation import same_translation

_RULE = "leave-one-out"
_DEFAULTS = {"weight": 0.4, "alpha": 0.5}


@dataclass(frozen=True)
class Semantic(Smoothing):
    r"""Mix each class with the words that its signatures stand for (Zhou et al.).

    .. math:: p(w \mid c) = (1 - \lambda_c) \left[(1 - \alpha) \frac{N_{cw}}{T_c}
              + \alpha \frac{T_w}{T}\right] + \lambda_c\, p_t(w \mid c), \qquad
              p_t(w \mid c) = \sum_t p(w \mid t)\, \frac{n_{ct}}{\sum_s n_{cs}}

    A signature t is a word, a phrase or a concept for which ``translation`` has a row
    :math:`p(w \mid t)`; :math:`n_{ct}` is its count in the class. :math:`\lambda_c` is ``weight``,
    but zero for a class without tokens or without signatures. Where there are words and phrases,
    :math:`p_t` is their mixture by ``translation.phrase_weight``. It is brought to the words that
    the model knows, and to a sum of one. What is below 1e-5 then goes to the background, so that
    few cells need a number of their own.

    Columns are matched to words and signatures by their names. A matrix without names must have
    the columns of ``translation.get_feature_names_out()``. Columns of phrases and of concepts are
    signatures only: they are counted for :math:`n_{ct}` and otherwise ignored.

    Parameters
    ----------
    translation : TranslationModel
        The rows, and the words and signatures they are of.
    weight : float or "leave-one-out", default=0.4
        :math:`\lambda`, from 0 to 1. With "leave-one-out" that of 0, 0.1, ... 0.9 under which most
        training documents are judged right when each is left out, the smallest of equal ones. It
        needs documents, and two of a class; it is 0.4 if there are none such.
    alpha : float or "leave-one-out", default=0.5
        The share of the unigram of all documents, above 0 and at most 1; or chosen of 0.1, 0.2,
        ... 0.9 in the same way, after the weight, which is then chosen for an alpha of 0.5.

    Examples
    --------
    Two documents, one without a label, and a translation by which "sea" stands for "wave", too:

    >>> from scipy.sparse import csr_array
    >>> from tallytext import MultinomialNB
    >>> from tallytext.smoothing import Translation
    >>> words = np.array(["sea", "sky", "wave"])
    >>> rows = csr_array([[0.6, 0.0, 0.4], [0.0, 1.0, 0.0]])
    >>> translation = Translation(words, words[:2], np.zeros(2, np.int8), rows, 0.5, words[:0])
    >>> model = MultinomialNB(Semantic(translation), multi_label=False)
    >>> model = model.fit([[2, 0, 0], [0, 2, 0], [0, 0, 1]], [["water"], ["air"], []])
    >>> model.predict([[0, 0, 1]])
    array(['water'], dtype='<U5')
    """

    translation: Any = None
    weight: float | Literal["leave-one-out"] = 0.4
    alpha: float | Literal["leave-one-out"] = 0.5

    def __post_init__(self) -> None:
        for name, least in (("weight", 0.0), ("alpha", 1e-12)):
            value = getattr(self, name)
            if isinstance(value, str):
                if value != _RULE:
                    raise ValueError(f"{name} must be a number or {_RULE!r}, not {value!r}.")
            else:
                expect_between(name, value, least, 1.0)

    @property
    def local(self) -> bool:
        """Whether f / gamma of a class follows from its own counts alone: not if words vanish."""
        return False

    @property
    def translates(self) -> bool:
        """Whether columns stand for other words."""
        return True

    def seen(self, counts: Numbers, classes: Classes) -> Numbers:
        """Return f of counts, without what signatures add."""
        kept = (1 - self._shares(classes)) * (1 - _number("alpha", self.alpha))
        return safe_ratio(kept * counts, classes.tokens, 0.0)

    def translated(self, shares: Numbers, classes: Classes) -> Numbers:
        """Return what signatures add to words of which p_t is given."""
        return self._shares(classes) * shares

    def freed(self, classes: Classes) -> Numbers:
        """Return gamma of each class."""
        shares = self._shares(classes)
        mass = (1 - shares) * _number("alpha", self.alpha) + shares * classes.pruned
        return np.where(classes.tokens > 0, mass, 1.0)

    def signatures(
        self, locate: Callable[[Iterable[str]], NDArray[Any]] | None, width: int
    ) -> Signatures:
        """Return where words and signatures are among the columns of a model."""
        return Signatures.of(self.translation, locate, width)

    def resolved(self, corpus: Corpus) -> Self:
        """Return the smoothing with numbers for its weight and for alpha.

        Raises
        ------
        RecipeError
            If one is to be chosen and there are no documents to choose it from.
        """
        if not isinstance(self.weight, str) and not isinstance(self.alpha, str):
            return self
        if corpus.left_out is None:
            raise RecipeError(
                f"weight={self.weight!r}, alpha={self.alpha!r} cannot be found from sums alone: "
                "fit on the training documents, or give numbers."
            )
        found = self
        for name, values in (("weight", WEIGHTS), ("alpha", ALPHAS)):
            if isinstance(getattr(self, name), str):
                found = found._best(name, values, corpus.left_out)
        return found

    def _best(self, name: str, values: list[float], accuracies: Accuracies) -> Self:
        """Return the smoothing with the best value of a parameter; others are as by default."""
        plain = {each: value for each, value in _DEFAULTS.items() if each != name}
        here = {each: plain[each] for each in plain if isinstance(getattr(self, each), str)}
        candidates = [replace(self, **here, **{name: value}) for value in values]
        best = best_of(candidates, accuracies)
        value = _DEFAULTS[name] if best is None else getattr(best, name)
        return replace(self, **{name: value})

    def _shares(self, classes: Classes) -> Numbers:
        """Return lambda of each class."""
        weight = _number("weight", self.weight)
        return np.where(np.logical_and(classes.usable, classes.tokens > 0), weight, 0.0)

    def __eq__(self, other: object) -> bool:
        # Files hold rows, and not what they were learned by: what was loaded is still the same.
        if not isinstance(other, Semantic):
            return NotImplemented
        numbers = (self.weight, self.alpha) == (other.weight, other.alpha)
        return numbers and same_translation(self.translation, other.translation)

    def __hash__(self) -> int:
        return hash((Semantic, self.weight, self.alpha))

    def __deepcopy__(self, memo: Any) -> Self:
        # It never changes, and rows are large: copies of a model share them.
        return self


def _number(name: str, value: float | str) -> float:
    if isinstance(value, str):
        raise ValueError(f"{name}={value!r} is not a number yet: call resolved(corpus) first.")
    return value
