"""The HTML report of a comparison: one self-contained page."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from tallytext.comparison.charts import (
    MAX_MATRIX_CLASSES,
    IntervalAxis,
    confusion_table,
    draw_interval,
    draw_learning_curve,
    html_table,
)
from tallytext.comparison.comparison import SIGN_LEGEND, format_difference, format_measures
from tallytext.comparison.cross_validation import format_seconds
from tallytext.evaluation.reliability import reliability_diagram
from tallytext.io.html import html_page

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison, LearnerResult
    from tallytext.comparison.suspects import Suspect
    from tallytext.decision.explanation import Explanation
    from tallytext.evaluation.reliability import ReliabilityCurve
    from tallytext.tuning.curves import VocabularyCurve

# The identifier, the title and the HTML of a section; None if it has nothing to show.
Section = tuple[str, str, str] | None

_MAX_LISTED_CLASSES = 200
_HIGH_CONFIDENCE = 0.8
# Differences below one percentage point are not mentioned.
_NEGLIGIBLE = 0.01
_EXCERPT_LENGTH, _MAX_EXPLAINED_LENGTH = 600, 4_000
_STYLE_ELEMENT = re.compile(r"<style>.*?</style>\s*", re.DOTALL)

# Characters that HTML forbids, though texts may have them: control characters and surrogates.
_CONTROLS = [*range(9), 11, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000)]
_FORBIDDEN_CHARACTERS = dict.fromkeys([*_CONTROLS, 0xFFFE, 0xFFFF], "\ufffd")


def html_report(comparison: Comparison) -> str:
    """Return the page of a comparison."""
    found = (
        _summary(comparison),
        _learners(comparison),
        _confusions(comparison),
        _classes(comparison),
        _learning_curve(comparison),
        _vocabulary(comparison),
        _reliability(comparison),
        _suspects(comparison),
        _near_duplicates(comparison),
    )
    sections = [section for section in found if section]
    links = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title, _ in sections)
    body = "\n".join(
        f'<section id="{name}" aria-labelledby="h-{name}"><h2 id="h-{name}">{title}</h2>'
        f"{content}</section>"
        for name, title, content in sections
    )
    report = comparison.best.report
    n_documents = len(comparison.documents.labels)
    data = f"{n_documents:,} documents, {0 if report is None else len(report.classes):,} classes"
    data += ", multi-label" * comparison.documents.multi_label
    page = html_page(
        "Comparison of learners",
        f'<header><h1>Comparison of learners</h1><p class="note">{data}</p></header>'
        f'<nav aria-label="Contents"><ol>{links}</ol></nav>\n<main>{body}</main>',
        _STYLE,
    )
    # Once for the whole page, because texts, labels and terms come from many places.
    return page.translate(_FORBIDDEN_CHARACTERS)


def _summary(comparison: Comparison) -> Section:
    """Return the best learner, learners that are as good, and warnings."""
    best = comparison.best
    assert best.interval is not None and best.report is not None
    low, high = best.interval
    fewer = f" ({best.remark(len(comparison.splits))})" * (best.n_folds < len(comparison.splits))
    lead = (
        f'<p class="lead"><b>{escape(best.name)}</b> is the best learner: {comparison.measure} '
        f"<b>{best.score:.1%}</b> (95% interval {low:.1%} to {high:.1%}) on "
        f"{best.report.n_documents:,} documents, by {comparison.splits.description}{fewer}.</p>"
    )
    warnings = "".join(
        f'<p class="warning">{escape(each[0].upper() + each[1:])}</p>'
        for each in comparison.warnings
    )
    others = f"<p>{_significance(comparison)}{_block_scores(comparison)}</p>"
    return "summary", "Summary", lead + others + warnings


def _significance(comparison: Comparison) -> str:
    """Name the learners that are not significantly different from the best."""
    others = [each for each in comparison.results[1:] if each.report is not None]
    equal = [each for each in others if each.as_good]
    if not others:
        return "No other learner was evaluated."
    if not equal:
        return "It is significantly better than each of the others."
    names = ", ".join(f"<b>{escape(each.name)}</b>" for each in equal)
    fastest = min((comparison.best, *equal), key=lambda each: each.fit_seconds)
    return (
        f"Not significantly different, so the order may be due to chance: {names}. "
        f"Of these, <b>{escape(fastest.name)}</b> learns fastest."
    )


def _block_scores(comparison: Comparison) -> str:
    if comparison.splits.method != "time":
        return ""
    scores = ", ".join(f"{score:.1%}" for score in reversed(comparison.best.fold_scores))
    return (
        f" From the earliest block to the latest its {comparison.measure} is {scores}: the "
        "interval is for documents of these times, and later ones may differ."
    )


def _learners(comparison: Comparison) -> Section:
    """Return the table of learners."""
    known = [each.interval for each in comparison.results if each.interval is not None]
    axis, n_folds = IntervalAxis.from_intervals(known), len(comparison.splits)
    measures = comparison.other_measures
    names = (comparison.measure, axis.draw(), "95% interval", "vs. best", *measures)
    heads = ["learner", *names, "fit", "predict", "memory"]
    band = comparison.best.interval or (0.0, 1.0)
    rows = [_learner_row(each, axis, band, n_folds, measures) for each in comparison.results]
    table = html_table("Learners", heads, rows, "plain learners")
    return "learners", "Learners", table + _learner_notes(comparison)


def _learner_row(
    each: LearnerResult,
    axis: IntervalAxis,
    band: tuple[float, float],
    n_folds: int,
    other_measures: dict[str, str],
) -> list[str]:
    remark = f'<span class="remark">{escape(each.remark(n_folds))}</span>'
    name = f"{escape(each.name)} {remark}<small>{escape(each.summary)}</small>"
    if each.report is None or each.interval is None or each.score is None:
        return [name, *[""] * (7 + len(other_measures))]
    return [
        name,
        f"<b>{each.score:.4f}</b>",
        draw_interval(axis, each.score, each.interval, band),
        f"{each.interval[0]:.3f} – {each.interval[1]:.3f}",
        format_difference(each) or "best",
        *format_measures(each.report, other_measures.values()),
        format_seconds(each.fit_seconds),
        format_seconds(each.predict_seconds),
        "" if each.megabytes is None else f"{each.megabytes:,.0f} MB",
    ]


def _learner_notes(comparison: Comparison) -> str:
    n_folds = len(comparison.splits)
    fewer = any(0 < each.n_folds < n_folds for each in comparison.results)
    notes = [
        f"“vs. best” is the difference from the best on the same documents; {SIGN_LEGEND}.",
        "The band is the interval of the best.",
        "Learners with fewer folds are compared with the best on these folds only." * fewer,
        "Times are for one fold (medians): fitting from text with calibration, and predicting; "
        "memory is the peak without the texts.",
        "Intervals allow for similar documents within a group."
        * (comparison.splits.method == "groups"),
    ]
    return f'<p class="note">{" ".join(note for note in notes if note)}</p>'


def _confusions(comparison: Comparison) -> Section:
    """Return the confusion matrix, or the most frequent confusions of many classes."""
    report = comparison.best.report
    assert report is not None
    multi_label = comparison.documents.multi_label
    if len(report.classes) <= MAX_MATRIX_CLASSES and not multi_label:
        about = (
            "<p>A row for each true label, a column for each label that the best learner predicts "
            "for documents it was not trained on. Blue is right, orange is wrong; the darker a "
            "cell, the larger its share of the row. Classes that are often confused are next to "
            "each other: define them more clearly, or merge them.</p>"
        )
        return "mistakes", "Confusions", about + confusion_table(comparison.evaluation)
    if not report.confusions:
        return None
    rows = [
        [escape(str(each.truth)), escape(str(each.predicted)), f"{each.n_documents:,}"]
        for each in report.confusions
    ]
    only = ", among documents with one label and one predicted label" * multi_label
    about = f"<p>The most frequent confusions of the best learner{only}.</p>"
    heads = ["true label", "predicted label", "documents"]
    return "mistakes", "Confusions", about + html_table("Confusions", heads, rows, "plain named")


def _classes(comparison: Comparison) -> Section:
    """Return precision, recall, F1 and typical terms of each class."""
    report = comparison.best.report
    assert report is not None
    rows = [
        [
            escape(str(each.label)),
            f"{each.support:,}",
            f"{each.precision:.3f}",
            f"{each.recall:.3f}",
            f"{each.f1:.3f}",
            f'<span class="terms">{_terms(comparison.terms.get(each.label, []))}</span>',
        ]
        for each in report.classes[:_MAX_LISTED_CLASSES]
    ]
    heads = ["class", "documents", "precision", "recall", "F1", "typical terms"]
    left = len(report.classes) - _MAX_LISTED_CLASSES
    more = f"<p>And {left:,} smaller classes.</p>" if left > 0 else ""
    about = (
        "<p>Precision: the share of documents with this predicted label that have it. Recall: the "
        "share of documents with this label that were predicted to have it. Terms that show the "
        "origin of documents instead of their topic (names, signatures, markup) will be missing in "
        "new documents.</p>"
    )
    return "classes", "Classes", about + html_table("Classes", heads, rows, "plain classes") + more


def _terms(terms: list[str]) -> str:
    # The element bdi isolates each term, so that right-to-left scripts do not reorder others.
    return " ".join(f"<bdi>{escape(term)}</bdi>" for term in terms)


def _learning_curve(comparison: Comparison) -> Section:
    """Return the learning curve, with a sentence about its extrapolation."""
    curve = comparison.learning_curve
    if len(curve.sizes) < 2:
        return None
    drawing = _figure(draw_learning_curve(curve, comparison.measure))
    about = f"<p>{_describe_extrapolation(comparison)}</p>"
    return "more-labels", "Would more labels help?", about + drawing


def _describe_extrapolation(comparison: Comparison) -> str:
    curve, measure = comparison.learning_curve, comparison.measure
    now, name = curve.scores[-1], f"<b>{escape(comparison.best.name)}</b>"
    if now >= 1:
        return f"{name} makes no error on these documents: there is nothing left to gain."
    if curve.at_double is None or curve.interval is None:
        return "There are too few points to extrapolate the curve."
    low, high = (100 * (each - now) for each in curve.interval)
    gain = 100 * (curve.at_double - now)
    return (
        f"Trained on {curve.sizes[-1]:,} documents, {name} has {measure} {now:.1%} on "
        f"{curve.n_evaluated:,} others. Twice as many may give about "
        f"<b>{curve.at_double:.1%}</b>, a gain of {gain:.1f} points, if the error continues to "
        f"fall as it did over the last three points. On other test documents the gain might be "
        f"from {max(low, 0):.1f} to {max(high, 0):.1f} points (95% interval). This assumes that "
        "new labels are as reliable as the present ones."
    )


def _vocabulary(comparison: Comparison) -> Section:
    """Return the vocabulary curve, with a sentence about the best number of terms."""
    curve = comparison.vocabulary_curve
    if curve is None:
        return None
    about = f"<p>{_describe_vocabulary(curve)}</p>"
    return "words", "How many words are needed?", about + _figure(curve.figure())


def _describe_vocabulary(curve: VocabularyCurve) -> str:
    best = curve.best
    size, score = next(
        (size, line.score)
        for at, size in enumerate(curve.sizes)
        for line in curve.lines
        if line.errors[at] <= best.error + _NEGLIGIBLE
    )
    words = (
        f"Naive Bayes is best with <b>{best.n_terms:,}</b> of {curve.sizes[-1]:,} terms, selected "
        f"by {escape(best.score)}: {escape(curve.measure)} {best.error:.1%}."
    )
    if size < best.n_terms:
        words += (
            f" <b>{size:,}</b> terms ({escape(score)}) are enough to come within one percentage "
            "point of that, and make a model smaller and faster."
        )
    return words


def _reliability(comparison: Comparison) -> Section:
    """Return the reliability diagram, with sentences about the calibration."""
    curve = comparison.evaluation.reliability
    if curve is None:
        return None
    about, drawing = f"<p>{_describe_calibration(curve)}</p>", _figure(reliability_diagram(curve))
    return "probabilities", "Can probabilities be trusted?", about + drawing


def _describe_calibration(curve: ReliabilityCurve) -> str:
    # 1e-9: the edge of a bin, computed as a fraction, may be slightly below 0.8.
    n, high = curve.count.sum(), curve.low >= _HIGH_CONFIDENCE - 1e-9
    confidence, accuracy = (
        float((values * curve.count).sum() / n) for values in (curve.confidence, curve.accuracy)
    )
    if abs(confidence - accuracy) < _NEGLIGIBLE:
        tendency = "probabilities are well calibrated on average"
    else:
        tendency = f"the learner is {'over' if confidence > accuracy else 'under'}confident"
    words = (
        f"The most likely label has a probability of {confidence:.1%} on average, and it is right "
        f"for {accuracy:.1%} of the documents: {tendency}. "
        f"Bin by bin, probabilities are off by <b>{curve.error:.1%}</b>. "
    )
    if high.any():
        least, n_high = float(curve.low[high].min()), int(curve.count[high].sum())
        hits = float((curve.accuracy * curve.count)[high].sum() / n_high)
        words += (
            f"Predictions with a probability of {least:.0%} or more ({n_high / n:.0%} of the "
            f"documents) are right in {hits:.1%} of cases: people could check the others."
        )
    return words


def _figure(drawing: str) -> str:
    """Return a drawing for the page, without its own style sheet.

    The rules of a style element in a drawing would apply to the whole page.
    """
    return f'<figure class="drawing" tabindex="0">{_STYLE_ELEMENT.sub("", drawing)}</figure>'


def _suspects(comparison: Comparison) -> Section:
    """Return documents whose label is probably wrong, with the evidence."""
    if not comparison.suspects:
        return None
    green, red = '<span class="for">green</span>', '<span class="against">red</span>'
    if comparison.documents.multi_label:
        colours = f"Words on {green} are evidence for the label in doubt, words on {red} against it"
    else:
        colours = (
            f"Words on {green} are evidence for another label, words on {red} for the present one; "
            "probabilities are in parentheses"
        )
    about = (
        "<p>Models that were not trained on these documents find their labels least probable. "
        f"{colours}. Documents are counted from 0, in the order of the input.</p>"
    )
    texts = comparison.documents.texts
    shown = "".join(
        _suspect(each, texts[each.row], at == 0) for at, each in enumerate(comparison.suspects)
    )
    return "suspects", "Labels that are probably wrong", about + shown


def _suspect(each: Suspect, text: str, is_open: bool) -> str:
    evidence = _excerpt(text) if each.evidence is None else _explanation(each.evidence)
    head = f"document {each.row:,}: {_describe_suspect(each)}"
    return f"<details{' open' * is_open}><summary>{head}</summary>{evidence}</details>"


def _describe_suspect(each: Suspect) -> str:
    label, likelier = (f"<b>{escape(str(name))}</b>" for name in (each.label, each.likelier))
    if each.likelier is None:
        return f"labelled {label}, which has a probability of {each.label_probability:.1%}"
    if each.label is None:
        return f"not labelled {likelier}, which has a probability of {each.probability:.1%}"
    return (
        f"labelled {label} ({each.label_probability:.1%}), more likely {likelier} "
        f"({each.probability:.1%})"
    )


def _explanation(explanation: Explanation) -> str:
    length = len(explanation.text or "")
    if length <= _MAX_EXPLAINED_LENGTH:
        return explanation.to_html()
    note = f'<p class="note">The first {_MAX_EXPLAINED_LENGTH:,} of {length:,} characters.</p>'
    return truncate_explanation(explanation, _MAX_EXPLAINED_LENGTH).to_html() + note


def truncate_explanation(explanation: Explanation, length: int) -> Explanation:
    """Return an explanation of the first characters of its text.

    Examples
    --------
    >>> from tallytext.decision import Contribution, Explanation
    >>> wave = Contribution("wave", 2, 1.0, spans=((0, 4), (9, 13)))
    >>> explanation = Explanation("a", "b", 1, 0, 1, 0, (wave,), text="wave and wave")
    >>> short = truncate_explanation(explanation, 7)
    >>> short.text, short.contributions[0].spans
    ('wave an…', ((0, 4),))
    """
    contributions = tuple(
        replace(each, spans=tuple(span for span in each.spans if span[1] <= length))
        for each in explanation.contributions
    )
    text = f"{(explanation.text or '')[:length]}…"
    return replace(explanation, contributions=contributions, text=text)


def _near_duplicates(comparison: Comparison) -> Section:
    """Return the number of near duplicates, their effect on the score, and examples."""
    found, documents = comparison.near_duplicates, comparison.documents
    if not found.n_checked:
        return None
    effect = ""
    if found.n_duplicates and found.score is not None and found.score_without is not None:
        effect = (
            f" The best learner has {comparison.measure} {found.score:.1%} on all checked "
            f"documents, and {found.score_without:.1%} on those without a near duplicate."
        )
    about = (
        f"<p>Of {found.n_checked:,} test documents that were checked, {found.n_duplicates:,} "
        f"({found.share:.1%}) have a near duplicate among the training documents (a cosine of "
        "weighted words of 0.9 or more). If there are many, scores measure memorization instead "
        f"of learning.{effect}</p>"
    )
    pairs = [
        f"<details><summary>documents {row:,} ({_label(documents.labels[row])}) and {other:,} "
        f"({_label(documents.labels[other])}): similarity {cosine:.2f}</summary>"
        f"{_excerpt(documents.texts[row])}{_excerpt(documents.texts[other])}</details>"
        for row, other, cosine in found.examples
    ]
    return "duplicates", "Near duplicates", about + "".join(pairs)


def _label(label: Any) -> str:
    return escape(", ".join(map(str, label)) if isinstance(label, list | tuple) else str(label))


def _excerpt(text: str) -> str:
    return f"<pre>{escape(text[:_EXCERPT_LENGTH])}{'…' * (len(text) > _EXCERPT_LENGTH)}</pre>"


# The style sheet: for light and dark screens, and for paper. The classes of drawings are those of
# tallytext.io.svg and of its users; here they have the colours of the page.

_GROUND = """
:root { --ground: #fff; --ink: #1c2430; --quiet: #59626f; --rule: #dfe4ec; --link: #1f6fb2;
  --line: #0072b2; --ahead: #c75600; --band: rgba(0,114,178,0.12); --pale: #9dbce6;
  --raised: #f6f8fb }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181f; --ink: #e6e9ee; --quiet: #9aa4b2; --rule: #2e3643; --link: #6cb1ee;
    --line: #56a8e0; --ahead: #f0883e; --band: rgba(86,168,224,0.17); --pale: #2f5582;
    --raised: #1b212a }
}
* { box-sizing: border-box }
html { scroll-behavior: smooth; scroll-padding-top: 1rem }
body { font: 15px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  color: var(--ink); background: var(--ground); max-width: 66rem; margin: 0 auto;
  padding: 2rem 1.5rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; letter-spacing: -0.01em }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 0.6rem }
p { max-width: 46rem; margin: 0 0 0.9rem }
a { color: var(--link); text-decoration: none }
a:hover, a:focus { text-decoration: underline }
header { margin-bottom: 1rem } header .note { margin: 0.3rem 0 0 }
section { border-top: 1px solid var(--rule); padding-top: 1.6rem; margin-top: 2rem }
main > section:first-child { border: 0; padding-top: 0.4rem; margin-top: 0 }
nav ol { list-style: none; margin: 0 0 1.4rem; padding: 0; display: flex; flex-wrap: wrap;
  gap: 0.2rem 1.2rem; font-size: 0.93em }
.lead { font-size: 1.2em; line-height: 1.5 }
.note, small { color: var(--quiet); font-size: 0.87em }
.warning { border-left: 4px solid var(--ahead); border-radius: 0 6px 6px 0;
  padding: 0.6em 1em; background: var(--raised) }
@media (min-width: 84rem) {
  body { max-width: 82rem; display: grid; grid-template-columns: 13rem minmax(0, 1fr);
    column-gap: 3rem }
  header { grid-column: 2 }
  nav { position: sticky; top: 2rem; align-self: start; grid-row: 2 }
  nav ol { flex-direction: column; gap: 0.5rem }
  main { grid-column: 2 }
}
"""

_TABLES = """
.wide { overflow-x: auto; margin: 0 0 1rem }
table { border-collapse: collapse }
.plain th, .plain td { padding: 0.3rem 1.1rem 0.3rem 0; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--rule); font-variant-numeric: tabular-nums }
.plain thead th { color: var(--quiet); font-weight: 500; font-size: 0.87em; vertical-align: bottom }
.plain tbody th { font-weight: 500 }
.plain tr > :first-child, .named td:nth-child(2), .named th:nth-child(2),
.classes td:last-child, .classes th:last-child { text-align: left }
.plain tbody tr:hover { background: var(--raised) }
.learners { font-size: 0.93em } .learners th:first-child { min-width: 14rem }
.learners small { display: block; white-space: normal; font-weight: 400; line-height: 1.35 }
.learners tbody tr:first-child { background: var(--band) }
.learners .remark { color: var(--ahead); font-weight: 400; white-space: normal; font-size: 0.87em }
.classes .terms { color: var(--quiet); white-space: normal; display: block; min-width: 16rem;
  font-size: 0.93em }
.whiskers { display: block } .whiskers text { font-size: 11px; fill: var(--quiet) }
.whiskers .rule { stroke: var(--quiet) } .whiskers .band { fill: var(--band) }
.whiskers .whisker { fill: none; stroke: var(--line); stroke-width: 1.5 }
.whiskers .score { fill: var(--line); stroke: var(--ground) }
.map { font-size: 11.5px; font-variant-numeric: tabular-nums }
.map td { min-width: 2.6em; height: 2.1em; padding: 0 2px; text-align: center;
  border: 1px solid var(--rule) }
.map th { font-weight: 400; text-align: right; padding: 0 8px 0 0; white-space: nowrap }
.map tbody th { position: sticky; left: 0; background: var(--ground) }
.map tbody tr:hover th, .map tbody tr:hover td {
  box-shadow: inset 0 1px var(--quiet), inset 0 -1px var(--quiet) }
.map .corner { border: 0; vertical-align: bottom; color: var(--quiet); font-weight: 500 }
.map .over { text-align: center; color: var(--quiet); font-weight: 500; padding-bottom: 0.5em }
.map .up { vertical-align: bottom; text-align: left; padding: 0 0 6px }
.map .up span { writing-mode: vertical-rl; transform: rotate(180deg); display: inline-block }
"""

_DRAWINGS = """
.drawing { margin: 0; overflow-x: auto }
.drawing svg { display: block; max-width: 100%; min-width: 26rem; height: auto }
.drawing text { fill: var(--ink); font-family: inherit }
.drawing .paper { fill: none } .drawing .grid { stroke: var(--rule) }
.drawing .frame { fill: none; stroke: var(--quiet) }
.drawing .tick, .drawing .side, .drawing .count, .drawing .note { fill: var(--quiet);
  font-size: 11px }
.drawing .tick, .drawing .name, .drawing .count { text-anchor: middle }
.drawing .side { text-anchor: end } .drawing .count { font-size: 9px }
.drawing .name { font-size: 13px } .drawing .entry, .drawing .note { font-size: 12px }
.drawing .head { font-weight: 600 }
.drawing .line { fill: none; stroke-width: 2; stroke-linejoin: round }
.drawing .dot { stroke: var(--ground) }
.drawing .learned { stroke: var(--line) } .drawing .point { fill: var(--line) }
.drawing .ahead { fill: none; stroke: var(--ahead); stroke-width: 2; stroke-dasharray: 6 4 }
.drawing .unsure { fill: none; stroke: var(--ahead); stroke-width: 1.5 }
.drawing .guess { fill: var(--ahead) }
.drawing .bar { fill: var(--pale); stroke: var(--line) }
.drawing .gap { fill: none; stroke: var(--ahead); stroke-width: 2 }
.drawing .mean { fill: var(--ahead) }
.drawing .ideal { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4 }
"""

_DOCUMENTS = """
details { border-bottom: 1px solid var(--rule); padding: 0.5rem 0 }
summary { cursor: pointer; overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--rule);
  padding: 0.7rem; border-radius: 6px; font-size: 0.87em; margin: 0.6rem 0 }
.for { background-color: rgba(46,160,67,0.35); border-radius: 3px; padding: 1px 3px }
.against { background-color: rgba(248,81,73,0.35); border-radius: 3px; padding: 1px 3px }
.tallytext-explanation > div:nth-child(2) { max-height: 22em; overflow: auto }
.tallytext-explanation { overflow-x: auto }
"""

_PRINT = """
@media print {
  :root { --ground: #fff; --ink: #000; --quiet: #444; --rule: #ccc; --line: #0072b2;
    --ahead: #c75600; --pale: #9dbce6; --band: rgba(0,114,178,0.12); --raised: #f6f8fb }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  body { display: block; max-width: none; padding: 0; font-size: 10pt }
  nav { display: none }
  .wide, .drawing { overflow: visible } .learners, .map { font-size: 7.5pt }
  .drawing svg { min-width: 0; max-width: 16cm }
  figure, tr, .map, .warning { break-inside: avoid } h2 { break-after: avoid }
  details::details-content { content-visibility: visible; height: auto }
  .tallytext-explanation > div:nth-child(2) { max-height: none }
}
"""

_STYLE = _GROUND + _TABLES + _DRAWINGS + _DOCUMENTS + _PRINT
