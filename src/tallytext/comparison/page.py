"""A comparison as one page of HTML that needs nothing else."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from tallytext.comparison.drawings import (
    MOST_CLASSES,
    STYLE,
    Axis,
    confusion_map,
    learning_drawing,
    table,
    whisker,
)
from tallytext.comparison.result import CHANCE, megabytes, seconds, to_best
from tallytext.evaluation.reliability import reliability_diagram
from tallytext.io.html import whole_page

if TYPE_CHECKING:
    from tallytext.comparison.result import Comparison, Contender
    from tallytext.comparison.suspects import Suspect
    from tallytext.decision.explanation import Explanation
    from tallytext.evaluation.reliability import ReliabilityCurve
    from tallytext.tuning.curves import VocabularyCurve


# ------------------------------------------------------------------------------------------------
# Sections of the page about classes: what is taken for what, and how good each is told.

_MOST_LISTED = 200
_TITLE = "What is taken for what"


def mistakes(comparison: Comparison) -> Section:
    """Return the map of classes, or a list of what is mistaken most often."""
    report = comparison.best.report
    assert report is not None
    if len(report.classes) <= MOST_CLASSES and not comparison.documents.multi_label:
        about = (
            "<p>A row for each label given, a column for what the best learner says of documents "
            "that it has not learned: blue is right, orange is wrong, and the darker a cell the "
            "larger its share of the row. Classes that are taken for each other stand side by "
            "side: they may need clearer borders, or to be one.</p>"
        )
        return "mistakes", _TITLE, about + confusion_map(comparison.evaluation)
    if not report.confusions:
        return None
    rows = [
        [escape(str(each.truth)), escape(str(each.predicted)), f"{each.n_documents:,}"]
        for each in report.confusions
    ]
    only = (
        ", among documents that have one label and were given one"
        * comparison.documents.multi_label
    )
    about = f"<p>The most frequent mistakes of the best learner{only}.</p>"
    heads = ["label given", "taken for", "documents"]
    return "mistakes", _TITLE, about + table("Mistakes", heads, rows, "plain named")


def classes(comparison: Comparison) -> Section:
    """Return precision, recall, F1 and the most telling terms of each class."""
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
        for each in report.classes[:_MOST_LISTED]
    ]
    heads = ["class", "documents", "precision", "recall", "F1", "most telling terms"]
    left = len(report.classes) - _MOST_LISTED
    more = f"<p>And {left:,} smaller classes.</p>" if left > 0 else ""
    about = (
        "<p>Precision: of the documents given the label by the best learner, the share that has "
        "it. Recall: of the documents that have it, the share that was given it. Terms that tell "
        "of the origin of documents rather than of their topic (names, signatures, markup) will "
        "not be there in new documents.</p>"
    )
    return "classes", "Classes", about + table("Classes", heads, rows, "plain classes") + more


def _terms(terms: list[str]) -> str:
    return " ".join(f"<bdi>{escape(term)}</bdi>" for term in terms)


# ------------------------------------------------------------------------------------------------
# Sections of the page with drawings: more labels, fewer words, and probabilities.

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


# ------------------------------------------------------------------------------------------------
# Sections of the page about documents: labels that may be wrong, and near duplicates.

_EXCERPT, _LONGEST = 600, 4_000
_GREEN, _RED = '<span class="for">green</span>', '<span class="against">red</span>'
_FOR_OTHER = (
    f"Words on {_GREEN} speak for another label, words on {_RED} for the one given; "
    "probabilities are in parentheses."
)
_FOR_ONE = f"Words on {_GREEN} speak for the label in doubt, words on {_RED} against it."


def suspects(comparison: Comparison) -> Section:
    """Return documents whose label may be wrong, with the evidence."""
    if not comparison.suspects:
        return None
    colours = _FOR_ONE if comparison.documents.multi_label else _FOR_OTHER
    about = (
        f"<p>Models that have not seen these documents are most sure that their label is wrong. "
        f"{colours} Documents are counted from 0, in the order in which they were read.</p>"
    )
    texts = comparison.documents.texts
    shown = "".join(
        _suspect(each, texts[each.row], at == 0) for at, each in enumerate(comparison.suspects)
    )
    return "suspects", "Labels that are most likely wrong", about + shown


def _suspect(each: Suspect, text: str, is_open: bool) -> str:
    evidence = _excerpt(text) if each.evidence is None else _evidence(each.evidence)
    head = f"document {each.row:,}: {_doubt(each)}"
    return f"<details{' open' * is_open}><summary>{head}</summary>{evidence}</details>"


def _doubt(each: Suspect) -> str:
    label, likelier = (f"<b>{escape(str(name))}</b>" for name in (each.label, each.likelier))
    if each.likelier is None:
        return f"labelled {label}, which has a probability of {each.label_probability:.1%}"
    if each.label is None:
        return f"not labelled {likelier}, which has a probability of {each.probability:.1%}"
    return (
        f"labelled {label} ({each.label_probability:.1%}), more likely {likelier} "
        f"({each.probability:.1%})"
    )


def _evidence(found: Explanation) -> str:
    text = found.text or ""
    if len(text) <= _LONGEST:
        return found.to_html()
    note = f'<p class="note">The first {_LONGEST:,} of {len(text):,} characters.</p>'
    return shortened(found, _LONGEST).to_html() + note


def shortened(found: Explanation, length: int) -> Explanation:
    """Return an explanation whose text ends after so many characters.

    Examples
    --------
    >>> from tallytext.decision import Contribution, Explanation
    >>> wave = Contribution("wave", 2, 1.0, spans=((0, 4), (9, 13)))
    >>> short = shortened(Explanation("a", "b", 1, 0, 1, 0, (wave,), text="wave and wave"), 7)
    >>> short.text, short.contributions[0].spans
    ('wave an…', ((0, 4),))
    """
    cut = tuple(
        replace(each, spans=tuple(span for span in each.spans if span[1] <= length))
        for each in found.contributions
    )
    return replace(found, contributions=cut, text=f"{(found.text or '')[:length]}…")


def duplicates(comparison: Comparison) -> Section:
    """Return how many documents are nearly the same, and some of them."""
    found, documents = comparison.near_duplicates, comparison.documents
    if not found.n_asked:
        return None
    if found.n_crossing and found.score is not None and found.score_without is not None:
        apart = (
            f" The best learner has {comparison.measure} {found.score:.1%} on all that were looked "
            f"at, and {found.score_without:.1%} on those that have none."
        )
    else:
        apart = ""
    said = (
        f"<p>Of {found.n_asked:,} judged documents, {found.n_crossing:,} ({found.share:.1%}) "
        "have a near duplicate among those learned (cosine of weighted words 0.9 or more). Where "
        f"these are many, scores are those of remembering rather than of learning.{apart}</p>"
    )
    pairs = [
        f"<details><summary>documents {row:,} ({_label(documents.labels[row])}) and {other:,} "
        f"({_label(documents.labels[other])}): similarity {cosine:.2f}</summary>"
        f"{_excerpt(documents.texts[row])}{_excerpt(documents.texts[other])}</details>"
        for row, other, cosine in found.examples
    ]
    return "duplicates", "Near duplicates", said + "".join(pairs)


def _label(label: Any) -> str:
    return escape(", ".join(map(str, label)) if isinstance(label, list | tuple) else str(label))


def _excerpt(text: str) -> str:
    return f"<pre>{escape(text[:_EXCERPT])}{'…' * (len(text) > _EXCERPT)}</pre>"


# ------------------------------------------------------------------------------------------------
# Sections of the page about learners: what was found, and the table of them.

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


# Text may hold what a page may not: NUL, other control characters, halves of characters.
_CONTROLS = [*range(9), 11, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000)]
_NO_CHARACTERS = dict.fromkeys([*_CONTROLS, 0xFFFE, 0xFFFF], "\ufffd")

_SECTIONS = (
    summary,
    learners,
    mistakes,
    classes,
    more_labels,
    vocabulary,
    reliability,
    suspects,
    duplicates,
)


def page_of(comparison: Comparison) -> str:
    """Return the page."""
    sections = [section for make in _SECTIONS if (section := make(comparison))]
    links = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title, _ in sections)
    body = "\n".join(
        f'<section id="{name}" aria-labelledby="h-{name}"><h2 id="h-{name}">{title}</h2>'
        f"{inside}</section>"
        for name, title, inside in sections
    )
    page = whole_page(
        "Learners compared",
        f'<header><h1>Learners compared</h1><p class="note">{_data(comparison)}</p></header>'
        f'<nav aria-label="Contents"><ol>{links}</ol></nav>\n<main>{body}</main>',
        STYLE,
    )
    return page.translate(_NO_CHARACTERS)


def _data(comparison: Comparison) -> str:
    report = comparison.best.report
    n_classes = 0 if report is None else len(report.classes)
    some = ", several for some documents" * comparison.documents.multi_label
    return f"{len(comparison.documents.labels):,} documents, {n_classes:,} classes{some}"
