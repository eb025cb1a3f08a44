"""More phrases for CSSS: are there too few of them?"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Any

from scipy.stats import spearmanr

from experiments.reproduction.figures import COLOURS, MARKERS, Figure, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import TITLES, documents
from experiments.zhou.learned import learned, new_phrases
from experiments.zhou.trials import SHARE, Trial, listed, paired, samples, spread

HEADING = "Are there too few phrases?"
IS_OPEN = True
ABOUT = """The paper assumes that CSSS is only slightly better than CISS because too few phrases are
found. Here phrases are found in twelve ways, from few to many: by Xtract, by normalised mutual
information and by likelihood, with several thresholds and minimum counts. CSSS is run with each,
with labels for 5 % and λ = .4; three samples. The last column is the gain over CISS on the same
samples, with a 95 % interval. Below each table are the rank correlation of the number of phrases
and micro-F1, and its p-value. Methods of one kind are similar, so p is somewhat too small."""
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "Xtract, strength 3": ("xtract", {"threshold": 3.0}),
    "Xtract": ("xtract", {}),
    "Xtract, window 4, spread 4": ("xtract", {"window": 4, "spread": 4.0}),
    "Xtract, spread 1": ("xtract", {"spread": 1.0}),
    "npmi .6": ("npmi", {"threshold": 0.6}),
    "npmi .3": ("npmi", {}),
    "npmi .3, 2 times": ("npmi", {"min_count": 2}),
    "npmi .1": ("npmi", {"threshold": 0.1}),
    "npmi .1, 2 times": ("npmi", {"threshold": 0.1, "min_count": 2}),
    "likelihood 100": ("likelihood", {"threshold": 100.0}),
    "likelihood 10.83": ("likelihood", {}),
    "likelihood 3.84, 2 times": ("likelihood", {"threshold": 3.84, "min_count": 2}),
}
CORPORA = ("newsgroups", "ohsumed")
TICKS = (3_000, 10_000, 30_000, 100_000)


def measure(work: Workplace) -> dict[str, Any]:
    """Judge with phrases found in all ways."""
    return {name: _measured(work, name) for name in CORPORA}


def _measured(work: Workplace, name: str) -> dict[str, Any]:
    read, known = documents(work, name), learned(work, name)
    drawn = [*samples(read.labels, SHARE, 1 if work.quick else 3)]
    base = listed(_baselines(Trial(known, read.labels, each)) for each in drawn)
    ways = [*WAYS][1::5] if work.quick else [*WAYS]
    found = {way: _with(work, name, way, drawn) for way in work.track(ways, name)}
    sizes = [each["phrases"] for each in found.values()]
    levels = [fmean(each["csss"]["micro"]) for each in found.values()]
    rank = spearmanr(sizes, levels)
    return {
        **base,
        "ways": found,
        "rank_correlation": float(rank.statistic),
        "p": float(rank.pvalue),
    }


def _baselines(trial: Trial) -> dict[str, Any]:
    return {
        "background": trial.background(),
        "ciss": trial.semantic(trial.learned.mixed(0.0)),
    }


def _with(work: Workplace, name: str, way: str, drawn: list[Any]) -> dict[str, Any]:
    read = documents(work, name)
    method, settings = WAYS[way]
    finder = new_phrases(name, method, **settings)
    known = learned(work, name).with_phrases(finder, read.texts)
    trials = [Trial(known, read.labels, each) for each in drawn]
    made = listed({"csss": trial.semantic(known.translation)} for trial in trials)
    per_document = known.phrases.sum() / len(read.labels)
    return {"phrases": known.phrases.shape[1], "per_document": per_document, **made}


def show(found: Record) -> Iterator[Any]:
    """Draw F1 against the number of phrases, and list all ways."""
    drawn, plots = panels(len(CORPORA), 2, 4.2, 3.0)
    for plot, name in zip(plots, CORPORA, strict=True):
        _draw(plot, name, found[name])
    legend_below(drawn, plots, 5)
    yield Figure("zhou-phrases", "Micro-F1 of CSSS against the number of phrases", drawn)
    columns = ("", "phrases", "phrases / document", "micro-F1", "macro-F1", "micro over CISS")
    for name in CORPORA:
        ciss = found[name].ciss
        rows = [_row(way, each, ciss.micro) for way, each in found[name].ways.items()]
        rows.append(("CISS", None, None, spread(ciss.micro), spread(ciss.macro), ""))
        background = found[name].background
        rows.append(("background", None, None, spread(background.micro), spread(background.macro)))
        rows[-1] = (*rows[-1], paired(background.micro, ciss.micro))
        yield Table(TITLES[name], columns, rows, 1)
        yield _summary(found[name])


def _summary(result: Record) -> str:
    levels = [fmean(each.csss.micro) for each in result.ways.values()]
    return (
        f"Rank correlation of phrases and micro-F1: {result.rank_correlation:.2f} (p = "
        f"{result.p:.2g}); from the worst way to the best, "
        f"{100 * (max(levels) - min(levels)):.1f} points."
    )


def _draw(plot: Any, name: str, result: Record) -> None:
    for at, method in enumerate(("Xtract", "npmi", "likelihood")):
        ways = [each for way, each in result.ways.items() if way.startswith(method)]
        sizes = [each.phrases for each in ways]
        heights = [fmean(each.csss.micro) for each in ways]
        plot.plot(sizes, heights, MARKERS[at], color=COLOURS[at], label=method, ms=5)
    lines = (("CISS", result.ciss, "--"), ("background", result.background, ":"))
    for title, base, dashes in lines:
        plot.axhline(fmean(base.micro), color="#666666", lw=1, ls=dashes, label=title)
    plot.set_xscale("log")
    plot.set_xticks(TICKS, [f"{tick:,}" for tick in TICKS])
    plot.minorticks_off()
    plot.set(title=TITLES[name], xlabel="phrases", ylabel="micro-F1")
    plot.grid(alpha=0.25)


def _row(way: str, each: Record, ciss: list[float]) -> tuple[Any, ...]:
    levels = spread(each.csss.micro), spread(each.csss.macro)
    return way, each.phrases, each.per_document, *levels, paired(each.csss.micro, ciss)
