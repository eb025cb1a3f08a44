"""All learners on the same documents, and what is worth knowing of the best."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from tallytext.classifier import TextClassifier
from tallytext.classifier.labels import (
    expect_as_many,
    expect_labels,
    expect_single,
    is_single,
    labels_of,
)
from tallytext.comparison.contender import Contender
from tallytext.comparison.judging import Documents, Trial, judge_all
from tallytext.comparison.learning_curve import SHARES, LearningCurve, learning_curve
from tallytext.comparison.near_duplicates import NearDuplicates, near_duplicates
from tallytext.comparison.splits import Splits, splits_of
from tallytext.comparison.suspects import Suspect, suspects
from tallytext.curves import VocabularyCurve, vocabulary_curve
from tallytext.errors import InputError
from tallytext.evaluation import Evaluation
from tallytext.learners import Learner, find_learner
from tallytext.learners import learners as registered
from tallytext.progress import progress_bar
from tallytext.selection.typical import typical_terms
from tallytext.storage import save_text
from tallytext.tally import Tally
from tallytext.text.sources import as_texts
from tallytext.vectorizer import TextVectorizer

if TYPE_CHECKING:
    from rich.table import Table

_FOLDS = 5
_SUSPECTS, _CLASSES, _TERMS = 20, 100, 12
# Learning from documents without labels is no use here, and slow where labels are many.
_POOLED = "pooled"


@dataclass(frozen=True)
class Comparison:
    """How learners did on the same documents.

    Attributes
    ----------
    contenders : list of Contender
        The best first; those that failed last.
    measure : {"accuracy", "micro-F1"}
    splits : Splits
        How documents were kept from models.
    documents : Documents
    near_duplicates : NearDuplicates
        Judged documents that are nearly the same as one learned.
    learning_curve : LearningCurve
        Of the best learner, on the last split.
    vocabulary_curve : VocabularyCurve
        Of naive Bayes, on the last split.
    suspects : list of Suspect
        Documents whose label is most likely wrong; none where documents have several.
    evaluation : Evaluation
        What became of the labels that the best learner gave.
    terms : dict of label to list of str
        The most telling terms of each class, those of most documents first.

    Examples
    --------
    >>> texts = ["cheap pills", "lunch at noon", "cheap watches", "noon, for lunch"] * 5
    >>> found = compare(texts, ["spam", "ham"] * 10, learners=["multinomial", "bernoulli"])
    >>> found.measure, [contender.score for contender in found.contenders]
    ('accuracy', [1.0, 1.0])
    """

    contenders: list[Contender]
    measure: str
    splits: Splits
    documents: Documents = field(repr=False)
    near_duplicates: NearDuplicates
    learning_curve: LearningCurve
    vocabulary_curve: VocabularyCurve = field(repr=False)
    suspects: list[Suspect] = field(repr=False)
    evaluation: Evaluation = field(repr=False)
    terms: dict[Any, list[str]] = field(repr=False)

    @property
    def best(self) -> Contender:
        """The learner with the highest score."""
        return self.contenders[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values, as JSON has them."""
        return {
            "measure": self.measure,
            "method": self.splits.described,
            "n_documents": len(self.documents.labels),
            "contenders": [each.to_dict() for each in self.contenders],
            "near_duplicates": {
                "asked": self.near_duplicates.n_asked,
                "crossing": self.near_duplicates.n_crossing,
            },
            "learning_curve": vars(self.learning_curve)
            | {"at_double": self.learning_curve.at_double},
            "vocabulary_curve": self.vocabulary_curve.to_dict(),
            "suspects": [
                {name: value for name, value in each._asdict().items() if name != "evidence"}
                for each in self.suspects
            ],
        }

    def to_rich(self) -> Table:
        """Return the table of learners, for a terminal."""
        from tallytext.comparison.terminal import table_of

        return table_of(self)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return a page that needs nothing else: tables, drawings, evidence.

        Parameters
        ----------
        path : str or path, default=None
            A file to write it to as well. It appears whole or not at all.
        """
        from tallytext.comparison.page import page_of

        page = page_of(self)
        if path is not None:
            save_text(Path(path), page)
        return page


def compare(
    texts: Any,
    labels: Any,
    *,
    learners: Iterable[str] | None = None,
    folds: int = _FOLDS,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    vectorizer: TextVectorizer | None = None,
    budget: float | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    verbose: bool | None = None,
) -> Comparison:
    """Judge every learner by the same documents, each kept from it while it learned.

    Parameters
    ----------
    texts : list, column or iterable of str
    labels : list, column or array
        One label per text, or a list of labels per text.
    learners : iterable of str, default=None
        Names of learners, see :func:`tallytext.learners.learners`; None for all that can do what
        is asked.
    folds : int, default=5
        How often documents are dealt out.
    groups : array-like of shape (n_documents,), default=None
        Documents of one group (thread, author, near duplicates) are kept together.
    time : array-like of shape (n_documents,), default=None
        Documents are judged by models of earlier ones only.
    vectorizer : TextVectorizer, default=None
        How texts become terms; None: as :class:`~tallytext.TextClassifier` does by itself.
    budget : float, default=None
        Seconds for judging. Every learner is judged on one fold in any case; the slowest are not
        judged on more.
    n_jobs : int, default=None
        Number of threads; None for all cores. Scores do not depend on it.
    seed : int, default=0
        How documents are dealt out.
    verbose : bool, default=None
        Whether to show a progress bar; None: on a terminal, if it takes its time.

    Returns
    -------
    Comparison
    """
    documents = _documents(texts, labels)
    splits = splits_of(
        documents.labels, documents.several, folds, groups=groups, time=time, seed=seed
    )

    def make(learner: Learner) -> TextClassifier:
        several = documents.several
        return TextClassifier(
            learner.name, vectorizer=vectorizer, multi_label=several, n_jobs=n_jobs, verbose=False
        )

    trials = [Trial(learner, documents, make) for learner in _chosen(learners, documents)]
    with progress_bar("Comparing", len(trials) * len(splits) + len(SHARES) + 2, verbose) as step:
        judge_all(trials, splits, budget, step)
        ranked = sorted(trials, key=lambda trial: -(_score(trial)))
        if not ranked[0].answers:
            raise InputError(f"no learner could be judged: {ranked[0].failure}")
        return _looked_into(ranked, documents, splits, make, vectorizer, step)


def _looked_into(
    ranked: list[Trial],
    documents: Documents,
    splits: Splits,
    make: Callable[[Learner], TextClassifier],
    vectorizer: TextVectorizer | None,
    step: Callable[[], None],
) -> Comparison:
    best, last = ranked[0], splits.splits[-1]
    curve = learning_curve(
        lambda: make(best.learner), documents, last, step, in_order=splits.method == "time"
    )
    (learned, theirs), (new, truth) = documents.some(last.learned), documents.some(last.judged)
    counting = TextVectorizer() if vectorizer is None else vectorizer
    X = counting.fit_transform(learned)
    sizes = vocabulary_curve(X, theirs, counting.transform(new), truth, verbose=False)
    step()
    alike = near_duplicates(documents.texts, splits)
    step()
    return Comparison(
        [trial.contender() for trial in ranked],
        "micro-F1" if documents.several else "accuracy",
        splits,
        documents,
        alike,
        curve,
        sizes,
        suspects(best.answers, documents, _SUSPECTS),
        best.evaluation(),
        _telling(best.answers[-1].classifier.tally_),
    )


def _telling(tally: Tally) -> dict[Any, list[str]]:
    """Return the most telling terms of the largest classes."""
    by_size = sorted(range(len(tally.classes)), key=lambda c: -int(tally.class_documents[c]))
    shown = by_size[:_CLASSES]
    terms = typical_terms(tally, shown, _TERMS)
    return {tally.classes[c]: some for c, some in zip(shown, terms, strict=True)}


def _documents(texts: Any, labels: Any) -> Documents:
    listed, _ = labels_of(labels)
    expect_labels(listed)
    read = as_texts(texts).strings()
    expect_as_many(len(read), listed)
    several = not all(map(is_single, listed))
    return Documents(read, listed if several else expect_single(listed), several)


def _chosen(names: Iterable[str] | None, documents: Documents) -> list[Learner]:
    """Return the learners to compare, in the order of their names' registration."""
    able = registered(multi_label=documents.several)
    if names is None:
        return [learner for learner in able if learner.name != _POOLED]
    chosen = [find_learner(name) for name in dict.fromkeys(names)]
    if not chosen:
        raise InputError("there is no learner to compare.")
    for learner in chosen:
        if learner not in able:
            raise InputError(f"{learner.name!r} cannot give a document several labels.")
    return chosen


def _score(trial: Trial) -> float:
    score = trial.contender().score
    return -1.0 if score is None else score
