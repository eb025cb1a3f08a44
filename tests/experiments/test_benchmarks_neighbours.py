"""The sections on neighbours and term selection run; what they measure is not looked at."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse
from test_benchmarks import benchmarks, data, pytestmark

__all__ = ["data", "pytestmark"]


def test_neighbours_are_timed_beside_brute_force(data):
    result = benchmarks("--quick", "--only", "neighbours", "--data", data, "--documents", 150)
    assert result.returncode == 0, result.stderr
    for expected in (
        "NearestNeighbors, 2 threads",
        "tallytext",
        "same neighbours: 100",
        "strengths",
    ):
        assert expected in result.stdout


def test_the_study_of_terms_runs_and_judges_what_was_claimed(data, tmp_path):
    columns = {
        "text": [f"grain{i % 4} wheat{i % 3} ship{i % 5} again{i % 50}" for i in range(200)],
        "labels": [["grain"] * (i % 4 == 0) + ["ship"] * (i % 5 == 0) for i in range(200)],
        "split": ["train"] * 200,
    }
    shutil.copy(data / "20ng_bydate.parquet", tmp_path)
    pq.write_table(pa.table(columns), tmp_path / "reuters21578.parquet")
    result = benchmarks("--only", "term_selection", "--data", tmp_path)
    assert result.returncode == 0, result.stderr
    for expected in ("all terms", "best 2% by MI", "holds", "DF and IG"):
        assert expected in result.stdout


def test_a_document_that_would_become_empty_keeps_its_best_terms():
    from benchmarks.term_selection import never_empty

    rows = sparse.csr_array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 1]])
    scores = np.array([0.9, 0.2, 0.5, 0.2])
    kept = never_empty(rows, scores, scores >= 0.6).toarray()
    assert kept.tolist() == [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]]
