"""Running the parts of papers, and keeping what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.reproduction.paper import Paper, Part
from experiments.reproduction.store import Result, Store
from experiments.reproduction.workplace import NotHere, Workplace

Tell = Callable[[str], None]


def run(
    papers: Sequence[Paper], work: Workplace, store: Store, *, fresh: bool = False
) -> dict[str, dict[str, Result]]:
    """Measure all parts of some papers that were not measured before.

    Parameters
    ----------
    papers : sequence of Paper
        In the order in which they are run.
    work : Workplace
        What parts work with.
    store : Store
        Where results are kept, and looked for.
    fresh : bool
        Whether to measure everything again.

    Returns
    -------
    dict of str to dict of str to Result
        By paper and part; parts whose corpora are not there are left out.
    """
    with _told(sum(len(paper.parts) for paper in papers)) as (tell, line, step):
        found = {}
        for paper in papers:
            found[paper.name] = {}
            for part in paper.parts:
                say = _prefixed(line, f"{paper.name} {part.name}")
                result = _result(paper, part, replace(work, say=say), store, fresh, tell)
                if result is not None:
                    found[paper.name][part.name] = result
                step()
        return found


def _result(
    paper: Paper, part: Part, work: Workplace, store: Store, fresh: bool, tell: Tell
) -> Result | None:
    name = f"{paper.name} {part.name}"
    known = None if fresh else store.get(paper, part, work.quick)
    if known is not None:
        tell(f"{name}: known")
        return known
    work.say("")
    start = perf_counter()
    try:
        found = part.measure(work)
    except NotHere as reason:
        tell(f"{name}: left out, {reason}")
        return None
    result = Result(found, perf_counter() - start, part.source, work.quick)
    store.put(paper, part, result)
    tell(f"{name}: {result.seconds:.1f} s")
    # As the next run would read it.
    return store.get(paper, part, work.quick)


def _prefixed(line: Tell, name: str) -> Tell:
    return lambda what: line(f"{name}: {what}" if what else name)


@contextmanager
def _told(n_parts: int) -> Iterator[tuple[Tell, Tell, Callable[[], None]]]:
    """Yield what prints a line, what shows one below all others, and what counts a part."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    columns = BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()
    text = TextColumn("{task.description}", markup=False)
    with Progress(*columns, text, console=console, transient=True, refresh_per_second=2) as bar:
        task = bar.add_task("", total=n_parts)
        yield (
            console.print,
            lambda line: bar.update(task, description=line),
            lambda: bar.advance(task),
        )
