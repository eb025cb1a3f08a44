"""The command: what to play, and where the results go."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.corpora import default_folder

import experiments.labelling as experiment
from experiments.labelling import page
from experiments.labelling.results import Results
from experiments.labelling.simulation import ORDERS, Half, simulate
from tallytext.datasets import load
from tallytext.progress import progress_bar

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"


def main(arguments: Sequence[str] | None = None) -> None:
    """Play what is not known yet, and print or write all of it."""
    given = _parser().parse_args(arguments)
    results = Results(given.results)
    tasks = [(order, seed) for seed in range(given.seeds) for order in ORDERS]
    missing = [task for task in tasks if (*task, given.answers) not in results]
    if missing:
        train, test = _halves(given.data, given.documents)
        with progress_bar("Labelling", len(missing) * given.answers, None) as step:
            for order, seed in missing:
                results.add(simulate(train, test, order, seed, given.answers, step))
    if given.write is None:
        print(page.text(results))
    else:
        page.write(results, given.write)
        print(f"wrote {given.write / page.NAME}")


def _halves(folder: Path | None, n: int | None) -> tuple[Half, Half]:
    corpus = load("ag-news-20k", folder=folder)
    train, test = corpus.train, corpus.test
    return Half(train.texts[:n], train.labels[:n]), Half(test.texts, test.labels)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m experiments.labelling", description=_about())
    add = parser.add_argument
    add("--data", type=Path, default=default_folder(), help="folder of the corpora")
    add("--seeds", type=int, default=5, help="how many runs of each order (5)")
    add("--answers", type=int, default=80, help="questions answered in each (80)")
    add("--documents", type=int, help="only so many documents to choose from")
    add("--results", type=Path, default=HERE / "results.json", help="file to keep results in")
    add("--write", nargs="?", type=Path, const=DOCS, help="write page and figure (into docs/)")
    return parser


def _about() -> str:
    return (experiment.__doc__ or "").split("\n")[0]


if __name__ == "__main__":
    main()
