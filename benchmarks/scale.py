"""What each stage of a job costs, the laws fitted to it, and what they say of sizes beyond."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from statistics import median

import pyarrow.parquet as pq

from benchmarks import scale_figure, scale_planes, scale_plans
from benchmarks.corpora import default_folder
from benchmarks.generated_files import Wanted
from benchmarks.generated_text import Writer
from benchmarks.scale_job import Design, Measured
from benchmarks.scale_model import Costs, Job, Model
from benchmarks.scale_units import number
from benchmarks.tables import Drawing, Table
from benchmarks.timing import Clock
from tallytext import Tally, TextClassifier, TextVectorizer

BYTES = 1_000_000_000
PAGE = "scale.md"
ABOUT = "Stages of jobs, one after the other in one process; see the page on scale."
FIT = [
    Design(1_000, 4),
    Design(4_000, 4),
    Design(16_000, 8),
    Design(64_000, 16),
    Design(250_000, 32),
    Design(4_000, 4, 1_000),
    Design(16_000, 8, 1_000),
    Design(1_000, 4, 1_000),
    Design(8_000, 4, 100),
    Design(32_000, 8, 5_000),
]
BEYOND = {
    "more documents": Design(1_000_000, 64),
    "more partitions": Design(64_000, 256),
    "more classes": Design(100_000, 16, 100_000),
    "a bounded vocabulary": Design(200_000, 32, 20, 4, 50_000),
}
# Beside that of FIT which is the same but for planes.
PLAIN = Design(64_000, 16)
REAL = "20ng_bydate.parquet"


def measure(wanted: Wanted, clock: Clock) -> Iterator[Table]:
    factor = min(1.0, wanted.n_bytes / BYTES)
    yield _beside_real(factor)
    runs = [_run(design, factor, clock) for design in FIT]
    planes = _run(replace(PLAIN, planes=tuple(TextClassifier().planes())), factor, clock)
    yield _stages([*runs, planes])
    yield scale_planes.ratios(runs[FIT.index(PLAIN)], planes)
    yield scale_planes.full(planes)
    model = Model.fitted(runs, _terms_of_a_document())
    yield _laws(model)
    points = {}
    for name, design in BEYOND.items():
        # Before it is measured.
        expected = model.costs(_job(_smaller(design, factor)))
        found = _run(design, factor, clock)
        points[name] = [(one, other) for _, one, other, _, _ in _pairs(expected, found)]
        yield _beyond(name, expected, found)
    yield _summary(points)
    yield from scale_plans.tables(model)


def _smaller(design: Design, factor: float) -> Design:
    """Return a design with fewer documents, for a glance."""
    n_parts = max(4, ceil(design.n_parts * factor**0.5))
    each = max(20, int(design.n_documents * factor) // n_parts)
    n_classes = max(20, int(design.n_classes * factor))
    return replace(design, n_documents=each * n_parts, n_parts=n_parts, n_classes=n_classes)


def _run(design: Design, factor: float, clock: Clock) -> Measured:
    design = _smaller(design, factor)
    clock.say(f"scale: {design.n_documents:,} documents, {design.n_classes:,} classes")
    return design.run()


def _job(design: Design) -> Job:
    sizes = design.n_documents, design.n_parts, design.n_classes, design.n_shards
    return Job(*sizes, design.max_terms)


def _beside_real(factor: float) -> Table:
    """Compare documents that are made up with those of a real corpus, if it is here."""
    folder = default_folder()
    rows = []
    if folder is not None and (folder / REAL).is_file():
        table = pq.read_table(folder / REAL, columns=["text", "labels"])
        table = table.take([*range(0, len(table), ceil(1 / factor))])
        labels = [labels[0] for labels in table["labels"].to_pylist()]
        texts = table["text"].to_pylist()
        rows.append(_row_of("20ng_bydate", texts, labels))
    made = Writer().documents(0, max(200, int(26_000 * factor)))
    rows.append(_row_of("made up", made["body"].to_pylist(), made["topic"].to_pylist()))
    columns = ("", "documents", "tokens", "bytes per token", "terms per token", "cells per token")
    return Table("documents", columns, rows)


def _terms_of_a_document() -> float:
    texts = Writer().documents(0, 1_000)["body"].to_pylist()
    return TextVectorizer().fit_transform(texts).nnz / len(texts)


def _row_of(name: str, texts: list[str], labels: list[str]) -> tuple[str, ...]:
    vectorizer = TextVectorizer()
    tally = Tally()
    tally.learn(vectorizer.fit_transform(texts), labels, terms=vectorizer.vocabulary_)
    tokens, size = tally.n_tokens, sum(len(text.encode()) for text in texts)
    return (
        name,
        f"{len(texts):,}",
        f"{tokens:,}",
        number(size / tokens),
        f"{tally.n_terms / tokens:.3f}",
        f"{tally.n_cells / tokens:.3f}",
    )


def _stages(runs: Sequence[Measured]) -> Table:
    columns = (
        "documents",
        "partitions",
        "classes",
        "planes",
        "terms",
        "cells",
        "counting, MB/s",
        "packed, bytes per cell",
        "merging, ns per cell",
        "gathering, ns per cell",
    )
    return Table("stages", columns, [_stage_row(run) for run in runs])


def _stage_row(run: Measured) -> tuple[str, ...]:
    merged = sum(level.cells_in for level in run.levels)
    return (
        f"{run.n_documents:,}",
        f"{run.n_parts}",
        f"{run.n_classes:,}",
        f"{len(run.masses)}",
        f"{run.n_terms:,}",
        f"{run.n_cells:,}",
        number(run.text_bytes / 1e6 / run.count_seconds),
        number(run.part_bytes / run.part_cells),
        number(run.merge_seconds / max(merged, 1) * 1e9),
        number(run.gather_seconds / run.n_cells * 1e9),
    )


def _laws(model: Model) -> Table:
    terms, cells = model.terms, model.cells
    rows = [
        ("terms of a document: d", f"{terms.d:.0f}"),
        ("terms: k, β", f"{terms.k:.0f}, {terms.beta:.3f}"),
        ("… a, m", f"{terms.a:,.0f}, {terms.m:,.0f}"),
        ("terms of a class: k, β", f"{cells.k:.0f}, {cells.beta:.3f}"),
        ("… a, m", f"{cells.a:,.0f}, {cells.m:,.0f}"),
        ("text of a document", f"{model.text_bytes:,.0f} bytes"),
        ("counting: a partition", f"{model.count[0] * 1e3:.1f} ms"),
        ("… a byte of text", f"{model.count[1] * 1e9:.1f} ns"),
        ("… a cell that comes of it", f"{model.count[2] * 1e9:.0f} ns"),
        ("merging: a merge", f"{model.merge[0] * 1e3:.1f} ms"),
        ("… a class of what goes in", f"{model.merge[1] * 1e9:,.0f} ns"),
        ("… a cell of what goes in", f"{model.merge[2] * 1e9:.0f} ns"),
        ("gathering: a cell", f"{model.gather * 1e9:.0f} ns"),
        ("sent: a piece", f"{model.packed[0]:,.0f} bytes"),
        ("… a class of it", f"{model.packed[1]:.2f} bytes"),
        ("… a term", f"{model.packed[2]:.2f} bytes"),
        ("… a cell", f"{model.packed[3]:.2f} bytes"),
        ("memory of a merge, for a cell that comes of it", f"{model.merge_memory:.0f} bytes"),
        ("memory of the client, for a cell", f"{model.client_memory:.0f} bytes"),
    ]
    return Table("laws", ("", "fitted"), rows)


def _pairs(expected: Costs, found: Measured) -> list[tuple[str, float, float, float, str]]:
    """Return what was predicted and measured, each with its unit and format."""
    return [
        ("terms", expected.n_terms, found.n_terms, 1, ",.0f"),
        ("cells", expected.n_cells, found.n_cells, 1, ",.0f"),
        ("counting, s", expected.count_seconds, found.count_seconds, 1, ",.2f"),
        ("parts, packed, MB", expected.part_bytes, found.part_bytes, 1e6, ",.2f"),
        ("merging, s", expected.merge_seconds, found.merge_seconds, 1, ",.2f"),
        ("sent, MB", expected.sent_bytes, found.sent_bytes, 1e6, ",.2f"),
        ("gathering, s", expected.gather_seconds, found.gather_seconds, 1, ",.2f"),
        ("memory of the largest merge, MB", expected.merge_memory, _peak(found), 1e6, ",.1f"),
        ("memory of the client, MB", expected.client_memory, found.gather_peak, 1e6, ",.1f"),
    ]


def _beyond(name: str, expected: Costs, found: Measured) -> Table:
    rows = [
        (what, f"{one / unit:{spec}}", f"{other / unit:{spec}}", number(one / max(other, 1e-9)))
        for what, one, other, unit, spec in _pairs(expected, found)
    ]
    documents = f"{found.n_documents:,} documents in {found.n_parts} partitions"
    columns = (f"{documents}, {found.n_classes:,} classes", "predicted", "measured", "ratio")
    return Table(name, columns, rows)


def _summary(points: dict[str, list[tuple[float, float]]]) -> Table:
    """Say how far off predictions were, and draw them."""
    drawing = Drawing(
        "scale.svg",
        "Predicted against measured: terms, cells, seconds and bytes of four jobs",
        scale_figure.figure(points),
    )
    rows = []
    for name, pairs in points.items():
        ratios = [one / other for one, other in pairs if other > 0]
        rows.append((name, *(number(at) for at in (min(ratios), median(ratios), max(ratios)))))
    columns = ("predicted / measured", "lowest", "median", "highest")
    return Table("all predictions", columns, rows, drawing)


def _peak(found: Measured) -> int:
    return max((level.peak for level in found.levels), default=0)
