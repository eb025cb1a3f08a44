"""A comparison as one page of HTML that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallytext.comparison import class_sections, curve_sections, document_sections, learner_sections
from tallytext.comparison.style import STYLE
from tallytext.storage.pages import whole_page

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison

# Text may hold what a page may not: NUL, other control characters, halves of characters.
_CONTROLS = [*range(9), 11, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000)]
_NO_CHARACTERS = dict.fromkeys([*_CONTROLS, 0xFFFE, 0xFFFF], "\ufffd")

_SECTIONS = (
    learner_sections.summary,
    learner_sections.learners,
    class_sections.mistakes,
    class_sections.classes,
    curve_sections.more_labels,
    curve_sections.vocabulary,
    curve_sections.reliability,
    document_sections.suspects,
    document_sections.duplicates,
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
    several = ", several for some documents" * comparison.documents.several
    return f"{len(comparison.documents.labels):,} documents, {n_classes:,} classes{several}"
