"""Evidence for an answer in short: the words that led to it, and the text with these marked."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from tallytext.decision.rendering import bar_shares, split_segments, truncate_explanation

if TYPE_CHECKING:
    from tallytext.decision.explanation import Explanation

# The most words for the answer, and against it.
_N_FOR, _N_AGAINST = 6, 3
# Words with a smaller share of the largest contribution do not explain an answer.
_MIN_SHARE = 0.05
_MAX_TEXT_LENGTH = 1_200
# Words with a smaller share of the largest contribution are not marked.
_MIN_MARKED_SHARE, _N_SHADES = 0.08, 4


def leading_words(explanation: Explanation | None) -> list[tuple[str, float]]:
    """Return the words with the largest contributions, six for the answer and three against it.

    Examples
    --------
    >>> from tallytext.decision import Contribution, Explanation
    >>> words = Contribution("wave", 2, 1.25), Contribution("blue", 1, -0.25)
    >>> leading_words(Explanation("sea", "sky", -2.0, -3.5, 1.5, 0.5, words))
    [('wave', 1.25), ('blue', -0.25)]
    """
    if explanation is None:
        return []
    known = [
        (each.term, each.value)
        for each in explanation.contributions
        if each.known and any(map(str.isalnum, each.term))
    ]
    least = _MIN_SHARE * max((abs(value) for _, value in known), default=0.0)
    known = [each for each in known if abs(each[1]) >= least]
    ranked = sorted(known, key=lambda each: -abs(each[1]))
    helped = [each for each in ranked if each[1] > 0][:_N_FOR]
    return helped + [each for each in ranked if each[1] < 0][:_N_AGAINST]


def html_words(words: Iterable[tuple[str, float]]) -> str:
    """Return words and their contributions as a paragraph for a page of reports.

    Examples
    --------
    >>> html_words([("a<b", 1.25)])
    '<p class="words"><span><bdi class="p2">a&lt;b</bdi> +1.25</span></p>'
    """
    shown = " ".join(_html_word(term, value) for term, value in words)
    return f'<p class="words">{shown}</p>' if shown else ""


def _html_word(term: str, value: float) -> str:
    # The element bdi isolates each term, so that right-to-left scripts do not reorder others.
    kind, sign = ("p2", "+") if value > 0 else ("n2", "−")
    return f'<span><bdi class="{kind}">{escape(term)}</bdi> {sign}{abs(value):.2f}</span>'


def mark_text(document: str, explanation: Explanation | None) -> str:
    """Return the beginning of a document for a page of reports, with marked words.

    Parameters
    ----------
    document : str
        The whole text.
    explanation : Explanation or None
        An explanation of it; None to mark nothing.

    Examples
    --------
    >>> mark_text("a < b", None)
    '<pre dir="auto">a &lt; b</pre>'
    """
    n, more = len(document), ""
    if n > _MAX_TEXT_LENGTH:
        more = f'<p class="note">The first {_MAX_TEXT_LENGTH:,} of {n:,} characters.</p>'
    if explanation is None or explanation.text is None:
        marked = escape(document[:_MAX_TEXT_LENGTH]) + "…" * bool(more)
    else:
        marked = _mark_segments(explanation)
    return f'<pre dir="auto">{marked}</pre>{more}'


def _mark_segments(explanation: Explanation) -> str:
    if len(explanation.text or "") > _MAX_TEXT_LENGTH:
        explanation = truncate_explanation(explanation, _MAX_TEXT_LENGTH)
    segments = split_segments(explanation.text or "", explanation.contributions)
    shares = bar_shares([segment.value for segment in segments])
    return "".join(
        _mark_segment(segment.text, share if segment.has_known_term else 0.0)
        for segment, share in zip(segments, shares, strict=True)
    )


def _mark_segment(content: str, share: float) -> str:
    if abs(share) < _MIN_MARKED_SHARE:
        return escape(content)
    shade = min(_N_SHADES, 1 + int(abs(share) * _N_SHADES))
    return f'<b class="{"p" if share > 0 else "n"}{shade}">{escape(content)}</b>'
