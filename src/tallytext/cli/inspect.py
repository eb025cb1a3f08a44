"""``tally info``: what a model file holds."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.io import class_named, load, print_json, results, say
from tallytext.cli.train import print_report

if TYPE_CHECKING:
    from rich.table import Table

    from tallytext.tally.tally import Tally


def info(model: options.Model, as_json: options.Json = False) -> None:
    """Show what a model is, and how far it can be trusted.

    The report of its training: what was tried and chosen, and what accuracy to expect; how many
    documents came and went since; and what the file was written by.

    \b
    tally info mails.tally
    tally info mails.tally --json | jq .score
    """
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.model_file import load

    classifier = TextClassifier()
    header = load(classifier, model)
    report, size = classifier.report(), model.stat().st_size
    if as_json:
        file = {"bytes": size, "format": header["format"], "versions": header["versions"]}
        classes = classifier.classes_.tolist()
        print_json({"model": str(model), "file": file, "classes": classes, **report.to_dict()})
        return
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    print_report(report)
    console = results()
    console.print(f"  file         {size:,} bytes, format {header['format']}")
    console.print(f"  written by   {versions}", soft_wrap=True)


# ------------------------------------------------------------------------------------------------
# ``tally terms``: what is typical of each class, or tells most of all classes.


class Score(StrEnum):
    """By what terms are put in order."""

    df = "df"
    ig = "ig"
    chi = "chi"
    mi = "mi"
    prr = "prr"


def terms(
    model: options.Model,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--label", metavar="LABEL", help="This class only; can be given more than once."
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, metavar="K", help="How many, or how many of each.")
    ] = 10,
    score: Annotated[
        Score | None,
        typer.Option(
            help="Show the terms that tell most of all classes together, by the number of "
            "documents (df), information gain (ig), χ² (chi), mutual information (mi) or ratio of "
            "probabilities (prr).",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Show the words that are most typical of each class.

    In the order of their log-likelihood ratio: how sure it is that they are more frequent there.

    \b
    tally terms mails.tally
    tally terms mails.tally --label spam --top 50
    tally terms mails.tally --score ig --top 50
    """
    if score and labels:
        raise typer.BadParameter("--score is about all classes together: leave --label out.")
    classifier = load(model)
    tally, names = classifier.tally_, labels or []
    if score:
        found = _scored(tally, score.value, top)
        content = {"model": str(model), "score": score.value, "terms": found}
        print_json(content) if as_json else results().print(_scores_table(found, score.value))
        return
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


def _scored(tally: Tally, score: Any, top: int) -> list[dict[str, Any]]:
    from tallytext.errors import RecipeError
    from tallytext.features.selector import top_terms
    from tallytext.features.term_scores import scores

    options = {}
    try:
        found = scores(tally, score)
    except RecipeError:
        # The tallies of models do not share documents out among their labels. Each class is told
        # from all others there, so that the sum of these gains is what counts.
        options = {"labels": "binary"}
        found = scores(tally, score, labels="binary")
        say("documents have several labels: gains of telling each class from the others, summed")
    ids = top_terms(tally, score, top, **options)
    documents = tally.term_documents
    return [
        {
            "term": tally.vocabulary.term(id),
            # JSON has no infinity: the mutual information of a term of unlabelled documents alone.
            "score": float(found[id]) if found[id] > -math.inf else None,
            "documents": int(documents[id]),
        }
        for id in ids.tolist()
    ]


def _scores_table(found: list[dict[str, Any]], score: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("term")
    table.add_column(score, justify="right")
    table.add_column("documents", justify="right")
    for each in found:
        value = "-" if each["score"] is None else f"{each['score']:.6g}"
        table.add_row(Text(each["term"]), value, f"{each['documents']:,}")
    return table


def _listed(tally: Tally, classes: list[int], top: int) -> list[dict[str, Any]]:
    from tallytext.features.selector import typical_terms

    return [
        {
            "label": tally.classes[c],
            "documents": int(tally.class_documents[c]),
            "terms": typical,
        }
        for c, typical in zip(classes, typical_terms(tally, classes, top), strict=True)
    ]
