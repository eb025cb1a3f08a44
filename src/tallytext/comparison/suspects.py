"""Documents whose label is most likely wrong: models that have not seen them say otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tallytext.comparison.judging import Answers, Documents
from tallytext.explanation import Explanation


class Suspect(NamedTuple):
    """A document that a model without it takes for another class.

    Attributes
    ----------
    row : int
        Which document.
    label : Any
        What it was given.
    likelier : Any
        What the model says.
    probability, label_probability : float
        Of both, to the model.
    evidence : Explanation or None
        What speaks for the one against the other.
    """

    row: int
    label: Any
    likelier: Any
    probability: float
    label_probability: float
    evidence: Explanation | None


def suspects(answers: Sequence[Answers], documents: Documents, most: int) -> list[Suspect]:
    """Return the documents whose label surprises most, the most surprising first.

    Parameters
    ----------
    answers : sequence of Answers
        Of one learner, for all folds.
    documents : Documents
        With one label each.
    most : int
        How many to return.
    """
    if documents.several:
        return []
    found = [each for said in answers for each in _doubts(said, documents)]
    found.sort(key=lambda each: (-(each[1].probability - each[1].label_probability), each[1].row))
    return [
        suspect._replace(evidence=_evidence(said, suspect, documents))
        for said, suspect in found[:most]
    ]


def _doubts(said: Answers, documents: Documents) -> list[tuple[Answers, Suspect]]:
    names = said.classifier.classes_.tolist()
    place = {label: at for at, label in enumerate(names)}
    best = said.probabilities.argmax(axis=1)
    doubts = []
    for at, row in enumerate(said.rows.tolist()):
        label, chosen = documents.labels[row], int(best[at])
        if names[chosen] == label or label not in place:
            continue
        proba = said.probabilities[at]
        pair = float(proba[chosen]), float(proba[place[label]])
        doubts.append((said, Suspect(row, label, names[chosen], *pair, None)))
    return doubts


def _evidence(said: Answers, suspect: Suspect, documents: Documents) -> Explanation:
    text = documents.texts[suspect.row]
    return said.classifier.explain(text, suspect.likelier, suspect.label)
