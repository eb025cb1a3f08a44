"""Training documents token by token, to choose a discount for fractional counts."""

from __future__ import annotations

from tallytext.bayes.reading import Column, Reading
from tallytext.bayes.training import Training
from tallytext.smoothing.token_leave_one_out import TokenDocuments


def token_documents(
    training: Training, column: Column, reading: Reading, scale: float, unit: float
) -> TokenDocuments:
    """Return one entry per document, label and word.

    Parameters
    ----------
    training : Training
    column : Column
        What is counted.
    reading : Reading
        Of all terms.
    scale : float
        What counts are multiplied by.
    unit : float
        What one count of a training document is worth in tokens.
    """
    tokens = training.documents.values * unit
    weights = training.contributions(column) * scale / tokens
    entry = training.entries
    cells = training.cells(reading, n_threads=1)
    return TokenDocuments(
        documents=training.documents.row[entry],
        tokens=tokens[entry],
        weights=weights[entry],
        classes=reading.classes[cells],
        cells=cells,
        cell_counts=reading.cells[0] * scale,
        cell_classes=reading.classes,
        term_totals=reading.term_totals[0, training.documents.terms[entry]] * scale,
        class_totals=reading.class_totals[0] * scale,
        total=float(reading.totals[0]) * scale,
        n_tokens=float(tokens.sum()),
    )
