"""Report of an evaluation: accuracy, precision, recall, F1, calibration and confusions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import ScoreError
from tallytext.evaluation.evaluation import CONFIDENCE_LEVELS, Evaluation
from tallytext.evaluation.measures import FMeasures
from tallytext.evaluation.significance import (
    Interval,
    bootstrap_interval_of_counts,
    wilson_interval,
)
from tallytext.io.html import notebook_table
from tallytext.tally.labels import sort_labels
from tallytext.terminal import console

# The largest number of classes, and of confusions, in a notebook.
_N_SHOWN = 20
# Half the width of the 95% interval of a share of 0.5 among 30 documents is 0.18.
_MIN_SUPPORT = 30

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text


class ClassMeasures(NamedTuple):
    """Precision, recall and F1 of one class.

    Attributes
    ----------
    label : object
        The class.
    support : int
        The number of documents that have it.
    precision, recall, f1 : float
    """

    label: Any
    support: int
    precision: float
    recall: float
    f1: float


class Confusion(NamedTuple):
    """The number of documents of one class that were confused with another.

    Attributes
    ----------
    truth, predicted : object
        The class of the documents, and the class that was predicted for them.
    n_documents : int
    """

    truth: Any
    predicted: Any
    n_documents: int


class ConfidenceLevel(NamedTuple):
    """The answers that remain with a smallest probability (``tally predict --min-confidence``).

    Attributes
    ----------
    min_confidence : float
        The smallest probability of an answer.
    n_answers : int
        The number of predicted labels that are at least as probable.
    share : float
        Their share of all predicted labels.
    accuracy : float or None
        The share of correct ones among them; None if there are none.
    """

    min_confidence: float
    n_answers: int
    share: float
    accuracy: float | None


ClassOrder: TypeAlias = Literal["f1", "support", "precision", "recall", "name"]
"""An order of classes: the lowest value first, but the largest support."""


@dataclass(frozen=True)
class EvaluationReport:
    """Accuracy, precision, recall and F1 of predictions, calibration and confusions.

    Attributes
    ----------
    n_documents : int
    several_labels : bool
        True if the model, or some document, may have several labels or none. Otherwise accuracy
        and the micro-averages are the same number.
    micro_precision, micro_recall, micro_f1 : float
        Averages over all labels pooled.
    micro_f1_interval : (float, float)
        The 95% interval of micro-F1: with several labels by the bootstrap over documents, otherwise
        that of the accuracy.
    macro_precision, macro_recall, macro_f1 : float
        Means over all classes that are true or predicted for some document.
    subset_accuracy : float
        The share of documents with all of their labels predicted and no other. If each document
        has one label, this is the ``accuracy``.
    subset_accuracy_interval : (float, float)
        Its 95% Wilson interval.
    classes : tuple of ClassMeasures
        Each of these classes, the most frequent first.
    confusions : tuple of Confusion
        The most frequent ones, among documents with one true and one predicted label.
    unknown_labels : tuple of (label, count)
        Labels that are unknown to the model, and the number of documents with them; empty if the
        classes of the model were not given.
    calibration_error, brier : float or None
        Measures of the probabilities, if there were any; see :func:`calibration_error` and
        :func:`brier_score`. A label that is unknown to the model has the probability 0.
    average_precision_11, break_even : float or None
        Measures of the ranking of classes by probability, if ``Evaluation(ranking=True)`` added
        them up; see :func:`average_precision_11` and :func:`break_even`.
    n_learned : int
        Number of documents that are among those the model was trained on, if it stores these.
    confidence : tuple of ConfidenceLevel
        The answers that remain with a smallest probability; empty without probabilities.

    Examples
    --------
    >>> evaluation = Evaluation()
    >>> evaluation.add(["ham", "ham", "spam", "spam"], ["ham", "ham", "spam", "ham"])
    >>> print(EvaluationReport.from_evaluation(evaluation))
    4 documents, accuracy 0.750 (95% interval 0.301 to 0.954)
    <BLANKLINE>
           precision  recall     F1
    micro      0.750   0.750  0.750
    macro      0.833   0.750  0.733
    <BLANKLINE>
    class  documents  precision  recall     F1
    ham            2      0.667   1.000  0.800
    spam           2      1.000   0.500  0.667
    <BLANKLINE>
    truth  predicted  documents
    spam   ham                1
    """

    n_documents: int
    several_labels: bool
    micro_precision: float
    micro_recall: float
    micro_f1: float
    micro_f1_interval: tuple[float, float]
    macro_precision: float
    macro_recall: float
    macro_f1: float
    subset_accuracy: float
    subset_accuracy_interval: tuple[float, float]
    classes: tuple[ClassMeasures, ...]
    confusions: tuple[Confusion, ...] = ()
    unknown_labels: tuple[tuple[Any, int], ...] = ()
    calibration_error: float | None = None
    brier: float | None = None
    average_precision_11: float | None = None
    break_even: float | None = None
    n_learned: int = 0
    confidence: tuple[ConfidenceLevel, ...] = ()

    @property
    def measure(self) -> str:
        """The name of the score: "micro-F1" with several labels, otherwise "accuracy"."""
        return "micro-F1" if self.several_labels else "accuracy"

    @property
    def score(self) -> float:
        """The micro-F1 with several labels, otherwise the accuracy."""
        return self.micro_f1 if self.several_labels else self.subset_accuracy

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the score."""
        return self.micro_f1_interval if self.several_labels else self.subset_accuracy_interval

    @property
    def accuracy(self) -> float | None:
        """The share of correct documents; None with several labels (see ``subset_accuracy``)."""
        return None if self.several_labels else self.subset_accuracy

    @classmethod
    def from_evaluation(
        cls, evaluation: Evaluation, *, n_confusions: int = 20, random_state: int = 0
    ) -> EvaluationReport:
        """Compute the report of an evaluation.

        Parameters
        ----------
        evaluation : Evaluation
        n_confusions : int, default=20
            The largest number of confusions in the report.
        random_state : int, default=0
            Seed of the bootstrap, for documents with several labels.
        """
        if not evaluation.n_documents:
            raise ScoreError("no documents were evaluated. Was the input empty?")
        labels, (right, given, wanted) = _label_counts(evaluation)
        found = FMeasures.from_counts(right, given - right, wanted - right)
        accuracy, micro_f1 = _intervals(evaluation, random_state)
        curve, ranking = evaluation.reliability, evaluation.ranking
        return cls(
            n_documents=evaluation.n_documents,
            several_labels=evaluation.multi_label,
            micro_precision=found.micro_precision,
            micro_recall=found.micro_recall,
            micro_f1=found.micro_f1,
            micro_f1_interval=(micro_f1.low, micro_f1.high),
            # The mean over no classes is NaN, which JSON cannot hold.
            macro_precision=found.macro_precision if labels else 0.0,
            macro_recall=found.macro_recall if labels else 0.0,
            macro_f1=found.macro_f1 if labels else 0.0,
            subset_accuracy=accuracy.estimate,
            subset_accuracy_interval=(accuracy.low, accuracy.high),
            classes=_measure_classes(labels, found),
            confusions=_top_confusions(evaluation, n_confusions),
            unknown_labels=_unknown_labels(evaluation),
            calibration_error=None if curve is None else curve.error,
            brier=evaluation.brier,
            average_precision_11=None if ranking is None else ranking.average_precision_11,
            break_even=None if ranking is None else ranking.break_even,
            n_learned=evaluation.n_learned,
            confidence=_confidence_levels(evaluation),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON, the measure and the score first.

        The subset accuracy is named "accuracy" if each document has one label.
        """
        plain: dict[str, Any] = {"measure": self.measure, "score": self.score}
        plain["interval"] = self.interval
        for name, value in asdict(self).items():
            plain[name if self.several_labels else name.removeprefix("subset_")] = value
        plain |= {name: list(value) for name, value in plain.items() if name.endswith("interval")}
        plain["classes"] = [each._asdict() for each in self.classes]
        plain["confusions"] = [each._asdict() for each in self.confusions]
        plain["confidence"] = [each._asdict() for each in self.confidence]
        plain["unknown_labels"] = [list(each) for each in self.unknown_labels]
        return plain

    def sort_classes(self, by: ClassOrder) -> EvaluationReport:
        """Return the report with its classes in another order, those to look at first.

        Parameters
        ----------
        by : {"f1", "support", "precision", "recall", "name"}
            The lowest value first, but the largest support. Equal classes by support.

        Examples
        --------
        >>> evaluation = Evaluation()
        >>> evaluation.add(["ham", "ham", "spam", "spam"], ["ham", "ham", "spam", "ham"])
        >>> report = EvaluationReport.from_evaluation(evaluation)
        >>> [each.label for each in report.sort_classes("f1").classes]
        ['spam', 'ham']
        """
        by_support = sorted(self.classes, key=lambda each: (-each.support, _sort_key(each.label)))
        if by == "name":
            by_support.sort(key=lambda each: _sort_key(each.label))
        elif by != "support":
            by_support.sort(key=lambda each: float(getattr(each, by)))
        return replace(self, classes=tuple(by_support))

    def to_rich(self, k: int = 20) -> Group:
        """Return tables for :func:`rich.print`, of at most k classes and k confusions.

        Parameters
        ----------
        k : int, default=20
            The largest number of classes, and of confusions.
        """
        from rich.console import Group
        from rich.text import Text

        shown: list[Text | Table] = [Text(_headline(self), style="bold"), Text(""), _averages(self)]
        shown += [Text(line) for line in _remarks(self)]
        if len(self.confidence) > 1:
            shown += [Text(""), _confidence_table(self)]
        shown += [Text(""), _class_table(self, k), *_omission(len(self.classes) - k)]
        shown += [Text(line, style="dim") for line in small_class_note(self)]
        if self.confusions:
            shown += [Text(""), _confusion_table(self, k)]
        return Group(*shown)

    def to_text(self, k: int = 20, width: int = 80) -> str:
        """Return the tables of :meth:`to_rich` as plain text.

        Parameters
        ----------
        k : int, default=20
            The largest number of classes, and of confusions.
        width : int, default=80
            The largest length of a line.
        """
        file = StringIO()
        # In a notebook, rich would display the tables instead of writing them to the file.
        screen = console(file, width=width, color_system=None, force_jupyter=False)
        screen.print(self.to_rich(k))
        return "\n".join(line.rstrip() for line in file.getvalue().splitlines())

    def __rich__(self) -> Group:
        return self.to_rich()

    def _repr_html_(self) -> str:
        """Return tables for a notebook, of at most twenty classes and confusions."""
        averages = [
            ("micro", self.micro_precision, self.micro_recall, self.micro_f1),
            ("macro", self.macro_precision, self.macro_recall, self.macro_f1),
        ]
        parts = [
            f"<p><b>{escape(_headline(self))}</b></p>",
            notebook_table(
                ["", "precision", "recall", "F1"],
                [(name, *(f"{value:.3f}" for value in values)) for name, *values in averages],
            ),
            *(f"<p>{escape(line)}</p>" for line in _remarks(self)),
            notebook_table(
                ["class", "documents", "precision", "recall", "F1"],
                [
                    (label, f"{n:,}", *(f"{value:.3f}" for value in values))
                    for label, n, *values in self.classes[:_N_SHOWN]
                ],
            ),
        ]
        if len(self.classes) > _N_SHOWN:
            parts.append(f"<p>and {len(self.classes) - _N_SHOWN:,} more</p>")
        if self.confusions:
            rows = [(truth, said, f"{n:,}") for truth, said, n in self.confusions[:_N_SHOWN]]
            parts.append(notebook_table(["truth", "predicted", "documents"], rows))
        return "".join(parts)

    def __str__(self) -> str:
        return self.to_text()


def small_class_note(report: EvaluationReport) -> list[str]:
    """Return a sentence about the figures of small classes, if there are any.

    Examples
    --------
    >>> evaluation = Evaluation()
    >>> evaluation.add(["ham"] * 40 + ["spam"], ["ham"] * 41)
    >>> small_class_note(EvaluationReport.from_evaluation(evaluation))
    ['1 class has fewer than 30 documents: their figures may be off by 0.2.']
    """
    n = sum(each.support < _MIN_SUPPORT for each in report.classes)
    if not n or report.n_documents < _MIN_SUPPORT:
        return []
    which = "1 class has" if n == 1 else f"{n:,} classes have"
    return [f"{which} fewer than {_MIN_SUPPORT} documents: their figures may be off by 0.2."]


def _confidence_levels(evaluation: Evaluation) -> tuple[ConfidenceLevel, ...]:
    given, right = evaluation.answers.given, evaluation.answers.right
    if not given[0]:
        return ()
    levels = zip(CONFIDENCE_LEVELS, given, right, strict=True)
    return tuple(
        ConfidenceLevel(level, n, n / given[0], n_right / n if n else None)
        for level, n, n_right in levels
    )


def _label_counts(evaluation: Evaluation) -> tuple[list[Any], NDArray[np.int64]]:
    """Return all labels that are true or predicted for some document, sorted, with their counts.

    Sorted, so that means are the same to the last bit in any order of documents.
    """
    place = {label: c for c, label in enumerate(evaluation.labels)}
    seen = {*np.flatnonzero(evaluation.by_class.any(axis=0)).tolist()}
    labels = [label for label in sort_labels(evaluation.labels) if place[label] in seen]
    return labels, evaluation.by_class[:, [place[label] for label in labels]]


def _intervals(evaluation: Evaluation, random_state: int) -> tuple[Interval, Interval]:
    """Return the share of exactly right documents and micro-F1, with their 95% intervals."""
    # Sorted, so that the random samples do not depend on the order of documents.
    kinds = sorted(evaluation.documents)
    counts = np.array([evaluation.documents[kind] for kind in kinds])
    right, given, wanted = np.array(kinds, dtype=np.int64).T
    n = int(counts.sum())
    n_exact = int(counts[(right == given) & (right == wanted)].sum())
    exact = Interval(n_exact / n, *wilson_interval(n_exact, n))
    if not evaluation.multi_label:
        return exact, exact

    def micro_f1(sampled: NDArray[np.int64]) -> NDArray[np.float64]:
        # A sample can hold only documents without true and predicted labels.
        return 2 * (sampled @ right) / np.maximum(sampled @ (given + wanted), 1)

    found = bootstrap_interval_of_counts(micro_f1, counts, random_state=random_state)
    if found.low < found.high:
        return exact, found
    # All documents are equally good, so that samples of them do not differ.
    return exact, Interval(found.estimate, *wilson_interval(found.estimate * n, n))


def _measure_classes(labels: Sequence[Any], found: FMeasures) -> tuple[ClassMeasures, ...]:
    support = found.tp + found.fn
    measured = zip(
        *(labels, support.tolist(), found.precision.tolist(), found.recall.tolist()),
        found.f1.tolist(),
        strict=True,
    )
    by_support = sorted(measured, key=lambda each: (-each[1], _sort_key(each[0])))
    return tuple(map(ClassMeasures._make, by_support))


def _top_confusions(evaluation: Evaluation, n: int) -> tuple[Confusion, ...]:
    names = evaluation.labels
    named = ((names[a], names[b], n) for (a, b), n in evaluation.confusions.items())
    by_count = sorted(named, key=lambda each: (-each[2], _sort_key(each[0]), _sort_key(each[1])))
    return tuple(map(Confusion._make, by_count[:n]))


def _unknown_labels(evaluation: Evaluation) -> tuple[tuple[Any, int], ...]:
    if not evaluation.known:
        return ()
    counts = enumerate(evaluation.by_class[2].tolist())
    named = ((evaluation.labels[c], n) for c, n in counts if n and c not in evaluation.known)
    return tuple(sorted(named, key=lambda each: (-each[1], _sort_key(each[0]))))


def _sort_key(label: Any) -> tuple[str, bool]:
    """Return a key to sort labels by name, so that the report does not depend on their order."""
    # The number 1 and the text "1" are different labels with the same name.
    return str(label), isinstance(label, str)


_TEXT_COLUMNS = ("", "class", "truth", "predicted")


def _headline(report: EvaluationReport) -> str:
    macro = f", macro-F1 {report.macro_f1:.3f}" * report.several_labels
    return (
        f"{report.n_documents:,} document{'s' * (report.n_documents != 1)}, "
        f"{report.measure} {report.score:.3f} ({_interval_text(report.interval)}){macro}"
    )


def _interval_text(interval: tuple[float, float]) -> str:
    return f"95% interval {interval[0]:.3f} to {interval[1]:.3f}"


def _averages(report: EvaluationReport) -> Table:
    table = _table("", "precision", "recall", "F1")
    micro = report.micro_precision, report.micro_recall, report.micro_f1
    macro = report.macro_precision, report.macro_recall, report.macro_f1
    for name, values in (("micro", micro), ("macro", macro)):
        table.add_row(name, *(f"{value:.3f}" for value in values))
    return table


def _remarks(report: EvaluationReport) -> list[str]:
    lines = []
    if report.n_learned:
        lines.append(
            f"the model has learned {report.n_learned:,} of these {report.n_documents:,} "
            "documents, so the figures are too high"
        )
    if report.average_precision_11 is not None:
        lines.append(
            f"11-point average precision {report.average_precision_11:.3f}, "
            f"break-even {report.break_even:.3f}"
        )
    if report.several_labels:
        interval = _interval_text(report.subset_accuracy_interval)
        lines.append(f"subset accuracy {report.subset_accuracy:.3f} ({interval})")
    if report.calibration_error is not None:
        lines.append(f"calibration error {report.calibration_error:.3f}, Brier {report.brier:.3f}")
    if report.unknown_labels:
        listed = ", ".join(
            f"{_printable(label)} ({n:,})" for label, n in report.unknown_labels[:10]
        )
        lines.append(f"labels that the model does not know: {listed}")
        lines += [text.plain for text in _omission(len(report.unknown_labels) - 10)]
    return lines


def _confidence_table(report: EvaluationReport) -> Table:
    what, accuracy = confidence_heads(report)
    table = _table("min. confidence", what, accuracy)
    for level in report.confidence:
        name = f"{level.min_confidence:.2f}" if level.min_confidence else "all"
        correct = "" if level.accuracy is None else f"{level.accuracy:.3f}"
        table.add_row(name, f"{level.share:.1%}", correct)
    return table


def confidence_heads(report: EvaluationReport) -> tuple[str, str]:
    """Return the names of the share and of the accuracy of answers from a probability on."""
    if report.several_labels:
        return "labels given", "precision of these"
    return "answered", "accuracy of these"


def _class_table(report: EvaluationReport, k: int) -> Table:
    table = _table("class", "documents", "precision", "recall", "F1")
    for each in report.classes[:k]:
        measures = (f"{value:.3f}" for value in (each.precision, each.recall, each.f1))
        table.add_row(_text(each.label), f"{each.support:,}", *measures)
    return table


def _confusion_table(report: EvaluationReport, k: int) -> Table:
    table = _table("truth", "predicted", "documents")
    for truth, predicted, n_documents in report.confusions[:k]:
        table.add_row(_text(truth), _text(predicted), f"{n_documents:,}")
    return table


def _omission(n: int) -> list[Text]:
    from rich.text import Text

    return [Text(f"and {n:,} more", style="dim")] if n > 0 else []


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in columns:
        justify: Any = "left" if name in _TEXT_COLUMNS else "right"
        table.add_column(name, justify=justify, no_wrap=True, overflow="ellipsis")
    return table


def _text(label: Any) -> Text:
    from rich.text import Text

    # As Text, because a label such as "[b]" is not markup.
    return Text(_printable(label))


def _printable(label: Any) -> str:
    """Return a label on one line, without control characters."""
    return "".join(char if char.isprintable() else "\ufffd" for char in str(label))
