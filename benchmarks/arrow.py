"""Reading an Arrow column instead of a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock, on
from benchmarks.vectorizer import with_names
from tallytext import TextVectorizer

ABOUT = """`TextVectorizer` on the same texts as a list of str and as a `pyarrow.ChunkedArray`:
`fit_transform` and `get_feature_names_out`."""
COLUMNS = ("threads", "from a list", "from a column", "list / column")


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    for corpus in corpora:
        sources = {"list": corpus.texts, "column": corpus.column()}
        contestants = {}
        for threads in (1, 2):
            count = partial(with_names, TextVectorizer(n_jobs=threads))
            for source, texts in sources.items():
                contestants |= on(texts, {f"{source}, n_jobs={threads}": count})
        seconds = clock.best(f"list and column, {corpus.name}", contestants)
        yield Table(str(corpus), COLUMNS, [_row(seconds, threads) for threads in (1, 2)])


def _row(seconds: dict[str, float], threads: int) -> tuple[str, ...]:
    by_list, by_column = (seconds[f"{source}, n_jobs={threads}"] for source in ("list", "column"))
    return str(threads), duration(by_list), duration(by_column), figure(by_list / by_column)
