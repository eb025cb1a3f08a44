"""What reproductions share: results that are kept, verdicts computed from them, pages."""

import ast
import importlib
import json
import types
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("experiments", reason="the source distribution has no experiments")
pytest.importorskip("matplotlib", reason="figures need it")

from experiments.reproduction import page, running
from experiments.reproduction.command import PAPERS, paper_of
from experiments.reproduction.counts import counted
from experiments.reproduction.expected import FAILS, HOLDS, UNKNOWN, Claim, Expected, Number
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.overview import text_of
from experiments.reproduction.paper import Paper, Part
from experiments.reproduction.record import Record, plain
from experiments.reproduction.store import Result, Store, found_in, gathered, results_in
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import NotHere, Workplace

from tallytext import TextVectorizer

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
DOCS = Path(__file__).parents[2] / "docs" / "papers"
EXPECTED = """
title = "Dice"
reference = "A book on dice."
about = "Thrown again."

[[number]]
part = "throws"
where = "Table 1"
what = "mean of six throws"
published = 3.5
ours = "mean(throws.values)"
within = 0.25

[[claim]]
part = "throws"
where = "p. 1"
says = "No throw is above six."
test = "all(value <= 6 for value in throws.values)"

[[claim]]
part = "throws"
where = "p. 2"
says = "All throws are alike."
test = "max(throws.values) == min(throws.values)"

[[claim]]
part = "coins"
where = "p. 3"
says = "Coins are fair."
test = "coins.heads == coins.tails"

[[claim]]
part = "throws"
where = "p. 4"
says = "Dice of ivory roll longer."
untestable = "there is no ivory here."
"""


class Dice:
    """A paper of two parts, the second of which needs what is not there."""

    def __init__(self, folder):
        self.thrown = 0
        folder.mkdir()
        (folder / "expected.toml").write_text(EXPECTED)
        throws, coins = self.part("throws", self.throw), self.part("coins", self.toss)
        self.paper = Paper("dice", folder, (throws, coins))

    def part(self, name, measure):
        return Part(name, name.title(), "As it was.", measure, self.show, False, "code1")

    def throw(self, work):
        self.thrown += 1
        return {
            "values": np.array([1, 2, 3, 4, 5, 6 if work.quick else 5]),
            "share": np.float64(1 / 3),
        }

    def toss(self, work):
        return {"heads": len(work.load("coins-of-antiquity").texts), "tails": 0}

    def show(self, found):
        drawn, plots = panels(1)
        draw_lines(plots[0], range(6), {"throws": found["values"]}, title="Throws")
        legend_below(drawn, plots)
        yield Table("Thrown", ("", "value"), [(str(i), v) for i, v in enumerate(found["values"])])
        yield Figure("dice-throws", "six throws", drawn)

    def run(self, store, **options):
        return running.run(
            [self.paper], Workplace(quick=options.pop("quick", True)), store, **options
        )


@pytest.fixture
def dice(tmp_path):
    return Dice(tmp_path / "dice")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


class TestRunning:
    def test_parts_without_their_corpus_are_left_out(self, dice, store, monkeypatch, capsys):
        self.no_coins(monkeypatch)
        found = dice.run(store)
        assert [*found["dice"]] == ["throws"]
        assert "dice coins: left out, no such coins" in capsys.readouterr().err

    def test_what_is_known_is_not_measured_again(self, dice, store, monkeypatch):
        self.no_coins(monkeypatch)
        first, again = dice.run(store), dice.run(store)
        assert dice.thrown == 1
        assert first == again

    @pytest.mark.parametrize("change", ["fresh", "quick", "code"])
    def test_unless_it_is_to_be_or_was_another_run(self, dice, store, monkeypatch, change):
        self.no_coins(monkeypatch)
        dice.run(store)
        if change == "code":
            part = dice.paper.parts[0]
            object.__setattr__(part, "source", "code2")
        dice.run(store, fresh=change == "fresh", quick=change != "quick")
        assert dice.thrown == 2

    def test_a_run_that_ends_early_keeps_what_it_has(self, dice, store):
        def ends(work):
            raise KeyboardInterrupt

        object.__setattr__(dice.paper.parts[1], "measure", ends)
        with pytest.raises(KeyboardInterrupt):
            dice.run(store)
        assert store.get(dice.paper, dice.paper.parts[0], quick=True).found["share"] == 0.3333333

    def no_coins(self, monkeypatch):
        def load(self, name):
            raise NotHere("no such coins")

        monkeypatch.setattr(Workplace, "load", load)


class TestExpected:
    found = types.MappingProxyType({"throws": {"values": [1, 2, 6], "mean": 3.0}})

    @pytest.mark.parametrize(
        ("test", "verdict"),
        [
            ("throws.mean == 3", HOLDS),
            ("min(throws.values) > 1", FAILS),
            ("coins.heads > 1", UNKNOWN),
            ('throws["values"][-1] == sum(v for v in throws.values if v > 2)', HOLDS),
        ],
    )
    def test_verdicts_are_computed(self, test, verdict):
        assert Claim("throws", "", "", test).verdict(self.found) == verdict

    def test_a_slip_in_a_test_is_no_verdict(self):
        with pytest.raises(AttributeError, match="there is values, mean, but no median"):
            Claim("throws", "", "", "throws.median > 1").verdict(self.found)

    @pytest.mark.parametrize("test", ["open('x')", "throw.mean > 1", "throws.mean > coin.heads"])
    def test_names_that_are_no_parts_are_found_before_anything_is_run(self, test):
        expected = Expected("", "", "", (), (Claim("throws", "", "Dice are fair.", test),))
        with pytest.raises(ValueError, match=r"there is no part (open|throw|coin): Dice are fair"):
            expected.check({"throws", "coins"})

    def test_a_part_that_was_not_measured_has_no_number(self):
        assert Number("coins", "", "", 1.0, "coins.heads", 0.1).value(self.found) is None

    def test_a_claim_has_a_test_or_a_reason_for_none(self, tmp_path):
        path = tmp_path / "expected.toml"
        path.write_text(EXPECTED.replace('untestable = "', 'test = "True"\nuntestable = "'))
        with pytest.raises(ValueError, match="either test or untestable"):
            Expected.read(path)

    def test_a_mended_test_has_a_former_verdict(self, tmp_path):
        path = tmp_path / "expected.toml"
        for formerly in ("", 'formerly = "perhaps"\n'):
            path.write_text(
                EXPECTED.replace('says = "All', f'mended = "It was wrong."\n{formerly}says = "All')
            )
            with pytest.raises(ValueError, match="mended needs a former verdict"):
                Expected.read(path)

    def test_misspelt_keys_are_found(self, tmp_path):
        path = tmp_path / "expected.toml"
        path.write_text(EXPECTED.replace("within =", "witin ="))
        with pytest.raises(TypeError, match="witin"):
            Expected.read(path)


class TestPage:
    found = types.MappingProxyType(
        {"throws": Result({"values": [1, 2, 3, 4, 5, 6], "share": 0.3}, 60.0, "code1", False)}
    )

    def test_published_stands_beside_ours(self, dice):
        text = page.page_of(dice.paper, self.found)
        assert "| mean of six throws | Table 1 | 3.5 | 3.5 | +0 | 0.25 | agrees |" in text

    def test_every_claim_has_a_verdict(self, dice):
        text = page.page_of(dice.paper, self.found)
        assert "- No throw is above six. (p. 1) **holds**" in text
        assert "- All throws are alike. (p. 2) **does not hold**" in text
        assert "| Coins are fair. | p. 3 | **cannot be tested here** |" in text
        assert "**cannot be tested here**: there is no ivory here." in text

    def test_a_quick_run_says_so(self, dice):
        result = Result(self.found["throws"].found, 1.0, "code1", True)
        assert "small samples" in page.page_of(dice.paper, {"throws": result})
        assert "small samples" not in page.page_of(dice.paper, self.found)

    def test_tests_that_came_after_a_first_run_are_marked(self, dice):
        path = dice.paper.expected
        path.write_text(EXPECTED.replace('says = "All throws', 'later = true\nsays = "All throws'))
        text = page.page_of(dice.paper, self.found)
        assert "alike. (p. 2, added after a first run) **does not hold**" in text

    def test_mended_tests_say_why_and_what_the_verdict_was(self, dice):
        path = dice.paper.expected
        note = 'mended = "It was wrong."\nformerly = "holds"\n'
        path.write_text(EXPECTED.replace('says = "All throws', f'{note}says = "All throws'))
        text = page.page_of(dice.paper, self.found)
        assert "**does not hold** *Test corrected (before: holds):* It was wrong." in text
        assert "| All throws are alike. | p. 2 | **does not hold** (test corrected) |" in text
        assert "One test was corrected after a review" in text

    def test_what_readers_can_do_themselves_stands_after_the_claims(self, dice):
        assert "Throw dice" not in page.page_of(dice.paper, self.found)
        path = dice.paper.folder / "yourself.md"
        path.write_text("## Do it yourself\n\nThrow dice.\n")
        text = page.page_of(dice.paper, self.found)
        assert text.index("## Claims and verdicts") < text.index("Throw dice.")

    def test_figures_are_the_same_bytes_again(self, dice, tmp_path):
        for folder in ("a", "b"):
            page.write(dice.paper, self.found, tmp_path / folder, ("svg", "png"))
        for name in ("dice-throws.svg", "dice-throws.png", "dice.md"):
            one, other = ((tmp_path / folder / name).read_bytes() for folder in ("a", "b"))
            assert one == other
        assert "](dice-throws.svg)" in (tmp_path / "a" / "dice.md").read_text()

    def test_results_in_one_file_are_what_they_were(self, dice, store, tmp_path, monkeypatch):
        TestRunning().no_coins(monkeypatch)
        results = dice.run(store)["dice"]
        path = tmp_path / "results.json"
        path.write_text(gathered(results))
        read = results_in(path)["throws"]
        assert read.seconds == pytest.approx(results["throws"].seconds, abs=0.06)
        assert read.found == results["throws"].found == found_in(path)["throws"]


class TestPieces:
    def test_counts_are_kept_by_texts_and_settings(self, tmp_path):
        texts = ["Red rose rose", "rose tea"]
        first = counted(texts, TextVectorizer(), tmp_path)
        assert counted(texts, TextVectorizer(), tmp_path).words.tolist() == first.words.tolist()
        assert len([*tmp_path.iterdir()]) == 1
        counted(texts, TextVectorizer(lowercase=False), tmp_path)
        counted(["Red rose", "rose rose tea"], TextVectorizer(), tmp_path)
        assert len([*tmp_path.iterdir()]) == 3
        assert (counted(texts, TextVectorizer(), tmp_path).matrix != first.matrix).nnz == 0

    def test_counts_of_other_long_vocabularies_are_not_taken(self, tmp_path):
        words = [f"word{number}" for number in range(3000)]
        texts = ["word1500 other"]
        for vocabulary in (words, [*words[:1500], "other", *words[1501:]]):
            vectorizer = TextVectorizer(vocabulary=np.array(vocabulary))
            found = counted(texts, vectorizer, tmp_path)
            assert found.words[found.matrix.indices].tolist() == [vocabulary[1500]]

    def test_a_damaged_result_is_measured_again(self, dice, store, monkeypatch):
        TestRunning().no_coins(monkeypatch)
        dice.run(store)
        store.path(dice.paper, dice.paper.parts[0]).write_text('{"found": ')
        dice.run(store)
        assert dice.thrown == 2

    def test_without_a_folder_nothing_is_kept(self):
        assert counted(["red rose"], TextVectorizer(), None).matrix.sum() == 2

    def test_records_are_read_with_dots_and_plain_values_are_json(self):
        value = plain({"a": [{"b": np.int64(3)}], "c": (1, 2.0), "d": None, "e": True})
        assert json.loads(json.dumps(value)) == value
        assert Record.of(value).a[0].b == 3

    def test_a_corpus_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(NotHere, match="webkb"):
            Workplace(tmp_path).load("webkb")


KNOWN = [name for name in PAPERS if (EXPERIMENTS / name.replace("-", "_") / "run.py").is_file()]


@pytest.mark.parametrize("name", KNOWN)
class TestPapers:
    def test_the_page_is_that_of_the_results(self, name):
        paper = paper_of(name)
        written = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        assert page.page_of(paper, results_in(paper.results)) == written

    def test_every_figure_is_beside_the_page(self, name):
        paper = paper_of(name)
        for figure in page.figures_in(page.shown_of(paper, found_in(paper.results))):
            assert (DOCS / f"{figure.name}.svg").is_file()

    def test_every_expectation_asks_for_parts_that_there_are(self, name):
        paper_of(name).expectations()

    def test_only_what_is_public_is_used(self, name):
        for path in (EXPERIMENTS / name.replace("-", "_")).glob("*.py"):
            for module, used in _imports(path):
                public = importlib.import_module(module)
                assert module.count(".") <= 1, f"{path.name}: {module}"
                assert {*used} <= {*getattr(public, "__all__", dir(public))}, f"{path.name}: {used}"


def test_no_figure_is_left_over():
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("*.md"))
    for figure in DOCS.glob("*.svg"):
        assert f"({figure.name})" in pages


def test_the_overview_is_that_of_the_results():
    if not KNOWN:
        pytest.skip("no papers")
    written = (DOCS / "README.md").read_text(encoding="utf-8")
    assert text_of(map(paper_of, KNOWN)) == written


def _imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tallytext"):
            yield node.module, [alias.name for alias in node.names]
