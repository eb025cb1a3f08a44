"""A paper, and the parts in which it is reproduced."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from experiments.reproduction.figures import Figure
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table

if TYPE_CHECKING:
    from experiments.reproduction.workplace import Workplace

Shown = str | Table | Figure


@dataclass(frozen=True)
class Part:
    """One table, figure or question of a paper.

    Attributes
    ----------
    name : str
        An identifier, by which tests in ``expected.toml`` name what was found.
    heading, about : str
        Of its section of the page: what was done, what differs from the paper, what was assumed.
    measure : callable
        Does the work, and returns it as a dictionary of plain values.
    show : callable
        Makes paragraphs, tables and figures of what was found, and of nothing else.
    is_open : bool
        Whether it answers what the paper left open.
    source : str
        A short hash of its code: results of other code are not gone on with.
    """

    name: str
    heading: str
    about: str
    measure: Callable[[Workplace], dict[str, Any]]
    show: Callable[[Record], Iterable[Shown]]
    is_open: bool
    source: str

    @classmethod
    def of(cls, module: ModuleType) -> Part:
        """Make a part of a module with HEADING, ABOUT, measure, show and perhaps IS_OPEN."""
        code = inspect.getsource(module)
        return cls(
            module.__name__.rpartition(".")[2],
            module.HEADING,
            module.ABOUT,
            module.measure,
            module.show,
            getattr(module, "IS_OPEN", False),
            hashlib.blake2b(code.encode(), digest_size=6).hexdigest(),
        )


@dataclass(frozen=True)
class Paper:
    """What is reproduced of a paper, and where its expectations and results are kept."""

    name: str
    folder: Path
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, name: str, run: str, parts: Iterable[ModuleType]) -> Paper:
        """Make a paper of modules; ``run`` is the file that asks."""
        return cls(name, Path(run).parent, tuple(map(Part.of, parts)))

    @property
    def expected(self) -> Path:
        return self.folder / "expected.toml"

    @property
    def results(self) -> Path:
        """The results that the page in the docs is made of."""
        return self.folder / "results.json"
