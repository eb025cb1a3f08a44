"""``tally explain``: show the contribution of each word to a label."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    check_output_file,
    find_class,
    load_model,
    print_json,
    result_console,
    show_message,
    show_warning,
)


def explain(
    model: options.Model,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A text, or - for standard input.")],
    label: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Class to explain.", show_default="the most probable"),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="Class to compare it with.",
            show_default="the second most probable, or all others together",
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="K", help="Number of terms to list.")] = 10,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the explanation to an HTML page instead. An existing page is replaced.",
        ),
    ] = None,
    features: Annotated[
        bool,
        typer.Option(
            "--features",
            help="Show pairs of words and strings of characters by themselves, if the model counts "
            "them, instead of their sums by word.",
        ),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Show how much each word of a text counts for a label or against it.

    If the model also counts pairs of words and strings of characters, their contributions are
    summed onto the words of the text; in Japanese and Chinese, onto runs of characters.

    \b
    tally explain mails.tally "Your parcel is waiting, click here"
    tally explain mails.tally "A cheap lunch" --label spam --against work
    tally explain mails.tally "A cheap lunch" --features
    tally explain mails.tally - --html why.html < mail.txt
    """
    if html is not None:
        check_output_file(html, page=True)
    classifier = load_model(model, [text])
    document = sys.stdin.read() if text == "-" else text
    wanted, other = (
        None if name is None else find_class(classifier, name) for name in (label, against)
    )
    by: Literal["word", "feature"] = "feature" if features else "word"
    explanation = classifier.explain(document, wanted, other, by=by)
    likeliest = classifier.top_k([document], 3)[0]
    if not any(each.known for each in explanation.contributions):
        show_warning(
            "none of the words of this text occurs in a training document, so its label is not "
            "based on its content."
        )
    if html is not None:
        from tallytext.io.atomic import save_text
        from tallytext.io.html import html_page

        save_text(html, html_page(str(explanation.label), explanation.to_html(top)))
        show_message(f"saved as {html}")
    if as_json:
        top_labels = [each._asdict() for each in likeliest]
        print_json({"model": str(model), "top": top_labels, **explanation.to_dict()})
    elif html is None:
        console = result_console()
        console.print(", ".join(f"{each.label} {each.probability:.1%}" for each in likeliest))
        console.print(explanation.to_rich(top))
