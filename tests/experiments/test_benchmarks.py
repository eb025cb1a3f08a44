"""The benchmarks run; what they measure is not looked at."""

import shutil
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    not (ROOT / "benchmarks").is_dir(), reason="the source distribution has no benchmarks"
)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    columns = {
        "text": [f"word{i} and word{i % 7} again" for i in range(300)],
        "labels": [[f"class{i % 3}"] for i in range(300)],
        "split": ["test" if i % 3 == 0 else "train" for i in range(300)],
    }
    pq.write_table(pa.table(columns), folder / "20ng_bydate.parquet")
    return folder


def benchmarks(*arguments):
    """Run them inside this process, which has imported all that they need."""
    from benchmarks.__main__ import main

    code, output, errors = 0, StringIO(), StringIO()
    with redirect_stdout(output), redirect_stderr(errors), warnings.catch_warnings():
        warnings.simplefilter("default")  # none fails the program
        try:
            main([*map(str, arguments)])
        except SystemExit as end:
            code = end.code
    return SimpleNamespace(returncode=code, stdout=output.getvalue(), stderr=errors.getvalue())


def started(*arguments):
    """Run them as a program."""
    command = [sys.executable, "-m", "benchmarks", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")


def test_a_quick_run_prints_a_table_and_leaves_the_page_alone(data):
    page = ROOT / "docs" / "benchmarks.md"
    before = page.read_bytes() if page.exists() else None
    result = started("--quick", "--only", "vectorizer", "--data", data, "--documents", 150)
    assert result.returncode == 0, result.stderr
    for expected in ("150 documents", "CountVectorizer", "TextVectorizer, 2 threads", "MB/s"):
        assert expected in result.stdout
    assert before == (page.read_bytes() if page.exists() else None)


def test_a_section_without_its_corpus_is_skipped(data):
    result = benchmarks("--only", "reuters", "--data", data)
    assert result.returncode == 0, result.stderr
    assert "skipped, there is no reuters21578.parquet" in result.stdout


def test_documents_with_several_labels_are_classified(data, tmp_path):
    columns = {
        "text": [f"grain{i % 4} wheat{i % 3} ship{i % 5} again" for i in range(120)],
        "labels": [["grain"] * (i % 4 == 0) + ["ship"] * (i % 5 == 0) for i in range(120)],
        "split": ["test" if i % 6 == 0 else "train" for i in range(120)],
    }
    shutil.copy(data / "20ng_bydate.parquet", tmp_path)
    pq.write_table(pa.table(columns), tmp_path / "reuters21578.parquet")
    result = benchmarks("--only", "reuters", "--data", tmp_path)
    assert result.returncode == 0, result.stderr
    for expected in ("unigram", "Poisson, CHI", "PNB*", "20 documents", "100 learned", "2 classes"):
        assert expected in result.stdout


def test_the_refined_model_is_compared_with_its_peer(data):
    result = benchmarks("--only", "refined", "--quick", "--data", data)
    assert result.returncode == 0, result.stderr
    for expected in ("LinearSVC", "RefinedNB", "20ng_bydate", "difference", "going on, 2 passes"):
        assert expected in result.stdout


def test_the_vocabulary_curve_is_printed_and_draws_nothing_unasked(data):
    figure = ROOT / "docs" / "vocabulary-curve.svg"
    before = figure.read_bytes() if figure.exists() else None
    result = benchmarks("--quick", "--only", "vocabulary_curve", "--data", data, "--documents", 150)
    assert result.returncode == 0, result.stderr
    for expected in ("multinomial, 20ng_bydate", "Bernoulli", "ComplementNB", "terms", "chi"):
        assert expected in result.stdout
    assert before == (figure.read_bytes() if figure.exists() else None)


def test_a_folder_that_is_not_there_is_named(data):
    result = started("--data", data / "missing")
    assert result.returncode == 2
    assert "missing" in result.stderr
