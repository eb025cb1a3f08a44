"""From counts that are there already to a fitted classifier."""

from __future__ import annotations

from collections import Counter
from typing import Any, NoReturn

from sklearn.base import clone

from tallytext.classifier.candidates import candidates_for, planes_for
from tallytext.classifier.contest import Contest, Fitted, fitted
from tallytext.classifier.folds import dealt_out
from tallytext.classifier.judging import Candidate, n_judged
from tallytext.classifier.labels import expect_single
from tallytext.classifier.origin import sentences
from tallytext.classifier.sampled import Sampled, SampleJudge
from tallytext.classifier.selecting import expect_documents, selector_for
from tallytext.errors import CountError, LabelError, NotAdditiveError, RecipeError, SettingsError
from tallytext.labels import sort_labels
from tallytext.planes import Plane, in_order
from tallytext.tally import GatheredTally, Origin, Tally
from tallytext.vectorizer import TextVectorizer


def origin_of(tally: Any) -> Origin | None:
    """Return where a tally is from, if it knows.

    Raises
    ------
    CountError
        If it is no tally.
    """
    if not isinstance(tally, Tally):
        raise CountError(f"from_tally reads a Tally, not {tally!r:.60}. To learn, use fit.")
    return tally.origin if isinstance(tally, GatheredTally) else None


def vectorizer_of(given: TextVectorizer | None, origin: Origin | None) -> TextVectorizer:
    """Return how the texts of a tally became terms; not fitted.

    Raises
    ------
    SettingsError
        If another way is given than the one in which they were counted.
    """
    if given is not None and not isinstance(given, TextVectorizer):
        raise TypeError(f"vectorizer must be a TextVectorizer, not {given!r:.80}.")
    if origin is not None and given is not None:
        _expect_same(given, origin.vectorizer)
    own = TextVectorizer() if origin is None else origin.vectorizer
    return clone(own if given is None else given)


def planes_needed(settings: Any) -> list[Plane]:
    """Return what a tally must count so that a classifier with these settings can be made of it."""
    selector = selector_for(settings.select)
    found = (planes_for(each, selector) for each in _additive(settings))
    return list(in_order(plane for planes in found for plane in planes))


class Counted:
    """Makes a classifier of a tally, as its settings say.

    Parameters
    ----------
    settings : TextClassifier
        Its parameters are read; it is not changed. It has a vectorizer.
    tally : Tally
        It is not changed.
    origin : Origin or None
        What is known of its making.
    """

    def __init__(self, settings: Any, tally: Tally, origin: Origin | None) -> None:
        self._settings, self._origin = settings, origin
        self._selector = selector_for(settings.select)
        candidates = _additive(settings)
        expect_documents(self._selector, [each.learner for each in candidates])
        self._several = _several(settings.multi_label, tally)
        self._there = tally.planes
        self._candidates = [each for each in candidates if not self._lacking(each)]
        self._left_out = [each for each in candidates if each not in self._candidates]
        if not self._candidates:
            self._refuse()
        self._tally = self._own(tally)
        self._vectorizer = clone(settings.vectorizer)
        self._vectorizer.vocabulary_ = self._tally.vocabulary

    def finished(self, texts: Any, labels: list[Any]) -> Fitted:
        """Choose a model, and calibrate it.

        Parameters
        ----------
        texts : list or column of str
            Some of the documents that were counted; perhaps none.
        labels : list
            A label per document, or a list of labels.
        """
        labels = labels if self._several else expect_single(labels)
        bounded = self._origin is not None and bool(self._origin.dropped)
        sampled = Sampled.of(self._tally, self._vectorizer, texts, labels, bounded)
        drawn, several = sampled.drawn, self._several
        n = n_judged(drawn, self._tally, several)
        folds = dealt_out(drawn.labels[:n], int(self._tally.n_documents), several)
        judge = SampleJudge(
            self._tally, drawn, folds, several, None, "sample", self._selector, sampled=sampled
        )
        choice = Contest(self._settings, self._candidates).choice(judge)
        n_compared = len(self._candidates) if folds else 0
        told = sentences(self._tally, self._origin, sampled, n_compared)
        return fitted(
            judge,
            choice,
            (self._vectorizer, self._tally),
            self._planes(choice.candidate),
            origin=(*told, *self._said_of_planes()),
        )

    def _own(self, tally: Tally) -> Tally:
        """Return the counts that are needed, with words of their own, which may become more."""
        needed = in_order(plane for each in self._candidates for plane in self._planes(each))
        own = Tally(tally.vocabulary.copy(), planes=needed)
        own.number_labels(sort_labels(tally.classes))
        own += tally if tally.planes == needed else tally.keep_planes(needed)
        return own

    def _planes(self, candidate: Candidate) -> list[Plane]:
        """Return what a candidate reads that was counted, or cannot be done without."""
        planes = planes_for(candidate, self._selector)
        # Where all documents have one label, a share of it is a whole.
        single = not self._several
        return [each for each in planes if each in self._there or not (single and each.shared)]

    def _lacking(self, candidate: Candidate) -> list[Plane]:
        return [each for each in self._planes(candidate) if each not in self._there]

    def _refuse(self) -> NoReturn:
        lacking = [{*self._lacking(each)} for each in self._left_out]
        common = in_order(set.intersection(*lacking) or lacking[0])
        model, select = self._settings.model, self._settings.select
        spelt = repr(model) if isinstance(model, str) else "..."
        chosen = "" if select is None else ", select=..."
        raise RecipeError(
            f"the tally lacks {' and '.join(map(repr, common))}, which this model reads. Count "
            f"with planes=TextClassifier({spelt}{chosen}).planes(), or take another model."
        )

    def _said_of_planes(self) -> list[str]:
        left_out = Counter(each.learner.name for each in self._left_out)
        if not left_out:
            return []
        considered = Counter(each.learner.name for each in self._candidates)
        some = ", ".join(
            f"{n} of {n + considered[name]} settings of {name}" if considered[name] else name
            for name, n in left_out.items()
        )
        return [
            f"not considered, for want of planes: {some}; count with "
            "planes=TextClassifier().planes()"
        ]


def _additive(settings: Any) -> list[Candidate]:
    """Return the candidates that are functions of sums."""
    candidates = candidates_for(settings)
    found = [each for each in candidates if each.learner.additive]
    if not found:
        name = candidates[0].learner.name
        raise NotAdditiveError(
            f"{name} is trained on documents, and a tally holds nothing but their sums: train it "
            'with fit, on a sample of the documents for instance; or take model="auto".'
        )
    return found


def _several(asked: bool | None, tally: Tally) -> bool:
    """Return whether documents may have several labels."""
    if not tally.classes:
        raise LabelError("there is no class to learn: no document of the tally has a label.")
    other = int(tally.n_several + tally.n_unlabelled)
    if asked is False and other:
        raise LabelError(
            f"{other:,} documents of the tally have several labels or none, but this classifier "
            "is for documents with one label each. Make it with multi_label=True."
        )
    return other > 0 if asked is None else asked


def _expect_same(given: TextVectorizer, counted: TextVectorizer) -> None:
    theirs: dict[str, Any] = counted.get_params(deep=False)
    for name, value in given.get_params(deep=False).items():
        if name != "n_jobs" and not _is_same(value, theirs[name]):
            raise SettingsError(
                f"the tally was counted with {name}={theirs[name]!r:.60} of the vectorizer, and "
                f"not with {value!r:.60}: give none, and that of the tally is taken."
            )


def _is_same(one: Any, other: Any) -> bool:
    """Whether two settings are the same; equal sets may be spelt in different orders."""
    if isinstance(one, set | frozenset):
        return bool(one == other)
    return repr(one) == repr(other)
