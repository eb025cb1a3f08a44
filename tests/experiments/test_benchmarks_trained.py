"""The benchmarks of trained classifiers run; what they measure is not looked at."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
from test_benchmarks import benchmarks, data, pytestmark  # noqa: F401


def test_least_squares_and_neighbours_are_measured_on_several_labels(data, tmp_path):  # noqa: F811
    columns = {
        "text": [f"grain{i % 4} wheat{i % 3} ship{i % 5} again" for i in range(120)],
        "labels": [["grain"] * (i % 4 == 0) + ["ship"] * (i % 5 == 0) for i in range(120)],
        "split": ["test" if i % 6 == 0 else "train" for i in range(120)],
    }
    shutil.copy(data / "20ng_bydate.parquet", tmp_path)
    pq.write_table(pa.table(columns), tmp_path / "reuters21578.parquet")
    result = benchmarks("--only", "llsf", "--data", tmp_path)
    assert result.returncode == 0, result.stderr
    for expected in ("LLSF, ridge", "1000 singular values", "kNN", "2 classes"):
        assert expected in result.stdout


def test_forests_are_measured(data):  # noqa: F811
    result = benchmarks("--only", "rotation", "--data", data)
    assert result.returncode == 0, result.stderr
    for expected in ("a tree on words", "RotationForest, 50 trees", "Fisher", "accuracy"):
        assert expected in result.stdout


def test_novelty_is_measured_on_classes_left_out(tmp_path):
    columns = {
        "text": [f"word{i % 12} topic{i % 12} and more{i % 5}" for i in range(240)],
        "labels": [[f"class{i % 12}"] for i in range(240)],
        "split": ["test" if i // 12 % 3 == 0 else "train" for i in range(240)],
    }
    pq.write_table(pa.table(columns), tmp_path / "20ng_bydate.parquet")
    result = benchmarks("--only", "novelty", "--data", tmp_path)
    assert result.returncode == 0, result.stderr
    for expected in ("AUROC of classes left out", "1 − p", "unknown", "best", "chi-contrast"):
        assert expected in result.stdout
