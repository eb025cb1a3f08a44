import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tallytext import BernoulliNB, MultinomialNB, PoissonNB, Tally, TextVectorizer, Vocabulary
from tallytext.errors import LabelError, ScoreError
from tallytext.models import AbsoluteDiscount, Background, Laplace, Unsmoothed

MODELS = [
    MultinomialNB(),
    MultinomialNB(Laplace(1), prior="uniform"),
    MultinomialNB(AbsoluteDiscount(0.5), weighting="ig"),
    MultinomialNB(tf_test="log"),
    MultinomialNB(complement=True),
    MultinomialNB(complement="only"),
    MultinomialNB(AbsoluteDiscount(0.5), complement=True, tf_test="binary"),
    MultinomialNB.chi_contrast(),
    BernoulliNB(),
    BernoulliNB(complement=True),
    PoissonNB(weighting="chi"),
]
TEXTS = ["salt wave wave", "blue wave", "blue cloud", "cloud wind"]


@st.composite
def corpora(draw):
    row = st.lists(st.integers(0, 4), min_size=5, max_size=5)
    rows = draw(st.lists(row, min_size=3, max_size=9))
    rows[0][0] += 1
    labels = draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    return (
        np.array(rows),
        ["a", "b", *labels][: len(rows)],
        np.array(draw(st.lists(row, min_size=1))),
    )


def agree(model, X):
    plain = model.to_sklearn()
    assert np.allclose(plain.predict_proba(X), model.predict_proba(X), rtol=1e-8, atol=1e-12)
    sparse_ones = plain.predict_proba(sparse.csr_matrix(X))
    assert np.allclose(sparse_ones, model.predict_proba(X), rtol=1e-8, atol=1e-12)
    # Of classes that are equally likely either may come first.
    likely = model.predict_proba(X)
    clear = np.abs(np.diff(np.sort(likely, axis=1)[:, -2:])[:, 0]) > 1e-9
    assert (plain.predict(X)[clear] == model.predict(X)[clear]).all()
    assert plain.classes_.tolist() == model.classes_.tolist()


@pytest.mark.parametrize("model", MODELS, ids=repr)
@settings(max_examples=25)
@given(corpora())
def test_an_exported_model_predicts_the_same(model, corpus):
    X, y, new = corpus
    agree(model.fit(X, y), new)


@pytest.mark.parametrize("model", [MultinomialNB(), BernoulliNB(), PoissonNB()], ids=repr)
@settings(max_examples=25)
@given(corpora())
def test_an_exported_model_of_several_labels_predicts_the_same(model, corpus):
    X, y, new = corpus
    model.fit(X, [[label, "d"] if i % 2 else [label] for i, label in enumerate(y)])
    plain = model.to_sklearn()
    assert np.allclose(plain.predict_proba(new), model.predict_proba(new), rtol=1e-8, atol=1e-12)
    sure = np.abs(model.scores(new)) > 1e-9
    assert (np.asarray(plain.predict(new))[sure] == model.predict(new)[sure]).all()


def test_joint_models_keep_their_joint_log_probabilities():
    X, y = [[2, 0, 1], [0, 1, 1], [1, 1, 0]], ["a", "b", "a"]
    for model in (MultinomialNB(Background(0.5)), BernoulliNB()):
        plain = model.fit(X, y).to_sklearn()
        assert np.allclose(plain.predict_joint_log_proba(X), model.scores(X), rtol=1e-9)


def test_bernoulli_probabilities_are_those_of_words():
    model = BernoulliNB(gamma=1.0).fit([[1, 1, 0], [0, 1, 1]], ["sea", "sky"])
    # df + 1, over one document and 3 words of which a document has 2.
    expected = np.array([[2, 2, 1], [1, 2, 2]]) / (1 + 3 / 2)
    assert np.allclose(np.exp(model.to_sklearn().feature_log_prob_), expected)
    assert np.allclose(np.exp(model.to_sklearn().class_log_prior_), [0.5, 0.5])


def test_an_exported_model_needs_no_tallytext(tmp_path):
    for name, model in (("joint", MultinomialNB()), ("contrast", MultinomialNB.chi_contrast())):
        fitted = model.fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
        (tmp_path / name).write_bytes(pickle.dumps(fitted.to_sklearn()))
    program = (
        "import pickle, sys, pathlib\n"
        "for name in ('joint', 'contrast'):\n"
        "    model = pickle.loads((pathlib.Path(sys.argv[1]) / name).read_bytes())\n"
        "    print(*model.predict([[1, 0, 0], [0, 0, 1]]))\n"
        "assert not any(name.startswith('tallytext') for name in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["sea", "sky"] * 2


def test_a_model_of_a_tally_is_exported_with_the_columns_of_its_vocabulary():
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(TEXTS)
    tally = Tally(vectorizer.vocabulary_).learn(X, ["sea", "sea", "sky", "sky"])
    for kind in (MultinomialNB, BernoulliNB):
        agree(kind.from_tally(tally), X.toarray())


def test_words_that_a_tally_has_met_since_are_exported_too():
    vocabulary = Vocabulary(["salt", "cloud"])
    tally = Tally(vocabulary).learn([[2, 0], [0, 1]], ["sea", "sky"])
    model = MultinomialNB.from_tally(tally)
    tally.learn([[0, 1, 3]], ["sky"], terms=["salt", "cloud", "wind"])
    agree(model, np.array([[0, 0, 2], [1, 1, 0]]))


def test_a_model_without_a_class_cannot_be_exported():
    model = MultinomialNB().fit([[1, 0]], ["sea"]).forget([[1, 0]], ["sea"])
    with pytest.raises(LabelError, match="no class to predict"):
        model.to_sklearn()


def test_names_of_columns_are_kept():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"salt": [1, 0], "cloud": [0, 1]})
    plain = MultinomialNB().fit(frame, ["sea", "sky"]).to_sklearn()
    assert plain.predict(frame).tolist() == ["sea", "sky"]
    assert plain.feature_names_in_.tolist() == ["salt", "cloud"]


def test_what_scikit_learn_cannot_hold_is_refused():
    X, y = [[2, 1], [0, 3]], ["sea", "sky"]
    with pytest.raises(ScoreError, match="length_model=False"):
        MultinomialNB(length_model=True).fit(X, y).to_sklearn()
    with pytest.raises(ScoreError, match="Use a smoothing"):
        MultinomialNB(Unsmoothed()).fit(X, y).to_sklearn()
