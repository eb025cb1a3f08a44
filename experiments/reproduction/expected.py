"""What papers say, and whether it holds: ``expected.toml`` against what was found."""

from __future__ import annotations

import ast
import math
import tomllib
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from experiments.reproduction.record import Record

HOLDS, FAILS, UNKNOWN = "holds", "does not hold", "cannot be tested here"

# What tests may use besides the results.
_FUNCTIONS = {
    each.__name__: each
    for each in (abs, all, any, len, max, min, range, round, sorted, sum, zip, median)
} | {"mean": fmean, "sqrt": math.sqrt}


@dataclass(frozen=True)
class Number:
    """A published figure.

    Attributes
    ----------
    part, where, what : str
        The part that measures it, its place in the paper, and what it is.
    published : float
        The figure.
    ours : str
        An expression that gives ours from the results.
    within : float
        By how much ours may differ and still be said to agree.
    """

    part: str
    where: str
    what: str
    published: float
    ours: str
    within: float

    def value(self, found: Mapping[str, Any]) -> float | None:
        """Return our figure, or None where its part was not measured."""
        return _value(self.ours, self.part, found)


@dataclass(frozen=True)
class Claim:
    """A sentence with a test that is true if it holds.

    Attributes
    ----------
    part, where, says : str
        The part that measures it, its place in the paper, and the claim.
    test : str
        An expression over the results; empty if there can be none.
    untestable : str
        Why there can be none.
    ours : bool
        Whether it is not the paper's, but what we expected where the paper asks.
    later : bool
        Whether sentence or test were written after results of a first run had been seen.
    mended, formerly : str
        Why the test was replaced by one that tests the sentence, and the verdict of the old test.
    """

    part: str
    where: str
    says: str
    test: str = ""
    untestable: str = ""
    ours: bool = False
    later: bool = False
    mended: str = ""
    formerly: str = ""

    def verdict(self, found: Mapping[str, Any]) -> str:
        if self.untestable:
            return UNKNOWN
        value = _value(self.test, self.part, found)
        return UNKNOWN if value is None else HOLDS if value else FAILS


@dataclass(frozen=True)
class Expected:
    """All that is expected of a paper's reproduction, as written before it was run."""

    title: str
    reference: str
    about: str
    numbers: tuple[Number, ...]
    claims: tuple[Claim, ...]

    @classmethod
    def read(cls, path: Path) -> Expected:
        """Read an ``expected.toml``; unknown keys are errors."""
        given = tomllib.loads(path.read_text(encoding="utf-8"))
        numbers = tuple(Number(**each) for each in given.pop("number", []))
        claims = tuple(Claim(**each) for each in given.pop("claim", []))
        for claim in claims:
            if bool(claim.test) == bool(claim.untestable):
                raise ValueError(f"{path}: either test or untestable, not both: {claim.says}")
            if bool(claim.mended) != (claim.formerly in (HOLDS, FAILS)):
                raise ValueError(
                    f"{path}: mended needs a former verdict, and no other: {claim.says}"
                )
        return cls(**given, numbers=numbers, claims=claims)

    def check(self, parts: Set[str]) -> None:
        """Refuse what belongs to no part, and tests that ask for one that is not there."""
        asked = [(each.part, each.ours, each.what) for each in self.numbers]
        asked += [(each.part, each.test, each.says) for each in self.claims]
        for part, expression, what in asked:
            unknown = ({part} | (names_in(expression) if expression else set())) - parts
            if unknown:
                raise ValueError(f"there is no part {', '.join(sorted(unknown))}: {what}")


def _value(expression: str, part: str, found: Mapping[str, Any]) -> Any:
    """Evaluate an expression; None where what it asks for was not measured.

    Examples
    --------
    >>> _value("max(table.errors) - table.b", "table", {"table": {"errors": [1, 4], "b": 3}})
    1
    >>> _value("table.b > coins.heads", "table", {"table": {"errors": [1, 4], "b": 3}})
    """
    names = names_in(expression)
    if part not in found or not names <= {*found}:
        return None
    # Only these: records of all that a paper found take longer to make than to judge.
    known = {name: Record.of(found[name]) for name in names}
    return eval(expression, {"__builtins__": {}, **_FUNCTIONS, **known})


def names_in(expression: str) -> set[str]:
    """Return the parts that an expression asks for: names that it neither makes nor calls.

    Examples
    --------
    >>> sorted(names_in("all(v > table.b for v in coins.values)"))
    ['coins', 'table']
    """
    nodes = [*ast.walk(ast.parse(expression, mode="eval"))]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {node.id for node in names} - made - {*_FUNCTIONS}
