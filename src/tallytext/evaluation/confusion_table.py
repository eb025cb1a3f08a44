"""The confusion matrix as an HTML table, with classes that are often confused side by side."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.evaluation.evaluation import Evaluation
from tallytext.io.report_page import scrollable

MAX_MATRIX_CLASSES = 40
"""More classes do not fit on a page."""
# The opacity of a cell with the smallest share: still visible.
_MIN_OPACITY = 0.06
_MAX_LABEL_LENGTH = 28


def confusion_matrix(evaluation: Evaluation) -> tuple[list[Any], NDArray[np.int64]]:
    """Return labels, the most frequent first, and documents by true and predicted label.

    Documents with several labels, or several predicted labels, are left out.

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
    # The inverse permutation: the new position of each class.
    place = np.argsort(order)
    matrix = np.zeros((len(order), len(order)), dtype=np.int64)
    matrix[place, place] = right
    for (truth, predicted), count in evaluation.confusions.items():
        matrix[place[truth], place[predicted]] += count
    return [evaluation.labels[c] for c in order], matrix


def confusion_order(matrix: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return an order of classes with classes that are confused often next to each other.

    Examples
    --------
    >>> confusion_order(np.array([[9, 0, 4, 0], [0, 9, 0, 3], [4, 0, 9, 0], [0, 3, 0, 9]])).tolist()
    [0, 2, 3, 1]
    """
    if len(matrix) < 3:
        return np.arange(len(matrix))
    # Imported here, because it takes long and pages only need it.
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    # Symmetric, because clustering needs a distance, and confusions have a direction.
    similarities = shares + shares.T
    np.fill_diagonal(similarities, 0)
    # Without checks: the diagonal is not zero, but squareform() does not read it.
    distances = squareform(similarities.max() - similarities, checks=False)
    tree = optimal_leaf_ordering(linkage(distances, "average"), distances)
    order = leaves_list(tree).astype(np.intp)
    # An order and its reverse are equally good: take the one that begins with the larger class.
    return order if order[0] <= order[-1] else order[::-1]


def confusion_table(evaluation: Evaluation) -> str:
    """Return the confusion matrix as an HTML table; darker cells have more documents."""
    labels, matrix = confusion_matrix(evaluation)
    order = confusion_order(matrix)
    names, matrix = [str(labels[c]) for c in order], matrix[np.ix_(order, order)]
    heads = "".join(
        f'<th scope="col" class="up" title="{escape(name)}"><span>{_short_label(name)}</span></th>'
        for name in names
    )
    rows = "".join(
        _confusion_row(name, at, counts, names)
        for at, (name, counts) in enumerate(zip(names, matrix, strict=True))
    )
    return scrollable(
        "Confusions",
        '<table class="map"><thead>'
        f'<tr><td class="corner"></td><th scope="colgroup" colspan="{len(names)}" class="over">'
        f'predicted label</th></tr><tr><th scope="col" class="corner">true label</th>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table>",
    )


def _confusion_row(name: str, at: int, counts: NDArray[np.int64], names: list[str]) -> str:
    total = max(int(counts.sum()), 1)
    cells = "".join(
        _confusion_cell(
            int(count), count / total, at == other, f"{name} predicted as {names[other]}"
        )
        for other, count in enumerate(counts)
    )
    return f'<tr><th scope="row" title="{escape(name)}">{_short_label(name)}</th>{cells}</tr>'


def _confusion_cell(count: int, share: float, is_correct: bool, title: str) -> str:
    if not count:
        return "<td></td>"
    colour = "0,114,178" if is_correct else "213,94,0"
    # Most confusions have small shares; the square root makes these easier to distinguish.
    opacity = _MIN_OPACITY + (1 - _MIN_OPACITY) * float(share) ** 0.5
    background = f"background-color:rgba({colour},{opacity:.2f})"
    # White text is readable on dark cells only.
    ink = ";color:#fff" if opacity > 0.6 else ""
    about = f"{escape(title)}: {count:,} ({share:.1%})"
    return f'<td style="{background}{ink}" title="{about}">{count:,}</td>'


def _short_label(name: str) -> str:
    return escape(name if len(name) <= _MAX_LABEL_LENGTH else f"{name[: _MAX_LABEL_LENGTH - 1]}…")
