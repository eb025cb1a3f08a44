"""Open: adaptive filtering."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.kim.profile import BACKGROUND, KEPT, Profile, Way
from experiments.kim.published import CHI, PNB, UM
from experiments.kim.stream import N_EXAMPLES, N_START, Stream, news, newsgroups
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import MultinomialNB, PoissonNB
from tallytext.models import Laplace

HEADING = "Open: adaptive filtering"
IS_OPEN = True
ABOUT = f"""The paper wants to "explore applications … such as adaptive filtering". Documents come
in the order of their dates, and profiles deliver those that they predict to be relevant. Feedback
is given only on delivered documents; no other label is used. Each class is a profile with its own
model of relevant documents against others.

- *Reuters*: the documents that were indexed for topics, and the 15 largest topics; so there are no
  results for small ones.
- *20 Newsgroups*: subject and body; each group a profile.

The first {N_START:,} documents come before the stream: a profile gets the first {N_EXAMPLES}
relevant ones as examples, and the words, not the labels, of all others as background (profiles with
fewer than three examples are left out). Documents then come in batches of 100 (Reuters) and 400.
Each is scored before it is learned, by its log-odds per word, and is delivered if it reaches the
threshold of the profile. A sigmoid over scores gives the probability of being relevant: it is
fitted to the examples, each scored by a model without it, to the latest {KEPT} delivered documents,
and to {BACKGROUND} documents from before the stream that are assumed not to be relevant, scored by
a model without them. The threshold is a probability of 1/3, which is optimal if a relevant document
is worth 2 and another one costs 1. It is lower while few relevant documents are known, so that a
profile does not starve. Some twenty settings were tried on the topics of Reuters that are 16th to
30th in size, which are not reported. The vocabulary is that of the whole stream (words, no labels).

What learns: nothing (*frozen*); the threshold; model and threshold, from *delivered* documents; the
same, with all others learned as not relevant, words only (*background*); and *everything*, all
labels of all documents, which is the upper bound. *Not curious* is *delivered* with a threshold
that is never lowered; it was added after a first run. A profile has starved if its F1 is below .1.
Utility is 2 · relevant delivered − others delivered, as a share of the maximum; below 0 it would be
better to deliver nothing."""
WAYS = {
    "frozen": Way("nothing", threshold=False, curious=0),
    "threshold": Way("nothing", threshold=True),
    "delivered": Way("delivered", threshold=True),
    "background": Way("background", threshold=True),
    "everything": Way("all", threshold=True, curious=0),
    "not curious": Way("delivered", threshold=True, curious=0),
}
DRAWN = ("frozen", "threshold", "delivered", "background", "everything")
MODELS = {
    CHI: PoissonNB(weighting="chi", multi_label=True, n_jobs=1),
    PNB: PoissonNB(multi_label=True, n_jobs=1),
    UM: MultinomialNB(Laplace(1), multi_label=True, n_jobs=1),
}
N_WINDOWS = 8
STARVED = 0.1
LOT = {"reuters": 100, "newsgroups": 400}


def measure(work: Workplace) -> dict[str, Any]:
    return {"reuters": _runs(work, "reuters"), "newsgroups": _runs(work, "newsgroups")}


def _runs(work: Workplace, name: str) -> dict[str, Any]:
    stream = {"reuters": news, "newsgroups": newsgroups}[name](work)
    main, *others = MODELS
    runs = [(main, way) for way in WAYS]
    if not work.quick:
        runs += [(model, way) for model in others for way in ("frozen", "delivered", "everything")]
    lot = LOT[name] * (4 if work.quick else 1)
    found = {
        f"{model}, {way}": _measured(stream, _filtered(stream, model, WAYS[way], lot))
        for model, way in work.track(runs, name)
    }
    streamed = stream.truth[stream.n_start :]
    return {
        "n_documents": len(streamed),
        "n_profiles": len(stream.profiles),
        "relevant": float(streamed.mean()),
        "runs": found,
    }


def _filtered(stream: Stream, model: str, way: Way, lot: int) -> NDArray[np.bool_]:
    """Return which documents of the stream are delivered to which profile."""
    delivered = np.zeros_like(stream.truth)
    for at in range(len(stream.profiles)):
        profile = Profile(MODELS[model], stream, at, way)
        for first in range(stream.n_start, len(stream.truth), lot):
            rows = slice(first, first + lot)
            delivered[rows, at] = profile.read(stream.counts[rows], stream.truth[rows, at])
    return delivered[stream.n_start :]


def _measured(stream: Stream, delivered: NDArray[np.bool_]) -> dict[str, Any]:
    truth = stream.truth[stream.n_start :]
    windows = np.array_split(np.arange(len(truth)), N_WINDOWS)
    right, given = (truth & delivered).sum(axis=0), delivered.sum(axis=0)
    return {
        "f1": float(f1_of(truth, delivered).mean()),
        "precision": float((right / np.maximum(given, 1)).mean()),
        "recall": float((right / np.maximum(truth.sum(axis=0), 1)).mean()),
        "utility": float(((3 * right - given) / (2 * np.maximum(truth.sum(axis=0), 1))).mean()),
        "delivered": int(given.sum()),
        "windows": [float(f1_of(truth[rows], delivered[rows]).mean()) for rows in windows],
        "profiles": f1_of(truth, delivered),
    }


def f1_of(truth: NDArray[np.bool_], delivered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the F1 of each profile that has relevant documents here.

    Examples
    --------
    >>> truth = np.array([[1, 0], [1, 0]], dtype=bool)
    >>> f1_of(truth, np.array([[1, 1], [0, 0]], dtype=bool)).round(3)
    array([0.667])
    """
    some = truth.any(axis=0)
    right = (truth & delivered).sum(axis=0)[some]
    return 2 * right / (truth.sum(axis=0) + delivered.sum(axis=0))[some]


_TITLES = {"reuters": "Reuters", "newsgroups": "20 Newsgroups"}


def show(found: Record) -> Iterable[Shown]:
    drawn, plots = panels(2, 2, width=4.2, height=3.2)
    for plot, (name, title) in zip(plots, _TITLES.items(), strict=True):
        runs = found[name].runs
        lines = {way: runs[f"{CHI}, {way}"].windows for way in DRAWN}
        named = {"title": title, "x_label": "eighth of the stream", "y_label": "mean F1"}
        draw_lines(plot, range(1, N_WINDOWS + 1), lines, **named)
    legend_below(drawn, plots[:1], 5)
    yield Figure(
        "kim-filtering", "Mean F1 of profiles over the stream, words weighted by χ²", drawn
    )
    for name, title in _TITLES.items():
        each = found[name]
        head = (
            f"{title}: {each.n_documents:,} documents, {each.n_profiles} profiles, means over "
            "profiles"
        )
        columns = ("", *_COLUMNS.values(), "first eighth", "last eighth", "delivered", "starved")
        yield Table(head, columns, [*map(_row, each.runs.items())])
        yield _closed(title, each.runs)


_COLUMNS = {"f1": "F1", "precision": "precision", "recall": "recall", "utility": "utility"}


def _row(item: tuple[str, Record]) -> tuple[Any, ...]:
    name, run = item
    ends = run.windows[0], run.windows[-1]
    starved = sum(f1 < STARVED for f1 in run.profiles)
    return name, *(run[key] for key in _COLUMNS), *ends, run.delivered, starved


def _closed(title: str, runs: Record) -> str:
    """Say how much of the way from a frozen profile to all labels is made."""
    shares = []
    for model in MODELS:
        if f"{model}, delivered" in runs:
            low, own, high = (runs[f"{model}, {way}"].f1 for way in _COMPARED)
            share = (own - low) / (high - low) if high > low else 0.0
            shares.append(f"{model} {100 * share:.0f} %")
    return (
        f"{title}: of the distance in F1 from a frozen profile to one that sees all labels, "
        f"learning from delivered documents closes: {', '.join(shares)}."
    )


_COMPARED = ("frozen", "delivered", "everything")
