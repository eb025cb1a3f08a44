"""``tally terms``: what is typical of each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.console import print_json, results
from tallytext.cli.models import class_named, load

if TYPE_CHECKING:
    from rich.table import Table

    from tallytext import Tally


def terms(
    model: options.Model,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--label", metavar="LABEL", help="This class only; can be given more than once."
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="K", help="How many terms of each.")] = 10,
    as_json: options.Json = False,
) -> None:
    """Show the terms that are most typical of each class, by log-likelihood ratio.

    \b
    tally terms mails.tally
    tally terms mails.tally --label spam --top 50
    """
    classifier = load(model)
    tally, names = classifier.tally_, labels or []
    wanted = [class_named(classifier, name) for name in names] or classifier.classes_.tolist()
    numbers = list(map(tally.classes.index, wanted))
    if as_json:
        print_json({"model": str(model), "classes": _listed(tally, numbers, top)})
    else:
        results().print(terms_table(tally, numbers, top))


def terms_table(tally: Tally, classes: list[int], top: int) -> Table:
    """Return classes with their documents and typical terms, for the terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("class")
    table.add_column("documents", justify="right")
    table.add_column("terms")
    for each in _listed(tally, classes, top):
        table.add_row(
            Text(str(each["label"])), f"{each['documents']:,}", Text(" ".join(each["terms"]))
        )
    return table


def _listed(tally: Tally, classes: list[int], top: int) -> list[dict[str, Any]]:
    from tallytext.selection.typical import typical_terms

    return [
        {
            "label": tally.classes[c],
            "documents": int(tally.class_documents[c]),
            "terms": typical,
        }
        for c, typical in zip(classes, typical_terms(tally, classes, top), strict=True)
    ]
