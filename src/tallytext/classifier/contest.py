"""A contest of candidates: who may enter, and what becomes of the winner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tallytext.classifier.budget import Deadline, Size, affordable
from tallytext.classifier.choosing import Choice, Trial, choose, untried
from tallytext.classifier.judging import Candidate, Judge
from tallytext.classifier.pending import Pending
from tallytext.classifier.pool import Pool
from tallytext.classifier.selecting import Selector
from tallytext.duplicates import Duplicates
from tallytext.errors import LabelError, VocabularyError
from tallytext.learners import CHOICES, Learner
from tallytext.planes import Plane
from tallytext.progress import progress_bar
from tallytext.selection import SelectedTally, TermSelector
from tallytext.tally import Tally
from tallytext.vectorizer import TextVectorizer


@dataclass(frozen=True)
class Fitted:
    """What a classifier consists of when it is trained."""

    model: Any
    vectorizer: TextVectorizer
    tally: Tally
    selector: Selector | None
    selected: SelectedTally | None
    learner: Learner
    several: bool
    pending: Pending
    trials: list[Trial]
    duplicates: Duplicates | None = None
    pool: Pool = field(default_factory=Pool)
    origin: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contest:
    """Candidates, as the settings of a classifier have them.

    Attributes
    ----------
    settings : TextClassifier
    candidates : list of Candidate
        At least one.
    size_for : callable
        From how much there is to learn from, in words, to how much that is for a candidate.
    """

    settings: Any
    candidates: list[Candidate]
    size_for: Callable[[Size, Candidate], Size] = lambda size, _: size

    def choice(self, judge: Judge) -> Choice:
        """Return the candidate that does best.

        Raises
        ------
        LabelError, VocabularyError
            If none can learn from these documents.
        """
        suited = [each for each in self.candidates if each.learner.multi_label or not judge.several]
        name = self.candidates[0].learner.name
        if not suited:
            raise LabelError(f"{name} cannot give a document several labels.")
        suited = [each for each in suited if _has_words(each, judge)]
        if not suited:
            raise VocabularyError(f"{name} has nothing to learn from: no document has a word.")
        tried, skipped = self._affordable(suited, judge)
        over = Deadline(self.settings.budget)
        with progress_bar("Trying models", len(tried), self.settings.verbose) as step:
            choice = choose(tried, judge, over, step)
        return replace(choice, trials=[*choice.trials, *map(untried, skipped)])

    def _affordable(
        self, candidates: list[Candidate], judge: Judge
    ) -> tuple[list[Candidate], list[Candidate]]:
        """Return what is tried where nobody said how long a choice may take, and what is not."""
        if self.settings.model not in CHOICES or self.settings.budget is not None:
            return candidates, []
        tally, drawn = judge.tally, judge.drawn
        size = Size(
            n_documents=int(tally.n_documents),
            n_tokens=int(tally.n_tokens),
            n_cells=int(drawn.X.nnz) * int(tally.n_documents) // max(len(drawn.labels), 1),
            n_terms=int(tally.n_terms),
            n_classes=len(tally.classes),
        )
        tried = [each for each in candidates if affordable(each.learner, self.size_for(size, each))]
        return tried, [each for each in candidates if each not in tried]


def fitted(
    judge: Judge,
    choice: Choice,
    counted: tuple[TextVectorizer, Tally],
    planes: list[Plane],
    **more: Any,
) -> Fitted:
    """Return what the winner of a contest comes to.

    Parameters
    ----------
    judge : Judge
    choice : Choice
    counted : (TextVectorizer, Tally)
        What counts texts for the winner, and what it has counted.
    planes : list of Plane
        What is kept besides whole counts.
    **more
        Further fields of :class:`Fitted`.
    """
    learner, selector = choice.candidate.learner, judge.selector
    vectorizer, tally = counted
    kept = tally if set(planes) == set(tally.planes) else tally.keep_planes(planes)
    selected = None
    if learner.additive and isinstance(selector, TermSelector):
        selected = SelectedTally(kept, selector)
    read = kept if selected is None else selected.tally
    return Fitted(
        model=choice.model.with_tally(read) if learner.additive else choice.model,
        vectorizer=vectorizer,
        tally=read,
        selector=selector if selected is None else selected.selector,
        selected=selected,
        learner=learner,
        several=judge.several,
        pending=Pending(judge.later(kept, learner.additive), choice),
        trials=choice.trials,
        **more,
    )


def _has_words(candidate: Candidate, judge: Judge) -> bool:
    """Whether the features of a candidate were counted."""
    documents = judge.documents
    return not candidate.learner.needs_documents or (
        documents is not None and documents.has_words(candidate.features)
    )
