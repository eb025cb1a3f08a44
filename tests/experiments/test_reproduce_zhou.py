"""The reproduction of Zhou, Zhang and Hu: its pieces on tiny texts, and a quick run of it."""

import numpy as np
import pytest

pytest.importorskip("experiments", reason="the source distribution has no experiments")
pytest.importorskip("matplotlib", reason="figures need it")

from experiments.reproduction.expected import Expected
from experiments.reproduction.texts import single_labels
from experiments.zhou import published
from experiments.zhou.corpora import NAMES, header_kept, largest_classes, part
from experiments.zhou.figure2 import overlap, topicalities
from experiments.zhou.five_percent import rows
from experiments.zhou.learned import Learned, class_shares, learned, new_model, new_phrases
from experiments.zhou.mixture import choice
from experiments.zhou.reuse import borrow, coverage
from experiments.zhou.run import PAPER
from experiments.zhou.sizes import shares_of, unequal
from experiments.zhou.table1 import statistics
from experiments.zhou.trials import METHODS, Trial, listed, paired, percent, samples, spread

from reproductions import quick_run
from tallytext.io import CORPORA, Corpus

SEA = ["deep sea and a wave", "a wave of salt water", "deep sea, fish", "fish in salt water"] * 10
SKY = ["blue sky and a cloud", "a cloud in high wind", "blue sky, birds", "birds in high wind"] * 10
LABELS = np.array(["sea"] * 40 + ["sky"] * 40)


@pytest.fixture(scope="module")
def known():
    return Learned.of(new_model("newsgroups"), [*SEA, *SKY])


@pytest.fixture
def trial(known):
    return Trial(known, LABELS, next(samples(LABELS, 1, 1)))


class TestDocuments:
    def test_only_two_fields_of_a_header_are_kept(self):
        post = "Path: a!b\nFrom: me\nNewsgroups: sea\nSubject: salt\n\nNewsgroups: in the text\n"
        assert header_kept(post) == "From: me\nSubject: salt\n\nNewsgroups: in the text\n"

    def test_documents_of_one_label_and_large_classes_are_kept(self):
        labels = [["a"], ["b"], ["a", "b"], ["b"], []]
        corpus = Corpus("toy", list("vwxyz"), labels, list("01234"), [""] * 5)
        kept = single_labels(corpus)
        assert (kept.texts, kept.labels) == (["v", "w", "y"], ["a", "b", "b"])
        assert largest_classes(kept, 1).texts == ["w", "y"]
        assert single_labels(kept) is kept
        assert corpus.labels == labels

    def test_a_part_is_the_same_again(self):
        corpus = Corpus("toy", list("vwxyz"), list("aabbb"), list("01234"), [""] * 5)
        assert len(part(corpus, 2)) == 2
        assert part(corpus, 3).texts == part(corpus, 3).texts
        assert part(corpus, 9) is corpus


class TestSamples:
    @pytest.mark.parametrize(("size", "expected"), [(0.05, 2), (0.001, 1), (1, 1), (100, 40)])
    def test_they_have_as_many_of_each_class_and_come_again(self, size, expected):
        drawn, same = ([*samples(LABELS, size, 3)] for _ in range(2))
        for sample, other in zip(drawn, same, strict=True):
            assert sample.tolist() == other.tolist()
            counts = np.unique(LABELS[sample], return_counts=True)[1]
            assert counts.tolist() == [expected, expected]

    def test_they_differ(self):
        first, second = samples(LABELS, 2, 2)
        assert first.tolist() != second.tolist()

    def test_unequal_ones_have_the_shares_asked_for(self):
        sample = unequal(LABELS, np.array([0.9, 0.1]), 20, seed=0)
        assert sorted(np.unique(LABELS[sample], return_counts=True)[1].tolist()) == [2, 18]
        assert len(np.unique(sample)) == len(sample)

    def test_large_classes_are_counted_apart(self):
        given, truth = np.array([*"aabc"]), np.array([*"abbc"])
        found = shares_of(given, truth, np.array(["a"]))
        assert found == pytest.approx({"share": 0.5, "recall": 1.0, "recall_of_others": 2 / 3})


class TestTrials:
    def test_each_method_is_judged_on_what_is_outside_the_sample(self, trial):
        found = trial.all()
        assert {*found} == {*METHODS}
        assert len(trial.others) == 78
        assert found["csss"]["micro"] > found["laplace"]["micro"]

    def test_right_and_wrong_labels_are_told_apart(self, trial):
        truth = LABELS[trial.others]
        assert trial.scores(truth) == {"micro": 1.0, "macro": 1.0}
        assert trial.scores(np.where(truth == "sea", "sky", "sea"))["micro"] == 0.0

    def test_no_weight_is_the_background(self, trial):
        assert trial.semantic(trial.learned.mixed(1.0), 0.0) == trial.background()

    def test_rounds_are_undone(self, trial):
        before = trial.semantic(trial.learned.mixed(1.0))
        assert trial.after_rounds()["micro"] > 0.5
        assert trial.semantic(trial.learned.mixed(1.0)) == before

    def test_what_is_left_out_is_judged_without_itself(self, known):
        trial = Trial(known, LABELS, next(samples(LABELS, 3, 1)))
        trial.semantic(known.mixed(0.5))
        found = trial.left_out()
        assert found["likelihood"] < found["label"] <= 0
        assert 0 <= found["accuracy"] <= 1
        assert 0 <= trial.chosen_weight(known.mixed(1.0)) <= 0.9

    def test_the_sample_alone_knows_fewer_words(self, trial):
        assert trial.background(inductive=True)["micro"] < trial.background()["micro"] + 0.2
        assert trial.laplace(own_words=True).keys() == trial.laplace().keys()

    def test_results_are_listed_and_written(self):
        found = listed([{"a": {"micro": 0.5}}, {"a": {"micro": 0.7}}])
        assert found == {"a": {"micro": [0.5, 0.7]}}
        assert spread([0.5, 0.7]) == "0.600 ± 0.141"
        assert spread([0.5]) == "0.500 ± 0.000"
        assert paired([0.6, 0.7], [0.5, 0.6]) == "+10.0 ± 0.0"
        assert percent([0.6], [0.5]) == "+20.0 %"


class TestSignatures:
    def test_sizes_are_counted(self, known):
        found = statistics(known)
        assert found["documents"] == 80
        assert found["phrases"] == 4  # deep sea, salt water, blue sky, high wind
        assert found["words"] == len(known.translation.words_)
        assert found["different_words"] <= found["words_per_document"]

    def test_other_phrases_leave_words_alone(self, known):
        other = known.with_phrases(new_phrases("newsgroups", "xtract"), [*SEA, *SKY])
        assert other.translation.words_.tolist() == known.translation.words_.tolist()
        assert (other.words != known.words).nnz == 0
        assert set(other.translation.kinds_) <= {1}

    def test_shares_of_classes_are_those_of_documents(self, known):
        shares = class_shares(known.words, LABELS)
        words = known.translation.words_.tolist()
        assert shares[words.index("salt")].tolist() == [1.0, 0.0]
        assert np.allclose(shares.sum(axis=1), 1.0)

    def test_rows_of_one_class_are_of_one_topic(self, known):
        pairs = [*topicalities(known, class_shares(known.words, LABELS), 10)]
        assert len(pairs) == known.phrases.shape[1]
        assert all(value > 0.9 for pair in pairs for value in pair)

    def test_a_final_s_is_no_difference(self):
        assert overlap(["mar", "orbit", "moon"], ["mars", "orbits", "sun"]) == 2

    def test_what_is_borrowed_is_counted_in_the_words_of_the_other(self, known):
        texts = ["deep sea fish", "salt lake", "deep sea salt", "salt lake"] * 5
        own = Learned.of(new_model("newsgroups"), texts)
        borrowed = borrow(known, own, texts)
        assert borrowed.translation.words_.tolist() == own.translation.words_.tolist()
        found = coverage(own, borrowed)
        names = own.phrase_names.tolist()
        assert "salt lake" in names
        shared = [name for name in names if name in known.phrase_names]
        assert found["different"] == pytest.approx(len(shared) / len(names))

    def test_the_middle_wins_among_equals(self):
        assert choice([0.0, 0.0, 0.0]) == 1
        assert choice([1.0, 0.0, 0.0]) == 0


class TestTables:
    def test_published_rows_stand_below_ours(self):
        ours = {
            "newsgroups": {name: {k: [0.5, 0.6] for k in ("micro", "macro")} for name in METHODS}
        }
        made = rows(ours, ("laplace", "csss"), "csss")
        assert made[0][:4] == ("**20 Newsgroups**", "0.550 ± 0.071", "0.550 ± 0.071", "+0.0 %")
        assert made[1][:4] == ("20 Newsgroups, published", "0.427", "0.613", "+43.7 %")

    def test_published_figures_are_the_same_wherever_they_stand(self):
        numbers = {each.what: each for each in Expected.read(PAPER.expected).numbers}
        for title, name in (("20 Newsgroups", "newsgroups"), ("OHSUMED", "ohsumed")):
            for method, pair in published.F1[name].items():
                for kind, value in zip(("micro", "macro"), pair, strict=True):
                    assert numbers[f"{title}, {kind}-F1, {METHODS[method]}"].published == value
            sizes = published.STATISTICS[title]
            assert numbers[f"documents of {title}"].published == sizes[1]
            assert numbers[f"words of {title}"].published == sizes[5]
            assert numbers[f"words per document of {title}"].published == sizes[6]
        for what, number in numbers.items():
            if number.part == "figure2":
                word, signature = what.removeprefix("p(").removesuffix(")").split(" given ")
                assert dict(published.row(signature))[word] == number.published

    def test_tests_of_claims_have_the_published_figures(self):
        background = published.F1["newsgroups"]["background"][0]
        tests = [claim.test for claim in Expected.read(PAPER.expected).claims]
        assert sum(f"background.micro) - {background}) < 0.03" in test for test in tests) == 1
        assert sum(f"> {background + 0.05:g}" in test for test in tests) == 1

    def test_published_rows_of_translations_have_twenty_words(self):
        assert all(len(published.row(name)) == 20 for name in published.ROWS)


def test_a_quick_run_measures_every_part(tmp_path):
    quick_run("zhou", tmp_path, [CORPORA[name].table.split(".")[0] for name in NAMES.values()])
    assert learned.cache_info().currsize == 0  # translations of five corpora are let go
