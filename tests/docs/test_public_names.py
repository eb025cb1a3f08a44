import ast
import importlib
import inspect
from collections import Counter
from itertools import pairwise
from typing import Literal, get_origin

import pytest

from public_names import API, described, exported, missing_parameters, value


def test_every_public_name_is_described_in_one_page():
    places = Counter(path for _, path in described())
    assert not [path for path, times in places.items() if times > 1]
    # A name that is missing wants a line "::: name" in a page of docs/api, and a link in index.md.
    assert sorted(set(exported()) - set(places)) == []
    assert sorted(set(places) - set(exported())) == []


def test_the_overview_leads_to_every_name():
    overview = (API / "index.md").read_text(encoding="utf-8")
    for page, path in described():
        assert f"[`{path.rpartition('.')[2]}`]({page}#{path})" in overview


@pytest.mark.parametrize("path", exported())
def test_every_public_name_has_a_docstring_of_its_own(path):
    thing = value(path)
    if not callable(thing) or get_origin(thing) is Literal:
        assert has_text_below(*path.rsplit(".", 1))
    else:
        assert inspect.cleandoc(thing.__doc__)[0].isupper() or path.startswith("tallytext.sklearn.")


def has_text_below(package, name):
    """Whether the assignment of a value is followed by a string that says what it is."""

    def assigned(node):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        return targets[0] is not None and ast.unparse(targets[0]) == name

    modules = filter(inspect.ismodule, vars(importlib.import_module(package)).values())
    bodies = [ast.parse(inspect.getsource(module)).body for module in modules]
    pairs = [pair for body in bodies for pair in pairwise(body)]
    after = [second for first, second in pairs if assigned(first)]
    return any(
        isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in after
    )


@pytest.mark.parametrize("path", exported())
def test_every_parameter_is_described(path):
    assert not missing_parameters(path)
