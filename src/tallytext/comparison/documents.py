"""Documents to compare learners on: texts and labels, refused where nothing can be learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tallytext.classifier.labels import (
    expect_as_many,
    expect_labels,
    expect_single,
    is_single,
    labels_of,
)
from tallytext.comparison.splits import Rows
from tallytext.errors import InputError, LabelError, VocabularyError
from tallytext.text.sources import as_texts
from tallytext.vectorizer import TextVectorizer

# So many tell in nearly all cases whether there are words at all.
_FIRST = 1_000


@dataclass(frozen=True)
class Documents:
    """Texts and their labels.

    Attributes
    ----------
    texts : sequence of str
    labels : list
        One label each, or a list of labels each.
    several : bool
        Whether documents may have several labels.
    """

    texts: Sequence[str]
    labels: list[Any]
    several: bool

    def some(self, rows: Rows) -> tuple[list[str], list[Any]]:
        """Return the texts and labels of some documents.

        Parameters
        ----------
        rows : ndarray of int
            Which documents, counted from 0.
        """
        return [self.texts[row] for row in rows], [self.labels[row] for row in rows]


def documents_of(texts: Any, labels: Any) -> Documents:
    """Return texts with their labels, if learners can be compared on them.

    Parameters
    ----------
    texts : list, column or iterable of str
    labels : list, column or array
        One label per text, or a list of labels per text.

    Examples
    --------
    >>> documents_of(["a wave", "a cloud", "a reef"], ["sea", "sky", "sea"]).several
    False
    """
    listed, _ = labels_of(labels)
    expect_labels(listed)
    read = as_texts(texts).strings()
    expect_as_many(len(read), listed)
    if not any(map(str.strip, read)):
        raise InputError("all documents are empty. Is this the column of the texts?")
    several = not all(map(is_single, listed))
    documents = Documents(read, listed if several else expect_single(listed), several)
    _expect_classes(documents)
    return documents


def expect_words(texts: Sequence[str], vectorizer: TextVectorizer) -> None:
    """Refuse texts that no term can be made of, before every learner has tried.

    Parameters
    ----------
    texts : sequence of str
    vectorizer : TextVectorizer
        How texts become terms; it is fitted.

    Examples
    --------
    >>> expect_words(["?!", "..."], TextVectorizer())
    Traceback (most recent call last):
    tallytext.errors.InputError: no document has a word. Is this the column of the texts?
    """
    try:
        if vectorizer.fit_transform(texts[:_FIRST]).shape[1]:
            return
    except VocabularyError:  # of limits such as min_df, which all of them may meet
        pass
    if not vectorizer.fit_transform(texts).shape[1]:
        raise InputError("no document has a word. Is this the column of the texts?")


def _expect_classes(documents: Documents) -> None:
    """Refuse labels that nothing can be learned from."""
    labels = documents.labels
    distinct = {label for each in labels for label in (each if documents.several else [each])}
    if len(distinct) < 2:
        raise LabelError(
            f"all documents have the label {[*distinct]!r:.80}: nothing to tell apart."
        )
    if not documents.several and len(distinct) == len(labels):
        raise LabelError(
            f"no two of the {len(labels)} documents have the same label: nothing can be learned "
            "from one and judged by another. Is this the column of the labels?"
        )
