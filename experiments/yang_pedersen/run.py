"""What is reproduced of Yang and Pedersen (1997), in the order of its page."""

from experiments.reproduction.paper import Paper
from experiments.yang_pedersen import (
    correlations,
    differences,
    fit,
    frequency,
    knn,
    modapte,
    mutual,
    ohsumed,
    properties,
    statistics,
    variants,
    weights,
)

PAPER = Paper.of(
    "yang-pedersen",
    __file__,
    [
        statistics,
        knn,
        modapte,
        variants,
        weights,
        fit,
        correlations,
        ohsumed,
        properties,
        differences,
        mutual,
        frequency,
    ],
)
