"""Labels that are probably mistakes, in the commands that read labels: stop, go on, or merge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli.io import InputDocuments, show_warning
from tallytext.cli.options import ReadingOptions
from tallytext.errors import LabelError, quote_value, quote_values

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.label_checks import LabelCounts, LabelProblems
    from tallytext.io.batches import Batch
    from tallytext.tally.tally import Tally

_PANEL = "Labels"
# Below this number of documents, each may well have a label of its own.
_MIN_DISTINCT, _MAX_DISTINCT_SHARE = 20, 0.5

Yes = Annotated[
    bool,
    typer.Option(
        "--yes",
        help="Keep labels that look like mistakes: labels that differ only by case, blanks or a "
        "typo, labels such as NaN or None, labels that few documents share, "
        "or several labels of which the model knows none.",
        rich_help_panel=_PANEL,
    ),
]
MergeLabels = Annotated[
    bool,
    typer.Option(
        "--merge-labels",
        help="Replace labels that look like mistakes by the spelling of the model or else the most "
        "frequent one, and leave out documents with labels such as NaN or None. The input is read "
        "twice.",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True)
class LabelOptions:
    """What to do about labels that look like mistakes."""

    yes: Yes = False
    merge_labels: MergeLabels = False

    def __post_init__(self) -> None:
        if self.yes and self.merge_labels:
            raise typer.BadParameter(
                "--yes keeps labels as they are and --merge-labels changes them. Leave out one of "
                "the two."
            )

    def check_engine(self) -> None:
        """Raise BadParameter if labels would have to be merged by the workers of an engine."""
        if self.merge_labels:
            raise typer.BadParameter(
                "--merge-labels does not work with --engine. Correct the labels in the input, or "
                "keep them as they are with --yes."
            )


class LabelCheck:
    """Checks and replaces the labels of batches.

    Parameters
    ----------
    wanted : LabelOptions
    known : mapping of label to int, default={}
        The labels of the model that learns, and their numbers of documents.

    Attributes
    ----------
    n_without_label : int
        Number of documents that were left out, because their label is missing.
    """

    def __init__(self, wanted: LabelOptions, known: LabelCounts | None = None) -> None:
        self.n_without_label = 0
        self._wanted, self._known = wanted, known
        self._counts: Counter[Any] = Counter()
        self._replacements: dict[Any, Any] = {}

    def read_labels(self, sources: Sequence[str], reading: ReadingOptions, quiet: bool) -> None:
        """Read the labels of all documents, if they are to be merged."""
        from tallytext.classifier.label_checks import count_problems

        if not self._wanted.merge_labels:
            return
        if "-" in sources:
            raise typer.BadParameter(
                "--merge-labels reads the documents twice, and standard input can be read only "
                "once. Write it to a file, and give that."
            )
        for batch in InputDocuments(sources, reading, True, on_unlabelled="keep"):
            self._count([label for label in batch.labels or [] if label is not None])
        problems = count_problems(self._counts, self._known)
        self._replacements = problems.replacements()
        if not quiet:
            _warn_about_merging(problems)

    def check_pairs(self, pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """Yield texts and labels; after the last, raise if labels look like mistakes.

        So they are checked before a model is selected, and the input is read once.
        """
        for texts, labels in pairs:
            kept = self.merge(texts, labels)
            if len(kept[1]):
                yield kept
        self.check()

    def merge(self, texts: Any, labels: list[Any]) -> tuple[Any, list[Any]]:
        """Return texts and merged labels, without documents whose label is missing."""
        from tallytext.io.batches import Batch

        kept = self.merge_batch(Batch(texts, labels, range(len(labels))))
        return kept.texts, kept.labels or []

    def merge_batch(self, batch: Batch) -> Batch:
        """Return a batch with merged labels, without documents whose label is missing."""
        from tallytext.classifier.label_checks import replace_labels

        if not self._wanted.merge_labels:
            self._count(batch.labels)
            return batch
        merged = replace_labels(batch.labels or [], self._replacements)
        rows = [row for row, label in enumerate(merged) if label is not None]
        self.n_without_label += len(merged) - len(rows)
        batch = replace(batch, labels=merged)
        return batch if len(rows) == len(merged) else batch.take(rows)

    def check(self) -> None:
        """Raise LabelError if labels of the batches so far look like mistakes."""
        from tallytext.classifier.label_checks import count_problems

        if self._wanted.yes:
            return
        counts: Counter[Any] = Counter()
        for label, n in self._counts.items():
            counts[self._replacements.get(label, label)] += n
        if not self._wanted.merge_labels:
            raise_problems(count_problems(counts, self._known))
        if self._known:
            check_some_known(counts, self._known)
        else:
            check_shared(counts)

    def _count(self, labels: list[Any] | None) -> None:
        from tallytext.classifier.label_checks import count_labels

        self._counts.update(count_labels(labels or []))


def model_label_check(
    wanted: LabelOptions,
    sources: Sequence[str],
    reading: ReadingOptions,
    quiet: bool,
    classifier: TextClassifier,
) -> LabelCheck:
    """Return the check of labels beside those of a model, which has read them to merge them."""
    check = LabelCheck(wanted, count_classes(classifier.tally_))
    check.read_labels(sources, reading, quiet)
    return check


def _warn_about_merging(problems: LabelProblems) -> None:
    """Show the labels that are merged, and the rows that are left out."""
    if merged := replace(problems, missing=()).sentences():
        show_warning("labels were merged:\n  " + "\n  ".join(merged))
    for label, n in problems.missing:
        rows = "row" if n == 1 else "rows"
        show_warning(
            f"{n:,} {rows} with {quote_value(label)} {'was' if n == 1 else 'were'} left out."
        )


def check_tally_labels(tally: Tally, wanted: LabelOptions) -> None:
    """Raise LabelError if labels that an engine counted look like mistakes."""
    from tallytext.classifier.label_checks import count_problems

    if not wanted.yes:
        remedy = "Correct them in the input, or add --yes to keep the labels as they are."
        raise_problems(count_problems(count_classes(tally)), remedy)
        check_shared(count_classes(tally))


def count_classes(tally: Tally) -> dict[Any, int]:
    """Return the number of documents of each class."""
    return dict(zip(tally.classes, map(int, tally.class_documents), strict=True))


def check_shared(counts: LabelCounts) -> None:
    """Raise LabelError if few documents share a label: --label is likely to be wrong."""
    n_documents = sum(counts.values())
    if len(counts) > max(_MIN_DISTINCT, _MAX_DISTINCT_SHARE * n_documents):
        raise LabelError(
            f"{n_documents:,} documents have {len(counts):,} distinct labels, so few documents "
            f"share a label, such as {quote_values(list(counts))}. Is --label the right column? If "
            "it is, add --yes."
        )


def check_some_known(counts: LabelCounts, known: LabelCounts) -> None:
    """Raise LabelError if a model knows none of several labels; one may be a new class."""
    if len(counts) > 1 and counts.keys().isdisjoint(known):
        raise LabelError(
            f"{describe_unknown_labels(list(counts), list(known))} To learn new labels, add --yes."
        )


def describe_unknown_labels(theirs: Sequence[Any], ours: Sequence[Any]) -> str:
    """Return sentences about documents of whose labels the model knows none.

    Examples
    --------
    >>> print(describe_unknown_labels(["a long label", 2], ["sea"]))
    the model knows none of the labels of these documents, such as 'a long label', 2. Its own are \
'sea'. Is --label the right column?
    >>> describe_unknown_labels([1], ["1", "2"])[-69:]
    'Some are numbers in one place and text in the other, as in CSV files.'
    """
    sentences = (
        f"the model knows none of the labels of these documents, such as {quote_values(theirs)}. "
        f"Its own are {quote_values(ours)}. Is --label the right column?"
    )
    # Labels in CSV files are text, which differs from numbers in JSON and Parquet files.
    if {*map(str, theirs)}.isdisjoint(map(str, ours)):
        return sentences
    return f"{sentences} Some are numbers in one place and text in the other, as in CSV files."


def suggest_label(label: Any, known: LabelCounts, command: str) -> str:
    """Return a question if a label looks like one of the model, or like a missing one; or "".

    Examples
    --------
    >>> suggest_label("world", {"World": 140}, "tally forget")
    "Did you mean 'World'? With --merge-labels, tally forget uses the labels of the model."
    """
    from tallytext.classifier.label_checks import count_problems

    found = count_problems({label: 1}, known).replacements()
    if label not in found:
        return ""
    if found[label] is None:
        return f"Is it a missing label? With --merge-labels, {command} leaves such documents out."
    return (
        f"Did you mean {found[label]!r}? With --merge-labels, {command} uses the labels of the "
        "model."
    )


def raise_problems(problems: LabelProblems, remedy: str | None = None) -> None:
    """Raise LabelError if labels look like mistakes, with what to do about them."""
    if not problems:
        return
    remedies = remedy or (
        "Correct them; or add --merge-labels to use the most frequent spelling and leave out "
        "documents without a label; or add --yes to keep the labels as they are."
    )
    raise LabelError(
        f"these labels look like mistakes. {' '.join(problems.sentences())} {remedies}"
    )
