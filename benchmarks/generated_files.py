"""Parquet files of documents that are made up: ``python -m benchmarks.generated_files --help``."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.generated_text import Writer

BLOCK = 2_000  # documents that are written at a time
GROUP = 20  # blocks that make a row group: about 50 MB of text
FILE_BYTES = 250_000_000
NOTE = "generated.json"


@dataclass(frozen=True)
class Wanted:
    """A data set of a size on disk, and where it is or goes.

    Parameters
    ----------
    n_bytes : int
    folder : Path or None
        Has a folder for each size, so that sets do not mix; None for one that is removed again.
    n_classes, seed : int
        As for :class:`~benchmarks.generated_text.Writer`.
    """

    n_bytes: int
    folder: Path | None = None
    n_classes: int = 20
    seed: int = 0

    @contextmanager
    def files(self) -> Iterator[list[Path]]:
        """Yield the files, which are written unless they are there already."""
        if self.folder is not None:
            yield self._written(self.folder)
            return
        with tempfile.TemporaryDirectory(prefix="tallytext-generated-") as folder:
            yield self._written(Path(folder))

    def _written(self, folder: Path) -> list[Path]:
        folder /= f"{self.n_bytes}-bytes-{self.n_classes}-classes-{self.seed}"
        told = asdict(self) | {"folder": None}
        if not _is_told(folder / NOTE, told):
            write(folder, self.n_bytes, Writer(self.n_classes, self.seed))
            (folder / NOTE).write_text(json.dumps(told))
        return sorted(folder.glob("part-*.parquet"))


def write(folder: Path, n_bytes: int, writer: Writer) -> None:
    """Write about so many bytes of Parquet, in two processes."""
    folder.mkdir(parents=True, exist_ok=True)
    n_files = max(2, round(n_bytes / FILE_BYTES))
    each = n_bytes // n_files
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        jobs = [pool.submit(_write_file, folder, at, each, writer) for at in range(n_files)]
        for job in jobs:
            job.result()


def _write_file(folder: Path, number: int, n_bytes: int, writer: Writer) -> None:
    path = folder / f"part-{number:05d}.parquet"
    blocks = _blocks(number, writer)
    first = next(blocks)
    with pq.ParquetWriter(
        path, first.schema, compression="snappy", use_dictionary=["topic"]
    ) as file:
        n_written, per_block = 0, 0.0
        group = [first]
        while group:
            file.write_table(pa.concat_tables(group), row_group_size=GROUP * BLOCK)
            n_written += len(group)
            per_block = file.file_handle.tell() / n_written
            left = round(n_bytes / per_block) - n_written
            group = [next(blocks) for _ in range(min(GROUP, left))]


def _blocks(number: int, writer: Writer) -> Iterator[pa.Table]:
    """Yield documents that no other file has."""
    at = number << 32
    while True:
        yield writer.documents(at, BLOCK)
        at += 1


def _is_told(note: Path, told: dict[str, object]) -> bool:
    return note.is_file() and json.loads(note.read_text()) == told


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generated_files")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bytes", type=float, default=4e9, help="size on disk (default: 4e9)")
    parser.add_argument("--classes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    begin = perf_counter()
    wanted = Wanted(int(options.bytes), options.folder, options.classes, options.seed)
    with wanted.files() as files:
        n_bytes = sum(file.stat().st_size for file in files)
        text = sum(text_bytes(file) for file in files)
    seconds = perf_counter() - begin
    print(
        f"{len(files)} files, {n_bytes / 1e6:.0f} MB, {text / 1e6:.0f} MB of text, {seconds:.0f} s"
    )


def text_bytes(file: Path) -> int:
    """Return how much text a file holds."""
    told = pq.read_metadata(file)
    groups = (told.row_group(at) for at in range(told.num_row_groups))
    return sum(group.column(0).total_uncompressed_size for group in groups)


def read_once(files: list[Path]) -> None:
    """Read files, so that they are in the cache of the system, if they fit."""
    for file in files:
        with file.open("rb") as opened:
            while opened.read(1 << 24):
                pass


if __name__ == "__main__":
    main()
