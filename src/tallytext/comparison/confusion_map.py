"""Which classes are taken for which: a map of all, or a list of the worst."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from tallytext.comparison.tables import scrolled
from tallytext.evaluation import Evaluation

MOST_CLASSES = 40
_FAINTEST = 0.06
_LONGEST = 28


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


def side_by_side(matrix: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return an order of classes in which those that are taken for each other are neighbours.

    Examples
    --------
    >>> side_by_side(np.array([[9, 0, 4, 0], [0, 9, 0, 3], [4, 0, 9, 0], [0, 3, 0, 9]])).tolist()
    [0, 2, 3, 1]
    """
    if len(matrix) < 3:
        return np.arange(len(matrix))
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    alike = shares + shares.T
    np.fill_diagonal(alike, 0)
    distances = squareform(alike.max() - alike, checks=False)
    tree = optimal_leaf_ordering(linkage(distances, "average"), distances)
    order = leaves_list(tree).astype(np.intp)
    # Of both directions the one that begins with the larger class.
    return order if order[0] <= order[-1] else order[::-1]


def confusion_map(evaluation: Evaluation) -> str:
    """Return a table in HTML whose cells are darker the more documents they stand for."""
    labels, matrix = confusion_matrix(evaluation)
    order = side_by_side(matrix)
    names, matrix = [str(labels[c]) for c in order], matrix[np.ix_(order, order)]
    heads = "".join(
        f'<th scope="col" class="up" title="{escape(name)}"><span>{_short(name)}</span></th>'
        for name in names
    )
    rows = "".join(
        _row(name, at, cells, names)
        for at, (name, cells) in enumerate(zip(names, matrix, strict=True))
    )
    return scrolled(
        "What is taken for what",
        '<table class="map"><thead>'
        f'<tr><td class="corner"></td><th scope="colgroup" colspan="{len(names)}" class="over">'
        f'what the best learner says</th></tr><tr><th scope="col" class="corner">label given</th>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table>",
    )


def _row(name: str, at: int, cells: NDArray[np.int64], names: list[str]) -> str:
    total = max(int(cells.sum()), 1)
    made = "".join(
        _cell(int(count), count / total, at == other, f"{name} taken for {names[other]}")
        for other, count in enumerate(cells)
    )
    return f'<tr><th scope="row" title="{escape(name)}">{_short(name)}</th>{made}</tr>'


def _cell(count: int, share: float, is_right: bool, title: str) -> str:
    if not count:
        return "<td></td>"
    colour = "0,114,178" if is_right else "213,94,0"
    depth = _FAINTEST + (1 - _FAINTEST) * float(share) ** 0.5
    ground = f"background-color:rgba({colour},{depth:.2f})"
    ink = ";color:#fff" if depth > 0.6 else ""
    said = f"{escape(title)}: {count:,} ({share:.1%})"
    return f'<td style="{ground}{ink}" title="{said}">{count:,}</td>'


def _short(name: str) -> str:
    return escape(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…")
