"""What the reproduction of Aggarwal's sections computes, on tiny data; and all of it, quickly."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import average_precision_score, roc_auc_score

pytest.importorskip("experiments", reason="the source distribution has no experiments")

from experiments.aggarwal import (
    augmented,
    causes,
    choosing,
    corpora,
    event_models,
    events,
    fisher,
    gamma,
    independence,
    l1_path,
    latent,
    ranking,
    smoothing,
    trees,
    wording,
)
from experiments.aggarwal.corpora import Documents, Side, Split
from experiments.aggarwal.ordered import Steps, tied

from reproductions import quick_run
from tallytext import BernoulliNB, L1Selector, RotationForest


@pytest.fixture
def random():
    return np.random.default_rng(3)


@pytest.fixture
def documents(random):
    """Three classes of 30 documents, each with words of its own among common ones."""
    y = np.repeat(["air", "sea", "sky"], 30)
    rates = np.full((90, 24), 0.3)
    for number, label in enumerate(np.unique(y)):
        rates[y == label, 8 * number : 8 * number + 4] = 1.2
    counts = [sparse.csr_array(random.poisson(rates)) for _ in range(2)]
    return Documents(counts[0], y, counts[1], y)


def test_documents_are_cut_after_so_many_words():
    split = Split(*(Side(["a b  c\nd", "e"], np.array(["x", "y"])) for _ in range(2)))
    assert corpora.cut(split, 2).train.texts == ["a b", "e"]
    assert corpora.cut(split, None) is split


def test_learned_documents_bring_their_own_lexicon(documents):
    few = documents.learned(np.array([0, 40]))
    assert few.X.shape[0] == 2
    assert few.X.shape[1] == few.Z.shape[1] == len(np.unique(documents.X[[0, 40]].indices))
    assert few.y.tolist() == ["air", "sea"]


def test_presences_by_the_book_are_the_librarys_bernoulli_model(documents):
    model = BernoulliNB().fit(documents.X, documents.y)
    ours = events.Presences.of(documents, *events.book_smoothing(documents))
    assert np.allclose(ours.scores(documents.Z), model.scores(documents.Z))
    alone = ours.scores(documents.Z, absence=False)
    absent = (documents.Z.toarray() == 0).astype(float) @ np.log1p(-ours.shares).T
    assert np.allclose(alone + absent, model.scores(documents.Z))


def test_toy_corpus_has_the_shares_of_5_17():
    X = sparse.csr_array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    toy = Documents(X, np.array(["X", "X", "Y"]), X, np.array(["X", "X", "Y"]))
    shares = events.Presences.of(toy, *events.book_smoothing(toy)).shares
    assert shares[0] == pytest.approx([0.807692, 0.538462, 0.538462, 0.269231], abs=1e-6)


def test_without_smoothing_unseen_terms_make_classes_impossible():
    X = sparse.csr_array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1]])
    y = np.array(["a", "a", "b", "b"])
    Z = sparse.csr_array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1]])
    found = smoothing.unsmoothed(Documents(X, y, Z, np.array(["a", "a", "b", "b"])))
    # The first and the last have a term that the other class alone has shown.
    assert found["own_impossible"] == found["all_impossible"] == 0.5
    assert found["unsmoothed"] == 0.75  # "a" by the prior, for both


def test_terms_that_were_not_drawn_are_missing_in_the_whole_lexicon():
    X = sparse.csr_array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    Z = sparse.csr_array([[1, 0, 0], [1, 1, 0], [0, 0, 1]])
    whole = Documents(X, np.array(["a", "a", "b"]), Z, np.array(["a", "a", "b"]))
    assert smoothing.own_unseen(whole, np.array([0, 1, 2])) == 0.0
    assert smoothing.own_unseen(whole, np.array([0, 2])) == pytest.approx(1 / 3, abs=1e-5)
    # A class of which nothing was drawn is not counted.
    assert smoothing.own_unseen(whole, np.array([0])) == 0.5


def test_what_all_documents_of_a_class_have_must_not_be_missing():
    X = sparse.csr_array([[1, 1], [1, 0], [0, 1], [0, 1]])
    Z = sparse.csr_array([[0, 0]])
    found = smoothing.unsmoothed(Documents(X, np.array(["a", "a", "b", "b"]), Z, np.array(["a"])))
    assert found["own_impossible"] == 0
    assert found["all_impossible"] == 1


def test_a_lead_that_grows_with_length_is_seen():
    cells = [
        {
            "order": order,
            "size": size,
            "every": False,
            "words": words,
            "multinomial": 0.5 + words / 100,
            "bernoulli": 0.5 + size / 1000,
        }
        for order in ("ig", "df")
        for size in (10, 20, 30)
        for words in (1, 2, 3)
    ]
    trends = event_models._trends(cells)
    assert trends["over_length"] == {"ig": 1.0, "df": 1.0}
    assert trends["over_lexicon"] == {"ig": -1.0, "df": -1.0}


def test_squares_describe_documents(documents):
    cell = event_models.described(documents.terms(np.arange(4)), documents)
    assert cell["words"] == round(documents.X.sum() / 90, 2)
    assert cell["density"] == pytest.approx((documents.X[:, :4] > 0).mean(), rel=1e-3)
    assert {"bernoulli", "multinomial", "binary", "presence"} <= {*cell}


def test_choices_follow_their_rules():
    cell = {"size": 100, "density": 0.04, "bernoulli_left_out": 0.9, "multinomial_left_out": 0.8}
    assert choosing.chosen(cell, "rule") == "multinomial"
    assert choosing.chosen(cell | {"density": 0.06}, "rule") == "bernoulli"
    assert choosing.chosen(cell | {"density": 0.06, "size": 1000}, "rule") == "multinomial"
    assert choosing.chosen(cell, "left_out") == "bernoulli"
    assert choosing.chosen(cell, "multinomial") == "multinomial"


def test_losses_are_against_the_better_model():
    cells = [{"bernoulli": 0.8, "multinomial": 0.7}, {"bernoulli": 0.4, "multinomial": 0.5}]
    found = choosing._judged(cells, "multinomial")
    assert found == {"accuracy": 0.6, "loss": 0.05, "worst": 0.1, "right": 0.5}


def test_no_line_does_better_than_the_best():
    cells = [
        {"density": density, "bernoulli": share, "multinomial": 0.5}
        for density, share in ((0.3, 0.3), (0.1, 0.6), (0.2, 0.8), (0.4, 0.9))
    ]
    # Bernoulli everywhere misses 0.2; below a line at 0.25 it would miss 0.4.
    assert choosing.best_line(cells) == pytest.approx(0.2 / 4)
    assert choosing.best_line(cells[:3]) == pytest.approx(0)


def test_one_value_has_no_spread():
    assert wording.spread([0.36]) == "36.0"
    assert wording.spread([0.3, 0.4]) == "35.0 ± 5.0"


def test_what_groups_add_is_the_lead_over_all(documents):
    found = causes.by_terms(documents.terms(np.arange(3)))
    assert sum(group["share"] for group in found.values()) == pytest.approx(1, abs=1e-4)
    scores = events.accuracies(documents.terms(np.arange(3)))
    lead = scores["bernoulli"] - scores["multinomial"]
    assert sum(group["adds"] for group in found.values()) == pytest.approx(lead, abs=1e-4)
    assert found["none"]["share"] == pytest.approx(
        (documents.Z[:, :3].toarray() == 0).all(axis=1).mean(), abs=1e-5
    )


def test_fifths_go_from_short_to_long(documents):
    found = causes.by_length(documents, documents.terms(np.arange(12)))
    assert found["words"] == sorted(found["words"])
    assert found["truth"] == [1.0] * 5
    scores = events.accuracies(documents.terms(np.arange(12)))
    assert np.mean(found["bernoulli"]) == pytest.approx(scores["bernoulli"], abs=1e-4)
    lengths = documents.X.sum(axis=1)
    lowest, highest = (f(lengths[documents.y == y].mean() for y in documents.y) for f in (min, max))
    assert all(lowest - 0.1 <= each <= highest + 0.1 for each in found["bernoulli_typical"])


def test_spread_lengths_have_the_mean_of_equal_ones():
    found = causes.drawn(200_000, np.random.default_rng(0))
    assert (found.min(), found.max()) == (6, 130)
    assert found.mean() == pytest.approx(40, abs=0.5)


def test_documents_are_long_enough_and_cut_one_by_one():
    split = Split(*(Side(["a b c d", "e f"], np.array(["x", "y"])) for _ in range(2)))
    assert corpora.at_least(split, 3).train.texts == ["a b c d"]
    assert corpora.at_least(split, 2).test.labels.tolist() == ["x", "y"]
    assert corpora.cut_each(split, lambda n: np.array([3, 1])).test.texts == ["a b c", "e"]


def test_gamma_is_chosen_without_test_labels(documents):
    found = gamma.chosen_gammas(documents)
    others = gamma.chosen_gammas(documents._replace(z=documents.z[::-1]))
    assert found["bernoulli_gamma"] == others["bernoulli_gamma"]
    assert found["multinomial"] == documents.accuracy(events.multinomial())


def test_shuffling_keeps_shares_and_breaks_pairs(random):
    same = random.integers(0, 2, size=400)
    y = np.repeat(["a", "b"], 200)
    X = sparse.csr_array(np.column_stack([same, same, 1 - same]))
    linked = Documents(X, y, X, y)
    apart = independence.shuffled(linked)
    for label in "ab":
        own = y == label
        assert (apart.X[own].sum(axis=0) == X[own].sum(axis=0)).all()
    assert independence.dependent_pairs(linked) == 1
    assert independence.dependent_pairs(apart) == 0


@pytest.mark.parametrize("digits", [1, 6])
def test_orders_are_measured_as_by_scikit_learn(digits, random):
    scores, wanted = random.normal(size=80).round(digits), random.random(80) < 0.3
    steps = Steps.of(scores, wanted)
    assert steps.average_precision() == pytest.approx(average_precision_score(wanted, scores))
    assert steps.area() == pytest.approx(roc_auc_score(wanted, scores))


def test_precision_shares_out_ties():
    steps = Steps.of(np.array([2.0, 1.0, 1.0, 0.0]), np.array([True, True, False, False]))
    assert steps.precision_at(2) == 0.75
    assert tied(np.array([1.0, 1.0, 2.0])) == pytest.approx(2 / 3)


def test_all_orders_are_of_all_documents_and_classes(documents):
    for make in (events.bernoulli, events.multinomial):
        model = make().fit(documents.X, documents.y)
        found = ranking.orders(documents, model)
        assert {*found} == {*ranking.ORDERS}
        assert all(each.shape == (90, 3) for each in found.values())
        same = found["log_odds"].argsort(axis=0, kind="stable")
        assert (found["log_posterior"].argsort(axis=0, kind="stable") == same).mean() > 0.9


def test_the_joint_has_the_multinomial_coefficient():
    Z = sparse.csr_array([[2, 1], [1, 1]])
    toy = Documents(Z, np.array(["a", "b"]), Z, np.array(["a", "b"]))
    model = events.multinomial().fit(Z, toy.y)
    found = ranking._coefficients(toy, model)
    assert found == pytest.approx(np.log([3, 2]))


def test_mutual_information_given_the_class_is_that_of_its_definition(random):
    X = random.integers(0, 2, size=(60, 3))
    y = np.repeat(["a", "b"], 30)
    found = augmented.dependence(augmented.class_shares(sparse.csr_array(X), y))
    expected = 0.0
    for label in "ab":
        own = X[y == label]
        for a in (0, 1):
            for b in (0, 1):
                both = ((own[:, 0] == a) & (own[:, 1] == b)).mean()
                apart = (own[:, 0] == a).mean() * (own[:, 1] == b).mean()
                expected += 0.5 * both * np.log(both / apart) if both else 0.0
    assert [found[0, 1], found[1, 0]] == pytest.approx([expected, expected])


def test_a_tree_sees_what_a_naive_model_cannot(random):
    # In one class two terms go together, in the other they do not; each is in half of all.
    first, same = random.integers(0, 2, size=(2, 800))
    y = np.repeat(["alike", "apart"], 400)
    second = np.where(y == "alike", first, 1 - first)
    X = sparse.csr_array(np.column_stack([first, second, same]))
    tree = augmented.TreeAugmented.of(X, y)
    assert (tree.predict(X) == y).mean() > 0.95
    assert (BernoulliNB().fit(X, y).predict(X) == y).mean() < 0.65


def test_decisions_of_a_penalised_model_are_linear(documents):
    weighted = l1_path.weighed(documents)
    model = L1Selector("squared", l1_lambda=5).fit(documents.X, documents.y)
    found = l1_path.decided(model, weighted.X)
    expected = weighted.X.toarray() @ model.coef_.toarray().T + model.intercept_
    assert np.allclose(found, expected)
    # The objective is that of the same weights and the same documents.
    signs = np.where(documents.y[:, None] == model.classes_, 1.0, -1.0)
    lost = np.square(found - signs).sum(axis=0) + 5 * np.abs(model.coef_.toarray()).sum(axis=1)
    assert lost == pytest.approx(model.objective_)


def test_latent_features_and_directions_are_told_apart(documents):
    lsa, directions = latent.latent_and_fisher(documents, 6)
    assert lsa.X.shape == (90, 6)
    assert directions.X.shape == (90, 2)
    both = fisher.together(lsa, directions)
    assert both.Z.shape == (90, 8)
    assert fisher.together(documents, directions).X.shape == (90, 26)


def test_first_trees_of_a_forest_are_a_forest_of_as_many(documents):
    forest = RotationForest(5, 2, 3, random_state=1).fit(documents.X, documents.y)
    said = trees.probabilities(forest, documents)
    found = trees.of_first(said, forest.classes_, documents, [2, 5])
    whole = corpora.right(forest.predict(documents.Z), documents.z)
    assert found[1] == whole
    assert len(forest.members_) == 5
    assert trees.disagreement([np.array([1, 1]), np.array([1, 2])]) == 0.5


def test_all_parts_are_measured_and_all_claims_judged(tmp_path):
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    quick_run(
        "aggarwal", tmp_path, ["ag_news_20k", "20ng_bydate", "klue_ynat", "ohsumed_first20000"]
    )
