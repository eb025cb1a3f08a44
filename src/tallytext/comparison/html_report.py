"""The HTML report of a comparison: one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from tallytext.classifier.label_checks import label_problems
from tallytext.comparison.charts import IntervalAxis, draw_interval, draw_learning_curve
from tallytext.comparison.comparison import SIGN_LEGEND, format_difference, format_measures
from tallytext.comparison.cross_validation import MAX_SUSPECTS, format_seconds
from tallytext.comparison.outcomes import label_set
from tallytext.decision.evidence import html_words, leading_words, mark_text
from tallytext.evaluation.confusion_table import MAX_MATRIX_CLASSES, confusion_table
from tallytext.evaluation.reliability import reliability_diagram
from tallytext.evaluation.report import small_class_note
from tallytext.io.report_page import Section, figure, html_table, report_page

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison, LearnerResult
    from tallytext.comparison.documents import Documents
    from tallytext.comparison.suspects import Suspect
    from tallytext.evaluation.reliability import ReliabilityCurve
    from tallytext.evaluation.report import EvaluationReport
    from tallytext.tuning.curves import VocabularyCurve

_MAX_LISTED_CLASSES = 200
_HIGH_CONFIDENCE, _SURE = 0.8, 0.9
# Differences below one percentage point are not mentioned.
_NEGLIGIBLE = 0.01
_EXCERPT_LENGTH = 600
_MAX_LISTED_SUSPECTS = 20


def html_report(
    comparison: Comparison,
    about: Mapping[str, str] | None = None,
    places: Sequence[str] | None = None,
) -> str:
    """Return the page of a comparison.

    Parameters
    ----------
    comparison : Comparison
    about : mapping of str to str, default=None
        Where the report comes from, for its header: a file, a date, a command.
    places : sequence of str, default=None
        The place of each document, such as "row 7"; None for their positions, from 1.
    """
    place = _Places(places)
    found = (
        _summary(comparison),
        _problems(comparison),
        _suspects(comparison, place),
        _near_duplicates(comparison, place),
        _classes(comparison),
        _confusions(comparison),
        _learners(comparison),
        _learning_curve(comparison),
        _vocabulary(comparison),
        _reliability(comparison),
    )
    report = comparison.best.report
    n_documents = len(comparison.documents.labels)
    data = f"{n_documents:,} documents, {0 if report is None else len(report.classes):,} classes"
    data += ", multi-label" * comparison.documents.multi_label
    return report_page("Comparison of learners", data, found, about)


def _summary(comparison: Comparison) -> Section:
    """Return the best learner, learners that are as good, and warnings."""
    best = comparison.best
    assert best.interval is not None and best.report is not None
    low, high = best.interval
    fewer = f" ({best.remark(len(comparison.splits))})" * (best.n_folds < len(comparison.splits))
    lead = f'<p class="lead">{_verdict(best.report)}</p>'
    measured = (
        f"<p>Measured with <b>{escape(best.name)}</b>, the best learner: {comparison.measure} "
        f"<b>{best.score:.1%}</b> (95% interval {low:.1%} to {high:.1%}) on "
        f"{best.report.n_documents:,} documents that it was not trained on, by "
        f"{comparison.splits.description}{fewer}.</p>"
    )
    warnings = "".join(
        f'<p class="warning">{escape(each[0].upper() + each[1:])}</p>'
        for each in comparison.warnings
    )
    others = f"<p>{_significance(comparison)}{_block_scores(comparison)}</p>"
    return "summary", "Verdict", lead + warnings + measured + others


def _verdict(report: EvaluationReport) -> str:
    """Return the result in one sentence, without the words of statistics."""
    if report.several_labels:
        return (
            f"Of 100 labels that the model would give to documents like these, about "
            f"<b>{100 * report.micro_precision:.0f}</b> are right; of 100 true labels it finds "
            f"about <b>{100 * report.micro_recall:.0f}</b>."
        )
    low, high = (100 * each for each in report.interval)
    return (
        f"Of 100 new documents like these, about <b>{100 * report.score:.0f}</b> get the right "
        f"label (95% interval: {low:.0f} to {high:.0f})."
    )


def _problems(comparison: Comparison) -> Section:
    """Return the problems of the documents themselves, with links to the lists."""
    documents, near = comparison.documents, comparison.near_duplicates
    found = [*label_problems(documents.labels).sentences(), *_repeated_texts(documents)]
    items = [escape(sentence) for sentence in found]
    if near.n_duplicates:
        items.append(
            f'{near.share:.1%} of the test documents have a <a href="#duplicates">near '
            "duplicate</a> among the training documents."
        )
    items += _count_suspects(comparison.suspects)
    if not items:
        return "problems", "Data problems", "<p>None were found.</p>"
    return "problems", "Data problems", f"<ul>{''.join(f'<li>{each}</li>' for each in items)}</ul>"


def _count_suspects(suspects: Sequence[Suspect]) -> list[str]:
    """Return a sentence about the labels to check, if there are any."""
    n, n_sure = len(suspects), sum(each.probability >= _SURE for each in suspects)
    if not n:
        return []
    many = " or more" * (n == MAX_SUSPECTS)
    return [
        f'{n:,}{many} <a href="#suspects">label{"s" * (n != 1)} to check</a>: a model that was not '
        "trained on these documents gives another answer a higher probability. For "
        f"{n_sure:,} of them it is {_SURE:.0%} or more."
    ]


def _repeated_texts(documents: Documents) -> list[str]:
    """Return a sentence each about repeated texts, and about those with different labels."""
    first: dict[str, Any] = {}
    n_repeated = n_conflicting = 0
    for text, label in zip(documents.texts, documents.labels, strict=True):
        labels = label_set(label)
        if text in first:
            n_repeated += 1
            n_conflicting += labels != first[text]
        else:
            first[text] = labels
    sentences = []
    if n_repeated:
        sentences.append(f"{_documents(n_repeated)} repeat the text of an earlier one.")
    if n_conflicting:
        sentences.append(
            f"{_documents(n_conflicting)} have another label than the same text before."
        )
    return sentences


def _documents(n: int) -> str:
    return f"{n:,} document{'s' * (n != 1)}"


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
    """Return precision, recall, F1 and typical terms of each class, the lowest F1 first."""
    assert comparison.best.report is not None
    report = comparison.best.report.sort_classes("f1")
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
    more = f"<p>And {left:,} classes with a higher F1.</p>" if left > 0 else ""
    about = (
        "<p>Precision: the share of documents with this predicted label that have it. Recall: the "
        "share of documents with this label that were predicted to have it. Terms that show the "
        "origin of documents instead of their topic (names, signatures, markup) will be missing in "
        "new documents.</p>"
    )
    more += "".join(f'<p class="note">{escape(note)}</p>' for note in small_class_note(report))
    return "classes", "Classes", about + html_table("Classes", heads, rows, "plain classes") + more


def _terms(terms: list[str]) -> str:
    # The element bdi isolates each term, so that right-to-left scripts do not reorder others.
    return " ".join(f"<bdi>{escape(term)}</bdi>" for term in terms)


def _learning_curve(comparison: Comparison) -> Section:
    """Return the learning curve, with a sentence about its extrapolation."""
    curve = comparison.learning_curve
    if len(curve.sizes) < 2:
        return None
    drawing = figure(draw_learning_curve(curve, comparison.measure))
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
    return "words", "How many words are needed?", about + figure(curve.figure())


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
    about, drawing = f"<p>{_describe_calibration(curve)}</p>", figure(reliability_diagram(curve))
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
        "On average over the bins, probabilities differ from the accuracy by "
        f"<b>{curve.error:.1%}</b> (calibration error). "
    )
    if high.any():
        least, n_high = float(curve.low[high].min()), int(curve.count[high].sum())
        hits = float((curve.accuracy * curve.count)[high].sum() / n_high)
        words += (
            f"Predictions with a probability of {least:.0%} or more ({n_high / n:.0%} of the "
            f"documents) are right in {hits:.1%} of cases: people could check the others."
        )
    return words


class _Places:
    """The places of documents in words: those of the input, or their positions."""

    def __init__(self, places: Sequence[str] | None) -> None:
        self._places = places

    def __call__(self, row: int) -> str:
        return f"document {row + 1:,}" if self._places is None else escape(self._places[row])


def _suspects(comparison: Comparison, place: _Places) -> Section:
    """Return documents whose label may be wrong, with the evidence."""
    if not comparison.suspects:
        return None
    green, red = '<b class="p3">green</b>', '<b class="n3">red</b>'
    if comparison.documents.multi_label:
        colours = f"Words on {green} are evidence for the label in doubt, words on {red} against it"
    else:
        colours = (
            f"Words on {green} are evidence for another label, words on {red} for the present one; "
            "probabilities are in parentheses"
        )
    shown = comparison.suspects[:_MAX_LISTED_SUSPECTS]
    first = f"The first {len(shown)} of {len(comparison.suspects)}. "
    about = (
        "<p>According to models that were not trained on them, these documents may have a wrong "
        "label. "
        f"{first * (len(shown) < len(comparison.suspects))}{colours}.</p>"
    )
    texts = comparison.documents.texts
    cards = "".join(_suspect(each, texts[each.row], place) for each in shown)
    return "suspects", "Labels to check", about + cards


def _suspect(each: Suspect, text: str, place: _Places) -> str:
    return (
        f"<article><p>{_describe_suspect(each)} <small>{place(each.row)}</small></p>"
        f"{html_words(leading_words(each.evidence))}{mark_text(text, each.evidence)}</article>"
    )


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


def _near_duplicates(comparison: Comparison, place: _Places) -> Section:
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
        f"<details><summary>{place(row)} ({_label(documents.labels[row])}) and {place(other)} "
        f"({_label(documents.labels[other])}): similarity {cosine:.2f}</summary>"
        f"{_excerpt(documents.texts[row])}{_excerpt(documents.texts[other])}</details>"
        for row, other, cosine in found.examples
    ]
    return "duplicates", "Near duplicates", about + "".join(pairs)


def _label(label: Any) -> str:
    shown = ", ".join(map(str, label)) if isinstance(label, list | tuple) else str(label)
    return f"<bdi>{escape(shown)}</bdi>"


def _excerpt(text: str) -> str:
    return f"<pre>{escape(text[:_EXCERPT_LENGTH])}{'…' * (len(text) > _EXCERPT_LENGTH)}</pre>"
