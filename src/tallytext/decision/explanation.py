"""A difference of two scores, taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallytext.decision.contributions import Contribution, Part
from tallytext.decision.rendering import html_of, rich_of, text_of

if TYPE_CHECKING:
    from rich.console import Group


@dataclass(frozen=True)
class Explanation:
    r"""Why one class scores higher than another: summands that add up to the difference.

    .. math:: s_a(d) - s_b(d) = \text{prior} + \text{absent} + \text{length} + \sum_w v_w

    Where nothing else is compared with (``against`` is None), the score is itself a comparison:
    the log-odds of the class against all others.

    Attributes
    ----------
    label : label
        The class that is explained.
    against : label or None
        The class that it is compared with; None for all others.
    score, other_score : float
        Of the two classes; the other is 0 where there is none.
    difference : float
        ``score - other_score``.
    prior : float
        What is known before the document is read.
    contributions : tuple of Contribution
        What each term of the document adds.
    absent : float or None
        What a document without any word says, in models where absence counts. A word that is there
        takes its share of it back, and that is part of its contribution.
    length : float or None
        What the length of the document says, in models that look at it.
    text : str or None
        The document.

    Examples
    --------
    >>> why = Explanation("sea", "sky", -2.0, -3.5, 1.5, 0.5, (
    ...     Contribution("wave", 2, 1.25), Contribution("blue", 1, -0.25)))
    >>> print(why)
    sea rather than sky: +1.50
    <BLANKLINE>
    term     count  contribution
    wave         2         +1.25          │█████████████████████████████████████████
    (prior)                +0.50          │████████████████▍
    blue         1         -0.25  ████████│
    """

    label: Any
    against: Any
    score: float
    other_score: float
    difference: float
    prior: float
    contributions: tuple[Contribution, ...] = ()
    absent: float | None = None
    length: float | None = None
    text: str | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is not a word: the prior, and absent words and length where they count."""
        named = {"prior": self.prior, "absent words": self.absent, "length": self.length}
        return tuple(Part(name, value) for name, value in named.items() if value is not None)

    @property
    def unknown(self) -> tuple[Contribution, ...]:
        """The terms that the model has never seen."""
        return tuple(each for each in self.contributions if not each.known)

    def top(self, k: int = 10) -> tuple[Contribution, ...]:
        """Return the k terms that moved the difference most, either way.

        Parameters
        ----------
        k : int, default=10
            How many terms.
        """
        known = (each for each in self.contributions if each.known)
        return tuple(sorted(known, key=lambda each: -abs(each.value))[:k])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them.

        Examples
        --------
        >>> Explanation("sea", None, 1.5, 0.0, 1.5, 1.5).to_dict()["parts"]
        {'prior': 1.5}
        """
        return {
            "label": self.label,
            "against": self.against,
            "score": self.score,
            "other_score": self.other_score,
            "difference": self.difference,
            "parts": {part.name: part.value for part in self.parts},
            "contributions": [each.to_dict() for each in self.contributions],
            "text": self.text,
        }

    def to_text(self, k: int = 10, width: int = 80) -> str:
        """Return a table of the k terms that matter most, with bars, in lines of this width.

        Parameters
        ----------
        k : int, default=10
            How many terms the table has.
        width : int, default=80
            How long lines may be.
        """
        return text_of(self._headline, self.parts, self.top(k), self._rest(k), width)

    def to_html(self, k: int = 10) -> str:
        """Return a piece of HTML: the text with its words coloured, and a table of k terms.

        It holds no scripts and needs no style sheet, and reads well on light and dark ground.

        Parameters
        ----------
        k : int, default=10
            How many terms the table has.
        """
        return html_of(
            self._headline, self.parts, self.contributions, self.top(k), self._rest(k), self.text
        )

    def to_rich(self, k: int = 10) -> Group:
        """Return what :func:`rich.print` shows: the text with its words coloured, and a table.

        Green words speak for the class and red ones against it, the stronger the brighter. Colours
        are left out where the output is no terminal, or where ``NO_COLOR`` is set. Control
        characters of the text are shown as pictures, so they cannot do anything.

        Parameters
        ----------
        k : int, default=10
            How many terms the table has.

        Examples
        --------
        >>> from rich.console import Console
        >>> wave = Contribution("wave", 1, 1.25, spans=((4, 8),))
        >>> why = Explanation("sea", "sky", 2.0, 0.75, 1.25, 0.0, (wave,), text="One wave!")
        >>> Console(width=60, color_system=None).print(why)  # doctest: +NORMALIZE_WHITESPACE
        sea rather than sky: +1.25
        <BLANKLINE>
        One wave!
        <BLANKLINE>
        term  count  contribution
        wave      1         +1.25                  │████████████████
        """
        return rich_of(
            self._headline, self.parts, self.contributions, self.top(k), self._rest(k), self.text
        )

    def _rest(self, k: int) -> tuple[Contribution, ...]:
        """Return the terms that are not among the k that matter most."""
        top = {id(each) for each in self.top(k)}
        return tuple(each for each in self.contributions if id(each) not in top)

    @property
    def _headline(self) -> str:
        other = "anything else" if self.against is None else self.against
        return f"{self.label} rather than {other}: {self.difference:+.2f}"

    def __str__(self) -> str:
        return self.to_text()

    def __rich__(self) -> Group:
        return self.to_rich()

    def _repr_html_(self) -> str:
        return self.to_html()
