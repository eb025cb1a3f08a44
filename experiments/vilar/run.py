"""The parts of the reproduction, in the order of the page."""

from experiments.reproduction.paper import Paper
from experiments.vilar import (
    discount,
    encoded,
    figure1,
    figure2,
    learned_weights,
    length_model,
    normalised,
    orders,
    packages,
    preprocessing,
    table1,
    term_weights,
    universities,
)

PAPER = Paper.of(
    "vilar",
    __file__,
    [
        *(table1, figure1, discount, figure2),
        *(preprocessing, orders, encoded, universities, packages),
        *(normalised, length_model, term_weights, learned_weights),
    ],
)
