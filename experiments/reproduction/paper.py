"""A paper, and the parts in which it is reproduced."""

from __future__ import annotations

import ast
import hashlib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from experiments.reproduction.expected import Expected
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
        A short hash of its code, of what it imports from the same folder, and of the version of
        the library: results of other code are not gone on with.
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
        return cls(
            module.__name__.rpartition(".")[2],
            module.HEADING,
            module.ABOUT,
            module.measure,
            module.show,
            getattr(module, "IS_OPEN", False),
            _hash_of(module),
        )


def _hash_of(module: ModuleType) -> str:
    package = module.__name__.rpartition(".")[0]
    code: dict[str, str] = {}
    waiting = [module.__name__]
    while waiting:
        name = waiting.pop()
        if name not in code:
            code[name] = inspect.getsource(import_module(name))
            waiting += _imported(code[name], package)
    together = "".join([version("tallytext"), *(code[name] for name in sorted(code))])
    return hashlib.blake2b(together.encode(), digest_size=6).hexdigest()


def _imported(code: str, package: str) -> list[str]:
    """Return the modules of a package that code imports."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            found += [f"{package}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}."):
            found.append(str(node.module))
    return found


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

    def expectations(self) -> Expected:
        """Return what is expected, once it is seen that all tests ask for parts that there are."""
        expected = Expected.read(self.expected)
        expected.check({part.name for part in self.parts})
        return expected

    @property
    def results(self) -> Path:
        """The results that the page in the docs is made of."""
        return self.folder / "results.json"
