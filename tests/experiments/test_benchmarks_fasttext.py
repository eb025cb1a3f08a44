"""The benchmark beside fastText runs where that is installed; what it measures is not looked at."""

from importlib.util import find_spec

import pyarrow as pa
import pyarrow.parquet as pq
from test_benchmarks import benchmarks, pytestmark  # noqa: F401


def test_fasttext_is_measured_where_it_is_installed_and_skipped_elsewhere(tmp_path):
    columns = {
        "text": [f"word{i % 3} other{i % 3} thing{i % 7}" for i in range(90)],
        "labels": [[f"class{i % 3}"] for i in range(90)],
        "split": ["test" if i % 5 == 0 else "train" for i in range(90)],
    }
    pq.write_table(pa.table(columns), tmp_path / "20ng_bydate.parquet")
    result = benchmarks("--only", "fasttext_peer", "--rounds", 1, "--data", tmp_path)
    assert result.returncode == 0, result.stderr
    there = "fastText, more", 'tallytext, "best"'
    for expected in there if find_spec("fasttext") else ("skipped, No module named 'fasttext'",):
        assert expected in result.stdout
