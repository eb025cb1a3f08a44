"""The excerpt of the book, part by part."""

from experiments.aggarwal import (
    causes,
    choosing,
    event_models,
    fisher,
    gamma,
    independence,
    l1_path,
    ranking,
    rotation,
    smoothing,
)
from experiments.reproduction.paper import Paper

PAPER = Paper.of(
    "aggarwal",
    __file__,
    [
        l1_path,
        rotation,
        fisher,
        smoothing,
        event_models,
        causes,
        gamma,
        choosing,
        independence,
        ranking,
    ],
)
