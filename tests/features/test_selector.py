"""The selector: an estimator, the published figures, and choices that do not depend on order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tallytext import MultinomialNB, Plane, Tally, TermSelector, TextVectorizer
from tallytext.errors import CountError, LabelError
from tallytext.features import score_terms, term_strength, top_terms

ROWS = np.array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
LABELS = ["X", "X", "Y"]
FORMATS = [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.csc_array, np.ndarray.tolist]
in_each_format = pytest.mark.parametrize("as_format", FORMATS, ids=lambda each: each.__name__)


class Shrunken:
    """A score of one's own, whose name holds no address: processes that share tests compare it."""

    def __call__(self, tally):
        return score_terms(tally, "mi", shrunken=True)

    def __repr__(self):
        return "Shrunken()"


@parametrize_with_checks(
    [
        TermSelector(),
        TermSelector("df", k=3),
        TermSelector("ts", k=3),
        TermSelector("chi", threshold=0.0, average="avg"),
        TermSelector("mi", keep=0.5, nonempty=True),
        TermSelector(Shrunken(), k=2),
    ]
)
@pytest.mark.filterwarnings("default")
def test_a_selector_is_an_estimator(estimator, check):
    check(estimator)


def matrices(width=6):
    counts = st.lists(st.sampled_from([0, 0, 0, 1, 2, 5]), min_size=width, max_size=width)
    labels = st.lists(st.sampled_from("XYZ"), max_size=2, unique=True)
    rows = st.lists(st.tuples(counts, labels), min_size=1, max_size=8)
    return rows.map(lambda some: (np.array([row for row, _ in some]), [ls for _, ls in some]))


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"method": "df"}, [2, 2, 2, 1]),
        ({"method": "ig"}, [0.6365141683, 0.1744160479, 0.1744160479, 0.6365141683]),
        ({"method": "chi"}, [3, 0.75, 0.75, 3]),
        ({"method": "chi", "average": "avg"}, [3, 0.75, 0.75, 3]),
        ({"method": "mi"}, [0.4054651081, 0.4054651081, 0.4054651081, 1.098612289]),
        ({"method": "prr"}, [3.633333333, 2.166666667, 2.166666667, 4.722222222]),
    ],
    ids=str,
)
def test_the_toy_corpus_has_the_published_scores(options, expected):
    selector = TermSelector(**options).fit(ROWS, LABELS)
    assert selector.scores_ == pytest.approx(expected, rel=1e-6)
    assert selector.documents_.tolist() == [2, 2, 2, 1]


@pytest.mark.parametrize("as_indicator", [False, True])
@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (None, [0.3182570841, 0, 0.3182570841, 0.3182570841]),
        ("pairs", [0.2157615543, 0, 0.2157615543, 0.2157615543]),
        ("binary", [0.8109302162, 0.3488320958, 0.8109302162, 0.8109302162]),
    ],
)
def test_multi_label_documents_have_the_published_gains(labels, expected, as_indicator):
    y = np.array([[1, 0], [1, 1], [0, 1]]) if as_indicator else [["X"], ["X", "Y"], ["Y"]]
    found = TermSelector(labels=labels).fit(ROWS, y).scores_
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


@in_each_format
def test_a_document_that_would_be_empty_keeps_its_best_terms(as_format):
    # The published example: scores of the terms a to d, a threshold, and three documents.
    given_scores = [0.9, 0.2, 0.5, 0.2]
    selector = TermSelector(lambda tally: given_scores, threshold=0.6, nonempty=True)
    X = as_format(np.array([[3, 1, 0, 0], [0, 1, 4, 0], [0, 1, 0, 2]]))
    found = selector.fit(X, ["X", "Y", "Y"]).transform(X)
    assert dense(found).tolist() == [[3, 0, 0, 0], [0, 0, 4, 0], [0, 1, 0, 2]]
    assert selector.best_.tolist() == [0]
    assert selector.get_feature_names_out().tolist() == ["x0", "x1", "x2", "x3"]
    assert dense(selector.inverse_transform(found)).tolist() == dense(found).tolist()


@settings(max_examples=100, deadline=None)
@given(matrices(), matrices(), st.integers(1, 4))
def test_no_document_of_known_terms_becomes_empty(training, queries, k):
    (X, y), (Q, _) = training, queries
    selector = TermSelector("chi", k=k, nonempty=True).fit(X, y)
    found, plain = selector.transform(Q), clone(selector).set_params(nonempty=False).fit(X, y)
    known = selector.documents_ > 0
    for row, kept, as_if in zip(Q, found, plain.mask(Q), strict=True):
        if as_if.any():
            assert kept.tolist() == as_if.tolist()
        elif (row[known] > 0).any():
            best = selector.scores_[known & (row > 0)].max()
            near = known & (row > 0) & (selector.scores_ >= best * (1 - 1e-9))
            assert kept.tolist() == np.where(near, row, 0).tolist()
        else:
            assert not kept.any()


@settings(max_examples=60, deadline=None)
@given(matrices(), st.sampled_from(["df", "ig", "chi", "mi", "prr"]), st.integers(1, 7))
def test_a_matrix_a_tally_and_the_top_terms_agree(training, method, k):
    X, y = training
    names = [f"w{at}" for at in range(X.shape[1])]
    tally = Tally.from_counts(X, y, names, planes=[Plane("binary", shared=True)])
    of_matrix = TermSelector(method, k=k).fit(X, y)
    of_tally = TermSelector(method, k=k).fit_tally(tally)
    assert of_tally.best_.tolist() == top_terms(tally, method, k).tolist()
    assert of_matrix.best_.tolist() == of_tally.best_.tolist()
    assert of_matrix.scores_.tolist() == of_tally.scores_.tolist()
    kept = np.sort(of_tally.best_)
    assert of_tally.get_feature_names_out().tolist() == [f"w{at}" for at in kept]
    assert of_matrix.get_support(indices=True).tolist() == kept.tolist()


@settings(max_examples=60, deadline=None)
@given(matrices(), st.randoms(use_true_random=False), st.sampled_from(["ig", "chi"]))
def test_the_order_of_documents_and_columns_changes_no_choice(training, random, method):
    pandas = pytest.importorskip("pandas")
    X, y = training
    names = np.array([f"w{at}" for at in range(X.shape[1])])
    rows = random.sample(range(len(X)), len(X))
    columns = random.sample(range(X.shape[1]), X.shape[1])
    one = TermSelector(method, k=3).fit(pandas.DataFrame(X, columns=names), y)
    moved = pandas.DataFrame(X[rows][:, columns], columns=names[columns])
    other = TermSelector(method, k=3).fit(moved, [y[row] for row in rows])
    assert [*names[one.best_]] == [*names[columns][other.best_]]


@in_each_format
def test_transformed_and_masked_matrices_hold_the_selected_columns(as_format):
    selector = TermSelector(k=2).fit(as_format(ROWS), LABELS)
    X = as_format(ROWS)
    assert dense(selector.transform(X)).tolist() == ROWS[:, [0, 3]].tolist()
    assert dense(selector.mask(X)).tolist() == (ROWS * [1, 0, 0, 1]).tolist()
    back = selector.inverse_transform(selector.transform(X))
    assert dense(back).tolist() == (ROWS * [1, 0, 0, 1]).tolist()
    assert sparse.issparse(selector.mask(X)) == sparse.issparse(X)


def test_terms_are_selected_by_number_threshold_or_share():
    X, y = np.eye(40, dtype=int)[:, ::-1], ["X", "Y"] * 20
    assert TermSelector("df", k=7).fit(X).kept_.sum() == 7
    assert TermSelector("df", k=99).fit(X).kept_.sum() == 40
    assert TermSelector("df", keep=0.5).fit(X).kept_.sum() == 20
    assert TermSelector("df", keep=0.001).fit(X).kept_.sum() == 1
    assert TermSelector("ig").fit(X, y).kept_.sum() == 4
    assert TermSelector("df", threshold=0.0).fit(X).kept_.all()
    assert not TermSelector("df", threshold=1.0).fit(X).kept_.any()


def test_a_score_is_not_above_a_threshold_by_rounding():
    X, y = [[1, 1], [1, 0], [0, 1]] * 7, ["X", "Y", "Y"] * 7
    found = TermSelector("chi", threshold=0.0).fit(X, y).scores_
    for nearly in found * (1 - 2e-16):
        assert not TermSelector("chi", threshold=float(nearly)).fit(X, y).kept_.any()


def test_terms_of_few_documents_and_of_none_are_not_selected():
    X = [[1, 0, 3, 0], [1, 0, 0, 0], [1, 1, 0, 0]]
    assert TermSelector("df", k=4).fit(X).kept_.tolist() == [True, True, True, False]
    assert TermSelector("df", k=4, min_df=2).fit(X).kept_.tolist() == [True, False, False, False]
    assert TermSelector("df", keep=1.0, min_df=2).fit(X).kept_.sum() == 1


def test_a_share_is_one_of_the_terms_that_occur():
    X = np.hstack([np.eye(10, dtype=int), np.zeros((10, 30), dtype=int)])
    assert TermSelector("df", keep=0.5).fit(X).kept_.sum() == 5


def test_fractions_count_as_present():
    half = TermSelector(k=2).fit(ROWS / 2, LABELS)
    assert half.scores_.tolist() == TermSelector(k=2).fit(ROWS, LABELS).scores_.tolist()
    counted = TermSelector(lambda tally: tally.term_occurrences, k=1)
    assert counted.fit(ROWS, LABELS).scores_.tolist() == [3, 2, 3, 1]
    assert counted.fit(ROWS / 2, LABELS).scores_.tolist() == [2, 2, 2, 1]


def test_a_score_of_ones_own_is_given_the_tally():
    shrunken = TermSelector(Shrunken(), k=1).fit(ROWS, LABELS)
    expected = [0.328504067, 0.2231435513, 0.2231435513, 0.6286086594]
    assert shrunken.scores_ == pytest.approx(expected, rel=1e-6)
    for wrong in ([1.0, 2.0], [1.0, 2.0, np.nan, 0.0]):
        with pytest.raises(ValueError, match="a number for each of the 4 terms"):
            TermSelector(lambda tally, wrong=wrong: wrong).fit(ROWS, LABELS)


def test_term_strength_needs_documents_and_no_labels():
    selector = TermSelector("ts", k=2).fit(ROWS)
    assert selector.scores_.tolist() == term_strength(ROWS).tolist()
    assert selector.best_.tolist() == np.argsort(-selector.scores_, kind="stable")[:2].tolist()
    with pytest.raises(CountError, match="a tally has only their sums"):
        TermSelector("ts").fit_tally(Tally.from_counts(ROWS, LABELS))
    with pytest.raises(ValueError, match="no effect on method='ts'"):
        TermSelector("ts", average="avg").fit(ROWS)


def test_terms_added_after_the_selection_are_not_selected():
    tally = Tally.from_counts(ROWS, LABELS, ["a", "b", "c", "d"])
    selector = TermSelector(k=2).fit_tally(tally)
    wider = np.hstack([ROWS, [[7], [7], [7]]])
    for X in (wider, sparse.csr_array(wider)):
        assert dense(selector.transform(X)).tolist() == ROWS[:, [0, 3]].tolist()
        assert dense(selector.mask(X)).tolist() == (wider * [1, 0, 0, 1, 0]).tolist()
    assert dense(selector.mask(sparse.csr_array(ROWS[:, :2]))).tolist() == [
        [2, 0],
        [1, 0],
        [0, 0],
    ]
    closed = TermSelector(k=2).fit(ROWS, LABELS)
    for method in (closed.mask, closed.transform):
        with pytest.raises(ValueError, match="5 features"):
            method(wider)


def test_names_of_columns_are_preserved():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=["sea", "sky", "salt", "the"])
    selector = TermSelector(k=2).fit(frame, LABELS)
    assert selector.get_feature_names_out().tolist() == ["sea", "the"]
    shown = selector.set_output(transform="pandas").transform(frame)
    assert shown.columns.tolist() == ["sea", "the"]
    again = selector.fit_tally(Tally.from_counts(ROWS, LABELS, ["a", "b", "c", "d"]))
    assert again.get_feature_names_out().tolist() == ["a", "d"]
    assert not hasattr(again, "feature_names_in_")


TEXTS = ["sea salt the sea", "the sky blue", "salt wave the sea", "blue the sky"] * 5
PLACES = ["sea", "sky"] * 10


def test_a_pipeline_selects_on_its_training_documents():
    pipeline = make_pipeline(TextVectorizer(), TermSelector(k=4), MultinomialNB())
    assert pipeline.fit(TEXTS, PLACES).predict(["a sea", "the sky"]).tolist() == ["sea", "sky"]
    assert pipeline[:-1].get_feature_names_out().tolist() == ["sea", "salt", "sky", "blue"]
    grid = {"termselector__k": [1, 4], "termselector__method": ["ig", "df"]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(TEXTS, PLACES)
    assert search.best_score_ == 1.0


def test_weighted_documents_can_be_selected_from():
    pipeline = make_pipeline(TextVectorizer(), TfidfTransformer(), TermSelector("chi", k=2))
    assert pipeline.fit_transform(TEXTS, PLACES).shape == (20, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 3, "keep": 0.5}, "one of k, threshold and keep, not k=3 and keep=0.5"),
        ({"k": 0}, "k must be a whole number of at least 1, not 0"),
        ({"k": 1.5}, "k must be a whole number"),
        ({"min_df": 0}, "min_df must be a whole number of at least 1"),
        ({"keep": 0.0}, "keep must be a share"),
        ({"keep": 1.1}, "keep must be a share"),
        ({"method": "gini"}, "df, ig, mi, chi, prr, not 'gini'"),
        ({"method": "df", "average": "avg"}, "average='avg' has no effect"),
        ({"method": len, "average": "avg"}, "no effect on a score of your own"),
        ({"threshold": "high"}, "threshold must be a number"),
        ({"threshold": float("nan")}, "threshold must be a number"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(options, message):
    for fit in (lambda s: s.fit(ROWS, LABELS), lambda s: s.fit_tally(Tally())):
        with pytest.raises(ValueError, match=message):
            fit(TermSelector(**options))


def test_documents_and_labels_that_cannot_be_are_refused():
    with pytest.raises(LabelError, match="needs labels"):
        TermSelector().fit(ROWS)
    with pytest.raises(LabelError, match="3 documents, but labels for 2"):
        TermSelector().fit(ROWS, ["X", "Y"])
    with pytest.raises(CountError, match="negative"):
        TermSelector().fit(-ROWS, LABELS)
    with pytest.raises(CountError, match="fit_tally reads a Tally"):
        TermSelector().fit_tally(ROWS)
