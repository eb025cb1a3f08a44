"""A plugin of pytest for an environment with run-time dependencies only: ``make test-runtime``.

Tests that need another package are skipped, whether they import it themselves, or a module beside
them does, or the package asks for one of its extras. Everything else must pass.
"""

import ast
import functools
import importlib.util
import re
from pathlib import Path

import pytest

from tallytext.errors import TallytextError

TESTS = Path(__file__).parent
#: Where tests find modules of their own, as in pyproject.toml.
FOLDERS = [TESTS, TESTS / "attack", TESTS.parent]


@functools.cache
def missing(path: Path) -> str | None:
    """Return a package that a module imports, or a module beside it, and that is not installed."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        for name in names:
            if (absent := missing_name(name)) is not None:
                return absent
    return None


@functools.cache
def missing_name(name: str) -> str | None:
    own = [path for folder in FOLDERS if (path := folder / f"{name.replace('.', '/')}.py").exists()]
    if own:
        return missing(own[0])
    if name.startswith("tallytext.distributed"):
        return missing_name("pyarrow")
    top = name.split(".")[0]
    return None if importlib.util.find_spec(top) or (TESTS.parent / top).is_dir() else top


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    is_module = collection_path.suffix == ".py" and collection_path.is_relative_to(TESTS.parent)
    return True if is_module and missing(collection_path) else None


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> object:
    try:
        return (yield)
    # Commands report the error, and so the test fails with it in a message.
    except (TallytextError, AssertionError) as error:
        if not re.search(r"pip install.*tallytext\[", str(error)):
            raise
        pytest.skip(str(error))
    except ModuleNotFoundError as error:
        if importlib.util.find_spec(str(error.name).split(".")[0]):
            raise
        pytest.skip(str(error))
