"""A learner that fails does not affect the results of the others."""

import pytest

import tallytext
from tallytext import TextVectorizer
from tallytext.comparison import cross_validation
from tallytext.comparison.cross_validation import LearnerRun
from tallytext.comparison.documents import make_splits
from tallytext.errors import InputError
from topics import made_up


class TestFailures:
    @pytest.fixture
    def failing(self, monkeypatch):
        """Let a learner fail from a fold on, with an unexpected error."""
        evaluate = LearnerRun._fit_and_predict

        def fail_from(fold):
            def failing(self, split):
                if self.learner.name == "bernoulli" and len(self.folds) == fold:
                    raise ZeroDivisionError("no luck")
                evaluate(self, split)

            monkeypatch.setattr(LearnerRun, "_fit_and_predict", failing)
            texts, labels = made_up(45)
            return tallytext.compare(texts, labels, learners=["bernoulli", "multinomial"], folds=3)

        return fail_from

    def test_a_failure_is_reported_and_the_others_continue(self, failing):
        found = failing(0)
        assert [each.name for each in found.results] == ["multinomial", "bernoulli"]
        assert [each.failure for each in found.results] == ["", "ZeroDivisionError: no luck"]
        assert "ZeroDivisionError: no luck" in found.to_html()

    def test_a_later_failure_keeps_the_folds_before(self, failing):
        found = failing(2)
        last = found.results[1]
        assert (last.n_folds, last.report.n_documents) == (2, 30)
        assert last.remark(3) == "2 of 3 folds: ZeroDivisionError: no luck"
        assert any(
            "could not be evaluated on all folds: bernoulli" in each for each in found.warnings
        )

    def test_if_all_fail_the_error_has_the_reason(self, monkeypatch):
        def failing(self, split):
            raise InputError("no luck")

        monkeypatch.setattr(LearnerRun, "_fit_and_predict", failing)
        with pytest.raises(InputError, match=r"no learner could be evaluated. no luck"):
            tallytext.compare(*made_up(30), learners=["multinomial"])

    def test_a_fold_that_fails_half_way_is_not_counted(self, monkeypatch):
        found, calls = cross_validation.find_suspects, []

        def failing(*args):
            calls.append(1)
            if len(calls) == 3:
                raise ZeroDivisionError("no luck")
            return found(*args)

        monkeypatch.setattr(cross_validation, "find_suspects", failing)
        best = tallytext.compare(*made_up(45), learners=["bernoulli"], folds=3).best
        assert (best.n_folds, best.report.n_documents) == (2, 30)
        assert best.difference.n_documents == 30

    def test_the_learning_curve_uses_the_folds_before_a_failure(self, monkeypatch):
        evaluate = LearnerRun._fit_and_predict

        def failing(self, split):
            if len(self.folds) == 2:
                raise ZeroDivisionError("no luck")
            evaluate(self, split)

        monkeypatch.setattr(LearnerRun, "_fit_and_predict", failing)
        found = tallytext.compare(*made_up(45), learners=["bernoulli"], folds=3)
        assert found.learning_curve.n_evaluated == 30

    @pytest.mark.parametrize("seed", range(3))
    def test_terms_that_only_some_folds_have(self, seed):
        """The words of one group are too rare to be terms."""
        texts, labels = made_up(60)
        texts[30:] = [f"unique{at}" for at in range(30)]
        rare = {
            "groups": [0] * 30 + [1] * 30,
            "vectorizer": TextVectorizer(min_df=2),
            "learners": ["multinomial"],
            "seed": seed,
        }
        first = make_splits(labels, False, 5, groups=rare["groups"], seed=seed).splits[0]
        if first.train[0] == 30:
            with pytest.raises(
                InputError, match=r"no learner could be evaluated\. no terms remain"
            ):
                tallytext.compare(texts, labels, **rare)
        else:
            found = tallytext.compare(texts, labels, **rare)
            assert (found.best.n_folds, found.learning_curve.n_evaluated) == (1, 30)
            assert found.to_html()
