"""Long and large loads: neither memory nor the time of a document grows with their number.

The loads are those of ``python -m benchmarks --only load``. Time is CPU time, and only full trials
compare it, between the halves of one load.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

from trial import Trial, run

ROOT = Path(__file__).parents[2]
MIB = 2**20
#: Name, size of a quick and of a full trial, documents, how much memory may grow in MiB.
LOADS = [
    ("batches", 200_000, 5_000_000, 200),
    ("classes", 5_000, 100_000, 1000),
    ("one-by-one", 10_000, 1_000_000, 100),
    ("one-by-one-refined", 3_000, 100_000, 300),
    ("window", 3, 60, 50),
    ("window-refined", 3, 60, 100),
    ("long", 20, 500, 4000),
]


def attack(trial: Trial) -> None:
    for load, quick, full, growth in LOADS:
        size = trial.some(quick=quick, full=full)
        with trial.case(load):
            done = run(
                [load, size], program=("-m", "benchmarks.load_child"), folder=ROOT, patience=1200
            )
            assert done.code == 0, done.err[-1000:]
            stretches = json.loads(done.out)
            grown = (done.memory - stretches[0]["memory"]) / MIB
            assert grown < growth, f"memory grew by {grown:.0f} MiB"
            if not trial.quick and load not in ("long", "classes"):
                check_flat([each["microseconds"] for each in stretches[1:]])


def check_flat(times: list[float]) -> None:
    times = [each for each in times if each]
    early, late = median(times[: len(times) // 2]), median(times[len(times) // 2 :])
    assert late < 2 * early, f"{early:.1f} µs per document at first, {late:.1f} µs at last"
