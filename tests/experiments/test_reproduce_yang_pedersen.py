"""The reproduction of Yang and Pedersen: its helpers on tiny data, and a quick run of it all."""

import numpy as np
import pytest
from scipy import sparse

from tallytext import CosineKNN, TermSelector
from tallytext.evaluation import average_precision_11
from tallytext.features import score_terms

pytest.importorskip("experiments", reason="the experiments are not beside the tests")
pytest.importorskip("matplotlib", reason="figures need matplotlib")

from experiments.reproduction import command
from experiments.reproduction.expected import Expected
from experiments.reproduction.record import Record
from experiments.yang_pedersen import corpora, differences, modapte, mutual, properties, statistics
from experiments.yang_pedersen.cells import (
    Cells,
    gain_as_printed,
    shrunken_information,
)
from experiments.yang_pedersen.corpora import Deal, Documents, dealt, given_split
from experiments.yang_pedersen.judging import (
    neighbour_precision,
    neighbour_sums,
    precision_of,
)
from experiments.yang_pedersen.terms import (
    SCORES,
    Ranking,
    never_empty,
    plain_score,
)

from reproductions import quick_run

CORPORA = ("reuters21578", "ohsumed_first20000", "20ng_bydate", "ag_news_20k")
MORE = ("debian_sections", "klue_ynat")


def documents(n=60, n_terms=40, multi_label=True, seed=0):
    random = np.random.default_rng(seed)
    counts = random.poisson(random.gamma(0.3, 1.0, n_terms), (n, n_terms))
    counts[:, 0] += 1
    labels = [
        sorted({"abc"[at] for at in random.integers(0, 3, 1 + multi_label)}) for _ in range(n)
    ]
    return Documents(sparse.csr_array(counts), labels)


@pytest.fixture
def deal():
    return dealt(documents(), 0)


@pytest.fixture
def toy():
    counts = sparse.csr_array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    side = Documents(counts, [["X"], ["X"], ["Y"]])
    return Deal(side, side)


@pytest.mark.parametrize("name", ["DF", "IG", "CHI", "MI"])
@pytest.mark.parametrize("share", [0.5, 0.1])
def test_documents_are_cut_as_the_selector_of_the_library_cuts_them(deal, name, share):
    ranking = Ranking.of(deal, plain_score(name))
    n = ranking.n_kept(share)
    kept = np.isin(np.arange(len(ranking.found)), ranking.order[:n])
    selector = TermSelector(lambda tally: plain_score(name)(deal), k=n, nonempty=True)
    selector.fit(deal.train.counts, deal.train.labels)
    assert set(selector.best_) >= {at for at in ranking.order[:n] if _is_alone(ranking, deal, at)}
    selector.kept_ = kept
    ours = never_empty(deal.test.counts, ranking.found, kept)
    assert (ours != selector.mask(deal.test.counts)).nnz == 0


def _is_alone(ranking, deal, column):
    """Whether no other term has the same score in as many documents: ties are cut by name."""
    found, df = ranking.found, deal.frequencies
    return np.sum((found == found[column]) & (df == df[column])) == 1


def test_a_document_that_would_become_empty_keeps_its_best_terms_and_no_unknown_ones():
    counts = sparse.csr_array([[1, 0, 2, 0], [0, 3, 4, 0], [0, 0, 0, 5]])
    found = np.array([0.9, 0.2, 0.2, -np.inf])
    kept = np.array([True, False, False, False])
    expected = [[1, 0, 0, 0], [0, 3, 4, 0], [0, 0, 0, 0]]
    assert never_empty(counts, found, kept).toarray().tolist() == expected


def test_of_equal_scores_the_term_in_more_documents_is_first_and_unseen_terms_are_out():
    train = Documents(sparse.csr_array([[1, 1, 0, 0], [0, 1, 1, 0]]), [["a"], ["b"]])
    test = Documents(sparse.csr_array([[0, 0, 0, 7]]), [["a"]])
    ranking = Ranking.of(Deal(train, test), lambda deal: np.array([1.0, 1.0, 2.0, 9.0]))
    assert ranking.order.tolist() == [2, 1, 0]


def test_sums_over_neighbours_are_those_of_the_classifier(deal):
    for k, ours in zip((3, 7), neighbour_sums(deal, (3, 7)), strict=True):
        model = CosineKNN(k, multi_label=True).fit(deal.train.counts, deal.train.labels)
        np.testing.assert_allclose(ours, model.decision_function(deal.test.counts), rtol=1e-12)


def test_precision_is_that_of_the_library_and_a_class_nobody_learned_is_never_found(deal):
    decided = neighbour_sums(deal, (5,))[0]
    whole = average_precision_11(decided, deal.wanted[:, :-1])
    assert neighbour_precision(deal, 5) == pytest.approx(whole)
    strange = Deal(deal.train, Documents(deal.test.counts, [["never seen"]] * len(deal.test)))
    assert precision_of(strange, decided) == 0.0


def test_a_deal_parts_all_documents_in_the_proportion_of_the_paper():
    whole = documents(n=100)
    one = dealt(whole, 3)
    assert len(one.train) == 72 and len(one.test) == 28
    assert (one.train.counts.sum() + one.test.counts.sum()) == whole.counts.sum()
    held = one.held_out()
    assert len(held.train) + len(held.test) == len(one.train)


def test_a_given_split_leaves_documents_on_neither_side_out():
    one = given_split(documents(n=4), ["TRAIN", "test", "", "train"])
    assert (len(one.train), len(one.test)) == (2, 1)


def test_gain_as_printed_is_information_gain_where_documents_have_one_label():
    one = dealt(documents(multi_label=False), 0)
    np.testing.assert_allclose(gain_as_printed(one), score_terms(one.tally, "ig"), atol=1e-12)


def test_mutual_information_is_that_of_the_library(deal):
    cells = Cells.of(deal)
    for pseudo, shrunken in ((0.0, False), (0.5, True)):
        ours = mutual.largest(shrunken_information(cells, pseudo))
        np.testing.assert_allclose(
            ours, score_terms(deal.tally, "mi", shrunken=shrunken), rtol=1e-12
        )


def test_scores_of_the_toy_documents_are_as_known(toy):
    found = mutual.largest(shrunken_information(Cells.of(toy), 0.0))
    np.testing.assert_allclose(found, [0.405465, 0.405465, 0.405465, 1.098612], atol=1e-6)
    np.testing.assert_allclose(plain_score("CHI")(toy), [3, 0.75, 0.75, 3])


def test_weighted_mutual_information_with_its_counterpart_of_absence_is_information_gain():
    one = dealt(documents(multi_label=False), 0)
    cells = Cells.of(one)
    absent = Cells(cells.of_class - cells.both, cells.of_class, cells.n - cells.with_term, cells.n)
    both = mutual.weighted_sum(cells) + mutual.weighted_sum(absent)
    np.testing.assert_allclose(both, score_terms(one.tally, "ig"), atol=1e-12)


def test_pulled_towards_chance_a_pair_is_worth_less_the_rarer_it_is():
    both, of_class = np.array([[2.0, 200.0, 0.0]]), np.array([[100.0]])
    cells = Cells(both, of_class, np.array([2.0, 200.0, 5.0]), 1000)
    rare, common, absent = mutual.towards_chance(cells, 1.0)[0]
    assert rare == pytest.approx(np.log(3 / 1.2)) and common == pytest.approx(np.log(201 / 21))
    assert absent == -np.inf
    plain = mutual.towards_chance(cells, 0.0)[0]
    assert plain[0] == pytest.approx(plain[1])


def test_within_a_class_rare_terms_have_more_mutual_information():
    with_term = np.array([2.0, 20.0, 200.0])
    cells = Cells(np.array([[2.0, 10.0, 20.0]]), np.array([[100.0]]), with_term, 1000)
    assert properties.within_classes(cells) == [pytest.approx(-1.0)]


def test_normalised_mutual_information_is_one_for_a_term_that_is_the_class(toy):
    np.testing.assert_allclose(mutual.normalised(Cells.of(toy))[[0, 3]], [1.0, 1.0])


def test_absence_changes_nothing_for_gain_and_chi_square_and_much_for_the_others(deal):
    changes = properties._complement_changes(deal)
    assert max(changes["IG"], changes["CHI"]) < 1e-9
    assert min(changes["DF"], changes["MI"], changes["TS"]) > 0.01


def test_words_of_the_table_follow_from_its_figures():
    row = {
        "with_df": 0.2,
        "median_df": 1,
        "best_tenth_df": [1, 2, 9],
        "relabelled": 0.3,
        "complement": 0.2,
        "knn": {"10%": -0.2, "2%": -0.3},
        "llsf": {"10%": -0.01, "2%": -0.3},
    }
    strength = row | {"best_tenth_df": [2, 4, 90], "relabelled": 1.0, "median_df": 3}
    strength |= {"knn": {"10%": 0.0, "2%": -0.2}, "llsf": {"10%": 0.0, "2%": 0.0}}
    more = {"mi_in_class": [-0.9, -0.6], "ts_positive": -0.2}
    found = Record.of({"MI": row, "TS": strength, "more": more})
    assert [*properties.in_words("MI", found).values()] == ["no", "yes", "no", "poor"]
    assert [*properties.in_words("TS", found).values()] == ["yes/no", "no", "no", "OK"]


def test_precision_by_document_has_the_mean_of_the_measure(deal):
    (sums,) = neighbour_sums(deal, (5,))
    found = modapte.by_document(deal, sums)
    assert len(found) == len(deal.test)
    assert found.mean() == pytest.approx(precision_of(deal, sums))


def test_documents_of_one_group_are_on_one_side():
    groups = [f"group {at // 3}" for at in range(300)]
    sides = corpora.sides_by_group(groups)
    assert {len({sides[at], sides[at + 1], sides[at + 2]}) for at in range(0, 300, 3)} == {1}
    assert 0.6 < sides.count("train") / 300 < 0.8


def test_tables_have_the_published_figures_that_are_expected():
    expected = Expected.read(command.paper_of("yang-pedersen").expected)
    described = [number for number in expected.numbers if number.part == "statistics"]
    for number in described:
        assert number.value({"statistics": statistics.PUBLISHED}) == pytest.approx(number.published)
    judged = {number.what: number.published for number in expected.numbers if number.part == "knn"}
    assert (
        judged["kNN, all terms"],
        judged["kNN, 2 % of the terms by IG"],
    ) == differences.PUBLISHED
    assert len(described) == 8


def test_a_quick_run_measures_every_part_and_judges_every_claim(tmp_path):
    found = quick_run("yang-pedersen", tmp_path, CORPORA + MORE)
    assert set(SCORES) < set(found["properties"])
    assert (
        sum(found["statistics"]["reuters"][f"{side} documents"] for side in ("training", "test"))
        == corpora.QUICK_DOCUMENTS
    )
