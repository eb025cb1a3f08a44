"""When is document frequency enough?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from experiments.reproduction.figures import COLOURS, MARKERS, Figure, legend_below, panels
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.yang_pedersen.corpora import (
    Deal,
    corpus_of,
    documents_of,
    given_split,
    sides_by_group,
)
from experiments.yang_pedersen.judging import percent, precision_of
from experiments.yang_pedersen.terms import Ranking, plain_score
from tallytext import MultinomialNB
from tallytext.io import Corpus

HEADING = "When is document frequency enough?"
IS_OPEN = True
SHARES = (0.25, 0.1, 0.05, 0.02, 0.01)
QUICK_SHARES = (0.1, 0.02)
N_DEBIAN = 20_000
ABOUT = f"""The paper recommends DF instead of IG where IG is too expensive, based on two
collections without stop words. Here six corpora are used, without and with stop words (there is no
list for Korean, whose words and pairs of syllables are all counted). The classifier is multinomial
naive Bayes, the cheapest one, on the best terms by IG and by DF. The measure is average precision,
which for one label per document is the mean of 1 / rank of the right class. The splits are the
published ones (ModApte for Reuters); {N_DEBIAN:,} of Debian's package descriptions are sampled and
split by source package. The table also has the rank correlation of DF and IG over all terms, and
the overlap: the share of the best terms by IG that are also among the best by DF."""


class Source(NamedTuple):
    """A corpus, its name in tables, and whether it is English."""

    name: str
    title: str
    english: bool = True


SOURCES = (
    Source("reuters21578", "Reuters"),
    Source("ohsumed", "OHSUMED"),
    Source("20newsgroups-bydate", "20 Newsgroups"),
    Source("ag-news-20k", "AG News"),
    Source("debian-sections", "Debian sections"),
    Source("klue-ynat", "KLUE-YNAT (Korean)", False),
)


def measure(work: Workplace) -> dict[str, Any]:
    shares = QUICK_SHARES if work.quick else SHARES
    found = {}
    for source in SOURCES:
        work.say(source.title)
        corpus = _drawn(work, source)
        found[source.title] = {
            way: _compared(_deal(work, corpus, source, stops), shares)
            for way, stops in _ways(source).items()
        }
    points = [
        (1 - at["overlap"], at["loss"])
        for ways in found.values()
        for row in ways.values()
        for at in row["at"].values()
    ]
    rho = float(stats.spearmanr(*zip(*points, strict=True)).statistic)
    return {"corpora": found, "rho": rho, "all_terms_rho": _of_all_terms(found)}


def _ways(source: Source) -> dict[str, str | None]:
    return {"out": "english", "in": None} if source.english else {"in": None}


def _drawn(work: Workplace, source: Source) -> Corpus:
    corpus = corpus_of(work, source.name)
    if source.name != "debian-sections" or work.quick:
        return corpus
    rows = np.random.default_rng(0).choice(len(corpus), N_DEBIAN, replace=False)
    return corpus.take(np.sort(rows).tolist())


def _deal(work: Workplace, corpus: Corpus, source: Source, stops: str | None) -> Deal:
    changes: dict[str, Any] = {"stop_words": stops}
    if not source.english:
        changes |= {"language": None, "hangul": "words+bigrams"}
    documents = documents_of(work, corpus, **changes)
    if "source" in corpus.columns:
        return given_split(documents, sides_by_group(corpus.columns["source"]))
    return given_split(documents, corpus.splits)


def _compared(deal: Deal, shares: Any) -> dict[str, Any]:
    rankings = {name: Ranking.of(deal, plain_score(name)) for name in ("DF", "IG")}
    df, ig = rankings["DF"], rankings["IG"]
    there = df.order
    return {
        "n_terms": len(there),
        "spearman": float(stats.spearmanr(df.found[there], ig.found[there]).statistic),
        "all": _judged(deal),
        "at": {percent(share): _at(deal, df, ig, share) for share in shares},
    }


def _at(deal: Deal, df: Ranking, ig: Ranking, share: float) -> dict[str, float]:
    n = ig.n_kept(share)
    precision = [_judged(ranking.cut(deal, share)) for ranking in (df, ig)]
    return {
        "df": precision[0],
        "ig": precision[1],
        "loss": precision[1] - precision[0],
        "overlap": len(np.intersect1d(df.order[:n], ig.order[:n])) / n,
    }


def _judged(deal: Deal) -> float:
    model = MultinomialNB().fit(deal.train.counts, deal.train.labels)
    return precision_of(deal, model.scores(deal.test.counts))


def _of_all_terms(found: dict[str, Any]) -> float:
    """Return the rank correlation of ρ over all terms with the mean loss."""
    rows = [row for ways in found.values() for row in ways.values()]
    losses = [np.mean([at["loss"] for at in row["at"].values()]) for row in rows]
    return float(stats.spearmanr([-row["spearman"] for row in rows], losses).statistic)


def show(found: Record) -> Iterator[Shown]:
    rows = [
        _row(title, way, row) for title, ways in found.corpora.items() for way, row in ways.items()
    ]
    shares = [*next(iter(found.corpora.values()))["in"]["at"]]
    columns = ("corpus", "stop words", "ρ of DF and IG", "all terms", *shares)
    yield Table(
        "Loss of DF against IG (and overlap of the best terms) by share kept", columns, rows
    )
    yield (
        f"Over all of these, the rank correlation of the loss with the share of the terms that "
        f"differ is {found.rho:.2f}; that of the mean loss of a corpus with −ρ of DF and IG over "
        f"all terms is {found.all_terms_rho:.2f}."
    )
    yield Figure(
        "yang-pedersen-frequency",
        "Loss of DF against IG by the overlap of the best terms, six corpora",
        _figure(found),
    )


def _row(title: str, way: str, row: Record) -> tuple[Any, ...]:
    cells = [f"{at.loss:+.3f} ({at.overlap:.2f})" for at in row["at"].values()]
    return title, way, f"{row.spearman:.2f}", f"{row['all']:.3f}", *cells


def _figure(found: Record) -> Any:
    drawn, plots = panels(2, across=2, width=4.2, height=3.2)
    for plot, way, title in zip(
        plots, ("out", "in"), ("stop words out", "stop words in"), strict=True
    ):
        for at, (name, ways) in enumerate(found.corpora.items()):
            if way in ways:
                points = ways[way]["at"].values()
                x, y = [point.overlap for point in points], [point.loss for point in points]
                look = {"color": COLOURS[at], "marker": MARKERS[at]}
                plot.plot(x, y, lw=0.7, ms=4, label=name, **look)
        plot.axhline(0, color="#999999", lw=0.8, ls=":")
        plot.set(title=title, xlabel="overlap of the best terms", ylabel="loss of DF against IG")
        plot.grid(alpha=0.25)
    legend_below(drawn, plots, 3)
    return drawn
