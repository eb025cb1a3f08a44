"""The command: what to play, and where the results go."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.corpora import default_folder

import experiments.labelling as experiment
from experiments.labelling import page
from experiments.labelling.results import Results
from experiments.labelling.simulation import ORDERS, Game, Half, simulate
from tallytext.io import load_corpus
from tallytext.runtime import progress_bar

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"


def main(arguments: Sequence[str] | None = None) -> None:
    """Play what is not known yet, and print or write all of it."""
    given = _parser().parse_args(arguments)
    results = Results(given.results)
    for corpus in given.corpora:
        tasks = [(order, seed) for seed in range(given.seeds) for order in ORDERS]
        missing = [task for task in tasks if results.lacks(corpus, *task)]
        if missing:
            game = _game(corpus, given)
            with progress_bar(corpus, len(missing) * given.answers, None) as step:
                for order, seed in missing:
                    results.add(simulate(game, order, seed, step))
    if given.write is None:
        print(page.text(results))
    else:
        page.write(results, given.write)
        print(f"wrote {given.write / page.NAME}")


def _game(name: str, given: argparse.Namespace) -> Game:
    corpus = load_corpus(name, folder=given.data)
    train, test = corpus.train, corpus.test
    n = given.documents
    return Game(
        name,
        Half(train.texts[:n], train.labels[:n]),
        Half(test.texts, test.labels),
        given.answers,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m experiments.labelling", description=_about())
    add = parser.add_argument
    add("--data", type=Path, default=default_folder(), help="folder of the corpora")
    add("--corpora", nargs="+", choices=[*page.LEVELS], default=[*page.LEVELS], help="some (all)")
    add("--seeds", type=int, default=5, help="how many runs of each order (5)")
    add("--answers", type=int, default=80, help="questions answered in each (80)")
    add("--documents", type=int, default=20_000, help="at most so many to choose from (20000)")
    add("--results", type=Path, default=HERE / "results.json", help="file to keep results in")
    add("--write", nargs="?", type=Path, const=DOCS, help="write page and figure (into docs/)")
    return parser


def _about() -> str:
    return (experiment.__doc__ or "").split("\n")[0]


if __name__ == "__main__":
    main()
