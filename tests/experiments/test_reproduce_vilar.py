"""Vilar et al. (2004) reproduced: what the experiment computes for itself, and a quick run."""

import doctest
from importlib import import_module

import numpy as np
import pytest
from scipy import sparse, stats

pytest.importorskip("experiments", reason="the source distribution has no experiments")
pytest.importorskip("matplotlib", reason="figures need it")

from experiments.reproduction.command import paper_of
from experiments.reproduction.counts import Counts
from experiments.reproduction.expected import Expected
from experiments.reproduction.record import Record
from experiments.reproduction.store import found_in
from experiments.reproduction.tables import Table
from experiments.vilar import corpora, encoded, orders, preprocessing
from experiments.vilar.corpora import Split, first_of_each, held_out, random_groups, split
from experiments.vilar.discount import bounds, discounts_of
from experiments.vilar.figure1 import curves
from experiments.vilar.length_model import fold_numbers
from experiments.vilar.lengths import log_normal, negative_binomial
from experiments.vilar.likelihood import Tokens
from experiments.vilar.packages import at_most
from experiments.vilar.published import published
from experiments.vilar.rules import summed_up
from experiments.vilar.term_weights import chi_by_class
from experiments.vilar.word_groups import (
    Contributions,
    by_frequency,
    by_frequency_and_gain,
    fitted_weights,
)

from reproductions import quick_run
from tallytext import MultinomialNB, Tally
from tallytext.features import score_terms
from tallytext.models import AbsoluteDiscount

WITH_EXAMPLES = (
    "encoded",
    *("corpora", "discount", "length_model", "lengths", "normalised", "orders", "packages"),
    *("published", "rules", "term_weights", "word_groups", "wording"),
)
FILES = ("20ng_orig19997", "webkb", "debian_sections")
TOY = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
TOY_LABELS = ["X", "X", "Y"]
# Words w00 to w08, and w10, in eight documents of two classes.
EIGHT = [
    [3, 1, 1, 2, 0, 0, 1, 0, 0, 0],
    [2, 1, 0, 3, 1, 1, 0, 0, 1, 0],
    [0, 2, 1, 0, 1, 2, 2, 0, 1, 0],
    [2, 0, 3, 3, 2, 4, 0, 0, 0, 0],
    [1, 0, 0, 1, 1, 1, 2, 5, 2, 0],
    [0, 0, 0, 3, 2, 3, 1, 2, 1, 0],
    [0, 0, 0, 4, 1, 2, 0, 1, 1, 0],
    [0, 0, 0, 0, 0, 2, 2, 1, 2, 1],
]


def split_of(rows, labels):
    known = np.asarray(labels)
    matrix = sparse.csr_array(np.asarray(rows))
    return Split(matrix, known, matrix, known, np.arange(len(labels)))


def random_split(n=60, n_words=25, seed=0):
    draw = np.random.default_rng(seed)
    labels = np.array(["a", "b", "c"])[np.arange(n) % 3]
    rates = np.where(np.arange(n_words) % 3 == np.arange(n)[:, None] % 3, 1.0, 0.4)
    return split_of(draw.poisson(rates), labels)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name):
    found = doctest.testmod(import_module(f"experiments.vilar.{name}"))
    assert found.attempted
    assert not found.failed


def test_only_full_lines_of_encoded_files_are_left_out():
    full, short = "M" + 60 * "#", "M" + 59 * "#"
    lower = "M" + 60 * "a"  # what is encoded has no small letters
    post = f"From: a\nSubject: b\n\nMy words\n{full}\n{full}  \n{short}\n{lower}\nend\n"
    left = encoded.without_encoded(post)
    assert left.endswith(f"My words\n{short}\n{lower}\nend\n")


class TestSplits:
    def test_the_first_of_each_class_are_learned_from(self):
        dates = ["1993-04-02", "1993-04-01", "1993-04-03", "1993-04-01"]
        train, test = first_of_each(["a", "a", "a", "b"], dates, 2)
        assert train.tolist() == [0, 1, 3]
        assert test.tolist() == [2]

    def test_of_one_moment_the_first_given_comes_first(self):
        train, _ = first_of_each(["a"] * 3, ["1", "1", "1"], 1)
        assert train.tolist() == [0]

    def test_words_that_are_not_learned_are_left_out(self):
        counts = Counts(sparse.csr_array([[1, 0, 2], [0, 3, 1]]), np.array(["u", "v", "w"]))
        parts = split(counts, ["a", "b"], np.array([0]), np.array([1]))
        assert parts.train.toarray().tolist() == [[1, 2]]
        assert parts.test.toarray().tolist() == [[0, 1]]
        assert parts.mean_length == 3

    def test_groups_are_drawn_whole(self):
        groups = [f"source{at // 3}" for at in range(300)]
        drawn = random_groups(groups, 0.2, 1).reshape(100, 3)
        assert (drawn.all(axis=1) == drawn.any(axis=1)).all()
        assert 0 < drawn.mean() < 0.5

    def test_the_latest_posts_are_held_out(self):
        posts = split_of(np.eye(10, dtype=int), ["a", "b"] * 5)
        late = held_out("newsgroups", posts)
        assert np.flatnonzero(late).tolist() == [8, 9]

    def test_folds_keep_groups_whole(self):
        groups = np.repeat(np.arange(20), 4)
        folds = fold_numbers(groups, 5)
        assert np.bincount(folds).tolist() == [16] * 5
        assert len(set(zip(groups, folds, strict=True))) == 20

    def test_no_more_than_so_many_of_a_group(self):
        kept = at_most(["a"] * 7 + ["b"] * 2, 3, 0)
        assert [kept[:7].sum(), kept[7:].sum()] == [3, 2]


class TestTexts:
    POST = (
        "From: ann@example.org\nPath: a!b\nSubject: engines\n\n"
        "bob wrote:\n> How many?\nTwo strokes.\n\n--\nAnn, Ohio\n"
    )

    def test_from_and_subject_are_kept(self):
        assert corpora.from_and_subject(self.POST).startswith("From: ann@example.org\nSubject:")
        assert "a!b" not in corpora.from_and_subject(self.POST)

    def test_quotes_and_signatures_go_and_the_fields_stay(self):
        text = preprocessing.without_quotes(self.POST)
        assert "Subject: engines" in text
        assert "Two strokes." in text
        assert "How many" not in text
        assert "Ohio" not in text

    def test_words_are_letters_without_stop_words(self):
        made = corpora.words().fit(["The x86 engine, 2 engines & a b"])
        assert sorted(made.get_feature_names_out()) == ["engine", "engines"]

    def test_the_most_frequent_words_are_left_out(self):
        counts = Counts(sparse.csr_array([[5, 1, 2], [0, 1, 2]]), np.array(["u", "v", "w"]))
        assert preprocessing.without_frequent(counts, 2).words.tolist() == ["v"]
        assert preprocessing.without_frequent(counts, 0) is counts

    def test_copies_are_told_by_what_follows_the_header(self):
        posts = ["Path: a\n\nsalt", "Path: b\n\nsalt", "Path: a\n\nsky"]
        assert orders.first_copies(posts).tolist() == [0, 2]


class TestDiscounts:
    def test_bounds_of_the_toy_corpus(self):
        tally = Tally.from_counts(TOY, TOY_LABELS)
        assert bounds(tally.counts_of_counts("cells")) == pytest.approx((4 / 7, 2 / 3))
        assert bounds(tally.counts_of_counts("pooled")) == pytest.approx((1 / 5, 1 / 3))

    def test_discounts_of_the_toy_corpus(self):
        found = discounts_of(Tally.from_counts(TOY, TOY_LABELS))
        assert found["closed_cells"] == pytest.approx(2 / 3)
        assert found["closed_pooled"] == pytest.approx(1 / 3)
        assert found["printed"] == pytest.approx(1 / 2)
        assert found["exact_cells"] == pytest.approx(0.580889, abs=1e-6)
        assert found["exact_pooled"] == pytest.approx(0.175063, abs=1e-6)

    def test_the_likelihood_of_left_out_tokens_is_that_of_the_vectors(self):
        tokens = Tokens.of(split_of(EIGHT, ["X"] * 4 + ["Y"] * 4))
        # The last word is in one document, once: nobody could foresee it.
        weight = tokens.shares.sum() - 10.25 / 8
        assert tokens.mean_weight == pytest.approx(1.0)
        known = {0.1: -172.6672529, 0.25: -172.4302567, 0.5: -172.737297, 0.75: -173.3306227}
        for b, likelihood in known.items():
            assert tokens.log_likelihood(b) * weight == pytest.approx(likelihood, abs=1e-6)

    def test_a_unigram_that_keeps_the_token_makes_it_likelier(self):
        tokens = Tokens.of(split_of(EIGHT, ["X"] * 4 + ["Y"] * 4))
        assert tokens.log_likelihood(8.0, unigram_left_out=False) > tokens.log_likelihood(8.0)

    def test_no_rule_is_better_than_the_best(self):
        runs = [
            {"rule": {"b": 0.3, "error": 2.0}, "errors": [4.0, 3.0]},
            {"rule": {"b": 0.5, "error": 3.0}, "errors": [6.0, 2.5]},
        ]
        found = summed_up(runs, ["rule", "best"], (0.1, 0.4))
        assert found["errors"] == [5.0, 2.75]
        assert found["best"] == found["rule"] == {"b": pytest.approx(0.4), "error": 2.5}
        runs[1]["errors"] = [6.0, 1.5]
        assert summed_up(runs, ["rule", "best"], (0.1, 0.4))["best"] == {"b": 0.4, "error": 2.25}


class TestCurves:
    def test_all_words_come_last_and_errors_are_means(self):
        one, two = random_split(seed=1), random_split(seed=2)
        models = {"discount": MultinomialNB(AbsoluteDiscount())}
        both = curves([one, two], models, [5, 10, 9999])
        each = [curves([part], models, [5, 10])["discount"] for part in (one, two)]
        assert both["sizes"] == [5, 10, 25]
        assert both["discount"] == pytest.approx(np.mean(each, axis=0))


class TestLengths:
    LENGTHS = np.array([3.0, 40.0, 7.0, 90.0, 12.0, 25.0])
    NUMBER = np.array([0, 1, 0, 1, 0, 1])
    ASKED = np.array([0.0, 5.0, 60.0])

    def moments(self, values, which):
        # One document like the mean of all is added to each class.
        own = values[which == self.NUMBER]
        mean = (own.sum() + values.mean()) / 4
        return mean, (np.square(own).sum() + np.square(values).mean()) / 4 - mean**2

    def test_a_log_normal_for_each_class(self):
        found = log_normal(self.LENGTHS, self.NUMBER, 2, self.ASKED)
        for which in (0, 1):
            mean, variance = self.moments(np.log1p(self.LENGTHS), which)
            logs = stats.norm.logpdf(np.log1p(self.ASKED), mean, np.sqrt(variance))
            assert found[:, which] == pytest.approx(logs)

    def test_a_negative_binomial_for_each_class(self):
        found = negative_binomial(self.LENGTHS, self.NUMBER, 2, self.ASKED)
        for which in (0, 1):
            mean, variance = self.moments(self.LENGTHS, which)
            share, r = mean / variance, mean**2 / (variance - mean)
            assert found[:, which] == pytest.approx(stats.nbinom.logpmf(self.ASKED, r, share))


class TestWeights:
    def test_chi_by_class_has_the_largest_of_the_library(self):
        part = random_split()
        tally = Tally.from_counts(part.train, part.labels.tolist())
        expected = score_terms(tally, "chi", average="max")
        assert chi_by_class(tally).max(axis=0) == pytest.approx(expected)

    def test_groups_of_frequency_are_parted_by_gain(self):
        part = random_split()
        tally = Tally.from_counts(part.train, part.labels.tolist())
        groups, gain = by_frequency_and_gain(tally), score_terms(tally, "ig")
        assert (groups // 4 == by_frequency(tally)).all()
        same = by_frequency(tally) == np.bincount(by_frequency(tally)).argmax()
        low, high = groups[same].min(), groups[same].max()
        assert gain[groups == low].max() < gain[groups == high].min()

    def test_what_groups_say_adds_up_to_the_score(self):
        part, groups = random_split(), np.arange(25) % 4
        model = MultinomialNB(AbsoluteDiscount(0.5)).fit(part.train, part.labels)
        found = Contributions.of(model, part.test, groups, 4)
        assert found.weighed(np.ones(5)) == pytest.approx(model.scores(part.test), rel=1e-5)

    def test_so_it_does_nearly_for_documents_left_out(self):
        part, groups = random_split(n=600), np.arange(25) % 4
        model = MultinomialNB(AbsoluteDiscount(0.5)).fit(part.train, part.labels)
        found = Contributions.left_out(model, part.train, part.labels, groups, 4)
        left_out = model.leave_one_out(part.train, part.labels).scores
        assert found.weighed(np.ones(5)) == pytest.approx(left_out, rel=0.005)

    def test_words_that_say_nothing_get_less_weight(self):
        draw, n = np.random.default_rng(3), 900
        number = np.arange(n) % 3
        values = np.zeros((n, 3, 3), dtype=np.float32)
        values[:, :, 1] = draw.normal(size=(n, 3)) + 2.0 * (number[:, None] == np.arange(3))
        values[:, :, 2] = draw.normal(size=(n, 3))
        _, useful, useless = fitted_weights(Contributions(values), number)
        assert useful > 1
        assert abs(useless) < 0.3

    def test_per_token_divides_all_but_the_prior(self):
        found = Contributions(np.ones((2, 1, 3), dtype=np.float32)).per_token(np.array([2.0, 0.0]))
        assert found.values[:, 0].tolist() == [[1.0, 0.5, 0.5], [1.0, 1.0, 1.0]]


def test_published_figures_are_those_expected_and_all_of_them_are_shown():
    expected = Expected.read(paper_of("vilar").expected)
    for number in expected.numbers:
        assert published(*number.what.split(", ")) == number.published
    found = found_in(paper_of("vilar").results)
    shown = {part.name: part.show for part in paper_of("vilar").parts}
    for part in ("table1", "figure1"):
        tables = [each for each in shown[part](Record.of(found[part])) if isinstance(each, Table)]
        cells = {cell for table in tables for row in table.rows for cell in row}
        figures = {number.published for number in expected.numbers if number.part == part}
        assert figures <= cells
        assert "not to be had" in cells


def test_a_quick_run_measures_all_parts_and_judges_all_claims(tmp_path):
    quick_run("vilar", tmp_path, FILES)
