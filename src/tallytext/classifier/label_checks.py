"""Checks of labels: spellings, typos, missing labels, and words that give a label away."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from tallytext._core import CHAR_MARK
from tallytext.errors import quote_value
from tallytext.tally.labels import list_labels

if TYPE_CHECKING:
    from tallytext.tally.tally import Tally

#: Labels and their numbers of documents.
LabelCounts: TypeAlias = Mapping[Any, int]
#: A label and the number of documents that have it.
Counted: TypeAlias = tuple[Any, int]

# What programs write for a missing value. "none" is not among them, because it may be a class.
_MISSING = frozenset(
    ["NaN", "nan", "NAN", "<NA>", "NA", "N/A", "n/a", "#N/A", "None", "null", "Null", "NULL"]
)
# A slip is rare: at most this many documents, or this share of those of the other label.
_MAX_SLIPS, _MAX_SLIP_SHARE = 2, 0.01
# The other label has this many times as many documents.
_MIN_RATIO = 10
_MIN_LENGTH = 4
# A letter replaced, added or left out makes another word of a short one: "opec" and "oapec".
_MIN_LENGTH_REPLACED = 6
# Except for the last letter, as in "Worl", if the other label has this many times as many.
_MIN_RATIO_LAST = 20
_MAX_SHOWN = 5
# A word tells the label of a class if it has these shares of its documents, and few others.
_MIN_LEAK_DOCUMENTS, _MIN_LEAK_SHARE, _MIN_NAMED_RECALL = 20, 0.99, 0.9


@dataclass(frozen=True)
class LabelProblems:
    """Labels that are probably meant to be the same, or to be missing.

    Attributes
    ----------
    spellings : tuple of tuple of (label, count)
        Labels that differ only by case, blanks or type; the most frequent of each group first.
    slips : tuple of ((label, count), (label, count))
        A rare label that differs by one letter, or by two letters exchanged, from a frequent one,
        and that one.
    missing : tuple of (label, count)
        Labels such as "NaN", "None" or "null", which programs write for a missing value.
    in_model : frozenset of labels
        Labels of a model, whose counts are those of the model.

    Examples
    --------
    >>> problems = label_problems(["spam"] * 20 + ["Spam", "NaN", "spma"])
    >>> print(problems)
    'spam' (20) and 'Spam' (1) differ only by case or blanks.
    'spma' (1) may be a typo of 'spam' (21).
    'NaN' (1) looks like a missing label.
    >>> problems.replacements()
    {'Spam': 'spam', 'spma': 'spam', 'NaN': None}
    """

    spellings: tuple[tuple[Counted, ...], ...] = ()
    slips: tuple[tuple[Counted, Counted], ...] = ()
    missing: tuple[Counted, ...] = ()
    in_model: frozenset[Any] = field(default=frozenset(), repr=False)

    def __bool__(self) -> bool:
        return bool(self.spellings or self.slips or self.missing)

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """Return a sentence for each problem, at most five of each kind."""
        spelled = [
            f"{_join(map(self._describe, group))} differ only by {_difference(group)}."
            for group in self.spellings
        ]
        slips = [
            f"{self._describe(rare)} may be a typo of {self._describe(known)}."
            for rare, known in self.slips
        ]
        missing = [_missing_sentence(self.missing)] if self.missing else []
        return [*_first_sentences(spelled), *_first_sentences(slips), *missing]

    def _describe(self, each: Counted) -> str:
        label, n = each
        return f"{quote_value(label)} ({n:,}{' in the model' * (label in self.in_model)})"

    def replacements(self) -> dict[Any, Any]:
        """Return the most frequent spelling for each other one, and None for missing labels."""
        found: dict[Any, Any] = {}
        for (best, _), *others in self.spellings:
            found |= {label: best for label, _ in others}
        for (rare, _), (known, _) in self.slips:
            found[rare] = found.get(known, known)
        # A spelling of a slip: both lead to the same label.
        found = {label: found.get(best, best) for label, best in found.items()}
        return found | {label: None for label, _ in self.missing}


def label_problems(labels: Any, known: LabelCounts | None = None) -> LabelProblems:
    """Return the labels that are probably meant to be the same, or to be missing.

    Parameters
    ----------
    labels : list, column or array
        One label per document, or a list of labels per document.
    known : mapping of label to int, default=None
        The labels of a model and their numbers of documents. With it, only problems of labels that
        the model does not have are returned.

    Examples
    --------
    >>> label_problems(["work", "work ", "WORK", "work"]).spellings
    ((('work', 2), ('work ', 1), ('WORK', 1)),)
    >>> label_problems(["class1", "class2"] * 20)
    LabelProblems(spellings=(), slips=(), missing=())
    """
    return count_problems(count_labels(list_labels(labels)), known)


def count_labels(labels: Iterable[Any]) -> Counter[Any]:
    """Return the number of documents with each label.

    Examples
    --------
    >>> count_labels(["sea", ["sea", "sky"], []])
    Counter({'sea': 2, 'sky': 1})
    """
    counts: Counter[Any] = Counter()
    for label in labels:
        if isinstance(label, list | tuple | set | frozenset):
            counts.update(set(label))
        else:
            counts[label] += 1
    return counts


def count_problems(counts: LabelCounts, known: LabelCounts | None = None) -> LabelProblems:
    """Return the problems of labels that are counted already; see :func:`label_problems`."""
    before = {} if known is None else known
    both = Counter(before)
    both.update(counts)
    # Equal numbers are one label, so that only text can look like another label.
    spelled: defaultdict[str, list[Counted]] = defaultdict(list)
    for label, n in both.items():
        spelled[_join_parts(_normalize(label))].append((label, n))
    folded = {_normalize(_largest(group)[0]): group for group in spelled.values()}
    missing = tuple((label, n) for label, n in counts.items() if is_missing_label(label))

    def is_new(label: Any) -> bool:
        return label not in before and not is_missing_label(label)

    spellings = tuple(
        # A label of the model comes before others, because the model keeps its labels.
        tuple(sorted(group, key=lambda each: (each[0] not in before, -each[1])))
        for group in folded.values()
        if len(group) > 1 and any(is_new(label) for label, _ in group)
    )

    def count_once(each: Counted) -> Counted:
        # Documents of the input and of the model are not added up in a message.
        return each[0], before.get(each[0], each[1])

    slips = ((rare, other) for rare, other in _slips(folded) if is_new(rare[0]))
    return LabelProblems(
        tuple(tuple(map(count_once, group)) for group in spellings),
        tuple((rare, count_once(other)) for rare, other in slips),
        tuple(each for each in missing if each[0] not in before),
        frozenset(before),
    )


def is_missing_label(label: Any) -> bool:
    """Return True for a text that programs write for a missing value.

    Examples
    --------
    >>> [is_missing_label(label) for label in ("NaN", " null", "none", "Nancy", 0)]
    [True, True, False, False, False]
    """
    return isinstance(label, str) and label.strip() in _MISSING


def replace_labels(labels: Sequence[Any], replacements: Mapping[Any, Any]) -> list[Any]:
    """Return labels with others in their places; None for documents without a label.

    Parameters
    ----------
    labels : sequence
        One label per document, or a list of labels per document. Missing labels are removed from
        lists.
    replacements : mapping
        The result of :meth:`LabelProblems.replacements`.

    Examples
    --------
    >>> replace_labels(["Ham", ["ham", "Ham", "NaN"], "NaN"], {"Ham": "ham", "NaN": None})
    ['ham', ['ham'], None]
    """
    return [_replace_label(label, replacements) for label in labels]


class LabelLeak(NamedTuple):
    """A word that predicts a label almost by itself, perhaps because the text contains the label.

    Attributes
    ----------
    term : str
        The word, or pair of words.
    label : label
    n_documents : int
        The documents with the label that have the word.
    n_class : int
        The documents with the label.
    n_others : int
        The documents with the word that do not have the label.
    resembles : bool
        True if the word is the label, or a part of it.

    Examples
    --------
    >>> print(LabelLeak("autos", "rec.autos", 594, 594, 0, True))
    the word 'autos' occurs in all 594 documents of 'rec.autos' and in no other: does the text \
contain the label?
    """

    term: str
    label: Any
    n_documents: int
    n_class: int
    n_others: int
    resembles: bool

    def __str__(self) -> str:
        many = f"{self.n_documents:,} of" if self.n_documents < self.n_class else "all"
        others = (
            f"{self.n_others:,} other{'s' * (self.n_others != 1)}" if self.n_others else "no other"
        )
        question = (
            "does the text contain the label?"
            if self.resembles
            else "is it in the text only because of the label, as a header or a template is?"
        )
        return (
            f"the word {self.term!r} occurs in {many} {self.n_class:,} documents of "
            f"{quote_value(self.label)} and in {others}: {question}"
        )


def find_leaks(tally: Tally) -> list[LabelLeak]:
    """Return words that predict a label almost by themselves, at most one for each class.

    A word is returned if it occurs in 99% of the documents of a class of 20 or more, and 99% of
    the documents with the word have the label; or if it is a part of the label's name, and occurs
    in 90% of the documents of the class and in no other.

    Parameters
    ----------
    tally : Tally
        The counts of the training documents.

    Examples
    --------
    >>> from tallytext import Tally
    >>> texts = ["list sea: waves"] * 20 + ["list sky: clouds", "list sky: birds"] * 10
    >>> tally = Tally.from_texts(texts, ["sea"] * 20 + ["sky"] * 20)
    >>> for leak in find_leaks(tally):
    ...     print(leak.term, leak.label, leak.n_documents)
    sky sky 20
    sea sea 20
    """
    if len(tally.classes) < 2:
        return []
    n_class, n_term = tally.class_documents, tally.term_documents
    cells = tally.documents.tocoo()
    terms, classes, inside = cells.row, cells.col, cells.data
    is_common = (n_class[classes] >= _MIN_LEAK_DOCUMENTS) & (
        inside >= _MIN_NAMED_RECALL * n_class[classes]
    )
    precise = inside >= _MIN_LEAK_SHARE * n_term[terms]
    found: dict[Any, LabelLeak] = {}
    for at in np.flatnonzero(is_common & precise).tolist():
        term, c, n = str(tally.vocabulary.terms([terms[at]])[0]), int(classes[at]), int(inside[at])
        if term.startswith(CHAR_MARK):  # part of a word, which is a term itself
            continue
        label, n_others = tally.classes[c], int(n_term[terms[at]]) - n
        leak = LabelLeak(term, label, n, int(n_class[c]), n_others, _resembles(term, label))
        named = leak.resembles and not n_others
        if named or n >= _MIN_LEAK_SHARE * n_class[c]:
            found[label] = max(found.get(label, leak), leak, key=_leak_order)
    return sorted(found.values(), key=_leak_order, reverse=True)


def _leak_order(leak: LabelLeak) -> tuple[bool, float, int, str]:
    recall = leak.n_documents / leak.n_class
    return leak.resembles, recall, leak.n_documents - leak.n_others, leak.term


def _resembles(term: str, label: Any) -> bool:
    """Return True if all words of a term are words of the label."""
    words = {*re.findall(r"\w+", _normalize(label))}
    parts = re.findall(r"\w+", _normalize(term))
    return bool(parts) and (words >= {*parts})


def _replace_label(label: Any, replacements: Mapping[Any, Any]) -> Any:
    if not isinstance(label, list | tuple | set | frozenset):
        return replacements.get(label, label)
    replaced = (replacements.get(each, each) for each in label)
    return [each for each in dict.fromkeys(replaced) if each is not None]


def _normalize(label: Any) -> str:
    """Return a label without differences of case, blanks and Unicode forms."""
    text = label if isinstance(label, str) else repr(label)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.split()).casefold()


def _join_parts(text: str) -> str:
    """Return a label without blanks, except between digits: "1 2" is not "12"."""
    return re.sub(r"(?<!\d) | (?!\d)", "", text)


def _slips(folded: Mapping[str, list[Counted]]) -> Iterator[tuple[Counted, Counted]]:
    """Yield rare labels with the frequent label that they differ from by one slip."""
    totals = {text: sum(n for _, n in group) for text, group in folded.items()}
    frequent = {text: n for text, n in totals.items() if n >= _MIN_RATIO}
    if not frequent:
        return
    most = max(frequent.values())
    rare = [
        text
        for text, n in totals.items()
        if n <= max(_MAX_SLIPS, _MAX_SLIP_SHARE * most) and len(text) >= _MIN_LENGTH
    ]
    # Texts at a distance of one edit share a text with at most one letter deleted.
    near: defaultdict[str, list[str]] = defaultdict(list)
    for text in frequent if rare else ():
        for shorter in _deletions(text) if len(text) >= _MIN_LENGTH else ():
            near[shorter].append(text)
    for text in rare:
        others = {other for shorter in _deletions(text) for other in near.get(shorter, ())}
        likely = [
            other
            for other in others
            if _is_rare(totals[text], totals[other])
            and (_is_slip(text, other) or _is_last_letter(text, totals[text], other, totals[other]))
        ]
        if likely:
            other = max(likely, key=lambda each: (totals[each], each))
            yield (
                (_largest(folded[text])[0], totals[text]),
                (_largest(folded[other])[0], totals[other]),
            )


def _is_rare(n: int, n_other: int) -> bool:
    return n_other >= _MIN_RATIO * n and n <= max(_MAX_SLIPS, _MAX_SLIP_SHARE * n_other)


def _largest(group: list[Counted]) -> Counted:
    return max(group, key=lambda each: each[1])


def _deletions(text: str) -> set[str]:
    return {text, *(text[:at] + text[at + 1 :] for at in range(len(text)))}


def _is_slip(one: str, other: str) -> bool:
    """Return True if texts differ by one letter, or by two exchanged; not by the first letter.

    A different first letter makes another word more often than a slip: "rain" and "train".
    """
    start = _common_start(one, other)
    end = _common_start(one[start:][::-1], other[start:][::-1])
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    if not start or not (left + right).isalpha():
        return False
    if len(left) == len(right) == 2:
        return left == right[::-1]
    if len(left) == len(right) == 1:
        return _word_length(one, start) >= _MIN_LENGTH_REPLACED
    longer = max(one, other, key=len)
    if len(left) + len(right) != 1:
        return False
    # A letter twice is a slip in short words, too: "spaam".
    is_doubled = longer[start] == longer[start - 1]
    return _word_length(longer, start) >= (_MIN_LENGTH if is_doubled else _MIN_LENGTH_REPLACED)


def _is_last_letter(rare: str, n_rare: int, frequent: str, n_frequent: int) -> bool:
    """Return True if a very rare label lacks the last letter of a frequent one, or has one more."""
    shorter, longer = sorted((rare, frequent), key=len)
    if n_rare > _MAX_SLIPS or n_frequent < _MIN_RATIO_LAST * n_rare or longer[:-1] != shorter:
        return False
    return longer[-1].isalpha() and _word_length(frequent, len(frequent) - 1) >= _MIN_LENGTH


def _common_start(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _word_length(text: str, at: int) -> int:
    """Return the length of the word with a letter, 0 at its start: the B of "type B" is a name."""
    if not text[at - 1].isalpha():
        return 0
    before = next((n for n in range(at) if not text[at - 1 - n].isalpha()), at)
    after = next((n for n in range(at, len(text)) if not text[n].isalpha()), len(text))
    return before + after - at


def _missing_sentence(missing: Sequence[Counted]) -> str:
    shown = _join(map(_describe_count, missing))
    if len(missing) == 1:
        return f"{shown} looks like a missing label."
    return f"{shown} look like missing labels."


def _difference(group: Sequence[Counted]) -> str:
    if any(not isinstance(label, str) for label, _ in group):
        return "type: one is text, one a number"
    return "case or blanks"


def _describe_count(each: Counted) -> str:
    label, n = each
    return f"{quote_value(label)} ({n:,})"


def _join(shown: Iterable[str]) -> str:
    *first, last = shown
    more = len(first) - _MAX_SHOWN
    if more > 0:
        first, last = first[:_MAX_SHOWN], f"{more + 1:,} more"
    return f"{', '.join(first)} and {last}" if first else last


def _first_sentences(sentences: list[str]) -> list[str]:
    more = len(sentences) - _MAX_SHOWN
    return [*sentences[:_MAX_SHOWN], f"And {more:,} more like these."] if more > 0 else sentences
