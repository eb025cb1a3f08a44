"""What somebody who labels sees: a question, what the model says of it, and the keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from tallytext.cli.console import complain, results
from tallytext.cli.label_help import HELP
from tallytext.cli.label_keys import COMMANDS
from tallytext.cli.label_passage import Marks, excerpt, passage, weights_of
from tallytext.cli.label_standing import Pace, standing_parts
from tallytext.explanation.as_rich import visible

if TYPE_CHECKING:
    from rich.console import Console

    from tallytext.explanation import Explanation
    from tallytext.labelling import Question, Session

_WORDS = 5  # for the guess, and against it
_LABEL_WIDTHS = (30, 14, 8)
_FEWEST_LINES = 4
_LINES_OF_A_FILE = 20
_WIDEST = 110  # longer lines are hard to read


class Screen:
    """A page for each question, on a terminal one in the place of the other.

    Parameters
    ----------
    session : Session
    pace : Pace
    console : Console, default=None
        Where to; None for standard output.
    """

    def __init__(self, session: Session, pace: Pace, console: Console | None = None) -> None:
        self._session, self._pace = session, pace
        self._console = results() if console is None else console
        self._marks = Marks.of(self._console)
        self._is_page = self._console.is_terminal and not self._console.is_dumb_terminal
        self._seen: tuple[Question, Explanation | None, Text] | None = None
        #: Into how many parts the document falls, beside the excerpt; 0 if it is short.
        self.n_parts = 0

    def show(self, labels: dict[str, str], part: int = 0, notice: str = "") -> None:
        """Show the question.

        Parameters
        ----------
        labels : dict of str to str
            The label of each key.
        part : int
            Which part of a long document, from 1 on; 0 for an excerpt.
        notice : str
            What else to say.
        """
        question, why, document = self._looked_up()
        head = [*self._flow(standing_parts(self._session, self._pace), " · "), self._rule(question)]
        foot = [Text(""), *self._guess(question, why), *self._keys(question, labels)]
        told = Text(visible(notice, keep=""), style="yellow")
        foot += [told] if self._is_page else []
        room = self._console.height - len(head) - len(foot) - 2 if self._is_page else 0
        body = self._document(document, part, max(room, _FEWEST_LINES))
        space = [Text("")] * max(room - len(body), 0)
        above = [] if self._is_page else [Text(""), *([told] if notice else [])]
        self._print([*above, *head, Text(""), *body, *space, *foot])

    def show_help(self, path: str) -> None:
        """Show what the keys do."""
        text = HELP.format(path=visible(path, keep=""))
        self._print(list(Text(text).wrap(self._console, self._width)))

    def show_typed(self, what: str, typed: str) -> None:
        """Show what was typed so far, in the last line."""
        room = max(self._console.width - len(what) - 2, 8)
        line = visible(typed, keep="")
        while cell_len(line) > room:
            line = line[1:]
        self.show_last(what + line)

    def show_last(self, line: str) -> None:
        """Show a line in the place of the last."""
        shown = visible(line, keep="")
        # Blanks erase on any terminal, also what took two columns.
        blank = set_cell_size(shown, self._console.width - 1)
        self._console.file.write(f"\r{blank}\r{shown}")
        self._console.file.flush()

    def tell(self, problem: str) -> str:
        """Say what went wrong, or return it for the notice of the next page."""
        if self._is_page:
            return problem
        complain(problem)
        return ""

    @property
    def _width(self) -> int:
        return min(self._console.width, _WIDEST)

    def _print(self, lines: Sequence[Text]) -> None:
        with self._console:  # all of it at once, so that nothing flickers
            if self._is_page:
                self._console.clear()
            for line in lines:
                self._console.print(line, no_wrap=True, overflow="crop", crop=self._is_page)
        self._console.file.flush()

    def _rule(self, question: Question) -> Text:
        drawn = ", drawn at random to see how often guesses are right"
        about = f"── document {question.row}{drawn if question.at_random else ''} "
        line = Text(about + "─" * max(self._width - len(about), 0), style="dim")
        line.truncate(self._width, overflow="ellipsis")
        return line

    def _looked_up(self) -> tuple[Question, Explanation | None, Text]:
        """Return the question, why the guess is what it is, and the document, once for each."""
        question = self._session.question()
        if self._seen is None or self._seen[0] is not question:
            why = self._session.explanation()
            self._seen = question, why, passage(question.text, why, self._marks)
        return self._seen

    def _document(self, document: Text, part: int, room: int) -> list[Text]:
        room = room if self._is_page else _LINES_OF_A_FILE
        lines = list(document.wrap(self._console, self._width))
        self.n_parts = -(-len(lines) // (room - 1)) if len(lines) > room else 0
        if part and self.n_parts:
            start = (part - 1) * (room - 1)
            end = min(start + room - 1, len(lines))
            about = f"⋯ lines {start + 1} to {end} of {len(lines)}: space goes on ⋯"
            return [*lines[start:end], Text(about, style="dim")]
        return self._excerpt(lines, room)

    def _excerpt(self, lines: list[Text], room: int) -> list[Text]:
        if len(lines) <= room:
            return lines
        weights = weights_of(lines, self._marks)
        found: list[Text] = []
        at = 0
        for start, end in excerpt(weights, room - 1):
            if start > at:
                found.append(self._left_out(start - at))
            found += lines[start:end]
            at = end
        return [*found, self._left_out(len(lines) - at)] if at < len(lines) else found

    def _left_out(self, n: int) -> Text:
        return Text(f"⋯ {n:,} line{'s' * (n != 1)} more: space shows all ⋯", style="dim")

    def _guess(self, question: Question, why: Explanation | None) -> list[Text]:
        if question.guess is None or why is None:
            return [Text("no guess yet: the model needs answers of two labels", style="dim")]
        other = "" if why.against is None else f", rather than {_short(str(why.against))}"
        sure = f"{question.guess.probability:.0%}"
        first = Text.assemble("guess: ", (_short(question.guess.label), "bold"), f" {sure}{other}")
        first.truncate(self._width, overflow="ellipsis")
        return [first, *(self._words(why, speaks_for) for speaks_for in (True, False))]

    def _words(self, why: Explanation, speaks_for: bool) -> Text:
        """Return the words that say most for the guess, or against it; a legend of the marks."""
        telling = [each for each in why.top(1_000) if each.value and (each.value > 0) == speaks_for]
        line = Text.assemble(("  for      " if speaks_for else "  against  ", "dim"))
        for each in telling[:_WORDS]:
            word = self._marks.marked(visible(each.term, keep=""), speaks_for)
            line = Text.assemble(line, word, (f" {abs(each.value):.2f}  ", "dim"))
        if not telling:
            line = Text.assemble(line, ("nothing", "dim"))
        line.truncate(self._width, overflow="ellipsis")
        return line

    def _keys(self, question: Question, labels: dict[str, str]) -> list[Text]:
        commands = [_key(key, what) for key, what in COMMANDS.items()]
        return [*self._label_keys(question, labels), *self._flow(commands, "   ")]

    def _label_keys(self, question: Question, labels: dict[str, str]) -> list[Text]:
        """Return keys and labels in lines; where these would fill the screen, in short."""
        counts = Counter(self._session.labelled.values())
        most = self._console.height // 3 if self._is_page else len(labels) + 1
        lines: list[Text] = []
        for width in _LABEL_WIDTHS:
            items = [_key(key, _short(each, width), counts[each]) for key, each in labels.items()]
            if question.guess is not None:
                items.insert(0, _key("Enter", _short(question.guess.label, width)))
            lines = self._flow(items, "   ")
            if len(lines) <= most:
                return lines
        return [*lines[:most], Text("⋯ and more: n types any label", style="dim")]

    def _flow(self, items: Sequence[Text], between: str) -> list[Text]:
        """Return items in lines, none of them broken that fits into one."""
        lines: list[Text] = []
        for item in items:
            if lines and lines[-1].cell_len + len(between) + item.cell_len <= self._width:
                lines[-1] = Text.assemble(lines[-1], between, item)
            else:
                lines += item.wrap(self._console, self._width)
        return lines


def _key(key: str, what: str, count: int | None = None) -> Text:
    number = [] if not count else [(f" {count:,}", "dim")]
    return Text.assemble((f"[{key}]", "bold cyan"), f" {what}", *number)


def _short(label: str, width: int = _LABEL_WIDTHS[0]) -> str:
    shown = Text(visible(label, keep=""))
    shown.truncate(width, overflow="ellipsis")
    return shown.plain
