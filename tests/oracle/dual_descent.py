"""Dual coordinate descent the slow way: one document, one class, one number at a time."""

import math

BIAS = 0.3
MASK = 2**64 - 1


class Random:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def shuffled(self, n):
        order = list(range(n))
        for last in range(n - 1, 0, -1):
            other = ((self.next() >> 32) * (last + 1)) >> 32
            order[last], order[other] = order[other], order[last]
        return order


def unit_row(counts, scale):
    """Logarithmic counts times the scale of each word, of length one, then the bias."""
    row = [(x if x < 1 else 1 + math.log(x)) * s for x, s in zip(counts, scale, strict=True)]
    length = math.sqrt(sum(value * value for value in row))
    return [value / length if length else 0.0 for value in row] + [BIAS]


def descend(rows, signs, start, cost, seed, seeds):
    """Return the weights and duals of one class after a pass for each of ``seeds``."""
    order, weights, duals = Random(seed).shuffled(len(rows)), list(start), [0.0] * len(rows)
    run = min(max(len(rows) // 256, 1), 32)
    for each in seeds:
        for block in Random(each).shuffled(-(-len(rows) // run)):
            for d in order[block * run : (block + 1) * run]:
                step(d, rows[d], signs[d], weights, duals, cost)
    return weights, duals


def step(d, row, sign, weights, duals, cost):
    score = sum(x * w for x, w in zip(row, weights, strict=True))
    curvature = sum(x * x for x in row) + 1 / (2 * cost)
    slope = sign * score - 1 + duals[d] / (2 * cost)
    moved = max(0.0, duals[d] - slope / curvature)
    for i, x in enumerate(row):
        weights[i] += sign * (moved - duals[d]) * x
    duals[d] = moved


def objective(rows, signs, weights, start, cost):
    """What is minimised for one class."""
    apart = sum((w - s) ** 2 for w, s in zip(weights, start, strict=True)) / 2
    losses = (
        max(0.0, 1 - sign * sum(x * w for x, w in zip(row, weights, strict=True))) ** 2
        for row, sign in zip(rows, signs, strict=True)
    )
    return apart + cost * sum(losses)
