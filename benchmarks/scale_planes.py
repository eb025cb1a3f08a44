"""What fractional planes add to the cost of a job, and when they are full."""

from __future__ import annotations

from benchmarks.scale_job import Measured
from benchmarks.scale_units import number, rounded
from benchmarks.tables import Table
from tallytext import Plane
from tallytext.tally.gathered import MAX_PLANE_SUM


def ratios(plain: Measured, planes: Measured) -> Table:
    """Compare a job with the same one that has planes."""
    rows = [
        (what, f"{one / unit:,.2f}", f"{other / unit:,.2f}", number(other / max(one, 1e-9)))
        for what, one, other, unit in _pairs(plain, planes)
    ]
    documents = f"{plain.n_documents:,} documents in {plain.n_parts} partitions"
    return Table("planes", (documents, "no planes", f"{len(planes.masses)} planes", "ratio"), rows)


def _pairs(one: Measured, other: Measured) -> list[tuple[str, float, float, float]]:
    return [
        ("counting, s", one.count_seconds, other.count_seconds, 1),
        ("parts, packed, MB", one.part_bytes, other.part_bytes, 1e6),
        ("merging, s", one.merge_seconds, other.merge_seconds, 1),
        ("sent, MB", one.sent_bytes, other.sent_bytes, 1e6),
        ("gathering, s", one.gather_seconds, other.gather_seconds, 1),
        ("memory of the client, MB", one.gather_peak, other.gather_peak, 1e6),
    ]


def full(planes: Measured) -> Table:
    """Say after how many documents like these the sums of a plane leave 64 bits."""
    rows = [_room(plane, mass / planes.n_documents) for plane, mass in planes.masses.items()]
    return Table("full", ("plane", "a document adds", "full after, documents"), rows)


def _room(plane: Plane, mass: float) -> tuple[str, str, str]:
    theta = "" if plane.theta is None else f", theta={plane.theta:g}"
    name = f'`Plane("{plane.tf}", "{plane.norm}"{theta})`'
    return name, number(mass), rounded(MAX_PLANE_SUM / mass)
