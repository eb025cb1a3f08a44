"""Print pip constraints for the oldest version of each run-time dependency in pyproject.toml.

``make test-oldest`` installs with them, so that the lower bounds are tested, not just stated.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def run_time_requirements() -> Iterator[str]:
    """Yield the dependencies of the package, and those of its extras."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    yield from project["dependencies"]
    for extra in project["optional-dependencies"].values():
        yield from extra


def oldest(requirements: Iterable[str]) -> Iterator[str]:
    """Yield ``name==version`` with the lower bound of each requirement, markers included."""
    for requirement in requirements:
        what, _, marker = requirement.partition(";")
        name, bound = re.fullmatch(r"([\w.-]+)(?:\[.*\])?>=([\w.]+)(?:,.*)?", what.strip()).groups()
        yield f"{name}=={bound}" + (f"; {marker.strip()}" if marker else "")


if __name__ == "__main__":
    print("\n".join(sorted(set(oldest(run_time_requirements())))))
