"""``tally explain``: show the contribution of each word to a label."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from shlex import quote
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
from tallytext.errors import InputError


def explain(
    model: options.Model,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A text, or - for standard input.")],
    label: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Label to explain.", show_default="the most probable"),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="Label to compare it with.",
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
            help="Show each feature with its own weight (words, pairs of words, strings of "
            "characters), instead of sums by word.",
        ),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Show how much each word of a text counts for a label or against it.

    A positive number counts for the label, a negative number against it. Contributions of pairs of
    words and of strings of characters are added to the words that they cover; in Japanese and
    Chinese, to runs of characters. For the documents of a file, use tally predict --explain.

    \b
    tally explain mails.tally "Your parcel is waiting, click here"
    tally explain mails.tally "A cheap lunch" --label spam --against work
    tally explain mails.tally "A cheap lunch" --features
    tally explain mails.tally - --html why.html < mail.txt
    """
    from tallytext.io.sources import standard_input

    if html is not None:
        check_output_file(html, "page written by tally")
    _check_is_text(text, model)
    classifier = load_model(model, [text])
    document = standard_input().read() if text == "-" else text
    if not document.strip():
        raise InputError(
            "there is no text to explain. tally predict gives an empty document the label null, "
            "because none of its words is known."
        )
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
    shown = ", ".join(f"{each.label} {each.probability:.1%}" for each in likeliest)
    if html is not None:
        from tallytext.decision.rendering import render_page
        from tallytext.io.atomic import save_text

        about = {"model": model.name, "date": f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}"}
        save_text(html, render_page(explanation, top, shown, about))
        show_message(f"saved as {html}")
    if as_json:
        top_labels = [each._asdict() for each in likeliest]
        print_json({"model": str(model), "top": top_labels, **explanation.to_dict()})
    elif html is None:
        console = result_console()
        console.print(shown)
        console.print(explanation.to_rich(top))


def _check_is_text(text: str, model: Path) -> None:
    """Raise InputError if a text is the name of a file: its documents were meant, most likely."""
    from tallytext.io.safetensors import is_array_file

    try:
        is_path = Path(text).exists()
    except (OSError, ValueError):  # too long for a name, or with NUL
        return
    if is_array_file(text) and not is_array_file(model):
        raise InputError(
            f"{text!r} is a model. Give the model first, then the text: "
            f"tally explain {quote(text)} {quote(str(model))}"
        )
    if is_path and text.strip():
        names = f"{quote(str(model))} {quote(text)}"
        raise InputError(
            f"{text!r} is a file or folder, and tally explain takes a text. To explain each of its "
            f"documents, run tally predict {names} --explain. To explain the file as one text, run "
            f"tally explain {quote(str(model))} - < {quote(text)}."
        )
