"""A quick run of a paper's reproduction, as the tests of each paper want it."""

import pytest
from experiments.reproduction.command import paper_of, reproduce
from experiments.reproduction.expected import FAILS, HOLDS, UNKNOWN
from experiments.reproduction.store import found_in

from corpora import FOLDER


def quick_run(name, folder, tables):
    """Run a paper on small samples; every part must be measured and every claim judged.

    Skips the test where a corpus is absent; returns what was found.
    """
    missing = [table for table in tables if not (FOLDER / f"{table}.parquet").is_file()]
    if missing:
        pytest.skip(f"{', '.join(missing)}: not there; set TALLYTEXT_DATA to the folder")
    paper = paper_of(name)
    (line,) = reproduce([name], folder, data=FOLDER, quick=True)
    assert line.startswith(f"{name}: {len(paper.parts)} of {len(paper.parts)} parts")
    found = found_in(folder / name / "results.json")
    assert [*found] == [part.name for part in paper.parts]
    expected = paper.expectations()
    for claim in expected.claims:
        assert claim.verdict(found) in ({UNKNOWN} if claim.untestable else {HOLDS, FAILS}), (
            claim.says
        )
    assert all(number.value(found) is not None for number in expected.numbers)
    page = (folder / name / f"{name}.md").read_text(encoding="utf-8")
    assert "Not measured:" not in page
    for figure in folder.glob(f"{name}/*.svg"):
        assert f"({figure.name})" in page
        assert figure.with_suffix(".png").is_file()
    return found
