"""What somebody who labels sees: a question, what the model says of it, and the keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from enum import Enum
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from tallytext.cli.io import complain, held_back, results
from tallytext.cli.terminal import DOWN, ESCAPE, REDRAW, UP
from tallytext.decision.contributions import segments_of
from tallytext.decision.rendering import bar_shares, visible
from tallytext.errors import InputError, TallytextError
from tallytext.evaluation.significance import wilson_interval
from tallytext.labelling.session import Standing

if TYPE_CHECKING:
    from rich.console import Console

    from tallytext.cli.terminal import Keys
    from tallytext.decision.explanation import Explanation
    from tallytext.labelling.session import Question, Session


# ------------------------------------------------------------------------------------------------
# What somebody who labels may want to know.

HELP = """\
Enter          take the guess
1-9, a-z       give the label of that key; the key stays, also after a break
n              type a label, new or old: Tab completes, Enter gives, Esc goes back
s              skip the document for this session
u              take the last answer or skip back; again and again if need be
Space, arrows  all of a long document, part by part
q, Ctrl-D      end, and write the model
Ctrl-C         end at once, without a model

One label each: documents with several are not for this command. Every answer is on disk \
before the next question, in {path}; the same command goes on from there.

Most documents are asked for because they would teach most; every fifth is drawn at random. \
How often guesses on those were right is how often they are on the rest, most likely within the \
brackets (95 %). A bar stands for five such guesses: when bars no longer rise, more labels help \
little. Marked words say most for the guess or against it; numbers say how much.

Any key goes back."""


# ------------------------------------------------------------------------------------------------
# Which key gives which label.

#: What keys do that give no label.
COMMANDS = {
    "n": "new label",
    "s": "skip",
    "u": "undo",
    "?": "help",
    "q": "end",
}
MORE, BACK = " ", "-"

_KEYS = "123456789" + "".join(sorted({*"abcdefghijklmnopqrstuvwxyz"} - {*COMMANDS}))


def label_keys(labels: Iterable[str]) -> dict[str, str]:
    """Return the label of each key.

    Digits come first and then letters, in the order of the labels; a label of one character is its
    own key, where that is free. A label's key depends on those before it alone, so that it stays
    when others come. Labels without a key are typed.

    Examples
    --------
    >>> label_keys(["sport", "world", "x", "n"])
    {'1': 'sport', '2': 'world', 'x': 'x', '3': 'n'}
    >>> label_keys(["0", "1"])
    {'0': '0', '1': '1'}
    """
    found: dict[str, str] = {}
    for label in dict.fromkeys(labels):
        key = label if _can_be_key(label) and label not in found else _free(found)
        if key is not None:
            found[key] = label
    return found


def _can_be_key(label: str) -> bool:
    return len(label) == 1 and label.isalnum() and label not in COMMANDS


def _free(taken: Iterable[str]) -> str | None:
    return next((key for key in _KEYS if key not in taken), None)


# ------------------------------------------------------------------------------------------------
# A document on the screen: the words that tell are marked, and what is long is cut around them.

_LONGEST = 50_000  # characters that are shown at all
_FAINTEST = 0.2  # share of the strongest word below which a word is not marked


class Marks(Enum):
    """How words are marked: for the guess, and against it."""

    COLOURS = ("white on rgb(24,112,46)", "white on rgb(160,34,34)")
    FONTS = ("bold reverse", "underline")
    SIGNS = ("+", "-")

    @classmethod
    def of(cls, console: Console) -> Marks:
        """Return what a terminal, or a file, can show."""
        if not console.is_terminal or console.is_dumb_terminal:
            return cls.SIGNS
        return cls.FONTS if console.no_color or console.color_system is None else cls.COLOURS

    def marked(self, word: str, speaks_for: bool) -> Text:
        """Return a word with its mark."""
        mark = self.value[0 if speaks_for else 1]
        return Text(mark + word) if self is Marks.SIGNS else Text(word, style=mark)


class Stretch(NamedTuple):
    """Lines of a document that follow one another."""

    start: int
    end: int


def passage(text: str, explanation: Explanation | None, marks: Marks) -> Text:
    """Return a document with the words that tell marked, its control characters made visible."""
    shown = Text()
    segments = segments_of(text[:_LONGEST], explanation.contributions if explanation else ())
    shares = bar_shares([segment.value for segment in segments])
    for segment, share in zip(segments, shares, strict=True):
        words = visible(segment.text)
        tells = abs(share) >= _FAINTEST and segment.text.strip()
        shown.append_text(marks.marked(words, share > 0) if tells else Text(words))
    if len(text) > _LONGEST:
        shown.append(f"\n… {len(text) - _LONGEST:,} characters more", style="dim")
    return shown if text.strip() else Text("(this document is empty)", style="dim")


def weights_of(lines: Sequence[Text], marks: Marks) -> list[int]:
    """Return how many marked words each line has."""
    if marks is Marks.SIGNS:
        return [0] * len(lines)
    return [sum(span.style in marks.value for span in line.spans) for line in lines]


def excerpt(weights: Sequence[int], room: int) -> list[Stretch]:
    """Return which lines to show where there is room for some: the first, and those that tell most.

    Two stretches have a line between them that says what was left out.

    Examples
    --------
    >>> excerpt([0, 0, 0], 3)
    [Stretch(start=0, end=3)]
    >>> excerpt([0] * 50 + [3, 2] + [0] * 50, 7)
    [Stretch(start=0, end=2), Stretch(start=48, end=52)]
    >>> excerpt([1, 2, 3, 0, 0, 0, 0, 0, 1], 6)
    [Stretch(start=0, end=6)]
    """
    n = len(weights)
    first = max(1, room // 3)
    size = room - first - 1
    if n <= room or size < 1:
        return [Stretch(0, min(n, room))]
    sums = [sum(weights[at : at + size]) for at in range(n - size + 1)]
    best = max(range(first, n - size + 1), key=sums.__getitem__)
    if sum(weights[:first]) + sums[best] <= sum(weights[:room]) or best <= first:
        return [Stretch(0, room)]
    return [Stretch(0, first), Stretch(best, best + size)]


# ------------------------------------------------------------------------------------------------
# How far labelling has come, in a line or two.

_BARS = "▁▂▃▄▅▆▇█"
_BLOCK = 5  # documents drawn at random, to a bar
_MOST_BARS = 12
_RECENT, _FEWEST = 20, 3


class Pace:
    """How many labels a minute somebody gives.

    Parameters
    ----------
    clock : callable
        Returns seconds.

    Examples
    --------
    >>> seconds = iter([0.0, 4.0, 9.0, 600.0, 606.0])
    >>> pace = Pace(lambda: next(seconds))
    >>> for _ in range(5):
    ...     pace.step()
    >>> pace.per_minute  # the break does not count for more than one answer
    10.909090909090908
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._moments: list[float] = []

    def step(self) -> None:
        """Note that an answer was given."""
        self._moments = [*self._moments[-_RECENT:], self._clock()]

    @property
    def per_minute(self) -> float | None:
        """By the median time between the last answers; None before there are some."""
        if len(self._moments) <= _FEWEST:
            return None
        pairs = zip(self._moments[:-1], self._moments[1:], strict=True)
        return 60 / max(median(after - before for before, after in pairs), 0.01)


def spark_line(shares: list[float]) -> str:
    """Return a bar for each share.

    Examples
    --------
    >>> spark_line([0.0, 0.4, 0.8, 1.0])
    '▁▄▇█'
    """
    last = len(_BARS) - 1
    return "".join(_BARS[round(share * last)] for share in shares[-_MOST_BARS:])


def answers_told(n: int) -> str:
    """Return how many answers there are, in words.

    Examples
    --------
    >>> answers_told(1), answers_told(1_200)
    ('1 answer', '1,200 answers')
    """
    return f"{n:,} answer{'s' * (n != 1)}"


def standing_parts(session: Session, pace: Pace) -> list[Text]:
    """Return how many answers there are, how many documents are left, and how good guesses are."""
    parts = [Text(answers_told(session.n_answers), style="bold"), Text(f"{session.n_left:,} left")]
    if given := len(session.labelled) - session.n_answers:
        parts.insert(1, Text(f"{given:,} given"))
    if pace.per_minute is not None:
        parts.append(Text(f"{pace.per_minute:.0f} a minute"))
    return [*parts, *accuracy_parts(session)]


def accuracy_parts(session: Session) -> list[Text]:
    """Return how often guesses on documents drawn at random were right, and its course."""
    standing = Standing(session.journal.answers)
    drawn = standing.drawn
    if not drawn:
        return []
    low, high = wilson_interval(sum(drawn), len(drawn))
    share = sum(drawn) / len(drawn)
    told = f"guesses right {share:.0%} ({low:.0%} to {high:.0%}) of {len(drawn)} drawn at random"
    shares = standing.shares(_BLOCK)
    return [Text(told), *([Text(spark_line(shares), style="green")] if len(shares) > 1 else [])]


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


# ------------------------------------------------------------------------------------------------
# What keys do while documents are labelled.


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
