"""Documents, answers so far, and the model that learns from both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext.classifier import TextClassifier
from tallytext.errors import FileError, InputError
from tallytext.explanation import Explanation
from tallytext.labelling.asking import ONE_AT_RANDOM_OF, Asking
from tallytext.labelling.journal import Answer, Journal
from tallytext.labelling.places import Places
from tallytext.smoothing.base import Numbers
from tallytext.unlabelled import PooledNB
from tallytext.vectorizer import TextVectorizer

_ANALYSIS: dict[str, Any] = {"hangul": "words+bigrams", "min_length": 1}
# After so many answers, in per cent of those before, the model learns anew.
_GROWTH = 5


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
    seed : int, default=0
        For what is drawn at random.
    n_jobs : int, default=None
        Number of threads; None for all cores.

    Raises
    ------
    FileError
        If the journal has answers to documents that are not among the texts.

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
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        if len(texts) < 2:
            raise InputError(f"there is nothing to choose from: {len(texts)} documents.")
        self.texts, self.journal = texts, journal
        self._n_jobs = n_jobs
        self._vectorizer = TextVectorizer(**_ANALYSIS)
        self._counts = self._vectorizer.fit_transform(texts)
        self._model = PooledNB(n_jobs=n_jobs, verbose=False)
        # The pool is made ready once; what labels there are comes to it later.
        self._model.fit(self._counts[:1], [""], self._counts[1:])
        pool = self._model.pool_
        assert pool is not None
        self._asking = Asking(Places(pool.latent, seed))
        self._order = np.random.default_rng(seed).permutation(len(texts))
        self._skipped: set[int] = set()
        self._question: Question | None = None
        self._learned = 0
        self._known: Numbers | None = None
        self._expect_own(journal.answers)
        self._begin_anew()

    @property
    def n_answers(self) -> int:
        """How many documents have labels."""
        return len(self.journal.answers)

    @property
    def classes(self) -> list[str]:
        """The labels that were given, sorted."""
        return sorted({answer.label for answer in self.journal.answers})

    @property
    def accuracy(self) -> Accuracy:
        """How good guesses were on documents drawn at random."""
        drawn = [
            answer.guess == answer.label
            for answer in self.journal.answers
            if answer.at_random and answer.guess is not None
        ]
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
        self._asking.places.take(question.row)
        self._question = None
        self._learn_if_due()

    def skip(self) -> None:
        """Leave the document of the question out, for this session."""
        self._skipped.add(self.question().row)
        self._question = None

    def undo(self) -> Question:
        """Take the last answer back: everything is as it was before, and its document is asked.

        Raises
        ------
        InputError
            If there is none to take back.
        """
        if not self.journal.answers:
            raise InputError("there is no answer to take back.")
        answer = self.journal.undo()
        self._begin_anew()
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

    def classifier(self) -> TextClassifier:
        """Return a classifier of all answers, which has learned from all other documents, too."""
        labelled = {answer.row for answer in self.journal.answers}
        rest = [text for row, text in enumerate(self.texts) if row not in labelled]
        pairs = [(answer.text, answer.label) for answer in self.journal.answers]
        texts, labels = map(list, zip(*pairs, strict=True)) if pairs else ([], [])
        return TextClassifier(n_jobs=self._n_jobs).fit(texts, labels, unlabelled=rest)

    def _asked(self) -> Question:
        taken, n = self._taken(), self.n_answers
        at_random = n % ONE_AT_RANDOM_OF == ONE_AT_RANDOM_OF - 1
        if at_random:
            row = int(next(row for row in self._order if not taken[row]))
        else:
            row = self._asking.next(self._shares(), taken)
        return Question(row, self.texts[row], self._guess(row), at_random)

    def _guess(self, row: int) -> Guess | None:
        shares = self._shares()
        if shares is None:
            return None
        best = int(shares[row].argmax())
        return Guess(str(self._model.classes_[best]), float(shares[row, best]))

    def _shares(self) -> Numbers | None:
        """Return how likely each class is for each document, to the model of now."""
        if not self._learned:
            return None
        if self._known is None:
            self._known = self._model.predict_proba(self._counts)
        return self._known

    def _taken(self) -> NDArray[np.bool_]:
        taken = np.zeros(len(self.texts), dtype=bool)
        taken[[answer.row for answer in self.journal.answers]] = True
        taken[[*self._skipped]] = True
        return taken

    def _learn_if_due(self) -> None:
        if len(self.classes) < 2:
            return
        n = self.n_answers
        if not self._learned or (n - self._learned) * 100 >= _GROWTH * self._learned:
            self._learn()

    def _learn(self) -> None:
        answers = self.journal.answers
        self._model.refit([a.row for a in answers], [a.label for a in answers])
        self._learned, self._known = len(answers), None

    def _begin_anew(self) -> None:
        """Become what a session that begins with the answers so far would be."""
        rows = np.array([answer.row for answer in self.journal.answers], dtype=np.intp)
        self._asking.places.forget_all(rows)
        self._learned, self._known = 0, None
        if len(self.classes) >= 2:
            self._learn()

    def _expect_own(self, answers: Sequence[Answer]) -> None:
        for answer in answers:
            inside = 0 <= answer.row < len(self.texts)
            if not inside or self.texts[answer.row] != answer.text:
                raise FileError(
                    f"{str(self.journal.path)!r} has an answer to document {answer.row}, which is "
                    "another one now: was the input changed? Give that input, or another file "
                    "for the answers."
                )
