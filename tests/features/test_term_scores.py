"""Scores of terms: published figures, the obvious formulas on any corpus, and steady choices."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracle.selection import OracleScores
from tallies import corpora
from tallytext import Plane, Tally
from tallytext.errors import RecipeError
from tallytext.features import score_terms, select_terms, top_terms

SHARED = Plane("binary", shared=True)
TOY = [({"a": 2, "b": 1}, "X"), ({"a": 1, "c": 1}, "X"), ({"b": 1, "c": 2, "d": 1}, "Y")]
SEVERAL = [({"a", "b"}, ["X"]), ({"a", "c"}, ["X", "Y"]), ({"b", "c", "d"}, ["Y"])]
MEASURES = [
    ("df", {}),
    ("ig", {"labels": "fractional"}),
    ("ig", {"labels": "pairs"}),
    ("ig", {"labels": "binary"}),
    ("chi", {"average": "max"}),
    ("chi", {"average": "avg"}),
    ("mi", {"average": "max"}),
    ("mi", {"average": "avg"}),
    ("mi", {"shrunken": True}),
    ("prr", {"average": "max"}),
    ("prr", {"average": "avg"}),
]
every_measure = pytest.mark.parametrize(("method", "options"), MEASURES, ids=str)


def single_labels():
    words = st.sets(st.sampled_from("abcdefghij"), max_size=6)
    return st.lists(st.tuples(words, st.sampled_from("XYYZZZ").map(list)), max_size=12)


def several_labels():
    return corpora().map(lambda corpus: [(set(counts), labels) for counts, labels, _ in corpus])


def tally_of(corpus, planes=(SHARED,)):
    tally = Tally(planes=planes)
    for words, labels in corpus:
        tally.learn(words if isinstance(words, dict) else dict.fromkeys(sorted(words), 1), labels)
    return tally


def by_term(tally, method, **options):
    found = score_terms(tally, method, **options)
    return dict(zip(tally.vocabulary, found.tolist(), strict=True))


@pytest.mark.parametrize(
    ("method", "options", "expected"),
    [
        ("df", {}, [2, 2, 2, 1]),
        ("ig", {}, [0.6365141683, 0.1744160479, 0.1744160479, 0.6365141683]),
        ("ig", {"labels": "pairs"}, [0.6365141683, 0.1744160479, 0.1744160479, 0.6365141683]),
        ("ig", {"unit": "bits"}, [0.9182958341, 0.2516291674, 0.2516291674, 0.9182958341]),
        ("chi", {}, [3, 0.75, 0.75, 3]),
        ("chi", {"average": "avg"}, [3, 0.75, 0.75, 3]),
        ("mi", {}, [0.4054651081, 0.4054651081, 0.4054651081, 1.098612289]),
        ("mi", {"average": "avg"}, [-0.07282020114, -0.04716652076, -0.04716652076, -0.3741096051]),
        ("mi", {"shrunken": True}, [0.328504067, 0.2231435513, 0.2231435513, 0.6286086594]),
        ("prr", {}, [3.633333333, 2.166666667, 2.166666667, 4.722222222]),
        ("prr", {"cap": 3.0}, [3, 2.166666667, 2.166666667, 3]),
    ],
    ids=str,
)
def test_the_toy_corpus_has_the_published_figures(method, options, expected):
    tally = tally_of(TOY, planes=())
    assert list(tally.vocabulary) == ["a", "b", "c", "d"]
    assert score_terms(tally, method, **options) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (None, [0.3182570841, 0, 0.3182570841, 0.3182570841]),
        ("fractional", [0.3182570841, 0, 0.3182570841, 0.3182570841]),
        ("pairs", [0.2157615543, 0, 0.2157615543, 0.2157615543]),
        ("binary", [0.8109302162, 0.3488320958, 0.8109302162, 0.8109302162]),
    ],
)
def test_multi_label_documents_have_the_published_gains(labels, expected):
    found = score_terms(tally_of(SEVERAL), labels=labels)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


@every_measure
@settings(max_examples=40)
@given(single_labels() | several_labels())
def test_scores_are_the_obvious_ones(method, options, corpus):
    tally, oracle = tally_of(corpus), OracleScores(corpus)
    assume(tally.n_classes)
    for term, found in by_term(tally, method, **options).items():
        expected = getattr(oracle, method)(term, **options)
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-8)


@given(single_labels())
def test_all_readings_of_labels_are_one_where_each_document_has_one(corpus):
    tally = tally_of(corpus, planes=())
    assert score_terms(tally) == pytest.approx(score_terms(tally, labels="pairs"), abs=1e-12)
    if tally.n_classes == 2:
        assert score_terms(tally, labels="binary") == pytest.approx(
            2 * score_terms(tally), abs=1e-12
        )


@given(several_labels())
def test_no_gain_is_negative(corpus):
    for labels in ("fractional", "pairs", "binary"):
        assert (score_terms(tally_of(corpus), labels=labels) >= 0).all()


def test_a_term_that_every_class_has_alike_gains_nothing():
    sizes = {"X": 3, "Y": 1, "Z": 3}
    corpus = [(words, c) for c, n in sizes.items() for words in n * ["a", "", ""]]
    for labels in ("fractional", "pairs", "binary"):
        assert 0 <= score_terms(tally_of(corpus), labels=labels)[0] < 1e-12


@every_measure
@settings(max_examples=40)
@given(corpus=several_labels(), passing=several_labels())
def test_documents_that_were_forgotten_do_not_change_scores(method, options, corpus, passing):
    tally = tally_of(corpus)
    before = score_terms(tally, method, **options)
    for words, labels in passing:
        tally.learn(dict.fromkeys(words, 1), labels)
    for words, labels in passing:
        tally.forget(dict.fromkeys(words, 1), labels)
    after = score_terms(tally, method, **options)
    assert after[: len(before)].tolist() == before.tolist()
    nothing = -math.inf if method == "mi" else 0.0
    assert (after[len(before) :] == nothing).all()


@every_measure
@settings(max_examples=40)
@given(corpus=several_labels(), random=st.randoms(use_true_random=False))
def test_the_order_of_learning_changes_neither_scores_nor_choice(method, options, corpus, random):
    one = tally_of(corpus)
    other = tally_of(random.sample(corpus, len(corpus)))
    assert by_term(one, method, **options) == pytest.approx(by_term(other, method, **options))
    chosen = [
        [tally.vocabulary.term(id) for id in top_terms(tally, method, 4, **options)]
        for tally in (one, other)
    ]
    assert chosen[0] == chosen[1]


@every_measure
def test_nothing_learned_scores_nothing(method, options):
    assert score_terms(Tally(planes=[SHARED]), method, **options).shape == (0,)
    assert top_terms(Tally(planes=[SHARED]), method, 5, **options).size == 0


@every_measure
def test_terms_that_no_longer_occur_score_nothing(method, options):
    tally = tally_of(SEVERAL).learn({"e": 1}, "Z").forget({"e": 1}, "Z")
    assert by_term(tally, method, **options)["e"] == (-math.inf if method == "mi" else 0.0)


def test_without_classes_only_documents_are_counted():
    tally = tally_of([({"a", "b"}, []), ({"a"}, [])])
    assert score_terms(tally, "df").tolist() == [2, 1]
    for method, options in MEASURES[1:]:
        nothing = -math.inf if method == "mi" else 0.0
        assert score_terms(tally, method, **options).tolist() == [nothing, nothing]


def test_terms_of_unlabelled_documents_have_a_gain():
    tally = tally_of([*TOY, ({"e": 1}, [])], planes=())
    expected = math.log(4) / 4 + 3 / 4 * math.log(4 / 3)
    assert by_term(tally, "ig")["e"] == pytest.approx(expected)
    assert by_term(tally, "ig", labels="pairs")["e"] == 0
    assert by_term(tally, "mi")["e"] == -math.inf
    assert math.isfinite(by_term(tally, "mi", average="avg")["e"])


@pytest.mark.parametrize("labels", ["fractional", "pairs", "binary"])
def test_a_term_of_all_documents_and_terms_of_one_class_gain_nothing(labels):
    everywhere = tally_of([({"a"}, "X"), ({"a", "b"}, "Y"), ({"a"}, "Y")])
    assert score_terms(everywhere, labels=labels)[0] == 0
    assert score_terms(everywhere, "chi")[0] == 0
    alone = tally_of([({"a"}, "X"), ({"a", "b"}, "X")])
    assert score_terms(alone, labels=labels).tolist() == [0, 0]
    assert score_terms(alone, "chi", average="avg").tolist() == [0, 0]


def test_fractional_labels_need_their_plane():
    tally = tally_of(SEVERAL, planes=())
    with pytest.raises(RecipeError, match=r"planes=\[Plane\(tf='binary'.*shared=True"):
        score_terms(tally)
    assert score_terms(tally, labels="pairs").shape == (4,)


def test_classes_that_were_left_out_keep_their_share_of_documents():
    tally = tally_of(SEVERAL).subset(["X"])
    shares = [("X", "ab", 1.0), ("X", "ac", 0.5), (None, "ac", 0.5), (None, "bcd", 1.0)]
    for term, found in by_term(tally, "ig").items():
        with_term = {label: 0.0 for label, *_ in shares}
        for label, words, share in shares:
            with_term[label] += share * (term in words)
        assert found == pytest.approx(_gain_of_halves(with_term["X"], with_term[None]), abs=1e-9)


def _gain_of_halves(mine, others):
    # Both classes have a mass of 1.5 of the three documents.
    seen = mine + others
    parts = [(mine, seen), (others, seen), (1.5 - mine, 3 - seen), (1.5 - others, 3 - seen)]
    return sum(x / 3 * math.log(x * 3 / (1.5 * all_)) for x, all_ in parts if x)


@pytest.mark.parametrize("names", ["XYZ", "UVWXYZ"])
def test_shares_that_do_not_add_up_to_one_are_next_to_nothing(names):
    corpus = [(f"{'a' * (i % 2)}b{i % 3}", list(names)) for i in range(60)]
    assert score_terms(tally_of(corpus)) == pytest.approx([0] * 5, abs=1e-9)


def test_ties_go_by_documents_then_by_code_points():
    corpus = [("zu", "X"), ("zy", "Y"), ("ezuya", "X"), ("ezuya", "Y"), ("e", "X"), ("e", "Y")]
    tally = tally_of(corpus)
    names = [tally.vocabulary.term(id) for id in top_terms(tally, k=9)]
    assert names == ["u", "y", "e", "z", "a"]
    assert [tally.vocabulary.term(id) for id in top_terms(tally, k=1)] == ["u"]


def test_selecting_keeps_the_best_terms_alone():
    tally = tally_of(TOY)
    assert select_terms(tally, "ig", 2) == tally.mask(["a", "d"])
    assert select_terms(tally, "df", 99) == tally


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("gini", {}, "df, ig, mi, chi, prr, not 'gini'"),
        ("ig", {"average": "avg"}, "average='avg' has no effect on method='ig'"),
        ("chi", {"shrunken": True}, "shrunken=True has no effect"),
        ("chi", {"average": "mean"}, "average must be one of .*'avg'.*, not 'mean'"),
        ("ig", {"labels": "all"}, "labels must be one of .*'pairs'.*, not 'all'"),
        ("ig", {"unit": "bans"}, "unit must be one of .*'bits'.*, not 'bans'"),
    ],
)
def test_options_that_cannot_be_are_refused(method, options, message):
    with pytest.raises(ValueError, match=message):
        score_terms(tally_of(TOY), method, **options)


def test_fewer_than_one_term_is_refused():
    with pytest.raises(ValueError, match="at least 1, not 0"):
        top_terms(tally_of(TOY), k=0)
