"""``tally explain``: why a text gets its label."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tallytext.cli import options
from tallytext.cli.io import check_place, class_named, load, print_json, results, say, warn


def explain(
    model: options.Model,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text, or - for standard input.")],
    label: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="The class to explain.", show_default="the likeliest"),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="The class to compare it with.",
            show_default="the next best, or all others together",
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="K", help="How many terms to list.")] = 10,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a page of HTML instead; such a page of this name is replaced.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Show what each word of a text says for a label and against it.

    \b
    tally explain mails.tally "Your parcel is waiting, click here"
    tally explain mails.tally "A cheap lunch" --label spam --against work
    tally explain mails.tally - --html why.html < mail.txt
    """
    if html is not None:
        check_place(html, page=True)
    classifier = load(model, [text])
    document = sys.stdin.read() if text == "-" else text
    wanted, other = (
        None if name is None else class_named(classifier, name) for name in (label, against)
    )
    explanation = classifier.explain(document, wanted, other)
    likeliest = classifier.top_k([document], 3)[0]
    if not any(each.known for each in explanation.contributions):
        warn("no word of this text was in a training document: the answer is no more than a guess.")
    if html is not None:
        from tallytext.io.html import whole_page
        from tallytext.io.safetensors import save_text

        save_text(html, whole_page(str(explanation.label), explanation.to_html(top)))
        say(f"saved as {html}")
    if as_json:
        top_labels = [each._asdict() for each in likeliest]
        print_json({"model": str(model), "top": top_labels, **explanation.to_dict()})
    elif html is None:
        console = results()
        console.print(", ".join(f"{each.label} {each.probability:.1%}" for each in likeliest))
        console.print(explanation.to_rich(top))
