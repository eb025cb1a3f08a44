"""``tally translate show``: the words that a signature brings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.console import print_json, results
from tallytext.cli.translate.files import Translation, as_text, load, summary

if TYPE_CHECKING:
    from tallytext.semantic import TranslationModel


def show(
    translation: Translation,
    signatures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SIGNATURE",
            help="Words, phrases such as 'space program', or concepts such as =C0018787.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int, typer.Option("--top", "-n", min=1, metavar="K", help="How many words of each.")
    ] = 10,
    as_json: options.Json = False,
) -> None:
    """Show the words that signatures bring, the most probable first.

    Without a signature, it shows what the file holds.

    \b
    tally translate show news.translation
    tally translate show news.translation space "space program" -n 5
    tally translate show news.translation "space program" --json
    """
    model = load(translation)
    found = [_shown(model, signature, top) for signature in signatures or []]
    if as_json:
        content = {"signatures": found} if signatures else {"file": summary(model)}
        print_json({"translation": str(translation), **content})
    elif signatures:
        texts = [str(model.explain(signature, top)) for signature in signatures]
        results().print("\n".join(texts), soft_wrap=True)
    else:
        results().print(as_text(summary(model)), soft_wrap=True)


def _shown(model: TranslationModel, signature: str, top: int) -> dict[str, Any]:
    found = model.explain(signature, top)
    words = [{"word": word, "probability": probability} for word, probability in found]
    return {"signature": signature, "words": words}
