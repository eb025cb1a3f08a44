"""What one summand of a score is: a term of the document, or something else."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Contribution:
    """What one term adds to a difference of scores.

    Attributes
    ----------
    term : str
    count : float
        What the term counts in the document.
    value : float
        The count times the difference of the term's weights in the two classes.
    known : bool
        Whether the model has ever seen the term; the value is 0 if not.
    spans : tuple of (start, end)
        Where the term stands in the text, in characters, where that is known.

    Examples
    --------
    >>> Contribution("wave", 2.0, 1.25).per_token
    0.625
    """

    term: str
    count: float
    value: float
    known: bool = True
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def per_token(self) -> float:
        """What each occurrence adds: of those in the text, if there is one."""
        times = len(self.spans) or self.count
        return self.value / times if times else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        return asdict(self) | {"spans": [list(span) for span in self.spans]}


class Part(NamedTuple):
    """What adds to a difference of scores without being a word."""

    name: str
    value: float
