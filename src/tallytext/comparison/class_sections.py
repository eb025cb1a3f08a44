"""Sections of the page about classes: what is taken for what, and how good each is told."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tallytext.comparison.confusion_map import MOST_CLASSES, confusion_map
from tallytext.comparison.tables import table

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison
    from tallytext.comparison.learner_sections import Section

_MOST_LISTED = 200
_TITLE = "What is taken for what"


def mistakes(comparison: Comparison) -> Section:
    """Return the map of classes, or a list of what is mistaken most often."""
    report = comparison.best.report
    assert report is not None
    if len(report.classes) <= MOST_CLASSES and not comparison.documents.several:
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
    only = ", among documents that have one label and were given one" * comparison.documents.several
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
