"""A calibration that is fitted when it is first asked for."""

from __future__ import annotations

from tallytext.bayes.out_of_sample import joined
from tallytext.classifier.calibration import Calibration
from tallytext.classifier.choosing import Choice
from tallytext.classifier.judging import Judge


class Pending:
    """What a calibration will be fitted on: documents that were drawn, as counts.

    Whoever asks for labels only never pays for it. It must be settled before the tally changes,
    and before a classifier is saved, so that no document is ever kept with a model.

    Parameters
    ----------
    judge : Judge
    choice : Choice
        The model, and what was said of the first folds.
    """

    def __init__(self, judge: Judge, choice: Choice) -> None:
        self._judge, self._choice = judge, choice

    def settled(self) -> Calibration | None:
        """Return the calibration, or None where there is nothing to learn it from."""
        judge, choice = self._judge, self._choice
        rest = range(len(choice.seen), len(judge.folds))
        more = [judge.judged(choice.candidate, choice.model, fold) for fold in rest]
        parts = [*choice.seen, *more]
        return Calibration.fit(joined(parts)) if parts else None
