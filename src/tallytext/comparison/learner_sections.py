"""Sections of the page about learners: what was found, and the table of them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tallytext.comparison.tables import table
from tallytext.comparison.terminal import CHANCE, megabytes, seconds, to_best
from tallytext.comparison.whiskers import Axis, whisker

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison
    from tallytext.comparison.contender import Contender

Section = tuple[str, str, str] | None


def summary(comparison: Comparison) -> Section:
    """Return what was found, in a few sentences, and what to beware of."""
    best = comparison.best
    assert best.interval is not None and best.report is not None
    low, high = best.interval
    fewer = f" ({best.remark(len(comparison.splits))})" * (best.n_folds < len(comparison.splits))
    said = (
        f'<p class="lead"><b>{escape(best.name)}</b> does best: {comparison.measure} '
        f"<b>{best.score:.1%}</b> (95% interval {low:.1%} to {high:.1%}) on "
        f"{best.report.n_documents:,} documents, by {comparison.splits.described}{fewer}.</p>"
    )
    beware = "".join(
        f'<p class="warning">{escape(each[0].upper() + each[1:])}</p>'
        for each in comparison.warnings
    )
    return "summary", "Summary", f"{said}<p>{_rivals(comparison)}{_blocks(comparison)}</p>{beware}"


def _rivals(comparison: Comparison) -> str:
    """Say which learners are as good, as far as documents tell."""
    others = [each for each in comparison.contenders[1:] if each.report is not None]
    equal = [each for each in others if each.as_good]
    if not others:
        return "No other learner was judged."
    if not equal:
        return "It is better than each of the others by more than chance."
    names = ", ".join(f"<b>{escape(each.name)}</b>" for each in equal)
    cheap = min((comparison.best, *equal), key=lambda each: each.fit_seconds)
    quickest = f" Of these, <b>{escape(cheap.name)}</b> learns fastest." * (len(equal) > 0)
    return f"Not told apart from it, so that the order may be chance: {names}.{quickest}"


def _blocks(comparison: Comparison) -> str:
    if comparison.splits.method != "time":
        return ""
    scores = ", ".join(f"{score:.1%}" for score in reversed(comparison.best.fold_scores))
    return (
        f" From the earliest block to the latest its {comparison.measure} is {scores}: the "
        "interval is for documents of these times, and does not know what later ones bring."
    )


def learners(comparison: Comparison) -> Section:
    """Return the table of learners."""
    known = [each.interval for each in comparison.contenders if each.interval is not None]
    axis, n_folds = Axis.of(known), len(comparison.splits)
    names = (comparison.measure, axis.scale(), "95% interval", "to best", "macro-F1")
    heads = ["learner", *names, "learn", "answer", "memory"]
    band = comparison.best.interval or (0.0, 1.0)
    rows = [_row(each, axis, band, n_folds) for each in comparison.contenders]
    return (
        "learners",
        "Learners",
        table("Learners", heads, rows, "plain learners") + _notes(comparison),
    )


def _row(each: Contender, axis: Axis, band: tuple[float, float], n_folds: int) -> list[str]:
    remark = f'<span class="remark">{escape(each.remark(n_folds))}</span>'
    name = f"{escape(each.name)} {remark}<small>{escape(each.summary)}</small>"
    if each.report is None or each.interval is None or each.score is None:
        return [name, *[""] * 8]
    return [
        name,
        f"<b>{each.score:.4f}</b>",
        whisker(axis, each.score, each.interval, band),
        f"{each.interval[0]:.3f} – {each.interval[1]:.3f}",
        to_best(each) or "best",
        f"{each.report.macro_f1:.4f}",
        seconds(each.fit_seconds),
        seconds(each.predict_seconds),
        megabytes(each.megabytes),
    ]


def _notes(comparison: Comparison) -> str:
    n_folds = len(comparison.splits)
    fewer = any(0 < each.n_folds < n_folds for each in comparison.contenders)
    notes = [
        f"“To best” is the difference from the best on the same documents; {CHANCE}.",
        "The band is the interval of the best.",
        "Learners judged on fewer folds are compared with the best on these folds only." * fewer,
        "Times are for one fold (medians): learning from text with calibration, and answering; "
        "memory is what the peak is above the texts themselves.",
        "Intervals take documents of one group for alike." * (comparison.splits.method == "groups"),
    ]
    return f'<p class="note">{" ".join(note for note in notes if note)}</p>'
