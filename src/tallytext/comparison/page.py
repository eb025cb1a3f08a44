"""A comparison as one page of HTML that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tallytext.comparison.confusion_map import MOST_CLASSES, confusion_map
from tallytext.comparison.drawings import learning_drawing
from tallytext.comparison.style import STYLE
from tallytext.comparison.terminal import megabytes, seconds
from tallytext.evaluation import reliability_diagram

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison
    from tallytext.comparison.contender import Contender
    from tallytext.comparison.suspects import Suspect

_NO_CHARACTERS = dict.fromkeys([0, *range(0xD800, 0xE000)], "\ufffd")
_MOST_CLASSES_LISTED = 200
_EXCERPT = 600


def page_of(comparison: Comparison) -> str:
    """Return the page."""
    sections = [section for make in _SECTIONS if (section := make(comparison))]
    links = "".join(f'<a href="#{name}">{title}</a>' for name, title, _ in sections)
    body = "".join(
        f'<section id="{name}"><h2>{title}</h2>{inside}</section>'
        for name, title, inside in sections
    )
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Learners compared</title><style>{STYLE}</style></head><body>"
        f"<h1>Learners compared</h1><nav>{links}</nav>{body}</body></html>\n"
    )
    return page.translate(_NO_CHARACTERS)


Section = tuple[str, str, str] | None


def _summary(comparison: Comparison) -> Section:
    best = comparison.best
    assert best.interval is not None
    low, high = best.interval
    documents, classes = comparison.documents, len(best.report.classes if best.report else ())
    warning = comparison.near_duplicates.warning
    said = (
        f"<p class=lead>On {len(documents.labels):,} documents of {classes:,} classes, "
        f"<b>{escape(best.name)}</b> does best: {comparison.measure} {best.score:.1%} "
        f"(95% interval {low:.1%} to {high:.1%}), by {comparison.splits.described}.</p>"
    )
    return (
        "summary",
        "Summary",
        said + (f'<p class="warning">{escape(warning)}</p>' * bool(warning)),
    )


def _learners(comparison: Comparison) -> Section:
    n_folds = len(comparison.splits)
    rows = "".join(_learner_row(each, n_folds) for each in comparison.contenders)
    heads = (comparison.measure, "", "95% interval", "macro-F1", "learn", "answer", "memory", "")
    head = "".join(f"<th>{name}</th>" for name in ("learner", *heads))
    note = (
        "<p>Times are for one fold: learning from text, and answering; memory is what the peak is "
        "above the texts themselves. Where intervals overlap widely, the order may be chance.</p>"
    )
    return "learners", "Learners", f'<table class="plain"><tr>{head}</tr>{rows}</table>{note}'


def _learner_row(each: Contender, n_folds: int) -> str:
    name = f'<td title="{escape(each.summary)}">{escape(each.name)}</td>'
    if each.report is None or each.interval is None or each.score is None:
        return f'<tr>{name}<td colspan="8">{escape(each.failure)}</td></tr>'
    bar = f'<div class="bar"><div style="width:{100 * each.score:.1f}%"></div></div>'
    judged = "" if each.n_folds == n_folds else f"{each.n_folds} of {n_folds} folds"
    cells = (
        f"{each.score:.4f}",
        bar,
        f"{each.interval[0]:.3f} to {each.interval[1]:.3f}",
        f"{each.report.macro_f1:.4f}",
        seconds(each.fit_seconds),
        seconds(each.predict_seconds),
        megabytes(each.megabytes),
        judged,
    )
    return f"<tr>{name}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _mistakes(comparison: Comparison) -> Section:
    report = comparison.best.report
    assert report is not None
    if len(report.classes) <= MOST_CLASSES and not comparison.documents.several:
        about = "<p>Rows are the labels given, columns what the best learner says.</p>"
        return "mistakes", "What is taken for what", about + confusion_map(comparison.evaluation)
    if not report.confusions:
        return None
    rows = "".join(
        f"<tr><td>{escape(str(each.truth))}</td><td>{escape(str(each.predicted))}</td>"
        f"<td>{each.n_documents:,}</td></tr>"
        for each in report.confusions
    )
    head = "<tr><th>label</th><th>taken for</th><th>documents</th></tr>"
    return "mistakes", "What is taken for what", f'<table class="plain">{head}{rows}</table>'


def _classes(comparison: Comparison) -> Section:
    report = comparison.best.report
    assert report is not None
    rows = "".join(
        f"<tr><td>{escape(str(each.label))}</td><td>{each.support:,}</td>"
        f"<td>{each.precision:.3f}</td><td>{each.recall:.3f}</td><td>{each.f1:.3f}</td>"
        f"<td class=terms>{escape(' '.join(comparison.terms.get(each.label, [])))}</td></tr>"
        for each in report.classes[:_MOST_CLASSES_LISTED]
    )
    names = ("class", "documents", "precision", "recall", "F1", "most telling terms")
    head = "".join(f"<th>{name}</th>" for name in names)
    left = len(report.classes) - _MOST_CLASSES_LISTED
    more = f"<p>And {left:,} smaller classes.</p>" if left > 0 else ""
    return "classes", "Classes", f'<table class="plain"><tr>{head}</tr>{rows}</table>{more}'


def _more_labels(comparison: Comparison) -> Section:
    curve = comparison.learning_curve
    if len(curve.sizes) < 2:
        return None
    said = f"<p>{_outlook(comparison)}</p>"
    drawing = learning_drawing(curve, comparison.measure)
    return "more-labels", "Would more labels help?", said + drawing


def _outlook(comparison: Comparison) -> str:
    curve = comparison.learning_curve
    now, ahead = curve.scores[-1], curve.at_double
    if ahead is None:
        return "There are too few points to say where the curve is heading."
    return (
        f"With {curve.sizes[-1]:,} documents {comparison.measure} is {now:.1%}; twice as many may "
        f"give {ahead:.1%}, if the error goes on falling as it did. Only the best learner, on one "
        "split: a point or two is chance."
    )


def _vocabulary(comparison: Comparison) -> Section:
    curve = comparison.vocabulary_curve
    return (
        "words",
        "How many words are needed?",
        f"<p>{escape(curve.headline)}.</p>{curve.figure()}",
    )


def _reliability(comparison: Comparison) -> Section:
    curve, report = comparison.evaluation.reliability, comparison.best.report
    if curve is None or report is None or report.calibration_error is None:
        return None
    said = (
        f"<p>On average, probabilities of the best learner are off by "
        f"{report.calibration_error:.1%}.</p>"
    )
    return "probabilities", "Can probabilities be trusted?", said + reliability_diagram(curve)


def _suspects(comparison: Comparison) -> Section:
    if not comparison.suspects:
        return None
    about = (
        "<p>Models that have not seen these documents are most sure that another label is right. "
        "Green words speak for that other label, red ones for the one given.</p>"
    )
    shown = "".join(_suspect(each) for each in comparison.suspects)
    return "suspects", "Labels that are most likely wrong", about + shown


def _suspect(each: Suspect) -> str:
    head = (
        f"document {each.row:,}: labelled <b>{escape(str(each.label))}</b> "
        f"({each.label_probability:.1%}), more likely <b>{escape(str(each.likelier))}</b> "
        f"({each.probability:.1%})"
    )
    evidence = "" if each.evidence is None else each.evidence.to_html()
    return f"<details><summary>{head}</summary>{evidence}</details>"


def _duplicates(comparison: Comparison) -> Section:
    found, texts = comparison.near_duplicates, comparison.documents.texts
    said = (
        f"<p>Of {found.n_asked:,} judged documents {found.n_crossing:,} have a near duplicate "
        "among those learned (cosine of weighted words 0.9 or more).</p>"
    )
    pairs = [
        f"<details><summary>documents {row:,} and {other:,}: {cosine:.2f}</summary>"
        f"{_excerpt(texts[row])}{_excerpt(texts[other])}</details>"
        for row, other, cosine in found.examples
    ]
    return "duplicates", "Near duplicates", said + "".join(pairs)


def _excerpt(text: str) -> str:
    return f"<pre>{escape(text[:_EXCERPT])}</pre>"


_SECTIONS = (
    _summary,
    _learners,
    _mistakes,
    _classes,
    _more_labels,
    _vocabulary,
    _reliability,
    _suspects,
    _duplicates,
)
