"""The experiment with few labels: what is drawn, kept, tabulated and judged."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("experiments", reason="the source distribution has no experiments")

from experiments.few_labels import corpora, published, tables, verdicts
from experiments.few_labels.__main__ import main
from experiments.few_labels.draws import drawn
from experiments.few_labels.methods import METHODS, Prepared, measured
from experiments.few_labels.plan import Plan, run
from experiments.few_labels.results import Result, Results, Task
from experiments.intervals import mean_and_error


def results_of(accuracies, corpus="20ng_bydate"):
    """Results of made-up accuracies: by method, k and seed."""
    results = Results()
    for (method, k), values in accuracies.items():
        for seed, value in enumerate(values):
            results.add(Result(Task(corpus, k, seed, method), value / 100, 0.5))
    return results


def recipe_at(values, corpus):
    """Results of a recipe that reaches so much at each k of the published figures."""
    return results_of(
        {("recipe", k): [value] for k, value in zip(published.K, values, strict=True)}, corpus
    )


class TestDraws:
    labels = np.array(["a", "b", "c"] * 40)
    words = np.array([5, 3, 2, 9] * 30)

    @pytest.mark.parametrize("k", [1, 5, 20])
    def test_there_are_as_many_of_each_class_and_none_twice(self, k):
        rows = drawn(self.labels, self.words, k, seed=0)
        assert np.unique(self.labels[rows], return_counts=True)[1].tolist() == [k, k, k]
        assert len({*rows}) == len(rows)

    def test_a_draw_comes_again_and_another_seed_draws_others(self):
        first, again, other = (drawn(self.labels, self.words, 5, seed) for seed in (0, 0, 1))
        assert first.tolist() == again.tolist()
        assert first.tolist() != other.tolist()

    def test_a_large_draw_has_the_small_one_in_it(self):
        small, large = (drawn(self.labels, self.words, k, seed=3) for k in (2, 10))
        assert {*small} < {*large}

    def test_documents_of_hardly_any_words_are_not_drawn(self):
        assert self.words[drawn(self.labels, self.words, 30, seed=0)].min() == 3

    def test_a_small_class_gives_all_it_has(self):
        labels = np.array(["a"] * 3 + ["b"] * 50)
        rows = drawn(labels, np.full(53, 9), 10, seed=0)
        assert np.unique(labels[rows], return_counts=True)[1].tolist() == [3, 10]


class TestCorpora:
    def stored(self, folder, name, **columns):
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
        return corpora.read(name, folder)

    def test_mails_are_stripped(self, tmp_path):
        mail = "From: me\n\nyou wrote:\n> salt\nmy own words\n\n--\nmy name"
        found = self.stored(
            tmp_path, "20ng_bydate", text=[mail, mail], labels=[["a"]] * 2, split=["train", "test"]
        )
        assert found.train == found.held_out == (["my own words\n"], ["a"])

    def test_only_documents_with_one_large_topic_are_kept(self, tmp_path):
        topics = [[f"t{i}"] for i in range(10) for _ in range(3)]
        labels = [*topics, ["t0", "t1"], ["small"], [], ["t2"], ["t3"]]
        split = ["train"] * 33 + ["test", ""]
        texts = [f"text {i}" for i in range(len(labels))]
        found = self.stored(tmp_path, "reuters21578", text=texts, labels=labels, split=split)
        assert found.train.texts == texts[:30]
        assert found.held_out == (["text 33"], ["t2"])

    def test_packages_of_one_source_are_in_one_half_and_small_sections_nowhere(self, tmp_path):
        labels = [["large"]] * 400 + [["small"]] * 100
        sources = [f"source{i // 2}" for i in range(500)]
        found = self.stored(
            tmp_path,
            "debian_sections",
            text=sources,
            labels=labels,
            split=[""] * 500,
            source=sources,
        )
        train, test = ({*half.texts} for half in (found.train, found.held_out))
        assert not train & test
        assert len(train | test) == 200
        assert {*found.train.labels} == {"large"}

    def test_large_halves_are_cut_by_chance_and_always_alike(self, tmp_path, monkeypatch):
        monkeypatch.setattr(corpora, "MOST_TEST", 10)
        columns = {
            "text": [f"text {i}" for i in range(100)],
            "labels": [["a"]] * 100,
            "split": ["train", "test"] * 50,
        }
        first, again = (self.stored(tmp_path, "ag_news_20k", **columns) for _ in range(2))
        assert first == again
        assert len({*first.held_out.texts}) == 10
        assert len(first.texts) == 50

    def test_a_corpus_that_is_not_there_is_asked_for(self, tmp_path):
        with pytest.raises(SystemExit, match="say where it is with --data"):
            corpora.read("klue_ynat", tmp_path)


class TestResults:
    result = Result(Task("made_up", 1, 0, "recipe"), 0.5, 1.25, {"trust": 0.5, "translated": True})

    def test_what_is_added_is_read_again(self, tmp_path):
        path = tmp_path / "results.json"
        Results(path).add(self.result)
        assert Results(path).of("made_up", "recipe") == {1: {0: self.result}}
        assert Results(tmp_path / "none").of("made_up", "recipe") == {}

    def test_a_line_that_was_cut_short_is_dropped(self, tmp_path):
        path = tmp_path / "results.json"
        other = Result(Task("made_up", 2, 0, "recipe"), 0.75, 1.0)
        path.write_text(self.result.line() + other.line()[:20])
        results = Results(path)
        assert len(results) == 1
        results.add(other)
        assert path.read_text() == self.result.line() + other.line()

    @pytest.mark.parametrize("line", ["{", "[]", "{}", '{"corpus": "a"}'])
    def test_a_file_of_something_else_is_refused_and_left_alone(self, tmp_path, line):
        path = tmp_path / "results.json"
        path.write_text(f"{line}\n{self.result.line()}")
        with pytest.raises(SystemExit, match="line 1, is no result"):
            Results(path)
        assert path.read_text() == f"{line}\n{self.result.line()}"


class TestTables:
    def test_means_and_intervals_are_those_of_the_draws(self):
        results = results_of(
            {("recipe", 1): [40, 50, 60], ("recipe", 5): [60, 70, 80], ("lr", 1): [30]},
            corpus="made_up",
        )
        table = tables.accuracies(results, "made_up")
        assert table.columns == ["accuracy, %", "k = 1", "k = 5", "mean over k"]
        # t(0.975, 2) = 4.3027, times 10 / sqrt(3)
        assert table.rows == [
            ["recipe", "50.0 ± 24.8", "70.0 ± 24.8", "60.0 ± 24.8"],
            ["tf-idf + LR", "30.0", "", ""],
        ]

    def test_an_interval_is_that_of_student(self):
        assert mean_and_error([0.7]) == (0.7, None)
        assert mean_and_error([1.0, 3.0]) == (2.0, pytest.approx(12.7062, abs=1e-4))

    def test_published_figures_stand_below_and_say_so(self):
        table = tables.accuracies(
            results_of({("recipe", 1): [40], ("recipe", 3): [50]}), "20ng_bydate"
        )
        assert table.rows[1:] == [
            ["prototype (published)", "31.7", "", ""],
            ["MiniLM + LR (published)", "30.3", "", ""],
        ]

    def test_guards_are_counted(self):
        results = Results()
        notes = [{"trust": 0.0, "translated": True}, {"trust": 0.5, "translated": False}, {}]
        for seed, note in enumerate([*notes, {"trust": 0.25, "translated": True}]):
            results.add(Result(Task("20ng_bydate", 5, seed, "recipe"), 0.5, seed + 1.0, note))
        row = ["20ng_bydate", "5", "4", "67%", "0.25", "33%", "25%"]
        assert tables.guards(results).rows == [row]
        assert tables.fallback_share(results) == 0.75
        assert tables.fallback_share(results, most=2) is None
        assert tables.fit_times(results).rows == [["20ng_bydate", "2.50 s", "4.00 s"]]

    @pytest.mark.parametrize("each", published.ALL, ids=lambda each: each.title)
    def test_published_means_are_those_of_the_figures(self, each):
        # They were taken before figures were rounded.
        for corpus in each.figures:
            assert len(each.of(corpus)) == len(published.K)
            assert each.mean(corpus) == pytest.approx(np.mean(each.of(corpus)), abs=0.1)


class TestVerdicts:
    def met(self, results, beginning):
        (found,) = (v for v in verdicts.verdicts(results) if v.requirement.startswith(beginning))
        return found.met

    def test_the_prototype_is_reached_by_the_mean_over_k(self):
        values = np.array(published.PROTOTYPE.of("klue_ynat"))
        moved = values + np.array([-6, 2, 1, 1, 1, 1.4])
        assert self.met(recipe_at(moved, "klue_ynat"), "mean over k") is True
        assert self.met(recipe_at(values - 0.1, "klue_ynat"), "mean over k") is False

    def test_miniLM_must_be_left_behind_at_every_k(self):
        values = np.array(published.MINILM.of("ag_news_20k"))
        assert self.met(recipe_at(values + 0.1, "ag_news_20k"), "ahead of") is True
        assert self.met(recipe_at(values, "ag_news_20k"), "ahead of") is False
        values[:5] += 10
        values[5] -= 0.1
        results = recipe_at(values, "ag_news_20k")
        assert self.met(results, "ahead of") is False
        assert "k = 50: -0.1" in verdicts.table(verdicts.verdicts(results)).markdown()

    def test_nothing_is_said_of_k_that_were_not_measured(self):
        results = results_of({("recipe", 1): [99.0]})
        assert self.met(results, "ahead of") is None
        assert self.met(results, "mean over k") is None
        assert self.met(results, "never more") is None
        assert self.met(results_of({("recipe", 1): [1.0]}), "ahead of") is False

    def test_half_a_point_below_the_baseline_is_allowed_and_no_more(self):
        accuracies = {(method, k): [60.0, 50.0] for method in ("recipe", "lr") for k in published.K}
        accuracies["lr", 2] = [60.5, 50.5]
        assert self.met(results_of(accuracies), "never more") is True
        accuracies["lr", 20] = [65.0, 48.0]
        results = results_of(accuracies)
        assert self.met(results, "never more") is False
        assert "k = 20: -1.5" in verdicts.table(verdicts.verdicts(results)).markdown()
        del accuracies["recipe", 20]
        assert self.met(results_of(accuracies), "never more") is None

    def test_names_alone_are_a_table_of_their_own(self):
        results = Results()
        for corpus, learner in (("named", "pooled"), ("numbered", "")):
            results.add(Result(Task(corpus, 0, 10, "recipe"), 0.7, 1.0, {"learner": learner}))
        told = tables.names_alone(results).markdown()
        assert "| named | 70.0 |" in told and "| numbered | names say nothing |" in told
        assert "70.0" not in tables.accuracies(results, "named").markdown()

    def test_draws_are_compared_with_themselves(self):
        accuracies = {("recipe", k): [50, 10] for k in published.K}
        accuracies |= {("lr", k): [50] for k in published.K}
        assert self.met(results_of(accuracies), "never more") is True

    def test_the_mean_asked_for_is_the_published_one(self):
        table = tables.accuracies(recipe_at([50] * 6, "klue_ynat"), "klue_ynat")
        assert table.rows[-1][-1] == "66.1"

    def test_ohsumed_is_not_measured_by_miniLM(self):
        found = verdicts.verdicts(results_of({("recipe", 1): [9]}, "ohsumed_first20000"))
        assert [each.requirement[:4] for each in found] == ["mean", "neve"]


class TestRun:
    def test_a_quick_run_prints_all_methods(self, capsys):
        main(["--quick", "--seeds", "1"])
        printed = capsys.readouterr().out
        for method in METHODS.values():
            assert f"| {method.title} | " in printed
        assert "| made_up | 1 | 1 | 0% | 0.00 | 0% | 0% |" in printed
        assert "another model" in printed

    def test_a_run_goes_on_where_it_ended(self, tmp_path, monkeypatch, capsys):
        path = tmp_path / "results.json"
        quick = ["--quick", "--methods", "laplace", "lr", "--results", str(path)]
        main([*quick, "--seeds", "1"])
        first, before = path.read_text(), capsys.readouterr().out
        main(quick)
        assert path.read_text().startswith(first)
        lines = path.read_text().splitlines()
        tasks = [tuple(json.loads(line)[name] for name in Task._fields) for line in lines]
        assert len({*tasks}) == len(tasks) == 8
        monkeypatch.setattr("experiments.few_labels.plan.read", None)  # nothing is left to do
        capsys.readouterr()
        main([*quick, "--seeds", "1"])
        assert capsys.readouterr().out == before

    def test_page_and_figure_are_written(self, tmp_path):
        pytest.importorskip("matplotlib")
        quick = ["--quick", "--methods", "laplace", "recipe", "--results", str(tmp_path / "found")]
        main([*quick, "--write", str(tmp_path)])
        page = (tmp_path / "few-labels-results.md").read_text(encoding="utf-8")
        assert "(few-labels.svg)" in page
        svg = (tmp_path / "few-labels.svg").read_bytes()
        assert b"made_up" in svg
        assert (tmp_path / "few-labels.png").read_bytes()[:4] == b"\x89PNG"
        main([*quick, "--write", str(tmp_path)])
        assert (tmp_path / "few-labels.svg").read_bytes() == svg

    def test_the_same_draw_gives_the_same_result(self):
        prepared = Prepared(corpora.made_up())
        for method in METHODS:
            task = Task("made_up", 2, 1, method)
            first, again = (measured(prepared, task) for _ in range(2))
            assert (first.accuracy, first.notes) == (again.accuracy, again.notes)

    def test_text_without_labels_helps_on_what_is_made_up(self):
        results = Results()
        run(Plan(["made_up"], [1], 3, ["recipe", "semantic_em", "lr"]), results, None)
        means = {
            method: np.mean([each.accuracy for each in results.of("made_up", method)[1].values()])
            for method in ("recipe", "semantic_em", "lr")
        }
        assert min(means["recipe"], means["semantic_em"]) > means["lr"]
