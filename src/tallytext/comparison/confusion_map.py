"""Which classes are taken for which: a map of all, or a list of the worst."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.evaluation import Evaluation

MOST_CLASSES = 40
_FAINTEST = 0.06


def confusion_matrix(evaluation: Evaluation) -> tuple[list[Any], NDArray[np.int64]]:
    """Return labels, those of most documents first, and documents by true and given label.

    Documents with several labels, or given several, are left out.

    Examples
    --------
    >>> evaluation = Evaluation()
    >>> evaluation.add(["ham", "spam", "spam"], ["ham", "ham", "spam"])
    >>> confusion_matrix(evaluation)
    (['spam', 'ham'], array([[1, 1],
           [0, 1]]))
    """
    right, _, wanted = evaluation.by_class
    order = np.argsort(-wanted, kind="stable")
    place = np.argsort(order)
    matrix = np.zeros((len(order), len(order)), dtype=np.int64)
    matrix[place, place] = right
    for (truth, given), count in evaluation.confusions.items():
        matrix[place[truth], place[given]] += count
    return [evaluation.labels[c] for c in order], matrix


def confusion_map(evaluation: Evaluation) -> str:
    """Return a table in HTML whose cells are darker the more documents they stand for."""
    labels, matrix = confusion_matrix(evaluation)
    names = [escape(str(label)) for label in labels]
    heads = "".join(f'<th class="up"><span>{name}</span></th>' for name in names)
    rows = "".join(
        _row(name, at, cells, names)
        for at, (name, cells) in enumerate(zip(names, matrix, strict=True))
    )
    return f'<table class="map"><tr><th></th>{heads}</tr>{rows}</table>'


def _row(name: str, at: int, cells: NDArray[np.int64], names: list[str]) -> str:
    total = max(int(cells.sum()), 1)
    made = "".join(
        _cell(int(count), count / total, at == other, f"{name} taken for {names[other]}")
        for other, count in enumerate(cells)
    )
    return f"<tr><th>{name}</th>{made}</tr>"


def _cell(count: int, share: float, is_right: bool, title: str) -> str:
    if not count:
        return "<td></td>"
    colour = "0,114,178" if is_right else "213,94,0"
    depth = _FAINTEST + (1 - _FAINTEST) * float(share) ** 0.5
    ground = f"background:rgba({colour},{depth:.2f})"
    ink = ";color:#fff" if depth > 0.6 else ""
    return f'<td style="{ground}{ink}" title="{title}: {count:,}">{count:,}</td>'
