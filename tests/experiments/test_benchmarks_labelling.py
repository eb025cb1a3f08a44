"""The benchmark of labelling runs; what it measures is not looked at."""

import pyarrow as pa
import pyarrow.parquet as pq
from test_benchmarks import pytestmark  # noqa: F401


def test_waiting_is_measured_from_the_command_to_the_model(tmp_path):
    columns = {
        "text": [f"word{i % 3} other{i % 3} thing{i % 7} again{i % 2}" for i in range(120)],
        "labels": [[f"class{i % 3}"] for i in range(120)],
        "split": ["test" if i % 5 == 0 else "train" for i in range(120)],
    }
    pq.write_table(pa.table(columns), tmp_path / "ag_news_20k.parquet")
    from benchmarks.labelling import measure
    from benchmarks.timing import Clock

    (table,) = measure(tmp_path, Clock(1, lambda line: None), n_answers=8)
    assert table.columns == ("", "ag_news_20k")
    what = " ".join(row[0] for row in table.rows)
    for expected in ("first question", "libraries", "the longest", "undo", "model"):
        assert expected in what
    assert all(duration for _, duration in table.rows)


def test_the_picture_of_a_page_loads_nothing_from_elsewhere():
    from benchmarks.labelling_picture import picture

    drawn = picture()
    assert "[Enter]" in drawn and "payment" in drawn
    assert "@font-face" not in drawn and "url(http" not in drawn
