"""Documents that are made up, and what the benchmarks of scale make of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from test_benchmarks import pytestmark  # noqa: F401


@pytest.fixture
def writer():
    from benchmarks.generated_text import Writer

    return Writer(n_classes=5, seed=3)


def test_documents_depend_on_their_number_alone(writer):
    first, again = writer.documents(7, 40), writer.documents(7, 40)
    assert first.equals(again)
    assert not first.equals(writer.documents(8, 40))
    assert first.column_names == ["body", "topic"]
    assert 2 <= len(set(first["topic"].to_pylist())) <= 5


def test_each_rank_has_a_word_of_its_own():
    from benchmarks.generated_text import _spelling

    words = _spelling(np.append(np.arange(10_000), [10**9, 10**12])).to_pylist()
    assert len({*words}) == len(words)
    assert all(word.isalpha() and len(word) > 1 for word in words)
    assert len(words[0]) < len(words[9_999]) < len(words[-1])


def test_a_file_has_the_wanted_size(writer, tmp_path, monkeypatch):
    from benchmarks import generated_files

    monkeypatch.setattr(generated_files, "BLOCK", 100)
    generated_files._write_file(tmp_path, 0, 500_000, writer)
    (path,) = tmp_path.iterdir()
    assert 400_000 < path.stat().st_size < 600_000
    assert generated_files.text_bytes(path) > path.stat().st_size
    assert len({*pq.read_table(path)["body"].to_pylist()}) > 400


def test_laws_of_growth_are_found_again():
    from benchmarks.scale_model import Growth, class_sizes

    law = Growth(d=120, k=300, beta=0.6, a=9_000, m=500)
    sizes = [class_sizes(n, c) for n in (500, 4_000, 32_000, 256_000) for c in (1, 20, 500)]
    found = Growth.fitted(sizes, [law(each).sum() for each in sizes], d=120)
    assert found(10**9) == pytest.approx(law(10**9), rel=0.01)
    assert law(0.01) == pytest.approx(1.2, rel=0.01)


def test_prices_are_found_again():
    from benchmarks.scale_model import _prices

    quantities = [(1, 5, 100), (4, 2, 900), (2, 70, 30), (9, 9, 9)]
    rows = [(*each, float(np.dot(each, (3, 0.5, 0.01)))) for each in quantities]
    assert _prices(rows) == pytest.approx((3, 0.5, 0.01))


def test_a_job_in_stages_counts_what_a_single_partition_does():
    from benchmarks.scale_job import Design

    parts = Design(90, 9, n_classes=3, n_shards=2).run()
    assert [level.n_merges for level in parts.levels] == [2 * 2, 1 * 2]
    assert parts.levels[0].cells_in == parts.part_cells > parts.n_cells > parts.n_terms
    assert parts.sent_bytes > parts.part_bytes


def test_a_job_with_planes_tells_their_masses():
    from benchmarks.scale_job import Design
    from benchmarks.scale_planes import full, ratios

    from tallytext import Plane

    spread = Plane(norm="l2")
    plain = Design(80, 4, n_classes=3, n_shards=2)
    found, bare = replace(plain, planes=(spread,)).run(), plain.run()
    assert bare.masses == {} and found.sent_bytes > bare.sent_bytes
    assert found.masses[spread] / 80 == pytest.approx(8, rel=0.2)
    assert found.n_cells == bare.n_cells
    assert [len(row) for row in (*ratios(bare, found).rows, *full(found).rows)] == [4] * 6 + [3]


@pytest.fixture
def model():
    from benchmarks.scale_model import Growth, Model

    law, prices = Growth(d=120, k=300, beta=0.6, a=9_000, m=500), (1e-3, 1e-6, 1e-7)
    return Model(law, law, 1_000, prices, prices, 1e-6, (5_000, 20, 5, 2), 200, 200)


def test_whole_parts_list_their_classes_once(model):
    from benchmarks.scale_model import Job

    cut = Job(10**8, 500, 10**5, 32)
    whole = replace(cut, n_whole=1)
    saved = model.costs(cut).sent_bytes - model.costs(whole).sent_bytes
    listed = model.class_bytes(cut) - model.class_bytes(whole)
    assert saved == pytest.approx(listed + 500 * 31 * 5_000) and listed > 0
    assert model.costs(whole).merge_seconds < model.costs(cut).merge_seconds
    assert model.costs(replace(cut, n_whole=3)).merge_memory == pytest.approx(
        200 * model.n_cells(10**8, cut)
    )


def test_plans_merge_as_dask_does(model):
    from benchmarks.scale_plans import Plan, tables

    plan = Plan.of(model, 10**11, 20, None, 100)
    assert (plan.job.n_parts, plan.job.n_whole) == (500_000, 3)
    assert plan.costs.sent_bytes < plan.cut.sent_bytes
    for table in tables(model):
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_quantities_are_written_in_units_that_suit_them():
    from benchmarks.scale_units import number, rounded, size, span

    assert [number(each) for each in (0.149, 9.999, 42077)] == ["0.15", "10.0", "42,077"]
    assert [size(each) for each in (1.733876e15, 999.9e9, 12)] == ["1.73 PB", "1.00 TB", "12 bytes"]
    assert [span(each) for each in (7_200, 7_260)] == ["120 min", "2.02 h"]
    assert [rounded(each) for each in (8.2e7, 1e6, 9_999)] == ["8.2·10⁷", "10⁶", "9,999"]


def test_models_of_partitions_add_up_to_that_of_all():
    from benchmarks.engines_child import _fitted, _sum, _words

    frame = pd.DataFrame({"body": ["to be", "or not", "to do", "be it"], "topic": [*"abab"]})
    halves = frame[:2], frame[2:]
    words = sorted(_words(halves[0]) | _words(halves[1]))
    vocabulary = {word: at for at, word in enumerate(words)}
    added = _sum(*(_fitted(half, vocabulary, ["a", "b"]) for half in halves))
    X = CountVectorizer().fit_transform(frame["body"])
    whole = MultinomialNB().fit(X, frame["topic"])
    np.testing.assert_allclose(added.feature_log_prob_, whole.feature_log_prob_)
    np.testing.assert_allclose(added.class_log_prior_, whole.class_log_prior_)


def test_tables_go_between_their_marks(tmp_path, monkeypatch):
    from benchmarks import report
    from benchmarks.tables import Table

    monkeypatch.setattr(report, "PAGE", tmp_path / "benchmarks.md")
    page = tmp_path / "other.md"
    page.write_text("before\n<!-- table: one -->\nold\n<!-- end -->\nafter\n")
    report.fill("other.md", [Table("one", ("", "x"), [("a", "1")])])
    assert page.read_text().splitlines()[0::8] == ["before", "after"]
    assert "| a | 1 |" in page.read_text() and "old" not in page.read_text()
    with pytest.raises(ValueError, match="no place"):
        report.fill("other.md", [Table("two", ("",), [])])


def test_every_table_of_the_page_is_measured():
    from benchmarks import scale
    from benchmarks.report import PAGE

    page = (PAGE.parent / scale.PAGE).read_text(encoding="utf-8")
    for title in (
        "documents",
        "stages",
        "planes",
        "full",
        "laws",
        *scale.BEYOND,
        "all predictions",
        "plans",
        "memory",
    ):
        assert f"<!-- table: {title} -->" in page
