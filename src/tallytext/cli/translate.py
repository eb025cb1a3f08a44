"""``tally translate``: learn and show translation files, of words that occur together."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.app import Command, Group, expand_option_groups, help_text
from tallytext.cli.io import (
    InputDocuments,
    check_output_file,
    delay_interrupts,
    note_on_interrupt,
    print_json,
    result_console,
    show_message,
    show_warning,
)
from tallytext.cli.options import language_option, stop_words_option
from tallytext.cli.train import default_output
from tallytext.errors import InputError

if TYPE_CHECKING:
    from tallytext.semantic.translation import TranslationModel


Translation = Annotated[
    Path,
    typer.Argument(metavar="TRANSLATION", help="A file written by tally translate learn."),
]


def load(path: Path) -> TranslationModel:
    """Read a translation file."""
    from tallytext.semantic.translation import TranslationModel

    return TranslationModel.load(path)


def read_texts(documents: InputDocuments) -> list[str]:
    """Return all texts in memory, because they are read more than once."""
    texts: list[str] = []
    for batch in documents:
        texts += ["" if text is None else text for text in batch.strings]
    if not texts:
        raise InputError("there are no documents in the input. Is it the right file?")
    return texts


def model_summary(model: TranslationModel) -> dict[str, Any]:
    """Return the sizes and settings of a translation model."""
    from tallytext.semantic.signatures import KIND_NAMES

    others = len(model.get_feature_names_out()) - len(model.words_)
    counts = [int((model.kinds_ == kind).sum()) for kind in range(len(KIND_NAMES))]
    return {
        "words": len(model.words_),
        "phrases_and_concepts": others,
        "rows": dict(zip(KIND_NAMES, counts, strict=True)),
        "probabilities": int(model.rows_.nnz),
        "beta": model.beta,
        "counts": model.counts,
    }


def format_summary(summary: dict[str, Any]) -> str:
    """Return a summary as a paragraph.

    Examples
    --------
    >>> rows = {"word": 700, "phrase": 1, "concept": 0}
    >>> print(format_summary({"words": 1000, "rows": rows, "probabilities": 9000, "beta": 0.5}))
    1,000 words; rows of 700 words and 1 phrase, 9,000 probabilities in all
    """
    counts = [f"{n:,} {kind}{'s' * (n != 1)}" for kind, n in summary["rows"].items() if n]
    rows = " and ".join(counts) or "nothing"
    n_words, n_probabilities = summary["words"], summary["probabilities"]
    return f"{n_words:,} words; rows of {rows}, {n_probabilities:,} probabilities in all"


_PANEL = "Translation"


class SignatureKinds(StrEnum):
    """Kinds of signatures."""

    words = "words"
    phrases = "phrases"
    both = "words+phrases"
    concepts = "concepts"


class CountKind(StrEnum):
    """Weight of a word in a document."""

    occurrences = "occurrences"
    documents = "documents"
    log = "log"


class PhraseMethod(StrEnum):
    """Methods that find phrases."""

    npmi = "npmi"
    likelihood = "likelihood"
    gensim = "gensim"
    xtract = "xtract"


Signatures = Annotated[
    SignatureKinds | None,
    typer.Option(
        help="Signatures that get a row: words, phrases found in the texts, both, or only the "
        "concepts of a file. Default: words, or phrases with --phrases.",
        show_default=False,
        rich_help_panel=_PANEL,
    ),
]
PhraseFinder = Annotated[
    PhraseMethod | None,
    typer.Option(
        "--phrases",
        help="Method that finds the phrases: normalised mutual information, log-likelihood ratio, "
        "the score of gensim, or Xtract, as in the paper of Zhou et al. Default: npmi.",
        show_default=False,
        rich_help_panel=_PANEL,
    ),
]
ConceptFile = Annotated[
    Path | None,
    typer.Option(
        "--concepts",
        metavar="FILE",
        help="File of concepts, which also get rows. A line is a phrase, a TAB and its concept.",
        rich_help_panel=_PANEL,
    ),
]
Beta = Annotated[
    float,
    typer.Option(
        min=0,
        max=0.999999,
        metavar="SHARE",
        help="Share of a text that is explained by the background, the words of all texts. A "
        "higher share leaves fewer words in a row.",
        rich_help_panel=_PANEL,
    ),
]
Counts = Annotated[
    CountKind,
    typer.Option(
        "--counts",
        help="Weight of a word in a document: its number of occurrences, 1, or the logarithm of "
        "the number with documents weighted equally.",
        rich_help_panel=_PANEL,
    ),
]
MinDocuments = Annotated[
    int,
    typer.Option(
        "--min-df",
        min=1,
        metavar="N",
        help="Smallest number of documents with a signature that gets a row.",
        rich_help_panel=_PANEL,
    ),
]
MinProbability = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        metavar="P",
        help="Smallest probability of a word in a row.",
        rich_help_panel=_PANEL,
    ),
]
MaxEntries = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="Largest number of words in a row.", rich_help_panel=_PANEL
    ),
]
Language = Annotated[str | None, language_option(_PANEL)]
StopWords = Annotated[str | None, stop_words_option(_PANEL)]


@dataclass(frozen=True)
class TranslateOptions:
    """Signatures of a translation model, and the estimation of its rows."""

    signatures: Signatures = None
    phrases: PhraseFinder = None
    concepts: ConceptFile = None
    beta: Beta = 0.5
    counts: Counts = CountKind.occurrences
    min_df: MinDocuments = 2
    min_probability: MinProbability = 0.0001
    max_entries: MaxEntries = 1000
    language: Language = None
    stop_words: StopWords = None


def learn(
    sources: options.Sources,
    *,
    output: options.Output = None,
    reading: options.UnlabelledReadingOptions,
    settings: TranslateOptions,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Learn the words that occur with each signature, and write a translation file.

    Labels are not used, so any texts like those to be classified will do, the more the better. They
    are held in memory. Without --output, the file is written to the current folder, with the name
    of the first input and the ending .translation.

    \b
    tally translate learn news.jsonl -o news.translation
    tally translate learn news/ --signatures words+phrases --stop-words english
    tally translate learn news.csv --phrases xtract --stop-words english
    tally translate learn papers.csv --text body --concepts mesh.tsv
    """
    path = check_output_file(output or default_output(sources, ".translation"))
    model, documents = _make_model(settings, quiet), InputDocuments(sources, reading, quiet)
    with note_on_interrupt(lambda: f"Nothing was saved; {str(path)!r} was not changed."):
        model.fit(read_texts(documents))
    with delay_interrupts():
        model.save(path)
    found = model_summary(model)
    if not len(model.signatures_):
        show_warning(
            f"no signature has a row: none is in {settings.min_df} documents (--min-df), or none "
            "has a word of --min-probability. Give more documents, or lower these options."
        )
    if as_json:
        counts = {"documents": documents.n_documents, "skipped": documents.n_skipped}
        print_json({"translation": str(path), **counts, **found})
    elif not quiet:
        result_console().print(format_summary(found), soft_wrap=True)
    if not quiet:
        show_message(f"saved as {path}")
    documents.close()


def _make_model(settings: TranslateOptions, quiet: bool) -> TranslationModel:
    from tallytext import TextVectorizer
    from tallytext.semantic.translation import TranslationModel

    return TranslationModel(
        _signatures(settings),
        beta=settings.beta,
        counts=settings.counts.value,
        min_df=settings.min_df,
        min_probability=settings.min_probability,
        max_entries=settings.max_entries,
        vectorizer=TextVectorizer(language=settings.language, stop_words=settings.stop_words),
        verbose=False if quiet else None,
    )


def _signatures(settings: TranslateOptions) -> list[Any]:
    from tallytext.semantic.concepts import Concepts

    method, signatures = settings.phrases, settings.signatures
    if signatures is None:
        signatures = SignatureKinds.words if method is None else SignatureKinds.phrases
    kinds: list[Any] = [kind for kind in signatures.split("+") if kind != "concepts"]
    if method is not None:
        if "phrases" not in kinds:
            raise typer.BadParameter(
                f"--phrases {method.value} finds phrases, but --signatures {signatures.value} has "
                "none. Use --signatures phrases or --signatures words+phrases."
            )
        kinds[kinds.index("phrases")] = _phrase_finder(method, settings)
    if settings.concepts is not None:
        return [*kinds, Concepts.read(settings.concepts, language=settings.language)]
    if not kinds:
        raise typer.BadParameter("--signatures concepts needs a file of concepts: --concepts FILE.")
    return kinds


def _phrase_finder(method: PhraseMethod, settings: TranslateOptions) -> Any:
    from tallytext.semantic.phrases import Phrases

    # Without a list, phrases would consist of function words, which are the most frequent pairs.
    stop_words = "auto" if settings.stop_words is None else settings.stop_words
    return Phrases(method.value, language=settings.language, stop_words=stop_words)


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
        int,
        typer.Option("--top", "-n", min=1, metavar="K", help="Number of words to show for each."),
    ] = 10,
    as_json: options.Json = False,
) -> None:
    """Show the words that occur with signatures, the most probable first.

    Without a signature, shows the sizes of the file.

    \b
    tally translate show news.translation
    tally translate show news.translation space "space program" -n 5
    tally translate show news.translation "space program" --json
    """
    model = load(translation)
    found = [_signature_row(model, signature, top) for signature in signatures or []]
    if as_json:
        content = {"signatures": found} if signatures else {"file": model_summary(model)}
        print_json({"translation": str(translation), **content})
    elif signatures:
        texts = [str(model.explain(signature, top)) for signature in signatures]
        result_console().print("\n".join(texts), soft_wrap=True)
    else:
        result_console().print(format_summary(model_summary(model)), soft_wrap=True)


def _signature_row(model: TranslationModel, signature: str, top: int) -> dict[str, Any]:
    found = model.explain(signature, top)
    words = [{"word": word, "probability": probability} for word, probability in found]
    return {"signature": signature, "words": words}


def cover(
    translation: Translation,
    sources: options.Sources,
    *,
    reading: options.UnlabelledReadingOptions,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Show the share of the words and signatures of other texts that are in a translation file.

    A word is known if it is in a row, and a signature if it has a row. If few are known, learn from
    texts that are more similar.

    \b
    tally translate cover news.translation mails.csv --text body
    """
    model, documents = load(translation), InputDocuments(sources, reading, quiet)
    found = model.coverage(read_texts(documents))
    if as_json:
        content = {"translation": str(translation), "skipped": documents.n_skipped}
        print_json({**content, **asdict(found)})
    else:
        result_console().print(str(found), soft_wrap=True)
    documents.close()


HELP = """Learn which words occur together, from texts without labels.

    The words around a word, a phrase or a concept tell its meaning: texts about the "space
    program" mention shuttles and orbits. This helps a classifier with few labels. A translation
    file holds these words with their probabilities for every signature, that is, for every word,
    phrase or concept. It can be used with other texts.

    \b
    tally translate learn news.jsonl --signatures words+phrases
    tally translate show news.translation "space program"
    tally translate cover news.translation mails.csv --text body
    """

app = typer.Typer(cls=Group, help=help_text(HELP), no_args_is_help=True)
for command in (learn, show, cover):
    app.command(cls=Command, help=help_text(command.__doc__ or ""))(expand_option_groups(command))
