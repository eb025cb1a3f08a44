"""A report of an evaluation as tables, for the terminal and as plain text."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from tallytext.evaluation.report import EvaluationReport

_WORDS = ("", "class", "truth", "predicted")


def rich_of(report: EvaluationReport, k: int) -> Group:
    """Return a headline, the averages, and tables of k classes and k confusions at most."""
    from rich.console import Group
    from rich.text import Text

    shown: list[Text | Table] = [Text(_headline(report), style="bold"), Text(""), _averages(report)]
    shown += [Text(line) for line in _lines(report)]
    shown += [Text(""), _classes(report, k), *_left_out(len(report.classes) - k)]
    if report.confusions:
        shown += [Text(""), _confusions(report, k)]
    return Group(*shown)


def text_of(report: EvaluationReport, k: int, width: int) -> str:
    """Return what :func:`rich_of` shows, without colours."""
    from rich.console import Console

    file = StringIO()
    console = Console(file=file, width=width, color_system=None, force_jupyter=False)
    console.print(rich_of(report, k))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def _headline(report: EvaluationReport) -> str:
    low, high = report.accuracy_interval
    return (
        f"{report.n_documents:,} document{'s' * (report.n_documents != 1)}, "
        f"accuracy {report.accuracy:.3f} "
        f"(95% interval {low:.3f} to {high:.3f})"
    )


def _averages(report: EvaluationReport) -> Table:
    table = _table("", "precision", "recall", "F1")
    micro = report.micro_precision, report.micro_recall, report.micro_f1
    macro = report.macro_precision, report.macro_recall, report.macro_f1
    for name, values in (("micro", micro), ("macro", macro)):
        table.add_row(name, *(f"{value:.3f}" for value in values))
    return table


def _lines(report: EvaluationReport) -> list[str]:
    lines = []
    if report.several_labels:
        low, high = report.micro_f1_interval
        lines.append(f"micro F1: 95% interval {low:.3f} to {high:.3f}")
    if report.calibration_error is not None:
        lines.append(f"calibration error {report.calibration_error:.3f}, Brier {report.brier:.3f}")
    if report.unknown_labels:
        listed = ", ".join(f"{_name(label)} ({n:,})" for label, n in report.unknown_labels[:10])
        lines.append(f"labels that the model does not know: {listed}")
        lines += [text.plain for text in _left_out(len(report.unknown_labels) - 10)]
    return lines


def _classes(report: EvaluationReport, k: int) -> Table:
    table = _table("class", "documents", "precision", "recall", "F1")
    for each in report.classes[:k]:
        measures = (f"{value:.3f}" for value in (each.precision, each.recall, each.f1))
        table.add_row(_text(each.label), f"{each.support:,}", *measures)
    return table


def _confusions(report: EvaluationReport, k: int) -> Table:
    table = _table("truth", "predicted", "documents")
    for truth, predicted, n_documents in report.confusions[:k]:
        table.add_row(_text(truth), _text(predicted), f"{n_documents:,}")
    return table


def _left_out(n: int) -> list[Text]:
    from rich.text import Text

    return [Text(f"and {n:,} more", style="dim")] if n > 0 else []


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in columns:
        justify: Any = "left" if name in _WORDS else "right"
        table.add_column(name, justify=justify, no_wrap=True, overflow="ellipsis")
    return table


def _text(label: Any) -> Text:
    from rich.text import Text

    # As Text, for a label is no markup.
    return Text(_name(label))


def _name(label: Any) -> str:
    """Return a label on one line, without characters that a terminal would obey."""
    return "".join(char if char.isprintable() else "\ufffd" for char in str(label))
