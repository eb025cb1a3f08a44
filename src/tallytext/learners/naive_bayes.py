"""The naive Bayes family as learners: the settings that were worth a try on many corpora."""

from __future__ import annotations

from typing import Any

from tallytext.bayes import BernoulliNB, MultinomialNB, PoissonNB
from tallytext.learners.learner import Learner
from tallytext.learners.registry import register
from tallytext.smoothing import AbsoluteDiscount, Background, Laplace


def _contrast(epsilon: float, **parameters: Any) -> dict[str, Any]:
    return {"smoothing": Laplace(epsilon), "complement": True, **parameters}


register(
    Learner(
        name="chi-contrast",
        summary="each class against the rest, words weighed by chi-square; best with many labels",
        make=MultinomialNB.chi_contrast,
        settings=(
            {},
            {"smoothing": Laplace(0.03)},
            {"weight_power": 0.5},
            {"normalize": None, "weight_power": 0.25},
        ),
    )
)
register(
    Learner(
        name="contrast",
        summary="each class against the rest, all words alike",
        make=MultinomialNB,
        settings=(_contrast(0.1), _contrast(0.3), _contrast(1.0), _contrast(0.03)),
    )
)
register(
    Learner(
        name="complement",
        summary="the rest of each class only, as Rennie et al.",
        make=MultinomialNB,
        settings=(
            {"smoothing": Laplace(0.3), "complement": "only"},
            {"smoothing": Laplace(1.0), "complement": "only"},
        ),
    )
)
register(
    Learner(
        name="multinomial",
        summary="bags of words, smoothed by the whole corpus",
        make=MultinomialNB,
        settings=({"smoothing": Background(0.5)}, {"smoothing": AbsoluteDiscount()}),
    )
)
register(
    Learner(
        name="bernoulli",
        summary="sets of words, where absent words speak too; for short texts",
        make=BernoulliNB,
        settings=({"gamma": 0.1},),
    )
)
register(
    Learner(
        name="poisson",
        summary="mean frequencies of words, each document alike; made for several labels",
        make=PoissonNB,
        settings=({}, {"weighting": "prr"}, {"weighting": "chi"}),
        dense=True,
    )
)
