"""Lazy exports of packages, so that a light command does not import heavy modules."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from sys import modules


def lazy_exports(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package that imports names on first use.

    Parameters
    ----------
    package : str
        ``__name__`` of the package.
    homes : mapping of str to sequence of str
        The public names defined in each module of the package.
    """
    home_of = {name: f"{package}.{home}" for home, names in homes.items() for name in names}

    def __getattr__(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home_of[name]), name)
        # Importing a module binds its name in the package, and a function may have the same name.
        setattr(modules[package], name, value)
        return value

    def __dir__() -> list[str]:
        return sorted({*home_of, *vars(modules[package])})

    return __getattr__, __dir__
