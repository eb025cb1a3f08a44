"""What is asked of a model, and how its answers are written: the same wherever that is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tallytext.distributed.answer_lines import CsvLines, JsonLines, Lines

if TYPE_CHECKING:
    from tallytext.classifier import TextClassifier
    from tallytext.distributed.answers import Answers


@dataclass(frozen=True)
class Asked:
    """What is asked of a model; plain values, so that it can be sent.

    Attributes
    ----------
    top : int or None
        How many of the likeliest labels to tell.
    coverage : float or None
        How often the right label is to be in the set that is told.
    min_confidence : float or None
        No label is said that is less likely.
    explain : bool
        Whether to say why.
    to : {"jsonl", "csv"}
        How answers are written.
    has_file, has_id : bool
        Whether an answer names its file, and has an id.

    Examples
    --------
    >>> Asked(top=1, to="csv").lines().head
    b'row,label,probability,label_1,probability_1\\n'
    """

    top: int | None = None
    coverage: float | None = None
    min_confidence: float | None = None
    explain: bool = False
    to: str = "jsonl"
    has_file: bool = False
    has_id: bool = False

    def answers(self, classifier: TextClassifier) -> Answers:
        """Return what answers."""
        from tallytext.distributed.answers import Answers

        return Answers(
            classifier,
            top=self.top,
            coverage=self.coverage,
            min_confidence=self.min_confidence,
            explain=self.explain,
        )

    def lines(self) -> Lines:
        """Return what makes lines of answers."""
        if self.to == "jsonl":
            return JsonLines()
        sets, top = self.coverage is not None, self.top or 0
        return CsvLines(has_file=self.has_file, has_id=self.has_id, top=top, has_sets=sets)
