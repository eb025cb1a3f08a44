"""What there is to choose from, as the settings of a classifier say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.base import clone

from tallytext.classifier.counting import SAMPLE, SAMPLE_OF_KEPT
from tallytext.classifier.judging import Candidate
from tallytext.classifier.kept import KeptRows
from tallytext.classifier.pool import expect_ears, refuse_several
from tallytext.classifier.selecting import Selector, planes_to_select
from tallytext.learners import CHOICES, Learner, find_learner, learner_of, learners
from tallytext.learners.features import FEATURES, GIVEN
from tallytext.planes import Plane
from tallytext.vectorizer import TextVectorizer


def vectorizer_for(settings: Any, features: str) -> TextVectorizer:
    """Return a vectorizer that is not fitted yet, as the settings of a classifier say."""
    given = settings.vectorizer
    if given is None:
        return TextVectorizer(**FEATURES[features].vectorizer, n_jobs=settings.n_jobs)
    if not isinstance(given, TextVectorizer):
        raise TypeError(f"vectorizer must be a TextVectorizer, not {given!r:.80}.")
    return clone(given)


def candidates_for(settings: Any, unlabelled: bool = False) -> list[Candidate]:
    """Return what there is to choose from.

    Parameters
    ----------
    settings : TextClassifier
    unlabelled : bool, default=False
        Whether there will be documents without labels.

    Examples
    --------
    >>> from tallytext import TextClassifier
    >>> [str(each) for each in candidates_for(TextClassifier("bernoulli"))]
    ['bernoulli: BernoulliNB(gamma=0.1)']
    """
    if unlabelled and settings.multi_label:
        refuse_several()
    found = _found(settings, unlabelled)
    if unlabelled and settings.model not in CHOICES:
        expect_ears(found[0].learner)
    if settings.vectorizer is not None:
        found = list({(each.learner.name, id(each.model)): each for each in found}.values())
        found = [replace(each, features=GIVEN) for each in found]
    common = {"n_jobs": settings.n_jobs, "verbose": settings.verbose}
    given = {name: value for name, value in common.items() if value is not None}
    for candidate in found:
        known = candidate.model.get_params(deep=False)
        candidate.model.set_params(**{name: given[name] for name in given if name in known})
    return found


def _found(settings: Any, unlabelled: bool) -> list[Candidate]:
    model = settings.model
    if isinstance(model, str) and model in CHOICES:
        additive = True if model == "auto" else None
        several = bool(settings.multi_label)
        kinds = [k for k in learners(additive=additive, multi_label=several) if k.considered]
        if unlabelled:
            kinds += [kind for kind in learners(unlabelled=True) if kind not in kinds]
        return [each for kind in kinds for each in _variants(kind)]
    if isinstance(model, str):
        kind = find_learner(model)
        return [Candidate(kind, kind.default(), kind.features[0])]
    return [Candidate(learner_of(model), clone(model))]


def _variants(kind: Learner) -> list[Candidate]:
    return [Candidate(kind, each, name) for each in kind.models() for name in kind.features]


def pool_for(kept: dict[str, KeptRows], candidates: list[Candidate]) -> dict[str, KeptRows]:
    """Return what to keep of documents without labels, for those that learn from them."""
    names = {each.features for each in candidates if each.learner.unlabelled}
    return {name: KeptRows(kept[name].vectorizer) for name in names}


def drawn_from(candidates: list[Candidate]) -> int:
    """Return how many documents to judge models on: more where all are kept for others anyway."""
    kept = any(each.learner.judged_by == "refitting" for each in candidates)
    return SAMPLE_OF_KEPT if kept else SAMPLE


def limits_for(kept: dict[str, KeptRows], base: str) -> dict[str, float]:
    """Return how long documents may be for features to be worth counting."""
    limits = {name: FEATURES[name].most_words for name in kept if name not in (GIVEN, base)}
    return {name: most for name, most in limits.items() if most is not None}


def planes_for(candidate: Candidate, selector: Selector | None) -> list[Plane]:
    """Return what a tally must count for a model of chosen terms to be read off it."""
    own = planes_of(candidate)
    return [*own, *(each for each in planes_to_select(selector) if each not in own)]


def planes_of(candidate: Candidate) -> list[Plane]:
    """Return what a tally must count for a model to be read off it."""
    if not candidate.learner.additive:
        return []
    candidate.model._settle(bool(candidate.model.multi_label))
    return [column for column in candidate.model._columns(1.0, False) if isinstance(column, Plane)]
