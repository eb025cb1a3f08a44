"""What users may rely on: the names that packages export, where they are described, and how."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import tallytext

ROOT = Path(__file__).parents[1]
API = ROOT / "docs" / "api"


def packages():
    """List the public packages: those right below tallytext that say what they export."""
    found = [f"tallytext.{each.name}" for each in pkgutil.iter_modules(tallytext.__path__)]
    named = (name for name in found if not name.rpartition(".")[2].startswith("_"))
    exporting = [name for name in named if hasattr(importlib.import_module(name), "__all__")]
    return exporting


def exported():
    """List the path of every public name, the shortest if it is exported twice."""
    top = {f"tallytext.{name}" for name in tallytext.__all__}
    below = {
        f"{package}.{name}"
        for package in packages()
        for name in importlib.import_module(package).__all__
        if name not in tallytext.__all__
    }
    return sorted(top | below)


def described():
    """List the page and the path of every name that a page of the reference describes."""
    return [
        (page.name, path)
        for page in sorted(API.glob("*.md"))
        for path in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.M)
    ]


def value(path):
    package, _, name = path.rpartition(".")
    return getattr(importlib.import_module(package), name)


def missing_parameters(path):
    """List the parameters of a name, and of its methods, that no docstring describes.

    What a method inherits from one of the same name need not be said again.
    """
    thing = value(path)
    missing = {path: _missing(thing, [thing])} if _is_ours(thing) else {}
    for name in dir(thing) if inspect.isclass(thing) else []:
        method = getattr(thing, name)
        if not name.startswith("_") and inspect.isroutine(method) and _is_ours(method):
            before = [vars(each)[name] for each in thing.__mro__ if name in vars(each)]
            missing[f"{path}.{name}"] = _missing(method, before)
    return {each: names for each, names in missing.items() if names}


def _missing(function, described_by):
    named = {name for each in described_by for name in _named_in(inspect.getdoc(each) or "")}
    return [name for name in inspect.signature(function).parameters if name not in named]


def _is_ours(function):
    """Tell what is written here from what scikit-learn, the standard library or Cython wrote."""
    if not callable(function):
        return False
    if inspect.isclass(function):
        maker = next(each for each in function.__mro__ if "__init__" in vars(each))
        return not maker.__module__.startswith("sklearn.") and not issubclass(function, Exception)
    return (getattr(function, "__module__", None) or "").startswith("tallytext")


def _named_in(docstring):
    """Names in the sections of a docstring in the style of NumPy that describe what goes in."""
    bodies = re.findall(
        r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)",
        inspect.cleandoc(docstring),
        re.M | re.S,
    )
    heads = [line for body in bodies for line in body.splitlines() if line[:1].strip()]
    names = {name.strip(" *") for head in heads for name in head.split(" : ")[0].split(",")}
    return names | {"self", "cls"}
