import ast
import importlib
import inspect
from collections import Counter

import pytest

from public_names import API, described, exported, missing_parameters, value


def test_every_public_name_is_described_in_one_page():
    assert Counter(path for _, path in described()) == Counter(exported())


def test_the_overview_leads_to_every_name():
    overview = (API / "index.md").read_text(encoding="utf-8")
    for page, path in described():
        assert f"[`{path.rpartition('.')[2]}`]({page}#{path})" in overview


@pytest.mark.parametrize("path", exported())
def test_every_public_name_has_a_docstring_of_its_own(path):
    thing = value(path)
    if not callable(thing):
        assert has_text_below(*path.rsplit(".", 1))
    else:
        assert inspect.cleandoc(thing.__doc__)[0].isupper() or path.startswith("tallytext.sklearn.")


def has_text_below(package, name):
    """Whether the assignment of a value is followed by a string that says what it is."""
    found = False
    for module in [each for each in vars(importlib.import_module(package)).values() if inspect.ismodule(each)]:
        body = ast.parse(inspect.getsource(module)).body
        for assigned, after in zip(body, body[1:], strict=False):
            is_it = isinstance(assigned, ast.Assign) and assigned.targets[0].id == name
            found |= is_it and isinstance(after, ast.Expr) and bool(ast.literal_eval(after.value))
    return found


@pytest.mark.parametrize("path", exported())
def test_every_parameter_is_described(path):
    assert not missing_parameters(path)
