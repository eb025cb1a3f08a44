"""What the reproduction of Kim, Seo and Rim computes, on tiny data; and all of it, quickly."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

pytest.importorskip("experiments", reason="the source distribution has no experiments")

from experiments.kim import (
    choice,
    data,
    feedback,
    figure2,
    figure3,
    filtering,
    incremental,
    korean,
    profile,
)
from experiments.kim.folds import stratified_folds
from experiments.kim.judging import Judged, both, judged, judged_by_oracle, judged_labels, size_bins
from experiments.kim.jury import Jury, Scores
from experiments.kim.profile import Profile, Way, fitted_threshold
from experiments.kim.published import CORN_ALPHA, REUTERS, REUTERS_RANGE
from experiments.kim.split import Side, Split, split_of
from experiments.kim.stream import Stream
from experiments.kim.table4 import standard_errors
from experiments.reproduction.command import paper_of
from experiments.reproduction.expected import Expected
from experiments.reproduction.texts import subject_and_body
from experiments.reproduction.workplace import Workplace

from reproductions import quick_run
from tallytext import PoissonNB
from tallytext.io import Corpus

CLASSES = ["air", "sea", "sky"]


def side(seed, n=60):
    """Documents with one to three classes, each with words of its own among common ones."""
    random = np.random.default_rng(seed)
    truth = random.random((n, 3)) < [0.5, 0.3, 0.2]
    truth[~truth.any(axis=1), 0] = True
    rates = np.full((n, 12), 0.4)
    for number in range(3):
        rates[truth[:, number], 4 * number : 4 * number + 3] = 2.0
    labels = [[CLASSES[at] for at in np.flatnonzero(row)] for row in truth]
    return Side(sparse.csr_array(random.poisson(rates)), labels, truth)


@pytest.fixture
def split():
    return Split(side(1), side(2), CLASSES)


def test_each_class_is_in_as_many_folds_as_it_can_be():
    random = np.random.default_rng(0)
    truth = random.random((200, 5)) < [0.5, 0.2, 0.05, 0.02, 0.0]
    folds = stratified_folds(truth, 4, 0)
    assert np.bincount(folds).max() - np.bincount(folds).min() <= 12
    for members in truth.T:
        spread = np.bincount(folds[members], minlength=4)
        assert (spread > 0).sum() == min(4, members.sum())
    assert folds.tolist() == stratified_folds(truth, 4, 0).tolist()


def test_held_out_scores_are_of_models_without_the_fold(split):
    model = PoissonNB(multi_label=True)
    jury = Jury.of(model, split, 3)
    scores = jury.scores(PoissonNB.z_star, weighting="chi", alpha=0.3)
    folds = stratified_folds(split.train.truth, 3, 0)
    assert np.isfinite(scores.train).all()
    for fold in range(3):
        others = np.flatnonzero(folds != fold)
        own = clone(model).set_params(weighting="chi", alpha=0.3)
        own.fit(split.train.counts[others], [split.train.labels[row] for row in others])
        expected = own.z_star(split.train.counts[folds == fold])
        assert np.array_equal(scores.train[folds == fold], expected)
    whole = PoissonNB(0.3, weighting="chi", multi_label=True)
    whole.fit(split.train.counts, split.train.labels)
    assert np.array_equal(scores.test, whole.z_star(split.test.counts))


def test_a_class_of_one_document_has_no_score_where_it_is_held_out():
    own = side(3)
    truth = np.column_stack([own.truth, np.arange(60) == 7])
    labels = [[*given, "zoo"] if row == 7 else given for row, given in enumerate(own.labels)]
    rare = Split(Side(own.counts, labels, truth), side(4), [*CLASSES, "zoo"])
    held_out = Jury.of(PoissonNB(multi_label=True), rare, 3).scores(PoissonNB.z_star).train
    assert held_out[7, 3] == -np.inf
    assert np.isfinite(held_out[:, :3]).all()


def test_the_oracle_is_never_below_thresholds_of_training_documents(split):
    scores = Jury.of(PoissonNB(multi_label=True), split, 3).scores(PoissonNB.z_star)
    honest, oracle = judged(split, scores), judged_by_oracle(split, scores)
    assert (oracle.f1 >= honest.f1 - 1e-12).all()
    assert both(split, scores)["oracle_macro"] == oracle.macro
    perfect = Scores(split.train.truth * 1.0, split.test.truth * 1.0)
    assert judged(split, perfect).averages == {"micro": 1.0, "macro": 1.0}
    assert standard_errors(split, judged(split, perfect)) == [0.0, 0.0]


def test_one_label_for_each_document_is_judged_by_class():
    truth = np.array([[1, 0], [1, 0], [0, 1]], dtype=bool)
    two = Split(side(1), Side(None, ["a", "a", "b"], truth), ["a", "b"])
    found = judged_labels(two, np.array(["a", "b", "b"]))
    assert found.micro == pytest.approx(2 / 3)
    assert found.f1 == pytest.approx([2 / 3, 2 / 3])
    mean = korean.mean_averages([{"x": found}, {"x": judged_labels(two, ["a", "a", "b"])}], "x")
    assert mean["macro"] == pytest.approx((2 / 3 + 1) / 2)


def test_labels_of_one_side_only_are_dropped_and_words_are_those_of_training_documents():
    train = Corpus("t", ["salt sea", "blue sky"], [["sea"], ["sky", "old"]], ["1", "2"], [""] * 2)
    test = Corpus("t", ["sea of clouds"], [["sea", "sky", "new"]], ["3"], [""])
    found = split_of(Workplace(), train, test, ())
    assert found.classes == ["sea", "sky"]
    assert found.train.labels == [["sea"], ["sky"]]
    assert found.test.truth.tolist() == [[True, True]]
    assert found.test.counts.sum() == 1


def test_bins_take_the_weighting_that_is_best_in_them():
    sizes = np.array([1, 2, 3, 4, 5])
    bins = size_bins(sizes)
    assert bins.tolist() == [0, 1, 2, 3, 4]
    decided = np.array([[True] * 5, [False] * 5])
    good, bad = np.array([1.0, 0, 1, 0, 1]), np.array([0.0, 1, 0, 1, 0])
    found = {"PNB": Judged(0, 0, good, decided), "PNB-IG": Judged(0, 0, bad, ~decided)}
    best = figure3._best_of_bins(found, bins)
    assert best[0].tolist() == [True, False, True, False, True]
    assert choice._by_bin(np.array([good, bad]), bins).tolist() == [0, 1, 0, 1, 0]


def test_each_class_can_have_a_candidate_of_its_own(split):
    ones = np.ones_like(split.test.truth)
    found = [Judged.of(split, split.test.truth), Judged.of(split, ones)]
    composed = choice._composed(split, found, np.array([0, 1, 0]))
    assert composed.f1[[0, 2]].tolist() == [1.0, 1.0]
    assert composed.f1[1] == found[1].f1[1] < 1


def test_all_of_several_best_alphas_are_named():
    assert figure2._best(np.array([[0.5, 0.1], [0.5, 0.3]]), (0.0, 1.0)) == [[0.0, 1.0], [1.0]]


def test_the_best_alpha_is_found_anew_in_each_sample():
    truth = np.arange(60)[:, None] < 30
    redrawn = figure2._redrawn(truth, [truth, ~truth])
    assert redrawn.shape == (2, figure2.SAMPLES, 1)
    assert (redrawn[0] == 1).all() and (redrawn[1] == 0).all()
    assert figure2._shares(redrawn[:, :, 0], (0.0, 0.5)) == {"0": 1.0, "0.5": 0.0}
    assert figure2._paired_errors(redrawn.mean(axis=1), redrawn).tolist() == [0.0]


def test_learning_in_lots_is_exact_and_a_constant_theta_is_not(split):
    assert incremental._stale(split, 60) == 0
    later = split.train.counts.toarray()
    later[:30, -4:] = 0  # words that come in the second half only
    grown = Split(
        Side(sparse.csr_array(later), split.train.labels, split.train.truth), *_rest(split)
    )
    assert incremental._stale(grown, 30) > 0


def test_scores_that_are_not_finite_are_no_difference_of_zero():
    assert incremental._largest(np.array([1.0, 2.0]), np.array([1.0, 2.5])) == 0.5
    with pytest.raises(ValueError, match="not finite"):
        incremental._largest(np.array([np.nan]), np.array([np.nan]))


def _rest(split):
    return split.test, split.classes


def test_messages_keep_their_subject_and_body():
    message = "Path: a!b\nSubject: salt\nLines: 2\n\nSubject: in the body\n\nend"
    assert subject_and_body(message) == "salt\nSubject: in the body\n\nend"
    assert subject_and_body("Path: a!b\n\nbody") == "\nbody"


@pytest.fixture
def stream():
    one = side(5, 400)
    return Stream(one.counts, one.truth[:, 1:2], ["sea"], 100)


def read(stream, way, truth=None):
    profile = Profile(PoissonNB(multi_label=True), stream, 0, way)
    truth = stream.truth if truth is None else truth
    lots = [slice(first, first + 50) for first in range(100, 400, 50)]
    return np.concatenate([profile.read(stream.counts[lot], truth[lot, 0]) for lot in lots])


def test_labels_of_documents_that_were_not_delivered_are_never_seen(stream):
    for way in (Way("delivered", threshold=True), Way("background", threshold=True)):
        delivered = read(stream, way)
        assert 0 < delivered.sum() < len(delivered)
        lied = stream.truth.copy()
        lied[100:, 0] ^= ~delivered
        assert np.array_equal(read(stream, way, lied), delivered)


def test_what_learns_depends_on_what_it_is_told(stream):
    lied = stream.truth.copy()
    lied[100:] = ~lied[100:]
    frozen, everything = Way("nothing", threshold=False), Way("all", threshold=True)
    assert np.array_equal(read(stream, frozen), read(stream, frozen, lied))
    assert not np.array_equal(read(stream, everything), read(stream, everything, lied))
    f1 = filtering.f1_of(stream.truth[100:], read(stream, everything)[:, None])
    assert f1[0] > 0.6


def test_the_background_is_scored_by_a_model_without_it(stream, monkeypatch):
    relevant = np.zeros(100, dtype=bool)
    relevant[stream.examples(0)] = True
    others = np.flatnonzero(~relevant)
    monkeypatch.setattr(profile, "BACKGROUND", 20)
    found = profile._background(PoissonNB(multi_label=True), stream.counts[:100], relevant, 0)
    drawn = np.random.default_rng(0).choice(others, 20, replace=False)
    assert len({*drawn.tolist()}) == len(found) == 20
    rest = np.setdiff1d(np.arange(100), drawn)
    labels = [["yes"] if relevant[row] else [] for row in rest]
    other = PoissonNB(multi_label=True).fit(stream.counts[rest], labels)
    assert np.array_equal(found, other.evidence(stream.counts[drawn])[:, 0])


def test_thresholds_fall_where_less_is_asked():
    scores, relevant = np.arange(20.0), np.arange(20) >= 10
    strict, eager = (fitted_threshold(scores, relevant, least) for least in (0.5, 0.2))
    assert eager < strict == pytest.approx(9.5)


def test_a_search_that_looks_at_everything_knows_all_labels(split):
    model = PoissonNB(multi_label=True)
    search = feedback.Search(model, split, 1, "highest")
    assert search.seen.sum() == feedback.N_START
    search.look(np.flatnonzero(~search.seen))
    everything = feedback._with_all_labels(model, split, 1)
    assert feedback.precision(search.model, split, 1) == everything
    assert len(feedback.Search(model, split, 1, "random").run(2)) == 3


def test_published_gains_are_those_of_the_table():
    um, chi, prr = (REUTERS[row] for row in ("UM", "PNB-CHI", "PNB-PrR"))
    assert 100 * (prr[0] / um[0] - 1) == pytest.approx(13.56, abs=0.005)
    assert 100 * (chi[1] / um[1] - 1) == pytest.approx(93.35, abs=0.005)


def expected_of_kim():
    return Expected.read(paper_of("kim").expected)


def test_published_figures_are_the_same_wherever_they_stand():
    printed = {
        f"{row}, {name}-F1": REUTERS[row][at]
        for row in REUTERS
        for at, name in enumerate(("micro", "macro"))
    }
    for name, ends in REUTERS_RANGE.items():
        printed |= {f"PNB, lowest {name}-F1 over α": ends[0]}
        printed |= {f"PNB, highest {name}-F1 over α": ends[1]}
    for at, what in enumerate(("train", "test", "classes")):
        name = ("training documents", "test documents", "classes")[at]
        printed[f"Reuters: {name}"] = data._PAPER[what][0]
    printed["the best α for corn"] = CORN_ALPHA
    numbers = expected_of_kim().numbers
    assert {(each.what, each.published) for each in numbers} == {*printed.items()}


def test_tests_of_claims_have_the_published_figures():
    weighted = ("PNB-IG", "PNB-CHI", "PNB-PrR")
    gains = [(row, round(REUTERS[row][1] - REUTERS["PNB"][1], 4)) for row in weighted]
    macros = [(row, REUTERS[row][1]) for row in ("UM", "PNB", *weighted)]
    tests = [claim.test for claim in expected_of_kim().claims]
    assert sum(f"in {gains}" in test for test in tests) == 1
    assert sum(f"in {macros}" in test for test in tests) == 1
    assert sum(f"macro < {REUTERS['PNB-CHI'][1] - 0.04:.4f} " in test for test in tests) == 1


def test_all_parts_are_measured_and_all_claims_judged(tmp_path):
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    quick_run("kim", tmp_path, ["reuters21578", "klue_ynat", "korean_news8_1600", "20ng_orig19997"])
