"""The naive Bayes family as learners: the settings that were worth a try on many corpora.

Models are imported when one is made: help, which lists the learners, is not to wait for them.
"""

from __future__ import annotations

from typing import Any

from tallytext.learners.learner import Learner
from tallytext.learners.registry import register


def _chi_contrast(**setting: Any) -> Any:
    from tallytext.bayes import MultinomialNB

    return MultinomialNB.chi_contrast(**_smoothed(setting))


def _multinomial(**setting: Any) -> Any:
    from tallytext.bayes import MultinomialNB

    return MultinomialNB(**_smoothed(setting))


def _bernoulli(**setting: Any) -> Any:
    from tallytext.bayes import BernoulliNB

    return BernoulliNB(**setting)


def _poisson(**setting: Any) -> Any:
    from tallytext.bayes import PoissonNB

    return PoissonNB(**setting)


def _smoothed(setting: dict[str, Any]) -> dict[str, Any]:
    """Return a setting in which a kind of smoothing and its number have become a smoothing."""
    if "smoothing" not in setting:
        return setting
    from tallytext import smoothing

    kind, *numbers = setting["smoothing"]
    return {**setting, "smoothing": getattr(smoothing, kind)(*numbers)}


register(
    Learner(
        name="chi-contrast",
        summary="each class against the rest, words weighed by chi-square; best with many labels",
        make=_chi_contrast,
        settings=(
            {},
            {"smoothing": ("Laplace", 0.03)},
            {"weight_power": 0.5},
            {"normalize": None, "weight_power": 0.25},
        ),
    )
)
register(
    Learner(
        name="contrast",
        summary="each class against the rest, all words alike",
        make=_multinomial,
        settings=tuple(
            {"smoothing": ("Laplace", epsilon), "complement": True}
            for epsilon in (0.1, 0.3, 1.0, 0.03)
        ),
    )
)
register(
    Learner(
        name="complement",
        summary="the rest of each class only, as Rennie et al.",
        make=_multinomial,
        settings=tuple(
            {"smoothing": ("Laplace", epsilon), "complement": "only"} for epsilon in (0.3, 1.0)
        ),
    )
)
register(
    Learner(
        name="multinomial",
        summary="bags of words, smoothed by the whole corpus",
        make=_multinomial,
        settings=({"smoothing": ("Background", 0.5)}, {"smoothing": ("AbsoluteDiscount",)}),
    )
)
register(
    Learner(
        name="bernoulli",
        summary="sets of words, where absent words speak too; for short texts",
        make=_bernoulli,
        settings=({"gamma": 0.1},),
    )
)
register(
    Learner(
        name="poisson",
        summary="mean frequencies of words, each document alike; made for several labels",
        make=_poisson,
        settings=({}, {"weighting": "prr"}, {"weighting": "chi"}),
        dense=True,
    )
)
