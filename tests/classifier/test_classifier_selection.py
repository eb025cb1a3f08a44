"""Classifiers that read some of the terms, chosen by how much they tell."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given

from classifiers import PLACES, TEXTS, corpora, larger, spread, spread_several
from tallytext import L1Selector, TermSelector, TextClassifier
from tallytext.classifier import Learner, find_learner, register, unregister
from tallytext.classifier.training import Training
from tallytext.errors import (
    CountError,
    FileError,
    NegativeCountError,
    NotAdditiveError,
    SettingsError,
)

SELECTORS = ["ig", "df", TermSelector("chi", k=3), TermSelector("ig", threshold=0.1)]
each_selector = pytest.mark.parametrize("select", SELECTORS, ids=repr)


def selecting(corpus, select="ig", model="multinomial", unlabelled=None, **parameters):
    clf = TextClassifier(model, select=select, **parameters)
    return clf.fit(*corpus, unlabelled=unlabelled)


def everything(clf):
    """All that a classifier has counted, whatever its model reads."""
    return clf._selected.all


@each_selector
def test_a_model_reads_the_chosen_terms_and_no_others(select):
    clf = selecting((TEXTS, PLACES), select)
    kept = clf.selector_.best_
    assert 0 < len(kept) < everything(clf).n_terms
    assert clf.tally_ == everything(clf).mask(kept)
    unread = [term for term in everything(clf).vocabulary if term not in {*clf._selected.terms}]
    np.testing.assert_array_equal(clf.scores(unread), clf.scores([""] * len(unread)))


@pytest.mark.parametrize("multi_label", [False, True])
def test_what_was_learned_is_forgotten_exactly(multi_label):
    @given(corpora(multi_label), corpora(multi_label))
    def obeys(first, second):
        clf = selecting(first, TermSelector(k=2), multi_label=multi_label)
        counts, read, scores = everything(clf).copy(), clf.tally_.copy(), clf.scores(TEXTS)
        clf.learn(*second)
        assert clf.tally_ == everything(clf).mask(clf.selector_.best_)
        clf.forget(*second)
        assert (everything(clf), clf.tally_) == (counts, read)
        np.testing.assert_array_equal(clf.scores(TEXTS), scores)

    obeys()


@given(corpora(False), corpora(False))
def test_classifiers_add_up_and_the_choice_of_the_first_stays(first, second):
    one, other = selecting(first, TermSelector(k=2)), selecting(second, TermSelector(k=2))
    both, whole = one + other, selecting(larger(first, second), TermSelector(k=2))
    assert everything(both) == everything(whole)
    assert {*both._selected.terms} == {*one._selected.terms}
    assert both.reselect().tally_ == whole.tally_


def test_terms_that_come_later_stay_outside_until_they_are_chosen():
    clf = selecting((TEXTS, PLACES), TermSelector(k=2))
    telling = ["sand sand"] * 6
    clf.learn(telling, ["land"] * 6)
    assert "sand" not in clf._selected.terms
    assert not clf.tally_.class_tokens[clf.tally_.classes.index("land")]
    clf.reselect()
    assert "sand" in clf._selected.terms
    assert clf.predict(["sand"]).tolist() == ["land"]
    assert "exchanged" in str(clf.changes_)


def test_forgetting_what_was_never_learned_changes_nothing():
    clf = selecting((TEXTS, PLACES), TermSelector(k=2))
    counts, read = everything(clf).copy(), clf.tally_.copy()
    with pytest.raises(NegativeCountError):
        clf.forget(["salt salt salt salt"], ["sky"])
    assert (everything(clf), clf.tally_) == (counts, read)


@pytest.mark.parametrize("how", [copy.deepcopy, lambda clf: pickle.loads(pickle.dumps(clf))])
def test_copies_go_on_learning_apart(how):
    clf = selecting((TEXTS, PLACES), TermSelector(k=3))
    other = how(clf).learn(["salt salt"], ["sky"])
    assert other.tally_ == everything(other).mask(other.selector_.best_)
    assert other.model_.tally_ is other.tally_
    assert other.tally_ != clf.tally_
    assert other.forget(["salt salt"], ["sky"]).tally_ == clf.tally_


@each_selector
@pytest.mark.parametrize("corpus", [spread(), spread_several()], ids=["one", "several"])
def test_a_file_keeps_the_choice(select, corpus, tmp_path):
    clf = selecting(corpus, select, "chi-contrast").learn(*(part[:3] for part in corpus))
    clf.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert (everything(again), again.tally_) == (everything(clf), clf.tally_)
    assert again._selected == clf._selected
    np.testing.assert_array_equal(again.scores(corpus[0]), clf.scores(corpus[0]))
    assert repr(again.select) == repr(clf.select)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    assert again.reselect().tally_ == clf.reselect().tally_


def test_what_is_expected_is_judged_by_terms_chosen_without_the_documents_judged():
    rng = np.random.default_rng(0)
    noise = [" ".join(f"w{n}" for n in rng.integers(0, 3000, 12)) for _ in range(400)]
    labels = rng.choice(["a", "b"], 400).tolist()
    clf = selecting((noise, labels), TermSelector("chi", k=200))
    assert clf.score(noise, labels) > 0.8
    assert clf.report().score < 0.6


def test_each_model_has_a_selector_of_its_own():
    # The second learner does worse; before, its selection replaced that of the first.
    # Too long for strings of characters, which only the first learner counts.
    filler = " ".join("abcdefghijklmnopqrstuvwxyz")
    texts, labels = [f"{text} {filler}" for text in TEXTS] * 4, PLACES * 4
    make = find_learner("pooled").make
    register(Learner.semi_supervised("second", "", make, features=("words",), automatic=False))
    try:
        clf = selecting((texts, labels), TermSelector("chi", k=3), "auto", unlabelled=texts)
    finally:
        unregister("second")
    assert clf.learner_.name == "pooled"
    assert len(clf.selector_.scores_) == len(clf.vectorizer_.vocabulary_)
    assert clf.score(texts, labels) > 0.8


def test_the_selector_of_the_settings_is_not_fitted():
    texts, labels = spread()
    select = TermSelector("chi", k=3)
    training = Training(TextClassifier("neighbours", select=select))
    training.add(texts, labels)
    parts = training.finish(False, False, False)
    for unfitted in (select, training.selector):
        assert not hasattr(unfitted, "best_")
    assert len(parts.selector.best_) == 3


def test_a_selection_is_part_of_the_settings():
    clf, other = selecting((TEXTS, PLACES)), selecting((TEXTS, PLACES), None)
    with pytest.raises(SettingsError, match="selector is 'TermSelector' here and 'NoneType'"):
        clf + other
    with pytest.raises(SettingsError, match=r"selector.k is 2 here and 3 there"):
        selecting((TEXTS, PLACES), TermSelector(k=2)) + selecting(
            (TEXTS, PLACES), TermSelector(k=3)
        )
    with pytest.raises(SettingsError, match=r"reads all terms.*select="):
        other.reselect()


@pytest.mark.parametrize(
    ("select", "problem"),
    [
        (7, (TypeError, "select must be a TermSelector, an L1Selector or an expression.* 7")),
        (
            L1Selector(),
            (NotAdditiveError, 'L1Selector selects terms by documents.*model="refined"'),
        ),
        ("ts", (CountError, "documents")),
        ("igg", (ValueError, "igg")),
    ],
)
def test_selections_that_cannot_be_are_refused(select, problem):
    kind, words = problem
    with pytest.raises(kind, match=words):
        selecting((TEXTS, PLACES), select)


def test_a_score_that_is_a_function_cannot_be_saved(tmp_path):
    clf = selecting((TEXTS, PLACES), TermSelector(lambda tally: tally.term_documents, k=2))
    assert clf.predict(TEXTS).shape == (6,)
    with pytest.raises(FileError, match="a file holds no code"):
        clf.save(tmp_path / "model")


@pytest.mark.parametrize("model", ["multinomial", "neighbours"])
def test_no_document_becomes_empty_unless_that_is_asked_for(model):
    texts = ["salt salt wave", "salt ship", "cloud", "cloud blue", "wind", "salt wave"]
    labels = ["sea", "sea", "sky", "sky", "sky", "sea"]
    clf = TextClassifier(model, select="ig(k=1)").fit(texts, labels)
    empty = TextClassifier(model, select="ig(k=1, nonempty=false)").fit(texts, labels)
    assert empty.selector_.best_.size == 1
    assert clf.predict(["wind"]).tolist() == ["sky"]
    X = clf.vectorizer_.transform(texts)
    if model == "multinomial":
        # The sums of the selected terms have a term of each training document.
        assert (X[:, clf.selector_.kept_].sum(axis=1) > 0).all()
        assert not (X[:, empty.selector_.kept_].sum(axis=1) > 0).all()
    else:
        assert (clf.selector_.mask(X).sum(axis=1) > 0).all()
    again = TextClassifier.from_bytes(clf.to_bytes())
    assert np.array_equal(again.scores(texts), clf.scores(texts))
    assert again.report().select == "ig(k=1)"
    assert "  terms        ig(k=1)\n" in again.report().to_text(verbose=True)
