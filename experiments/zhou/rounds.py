"""What texts without labels can teach besides translations: expectation-maximisation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import documents
from experiments.zhou.learned import learned, let_go
from experiments.zhou.trials import SHARE, SIX_ROUNDS, Scores, Trial, listed, samples, spread

HEADING = "Beyond co-occurrence: texts without labels that join classes"
IS_OPEN = True
ABOUT = """The paper uses unlabelled texts only to learn which words co-occur. They can also be used
for the classes: expectation-maximisation counts each text in every class with its predicted
probability (`MultinomialNB.refresh`). Six rounds, starting from the background and from CSSS, on 20
Newsgroups; the unlabelled texts are the test documents. Two samples with labels for 5 %, three with
one document."""
SIZES = {"five_percent": (SHARE, 2), "one": (1, 3)}
SIZE_TITLES = {"five_percent": "labels for 5 %", "one": "one document per class"}
ROWS = {
    "background": "background",
    "background_rounds": "background, then six rounds",
    "csss": "CSSS",
    "csss_rounds": "CSSS, then six rounds",
}


def measure(work: Workplace) -> dict[str, Any]:
    """Judge before and after six rounds."""
    known, labels = learned(work, "newsgroups"), documents(work, "newsgroups").labels
    found = {}
    for name, (size, n) in SIZES.items():
        drawn = [*samples(labels, size, 1 if work.quick else n)]
        trials = [Trial(known, labels, sample) for sample in drawn]
        found[name] = listed(_judged(trial) for trial in work.track(trials, name))
    let_go()  # the last part that needs them
    return found


def _judged(trial: Trial) -> dict[str, Scores]:
    return {
        "background": trial.background(),
        "background_rounds": trial.background(em=SIX_ROUNDS),
        "csss": trial.semantic(trial.learned.mixed(1.0)),
        "csss_rounds": trial.after_rounds(),
    }


def show(found: Record) -> Iterator[Any]:
    """Show F1 before and after."""
    columns = ("", *(f"{title}, {kind}-F1" for title in SIZE_TITLES.values() for kind in _KINDS))
    rows = [
        (title, *(spread(found[size][name][kind]) for size in SIZES for kind in _KINDS))
        for name, title in ROWS.items()
    ]
    yield Table("F1 before and after", columns, rows)


_KINDS = ("micro", "macro")
