"""Whatever a tally learns between two looks at it, what a model says is of one moment."""

import numpy as np
import pytest
from sklearn.base import clone

from tallytext import BernoulliNB, MultinomialNB, PoissonNB, Tally
from tallytext.models import AbsoluteDiscount

MODELS = [
    MultinomialNB(),
    MultinomialNB(AbsoluteDiscount(), complement=True),
    MultinomialNB(complement=True, weighting="chi", weight_by_class=True),
    BernoulliNB(),
    PoissonNB(weighting="chi"),
]
ROWS = np.array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1], [0, 0, 1, 3]])
LABELS = ["X", "X", "Y", "Z"]
# A class that comes before all others moves the places of all.
NEW = np.array([[1, 2, 1, 0]]), ["A"]


def ranks(model):
    return model.rank(ROWS, "Y").tolist()


def evidence(model):
    return model.evidence(ROWS).tolist()


def explanation(model):
    found = model.explain(ROWS[0], "Y", "Z")
    return found.label, found.against, found.difference


def exported(model):
    plain = model.to_sklearn()
    return plain.classes_.tolist(), plain.predict_proba(ROWS).tolist()


def left_out(model):
    found = model.leave_one_out(ROWS, LABELS)
    return found.classes.tolist(), found.scores.tolist()


def constants(model):
    return model.constants().scale.tolist()


def asked(model):
    own = [constants] if isinstance(model, PoissonNB) else [left_out]
    return [ranks, evidence, explanation, exported, *own]


@pytest.mark.parametrize("looks", [0, 1, 2])
@pytest.mark.parametrize(
    ("model", "ask"),
    [pytest.param(m, ask, id=f"{m!r}-{ask.__name__}") for m in MODELS for ask in asked(m)],
)
def test_learning_between_two_looks_is_seen_wholly_or_not_at_all(model, ask, looks, monkeypatch):
    model = clone(model).fit(ROWS, LABELS)
    states = [ask(clone(model).fit(ROWS, LABELS)), ask(clone(model).fit(*with_new()))]
    look, seen = Tally.slice, []

    def look_and_learn(tally, *given):
        found = look(tally, *given)
        if tally is model.tally_:
            seen.append(found)
            if len(seen) == looks + 1:
                tally.learn(*NEW)
        return found

    monkeypatch.setattr(Tally, "slice", look_and_learn)
    assert any(same(ask(model), state) for state in states)


def with_new():
    return np.vstack([ROWS, NEW[0]]), LABELS + NEW[1]


def same(found, state):
    """Whether two answers are equal but for rounding."""
    if isinstance(found, str) or found is None:
        return found == state
    if isinstance(found, list | tuple):
        return len(found) == len(state) and all(map(same, found, state))
    return found == pytest.approx(state, rel=1e-9, abs=1e-9)
