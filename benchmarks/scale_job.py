"""A job counted and merged in one process, as engines do it in many, and timed stage by stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from benchmarks.generated_text import Writer
from benchmarks.stage import Stage
from tallytext import Plane, Tally
from tallytext.distributed.counting import count_partition
from tallytext.distributed.options import CountingOptions
from tallytext.distributed.partial_tally import PartialTally, gather_tally, merge_packed

BLOCK = 2_000
FAN_IN = 8


@dataclass
class Merged:
    """Merges of one level of the tree, all shards together; memory is that of the largest."""

    n_merges: int = 0
    classes_in: int = 0
    cells_out: int = 0
    peak: int = 0
    cells_in: int = 0
    bytes_in: int = 0
    seconds: float = 0.0


@dataclass
class Measured:
    """What the stages of a job took, in seconds of one core, and what came of them.

    Masses are what all documents have added to planes.
    """

    n_documents: int
    n_parts: int
    n_classes: int
    text_bytes: int = 0
    count_seconds: float = 0.0
    part_bytes: int = 0
    n_pieces: int = 0
    part_cells: int = 0
    part_terms: int = 0
    part_classes: int = 0
    levels: list[Merged] = field(default_factory=list)
    gather_seconds: float = 0.0
    gather_peak: int = 0
    n_terms: int = 0
    n_cells: int = 0
    whole_bytes: int = 0
    masses: dict[Plane, float] = field(default_factory=dict)

    @property
    def merge_seconds(self) -> float:
        """Time of all merges."""
        return sum(level.seconds for level in self.levels)

    @property
    def sent_bytes(self) -> int:
        """What goes from one task to another, or to the client."""
        return sum(level.bytes_in for level in self.levels) + self.whole_bytes


@dataclass(frozen=True)
class Design:
    """How many documents, in how many partitions, of how many classes, and what is counted."""

    n_documents: int
    n_parts: int
    n_classes: int = 20
    n_shards: int = 4
    max_terms: int | None = None
    planes: tuple[Plane, ...] = ()

    def run(self) -> Measured:
        """Do the job."""
        asked = CountingOptions.from_arguments(
            text="body", labels="topic", sample=0, planes=self.planes, max_terms=self.max_terms
        )
        job = asked.with_shards(self.n_shards)
        found = Measured(self.n_documents, self.n_parts, self.n_classes)
        parts = [self._counted(job, number, found) for number in range(self.n_parts)]
        shards = [_merged(list(pieces), job, found) for pieces in zip(*parts, strict=True)]
        del parts
        with Stage() as stage:
            tally = gather_tally(shards, job)
        found.gather_seconds, found.gather_peak = stage.seconds, stage.peak
        found.n_terms, found.n_cells = tally.n_terms, tally.n_cells
        found.whole_bytes = sum(map(len, shards))
        found.masses = {plane: tally.plane_totals(plane).total for plane in tally.planes}
        return found

    def _counted(self, job: CountingOptions, number: int, found: Measured) -> list[bytes]:
        records = list(self._records(number))
        found.text_bytes += sum(record.column("body").nbytes for record in records)
        with Stage() as stage:
            pieces = count_partition(job, f"partition {number}", records)
        found.count_seconds += stage.seconds
        found.part_bytes += sum(map(len, pieces))
        for tally in map(_tally, pieces):
            found.n_pieces += 1
            found.part_cells += tally.n_cells
            found.part_terms += tally.n_terms
            found.part_classes += tally.n_classes
        return pieces

    def _records(self, number: int) -> Iterator[pa.RecordBatch]:
        """Yield the documents of a partition; they depend on nothing but their place."""
        writer, each = Writer(self.n_classes), self.n_documents // self.n_parts
        for at in range(0, each, BLOCK):
            table = writer.documents((number << 16) + at, min(BLOCK, each - at))
            yield from table.combine_chunks().to_batches()


def _tally(piece: bytes) -> Tally:
    return PartialTally.unpack(piece).tally


def _merged(pieces: list[bytes], job: CountingOptions, found: Measured) -> bytes:
    """Merge the pieces of one shard as a tree."""
    depth = 0
    while len(pieces) > 1:
        if len(found.levels) == depth:
            found.levels.append(Merged())
        groups = [pieces[at : at + FAN_IN] for at in range(0, len(pieces), FAN_IN)]
        pieces = [_merged_once(group, job, found.levels[depth]) for group in groups]
        depth += 1
    return pieces[0]


def _merged_once(group: list[bytes], job: CountingOptions, level: Merged) -> bytes:
    level.n_merges += 1
    for tally in map(_tally, group):
        level.cells_in += tally.n_cells
        level.classes_in += tally.n_classes
    level.bytes_in += sum(map(len, group))
    with Stage() as stage:
        one = merge_packed(group, job.n_sampled, job.max_shard_terms)
    level.seconds += stage.seconds
    if stage.peak >= level.peak:
        level.peak, level.cells_out = stage.peak, _tally(one).n_cells
    return one
