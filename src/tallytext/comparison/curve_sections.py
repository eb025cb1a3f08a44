"""Sections of the page with drawings: more labels, fewer words, and probabilities."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from tallytext.comparison.drawings import learning_drawing
from tallytext.evaluation import reliability_diagram

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison
    from tallytext.comparison.learner_sections import Section
    from tallytext.curves import VocabularyCurve
    from tallytext.evaluation import ReliabilityCurve

_STYLE = re.compile(r"<style>.*?</style>\s*", re.DOTALL)
_SURE = 0.8
_NEARLY = 0.01


def more_labels(comparison: Comparison) -> Section:
    """Return the learning curve, and what it says."""
    curve = comparison.learning_curve
    if len(curve.sizes) < 2:
        return None
    drawing = _figure(learning_drawing(curve, comparison.measure))
    return "more-labels", "Would more labels help?", f"<p>{_outlook(comparison)}</p>{drawing}"


def _outlook(comparison: Comparison) -> str:
    curve, measure = comparison.learning_curve, comparison.measure
    now, name = curve.scores[-1], f"<b>{escape(comparison.best.name)}</b>"
    if now >= 1:
        return f"{name} makes no mistake here: on these documents there is nothing left to gain."
    if curve.at_double is None or curve.interval is None:
        return "There are too few points to say where the curve is heading."
    low, high = (100 * (each - now) for each in curve.interval)
    gain = 100 * (curve.at_double - now)
    return (
        f"Having learned {curve.sizes[-1]:,} documents, {name} has {measure} {now:.1%} on "
        f"{curve.n_judged:,} others. Twice as many may bring about <b>{curve.at_double:.1%}</b>, "
        f"a gain of {gain:.1f} points, if the error goes on falling as it did over the last three "
        f"points. That is a guess: judged by other documents it might be anything from "
        f"{max(low, 0):.1f} to {max(high, 0):.1f} points (95% interval), and new labels are taken "
        "to be as good as those there are."
    )


def vocabulary(comparison: Comparison) -> Section:
    """Return the vocabulary curve, and what it says."""
    curve = comparison.vocabulary_curve
    if curve is None:
        return None
    said = f"<p>{_enough(curve)}</p>"
    return "words", "How many words are needed?", said + _figure(curve.figure())


def _enough(curve: VocabularyCurve) -> str:
    best = curve.best
    near = (
        (size, line.score)
        for at, size in enumerate(curve.sizes)
        for line in curve.lines
        if line.errors[at] <= best.error + _NEARLY
    )
    size, score = next(near)
    said = (
        f"Naive Bayes does best with <b>{best.n_terms:,}</b> of {curve.sizes[-1]:,} terms, chosen "
        f"by {escape(best.score)}: {escape(curve.measure)} {best.error:.1%}."
    )
    if size < best.n_terms:
        said += (
            f" <b>{size:,}</b> terms ({escape(score)}) are enough to come within a point of that: "
            "a model of so many is smaller and quicker."
        )
    return said


def reliability(comparison: Comparison) -> Section:
    """Return the reliability diagram, and what it says."""
    curve = comparison.evaluation.reliability
    if curve is None:
        return None
    drawing = _figure(reliability_diagram(curve))
    return "probabilities", "Can probabilities be trusted?", f"<p>{_trust(curve)}</p>{drawing}"


def _trust(curve: ReliabilityCurve) -> str:
    n, sure = curve.count.sum(), curve.low >= _SURE - 1e-9
    said, right = (
        float((values * curve.count).sum() / n) for values in (curve.confidence, curve.accuracy)
    )
    manner = "too sure of itself" if said > right else "more often right than it says"
    words = (
        f"The best learner says {said:.1%} of its first choice on average, and {right:.1%} of them "
        f"are right"
        + (
            f": it is {manner}. "
            if abs(said - right) >= _NEARLY
            else ": it is about as sure as it should be. "
        )
        + f"Bin by bin, probabilities are off by <b>{curve.error:.1%}</b>. "
    )
    if sure.any():
        least, n_sure = float(curve.low[sure].min()), int(curve.count[sure].sum())
        hits = float((curve.accuracy * curve.count)[sure].sum() / n_sure)
        words += (
            f"Where it is {least:.0%} sure or more ({n_sure / n:.0%} of the documents) it is right "
            f"in {hits:.1%} of cases: others could be left to people."
        )
    return words


def _figure(drawing: str) -> str:
    """Return a drawing in the colours of the page.

    The style of a drawing would count for the whole page, and for all other drawings.
    """
    return f'<figure class="drawing" tabindex="0">{_STYLE.sub("", drawing)}</figure>'
