"""``tally filter``: deliver the documents of a stream that profiles want, and learn feedback."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.app import Command, Group, expand_option_groups, help_text
from tallytext.cli.io import (
    InputDocuments,
    LineWriter,
    check_appended_file,
    check_escapes_formulas,
    check_new_file,
    check_output_file,
    delay_interrupts,
    note_on_interrupt,
    print_json,
    result_console,
    show_message,
    show_warning,
)
from tallytext.errors import FileError, InputError, LabelError

if TYPE_CHECKING:
    from tallytext.filtering import Delivery

_PANEL = "Profiles"
_COLUMNS = ("id", "profile", "probability", "relevant", "text")
_YES = {"yes", "y", "true", "1", "relevant"}
_NO = {"no", "n", "false", "0", "not relevant"}
_WITHDRAWN = "withdrawn"

FilterFile = Annotated[
    Path, typer.Argument(metavar="FILTER", help="A filter file, written by tally filter start.")
]
NewFilter = Annotated[
    Path, typer.Argument(metavar="FILTER", help="The filter file to write; it must not exist yet.")
]
Examples = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[INPUT]",
        help="Files or folders of example documents with their labels, or - for standard input.",
        show_default="none",
    ),
]
Queries = Annotated[
    list[str] | None,
    typer.Option(
        "--query",
        metavar="PROFILE=TEXT",
        help="Start a profile from a few words instead of examples, e.g. 'grain=wheat corn "
        "harvest'. Can be repeated.",
        show_default="none",
        rich_help_panel=_PANEL,
    ),
]
Background = Annotated[
    list[str] | None,
    typer.Option(
        "--background",
        metavar="INPUT",
        help="Documents from before the stream, which are learned as not relevant to any profile. "
        "Can be repeated.",
        show_default="the first 1,000 documents that are not delivered",
        rich_help_panel=_PANEL,
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Additive model, as for tally train. Can be repeated: feedback decides how much each "
        "counts.",
        show_default="poisson without word weights, and poisson with chi-square weights",
        rich_help_panel=_PANEL,
    ),
]
Gain = Annotated[
    float,
    typer.Option(metavar="X", help="Utility of a relevant delivery.", rich_help_panel=_PANEL),
]
Cost = Annotated[
    float,
    typer.Option(
        metavar="X", help="Cost of a delivery that is not relevant.", rich_help_panel=_PANEL
    ),
]
Explore = Annotated[
    float,
    typer.Option(
        metavar="X",
        help="Lower the threshold of a profile that has learned few documents: by half when it "
        "has learned this many. 0 never lowers it.",
        rich_help_panel=_PANEL,
    ),
]
Language = Annotated[str | None, options.language_option(_PANEL)]
StopWords = Annotated[str | None, options.stop_words_option(_PANEL)]
Identifier = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Column of the ids that feedback refers to. A document with an id seen before is "
        "skipped.",
        show_default="a hash of the text",
        rich_help_panel="Documents",
    ),
]
Replay = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar="COLUMN",
        help="Simulate feedback on an archive: this column holds the true labels. They give the "
        "feedback on delivered documents, and relevant documents that were missed are "
        "counted.",
        show_default="none, feedback comes later",
        rich_help_panel="Documents",
    ),
]
Batch = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        help="Deliver and save after every N documents. 1 delivers each before the next is read.",
    ),
]
Delivered = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to append deliveries to: CSV if its name ends in .csv, otherwise JSON lines.",
        show_default="standard output, JSON lines",
        rich_help_panel=options.OUTPUT,
    ),
]
Judged = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Files with the columns id, profile and relevant (yes, no, withdrawn, or empty for "
        "none): for instance the file that tally filter run wrote. Or - for JSON lines on "
        "standard input.",
    ),
]
Picture = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Also draw utility and F1 over time, as an SVG file.",
        rich_help_panel=options.OUTPUT,
    ),
]


def start(
    path: NewFilter,
    sources: Examples = None,
    *,
    queries: Queries = None,
    background: Background = None,
    models: Models = None,
    gain: Gain = 2.0,
    cost: Cost = 1.0,
    explore: Explore = 5.0,
    language: Language = None,
    stop_words: StopWords = None,
    reading: options.ReadingOptions,
    quiet: options.Quiet = False,
) -> None:
    """Start a filter: one profile for each label of a few example documents.

    A profile delivers documents like its examples. Three examples are enough to start; feedback
    improves it. A profile can also start from a query of a few words.

    \b
    tally filter start news.tally examples.csv --text body --label topic
    tally filter start news.tally --query "grain=wheat corn harvest" --query "oil=crude oil opec"
    tally filter start news.tally examples.csv --background last-month.csv --gain 3 --cost 1
    """
    from tallytext import TextVectorizer
    from tallytext.filtering import DocumentFilter
    from tallytext.io.locks import lock_file

    check_new_file(path)
    named = [_split_query(each) for each in queries or []]
    if not sources and not named:
        raise typer.BadParameter(
            "there are no examples. Give a file of examples, or --query for each profile."
        )
    profiles = DocumentFilter(
        models or None,
        vectorizer=TextVectorizer(language=language, stop_words=stop_words),
        gain=gain,
        cost=cost,
        explore=explore,
    )
    texts, labels = [query for _, query in named], [[name] for name, _ in named]
    for batch in InputDocuments(sources or [], reading, quiet):
        texts += batch.strings
        labels += [_as_list(each) for each in batch.labels or []]
    for batch in InputDocuments(background or [], _without_labels(reading), quiet):
        texts += batch.strings
        labels += [[] for _ in batch.strings]
    if not any(labels):
        raise LabelError("no document has a label, so there is no profile. Give --label COLUMN.")
    profiles.start(texts, labels)
    with lock_file(path), delay_interrupts():
        check_new_file(path)  # again: another command may have started it meanwhile
        profiles.save(path)
    if not quiet:
        shown = ", ".join(profiles.profiles_[:20]) + ", …" * (len(profiles.profiles_) > 20)
        n = len(profiles.profiles_)
        show_message(f"saved as {path}: {n:,} profile{'s' * (n != 1)} ({shown})")


def run(
    path: FilterFile,
    sources: options.AnySources,
    *,
    output: Delivered = None,
    identifier: Identifier = None,
    label: Replay = None,
    label_separator: options.LabelSeparator = None,
    batch: Batch = 100,
    escape_formulas: options.EscapeFormulas = False,
    reading: options.UnlabelledReadingOptions,
    quiet: options.Quiet = False,
) -> None:
    """Filter documents in the order of their arrival, and write the delivered ones.

    Each delivery has the columns id, profile, probability, relevant (empty) and text. Fill in the
    column relevant, and give the file to tally filter feedback. The filter file is saved before a
    delivery is written. After a crash or Ctrl-C, run the same command again: documents that were
    read are skipped, and deliveries that did not reach the output are written; to a file, each
    exactly once.

    \b
    tally filter run news.tally today.csv --text body --id number -o delivered.csv
    tail -f wire.jsonl | tally filter run news.tally - --batch 1
    tally filter run news.tally archive.csv --text body --label topic --label-separator ";"
    """
    state = _State(path)
    check_escapes_formulas(escape_formulas, None if output is None else output.suffix)
    if output is not None:
        check_appended_file(output, [path, *sources])
    writer = _DeliveryWriter(output, escape_formulas)
    also = [identifier] if identifier is not None else []
    columns = options.ReadingOptions(
        **{**vars(reading), "label": label, "label_separator": label_separator}
    )
    documents = InputDocuments(
        sources, columns, quiet, on_unlabelled="fail", also=also, max_documents=batch
    )
    before = state.profiles.n_documents_
    with note_on_interrupt(lambda: "Run the same command again to continue."):
        # Deliveries that were saved, and perhaps not written, before an interruption.
        writer.write(state.profiles.deliveries(state.n_written), check=True)
        for some in documents:
            ids = some.also[identifier] if identifier is not None else None
            found = state.profiles.filter(some.strings, ids, some.labels)
            state.save()
            writer.write(found)
            state.n_written = state.profiles.n_delivered_
        state.save()
    skipped = documents.n_documents - (state.profiles.n_documents_ - before)
    if skipped and not quiet:
        were = "document was" if skipped == 1 else "documents were"
        show_warning(f"{skipped:,} {were} skipped, because documents with the same id came before.")
    documents.close()


def feedback(path: FilterFile, sources: Judged, *, quiet: options.Quiet = False) -> None:
    """Learn from feedback: which deliveries were relevant.

    Give the file that tally filter run wrote, with yes or no in its column relevant; rows that are
    empty there are skipped. Giving the same feedback twice changes nothing, different feedback on
    the same delivery corrects it, and "withdrawn" undoes it exactly. If a row cannot be read,
    nothing is learned.

    \b
    tally filter feedback news.tally delivered.csv
    echo '{"id": "17", "profile": "oil", "relevant": true}' | tally filter feedback news.tally -
    """
    state = _State(path)
    reading = options.UnlabelledReadingOptions(text="profile")
    documents = InputDocuments(sources, reading, True, also=["id", "relevant"])
    judgements = []
    originals = _original_keys(state.profiles.deliveries())
    for source, batch in documents.by_source():
        columns = (batch.places, batch.strings, batch.also["id"], batch.also["relevant"])
        for place, profile, id, given in zip(*columns, strict=True):
            if given is not None and str(given).strip():
                relevant = _parse_judgement(given, f"{source}, row {place}")
                id, profile = originals.get((str(id), profile), (id, profile))
                judgements.append((id, profile, relevant))
    changed = state.profiles.feedback(judgements)
    state.save()
    if not quiet:
        n = len(judgements)
        show_message(f"{n:,} judgement{'s' * (n != 1)} read, {changed:,} new or changed")


def report(
    path: FilterFile,
    *,
    picture: Picture = None,
    as_json: options.Json = False,
) -> None:
    """Show the utility and the precision of each profile, and how they changed over time.

    Utility is the gain of relevant deliveries minus the cost of the others (2 and 1, unless tally
    filter start was given --gain and --cost). Recall and F1 are shown only if tally filter run was
    given the labels of all documents (--label).

    \b
    tally filter report news.tally
    tally filter report news.tally --picture news.svg
    """
    from tallytext.filtering import DocumentFilter

    if picture is not None:
        check_output_file(picture, "drawing")
    found = DocumentFilter.load(path).report()
    if picture is not None:
        found.to_svg(picture)
    if as_json:
        print_json(found.to_dict())
    else:
        result_console().print(str(found), soft_wrap=True)


class _State:
    """A filter file that a command changes.

    Attributes
    ----------
    profiles : DocumentFilter
        The filter.
    n_written : int
        Number of delivered documents that are known to be written to the output.
    """

    def __init__(self, path: Path) -> None:
        from tallytext.filtering import DocumentFilter

        self._path = path
        self._stamp = _file_stamp(path)
        self.profiles, notes = DocumentFilter._load(path)
        n_written = notes.get("n_written", 0)
        if type(n_written) is not int or not 0 <= n_written <= self.profiles.n_delivered_:
            raise FileError(
                f"cannot read {str(path)!r}: it is damaged ({n_written!r:.40} is not "
                "a number of written deliveries)."
            )
        self.n_written = n_written

    def save(self) -> None:
        """Replace the file; raise FileError if another command has changed it."""
        from tallytext.io.locks import lock_file

        # Locked only now: a stream may take days, and feedback must be learned meanwhile.
        with lock_file(self._path), delay_interrupts():
            if _file_stamp(self._path) != self._stamp:
                raise FileError(
                    f"{str(self._path)!r} was changed by another command in the meantime. Nothing "
                    "was lost: run this command again."
                )
            self.profiles._save(self._path, {"n_written": self.n_written})
            self._stamp = _file_stamp(self._path)


def _file_stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class _DeliveryWriter:
    """Appends deliveries to a file or to standard output, one line each.

    A file may have been written to before an interruption, and edited by the user since: a
    delivery that it holds is not written again, and only a line that was cut short is removed.
    """

    def __init__(self, path: Path | None, escape_formulas: bool) -> None:
        self._path, self._lines = path, LineWriter()
        self._escape_formulas = escape_formulas
        self._is_csv = path is not None and path.suffix == ".csv"

    def write(self, deliveries: Sequence[Delivery], check: bool = False) -> None:
        """Append deliveries; with ``check``, those that the file does not hold."""
        if self._path is None:
            self._lines.write(self._format(deliveries), len(deliveries))
            return
        is_new = not self._path.exists() or not self._path.stat().st_size
        if check and not is_new:
            lines = self._format(deliveries).splitlines(keepends=True)
            self._remove_partial_line([_csv_line(_COLUMNS), *lines])
            present = {*self._present()} if deliveries else set()
            deliveries = [each for each in deliveries if self._key(each) not in present]
            is_new = not self._path.stat().st_size
        with delay_interrupts(), self._path.open("ab") as file:
            if is_new and self._is_csv:
                file.write(_csv_line(_COLUMNS))
            file.write(self._format(deliveries))
            file.flush()
            # On disk before the next state says that they are written.
            os.fsync(file.fileno())

    def _key(self, each: Delivery) -> tuple[str, str]:
        """Return the id and the profile of a delivery, as they are written."""
        return _escaped_key(each) if self._escape_formulas else (each.id, each.profile)

    def _format(self, deliveries: Sequence[Delivery]) -> bytes:
        from tallytext.io.table_writer import as_json

        lines = []
        for each in deliveries:
            # One line each in CSV too, so that a line cut short can be told from a whole one.
            values = (*self._key(each), round(each.probability, 4))
            if self._is_csv:
                row = (*values, "", " ".join(each.text.split()))
                lines.append(_csv_line(row, self._escape_formulas))
            else:
                record = dict(zip(_COLUMNS, (*values, None, each.text), strict=True))
                lines.append((as_json(record) + "\n").encode())
        return b"".join(lines)

    def _remove_partial_line(self, expected: list[bytes]) -> None:
        """Make the file end with a whole line; a part of an expected line is removed."""
        assert self._path is not None
        content = self._path.read_bytes()
        if content.endswith(b"\n"):
            return
        end = content.rfind(b"\n") + 1
        tail = content[end:]
        # Anything else was written by the user, whose editor left out the end of the last line.
        is_cut = any(line.startswith(tail) and line != tail + b"\n" for line in expected)
        with self._path.open("r+b") as file:
            if is_cut:
                file.truncate(end)
            else:
                file.seek(0, os.SEEK_END)
                file.write(b"\n")

    def _present(self) -> Iterator[tuple[str, str]]:
        """Yield the ids and profiles in the file; raise FileError if it has other rows."""
        from tallytext.io import DocumentReader

        assert self._path is not None
        delivered = DocumentReader(
            self._path,
            text="profile",
            label=None,
            also=["id"],
            format="csv" if self._is_csv else "jsonl",
            max_row=self._path.stat().st_size,  # a text is as long as --max-row allowed
        )
        try:
            for batch in delivered:
                yield from zip(map(str, batch.also["id"]), batch.strings, strict=True)
        except FileError as problem:
            reason = str(problem).partition(" Rows ")[0]  # there is no option for rows of an output
            remedy = "It holds earlier deliveries: correct it, or choose another file with -o."
            raise FileError(f"{reason} {remedy}") from None


def _csv_line(values: Sequence[Any], escape_formulas: bool = False) -> bytes:
    from tallytext.io.table_writer import csv_lines

    return csv_lines([values], escape_formulas=escape_formulas)


def _escaped_key(each: Delivery) -> tuple[str, str]:
    """Return the id and the profile of a delivery as --escape-formulas writes them."""
    from tallytext.io.table_writer import escape_formula

    return escape_formula(each.id), escape_formula(each.profile)


def _original_keys(deliveries: Sequence[Delivery]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the id and the profile of each delivery by those that --escape-formulas wrote."""
    keys = {(each.id, each.profile) for each in deliveries}
    escaped = {_escaped_key(each): (each.id, each.profile) for each in deliveries}
    return {written: key for written, key in escaped.items() if written not in keys}


def _parse_judgement(value: Any, place: str) -> bool | None:
    word = str(value).strip().lower()
    if word in _YES | _NO:
        return word in _YES
    if word == _WITHDRAWN:
        return None
    raise InputError(f"{place}: relevant must be yes, no or withdrawn, not {value!r:.40}.")


def _split_query(query: str) -> tuple[str, str]:
    name, separator, words = query.partition("=")
    if not separator or not name.strip() or not words.strip():
        raise typer.BadParameter(f"--query must be PROFILE=TEXT, not {query!r:.60}.")
    return name.strip(), words


def _as_list(label: Any) -> list[Any]:
    return [*label] if isinstance(label, list | tuple) else [label]


def _without_labels(reading: options.ReadingOptions) -> options.UnlabelledReadingOptions:
    kept = {name: value for name, value in vars(reading).items() if not name.startswith("label")}
    return options.UnlabelledReadingOptions(**kept)


HELP = """Deliver the relevant documents of a stream, and learn from feedback on them.

    A profile selects the documents of one class. It starts from a few examples or a query, and
    delivers documents that are probably relevant. Feedback on delivered documents changes its word
    weights and its threshold, and can be corrected at any time. All profiles are stored in one
    file.

    \b
    tally filter start news.tally examples.csv --text body --label topic
    tally filter run news.tally monday.csv --text body --id number -o delivered.csv
    tally filter feedback news.tally delivered.csv
    tally filter report news.tally
    """

app = typer.Typer(cls=Group, help=help_text(HELP), no_args_is_help=True)
for command in (start, run, feedback, report):
    app.command(cls=Command, help=help_text(command.__doc__ or ""))(expand_option_groups(command))
