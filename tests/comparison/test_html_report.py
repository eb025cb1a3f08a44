"""The HTML report: complete, safe, self-contained, and without errors in a browser."""

import os
import re
import shutil
from html.parser import HTMLParser

import pytest

import browser
import tallytext
from tallytext.evaluation.confusion_table import confusion_matrix
from topics import made_up

NASTY = "<script>alert(1)</script><img src=x onerror=alert(2)> wave salt tide"
MISSING = [
    name
    for name, is_there in {
        "Unix": os.name == "posix",
        "bash": shutil.which("bash"),
        " or ".join(browser.NAMES): browser.find_browser(),
    }.items()
    if not is_there
]


def make_comparison(n=60, **options):
    texts, labels = made_up(n)
    labels[4] = "field"  # of a document about the sky
    return tallytext.compare(
        texts, labels, learners=["multinomial", "bernoulli"], folds=2, **options
    )


@pytest.fixture(scope="module")
def comparison():
    return make_comparison()


@pytest.fixture(scope="module")
def nasty():
    """Texts and labels with markup, control characters and great length."""
    texts, labels = made_up(60)
    texts[0], labels[0] = NASTY, "sky"
    texts[30] = texts[0]  # a near duplicate
    texts[1] += " \ud800 \x00 \x08 \ufffe"
    texts[2] += " long" * 20_000
    labels[1], labels[2] = "sea", "sea"
    labels = [f"""<b title='"x'>{label}&amp;</b>""" for label in labels]
    return tallytext.compare(texts, labels, learners=["multinomial"], folds=2)


@pytest.fixture(scope="module")
def multi_label():
    texts, labels = made_up(60)
    both = [[label, "even"] if at % 2 else [label] for at, label in enumerate(labels)]
    return tallytext.compare(texts, both, learners=["multinomial", "contrast"], folds=2)


class PageChecker(HTMLParser):
    """Finds elements that are not closed, closed in the wrong order, or without a description."""

    EMPTY = frozenset({"meta", "line", "rect", "circle", "path", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.links, self.ids, self.unnamed = [], [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.append(given.get("id"))
        self._check_safe(tag, given)
        if tag == "a":
            self.links.append(given["href"])
        if tag == "th" and "scope" not in given:
            self.unnamed.append(self.getpos())
        if tag == "svg" and given.get("role") != "img":
            self.unnamed.append(self.getpos())
        if tag not in self.EMPTY:
            self.open.append(tag)

    def _check_safe(self, tag, given):
        assert tag not in ("script", "img", "link", "iframe", "object", "b title")
        assert "src" not in given
        assert not any(name.startswith("on") for name in given)
        assert given.get("href", "#").startswith("#")

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open.pop() == tag


@pytest.mark.parametrize("kind", ["comparison", "nasty", "multi_label"])
class TestEveryPage:
    def test_it_is_complete_and_self_contained(self, kind, request):
        page = request.getfixturevalue(kind).to_html()
        checked = PageChecker()
        checked.feed(page)
        assert checked.open == []
        assert {link[1:] for link in checked.links} <= {*checked.ids}
        named = [each for each in checked.ids if each is not None]
        assert len(named) == len({*named})
        assert "url(" not in page and "@import" not in page

    def test_screen_readers_can_read_tables_and_drawings(self, kind, request):
        page = request.getfixturevalue(kind).to_html()
        checked = PageChecker()
        checked.feed(re.sub(r'<div class="tallytext-explanation".*?</details>', "</details>", page))
        assert checked.unnamed == []
        for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
            assert "<title>" in drawing or "aria-label" in drawing

    def test_drawings_have_the_style_of_the_page(self, kind, request):
        page = request.getfixturevalue(kind).to_html()
        assert page.count("<style>") == 1
        used = {
            name
            for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL)
            for names in re.findall(r'class="([\w ]+)"', drawing)
            for name in names.split()
        }
        style = page[: page.index("</style>")]
        assert [name for name in sorted(used) if not re.search(rf"\.{name}\b", style)] == []

    @pytest.mark.skipif(bool(MISSING), reason=f"there is no {' and no '.join(MISSING)}")
    def test_a_browser_reports_no_error(self, kind, request, tmp_path):
        page = tmp_path / "report.html"
        request.getfixturevalue(kind).to_html(page)
        assert browser.faults(page.as_uri()) == []


@pytest.mark.skipif(bool(MISSING), reason=f"there is no {' and no '.join(MISSING)}")
@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<script>nonsense()</script>", "ReferenceError"),
        ("<script>console.error('trouble')</script>", "trouble"),
        ("<script>alert('here')</script>", "alert: here"),
        ("<img src='none.png'>", "ERR_FILE_NOT_FOUND"),
        ("<details><img loading=lazy src='none.png'></details>", "ERR_FILE_NOT_FOUND"),
        ("<link rel=stylesheet href='http://localhost:1/style.css'>", "asked for http"),
    ],
)
def test_a_browser_reports_errors(inside, expected, tmp_path):
    page = tmp_path / "broken.html"
    page.write_text(f"<!doctype html><title>broken</title>{inside}")
    assert any(expected in fault for fault in browser.faults(page.as_uri()))


class TestPage:
    def test_texts_and_labels_are_escaped(self, nasty):
        page = nasty.to_html()
        assert any(each.row == 0 for each in nasty.suspects)
        assert any(0 in pair[:2] for pair in nasty.near_duplicates.examples)
        assert "&lt;script&gt;" in page
        assert "<script" not in page and "<img" not in page and "<b title" not in page

    def test_forbidden_characters_are_replaced(self, nasty, tmp_path):
        assert any(each.row == 1 for each in nasty.suspects)
        nasty.to_html(tmp_path / "report.html")
        written = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert written.startswith("<!doctype html>")
        assert "\x00" not in written and "\x08" not in written

    def test_long_documents_are_truncated(self, nasty):
        assert any(each.row == 2 for each in nasty.suspects)
        page = nasty.to_html()
        assert "The first 1,200 of " in page
        assert page.count(" long") < 3_000

    def test_the_page_has_the_figures_of_the_comparison(self, comparison):
        page = comparison.to_html()
        assert f"{comparison.best.score:.4f}" in page
        cells = re.findall(r'title="(\w+) predicted as (\w+): (\d+) ', page)
        labels, matrix = confusion_matrix(comparison.evaluation)
        for truth, predicted, count in cells:
            assert matrix[labels.index(truth), labels.index(predicted)] == int(count)
        assert sum(int(count) for *_, count in cells) == 60

    def test_sentences_have_the_figures_of_the_drawings(self, comparison):
        page = comparison.to_html()
        curve = comparison.learning_curve
        if curve.at_double is not None:
            assert f"{curve.at_double:.1%}" in page
        assert f"{comparison.vocabulary_curve.best.n_terms:,}</b> of" in page
        assert f"from the accuracy by <b>{comparison.evaluation.reliability.error:.1%}" in page

    def test_learners_that_are_not_significantly_different_are_named(self, comparison):
        other = comparison.results[1]
        summary = comparison.to_html().split('<section id="learners"')[0]
        assert (f"<b>{other.name}</b>" in summary) == other.as_good

    def test_the_page_is_reproducible_except_for_times_and_memory(self, comparison):
        def still(page):
            return re.sub(r"[\d.,]+ (s|ms|MB)\b|<b>\w+</b> learns fastest", "", page)

        assert still(make_comparison().to_html()) == still(comparison.to_html())


def test_a_comparison_is_a_table_in_a_notebook():
    texts, labels = made_up(40)
    labels = [f"<{label}>" for label in labels]
    name = "multinomial(smoothing=laplace(1))"
    found = tallytext.compare(texts, labels, learners=[name, "bernoulli"], folds=2, ranking=True)
    page = found._repr_html_()
    assert page.count("<tr>") == 3 and name in page
    assert "40 documents, 2 random folds" in page and "break-even" in page
    assert f"{found.best.score:.4f}" in page


def test_the_labels_to_check_are_counted_before_the_sure_ones(comparison):
    n = len(comparison.suspects)
    n_sure = sum(each.probability >= 0.9 for each in comparison.suspects)
    text = " ".join(re.sub(r"<[^>]*>", "", comparison.to_html()).split())
    assert n
    assert f"{n} label{'s' * (n != 1)} to check: a model that was not trained" in text
    assert f"For {n_sure} of them it is 90% or more." in text
