"""Who is judged on how many folds, where there is not time for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from tallytext.comparison.judging import Trial
from tallytext.comparison.ranking import best_of, is_behind
from tallytext.comparison.splits import Split, Splits

# Nobody is left out who learns within so many seconds, however small the budget.
NOT_SLOW = 60.0


def judge_all(
    trials: Sequence[Trial],
    splits: Splits,
    budget: float | None,
    step: Callable[[], None],
    *,
    all_wanted: bool = True,
) -> None:
    """Let every learner be judged on a fold, then on the next; some stop early if time is short.

    Parameters
    ----------
    trials : sequence of Trial
    splits : Splits
    budget : float or None
        Seconds for all folds after the first, which is for everyone, so that one slow learner
        does not cost the others theirs. Those stop first that are behind the best by more than
        chance, the slowest of these first of all; and who has stopped does not come back. Who
        went on after the first fold and is not behind is judged on all of them, though it took
        longer than foreseen.
    step : callable
        Called after each learner and fold, judged or not.
    all_wanted : bool, default=True
        Whether a learner is judged on the first fold though learning will take longer than the
        budget, and than a minute.
    """
    start, going = 0.0, [*trials]
    if not all_wanted and budget is not None:
        _leave_out_slow(trials, splits.splits[0], max(budget, NOT_SLOW))
    for at, split in enumerate(splits):
        if at == 1:
            start = perf_counter()
        if at and budget is not None:
            left = budget - (perf_counter() - start)
            going = _affordable(going, left, len(splits) - at, splits.units, promised=at > 1)
        for trial in trials:
            if trial in going and not trial.failure:
                trial.judge(split)
                _keep_leader(trials)
            step()


def _leave_out_slow(trials: Sequence[Trial], split: Split, most: float) -> None:
    """Leave out who would take more seconds to learn once; the quickest stays in any case."""
    from tallytext.comparison.terminal import seconds

    foreseen = [trial.foreseen(split) for trial in trials]
    for trial, needed in zip(trials, foreseen, strict=True):
        if needed > max(most, min(foreseen)):
            trial.failure = (
                f"left out: learning once would take {seconds(needed)} or more. "
                f"Name it (--learner {trial.learner.name}), or give more time (--budget)."
            )


def _keep_leader(trials: Sequence[Trial]) -> None:
    """Let all classifiers go but those of the learner that leads: they may not fit into memory."""
    leader = max(trials, key=lambda trial: trial.score)
    for trial in trials:
        if trial is not leader:
            trial.let_go()


def _affordable(
    trials: Sequence[Trial], left: float, n_folds: int, units: Any, promised: bool
) -> list[Trial]:
    """Return learners that can be judged on all remaining folds in the time left.

    Those that are not behind are among them in any case, if that was promised.
    """
    able = [trial for trial in trials if trial.folds and not trial.failure]
    if not able:
        return []
    best = best_of(able, units)
    behind = {id(trial) for trial in able if is_behind(trial, best, units)}
    going, needed = [], 0.0
    for trial in sorted(able, key=lambda trial: (id(trial) in behind, trial.seconds)):
        cost = trial.seconds / len(trial.folds) * n_folds
        if needed + cost <= left or (promised and id(trial) not in behind):
            needed += cost
            going.append(trial)
    return going
