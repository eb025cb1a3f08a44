"""Figure 2: documents brought to one length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from scipy import sparse

from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import NAMES, Split, splits_of
from experiments.vilar.figure1 import curves
from experiments.vilar.judging import counted, means, read_off
from experiments.vilar.wording import changes, where
from tallytext import MultinomialNB
from tallytext.models import AbsoluteDiscount, Laplace

HEADING = "Figure 2: length normalisation"
ABOUT = """The paper divides the counts of each training document by its length (eq. 16) and shows
for 7 Sectors that the error falls. Then b cannot be computed from n_r; the paper takes the best b
on the test documents and says that this cannot be compared. To allow a comparison, the same is done
here with and without normalisation: for each number of words, the best of a grid of b on the test
documents. L is the mean length of the training documents, and documents keep the length that they
had with all their words. Test documents are never normalised, as in the paper. Laplace with ε = 0.2
is included because the paper found it best on normalised Job Category.

The paper says that rule 4 does not change if a test document is normalised. This is true only if
all classes have equal priors: the length scales the evidence of the words, but not log p(c). The
last table counts the documents whose class changes."""

SIZES = (200, 1000, 5000, 20000)
GRID = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
LINES = {
    "laplace": "Laplace",
    "fifth": "Laplace, ε = 0.2",
    "discount": "discounting, best b",
    "laplace_norm": "Laplace, normalised",
    "fifth_norm": "Laplace, ε = 0.2, normalised",
    "discount_norm": "discounting, best b, normalised",
}


def measure(work: Workplace) -> dict[str, Any]:
    sizes = SIZES[:1] if work.quick else SIZES
    found = {}
    for name in work.track(NAMES, "normalising"):
        splits = splits_of(name, work)
        found[name] = {**_lines(splits, sizes), "changed": _changed(splits)}
    return found


def _lines(splits: Sequence[Split], sizes: Sequence[int]) -> dict[str, Any]:
    length = fmean(split.mean_length for split in splits)
    raw, norm = _models(), _models(normalize="l1", norm_length=length)
    models = raw | {f"{name}_norm": model for name, model in norm.items()}
    errors = curves(splits, models, sizes)
    found: dict[str, Any] = {"sizes": errors["sizes"]}
    for ending in ("", "_norm"):
        tried = [errors[f"b{b}{ending}"] for b in GRID]
        found |= {key: errors[key] for key in (f"laplace{ending}", f"fifth{ending}")}
        found[f"discount{ending}"] = [min(column) for column in zip(*tried, strict=True)]
        found[f"b{ending}"] = [GRID[int(np.argmin(column))] for column in zip(*tried, strict=True)]
    return found


def _models(**options: Any) -> dict[str, MultinomialNB]:
    smoothings = {"laplace": Laplace(1.0), "fifth": Laplace(0.2)}
    smoothings |= {f"b{b}": AbsoluteDiscount(b) for b in GRID}
    return {name: MultinomialNB(smoothing, **options) for name, smoothing in smoothings.items()}


def _changed(splits: Sequence[Split]) -> dict[str, float]:
    """Return the share of documents whose class changes when they are normalised, in per cent."""
    found = [[_changed_in(split, prior) for prior in ("ml", "uniform")] for split in splits]
    own, equal = means(found)
    return {"own_prior": own, "equal_prior": equal}


def _changed_in(split: Split, prior: str) -> float:
    model = counted(split, normalize="l1", norm_length=split.mean_length)
    model = read_off(model, AbsoluteDiscount(0.5), prior=prior)
    lengths = np.asarray(split.test.sum(axis=1)).ravel()
    scale = split.mean_length / np.maximum(lengths, 1)
    normalised = sparse.csr_array(split.test.multiply(scale[:, None]))
    return 100.0 * float(np.mean(model.predict(split.test) != model.predict(normalised)))


def show(found: Record) -> Iterator[str | Table | Figure]:
    yield _figure(found)
    columns = ["", *(title for title in NAMES.values())]
    rows: list[list[Any]] = [
        [f"{title}, all words", *(found[name][key][-1] for name in NAMES)]
        for key, title in LINES.items()
    ]
    rows += [
        ["best b", *(found[name].b[-1] for name in NAMES)],
        ["best b, normalised", *(found[name].b_norm[-1] for name in NAMES)],
    ]
    yield Table("Error in per cent with all words", columns, rows, 2)
    kinds = {"own_prior": "p(c) from the documents", "equal_prior": "all p(c) equal"}
    changed = [
        [title, *(found[name].changed[kind] for name in NAMES)] for kind, title in kinds.items()
    ]
    title = "Test documents whose class changes when they are normalised, in per cent"
    yield Table(title, columns, changed, 2)
    yield _compared(found)


def _compared(found: Record) -> str:
    effects = []
    for name, title in NAMES.items():
        change = found[name].discount_norm[-1] - found[name].discount[-1]
        effects.append(f"{title}: normalising {changes(change, 2)}")
    better = {
        title: min(found[name].laplace_norm[-1], found[name].fifth_norm[-1])
        < found[name].discount_norm[-1]
        for name, title in NAMES.items()
    }
    return (
        f"The error of discounting with all words, by corpus: {'; '.join(effects)}. Once documents "
        "are normalised, Laplace (the better of both ε, as b is the best) errs less than "
        f"discounting on {where(better)}; the paper found so on Job Category."
    )


def _figure(found: Record) -> Figure:
    drawn, plots = panels(len(NAMES))
    for plot, (name, title) in zip(plots, NAMES.items(), strict=True):
        lines = {line: found[name][key] for key, line in LINES.items()}
        labels = {"title": title, "x_label": "words", "y_label": "error, %"}
        draw_lines(plot, found[name].sizes, lines, **labels, log_x=True)
        plot.minorticks_off()
        best = min(min(values) for values in lines.values())
        plot.set_ylim(best - 1, best + 12)
    legend_below(drawn, plots, columns=3)
    return Figure("vilar-figure2", "Error with and without length normalisation", drawn)
