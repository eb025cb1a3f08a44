"""Error against the number of terms: what :func:`vocabulary_curve` returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple


@dataclass(frozen=True)
class CurveLine:
    """The errors of one model with the terms that one score holds best.

    Attributes
    ----------
    score, model : str
        Their names.
    errors : tuple of float
        The error for each of the curve's ``sizes``.
    """

    score: str
    model: str
    errors: tuple[float, ...]

    @property
    def name(self) -> str:
        """Both names in one."""
        return f"{self.score}, {self.model}"


class Best(NamedTuple):
    """A point of a curve."""

    error: float
    n_terms: int
    score: str
    model: str


@dataclass(frozen=True)
class VocabularyCurve:
    """Error against the number of terms, for some scores and some models.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of terms, ascending; the last is usually all of them.
    lines : tuple of CurveLine
        One for each score and model.
    measure : {"error", "1 - micro F1"}
        The share of wrong labels, or what the micro-averaged F1 lacks where documents have
        several labels or none.
    method : {"held-out", "cross-validation"}
        How documents were kept from a model.
    n_documents : int
        How many documents were judged.

    Examples
    --------
    >>> lines = CurveLine("ig", "bayes", (0.5, 0.25)), CurveLine("df", "bayes", (0.5, 0.5))
    >>> curve = VocabularyCurve((10, 20), lines, "error", "cross-validation", 4)
    >>> print(curve)
    error of 4 documents by cross-validation, lowest 0.2500: 20 terms by ig, bayes
      terms  ig, bayes  df, bayes
         10     0.5000     0.5000
         20     0.2500     0.5000
    """

    sizes: tuple[int, ...]
    lines: tuple[CurveLine, ...]
    measure: str
    method: str
    n_documents: int

    @property
    def best(self) -> Best:
        """The lowest error; of several the one with the fewest terms, then the first line."""
        points = [
            Best(error, size, line.score, line.model)
            for line in self.lines
            for size, error in zip(self.sizes, line.errors, strict=True)
        ]
        return min(points, key=lambda point: point[:2])

    @property
    def rows(self) -> list[tuple[int, ...] | tuple[float, ...]]:
        """The table: for each size, the number of terms and the error of each line."""
        return [
            (size, *(line.errors[at] for line in self.lines)) for at, size in enumerate(self.sizes)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        return {
            "measure": self.measure,
            "method": self.method,
            "documents": self.n_documents,
            "sizes": list(self.sizes),
            "lines": [
                {"score": line.score, "model": line.model, "errors": list(line.errors)}
                for line in self.lines
            ],
            "best": self.best._asdict(),
        }

    def figure(self, path: str | Path | None = None) -> str:
        """Draw the curve: one SVG file that needs nothing else.

        Parameters
        ----------
        path : str or Path, default=None
            A file to write it to as well. It appears whole or not at all.

        Returns
        -------
        str
            The drawing, in SVG.
        """
        from tallytext.curves.figure import drawn
        from tallytext.storage import save_text

        drawing = drawn(self)
        if path is not None:
            save_text(path, drawing)
        return drawing

    def __str__(self) -> str:
        heads = ["terms", *(line.name for line in self.lines)]
        cells = [[f"{row[0]:,}", *(f"{value:.4f}" for value in row[1:])] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        lines = [
            "".join(f"  {cell:>{width}}" for cell, width in zip(row, widths, strict=True))
            for row in (heads, *cells)
        ]
        return "\n".join([self.headline, *lines])

    @property
    def headline(self) -> str:
        """What was measured, and where it is lowest."""
        best, n = self.best, f"{self.n_documents:,}"
        by_folds = self.method == "cross-validation"
        judged = f"{n} documents by cross-validation" if by_folds else f"{n} held-out documents"
        return (
            f"{self.measure} of {judged}, lowest {best.error:.4f}: "
            f"{best.n_terms:,} terms by {best.score}, {best.model}"
        )
