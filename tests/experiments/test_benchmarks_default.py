"""The benchmark of the default runs; what it measures is not looked at, only what it reuses."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_benchmarks import benchmarks, pytestmark  # noqa: F401


@pytest.fixture
def corpora(tmp_path):
    n = 120
    columns = {
        "text": [f"word{i % 3} other{i % 3} thing{i % 7} again{i % 2}" for i in range(n)],
        "labels": [[f"class{i % 3}"] for i in range(n)],
        "split": ["test" if i % 4 == 0 else "train" for i in range(n)],
        "id": [str(i) for i in range(n)],
        "source": [f"package{i}" for i in range(n)],
        "lewissplit": ["TEST" if i % 4 == 0 else "TRAIN" for i in range(n)],
        "topics_attr": ["YES"] * n,
        "tags": [[f"class{i % 3}"] + [f"thing{i % 7}"] * (i % 2) for i in range(n)],
    }
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "20ng_bydate.parquet")
    pq.write_table(table, tmp_path / "debian_sections.parquet")
    several = table.set_column(1, "labels", table["tags"])
    pq.write_table(several, tmp_path / "reuters21578.parquet")
    pq.write_table(several, tmp_path / "ohsumed_first20000.parquet")
    return tmp_path


@pytest.fixture
def few(monkeypatch):
    """Small sizes, so that every table has rows."""
    from benchmarks import default

    monkeypatch.setattr(default, "FEW_LABELS", 30)
    monkeypatch.setattr(default, "N_TIMED", 10)
    monkeypatch.setattr(default, "DRAWS", 1)


def test_the_default_is_measured_at_once_with_few_labels_and_while_it_changes(corpora, few):
    peers = corpora / "peers.json"
    run = ("--only", "default", "--rounds", 1, "--data", corpora, "--peers", peers, "--markdown")
    result = benchmarks(*run)
    assert result.returncode == 0, result.stderr
    for expected in (
        "**Accuracy, and training from text**",
        "**1,000 labels**",
        "**Several labels, micro-F1**",
        "**Learning half of the documents one by one, accuracy**",
        "**Forgetting a tenth of the documents one by one, accuracy**",
        "**Growth**",
        "after forgetting",
    ):
        assert expected in result.stdout
    stored = json.loads(peers.read_text())
    for figures in stored.values():
        if "accuracy" in figures:
            figures["accuracy"] = 0.1234
    peers.write_text(json.dumps(stored))
    again = benchmarks(*run)
    assert again.returncode == 0, again.stderr
    assert "| 20ng_bydate | 12.34 | 12.34 |" in again.stdout  # read, not measured again
    assert json.loads(peers.read_text()) == stored


def test_a_sample_has_every_class_by_its_share():
    from benchmarks.default import sampled_rows

    labels = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    rows = sampled_rows(labels, 20, 0)
    assert rows == sorted(set(rows))
    assert [sum(labels[row] == label for row in rows) for label in "abc"] == [12, 6, 2]
    assert rows != sampled_rows(labels, 20, 1)
    assert sampled_rows(labels, 500, 0) == list(range(100))
