"""``tally info`` and ``tally terms``: the report of a model, and its typical terms."""

from __future__ import annotations

import math
import os
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    find_class,
    load_model,
    missing_model,
    print_json,
    result_console,
    show_message,
)
from tallytext.cli.train import command_advice, print_report

if TYPE_CHECKING:
    from rich.table import Table

    from tallytext.classifier.classifier import TextClassifier
    from tallytext.tally.tally import Tally


def info(
    model: options.Model, verbose: options.Verbose = False, as_json: options.Json = False
) -> None:
    """Show the expected accuracy of a model, its training documents, and its changes since then.

    The report is the one that tally train showed: the accuracy to expect, the documents, and the
    model in words. It also shows how many documents were learned or forgotten since, and which
    versions wrote the file. With --verbose, it lists the settings and the models that were
    compared.

    \b
    tally info mails.tally
    tally info mails.tally --verbose
    tally info mails.tally --json | jq .score
    """
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.model_file import load

    if not os.path.lexists(model):
        raise missing_model(model)
    classifier = TextClassifier()
    header = load(classifier, model)
    report = classifier.report()
    size = model.stat().st_size
    if as_json:
        file = {"bytes": size, "format": header["format"], "versions": header["versions"]}
        classes = classifier.classes_.tolist()
        print_json({"model": str(model), "file": file, "classes": classes, **report.to_dict()})
        return
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    print_report(report, command_advice(model), verbose=verbose)
    console = result_console()
    if verbose:
        console.print()
    console.print(f"  file         {size:,} bytes, format {header['format']}")
    console.print(f"  written by   {versions}", soft_wrap=True)


class Score(StrEnum):
    """Score that terms are sorted by."""

    df = "df"
    ig = "ig"
    chi = "chi"
    mi = "mi"
    prr = "prr"


def terms(
    model: options.Model,
    labels: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="LABEL", help="Show only this label. Can be repeated."),
    ] = None,
    top: Annotated[
        int,
        typer.Option(
            min=1, metavar="K", help="Number of terms for each class; with --score, in total."
        ),
    ] = 10,
    score: Annotated[
        Score | None,
        typer.Option(
            help="Show the best terms for all classes together, by document frequency (df), "
            "information gain (ig), χ² (chi), mutual information (mi) or probability ratio (prr).",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Show the most typical words of each class.

    Words are sorted by the log-likelihood ratio (G²) of being more frequent in the class than
    elsewhere.

    \b
    tally terms mails.tally
    tally terms mails.tally --label spam --top 50
    tally terms mails.tally --score ig --top 50
    """
    if score and labels:
        raise typer.BadParameter("--score ranks terms for all classes together. Leave out --label.")
    classifier = load_model(model)
    tally, names = classifier.tally_, labels or []
    if score:
        found = _term_score_rows(tally, score.value, top)
        content = {"model": str(model), "score": score.value, "terms": found}
        if as_json:
            print_json(content)
        else:
            result_console().print(_scores_table(found, score.value))
        return
    wanted = [find_class(classifier, name) for name in names] or classifier.classes_.tolist()
    numbers = list(map(tally.classes.index, wanted))
    if as_json:
        print_json({"model": str(model), "classes": _class_rows(classifier, numbers, top)})
    else:
        result_console().print(terms_table(classifier, numbers, top))


def terms_table(classifier: TextClassifier, classes: list[int], top: int) -> Table:
    """Return classes with their documents and typical terms, for the terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("class")
    table.add_column("documents", justify="right")
    table.add_column("terms")
    for each in _class_rows(classifier, classes, top):
        table.add_row(
            Text(str(each["label"])), f"{each['documents']:,}", Text(", ".join(each["terms"]))
        )
    return table


def _term_score_rows(tally: Tally, score: Any, top: int) -> list[dict[str, Any]]:
    from tallytext.errors import RecipeError
    from tallytext.features.selector import top_terms
    from tallytext.features.term_scores import score_terms

    options = {}
    try:
        found = score_terms(tally, score)
    except RecipeError:
        # The tally of a multi-label model counts a document once for each of its labels, so there
        # is no gain over all classes together: sum the gains of each class against its complement.
        options = {"labels": "binary"}
        found = score_terms(tally, score, labels="binary")
        show_message(
            "multi-label documents: each score is the sum over classes, each against its complement"
        )
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


def _class_rows(classifier: TextClassifier, classes: list[int], top: int) -> list[dict[str, Any]]:
    from tallytext.features.term_scores import typical_terms

    tally, has_strings = classifier.tally_, classifier.vectorizer_.chars is not None
    typical_of = typical_terms(tally, classes, top, without_strings=has_strings)
    return [
        {
            "label": tally.classes[c],
            "documents": int(tally.class_documents[c]),
            "terms": typical,
        }
        for c, typical in zip(classes, typical_of, strict=True)
    ]
