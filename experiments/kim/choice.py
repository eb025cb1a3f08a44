"""Open: choosing weighting and α for each class without test documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.kim.grid import cell, row_judged
from experiments.kim.judging import Judged
from experiments.kim.jury import ALPHA
from experiments.kim.published import CHI, STAR, WEIGHTINGS
from experiments.kim.split import Split, reuters
from experiments.kim.star import chosen_for_reuters
from experiments.kim.table4 import standard_errors
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace

HEADING = "Open: choosing weighting and α for each class by itself"
IS_OPEN = True
ABOUT = """The paper asks for "automatic methods of selecting proper feature weighting measures and
determining the interpolation parameters for the different classes". PNB* of Table 4 is one: for
each bin of classes of similar size, it takes the candidate with the best F1 in folds of the
training documents; a class gets its own best candidate if that is better by more than one standard
error of its F1 in folds. Here it is compared on Reuters with fixed choices and with simpler methods
of choice, among four weightings and α = 0, .2, …, 1, all by F1 in folds:

- the candidate that is best on average over all classes (or in micro-F1, which there is the mean
  over classes weighted by their number of documents);
- the best of each bin; the best of each class.

The upper bound is the best candidate of each class by its F1 on the test documents. No choice can
reach it: with 24 candidates and few test documents, part of it is chance."""
ALPHAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def measure(work: Workplace) -> dict[str, Any]:
    split, choice = reuters(work), chosen_for_reuters(work)
    alphas = (0.2, 0.8) if work.quick else ALPHAS
    candidates = [(weighting, alpha) for weighting in WEIGHTINGS.values() for alpha in alphas]
    found = [cell(work, *each) for each in work.track(candidates, "weighting and α")]
    f1 = choice.f1[[choice.candidates.index(each) for each in candidates]]
    test = np.array([each.f1 for each in found])
    picks = {
        "best on average": np.full(len(split.classes), f1.mean(axis=1).argmax()),
        "best on average by size": np.full(len(split.classes), (f1 @ split.sizes).argmax()),
        "best of each bin": _by_bin(f1, choice.bins),
        "best of each class": f1.argmax(axis=0),
        "best of each class on test documents": test.argmax(axis=0),
    }
    ways = {name: _composed(split, found, picked) for name, picked in picks.items()}
    own = row_judged(work, STAR)
    fixed = {row: cell(work, weighting, ALPHA) for row, weighting in WEIGHTINGS.items()}
    everything = {**fixed, **ways, STAR: own}
    return {
        "ways": {name: each.averages for name, each in everything.items()},
        "errors": standard_errors(split, fixed[CHI]),
        "counts": _counts(choice),
        "fixed": {_name(each): one.averages for each, one in zip(candidates, found, strict=True)},
    }


def _by_bin(f1: Any, bins: Any) -> Any:
    return np.array([f1[:, bins == each].mean(axis=1).argmax() for each in bins])


def _composed(split: Split, found: list[Judged], picked: Any) -> Judged:
    """Return the decisions of each class by its own candidate."""
    columns = [found[each].decided[:, at] for at, each in enumerate(picked)]
    return Judged.of(split, np.column_stack(columns))


def _counts(choice: Any) -> dict[str, dict[str, int]]:
    """Return how often each weighting was chosen in each bin."""
    chosen = [*choice.per_class.values()]
    return {
        row: {
            str(one): sum(
                weighting == name
                for (weighting, _), at in zip(chosen, choice.bins, strict=True)
                if at == one
            )
            for one in np.unique(choice.bins)
        }
        for row, name in WEIGHTINGS.items()
    }


def _name(candidate: tuple[str | None, float]) -> str:
    return f"{candidate[0] or 'none'}, α = {candidate[1]:g}"


def show(found: Record) -> Iterable[Shown]:
    rows = [(_SAYS.get(name, name), each.micro, each.macro) for name, each in found.ways.items()]
    yield Table("F1 on Reuters, thresholds of training documents", ("", "micro", "macro"), rows, 4)
    micro, macro = found.errors
    yield f"Standard errors of a row: about {micro:.3f} in micro-F1, {macro:.3f} in macro-F1."
    bins = [*next(iter(found.counts.values()))]
    heads = [f"bin {int(each) + 1}" for each in bins]
    rows = [(row, *(each[one] for one in bins)) for row, each in found.counts.items()]
    yield Table("Weightings that PNB* chose, small classes first", ("classes", *heads), rows)
    weightings = list(WEIGHTINGS)
    alphas = sorted({name.rpartition("= ")[2] for name in found.fixed})
    rows = [
        (
            f"α = {alpha}",
            *(
                _cell(found, WEIGHTINGS[row], alpha, name)
                for row in weightings
                for name in ("micro", "macro")
            ),
        )
        for alpha in alphas
    ]
    heads = [f"{row}, {name}" for row in weightings for name in ("micro", "macro")]
    yield Table("Fixed choices", ("", *heads), rows, 4)


_SAYS = {row: f"{row}, α = .8" for row in WEIGHTINGS} | {STAR: f"{STAR}: bin, or class if sure"}


def _cell(found: Record, weighting: str | None, alpha: str, name: str) -> float:
    return float(found.fixed[f"{weighting or 'none'}, α = {alpha}"][name])
