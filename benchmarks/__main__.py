"""Runs the benchmarks: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmarks import report
from benchmarks.corpora import NAMES, Corpus, FolderAndPeers, default_folder, load
from benchmarks.generated_files import Wanted
from benchmarks.tables import Table
from benchmarks.timing import Clock

SECTIONS = {
    "vectorizer": "From a list of str to counts and names",
    "transform": "With a vocabulary learned before",
    "arrow": "From an Arrow column",
    "drop_ins": "Drop-ins for scikit-learn's vectorizers",
    "char_ngrams": "Character n-grams besides words",
    "phrases": "Finding phrases",
    "startup": "Start-up of the command line",
    "memory": "Peak memory",
    "growth": "Growth with the corpus",
    "tally": "The tally",
    "term_scores": "Scores of terms",
    "term_selection": "kNN on the best terms of Reuters-21578",
    "neighbours": "Nearest documents and term strength",
    "translation": "Translations of words and phrases",
    "vocabulary_curve": "Error against the number of terms",
    "bayes": "Naive Bayes: speed",
    "many_classes": "Thousands of classes",
    "accuracy": "Naive Bayes: accuracy and calibration",
    "reuters": "Poisson naive Bayes on Reuters-21578",
    "llsf": "Least squares on Reuters-21578",
    "rotation": "Rotation forest and Fisher's discriminant",
    "classifier": "TextClassifier beside scikit-learn",
    "default": "The default beside linear support vector machines, and while it learns",
    "thousand_labels": "1,000 labels, beside published figures",
    "best": "The best learner beside a linear support vector machine",
    "refined": "RefinedNB beside LinearSVC",
    "fasttext_peer": "TextClassifier beside fastText",
    "pooled": "PooledNB: few labels and a pool",
    "few_labels_calibration": "Calibration with few labels",
    "labelling": "Labelling: how long one waits",
    "prediction_sets": "Prediction sets",
    "novelty": "Novelty: classes left out of training",
    "several_labels": "Several labels: in steps, as expected, with few terms",
    "equality": "Dask and Spark: equal to the last bit",
    "streaming": "Streams larger than memory",
    "load": "Long and large loads",
    "distributed": "Two workers beside one",
    "engines": "The same job on Dask, on Spark, and by their own means",
    "scale": "Cost of each stage",
}
QUICK_BYTES = 2_000_000
DESCRIPTION = """\
Measure speed and memory of tallytext beside scikit-learn's vectorizers.

Contestants take turns in one process, so that ratios mean something even on a
busy machine; memory is measured in a fresh process for each. A full run takes
some minutes and writes docs/benchmarks.md, and tables of other pages. A run
with --only writes nothing unless --write is given; one with --quick or
--documents prints its tables and never writes."""
SECTION_LIST = "\n".join(f"  {name:<11} {heading}" for name, heading in SECTIONS.items())
EXAMPLES = f"""\
sections:
{SECTION_LIST}

examples:
  make bench                                     all of it, into docs/benchmarks.md
  make bench ARGS=--quick                        a glance
  make bench ARGS="--only vectorizer memory"     two sections, on the whole corpora
  make bench ARGS="--data ~/corpora --rounds 9"  corpora from elsewhere, more rounds"""


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    console = Console(soft_wrap=True)
    rounds = options.rounds or (2 if options.quick else 5)
    results, pages = {}, {}
    with _progress_line(console) as say:
        corpora = _corpora(options, say)
        console.print(report.machine(), highlight=False)
        for name in options.only or SECTIONS:
            if section := _section(console, name, options):
                tables = section.measure(_input(section, options, corpora), Clock(rounds, say))
                shown = _show(console, SECTIONS[name], tables, options.markdown)
                if page := getattr(section, "PAGE", None):
                    pages[page] = shown
                else:
                    results[SECTIONS[name]] = section.ABOUT, shown
    if options.quick or options.documents:
        return
    if options.write or not options.only:
        _write(results, pages, None if options.only else rounds)
        console.print("Wrote the pages.", highlight=False)


def _write(
    results: dict[str, tuple[str, list[Table]]], pages: dict[str, list[Table]], rounds: int | None
) -> None:
    """Write the page of benchmarks, the whole of it after so many rounds, and tables of others."""
    if rounds:
        report.write(results, rounds)
    else:
        report.rewrite(results)
    for page, tables in pages.items():
        report.fill(page, tables)


def _section(console: Console, name: str, options: argparse.Namespace) -> ModuleType | None:
    """Return the module of a section, or say what keeps it from running."""
    try:
        section = import_module(f"benchmarks.{name}")
        reason = _missing(section, options)
    except ImportError as problem:
        reason = str(problem).partition(" (")[0]
    if reason:
        console.print(f"\n{SECTIONS[name]}: skipped, {reason}", highlight=False)
    return None if reason else section


def _missing(section: ModuleType, options: argparse.Namespace) -> str:
    """Say what keeps a section that reads a corpus of its own from running, if anything does."""
    file = getattr(section, "FILE", None)
    reads_folder = getattr(section, "FOLDER", False) or getattr(section, "PEERS", False)
    if reads_folder and options.data is None:
        return "there is no folder of corpora"
    if file and (options.data is None or not (options.data / file).is_file()):
        return f"there is no {file}"
    if (file or hasattr(section, "BYTES")) and options.quick and not options.only:
        return "ask for it with --only"
    return ""


def _input(section: ModuleType, options: argparse.Namespace, corpora: list[Corpus]) -> object:
    """Return the path of the section's own corpus or corpora, or those that all others share."""
    file = getattr(section, "FILE", None)
    if size := getattr(section, "BYTES", None):
        return Wanted(options.bytes or (QUICK_BYTES if options.quick else size), options.generated)
    if getattr(section, "FOLDER", False):
        return options.data
    if getattr(section, "PEERS", False):
        return FolderAndPeers(options.data, options.peers, options.documents)
    return options.data / file if file else corpora


def _show(
    console: Console, heading: str, tables: Iterator[Table], markdown: bool = False
) -> list[Table]:
    """Print tables as they come, and keep them."""
    console.print(f"\n[bold]{heading}[/]")
    kept = []
    for table in tables:
        if markdown:
            console.print(f"\n{table.markdown()}", markup=False, highlight=False)
        else:
            console.print(table.terminal())
        kept.append(table)
    return kept


def _corpora(options: argparse.Namespace, say: Callable[[str], None]) -> list[Corpus]:
    say("reading the corpora")
    corpora = load(options.data)
    if options.quick:
        step = 1 if options.documents else 8
        corpora = [corpora[0].every(step)]
    return [corpus.first(options.documents) for corpus in corpora]


@contextmanager
def _progress_line(console: Console) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a line of text below the tables."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    # It is drawn between the runs only: a thread that draws would take time from what is timed.
    progress = Progress(*columns, console=console, transient=True, auto_refresh=False)
    with progress:
        task = progress.add_task("")
        yield lambda line: progress.update(task, description=line, refresh=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    files = " and ".join(f"{name}.parquet" for name in NAMES)
    add("--quick", action="store_true", help="every eighth document of one corpus, two rounds")
    add("--only", nargs="+", choices=SECTIONS, metavar="SECTION", help="run these sections")
    add("--write", action="store_true", help="with --only: write these sections into the page")
    add("--documents", type=_positive, metavar="N", help="the first N documents of each corpus")
    add("--markdown", action="store_true", help="print tables as Markdown")
    add(
        "--peers",
        type=Path,
        metavar="FILE",
        help="JSON with figures of other libraries, which are measured and added if they are not "
        "in it; section default",
    )
    add("--rounds", type=_positive, metavar="N", help="turns of each contestant; 5, or 2 if quick")
    add("--bytes", type=_size, metavar="N", help="size of generated Parquet on disk, as in 4e9")
    add(
        "--generated",
        type=Path,
        metavar="DIR",
        help="folder of generated Parquet, which is kept; default: a temporary one",
    )
    add(
        "--data",
        type=Path,
        metavar="DIR",
        default=default_folder(),
        help=f"folder with {files}, columns text, labels and split; without them the docstrings "
        "of this machine are counted. Default: $TALLYTEXT_DATA, else ../shared/data",
    )
    options = parser.parse_args(arguments)
    if options.data and not options.data.is_dir():
        parser.error(f"there is no folder {options.data}: is --data, or TALLYTEXT_DATA, right?")
    return options


def _size(text: str) -> int:
    return _positive(str(int(float(text))))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


if __name__ == "__main__":
    main()
