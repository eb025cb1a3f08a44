"""The one place where learners are known: choice, help and documentation read it."""

from __future__ import annotations

from tallytext.errors import UnknownNameError, did_you_mean
from tallytext.learners.learner import Learner

_LEARNERS: dict[str, Learner] = {}

CHOICES = ("auto", "best")
"""Words that stand for a choice among learners, so that no learner can have them for a name."""


def register(learner: Learner) -> Learner:
    """Make a learner known by its name, in the place of one that had it before.

    Parameters
    ----------
    learner : Learner

    Returns
    -------
    Learner
        The same.
    """
    if learner.name in CHOICES:
        raise ValueError(f"{learner.name!r} stands for a choice among learners.")
    _LEARNERS[learner.name] = learner
    return learner


def unregister(name: str) -> None:
    """Forget a learner.

    Parameters
    ----------
    name : str
        The name it was registered under.
    """
    del _LEARNERS[find_learner(name).name]


def learners(
    *, additive: bool | None = None, multi_label: bool = False, unlabelled: bool = False
) -> list[Learner]:
    """Return the learners that can do what is asked for.

    Parameters
    ----------
    additive : bool, default=None
        Only those that are additive, or only those that are not; None for all.
    multi_label : bool, default=False
        Only those that can give a document several labels.
    unlabelled : bool, default=False
        Only those that learn from documents without labels, too.

    Examples
    --------
    >>> [learner.name for learner in learners(additive=True)][:2]
    ['chi-contrast', 'contrast']
    """
    return [
        learner
        for learner in _LEARNERS.values()
        if (additive is None or learner.additive == additive)
        and (learner.multi_label or not multi_label)
        and (learner.unlabelled or not unlabelled)
    ]


def find_learner(name: str) -> Learner:
    """Return the learner of a name.

    Parameters
    ----------
    name : str
        The name it was registered under.

    Raises
    ------
    UnknownNameError
        If there is none; names those that there are.
    """
    if name not in _LEARNERS:
        known = [*CHOICES, *_LEARNERS]
        raise UnknownNameError(
            f"there is no model {name!r}.{did_you_mean(name, known)} There are: {', '.join(known)}."
        )
    return _LEARNERS[name]
