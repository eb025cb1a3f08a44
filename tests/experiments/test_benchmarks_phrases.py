"""The section on phrases runs; what it measures is not looked at."""

import pyarrow as pa
import pyarrow.parquet as pq
from test_benchmarks import benchmarks, data, pytestmark

__all__ = ["data", "pytestmark"]


def test_phrases_are_found_beside_all_pairs(data):
    texts = [f"the deep sea and the blue sky number {i % 9}" for i in range(120)]
    pq.write_table(pa.table({"text": texts}), data / "20ng_orig19997.parquet")
    result = benchmarks("--only", "phrases", "--rounds", "1", "--data", data)
    assert result.returncode == 0, result.stderr
    for expected in ("CountVectorizer, pairs", "fit, xtract", "in a document", "deep sea"):
        assert expected in result.stdout
