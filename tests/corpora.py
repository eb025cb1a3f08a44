"""Real corpora, for the tests that want them; they are not part of the project."""

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

FOLDER = Path(os.environ.get("TALLYTEXT_DATA") or Path(__file__).parents[2] / "shared" / "data")


def column(name, of="text"):
    """One column of a corpus, as an Arrow column; skips the test where the corpus is absent."""
    path = FOLDER / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"{name}.parquet is not there: set TALLYTEXT_DATA to the folder that holds it")
    return pq.read_table(path, columns=[of])[of]
