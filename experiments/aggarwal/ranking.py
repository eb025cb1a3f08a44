"""5.3.4: documents in the order of how much they belong to a class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from experiments.aggarwal.corpora import TITLES, Documents, documents_of, names, split_of
from experiments.aggarwal.events import bernoulli, multinomial
from experiments.aggarwal.ordered import Steps, tied
from experiments.reproduction.figures import COLOURS, Figure, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext.decision import Isotonic, Platt, Temperature, log_odds, log_posteriors

HEADING = "Ranking documents for a class (5.3.4)"
IS_OPEN = True
ABOUT = """The excerpt ends after the first sentence of this section; footnote 3 says that for
ranking the constant of proportionality matters. Here the test documents of each corpus are ranked
for each class by:

- the *score* of (5.13) or (5.19), which leaves out all terms that are equal for all classes;
- the *joint*, log p(c, d), with the multinomial coefficient of (5.18);
- the *posterior*, as a number between 0 and 1;
- the *log-posterior* and the *log-odds* against all other classes, which have the same order as the
  posterior in exact arithmetic;
- the score, and the log-odds, *per word* of the document;
- the posterior with a *temperature* that depends on the length of the document;
- the log-odds per word through a sigmoid of each class (*Platt*), or a monotone step function
  (*isotonic*).

The last three are fitted to leave-one-out scores of the training documents, never to test labels.
Measures: average precision of each class, averaged; area under the ROC curve; precision among the
first n, where n is the size of the class; and *pooled*, the average precision of one list of all
pairs of document and class, for which scores must be comparable across classes. Documents with
equal scores count as one step, so that ties gain nothing by chance. *Tied* is the share of pairs of
a document and its true class with exactly the same score as others of that class."""

ORDERS = {
    "score": "score",
    "joint": "joint",
    "posterior": "posterior",
    "log_posterior": "log-posterior",
    "log_odds": "log-odds",
    "score_per_word": "score per word",
    "odds_per_word": "log-odds per word",
    "temperature": "temperature",
    "platt": "Platt",
    "isotonic": "isotonic",
}
MEASURES = {
    "ap": "average precision",
    "auc": "ROC area",
    "at_n": "precision at n",
    "pooled": "pooled",
    "tied": "tied",
}
MODELS = {"multinomial": multinomial, "bernoulli": bernoulli}
_TITLES = {"multinomial": "Multinomial", "bernoulli": "Bernoulli"}
_LIMITS = {"ynat": 20000}
Numbers = NDArray[np.float64]


def measure(work: Workplace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in work.track(names(work)):
        documents = documents_of(work, split_of(work, name, _LIMITS.get(name)))
        found[name] = {each: _measured(documents, make()) for each, make in MODELS.items()}
    return {"corpora": found}


def _measured(documents: Documents, model: Any) -> dict[str, Any]:
    model.fit(documents.X, documents.y)
    truth = documents.z[:, None] == model.classes_
    return {name: measured(found, truth) for name, found in orders(documents, model).items()}


def orders(documents: Documents, model: Any) -> dict[str, Numbers]:
    """Return by what test documents can be ordered, documents by classes."""
    scores, lengths = model.scores_and_lengths(documents.Z)
    odds = log_odds(scores)
    logs = log_posteriors(scores)
    words = np.maximum(1, lengths)[:, None]
    plain = {
        "score": scores,
        "joint": scores + _coefficients(documents, model)[:, None],
        "posterior": np.exp(logs),
        "log_posterior": logs,
        "log_odds": odds,
        "score_per_word": scores / words,
        "odds_per_word": odds / words,
    }
    return plain | _calibrated(documents, model, scores, lengths)


def _calibrated(
    documents: Documents, model: Any, scores: Numbers, lengths: Numbers
) -> dict[str, Numbers]:
    seen = model.leave_one_out(documents.X, documents.y)
    # A class of one document is unknown without it.
    kept = np.isfinite(seen.scores).all(axis=1)
    truth, sizes = seen.truth[kept], seen.lengths[kept]
    left_out = log_odds(seen.scores[kept]) / np.maximum(1, sizes)[:, None]
    odds = log_odds(scores) / np.maximum(1, lengths)[:, None]
    temperature = Temperature.fit(seen.scores[kept], sizes, truth.argmax(axis=1))
    return {
        "temperature": temperature.log_proba(scores, lengths),
        "platt": Platt.fit(left_out, truth).proba(odds),
        "isotonic": Isotonic.fit(left_out, truth).proba(odds),
    }


def _coefficients(documents: Documents, model: Any) -> Numbers:
    """Return the logarithm of the coefficient in (5.18); Bernoulli has none."""
    counts = documents.Z.astype(float)
    if not hasattr(model, "smoothing"):
        return np.zeros(counts.shape[0])
    ways = gammaln(counts.sum(axis=1) + 1)
    repeats = counts.copy()
    repeats.data = gammaln(counts.data + 1)
    return ways - repeats.sum(axis=1)


def measured(found: Numbers, truth: NDArray[np.bool_]) -> dict[str, float]:
    """Return how good an order is, for classes that some document has.

    Examples
    --------
    >>> measured(np.array([[3.0], [2.0], [1.0]]), np.array([[True], [False], [True]]))["ap"]
    0.83333
    """
    there = np.flatnonzero(truth.any(axis=0) & ~truth.all(axis=0))
    sizes = truth[:, there].sum(axis=0)
    steps = [Steps.of(found[:, at], truth[:, at]) for at in there]
    values = {
        "ap": np.mean([each.average_precision() for each in steps]),
        "auc": np.mean([each.area() for each in steps]),
        "at_n": np.mean([each.precision_at(n) for each, n in zip(steps, sizes, strict=True)]),
        "pooled": Steps.of(found[:, there].ravel(), truth[:, there].ravel()).average_precision(),
        "tied": np.average([tied(found[truth[:, at], at]) for at in there], weights=sizes),
    }
    return {name: round(float(value), 5) for name, value in values.items()}


def show(found: Record) -> Iterable[str | Table | Figure]:
    for model, title in _TITLES.items():
        rows = [_row(found, model, name) for name in ORDERS]
        heads = [f"{TITLES[name]}, {short}" for name in found.corpora for short in ("AP", "pooled")]
        yield Table(f"{title}: average precision in %, by class and pooled", ("", *heads), rows, 1)
    yield _figure(found)
    yield _means(found)
    yield _remark(found)


_FITTED = ("temperature", "platt", "isotonic")


def _remark(found: Record) -> str:
    plain = [name for name in ORDERS if name not in _FITTED]
    return (
        f"In the mean, what orders best within a class: {_best(found, 'ap', [*ORDERS])}, or "
        f"{_best(found, 'ap', plain)} if nothing is to be fitted; across classes: "
        f"{_best(found, 'pooled', [*ORDERS])}, or {_best(found, 'pooled', plain)}. The score, and "
        f"the joint, fall with every word of a document, whatever its class. The logarithm of the "
        f"posterior ends at 0, where log-odds go on; a step function makes ties by itself."
    )


def _best(found: Record, key: str, among: list[str]) -> str:
    name = max(among, key=lambda each: _mean(found, each, key))
    return f"{ORDERS[name]} ({100 * _mean(found, name, key):.1f} %)"


def _mean(found: Record, name: str, key: str) -> float:
    cells = [corpus[model][name] for corpus in found.corpora.values() for model in MODELS]
    return float(np.mean([cell[key] for cell in cells]))


def _row(found: Record, model: str, name: str) -> tuple[Any, ...]:
    values = [
        100 * corpus[model][name][measure]
        for corpus in found.corpora.values()
        for measure in ("ap", "pooled")
    ]
    return ORDERS[name], *values


def _means(found: Record) -> Table:
    rows = []
    for name, title in ORDERS.items():
        rows.append((title, *(100 * _mean(found, name, key) for key in MEASURES)))
    title = "Mean of all corpora and both models, in %"
    return Table(title, ("", *MEASURES.values()), rows, 1)


def _figure(found: Record) -> Figure:
    drawn, plots = panels(2, across=2, width=5.2, height=3.3)
    width = 0.8 / len(found.corpora)
    for plot, (model, title) in zip(plots, _TITLES.items(), strict=True):
        for at, (name, corpus) in enumerate(found.corpora.items()):
            places = np.arange(len(ORDERS)) + at * width
            heights = [100 * corpus[model][order].ap for order in ORDERS]
            plot.bar(places, heights, width, color=COLOURS[at], label=TITLES[name])
        plot.set_xticks(np.arange(len(ORDERS)) + 0.3, [*ORDERS.values()], rotation=55, ha="right")
        plot.set(title=title, ylabel="average precision, %")
        plot.grid(axis="y", alpha=0.25)
    legend_below(drawn, plots)
    return Figure("aggarwal-ranking", "Average precision by what documents are ordered.", drawn)
