"""Table 5: weighted words on Korean news."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.kim import korean
from experiments.kim.judging import judged_labels
from experiments.kim.published import KOREAN, ROWS, STAR, WEIGHTINGS
from experiments.kim.split import KOREAN_WORDS, Split, headlines
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import PoissonNB

HEADING = "Table 5: weighted words on Korean news"
ABOUT = """As Table 4, for single-label documents. Each document gets the class with the highest
score (eq. 14 in units of the document's own length, plus the log-odds of the class); the paper does
not state its rule. PNB* is chosen on training documents. Corpora are those named above, so only the
order of rows can be compared. The second table assigns classes by thresholds, as on Reuters, so a
document may get several classes or none. The third makes weights weaker by raising them to a power:
0 means no weights, 1 those of the paper. It was added after a first run and measured on test
documents; nothing is chosen by it."""
POWERS = (0.0, 0.25, 0.5, 1.0)
CORPORA = ("headlines", "articles", "uneven")


def measure(work: Workplace) -> dict[str, Any]:
    found = {corpus: korean.rows_of(work, corpus) for corpus in work.track(CORPORA)}
    averages = {
        corpus: {row: korean.mean_averages(rows, row) for row in ROWS}
        for corpus, rows in found.items()
    }
    return {
        "rows": averages,
        "thresholds": {name: _by_threshold(work, name) for name in ("headlines", "uneven")},
        "words_only": _words_only(work),
        "powers": {name: _by_power(work, name) for name in CORPORA},
    }


def _by_threshold(work: Workplace, corpus: str) -> dict[str, dict[str, float]]:
    found = [korean.rows_by_threshold(split) for split in korean.splits(work, corpus)]
    return {
        row: {name: sum(each[row][name] for each in found) / len(found) for name in found[0][row]}
        for row in found[0]
    }


def _by_power(work: Workplace, corpus: str) -> dict[str, list[float]]:
    """Return macro-F1 of each weighting over the power of its weights."""
    splits = korean.splits(work, corpus)
    models = [PoissonNB().fit(split.train.counts, split.train.labels) for split in splits]
    return {
        row: [_macro(splits, models, weighting, power) for power in POWERS]
        for row, weighting in WEIGHTINGS.items()
        if weighting
    }


def _macro(splits: list[Split], models: list[PoissonNB], weighting: str, power: float) -> float:
    given = [
        model.set_params(weighting=weighting, weight_power=power).predict(split.test.counts)
        for split, model in zip(splits, models, strict=True)
    ]
    pairs = zip(splits, given, strict=True)
    return float(np.mean([judged_labels(split, each).macro for split, each in pairs]))


def _words_only(work: Workplace) -> dict[str, float]:
    """Return the averages without weights if pairs of syllables are not counted."""
    split = headlines(work, KOREAN_WORDS)
    model = PoissonNB().fit(split.train.counts, split.train.labels)
    return judged_labels(split, model.predict(split.test.counts)).averages


def show(found: Record) -> Iterable[Shown]:
    heads = [f"{corpus}, {name}" for corpus in CORPORA for name in ("micro", "macro")]
    rows = [(row, *KOREAN[row], *_cells(found.rows, CORPORA, row)) for row in ROWS]
    columns = ("", "paper, micro", "macro", *heads)
    yield Table("F1, the class with the highest score", columns, rows, 4)
    by = found.thresholds
    heads = [f"{corpus}, {name}" for corpus in by for name in ("micro", "macro")]
    rows = [(row, *_cells(by, [*by], row)) for row in ROWS if row != STAR]
    yield Table("F1, by thresholds of training documents", ("", *heads), rows, 4)
    rows = [
        (f"{corpus}, {row}", *values)
        for corpus, each in found.powers.items()
        for row, values in each.items()
    ]
    columns = ("", *(f"power {power:g}" for power in POWERS))
    yield Table("Macro-F1 by the power of weights, the highest score", columns, rows, 4)
    words = found.words_only
    yield (
        f"Without pairs of syllables, PNB on headlines has a micro-F1 of {words.micro:.4f} and a "
        f"macro-F1 of {words.macro:.4f}."
    )


def _cells(table: Record, corpora: Iterable[str], row: str) -> list[float]:
    return [table[corpus][row][name] for corpus in corpora for name in ("micro", "macro")]
