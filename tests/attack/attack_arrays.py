"""Malformed arrays, matrices and sizes into every native function and every method that takes them.

First every wrong argument of the tables on its own, then several at once, drawn at random. A call
is refused or gives a result; what must be refused is never accepted, and nothing asks for memory in
proportion to a number that somebody has made up.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import matrix_calls
import native_calls
import numpy as np
from matrix_calls import MALFORMED, malformed
from native_calls import REFUSALS, TABLE, wrong_values
from trial import Trial

from tallytext.errors import TallytextError


def attack(trial: Trial) -> None:
    """Try native functions, then methods and functions of the library."""
    known = {name for name, _ in native_calls.native_functions()}
    trial.expect(known == TABLE.keys(), f"native functions without a case: {known ^ TABLE.keys()}")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        one_wrong_argument(trial)
        for round in range(trial.some(quick=3_000, full=100_000)):
            wrong_arguments(trial, trial.rng("natives", round), round)
        malformed_matrices(trial)
        for round in range(trial.some(quick=1_000, full=30_000)):
            random_matrix(trial, trial.rng("matrices", round), round)


def one_wrong_argument(trial: Trial) -> None:
    for name in TABLE:
        for what, refused, run in native_calls.wrong_calls(name):
            with trial.case(what, *REFUSALS):
                run()
                trial.expect(not refused, f"accepted: {what}")


def wrong_arguments(trial: Trial, rng: random.Random, round: int) -> None:
    """Call a function with some wrong arguments, or with arrays of random numbers."""
    name = rng.choice([*TABLE])
    replaced = {}
    for argument, given in TABLE[name]()[1].items():
        if rng.random() < 0.3 and (wrong := [*wrong_values(given)]):
            replaced[argument] = rng.choice(wrong).value
        elif rng.random() < 0.3 and isinstance(given.value, np.ndarray):
            replaced[argument] = mixed(rng, given.value)
    with trial.case(f"{name}, round {round}", *REFUSALS):
        native_calls.call(name, replaced)


def mixed(rng: random.Random, value: Any) -> Any:
    """Return an array of the same type with other numbers, near and far, and maybe another size."""
    if value.dtype == object or not value.size:
        return value
    array = np.repeat(value, rng.choice([1, 1, 1, 2]), axis=0)
    for _ in range(rng.randint(1, 3)):
        place = tuple(rng.randrange(n) for n in array.shape)
        numbers = [-1, 0, 1, 2, 3, 5] if array.dtype.kind == "i" else [0, 1, 2, 3]
        array[place] = rng.choice(numbers)
    return array[::-1] if rng.random() < 0.1 else array


def malformed_matrices(trial: Trial) -> None:
    for what in MALFORMED:
        for cls, method, parameter in matrix_calls.methods():
            name = f"{cls}.{method}({parameter}): {what}"
            subject = matrix_calls.fitted(cls)
            with trial.case(name, TallytextError):
                matrix_calls.method_call(cls, method, parameter, malformed(what), subject)
                trial.expect(False, f"accepted: {name}")
        for function in matrix_calls.FUNCTIONS:
            with trial.case(f"{function}: {what}", TallytextError):
                matrix_calls.function_call(function, malformed(what))
                trial.expect(False, f"accepted: {function}: {what}")


#: Fast methods, which predict or weigh.
READERS = [
    each
    for each in matrix_calls.methods()
    if each[1] in ("predict", "scores", "transform", "kneighbors", "lengths")
    and each[0] not in ("L1Selector", "RotationForest")
]


def random_matrix(trial: Trial, rng: random.Random, round: int) -> None:
    """Give a matrix with random arrays to a method that reads it."""
    cls, method, parameter = rng.choice(READERS)

    def change(X: Any) -> Any:
        for name in rng.sample(["indptr", "indices", "data"], rng.randint(1, 3)):
            array = mixed(rng, getattr(X, name))
            setattr(X, name, array.astype(rng.choice([np.int32, np.int64, np.float64, np.int8])))
        return X

    with trial.case(f"{cls}.{method}, round {round}", TypeError, ValueError):
        matrix_calls.method_call(cls, method, parameter, change, matrix_calls.fitted(cls))
