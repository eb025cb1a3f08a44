"""What keys do while documents are labelled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from tallytext.cli.interrupts import held_back
from tallytext.cli.label_keys import BACK, MORE, label_keys
from tallytext.cli.terminal import DOWN, ESCAPE, REDRAW, UP
from tallytext.errors import InputError, TallytextError

if TYPE_CHECKING:
    from tallytext.cli.keys import Keys
    from tallytext.cli.label_screen import Screen
    from tallytext.cli.label_standing import Pace
    from tallytext.labelling import Question, Session


class Dialogue:
    """Questions, and what is pressed at them.

    Parameters
    ----------
    session : Session
    keys : Keys
    screen : Screen
    pace : Pace
    classes : sequence of str
        Labels that have keys before they are given.
    quiet : bool
        Whether questions are not shown to anybody who is not there.
    """

    def __init__(
        self,
        session: Session,
        keys: Keys,
        screen: Screen,
        pace: Pace,
        classes: Sequence[str] = (),
        quiet: bool = False,
    ) -> None:
        self._session, self._keys, self._screen, self._pace = session, keys, screen, pace
        self._classes = classes
        self._is_seen = keys.are_of_a_terminal or not quiet
        self._asked: Question | None = None
        self._part, self._notice = 0, ""

    @property
    def labels(self) -> dict[str, str]:
        """The label of each key: those named first, then in the order of their first document."""
        return label_keys([*self._classes, *self._session.labelled.values()])

    def run(self) -> None:
        """Ask until all is answered, or somebody has had enough."""
        while not self._session.is_over:
            self._show()
            key = self._keys.pressed()
            self._notice = ""
            if key == "q":
                return
            try:
                self._obey(key)
            except (TallytextError, OSError) as problem:
                if not self._keys.are_of_a_terminal:
                    raise  # the lines that follow were meant for other documents
                self._notice = self._screen.tell(_told(problem, key))

    def _show(self) -> None:
        question = self._session.question()
        if question is not self._asked:
            # What was pressed before the question was there is no answer to it.
            self._keys.discard()
            self._asked, self._part = question, 0
        if self._is_seen:
            self._screen.show(self.labels, self._part, self._notice)

    def _obey(self, key: str) -> None:
        if key in (REDRAW, ESCAPE):
            return
        actions: dict[str, Callable[[], None]] = {
            "": self._take_guess,
            "n": self._type,
            "s": self._skip,
            "u": self._undo,
            "?": self._help,
            **dict.fromkeys((MORE, *DOWN), lambda: self._turn(1)),
            **dict.fromkeys((BACK, *UP), lambda: self._turn(-1)),
        }
        actions.get(key, lambda: self._give(key))()

    def _take_guess(self) -> None:
        guess = self._session.question().guess
        if guess is None:
            raise InputError("there is no guess yet: give a label, or n for a new one.")
        self._answer(guess.label)

    def _type(self) -> None:
        what = "label (Enter gives it, Esc goes back): "
        known = [*self.labels.values()]
        label = self._keys.typed(lambda typed: self._screen.show_typed(what, typed), known)
        if label and self._is_meant(label):
            self._answer(label)

    def _is_meant(self, label: str) -> bool:
        """Ask again about a label that looks like a slip of another."""
        known = {*self._classes, *self._session.classes}
        if label in known or not self._keys.are_of_a_terminal:
            return True
        alike = [each for each in known if each.casefold() == label.casefold()]
        alike = alike or get_close_matches(label, known, n=1, cutoff=0.8)
        if not alike:
            return True
        self._screen.show_last(f"is {label!r} another label than {alike[0]!r}? y or n: ")
        return self._keys.pressed() == "y"

    def _give(self, key: str) -> None:
        """Give the label of a key; a longer word, as from a pipe, is a label itself."""
        labels = self.labels
        if key in labels:
            self._answer(labels[key])
        elif len(key) > 1 and key.isprintable():
            self._answer(key)
        elif key.isprintable():
            raise InputError(f"{key!r} is no key of a label; press n to type one, ? for help.")

    def _answer(self, label: str) -> None:
        guess = self._session.question().guess
        self._wait(f"{label} …")
        with held_back():  # an answer is kept and learned from, or it was never given
            self._session.answer(label)
        self._pace.step()
        was = f" (the guess was {guess.label})" if guess and guess.label != label else ""
        self._notice = f"{label}: kept{was}. u takes it back."

    def _skip(self) -> None:
        self._session.skip()
        self._notice = "skipped. u takes it back."

    def _undo(self) -> None:
        n = self._session.n_answers
        last = self._session.journal.answers[-1].label if n else ""
        self._wait("taking back …")
        with held_back():
            self._session.undo()
        taken = f"{last}: taken back" if self._session.n_answers < n else "the skip: taken back"
        self._notice = f"{taken}; here is the document again."

    def _wait(self, what: str) -> None:
        """Show that a key was seen: learning from it may take a second."""
        if self._keys.are_of_a_terminal:
            self._screen.show_last(what)

    def _help(self) -> None:
        self._screen.show_help(str(self._session.journal.path))
        if self._keys.are_of_a_terminal:
            self._keys.pressed()

    def _turn(self, step: int) -> None:
        """Go to the next part of a long document, and from the last to the excerpt."""
        self._part = (self._part + step) % (self._screen.n_parts + 1)


def _told(problem: Exception, key: str) -> str:
    if not isinstance(problem, OSError):
        return str(problem)
    what, again = ("taken back", "press u") if key == "u" else ("kept", "give it")
    return f"the answer could not be {what}: {problem.strerror}. Mend that, and {again} again."
