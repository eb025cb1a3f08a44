"""A learner that fails costs nobody else anything."""

import pytest

import tallytext
from tallytext import TextVectorizer
from tallytext.comparison import comparing as judging
from tallytext.comparison.documents import splits_of
from tallytext.errors import InputError
from topics import made_up


class TestFailures:
    @pytest.fixture
    def failing(self, monkeypatch):
        """Let a learner fail from a fold on, with an error that nobody expects."""
        judge = judging.Trial._judge

        def fail_from(fold):
            def failing(self, split):
                if self.learner.name == "bernoulli" and len(self.folds) == fold:
                    raise ZeroDivisionError("no luck")
                judge(self, split)

            monkeypatch.setattr(judging.Trial, "_judge", failing)
            texts, labels = made_up(45)
            return tallytext.compare(texts, labels, learners=["bernoulli", "multinomial"], folds=3)

        return fail_from

    def test_a_learner_that_fails_is_told_and_others_go_on(self, failing):
        found = failing(0)
        assert [each.name for each in found.contenders] == ["multinomial", "bernoulli"]
        assert [each.failure for each in found.contenders] == ["", "ZeroDivisionError: no luck"]
        assert "ZeroDivisionError: no luck" in found.to_html()

    def test_one_that_fails_later_keeps_what_it_has_and_says_why(self, failing):
        found = failing(2)
        last = found.contenders[1]
        assert (last.n_folds, last.report.n_documents) == (2, 30)
        assert last.remark(3) == "2 of 3 folds: ZeroDivisionError: no luck"
        assert any("could not be judged on all folds: bernoulli" in each for each in found.warnings)

    def test_if_all_fail_the_reason_is_told(self, monkeypatch):
        def failing(self, split):
            raise InputError("no luck")

        monkeypatch.setattr(judging.Trial, "_judge", failing)
        with pytest.raises(InputError, match=r"no learner could be judged. no luck"):
            tallytext.compare(*made_up(30), learners=["multinomial"])

    def test_a_fold_that_fails_half_way_counts_nowhere(self, monkeypatch):
        found, calls = judging.suspects_among, []

        def failing(*args):
            calls.append(1)
            if len(calls) == 3:
                raise ZeroDivisionError("no luck")
            return found(*args)

        monkeypatch.setattr(judging, "suspects_among", failing)
        best = tallytext.compare(*made_up(45), learners=["bernoulli"], folds=3).best
        assert (best.n_folds, best.report.n_documents) == (2, 30)
        assert best.difference.n_documents == 30

    def test_the_curve_of_one_that_fails_later_is_of_the_folds_before(self, monkeypatch):
        judge = judging.Trial._judge

        def failing(self, split):
            if len(self.folds) == 2:
                raise ZeroDivisionError("no luck")
            judge(self, split)

        monkeypatch.setattr(judging.Trial, "_judge", failing)
        found = tallytext.compare(*made_up(45), learners=["bernoulli"], folds=3)
        assert found.learning_curve.n_judged == 30

    @pytest.mark.parametrize("seed", range(3))
    def test_terms_that_are_in_some_folds_only(self, seed):
        """Of one group, words are too rare to be counted."""
        texts, labels = made_up(60)
        texts[30:] = [f"unique{at}" for at in range(30)]
        rare = {
            "groups": [0] * 30 + [1] * 30,
            "vectorizer": TextVectorizer(min_df=2),
            "learners": ["multinomial"],
            "seed": seed,
        }
        first = splits_of(labels, False, 5, groups=rare["groups"], seed=seed).splits[0]
        if first.learned[0] == 30:
            with pytest.raises(InputError, match=r"no learner could be judged\. no terms remain"):
                tallytext.compare(texts, labels, **rare)
        else:
            found = tallytext.compare(texts, labels, **rare)
            assert (found.best.n_folds, found.learning_curve.n_judged) == (1, 30)
            assert found.to_html()
