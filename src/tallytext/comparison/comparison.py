"""Comparison of learners on the same documents: scores, intervals, time and memory."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from rich.console import Group
from rich.table import Table
from rich.text import Text

from tallytext._estimators import clone
from tallytext.classifier.classifier import TextClassifier
from tallytext.classifier.expressions import build_model
from tallytext.classifier.registry import CHOICES, Learner
from tallytext.classifier.registry import learners as registered_learners
from tallytext.comparison.cross_validation import (
    STOPPING_LEVEL,
    LearnerRun,
    cross_validate,
    format_seconds,
    select_best,
)
from tallytext.comparison.documents import (
    Documents,
    Splits,
    check_words,
    make_splits,
    read_documents,
)
from tallytext.comparison.learning_curve import SHARES, LearningCurve, learning_curve
from tallytext.comparison.near_duplicates import NearDuplicates, near_duplicates
from tallytext.comparison.outcomes import Difference, score_difference, score_interval
from tallytext.comparison.suspects import Suspect
from tallytext.errors import InputError, StaleWarning, TallytextError
from tallytext.evaluation.evaluation import Evaluation
from tallytext.evaluation.report import EvaluationReport
from tallytext.features.term_scores import typical_terms
from tallytext.io.atomic import save_text
from tallytext.io.html import notebook_table
from tallytext.runtime import progress_bar
from tallytext.tally.tally import Tally
from tallytext.text.vectorizer import TextVectorizer
from tallytext.tuning.curves import VocabularyCurve, vocabulary_curve

_N_FOLDS = 5
_MAX_CLASSES_WITH_TERMS, _N_TERMS = 100, 12
# The value of TextClassifier(model=) that is compared with the learners.
DEFAULT_MODEL = "auto"
_MIN_GROUPS = 10

# The legend of the sign that format_difference writes.
SIGN_LEGEND = "≈ not significantly different from the best"


@dataclass(frozen=True)
class LearnerResult:
    """The result of a learner on documents that it was not trained on.

    Attributes
    ----------
    name, summary : str
        The name and the description of the learner.
    report : EvaluationReport or None
        The evaluation of all its folds; None if it failed.
    n_folds : int
        The number of folds it was evaluated on: fewer than others, if it was too slow.
    fold_scores : tuple of float
        The score on each of them, in the order of the splits.
    difference : Difference or None
        The difference from the best learner, on the documents that both predicted.
    fit_seconds, predict_seconds : float
        The time for fitting from text and for predicting one fold. Medians, because the first fold
        also loads modules and fills caches.
    megabytes : float or None
        The peak of memory during fitting and predicting, without the texts; None if the system
        cannot measure it.
    failure : str
        The reason why it has no more folds, or an empty string.
    worse_than : str
        The learner that was better on the first fold at the 99% level, so that this one was
        stopped after it; or an empty string.
    chosen : tuple of str
        The learner and the features that were selected in each fold, for a learner such as "auto"
        that selects them.
    """

    name: str
    summary: str
    report: EvaluationReport | None
    n_folds: int = 0
    fold_scores: tuple[float, ...] = ()
    difference: Difference | None = None
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    megabytes: float | None = None
    failure: str = ""
    worse_than: str = ""
    chosen: tuple[str, ...] = ()

    @property
    def score(self) -> float | None:
        """The accuracy, or the micro-F1 of multi-label documents; None if it failed."""
        return None if self.report is None else self.report.score

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% confidence interval of the score."""
        return None if self.report is None else self.report.interval

    @property
    def as_good(self) -> bool:
        """True if it is the best learner, or not significantly different from it.

        A learner that was stopped was significantly worse than another one.
        """
        if self.difference is None or self.worse_than:
            return False
        return not self.difference.is_significant

    def remark(self, n_folds: int) -> str:
        """Return the failure, the number of folds if it is not ``n_folds``, and what was selected.

        An empty string if there is nothing to remark.

        Parameters
        ----------
        n_folds : int
            The number of all folds.
        """
        if self.report is None:
            return self.failure
        selected = ", ".join(
            f"{setting} ({n} of {len(self.chosen)} folds)"
            for setting, n in Counter(self.chosen).most_common()
        )
        remarks = [f"selected {selected}"] if selected else []
        if self.n_folds < n_folds:
            reason = f": {self.failure}" if self.failure else ""
            stopped = "stopped after " if self.worse_than else ""
            if self.worse_than:
                reason = f": behind {self.worse_than} by more than chance ({STOPPING_LEVEL:.0%})"
            remarks.insert(0, f"{stopped}{self.n_folds} of {n_folds} folds{reason}")
        return "; ".join(remarks)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        values = {**vars(self), "score": self.score, "interval": self.interval}
        report, difference = self.report, self.difference
        return values | {
            "report": None if report is None else report.to_dict(),
            "difference": None if difference is None else vars(difference),
            "as_good": self.as_good,
        }


@dataclass(frozen=True)
class Comparison:
    """The results of learners on the same documents.

    Attributes
    ----------
    results : list of LearnerResult
        The best learner first, then the others by their difference from it on the same documents;
        then learners that were stopped after the first fold, and those that failed.
    measure : {"accuracy", "micro-F1"}
        The measure of all scores.
    splits : Splits
        The training and test documents.
    documents : Documents
        All documents.
    near_duplicates : NearDuplicates
        Test documents that are nearly the same as a training document.
    learning_curve : LearningCurve
        The learning curve of the best learner: on all its splits for few documents without time,
        else on the first split.
    vocabulary_curve : VocabularyCurve or None
        The vocabulary curve of naive Bayes on the first split; None if its training documents have
        no terms.
    suspects : list of Suspect
        Documents whose label may be wrong, at most 200, the first 20 with evidence;
        multi-label documents with one label too many or too few.
    evaluation : Evaluation
        The predictions of the best learner.
    terms : dict of label to list of str
        Typical terms of each class; the largest classes first.

    Examples
    --------
    >>> from tallytext import compare
    >>> texts = ["cheap pills", "lunch at noon", "cheap watches", "noon, for lunch"] * 5
    >>> found = compare(texts, ["spam", "ham"] * 10, learners=["multinomial", "bernoulli"])
    >>> found.measure, [result.score for result in found.results]
    ('accuracy', [1.0, 1.0])
    """

    results: list[LearnerResult]
    measure: str
    splits: Splits
    documents: Documents = field(repr=False)
    near_duplicates: NearDuplicates
    learning_curve: LearningCurve
    vocabulary_curve: VocabularyCurve | None = field(repr=False)
    suspects: list[Suspect] = field(repr=False)
    evaluation: Evaluation = field(repr=False)
    terms: dict[Any, list[str]] = field(repr=False)

    @property
    def best(self) -> LearnerResult:
        """The learner with the highest score on the same documents."""
        return self.results[0]

    @property
    def other_measures(self) -> dict[str, str]:
        """Names of the measures beside the score, and the attributes of a report that hold them.

        Macro-F1, the ranking measures if they were requested, and the subset accuracy of
        multi-label documents.
        """
        names = {"macro-F1": "macro_f1"}
        if self.evaluation.ranking is not None:
            names |= {"11-point average precision": "average_precision_11"}
            names["break-even"] = "break_even"
        if self.documents.multi_label:
            names["subset accuracy"] = "subset_accuracy"
        return names

    @property
    def warnings(self) -> list[str]:
        """Sentences about conditions under which the scores are misleading."""
        checks = (
            self.near_duplicates.warning,
            self._warn_of_single_documents(),
            self._warn_of_few_groups(),
            self._warn_of_short_runs(),
            self._warn_of_failures(),
        )
        return [sentence for sentence in checks if sentence]

    def _warn_of_single_documents(self) -> str:
        """Count the classes of one document, which every learner must get wrong."""
        if self.documents.multi_label:
            return ""
        counts = Counter(self.documents.labels)
        n = sum(1 for count in counts.values() if count == 1)
        if not n:
            return ""
        labels = "1 label has" if n == 1 else f"{n:,} labels have"
        return (
            f"{labels} a single document, which is never in training and test documents at once: "
            "it counts as an error of every learner."
        )

    def _warn_of_few_groups(self) -> str:
        n = len(np.unique(self.splits.units))
        if self.splits.method != "groups" or n >= _MIN_GROUPS:
            return ""
        return (
            f"there are only {n} groups, so intervals are wide: a new group may differ much from "
            "these."
        )

    def _warn_of_short_runs(self) -> str:
        """Name learners that beat the best on the folds they were evaluated on."""
        ahead = [
            each.name
            for each in self.results[1:]
            if each.difference is not None and each.difference.value > 0
        ]
        if not ahead:
            return ""
        return (
            f"{' and '.join(ahead)} scored higher than {self.best.name} on the folds that it was "
            "evaluated on. Allow more time (--budget) to evaluate all folds."
        )

    def _warn_of_failures(self) -> str:
        failed = [each.name for each in self.results if each.failure]
        return f"could not be evaluated on all folds: {', '.join(failed)}." if failed else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values for JSON."""
        duplicates, words = self.near_duplicates, self.vocabulary_curve
        # Keys are part of the output of the command line, so they outlive renamed attributes.
        curve = vars(self.learning_curve).copy()
        curve["n_judged"] = curve.pop("n_evaluated")
        return {
            "measure": self.measure,
            "method": self.splits.description,
            "n_documents": len(self.documents.labels),
            "n_judged": self.splits.n_evaluated,
            "warnings": self.warnings,
            "contenders": [each.to_dict() for each in self.results],
            "near_duplicates": {
                "asked": duplicates.n_checked,
                "crossing": duplicates.n_duplicates,
            },
            "learning_curve": curve,
            "vocabulary_curve": None if words is None else words.to_dict(),
            "suspects": [
                {name: value for name, value in each._asdict().items() if name != "evidence"}
                for each in self.suspects
            ],
        }

    def to_rich(self) -> Group:
        """Return tables for a terminal: scores, intervals, times and memory of all learners.

        A second table has the ranking measures, if they were requested.
        """
        names, notes = self._column_names(), self._notes()
        table = self._learner_table(names, [_table_cells(each) for each in self.results])
        if notes:
            table.caption = Text("\n".join(notes))
        if self.evaluation.ranking is None:
            return Group(table)
        others = {k: v for k, v in self.other_measures.items() if k not in names}
        cells = [_measure_cells(each, others.values()) for each in self.results]
        return Group(table, Text(""), self._learner_table([*others], cells))

    def _repr_html_(self) -> str:
        """Return a table of all learners for a notebook; :meth:`to_html` has the whole report."""
        others = self.other_measures
        heads = ["learner", *self._column_names(), *(name for name in others if name != "macro-F1")]
        more = [name for name in others.values() if name != "macro_f1"]
        rows = [
            [each.name, *_table_cells(each), *_measure_cells(each, more)] for each in self.results
        ]
        notes = "".join(f"<br>{escape(note)}" for note in self._notes())
        count = f"{len(self.documents.labels):,} documents, {self.splits.description}"
        return f"<p>{count}</p>{notebook_table(heads, rows)}<p>{notes.removeprefix('<br>')}</p>"

    def _column_names(self) -> list[str]:
        return [self.measure, "95% interval", "vs. best", "macro-F1", "fit", "predict", "MB"]

    def _notes(self) -> list[str]:
        """Return the legend, remarks about single learners, and nothing if there are none."""
        notes = [SIGN_LEGEND] if any(each.as_good for each in self.results[1:]) else []
        remarks = ((each.name, each.remark(len(self.splits))) for each in self.results)
        return notes + [f"{name}: {remark}" for name, remark in remarks if remark]

    def _learner_table(self, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
        """Return a table with a row of cells for each learner."""
        table = Table(box=None, pad_edge=False, header_style="dim", caption_justify="left")
        table.add_column("learner", no_wrap=True)
        for name in names:
            table.add_column(name, justify="right", no_wrap=True)
        for at, (result, cells) in enumerate(zip(self.results, rows, strict=True)):
            table.add_row(Text(result.name), *map(Text, cells), style="bold" if at == 0 else "")
        return table

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        about: Mapping[str, str] | None = None,
        places: Sequence[str] | None = None,
    ) -> str:
        """Return a self-contained HTML report with tables, charts and explanations.

        Parameters
        ----------
        path : str or path, default=None
            A file to write the report to. It is written completely or not at all.
        about : mapping of str to str, default=None
            Where the documents come from, for the header: a file, a date, a command.
        places : sequence of str, default=None
            The place of each document, such as "row 7"; None for their positions, from 0.
        """
        from tallytext.comparison.html_report import html_report

        page = html_report(self, about, places)
        if path is not None:
            save_text(Path(path), page)
        return page


def _table_cells(result: LearnerResult) -> list[str]:
    report, interval = result.report, result.interval
    if report is None or interval is None:
        return []
    return [
        f"{result.score:.4f}",
        f"{interval[0]:.3f}–{interval[1]:.3f}",
        format_difference(result),
        f"{report.macro_f1:.4f}",
        format_seconds(result.fit_seconds),
        format_seconds(result.predict_seconds),
        "" if result.megabytes is None else f"{result.megabytes:,.0f}",
    ]


def _measure_cells(result: LearnerResult, names: Iterable[str]) -> list[str]:
    return [] if result.report is None else format_measures(result.report, names)


def format_measures(report: EvaluationReport, names: Iterable[str]) -> list[str]:
    """Return attributes of a report with four decimals; an empty string for None.

    Examples
    --------
    >>> from tallytext.evaluation import Evaluation, EvaluationReport
    >>> evaluation = Evaluation()
    >>> evaluation.add(["ham", "spam"], ["ham", "ham"])
    >>> report = EvaluationReport.from_evaluation(evaluation)
    >>> format_measures(report, ["macro_f1", "break_even"])
    ['0.3333', '']
    """
    values = (getattr(report, name) for name in names)
    return ["" if value is None else f"{value:.4f}" for value in values]


def format_difference(result: LearnerResult) -> str:
    """Return the difference from the best, with a sign if it is not significant.

    An empty string for the best learner itself, and for one that failed.

    Examples
    --------
    >>> from tallytext.comparison import Difference, LearnerResult
    >>> worse = Difference(-0.0123, (-0.03, 0.01), 9)
    >>> format_difference(LearnerResult("a", "", None, difference=worse))
    '≈ -0.012'
    """
    difference = result.difference
    if difference is None or difference.interval == (0.0, 0.0):
        return ""
    return f"{'≈ ' if result.as_good else ''}{difference.value:+.3f}"


def compare(
    texts: Any,
    labels: Any,
    *,
    learners: Iterable[str] | None = None,
    folds: int = _N_FOLDS,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    vectorizer: TextVectorizer | None = None,
    budget: float | None = None,
    n_jobs: int | None = None,
    ranking: bool = False,
    seed: int = 0,
    verbose: bool | None = None,
) -> Comparison:
    """Compare learners by cross-validation on the same folds.

    Parameters
    ----------
    texts : list, column or iterable of str
        The texts.
    labels : list, column or array
        One label per text, or a list of labels per text.
    learners : iterable of str, default=None
        Names of learners, see :func:`tallytext.classifier.learners`, or expressions such as
        ``multinomial(smoothing=laplace(1))``, or "auto": in each fold the learner and the features
        that ``TextClassifier()`` selects on its training documents. None for "auto" and every
        learner that it may select for some documents; "rotation" and "discriminant", which
        are slow and were never near the best, and "pooled", which is for documents without labels,
        are compared only if they are named. With None, a learner that is worse than the best on
        the first fold (99% level, by a paired test on the documents) is stopped after it.
    folds : int, default=5
        The number of folds.
    groups : array-like of shape (n_documents,), default=None
        Documents of one group (thread, author, near duplicates) stay in one fold. A document
        without a value is a group of its own.
    time : array-like of shape (n_documents,), default=None
        Learners are tested on documents later than their training documents. Numbers, dates, or
        anything else that can be sorted (strings are sorted by letters). Documents of the same time
        stay together.
    vectorizer : TextVectorizer, default=None
        Turns texts into terms; None for the default of :class:`~tallytext.TextClassifier`.
    budget : float, default=None
        Seconds for all folds but the first, which every learner gets; None for no limit. If time is
        short, learners that are significantly worse than the best are dropped first, and the
        slowest of them before the others. Unless ``learners`` names it, a learner is excluded if
        one fit takes longer than the budget and than a minute, estimated from a tenth of the
        documents. The curves of the best learner are measured afterwards, outside the budget.
    n_jobs : int, default=None
        Number of threads; None for all cores. Scores do not depend on it.
    ranking : bool, default=False
        True to measure the ranking of labels by probability, too: 11-point average precision and
        break-even point.
    seed : int, default=0
        Seed of the folds.
    verbose : bool, default=None
        True to show a progress bar; None: on a terminal, if it takes long.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> texts = ["cheap pills", "lunch at noon", "cheap watches", "noon, for lunch"] * 5
    >>> found = compare(texts, ["spam", "ham"] * 10, learners=["multinomial", "bernoulli"])
    >>> found.best.name, found.best.score
    ('multinomial', 1.0)
    """
    documents = read_documents(texts, labels)
    splits = make_splits(
        documents.labels, documents.multi_label, folds, groups=groups, time=time, seed=seed
    )

    def make(learner: Learner) -> TextClassifier:
        multi_label = documents.multi_label
        return TextClassifier(
            learner.name,
            vectorizer=vectorizer,
            multi_label=multi_label,
            n_jobs=n_jobs,
            verbose=False,
        )

    runs = [
        LearnerRun(learner, documents, make, ranking)
        for learner in _find_learners(learners, documents)
    ]
    check_words(documents.texts, _new_vectorizer(vectorizer, min_length=1))
    n_steps = len(runs) * len(splits) + len(SHARES) + 2
    with hide_library_warnings(), progress_bar("Comparing", n_steps, verbose) as step:
        cross_validate(runs, splits, budget, step, named=learners is not None)
        if not any(run.folds for run in runs):
            raise InputError(f"no learner could be evaluated. {runs[0].failure}")
        return _analyse(runs, splits, vectorizer, seed, step)


def _find_learners(names: Iterable[str] | None, documents: Documents) -> list[Learner]:
    """Return the named learners, or the default model and all that it may select."""
    able = registered_learners(multi_label=documents.multi_label)
    if names is None:
        # The default selects none of the others: they are slow, and were never near the best.
        return [_contender(DEFAULT_MODEL), *(learner for learner in able if learner.automatic)]
    chosen = [_contender(name) for name in dict.fromkeys(names)]
    if not chosen:
        raise InputError("there is no learner to compare: learners is empty.")
    for learner in chosen:
        if documents.multi_label and not learner.multi_label:
            raise InputError(
                f"{learner.name!r} cannot learn multi-label documents. Leave it out, or give each "
                "document one label."
            )
    return chosen


def _contender(name: str) -> Learner:
    """Return a learner for a value of ``TextClassifier(model=)``."""
    if name in CHOICES:
        summary = "selects a learner and features on the training documents of each fold"
        return Learner.document_trained(name, summary, TextClassifier)
    # An expression is the name of a learner of its own: TextClassifier(model=name) reads either.
    return replace(build_model(name)[0], name=name)


@contextmanager
def hide_library_warnings() -> Iterator[None]:
    """Hide the warnings of other libraries, such as those about convergence, but not our own.

    A learner that does not converge in a fold shows it by its score.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("default", StaleWarning)
        yield


def _new_vectorizer(vectorizer: TextVectorizer | None, **defaults: Any) -> TextVectorizer:
    """Return a vectorizer to fit; the one that a user passed stays unfitted."""
    return TextVectorizer(**defaults) if vectorizer is None else clone(vectorizer)


def _analyse(
    runs: list[LearnerRun],
    splits: Splits,
    vectorizer: TextVectorizer | None,
    seed: int,
    step: Callable[[], None],
) -> Comparison:
    """Rank the learners, and measure the curves of the best one."""
    best = select_best(runs, splits.units)
    suspects, terms = best.suspects(), _class_terms(best.classifier(0).tally_)
    # The curves below fit more classifiers; all together may not fit into memory.
    best.drop_classifiers()
    documents = best.documents
    # The best learner may lack folds that it failed on, or that there was no time for.
    evaluated = replace(splits, splits=tuple(fold.split for fold in best.folds))
    curve = learning_curve(lambda: best.make(best.learner), documents, evaluated, step, seed=seed)
    words = _vocabulary_curve(documents, splits, vectorizer)
    step()
    duplicates = near_duplicates(documents.texts, splits, seed, best.outcomes)
    step()
    return Comparison(
        rank_learners(runs, splits.units),
        "micro-F1" if documents.multi_label else "accuracy",
        splits,
        documents,
        duplicates,
        curve,
        words,
        suspects,
        best.evaluation,
        terms,
    )


def rank_learners(runs: Sequence[LearnerRun], units: Any) -> list[LearnerResult]:
    """Return the best learner, the others by their difference from it, stopped and failed ones.

    Each learner is compared with the best on the documents that both predicted, so that easy or
    hard folds that it missed do not matter.

    Parameters
    ----------
    runs : sequence of LearnerRun
        The runs of all learners.
    units : ndarray of int of shape (n_documents,)
        The number of the independent unit of each document.
    """
    best = select_best(runs, units)
    results = [_learner_result(run, best, units) for run in runs]

    def order(result: LearnerResult) -> tuple[bool, bool, bool, float]:
        failed = result.difference is None
        value = 0.0 if result.difference is None else result.difference.value
        # A stopped learner has the noisier difference of one fold.
        return result.name != best.learner.name, failed, bool(result.worse_than), -value

    return sorted(results, key=order)


def _learner_result(run: LearnerRun, best: LearnerRun, units: Any) -> LearnerResult:
    learner = run.learner
    if not run.folds:
        return LearnerResult(learner.name, learner.summary, None, failure=run.failure)
    if run is best:
        difference = Difference(0.0, (0.0, 0.0), run.outcomes.n_evaluated)
    else:
        difference = score_difference(run.outcomes, best.outcomes, units)
    return LearnerResult(
        learner.name,
        learner.summary,
        _report_with_interval(run, units),
        n_folds=len(run.folds),
        fold_scores=tuple(fold.score for fold in run.folds),
        difference=difference,
        # Medians, because the first fold may include imports and cold caches.
        fit_seconds=float(np.median(run.fit_seconds)),
        predict_seconds=float(np.median(run.predict_seconds)),
        megabytes=run.megabytes,
        failure=run.failure,
        worse_than=run.worse_than,
        chosen=tuple(run.chosen),
    )


def _report_with_interval(run: LearnerRun, units: Any) -> EvaluationReport:
    """Return the report of a run; its intervals take groups into account."""
    report = EvaluationReport.from_evaluation(run.evaluation)
    interval = score_interval(run.outcomes, units)
    if report.several_labels:
        return replace(report, micro_f1_interval=interval)
    return replace(report, subset_accuracy_interval=interval, micro_f1_interval=interval)


def _class_terms(tally: Tally) -> dict[Any, list[str]]:
    """Return typical terms of the largest classes."""
    by_size = sorted(range(len(tally.classes)), key=lambda c: -int(tally.class_documents[c]))
    shown = by_size[:_MAX_CLASSES_WITH_TERMS]
    terms = typical_terms(tally, shown, _N_TERMS)
    return {tally.classes[c]: some for c, some in zip(shown, terms, strict=True)}


def _vocabulary_curve(
    documents: Documents, splits: Splits, vectorizer: TextVectorizer | None
) -> VocabularyCurve | None:
    """Return the vocabulary curve of the first split; None if its training texts have no terms."""
    first, counter = splits.splits[0], _new_vectorizer(vectorizer)
    (texts, labels), (test_texts, truth) = documents.take(first.train), documents.take(first.test)
    try:
        X = counter.fit_transform(texts)
        if not X.shape[1]:
            return None
        return vocabulary_curve(X, labels, counter.transform(test_texts), truth, verbose=False)
    except TallytextError:
        # No term within the limits, or no label: that is no reason to lose the comparison.
        return None
