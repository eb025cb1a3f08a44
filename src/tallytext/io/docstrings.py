"""Real text that every machine has: the docstrings of what is installed with tallytext.

NumPy, SciPy, scikit-learn and Python's standard library, class = sub-package. Sources are parsed,
never imported: nothing runs, and modules that need a display or another system are read too.
"""

from __future__ import annotations

import ast
import gc
import sys
import sysconfig
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("numpy", "scipy", "sklearn")

_SKIPPED_FOLDERS = {"test", "tests", "idle_test", "site-packages", "__pycache__"}
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Source(NamedTuple):
    """A Python file and the class its docstrings belong to."""

    path: Path
    label: str


def load_docstrings(
    packages: Iterable[str] = PACKAGES,
    *,
    standard_library: bool = True,
    min_length: int = 80,
    min_documents: int = 20,
    track: Callable[[Sequence[Source]], Iterable[Source]] = iter,
) -> tuple[list[str], list[str]]:
    """Collect docstrings and the sub-packages they come from.

    The class of a docstring in a package is its sub-package, as in ``"numpy.linalg"``; in the
    standard library it is the top-level module or package, as in ``"asyncio"``. Tests are left
    out, of equal docstrings the first is kept, and the order is always the same.

    Parameters
    ----------
    packages : iterable of str, default=("numpy", "scipy", "sklearn")
        Installed packages to read; one that is not installed is passed over.
    standard_library : bool, default=True
        Whether to read the standard library too.
    min_length : int, default=80
        Docstrings with fewer characters are left out.
    min_documents : int, default=20
        Classes with fewer docstrings are left out.
    track : callable, default=iter
        Is given the list of files and yields them one by one: the place for a progress bar.

    Returns
    -------
    texts : list of str
        The docstrings.
    labels : list of str
        The class of each.

    Examples
    --------
    >>> texts, labels = load_docstrings(["numpy"], standard_library=False)
    >>> "numpy.linalg" in labels
    True
    """
    sources = list(find_sources(packages, standard_library=standard_library))
    label_of: dict[str, str] = {}
    with _no_garbage_collection():
        for source in track(sources):
            for text in docstrings(source.path):
                if len(text) >= min_length:
                    label_of.setdefault(text, source.label)
    size = Counter(label_of.values())
    kept = [(text, label) for text, label in label_of.items() if size[label] >= min_documents]
    return [text for text, _ in kept], [label for _, label in kept]


def find_sources(packages: Iterable[str], *, standard_library: bool = True) -> Iterator[Source]:
    """Yield the Python files of installed packages and of the standard library, in order."""
    for package in packages:
        for folder in _folders(package):
            for path in _python_files(folder):
                yield Source(path, _label((package, *path.relative_to(folder).parts), depth=2))
    if standard_library:
        folder = Path(sysconfig.get_path("stdlib"))
        for path in _python_files(folder):
            label = _label(path.relative_to(folder).parts, depth=1)
            if label in sys.stdlib_module_names:
                yield Source(path, label)


def docstrings(path: Path) -> Iterator[str]:
    """Yield the docstrings of a Python file: its own, and those of its classes and functions.

    A file that is not valid Python, as templates are not, has none.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the parser thinks of others' code is not news
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for node in _documented(tree):
        text = ast.get_docstring(node)
        if text:
            yield text


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    # Syntax trees are many objects without cycles: looking for cycles doubles the time to read.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _documented(node: ast.AST) -> Iterator[_Documented]:
    """Yield what can have a docstring, without going into expressions, in order of the source."""
    if isinstance(node, _Documented):
        yield node
    if isinstance(node, ast.Module | ast.stmt | ast.excepthandler):
        for child in ast.iter_child_nodes(node):
            yield from _documented(child)


def _folders(package: str) -> list[Path]:
    # PathFinder looks at the path only, so that finding a package does not import it.
    spec = PathFinder.find_spec(package)
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]


def _python_files(folder: Path) -> list[Path]:
    """Return all sources below a folder but its tests, in an order that is the same everywhere."""
    files = (path.relative_to(folder) for path in folder.rglob("*.py"))
    kept = [path for path in files if _SKIPPED_FOLDERS.isdisjoint(path.parts)]
    return [folder / path for path in sorted(kept, key=lambda path: path.as_posix())]


def _label(parts: Sequence[str], depth: int) -> str:
    """Name the module, or the package it lies in, ``depth`` levels below the top."""
    modules = [part.removesuffix(".py") for part in parts if part != "__init__.py"]
    return ".".join(modules[:depth])
