"""A classifier of more documents than fractional sums have room for."""

import pytest

from tallytext import TextClassifier
from tallytext.classifier.training import Training
from tallytext.errors import CountOverflowError

TEXTS = ["cheap pills", "see you at noon", "buy cheap watches", "noon then, see you"] * 10
LABELS = ["spam", "ham", "spam", "ham"] * 10


def nearly_full(model):
    """Return a training that has seen almost as much as one of the planes for poisson can hold."""
    training = Training(TextClassifier(model, n_jobs=1))
    training.add(TEXTS, LABELS)
    training.counter.tally.learn({"cheap": 2**31 - 40}, "spam")
    return training


def test_a_plane_that_is_full_is_left_out_and_models_are_compared_that_do_without():
    training = nearly_full("auto")
    planes = training.counter.tally.planes
    training.add(TEXTS, LABELS)
    (full,) = training.counter.overflowing
    assert full.norm == "poisson_mass"
    assert [each for each in planes if each != full] == [*training.counter.tally.planes]
    training.add(TEXTS, LABELS)  # goes on
    classifier = TextClassifier()._set_fitted(training.finish(False, False, False), None)
    assert classifier.predict(["cheap watches", "at noon"]).tolist() == ["spam", "ham"]
    assert "poisson" not in {trial.learner for trial in classifier.trials_}
    assert f"not counted: {full!r}, whose sums would exceed 64 bits" in str(classifier.report())
    assert (classifier.tally_.n_documents, classifier.tally_.n_tokens) == (121, 2**31 - 40 + 390)


def test_the_counts_are_those_of_a_tally_without_the_plane():
    training, without = nearly_full("auto"), nearly_full("auto")
    for each in (training, without):
        each.add(TEXTS, LABELS)
    assert training.counter.overflowing
    wanted = nearly_full("auto").counter.tally.keep_planes(training.counter.tally.planes)
    wanted.learn(without.vectorizer.transform(TEXTS), LABELS, terms=without.vectorizer.vocabulary_)
    assert training.counter.tally == wanted


def test_a_model_that_was_asked_for_and_reads_it_is_refused_with_what_to_do():
    training = nearly_full("poisson")
    with pytest.raises(CountOverflowError, match=r'too many documents for poisson: .*"contrast"'):
        training.add(TEXTS, LABELS)


def test_whole_counts_that_are_full_end_the_counting():
    training = nearly_full("multinomial")
    training.counter.tally.learn({"cheap": 2**63 - 2**31 - 200}, "spam")
    with pytest.raises(CountOverflowError, match="64 bits"):
        training.add(TEXTS, LABELS)
