"""A corpus for every machine: the docstrings of installed Python packages.

The packages are NumPy, SciPy, scikit-learn and the standard library; the class of a docstring is
its sub-package. Sources are parsed, never imported: no code runs, and modules that need a display
or another system are read too.
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


class PythonFile(NamedTuple):
    """A Python file and the class its docstrings belong to."""

    path: Path
    label: str


def load_docstrings(
    packages: Iterable[str] = PACKAGES,
    *,
    standard_library: bool = True,
    min_length: int = 80,
    min_documents: int = 20,
    track: Callable[[Sequence[PythonFile]], Iterable[PythonFile]] = iter,
) -> tuple[list[str], list[str]]:
    """Collect docstrings and the sub-packages they come from.

    The class of a docstring in a package is its sub-package, as in ``"numpy.linalg"``; in the
    standard library it is the top-level module or package, as in ``"asyncio"``. Tests and
    duplicates are left out, and the order is deterministic.

    Parameters
    ----------
    packages : iterable of str, default=("numpy", "scipy", "sklearn")
        Packages to read; a package that is not installed is ignored.
    standard_library : bool, default=True
        True also reads the standard library.
    min_length : int, default=80
        Smallest number of characters of a docstring.
    min_documents : int, default=20
        Smallest number of docstrings of a class.
    track : callable, default=iter
        Wraps the list of files, for a progress bar.

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
    sources = list(find_python_files(packages, standard_library=standard_library))
    label_of: dict[str, str] = {}
    with _no_garbage_collection():
        for source in track(sources):
            for text in read_docstrings(source.path):
                if len(text) >= min_length:
                    # Duplicates keep their first label: files are visited in a fixed order.
                    label_of.setdefault(text, source.label)
    size = Counter(label_of.values())
    kept = [(text, label) for text, label in label_of.items() if size[label] >= min_documents]
    return [text for text, _ in kept], [label for _, label in kept]


def find_python_files(
    packages: Iterable[str], *, standard_library: bool = True
) -> Iterator[PythonFile]:
    """Yield the Python files of installed packages and of the standard library, in order."""
    for package in packages:
        for folder in _folders(package):
            for path in _python_files(folder):
                yield PythonFile(path, _label((package, *path.relative_to(folder).parts), depth=2))
    if standard_library:
        folder = Path(sysconfig.get_path("stdlib"))
        for path in _python_files(folder):
            label = _label(path.relative_to(folder).parts, depth=1)
            # The folder of the standard library may hold other modules, e.g. sitecustomize.
            if label in sys.stdlib_module_names:
                yield PythonFile(path, label)


def read_docstrings(path: Path) -> Iterator[str]:
    """Yield the docstrings of a Python file: its own, and those of its classes and functions.

    A file that is not valid Python, such as a template, has none.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about other projects' code
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for node in _docstring_nodes(tree):
        text = ast.get_docstring(node)
        if text:
            yield text


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    # Syntax trees are many objects without cycles: searching for cycles doubles the time.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _docstring_nodes(node: ast.AST) -> Iterator[_Documented]:
    """Yield modules, classes and functions in source order, without visiting expressions."""
    if isinstance(node, _Documented):
        yield node
    # Definitions can be nested in "if" and "try", but expressions hold none with a docstring.
    if isinstance(node, ast.Module | ast.stmt | ast.excepthandler):
        for child in ast.iter_child_nodes(node):
            yield from _docstring_nodes(child)


def _folders(package: str) -> list[Path]:
    # PathFinder searches sys.path only, so that finding a package does not import it.
    spec = PathFinder.find_spec(package)
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]


def _python_files(folder: Path) -> list[Path]:
    """Return all sources below a folder except tests, in the same order on every system."""
    files = (path.relative_to(folder) for path in folder.rglob("*.py"))
    kept = [path for path in files if _SKIPPED_FOLDERS.isdisjoint(path.parts)]
    return [folder / path for path in sorted(kept, key=lambda path: path.as_posix())]


def _label(parts: Sequence[str], depth: int) -> str:
    """Return the name of the module or package at a depth below the top."""
    modules = [part.removesuffix(".py") for part in parts if part != "__init__.py"]
    return ".".join(modules[:depth])
