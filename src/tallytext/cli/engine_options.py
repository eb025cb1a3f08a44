"""Options that say where work is done that one machine would do for too long."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Annotated

import typer

_PANEL = "Engine"


class EngineName(StrEnum):
    """Who shares out the work."""

    dask = "dask"
    spark = "spark"


Chosen = Annotated[
    EngineName | None,
    typer.Option(
        "--engine",
        help="Let Dask or Spark share out the work; every worker must find INPUT under the same "
        "name. Counts and answers are those of one machine.",
        show_default="this process does all",
        rich_help_panel=_PANEL,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="The scheduler of a Dask cluster, such as tcp://host:8786.",
        show_default="workers on this machine",
        rich_help_panel=_PANEL,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="How many processes Dask gets on this machine.",
        show_default="one for each core",
        rich_help_panel=_PANEL,
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The master of a Spark cluster, such as spark://host:7077, or local[4].",
        show_default="that of the settings of Spark, or local[*]",
        rich_help_panel=_PANEL,
    ),
]
MaxTerms = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="How many terms are counted at most: the rarest are left out on the way, and the "
        "report says how far a count may be too low. With --engine.",
        show_default="any number",
        rich_help_panel=_PANEL,
    ),
]
Sample = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="How many documents are kept to compare models on. With --engine.",
        show_default="4096",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True)
class Many:
    """Where work is done."""

    engine: Chosen = None
    scheduler: Scheduler = None
    workers: Workers = None
    master: Master = None

    def __post_init__(self) -> None:
        self._expect("--scheduler", self.scheduler, EngineName.dask)
        self._expect("--workers", self.workers, EngineName.dask)
        self._expect("--master", self.master, EngineName.spark)
        if self.scheduler is not None and self.workers is not None:
            raise typer.BadParameter(
                "--workers is for this machine: the cluster of --scheduler has workers already."
            )

    def expect_files(self, sources: list[str]) -> None:
        """Refuse standard input, which one process can read only."""
        if self.engine is not None and "-" in sources:
            raise typer.BadParameter(
                "standard input cannot be read by several at a time: write it to a file that "
                "every worker can read, or leave --engine away."
            )

    def expect_no_threads(self, threads: int | None) -> None:
        """Refuse a number of threads where no work is left to this process."""
        if self.engine is not None and threads is not None:
            raise typer.BadParameter(
                "--threads is for one machine: with --engine, each task has one thread, and the "
                "engine says how many run at a time (--workers, --master 'local[N]')."
            )

    def _expect(self, option: str, value: object, engine: EngineName) -> None:
        if value is not None and self.engine is not engine:
            other = " For Spark, say --master 'local[N]'." if option == "--workers" else ""
            raise typer.BadParameter(f"{option} is for --engine {engine.value}.{other}")


@dataclass(frozen=True)
class Counting:
    """How many terms and documents are kept of those that many count."""

    max_terms: MaxTerms = None
    sample: Sample = None

    def given(self) -> dict[str, int]:
        """Return what was said."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def expect(self, many: Many) -> None:
        """Refuse what has no effect where one process counts."""
        for name in self.given() if many.engine is None else ():
            option = f"--{name.replace('_', '-')}"
            raise typer.BadParameter(f"{option} is for --engine dask or --engine spark.")
