"""The parts of the reproduction."""

from __future__ import annotations

from experiments.reproduction.paper import Paper
from experiments.zhou import (
    differences,
    efficiency,
    figure2,
    figure3,
    figure4,
    mixture,
    phrases,
    reuse,
    rounds,
    sizes,
    table1,
    table2,
    table3,
    yourself,
)

PARTS = [
    table1,
    table2,
    table3,
    figure2,
    figure3,
    figure4,
    efficiency,
    reuse,
    differences,
    sizes,
    phrases,
    mixture,
    rounds,
    yourself,
]
PAPER = Paper.of("zhou", __file__, PARTS)
