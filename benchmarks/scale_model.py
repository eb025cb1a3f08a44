"""What a job of any size takes, from laws that were fitted to small ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares, nnls

from benchmarks.scale_job import FAN_IN, Measured


@dataclass(frozen=True)
class Growth:
    r"""How many terms n documents have.

    .. math:: T(n) = \left((d n)^{-2} + g(n)^{-2}\right)^{-1/2},
        \quad g(n) = k n^\beta + a \frac{n}{n + m}

    Common terms, a of them, have soon been met; rare ones follow Heaps' law. No document brings
    more than d.
    """

    d: float
    k: float
    beta: float
    a: float
    m: float

    def __call__(self, n: NDArray[np.float64] | float) -> NDArray[np.float64]:
        n = np.asarray(n, float)
        many = self.k * n**self.beta + self.a * n / (n + self.m)
        return self.d * n * many / np.hypot(self.d * n, many)

    @classmethod
    def fitted(cls, sizes: Sequence[NDArray[np.float64]], found: Sequence[int], d: float) -> Growth:
        """Fit the law by least squares on logarithms; what is found is a sum over some sizes."""

        def misses(p: NDArray[np.float64]) -> NDArray[np.float64]:
            law = cls(d, np.exp(p[0]), p[1], np.exp(p[2]), np.exp(p[3]))
            return np.array([np.log(law(n).sum() / t) for n, t in zip(sizes, found, strict=True)])

        limits = [0, 0.2, 0, 0], [12, 0.95, 12, 12]
        k, beta, a, m = least_squares(misses, [6, 0.6, 8, 6], bounds=limits).x
        return cls(d, *(float(each) for each in (np.exp(k), beta, np.exp(a), np.exp(m))))


def class_sizes(n_documents: float, n_classes: int) -> NDArray[np.float64]:
    """Return how many documents each class is expected to have, as they are made up."""
    shares = 1 / (np.arange(n_classes) + 10.0)
    return n_documents * shares / shares.sum()


@dataclass(frozen=True)
class Job:
    """A job of some size.

    Parameters
    ----------
    n_documents, n_parts, n_classes, n_shards : int
    max_terms : int or None
    n_whole : int, default=0
        How many levels of the tree, from the leaves on, merge parts that are not cut yet.
    """

    n_documents: int
    n_parts: int
    n_classes: int
    n_shards: int
    max_terms: int | None = None
    n_whole: int = 0


@dataclass(frozen=True)
class Level:
    """What goes into a level of the tree: how many tallies, in pieces, and the cells of each."""

    n_tallies: float
    n_pieces: int
    n_cells: float

    @property
    def n_merges(self) -> float:
        """How many merges there are."""
        return float(np.ceil(self.n_tallies / FAN_IN)) * self.n_pieces


@dataclass(frozen=True)
class Costs:
    """What a job takes: seconds of one core, and bytes."""

    text_bytes: float
    count_seconds: float
    part_bytes: float
    merge_seconds: float
    longest_merges: float
    gather_seconds: float
    sent_bytes: float
    merge_memory: float
    client_memory: float
    n_terms: float
    n_cells: float


@dataclass(frozen=True)
class Model:
    """Laws of growth, and what each stage costs.

    Attributes
    ----------
    terms, cells : Growth
        Terms of documents; those of each class by itself, which make the cells.
    text_bytes : float
        Of a document.
    count : tuple of float
        Seconds for each partition, each byte of text, and each cell that comes of it.
    merge : tuple of float
        Seconds for each merge, and for each class and cell of the pieces that go into it.
    gather : float
        Seconds for each cell.
    packed : tuple of float
        Bytes for a piece as it is sent, and for each class, term and cell of it.
    merge_memory, client_memory : float
        Bytes for each cell that comes of it.
    """

    terms: Growth
    cells: Growth
    text_bytes: float
    count: tuple[float, ...]
    merge: tuple[float, ...]
    gather: float
    packed: tuple[float, ...]
    merge_memory: float
    client_memory: float

    @classmethod
    def fitted(cls, runs: Sequence[Measured], d: float) -> Model:
        """Fit all laws to some jobs; a document has d terms on the average."""
        levels = [level for run in runs for level in run.levels]
        alone = [np.array([run.n_documents]) for run in runs]
        sizes = [class_sizes(run.n_documents, run.n_classes) for run in runs]
        n_cells = sum(run.n_cells for run in runs)
        return cls(
            Growth.fitted(alone, [run.n_terms for run in runs], d),
            Growth.fitted(sizes, [run.n_cells for run in runs], d),
            sum(run.text_bytes for run in runs) / sum(run.n_documents for run in runs),
            _prices([(r.n_parts, r.text_bytes, r.part_cells, r.count_seconds) for r in runs]),
            _prices([(e.n_merges, e.classes_in, e.cells_in, e.seconds) for e in levels]),
            sum(run.gather_seconds for run in runs) / n_cells,
            _prices([(*_in_parts(run), run.part_bytes) for run in runs]),
            _most([(level.peak, level.cells_out) for level in levels]),
            _most([(run.gather_peak, run.n_cells) for run in runs]),
        )

    def n_cells(self, n_documents: float, job: Job) -> float:
        """Return how many cells a tally of some of the documents of a job has, at most.

        A term that is left out had one cell at least, and one that is there has as many as there
        are classes at most.
        """
        terms = float(self.terms(n_documents))
        cells = max(terms, float(self.cells(class_sizes(n_documents, job.n_classes)).sum()))
        if job.max_terms is None:
            return cells
        left_out = max(0.0, terms - job.max_terms)
        return min(cells - left_out, float(job.max_terms) * job.n_classes)

    def levels(self, job: Job) -> list[Level]:
        """Return what goes into each level of the tree."""
        found: list[Level] = []
        n_parts = float(job.n_parts)
        while n_parts > 1:
            n_pieces = 1 if len(found) < job.n_whole else job.n_shards
            found.append(Level(n_parts, n_pieces, self.n_cells(job.n_documents / n_parts, job)))
            n_parts = np.ceil(n_parts / FAN_IN)
        return found

    def packed_bytes(self, n_documents: float, job: Job, n_pieces: int) -> float:
        """Return how large a tally of some of the documents is, in so many pieces."""
        classes = _classes_seen(n_documents, job.n_classes) * n_pieces
        terms, cells = self.n_terms(n_documents, job), self.n_cells(n_documents, job)
        return float(np.dot(self.packed, (n_pieces, classes, terms, cells)))

    def n_terms(self, n_documents: float, job: Job) -> float:
        """Return how many terms a tally of some of the documents has, at most."""
        return min(float(self.terms(n_documents)), job.max_terms or np.inf)

    def costs(self, job: Job) -> Costs:
        """Return what a job takes."""
        text, whole = self.text_bytes * job.n_documents, self.n_cells(job.n_documents, job)
        levels = self.levels(job)
        sent = [self._sent(level, job) for level in levels]
        last = self.packed_bytes(job.n_documents, job, job.n_shards)
        part_cells = job.n_parts * self.n_cells(job.n_documents / job.n_parts, job)
        return Costs(
            text_bytes=text,
            count_seconds=float(np.dot(self.count, (job.n_parts, text, part_cells))),
            part_bytes=sent[0] if sent else last,
            merge_seconds=sum(self._merging(level, job) for level in levels),
            longest_merges=sum(self._longest(level, job) for level in levels),
            gather_seconds=self.gather * whole,
            sent_bytes=sum(sent) + last,
            merge_memory=self._largest_merge(levels, whole),
            client_memory=self.client_memory * whole,
            n_terms=self.n_terms(job.n_documents, job),
            n_cells=whole,
        )

    def class_bytes(self, job: Job) -> float:
        """Return how much of what is sent are lists of classes."""
        levels = [*self.levels(job), Level(1, job.n_shards, 0)]
        return self.packed[1] * sum(level.n_pieces * _classes_in(level, job) for level in levels)

    def _sent(self, level: Level, job: Job) -> float:
        n_documents = job.n_documents / level.n_tallies
        return level.n_tallies * self.packed_bytes(n_documents, job, level.n_pieces)

    def _merging(self, level: Level, job: Job) -> float:
        """Return how long all merges of a level take."""
        classes = _classes_in(level, job) * level.n_pieces
        taken_in = level.n_merges, classes, level.n_tallies * level.n_cells
        return float(np.dot(self.merge, taken_in))

    def _longest(self, level: Level, job: Job) -> float:
        """Return how long one merge of a level takes."""
        share = min(level.n_tallies, FAN_IN) / level.n_tallies
        cells = level.n_tallies * level.n_cells / level.n_pieces
        taken_in = 1, share * _classes_in(level, job), share * cells
        return float(np.dot(self.merge, taken_in))

    def _largest_merge(self, levels: Sequence[Level], whole: float) -> float:
        """Return the memory of the largest merge, the result of which is what goes in above it."""
        made = [*(level.n_cells for level in levels[1:]), whole]
        return max(
            (
                self.merge_memory * cells / level.n_pieces
                for level, cells in zip(levels, made, strict=True)
            ),
            default=0.0,
        )


def _in_parts(run: Measured) -> tuple[int, ...]:
    return run.n_pieces, run.part_classes, run.part_terms, run.part_cells


def _classes_seen(n_documents: float, n_classes: int) -> float:
    """Return how many classes are expected among some documents."""
    return float(-np.expm1(-class_sizes(n_documents, n_classes)).sum())


def _classes_in(level: Level, job: Job) -> float:
    """Return how many classes all tallies of a level have together, each taken as a whole."""
    return level.n_tallies * _classes_seen(job.n_documents / level.n_tallies, job.n_classes)


def _most(rows: Sequence[tuple[int, int]]) -> float:
    """Return the most bytes per cell, of what is not small."""
    largest = max(cells for _, cells in rows)
    return max(peak / cells for peak, cells in rows if 4 * cells >= largest)


def _prices(rows: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    """Return what each quantity costs, none less than nothing; the last is what all cost together.

    By least squares, with rows weighed so that relative errors count.
    """
    table = np.array(rows, float)
    table = table[table[:, -1] > 0]
    shares = table[:, :-1] / table[:, -1:]
    largest = shares.max(axis=0)
    found, _ = nnls(shares / largest, np.ones(len(table)))
    return tuple((found / largest).tolist())
