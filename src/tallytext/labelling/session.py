"""Documents, answers so far, and the model that learns from both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext._validation import check_whole
from tallytext.classifier.classifier import TextClassifier
from tallytext.decision.explanation import Explanation
from tallytext.errors import FileError, InputError
from tallytext.labelling.asking import Asking, leads_of
from tallytext.labelling.journal import Answer, Journal
from tallytext.models.pooled import PooledNB
from tallytext.text.vectorizer import TextVectorizer

# ------------------------------------------------------------------------------------------------
# Labels of documents, in order, and which of them a model has learned from.

# When labels have grown by so much, in per cent, the model learns anew.
_GROWTH = 5


class Labels:
    """The labels that documents have: given ones first, then answers in their order.

    Parameters
    ----------
    given : mapping of int to str
        Labels by document.
    answers : iterable of (int, str)
        Documents and labels; they stand above given ones.

    Examples
    --------
    >>> labels = Labels({4: "sea"}, [(7, "sea")])
    >>> labels.due  # of one kind: there is nothing to learn
    {}
    >>> labels.add(2, "sky")
    >>> labels.due
    {4: 'sea', 7: 'sea', 2: 'sky'}
    >>> labels.take_back(2)
    >>> labels.by_row
    mappingproxy({4: 'sea', 7: 'sea'})
    """

    def __init__(self, given: Mapping[int, str], answers: Iterable[tuple[int, str]]) -> None:
        self._given = dict(given)
        self._by_row = self._given | dict(answers)

    @property
    def by_row(self) -> Mapping[int, str]:
        """The label of each document that has one."""
        return MappingProxyType(self._by_row)

    @property
    def due(self) -> dict[int, str]:
        """The labels that a model learns from; none before there are two kinds.

        They depend on the labels alone, not on how they came to be: the same after an undo or a
        break as before.
        """
        first = self._first_size()
        n = 0 if first is None else due_size(len(self._by_row), first)
        return dict(islice(self._by_row.items(), n))

    def add(self, row: int, label: str) -> None:
        """Give a document a label."""
        self._by_row[row] = label

    def take_back(self, row: int) -> None:
        """Take the last label that was added back; a given one that it stood above is there again.

        Parameters
        ----------
        row : int
            Its document.
        """
        if row in self._given:
            self._by_row[row] = self._given[row]
        else:
            del self._by_row[row]

    def _first_size(self) -> int | None:
        """Return of how many labels the first model is: all given ones, and two kinds."""
        one = next(iter(self._by_row.values()), None)
        kinds = enumerate(self._by_row.values(), 1)
        other = next((n for n, label in kinds if label != one), None)
        return None if other is None else max(other, len(self._given))


def due_size(n: int, first: int) -> int:
    """Return how many of n labels a model has learned from: at first each is learned from at once.

    Parameters
    ----------
    n : int
    first : int
        Of how many the first model is.

    Examples
    --------
    >>> [due_size(n, 2) for n in (2, 3, 20, 21, 22, 23, 60)]
    [2, 3, 20, 21, 21, 23, 59]
    """
    size = first
    while (after := size - (-size * _GROWTH // 100)) <= n:
        size = after
    return size


# ------------------------------------------------------------------------------------------------
# How far labelling has come, as the answers tell.


@dataclass(frozen=True)
class Standing:
    """What answers tell of the guesses before them.

    Documents that would teach most are hard ones, so that only guesses on those drawn at random
    tell how often the model is right.

    Parameters
    ----------
    answers : sequence of Answer
        In the order in which they were given.

    Examples
    --------
    >>> drawn = [Answer(row, "", "sea", True, "sea" if row else "sky") for row in range(10)]
    >>> standing = Standing([*drawn, Answer(10, "", "sky", False, "sea")])
    >>> sum(standing.drawn), len(standing.drawn)
    (9, 10)
    >>> standing.shares(block=5)
    [0.8, 1.0]
    """

    answers: Sequence[Answer]

    @property
    def drawn(self) -> list[bool]:
        """Whether each guess on a document drawn at random was right."""
        return [
            answer.guess == answer.label
            for answer in self.answers
            if answer.at_random and answer.guess is not None
        ]

    @property
    def counts(self) -> dict[str, int]:
        """How many answers each label has, in the order in which labels came."""
        found: dict[str, int] = {}
        for answer in self.answers:
            found[answer.label] = found.get(answer.label, 0) + 1
        return found

    def shares(self, block: int) -> list[float]:
        """Return the share of right guesses in each block of documents drawn at random.

        The last block has up to twice as many, so that none is of a few.

        Parameters
        ----------
        block : int
            How many documents are in one.
        """
        drawn = self.drawn
        starts = range(0, max(len(drawn) - block, 0) + 1, block)
        ends = [*list(starts)[1:], len(drawn)]
        parts = [drawn[start:end] for start, end in zip(starts, ends, strict=True)]
        return [sum(part) / len(part) for part in parts if part]


_ANALYSIS: dict[str, Any] = {"hangul": "words+bigrams", "min_length": 1}
# Documents that were asked for because they are hard say little of how far to trust the anchor.
_DOUBT = 1.5


class Guess(NamedTuple):
    """What the model says of a document, and how sure it is.

    Attributes
    ----------
    label : str
        The likeliest class.
    probability : float
        How likely it is.
    """

    label: str
    probability: float


class Question(NamedTuple):
    """A document to be labelled.

    Attributes
    ----------
    row : int
        Its number.
    text : str
    guess : Guess or None
        What the model says; None before it knows two classes.
    at_random : bool
        Whether it was drawn at random, and not because it would teach most.
    """

    row: int
    text: str
    guess: Guess | None
    at_random: bool


class Accuracy(NamedTuple):
    """How many guesses on documents drawn at random were right, before the answer was known.

    Attributes
    ----------
    right : int
        How many guesses were right.
    asked : int
        Of how many.
    """

    right: int
    asked: int


class Session:
    """Labelling of documents, which can be ended at any moment and taken up again.

    Parameters
    ----------
    texts : sequence of str
        All documents, with and without labels.
    journal : Journal
        Where answers are kept. Those that it has are taken up.
    given : mapping of int to str, default=None
        Labels that documents have already, by number. They are learned from, not asked for, and
        not written to the journal; an answer there to such a document stands above them.
    random_every : int, default=5
        Of so many questions the last is about a document drawn at random, so that accuracy can be
        told; 1 for all of them.
    seed : int, default=0
        For what is drawn at random.
    n_jobs : int, default=None
        Number of threads; None for all cores.

    Raises
    ------
    FileError
        If the journal has answers to documents that are not among the texts.
    InputError
        If there are no two documents, or none has a word in it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> texts = ["salt sea", "blue sky", "deep sea fish", "kite in the sky", "sea wave", "high sky"]
    >>> with Journal(Path(tempfile.mkdtemp()) / "texts.labels.jsonl") as journal:
    ...     session = Session(texts, journal)
    ...     for _ in range(3):
    ...         question = session.question()
    ...         session.answer("sea" if "sea" in question.text else "sky")
    >>> session.classes, session.n_answers
    (['sea', 'sky'], 3)
    """

    def __init__(
        self,
        texts: Sequence[str],
        journal: Journal,
        *,
        given: Mapping[int, str] | None = None,
        random_every: int = 5,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        check_whole("random_every", random_every, 1)
        if len(texts) < 2:
            count = "one document" if len(texts) else "no document"
            raise InputError(f"there is nothing to choose from: there is {count}.")
        self.texts, self.journal = texts, journal
        self._n_jobs, self._random_every = n_jobs, random_every
        self._vectorizer = TextVectorizer(**_ANALYSIS)
        self._counts = self._vectorizer.fit_transform(texts)
        if not self._counts.nnz:
            raise InputError(
                f"none of the {len(texts):,} documents has a word in it, so that nothing can be "
                f"learned; the first is {texts[0]!r:.60}. Is the column (--text) that of the texts?"
            )
        self._model = PooledNB(doubt=_DOUBT, n_jobs=n_jobs, verbose=False)
        # The pool is made ready once; what labels there are comes to it later.
        self._model.fit(self._counts[:1], [""], self._counts[1:])
        pool = self._model.pool_
        assert pool is not None
        self._asking = Asking(pool.latent, seed)
        self._order = np.random.default_rng(seed).permutation(len(texts))
        # Each with the number of answers before it: what was done last is taken back first.
        self._skipped: list[tuple[int, Question]] = []
        self._question: Question | None = None
        self._check_own(journal.answers)
        answers = ((answer.row, answer.label) for answer in journal.answers)
        self._labels = Labels(given or {}, answers)
        # What the model has learned from; without anything it says nothing.
        self._learned: dict[int, str] = {}
        self._learn_if_due()

    @property
    def n_answers(self) -> int:
        """How many answers were given."""
        return len(self.journal.answers)

    @property
    def n_left(self) -> int:
        """How many documents may still be asked for."""
        return int((~self._taken()).sum())

    @property
    def labelled(self) -> Mapping[int, str]:
        """The documents with labels, given or answered, by number; it changes with the session."""
        return self._labels.by_row

    @property
    def classes(self) -> list[str]:
        """The labels that there are, sorted."""
        return sorted(set(self.labelled.values()))

    @property
    def accuracy(self) -> Accuracy:
        """How good guesses were on documents drawn at random."""
        drawn = Standing(self.journal.answers).drawn
        return Accuracy(sum(drawn), len(drawn))

    @property
    def is_over(self) -> bool:
        """Whether every document has a label or was left out."""
        return bool(self._taken().all())

    def question(self) -> Question:
        """Return the document to label next; the same until it is answered or skipped.

        Raises
        ------
        InputError
            If there is none left.
        """
        if self._question is None:
            if self.is_over:
                raise InputError("every document has a label, or was left out.")
            self._question = self._asked()
        return self._question

    def answer(self, label: str) -> None:
        """Give the document of the question a label; it is on disk when this returns.

        Parameters
        ----------
        label : str
            A class, known or new.
        """
        if not label.strip():
            raise InputError("a label has a letter, a digit or another sign.")
        question = self.question()
        guess = None if question.guess is None else question.guess.label
        self.journal.add(Answer(question.row, question.text, label, question.at_random, guess))
        self._labels.add(question.row, label)
        self._question = None
        self._learn_if_due()

    def skip(self) -> None:
        """Leave the document of the question out, for this session."""
        self._skipped.append((self.n_answers, self.question()))
        self._question = None

    def undo(self) -> Question:
        """Take the last answer back: everything is as it was before, and its document is asked.

        If a document was skipped since, that is taken back instead.

        Raises
        ------
        InputError
            If there is none to take back.
        """
        if self._skipped and self._skipped[-1][0] == self.n_answers:
            self._question = self._skipped.pop()[1]
            return self._question
        if not self.journal.answers:
            raise InputError("there is no answer to take back.")
        answer = self.journal.undo()
        self._labels.take_back(answer.row)
        self._question = None
        self._learn_if_due()
        guess = self._guess(answer.row)
        self._question = Question(answer.row, answer.text, guess, answer.at_random)
        return self._question

    def explanation(self) -> Explanation | None:
        """Return why the model guesses what it does of the question; None without a guess."""
        question = self.question()
        if question.guess is None:
            return None
        row = self._counts[[question.row]]
        return self._model.explain(row, text=question.text, vectorizer=self._vectorizer)

    def predict(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return what the model of now says of other documents.

        Parameters
        ----------
        texts : sequence of str

        Raises
        ------
        InputError
            If there are no answers of two labels yet.
        """
        if not self._learned:
            raise InputError("there is no model yet: it needs answers of two labels.")
        return self._model.predict(self._vectorizer.transform(texts))

    def classifier(self) -> TextClassifier:
        """Return a classifier of all answers, which has learned from all other documents, too."""
        labelled = self.labelled
        rest = [text for row, text in enumerate(self.texts) if row not in labelled]
        texts = [self.texts[row] for row in labelled]
        labels = [*labelled.values()]
        return TextClassifier(n_jobs=self._n_jobs).fit(texts, labels, unlabelled=rest)

    def _asked(self) -> Question:
        taken, n = self._taken(), self.n_answers
        at_random = n % self._random_every == self._random_every - 1
        if at_random:
            row = int(next(row for row in self._order if not taken[row]))
        else:
            row = self._telling(taken)
        return Question(row, self.texts[row], self._guess(row), at_random)

    def _telling(self, taken: NDArray[np.bool_]) -> int:
        """Return the document that would teach most."""
        candidates = self._asking.candidates(taken)
        shares = self._shares(candidates)
        leads = None if shares is None else leads_of(shares)
        return self._asking.best(candidates, leads, [*self.labelled])

    def _guess(self, row: int) -> Guess | None:
        shares = self._shares([row])
        if shares is None:
            return None
        best = int(shares[0].argmax())
        return Guess(str(self._model.classes_[best]), float(shares[0, best]))

    def _shares(self, rows: NDArray[np.intp] | list[int]) -> FloatArray | None:
        """Return how likely each class is for some documents, to the model of now."""
        return self._model.predict_proba(self._counts[rows]) if self._learned else None

    def _taken(self) -> NDArray[np.bool_]:
        taken = np.zeros(len(self.texts), dtype=bool)
        taken[[*self.labelled]] = True
        taken[[question.row for _, question in self._skipped]] = True
        return taken

    def _learn_if_due(self) -> None:
        """Become what a session that begins with the answers so far would be."""
        due = self._labels.due
        if due and due != self._learned:
            self._model.refit([*due], [*due.values()])
        self._learned = due

    def _check_own(self, answers: Sequence[Answer]) -> None:
        for answer in answers:
            inside = 0 <= answer.row < len(self.texts)
            if not inside or self.texts[answer.row] != answer.text:
                raise FileError(
                    f"{str(self.journal.path)!r} has an answer to document {answer.row}, which is "
                    "another one now: was the input changed? Give that input, or another file "
                    "for the answers."
                )
