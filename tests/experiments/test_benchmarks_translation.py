"""The benchmark of translations: it runs, and its peer is right."""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

ROOT = Path(__file__).resolve().parents[2]
if not (ROOT / "benchmarks").is_dir():
    pytest.skip("the source distribution has no benchmarks", allow_module_level=True)
sys.path.insert(0, str(ROOT))

from benchmarks.translation import by_product  # noqa: E402
from test_benchmarks import benchmarks  # noqa: E402

from tallytext.semantic.estimation import translation_rows  # noqa: E402


def test_the_peer_finds_the_same_rows():
    random = np.random.default_rng(3)
    share = np.minimum(0.9, 4 / np.arange(1, 701))
    counts = sparse.csr_array((random.random((90, 700)) < share).astype(float))
    counts = counts[:, counts.astype(bool).sum(axis=0) > 1]
    background = counts.sum(axis=0) / counts.sum()
    expected = translation_rows(counts, background).toarray()
    np.testing.assert_allclose(by_product(counts, background).toarray(), expected, atol=1e-12)


def test_the_section_prints_costs_and_examples(tmp_path):
    texts = ["\n\nthe space program", "\n\na space program of nasa", "\n\nthe late bus"] * 20
    columns = {"text": texts, "labels": [["x"]] * 60, "split": ["train"] * 60}
    for name in ("20ng_bydate", "20ng_orig19997"):
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    result = benchmarks("--quick", "--only", "translation", "--data", tmp_path)
    assert result.returncode == 0, result.stderr
    for expected in ("60 documents", "SciPy and NumPy", "from text, 2 threads", "published"):
        assert expected in result.stdout
