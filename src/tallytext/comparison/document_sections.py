"""Sections of the page about documents: labels that may be wrong, and near duplicates."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison
    from tallytext.comparison.learner_sections import Section
    from tallytext.comparison.suspects import Suspect
    from tallytext.explanation import Explanation

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
    colours = _FOR_ONE if comparison.documents.several else _FOR_OTHER
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
    >>> from tallytext.explanation import Contribution, Explanation
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
