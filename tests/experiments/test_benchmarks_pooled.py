"""The benchmark of PooledNB runs; what it measures is not looked at."""

import pyarrow as pa
import pyarrow.parquet as pq
from test_benchmarks import benchmarks, pytestmark  # noqa: F401


def test_the_pooled_model_is_measured_whole_and_in_parts(tmp_path):
    columns = {
        "text": [
            f"From: somebody\n\nword{i % 3} other{i % 3} thing{i % 7} again{i % 2}\n\nsigned"
            for i in range(90)
        ],
        "labels": [[f"class{i % 3}"] for i in range(90)],
        "split": ["test" if i % 5 == 0 else "train" for i in range(90)],
    }
    pq.write_table(pa.table(columns), tmp_path / "20ng_bydate.parquet")
    result = benchmarks("--only", "pooled", "--rounds", 1, "--data", tmp_path)
    assert result.returncode == 0, result.stderr
    for expected in ("PooledNB", "topicality", "regression", "k = 50", "logistic", "trust=1"):
        assert expected in result.stdout
