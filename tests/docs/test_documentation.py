import re

import pytest
from hypothesis import assume, given, settings

from pages import PAGES, ROOT, blocks
from smoothing_laws import corpora, smoothing_laws
from tallytext import RefinedNB
from tallytext.classifier import learners
from tallytext.models import Smoothing, safe_ratio


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_python_block_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), namespace)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page):
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_readme_is_short():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(page.split()) <= 650


def test_every_learner_is_in_the_page_as_it_is_registered():
    page = (ROOT / "docs" / "classifier.md").read_text(encoding="utf-8")
    for each in learners():
        merges = each.additive or isinstance(each.default(), RefinedNB)
        moves = "yes" if merges else "learns, forgets" if each.incremental else "no"
        can = [moves, "yes" if each.multi_label else "no"]
        assert f'| `"{each.name}"` | {each.summary} | {can[0]} | {can[1]} |' in page


def test_the_smoothing_of_the_page_is_ten_lines_and_obeys_the_laws():
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    source = re.search(r"^class WittenBell.*?(?=^MultinomialNB)", page, re.M | re.S)[0].strip()
    assert len(source.splitlines()) <= 10
    namespace = {"Smoothing": Smoothing, "safe_ratio": safe_ratio}
    exec(compile(source, "models.md", "exec"), namespace)
    written = namespace["WittenBell"]()

    @settings(max_examples=15)
    @given(corpora())
    def obeys(corpus):
        rows, labels = corpus
        assume(any(map(any, rows)) and any(labels))
        smoothing_laws(written, rows, labels)

    obeys()
