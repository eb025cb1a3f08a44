"""The structure of the package: files worth opening, names with one meaning, plain sentences."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import tallytext

PACKAGE = Path(tallytext.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
MODULES = {path: ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}

MIN_CODE_LINES = 40
QUESTION_WORDS = "what|how|which|where|why|who|whether"


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    )


def definitions(kind: type[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    for path, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, kind):
                yield str(path.relative_to(PACKAGE)), node


def importers() -> dict[str, set[Path]]:
    """Map each module to the modules that import it, or a name from it."""
    found: defaultdict[str, set[Path]] = defaultdict(set)
    for path, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tallytext"):
                found[str(node.module)].add(path)
                for name in node.names:
                    found[f"{node.module}.{name.name}"].add(path)
    return found


def code_lines(source: str) -> int:
    """Return the number of lines that are neither blank nor comments nor docstrings."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            text = node.body[0]
            docstrings.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in docstrings
        for number, line in enumerate(source.splitlines(), 1)
    )


def test_code_lines_count_neither_docstrings_nor_comments():
    source = '"""One.\n\nTwo."""\n\n# why\ndef f():\n    """Three."""\n    return 1\n'
    assert code_lines(source) == 2


def test_no_small_module_has_a_single_importer():
    used = importers()
    small = [
        name_of(path)
        for path in MODULES
        if path.name not in ("__init__.py", "__main__.py")
        and len(used[name_of(path)]) <= 1
        and code_lines(path.read_text("utf-8")) < MIN_CODE_LINES
    ]
    assert not small, "merge these modules into the one that imports them"


def test_a_class_name_has_one_meaning():
    homes = defaultdict(set)
    for home, node in definitions(ast.ClassDef):
        homes[node.name].add(home)
    assert not {name: places for name, places in homes.items() if len(places) > 1}


def test_functions_are_not_named_by_a_bare_participle():
    participle = re.compile(r"_*[a-z]+(ed|en|wn|ld|id|ght)")
    found = [f"{home}: {node.name}" for home, node in definitions(ast.FunctionDef)]
    assert not [name for name in found if participle.fullmatch(name.split(": ")[1])]


def test_docstrings_begin_with_what_a_thing_is():
    heads = {home: (ast.get_docstring(tree) or "").split("\n")[0] for home, tree in MODULES.items()}
    begins = re.compile(rf"({QUESTION_WORDS})\b", re.IGNORECASE)
    assert not {str(home): head for home, head in heads.items() if begins.match(head)}
    returns = re.compile(rf"(Return|Yield) ({QUESTION_WORDS})\b")
    assert not [
        f"{home}: {node.name}"
        for kind in (ast.FunctionDef, ast.ClassDef)
        for home, node in definitions(kind)
        if returns.match(ast.get_docstring(node) or "")
    ]


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="needs the sources")
def test_every_package_is_on_the_page_of_the_architecture():
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    entries = {path.relative_to(PACKAGE).parts[0] for path in MODULES}
    missing = {
        entry
        for entry in entries - {"__init__.py", "__main__.py"}
        if f"`{entry.removesuffix('.py')}`" not in page
    }
    assert not missing
    assert len(page.splitlines()) <= 150


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="needs the sources")
def test_files_named_on_the_page_of_the_architecture_exist():
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`([a-z_/]+\.(?:py|hpp))`", page)
    here = {
        str(path) for folder in ("src", "cpp", "tests") for path in (ROOT / folder).rglob("*.*")
    }
    assert named
    assert not [name for name in named if not any(path.endswith(f"/{name}") for path in here)]
