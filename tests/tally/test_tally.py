"""The tally against an obvious one, and the laws of its arithmetic."""

import pickle
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from oracle.tally import OracleTally
from tallies import PLANES, corpora, documents, matches, small_deltas, tally_of
from tallytext import Plane, Tally, Vocabulary
from tallytext.errors import NegativeCountError, RecipeError

quick = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

TOY = [({"a": 2, "b": 1}, "X"), ({"a": 1, "c": 1}, "X"), ({"b": 1, "c": 2, "d": 1}, "Y")]


@pytest.fixture
def toy():
    tally = Tally()
    for counts, label in TOY:
        tally.learn(counts, label)
    return tally


def statistics(tally):
    by_term = dict(zip(tally.vocabulary, tally.term_occurrences.tolist(), strict=True))
    return {
        "N": tally.n_documents,
        "N_c": dict(zip(tally.classes, tally.class_documents.tolist(), strict=True)),
        "T_c": tally.class_tokens.tolist(),
        "K_c": tally.class_terms.tolist(),
        "T_w": {term: n for term, n in by_term.items() if n},
        "T": tally.n_tokens,
        "V": tally.n_terms,
        "n_r": tally.counts_of_counts(),
        "pooled": tally.counts_of_counts("pooled"),
        "distinct": tally.n_document_terms,
    }


def test_the_toy_corpus_has_the_published_statistics(toy):
    assert statistics(toy) == {
        "N": 3,
        "N_c": {"X": 2, "Y": 1},
        "T_c": [5, 4],
        "K_c": [3, 3],
        "T_w": {"a": 3, "b": 2, "c": 3, "d": 1},
        "T": 9,
        "V": 4,
        "n_r": {1: 4, 2: 1, 3: 1},
        "pooled": {1: 1, 2: 1, 3: 2},
        "distinct": 7,
    }
    assert toy.occurrences.toarray().T.tolist() == [[3, 1, 1, 0], [0, 1, 2, 1]]
    assert toy.documents.toarray().T.tolist() == [[2, 1, 1, 0], [0, 1, 1, 1]]
    assert toy.term_documents.tolist() == [2, 2, 2, 1]


def test_a_new_word_in_a_new_class_comes_and_goes_without_a_trace(toy):
    before, state = statistics(toy), toy.copy()
    toy.learn({"d": 1, "e": 2}, "Z")
    assert toy.classes == ["X", "Y", "Z"]
    assert toy.counts_of_counts() == {1: 5, 2: 2, 3: 1}
    assert toy.n_document_terms / toy.n_documents == 2.25
    toy.forget({"d": 1, "e": 2}, "Z")
    assert statistics(toy) == before
    assert toy == state
    assert toy.live.tolist() == [True] * 4 + [False]


@quick
@given(corpora(), small_deltas())
def test_every_statistic_is_that_of_the_obvious_tally(corpus, smallest):
    tally = tally_of(corpus, PLANES, smallest)
    matches(tally, OracleTally(corpus, tally.planes))


@quick
@given(corpora(), small_deltas())
def test_one_by_one_equals_batch(corpus, smallest):
    one_by_one = tally_of([], PLANES, smallest)
    for counts, labels, weight in corpus:
        one_by_one.learn(counts, labels, sample_weight=weight)
    assert one_by_one == tally_of(corpus, PLANES, smallest)
    matches(one_by_one, OracleTally(corpus, one_by_one.planes))


@quick
@given(corpora(), corpora(), small_deltas())
def test_subtraction_undoes_addition(one, two, smallest):
    a, b = tally_of(one, PLANES, smallest), tally_of(two, PLANES, smallest)
    total = a + b
    assert total - b == a
    assert total - a == b
    assert total - a - b == Tally(planes=PLANES)
    matches(total - b, OracleTally(one, a.planes))


@quick
@given(corpora(), corpora())
def test_addition_commutes_and_is_the_tally_of_the_union(one, two):
    a, b = tally_of(one, PLANES), tally_of(two, PLANES)
    assert a + b == b + a == tally_of(one + two, PLANES) == tally_of(two + one, PLANES)
    matches(b + a, OracleTally(two + one, a.planes))


@quick
@given(corpora(), corpora(), corpora())
def test_addition_is_associative(one, two, three):
    a, b, c = (tally_of(corpus) for corpus in (one, two, three))
    assert (a + b) + c == a + (b + c)


@quick
@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_terms_and_documents_does_not_matter(corpus, random):
    shuffled = [(dict(random.sample(list(c.items()), len(c))), ls, w) for c, ls, w in corpus]
    random.shuffle(shuffled)
    assert tally_of(shuffled, PLANES) == tally_of(corpus, PLANES)


@quick
@given(corpora(), st.data(), small_deltas())
def test_forgetting_in_any_order_undoes_learning(corpus, data, smallest):
    tally = tally_of(corpus, PLANES, smallest)
    cut = data.draw(st.integers(0, len(corpus)))
    for counts, labels, weight in data.draw(st.permutations(corpus[cut:])):
        tally.forget(counts, labels, sample_weight=weight)
    assert tally == tally_of(corpus[:cut], PLANES)
    matches(tally, OracleTally(corpus[:cut], tally.planes))


@quick
@given(corpora(), documents())
def test_different_corpora_are_different_tallies(corpus, document):
    assert tally_of(corpus) != tally_of([*corpus, document])


@quick
@given(corpora(), documents(), small_deltas())
def test_a_refused_forget_changes_nothing(corpus, document, smallest):
    tally = tally_of(corpus, PLANES, smallest)
    before, n_labels = tally.copy(), len(tally._labels)
    other = tally_of([*corpus, document], PLANES)
    with pytest.raises(NegativeCountError):
        tally -= other
    assert tally == before
    assert len(tally._labels) == n_labels
    matches(tally, OracleTally(corpus, tally.planes))


@quick
@given(corpora(), small_deltas())
def test_pickling_and_arrays_keep_everything(corpus, smallest):
    tally = tally_of(corpus, PLANES, smallest)
    again = pickle.loads(pickle.dumps(tally))
    assert again == tally == Tally.from_arrays(*tally.to_arrays())
    assert again.classes == tally.classes
    matches(again, OracleTally(corpus, tally.planes))


@st.composite
def few_words(draw):
    """Corpora and documents to forget, so alike that much is accepted that was never added."""
    counts = st.dictionaries(st.sampled_from("ab"), st.integers(1, 3), max_size=2)
    labels = st.lists(st.sampled_from("XY"), max_size=2)
    some = st.lists(st.tuples(counts, labels, st.sampled_from([1.0, 2.0])), max_size=7)
    return draw(some), draw(some)


@settings(max_examples=75, deadline=None)
@given(few_words(), st.sampled_from([(), PLANES]))
def test_a_tally_can_be_stored_after_any_accepted_forget(corpora, planes):
    learned, forgotten = corpora
    tally = tally_of(learned, planes, 3)
    for counts, labels, weight in forgotten:
        before = tally.copy()
        try:
            tally.forget(counts, labels, sample_weight=weight if planes else None)
        except NegativeCountError:
            assert tally == before
        assert pickle.loads(pickle.dumps(tally)) == tally
    with suppress(NegativeCountError):
        tally -= tally_of(forgotten, planes)
    assert pickle.loads(pickle.dumps(tally)) == tally


@pytest.mark.parametrize("n_documents", range(1, 40, 3))
def test_compaction_at_every_size_changes_nothing(n_documents, monkeypatch):
    random = np.random.default_rng(n_documents)
    X = random.poisson(0.4, (n_documents, 30))
    labels = random.integers(0, 5, n_documents).tolist()
    expected = Tally.from_counts(X, labels)
    for smallest in range(1, 40, 5):
        monkeypatch.setattr(Tally, "_smallest_delta", smallest)
        tally = Tally(expected.vocabulary)
        for row, label in zip(X, labels, strict=True):
            tally.learn(row[None, :], label)
            assert tally._native.n_delta <= max(smallest, tally.n_cells // 8 + 30)
        assert tally == expected
        assert (tally.occurrences != expected.occurrences[:, _order(tally, expected)]).nnz == 0


def _order(tally, expected):
    return [expected.classes.index(label) for label in tally.classes]


def test_ten_thousand_classes_are_natural():
    n = 10_000
    X = np.zeros((n, 3), dtype=int)
    X[:, 0], X[np.arange(n), 1 + np.arange(n) % 2] = 1, 2
    tally = Tally.from_counts(X, [f"class {i}" for i in range(n)])
    assert tally.n_classes == n
    assert tally.n_cells == tally.occurrences.nnz == 2 * n
    assert tally.term_occurrences.tolist() == [n, n, n]
    tally.learn({"x1": 1}, "class 9999")
    assert tally.class_tokens[-1] == 4
    assert (tally + tally) - tally == tally


@quick
@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 3000)), max_size=9))
def test_counts_of_counts_reach_as_far_as_the_counts(corpus):
    corpus = [(counts, ["XY"[i % 2]], 1.0) for i, counts in enumerate(corpus)]
    tally = tally_of(corpus[::2], smallest=3)
    for counts, labels, _ in corpus[1::2]:
        tally.learn(counts, labels)
    for counts, labels, _ in corpus[2::2]:
        tally.forget(counts, labels)
    matches(tally, OracleTally(corpus[:1] + corpus[1::2]))


def test_planes_of_different_recipes_do_not_add():
    log, raw = Tally(planes=[Plane("log")]), Tally(planes=[Plane("raw", "l1")])
    with pytest.raises(RecipeError, match=r"(?s)'log'.*'l1'"):
        log += raw
    assert log != raw


def test_a_tally_has_no_hash_and_is_nothing_but_a_tally(toy):
    with pytest.raises(TypeError):
        hash(toy)
    with pytest.raises(TypeError):
        toy + 1
    assert toy != "toy"


def test_a_tally_adds_to_itself_and_minus_itself_is_empty(toy):
    twice = toy.copy()
    twice += twice
    assert twice == toy + toy == sum([toy, toy], Tally())
    twice -= twice
    assert twice == Tally()
    assert twice.classes == []


def test_terms_join_by_name_not_by_id():
    a = Tally.from_counts([[1, 2]], ["X"], ["sea", "sky"])
    b = Tally.from_counts([[5, 7, 9]], ["X"], ["sun", "sky", "sea"])
    both = a + b
    assert dict(zip(both.vocabulary, both.term_occurrences.tolist(), strict=True)) == {
        "sea": 10,
        "sky": 9,
        "sun": 5,
    }
    assert list(a.vocabulary) == ["sea", "sky"]


def test_tallies_of_one_vocabulary_keep_sharing_it():
    words = Vocabulary(["sea", "sky"])
    a, b = Tally.from_counts([[1, 2]], ["X"], words), Tally.from_counts([[3, 4]], ["Y"], words)
    assert (a + b).vocabulary is words
    words.add(["sun"])
    assert a.learn([[0, 0, 5]], ["X"], terms=words).vocabulary is words
    a.learn({"moon": 1}, "X")
    assert a.vocabulary is not words
    assert "moon" not in words
    a.learn([[0, 1, 1]], ["X"], terms=words)
    assert a.term_occurrences.tolist() == [1, 3, 6, 1]


def test_the_number_of_threads_does_not_matter(monkeypatch):
    generator = np.random.default_rng(0)
    X = sparse.csr_array(generator.random((900, 400)) * (generator.random((900, 400)) < 0.25))
    X.data = np.ceil(3 * X.data)
    labels = [f"class{at % 7}" for at in range(900)]
    labels[5] = []
    planes = [Plane("log", "l2"), Plane("raw", "poisson", 10)]
    tallies = []
    for threads in ("1", "2", "3", "16"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        monkeypatch.setattr("tallytext.runtime._cores", lambda: 16)
        tallies.append(Tally.from_counts(X, labels, planes=planes))
    assert all(tally == tallies[0] for tally in tallies)
    assert tallies[0].n_documents == 900
    np.testing.assert_array_equal(
        tallies[-1].occurrences.sum(axis=1) + X[[5]].toarray()[0], X.sum(axis=0)
    )
