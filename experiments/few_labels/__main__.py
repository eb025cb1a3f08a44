"""The command: what to measure, and where the results go."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.corpora import default_folder

import experiments.few_labels as experiment
from experiments.few_labels import page, published
from experiments.few_labels.corpora import MADE_UP, READERS
from experiments.few_labels.methods import METHODS
from experiments.few_labels.plan import Plan, run
from experiments.few_labels.results import Results

DOCS = Path(__file__).resolve().parents[2] / "docs"
FULL = Plan([*READERS], published.K, 5, [*METHODS])
QUICK = Plan([MADE_UP], (1, 5), 2, [*METHODS])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is not known yet, and print or write all of it."""
    given = _parser().parse_args(arguments)
    plan = _plan(given)
    results = Results(given.results)
    run(plan, results, given.data)
    asked = results.some(plan.all_tasks())
    if given.write is None:
        print(page.text(asked, with_figure=False))
    else:
        page.write(asked, given.write)
        print(f"wrote {given.write / page.NAME}")


def _plan(given: argparse.Namespace) -> Plan:
    usual = QUICK if given.quick else FULL
    return Plan(
        given.corpora or usual.corpora,
        sorted({*(given.k or usual.k_values)}),
        given.seeds or usual.n_seeds,
        given.methods or usual.methods,
    )


def _parser() -> argparse.ArgumentParser:
    about = (experiment.__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser("python -m experiments.few_labels", description=about)
    add = parser.add_argument
    add("--data", type=Path, default=default_folder(), help="folder of the corpora")
    add("--corpora", nargs="+", choices=[*READERS, MADE_UP], help="some of them (all)")
    add("--k", nargs="+", type=_positive, help="labels per class (1 2 5 10 20 50)")
    add("--seeds", type=_positive, help="how many draws of each k (5)")
    add("--methods", nargs="+", choices=[*METHODS], help="some of them (all)")
    add("--quick", action="store_true", help="a small run, on text that is made up")
    add("--results", type=Path, help="file to keep results in, and to go on from")
    add("--write", nargs="?", type=Path, const=DOCS, help="write page and figure (into docs/)")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number


if __name__ == "__main__":
    main()
