"""What somebody who labels sees, and what keys do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.panel import Panel
from rich.text import Text

from tallytext.cli.console import complain, results
from tallytext.errors import InputError

if TYPE_CHECKING:
    from tallytext.cli.keys import Keys
    from tallytext.labelling import Question, Session

_DIGITS, _LETTERS = "123456789", "abcdefghijklmoprtvwxyz"
_COMMANDS = {"n": "new label", "s": "skip", "u": "undo", "q": "end"}
_LONGEST, _WORDS = 3_000, 6


class Screen:
    """A question after the other.

    Parameters
    ----------
    session : Session
    keys : Keys
    classes : sequence of str
        Labels that have keys before they are given.
    """

    def __init__(self, session: Session, keys: Keys, classes: Sequence[str] = ()) -> None:
        self._session, self._keys = session, keys
        self._classes = [*dict.fromkeys([*classes, *session.classes])]
        self._console = results()

    @property
    def labels(self) -> dict[str, str]:
        """The label of each key, in the order in which labels came."""
        return dict(zip(_DIGITS + _LETTERS, self._classes, strict=False))

    def show(self) -> None:
        """Show the question, what the model says of it, and the keys."""
        question = self._session.question()
        self._console.rule(self._head(question), align="left")
        self._console.print(self._body(question))
        self._console.print(self._foot(question))

    def obey(self) -> bool:
        """Wait for a key and do what it says; False if it says to end."""
        key = self._keys.pressed()
        if key == "q":
            return False
        actions: dict[str, Callable[[], object]] = {
            "": self._take_guess,
            "n": self._make_new,
            "s": self._session.skip,
            "u": self._session.undo,
        }
        try:
            actions.get(key, lambda: self._give(key))()
        except InputError as problem:
            complain(str(problem))
        return True

    def _take_guess(self) -> None:
        guess = self._session.question().guess
        if guess is None:
            raise InputError("there is no guess yet: give a label, or n for a new one.")
        self._answer(guess.label)

    def _make_new(self) -> None:
        self._console.print("new label: ", end="")
        self._answer(self._keys.line())

    def _give(self, key: str) -> None:
        """Give the label of a key; a longer word that was typed is a label itself."""
        if key in self.labels:
            self._answer(self.labels[key])
        elif len(key) > 1:
            self._answer(key)
        else:
            raise InputError(f"{key!r} is no key of a label.")

    def _answer(self, label: str) -> None:
        self._session.answer(label)
        if label not in self._classes:
            self._classes.append(label)

    def _head(self, question: Question) -> Text:
        said = self._session.accuracy
        parts = [f"{self._session.n_answers:,} answers", f"{len(self._session.classes)} labels"]
        if said.asked:
            share = f"{said.right / said.asked:.0%}"
            parts.append(f"guesses right: {share} of {said.asked} drawn at random")
        if question.at_random:
            parts.append("this one is drawn at random")
        return Text(", ".join(parts))

    def _body(self, question: Question) -> object:
        explanation = self._session.explanation()
        if explanation is None or len(question.text) > _LONGEST:
            return Panel(Text(question.text[:_LONGEST]))
        return explanation.to_rich(_WORDS)

    def _foot(self, question: Question) -> Text:
        keys = [f"[{key}] {label}" for key, label in self.labels.items()]
        if question.guess is not None:
            sure = f"{question.guess.probability:.0%}"
            keys.insert(0, f"[Enter] {question.guess.label} ({sure})")
        keys += [f"[{key}] {what}" for key, what in _COMMANDS.items()]
        return Text("  ".join(keys))
