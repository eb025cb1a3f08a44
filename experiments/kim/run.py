"""What is reproduced of Kim, Seo and Rim."""

from __future__ import annotations

from experiments.kim import (
    choice,
    data,
    feedback,
    figure2,
    figure3,
    filtering,
    incremental,
    preparation,
    product,
    table2,
    table4,
    table5,
    thresholds,
)
from experiments.reproduction.paper import Paper

PAPER = Paper.of(
    "kim",
    __file__,
    [
        data,
        table2,
        figure2,
        table4,
        figure3,
        table5,
        thresholds,
        product,
        preparation,
        incremental,
        choice,
        filtering,
        feedback,
    ],
)
