"""A learner that fails costs nobody else anything."""

import pytest

import tallytext
from tallytext.comparison import judging
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
