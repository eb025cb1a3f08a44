"""Screen of ``tally label``: the query document, the prediction with its words, and the keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from enum import Enum
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from tallytext.cli.io import delay_interrupts, result_console, show_error
from tallytext.cli.keys import DOWN, ESCAPE, REDRAW, UP
from tallytext.decision.rendering import Colours, bar_shares, split_segments
from tallytext.errors import InputError, TallytextError
from tallytext.evaluation.significance import wilson_interval
from tallytext.labelling.session import LabellingStats
from tallytext.terminal import escape_controls

if TYPE_CHECKING:
    from rich.console import Console

    from tallytext.cli.keys import Keys
    from tallytext.decision.explanation import Explanation
    from tallytext.labelling.journal import Annotation
    from tallytext.labelling.session import Query, Session


HELP = """\
Enter          accept the guess
1-9, a-z       give the label of this key; a label keeps its key, also in later sessions
n              type a label, new or known: Tab completes, Enter gives it, Esc cancels
/              search the labels: type some letters, Enter gives the first label shown
s              skip the document in this session
u              undo the last answer or skip; can be repeated
Space, arrows  page through a long document
q, Ctrl-D      quit and write the model
Ctrl-C         quit at once, without a model

Each document gets one label. Every answer is saved in {path} before the next document is \
shown; run the same command to continue.

Most documents are chosen because their labels help the model most; every fifth is sampled at \
random. The accuracy of the guesses on these estimates the accuracy on all documents; the \
interval in brackets is a 95% confidence interval. Each bar is the accuracy of five such \
guesses: when the bars stop rising, more labels help little. Highlighted words count most for \
the guess or against it; the numbers are their weights.

Press any key to go back."""


#: Keys that do not give a label.
COMMANDS = {
    "n": "new label",
    "/": "search",
    "s": "skip",
    "u": "undo",
    "?": "help",
    "q": "quit",
}
MORE, BACK = " ", "-"

_KEYS = "123456789" + "".join(sorted({*"abcdefghijklmnopqrstuvwxyz"} - {*COMMANDS}))


def label_keys(labels: Iterable[str], stored: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the label of each key.

    Labels get digits and then letters, in their order; a label of one character is its own key, if
    that is free. The key of a label depends only on the labels before it, so that it does not
    change when labels are added. Labels without a key have to be typed or searched.

    Parameters
    ----------
    labels : iterable of str
    stored : mapping of str to str, default=None
        The labels of keys that are assigned already, as in an earlier session.

    Examples
    --------
    >>> label_keys(["sport", "world", "x", "n"])
    {'1': 'sport', '2': 'world', 'x': 'x', '3': 'n'}
    >>> label_keys(["0", "1"])
    {'0': '0', '1': '1'}
    >>> label_keys(["sport", "world"], {"1": "world"})
    {'1': 'world', '2': 'sport'}
    """
    found = dict(stored or {})
    have_keys = set(found.values())
    # dict.fromkeys() removes duplicates and keeps the order, on which the keys depend.
    for label in dict.fromkeys(labels):
        if label in have_keys:
            continue
        key = label if _can_be_key(label) and label not in found else _free(found)
        if key is not None:
            found[key] = label
    return found


def stored_keys(annotations: Iterable[Annotation]) -> dict[str, str]:
    """Return the label of each key that the answers were given with; the first use counts.

    Examples
    --------
    >>> from tallytext.labelling.journal import Annotation
    >>> stored_keys([Annotation(1, "", "ham", key="2"), Annotation(2, "", "spam", key="2")])
    {'2': 'ham'}
    """
    found: dict[str, str] = {}
    for each in annotations:
        key = each.key
        # Lines may be edited by hand, and come from other programs with a field of this name.
        is_key = isinstance(key, str) and (
            key in [*_KEYS] or (key == each.label and _can_be_key(key))
        )
        if is_key and each.label not in found.values():
            found.setdefault(str(key), each.label)
    return found


def find_labels(letters: str, labels: Iterable[str]) -> list[str]:
    """Return the labels that contain some letters, those that begin with them first.

    Examples
    --------
    >>> find_labels("sp", ["wasp", "Sport", "news"])
    ['Sport', 'wasp']
    """
    wanted = letters.casefold()
    found = [each for each in dict.fromkeys(labels) if wanted in each.casefold()]
    return sorted(found, key=lambda each: not each.casefold().startswith(wanted))


def _can_be_key(label: str) -> bool:
    return len(label) == 1 and label.isalnum() and label not in COMMANDS


def _free(taken: Iterable[str]) -> str | None:
    return next((key for key in _KEYS if key not in taken), None)


_MAX_CHARACTERS = 50_000  # of a document, on the screen
_MIN_SHARE = 0.2  # of the weight of the strongest word, to be highlighted


class Highlight(Enum):
    """Styles of highlighted words, for the guess and against it."""

    COLOURS = ("white on rgb(24,112,46)", "white on rgb(160,34,34)")
    SIXTEEN = ("black on green", "white on red")
    FONTS = ("bold reverse", "underline")
    SIGNS = ("+", "-")

    @classmethod
    def for_console(cls, console: Console) -> Highlight:
        """Return the styles that a terminal or a file can show."""
        if not console.is_terminal or console.is_dumb_terminal:
            return cls.SIGNS
        by_colours = {Colours.MANY: cls.COLOURS, Colours.SIXTEEN: cls.SIXTEEN}
        return by_colours.get(Colours.for_console(console), cls.FONTS)

    def apply(self, word: str, speaks_for: bool) -> Text:
        """Return a highlighted word."""
        mark = self.value[0 if speaks_for else 1]
        return Text(mark + word) if self is Highlight.SIGNS else Text(word, style=mark)


class LineRange(NamedTuple):
    """Consecutive lines of a document."""

    start: int
    end: int


def highlight_document(text: str, explanation: Explanation | None, marks: Highlight) -> Text:
    """Return a document with its important words highlighted and control characters escaped."""
    shown = Text()
    # Cut, because a long text is wrapped again each time the page is shown.
    segments = split_segments(
        text[:_MAX_CHARACTERS], explanation.contributions if explanation else ()
    )
    shares = bar_shares([segment.value for segment in segments])
    for segment, share in zip(segments, shares, strict=True):
        # A document could otherwise move the cursor or change the title of the terminal.
        words = escape_controls(segment.text)
        is_important = abs(share) >= _MIN_SHARE and segment.text.strip()
        shown.append_text(marks.apply(words, share > 0) if is_important else Text(words))
    if len(text) > _MAX_CHARACTERS:
        shown.append(f"\n… {len(text) - _MAX_CHARACTERS:,} more characters", style="dim")
    return shown if text.strip() else Text("(this document is empty)", style="dim")


def count_highlights(lines: Sequence[Text], marks: Highlight) -> list[int]:
    """Return the number of highlighted words in each line."""
    if marks is Highlight.SIGNS:
        return [0] * len(lines)
    return [sum(span.style in marks.value for span in line.spans) for line in lines]


def excerpt(weights: Sequence[int], room: int) -> list[LineRange]:
    """Return the lines to show in limited room: the first, and those with the most highlights.

    One line between two ranges is reserved for the number of lines left out.

    Examples
    --------
    >>> excerpt([0, 0, 0], 3)
    [LineRange(start=0, end=3)]
    >>> excerpt([0] * 50 + [3, 2] + [0] * 50, 7)
    [LineRange(start=0, end=2), LineRange(start=48, end=52)]
    >>> excerpt([1, 2, 3, 0, 0, 0, 0, 0, 1], 6)
    [LineRange(start=0, end=6)]
    """
    n = len(weights)
    first = max(1, room // 3)
    size = room - first - 1
    if n <= room or size < 1:
        return [LineRange(0, min(n, room))]
    sums = [sum(weights[at : at + size]) for at in range(n - size + 1)]
    # Of equal sums, max() takes the first, which is nearest to the beginning.
    best = max(range(first, n - size + 1), key=sums.__getitem__)
    if sum(weights[:first]) + sums[best] <= sum(weights[:room]) or best <= first:
        return [LineRange(0, room)]
    return [LineRange(0, first), LineRange(best, best + size)]


_BARS = "▁▂▃▄▅▆▇█"
_BLOCK_SIZE = 5  # randomly sampled documents per bar
_MAX_BARS = 12
_MAX_RECENT, _MIN_INTERVALS = 20, 3


class Pace:
    """Number of labels given per minute.

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
    >>> pace.per_minute  # the median ignores the break
    10.909090909090908
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._times: list[float] = []

    def step(self) -> None:
        """Record the time of an answer."""
        # A monotonic clock: the time of day may be set back during a session.
        self._times = [*self._times[-_MAX_RECENT:], self._clock()]

    @property
    def per_minute(self) -> float | None:
        """The pace, by the median time between recent answers; None for fewer than four."""
        if len(self._times) <= _MIN_INTERVALS:
            return None
        pairs = zip(self._times[:-1], self._times[1:], strict=True)
        # The median, because a break for coffee should not change the pace.
        return 60 / max(median(after - before for before, after in pairs), 0.01)


def spark_line(shares: list[float]) -> str:
    """Return a bar of blocks for the last shares.

    Examples
    --------
    >>> spark_line([0.0, 0.4, 0.8, 1.0])
    '▁▄▇█'
    """
    last = len(_BARS) - 1
    return "".join(_BARS[round(share * last)] for share in shares[-_MAX_BARS:])


def format_answers(n: int) -> str:
    """Return the number of answers with its noun.

    Examples
    --------
    >>> format_answers(1), format_answers(1_200)
    ('1 answer', '1,200 answers')
    """
    return f"{n:,} answer{'s' * (n != 1)}"


def progress_parts(session: Session, pace: Pace) -> list[Text]:
    """Return the numbers of answers and of documents left, and the accuracy of the guesses."""
    n = session.n_remaining
    parts = [
        Text(format_answers(session.n_annotations), style="bold"),
        Text(f"{n:,} document{'s' * (n != 1)} left"),
    ]
    if given := len(session.labels) - session.n_annotations:
        parts.insert(1, Text(f"{given:,} known label{'s' * (given != 1)}"))
    if pace.per_minute is not None:
        parts.append(Text(f"{pace.per_minute:.0f} answers per minute"))
    return [*parts, *accuracy_parts(session)]


def accuracy_parts(session: Session) -> list[Text]:
    """Return the accuracy of guesses on randomly sampled documents, in all and by block."""
    stats = LabellingStats(session.journal.annotations)
    correct = stats.random_correct
    if not correct:
        return []
    low, high = wilson_interval(sum(correct), len(correct))
    share = sum(correct) / len(correct)
    sampled = f"{len(correct)} random document{'s' * (len(correct) != 1)}"
    accuracy = f"{share:.0%} of guesses right ({low:.0%} to {high:.0%}) on {sampled}"
    shares = stats.block_accuracies(_BLOCK_SIZE)
    return [Text(accuracy), *([Text(spark_line(shares), style="green")] if len(shares) > 1 else [])]


_MAX_WORDS = 5  # for the guess, and as many against it
_LABEL_WIDTHS = (30, 14, 8)
_MIN_LINES = 4
_LINES_WITHOUT_TERMINAL = 20
_MAX_WIDTH = 110  # longer lines are hard to read


class Screen:
    """Shows each query document with the guess and the keys; on a terminal, as a full page.

    Parameters
    ----------
    session : Session
    pace : Pace
    console : Console, default=None
        Console to print to; None for standard output.
    places : sequence of str, default=None
        The place of each document in the input; None for their positions, from 1.
    """

    def __init__(
        self,
        session: Session,
        pace: Pace,
        console: Console | None = None,
        places: Sequence[str] | None = None,
    ) -> None:
        self._session, self._pace = session, pace
        self._places = places
        self._console = result_console() if console is None else console
        self._marks = Highlight.for_console(self._console)
        self._is_page = self._console.is_terminal and not self._console.is_dumb_terminal
        self._seen: tuple[Query, Explanation | None, Text] | None = None
        #: Number of parts of a long document, besides the excerpt; 0 if it is short.
        self.n_parts = 0

    def show(self, labels: dict[str, str], part: int = 0, notice: str = "") -> None:
        """Show the query document.

        Parameters
        ----------
        labels : dict of str to str
            The label of each key.
        part : int
            Part of a long document, counted from 1; 0 for an excerpt.
        notice : str
            A message to show with it.
        """
        query, why, document = self._query()
        head = [*self._flow(progress_parts(self._session, self._pace), " · "), self._rule(query)]
        foot = [Text(""), *self._guess(query, why), *self._keys(query, labels)]
        message = Text(escape_controls(notice, keep=""), style="yellow")
        foot += [message] if self._is_page else []
        # One blank line above the document, and one for the cursor, so that the page does not
        # scroll.
        room = self._console.height - len(head) - len(foot) - 2 if self._is_page else 0
        body = self._document(document, part, max(room, _MIN_LINES))
        space = [Text("")] * max(room - len(body), 0)
        above = [] if self._is_page else [Text(""), *([message] if notice else [])]
        self._print([*above, *head, Text(""), *body, *space, *foot])

    def show_help(self, path: str) -> None:
        """Show the help about the keys."""
        text = HELP.format(path=escape_controls(path, keep=""))
        self._print(list(Text(text).wrap(self._console, self._width)))

    def show_prompt(self, prompt: str, typed: str) -> None:
        """Show a prompt with the text typed so far, in the last line."""
        room = max(self._console.width - len(prompt) - 2, 8)
        line = escape_controls(typed, keep="")
        # Characters may be two columns wide, so their number is not the width.
        while cell_len(line) > room:
            line = line[1:]
        self.show_last(prompt + line)

    def show_last(self, line: str, *, cut: bool = False) -> None:
        """Replace the last line; ``cut`` it to the width of the screen if it may be longer."""
        shown = escape_controls(line, keep="")
        if cut and cell_len(shown) >= self._console.width:
            shown = set_cell_size(shown, self._console.width - 2) + "…"
        # Blanks erase on any terminal, even characters of two columns.
        blank = set_cell_size(shown, self._console.width - 1)
        self._console.file.write(f"\r{blank}\r{shown}")
        self._console.file.flush()

    def show_problem(self, problem: str) -> str:
        """Show an error, or return it as the notice of the next page."""
        if self._is_page:
            return problem
        show_error(problem)
        return ""

    @property
    def _width(self) -> int:
        return min(self._console.width, _MAX_WIDTH)

    def _print(self, lines: Sequence[Text]) -> None:
        with self._console:  # prints all lines at once, so that nothing flickers
            if self._is_page:
                self._console.clear()
            for line in lines:
                self._console.print(line, no_wrap=True, overflow="crop", crop=self._is_page)
        self._console.file.flush()

    def _rule(self, query: Query) -> Text:
        sampled = ", sampled at random to estimate the accuracy"
        place = self._places[query.row] if self._places else f"document {query.row + 1}"
        about = f"── {place}{sampled if query.at_random else ''} "
        line = Text(about + "─" * max(self._width - len(about), 0), style="dim")
        line.truncate(self._width, overflow="ellipsis")
        return line

    def _query(self) -> tuple[Query, Explanation | None, Text]:
        """Return the query, its explanation and the highlighted document; computed once."""
        query = self._session.query()
        # Identity suffices: the session returns the same object until the query is answered.
        if self._seen is None or self._seen[0] is not query:
            why = self._session.explain()
            self._seen = query, why, highlight_document(query.text, why, self._marks)
        return self._seen

    def _document(self, document: Text, part: int, room: int) -> list[Text]:
        room = room if self._is_page else _LINES_WITHOUT_TERMINAL
        lines = list(document.wrap(self._console, self._width))
        # Rounded up. One line of each part is the note below it.
        self.n_parts = -(-len(lines) // (room - 1)) if len(lines) > room else 0
        if part and self.n_parts:
            start = (part - 1) * (room - 1)
            end = min(start + room - 1, len(lines))
            about = f"⋯ lines {start + 1} to {end} of {len(lines)}: press space for more ⋯"
            return [*lines[start:end], Text(about, style="dim")]
        return self._excerpt(lines, room)

    def _excerpt(self, lines: list[Text], room: int) -> list[Text]:
        if len(lines) <= room:
            return lines
        weights = count_highlights(lines, self._marks)
        found: list[Text] = []
        at = 0
        for start, end in excerpt(weights, room - 1):
            if start > at:
                found.append(self._left_out(start - at))
            found += lines[start:end]
            at = end
        return [*found, self._left_out(len(lines) - at)] if at < len(lines) else found

    def _left_out(self, n: int) -> Text:
        return Text(f"⋯ {n:,} more line{'s' * (n != 1)}: press space to see all ⋯", style="dim")

    def _guess(self, query: Query, why: Explanation | None) -> list[Text]:
        if query.guess is None or why is None:
            return [
                Text("no guess yet: the model needs answers with two different labels", style="dim")
            ]
        other = "" if why.against is None else f", rather than {_short(str(why.against))}"
        confidence = f"{query.guess.probability:.0%}"
        first = Text.assemble(
            "guess: ", (_short(query.guess.label), "bold"), f" {confidence}{other}"
        )
        first.truncate(self._width, overflow="ellipsis")
        return [first, *(self._words(why, speaks_for) for speaks_for in (True, False))]

    def _words(self, why: Explanation, speaks_for: bool) -> Text:
        """Return the words that count most for the guess or against it, with their weights."""
        words = [each for each in why.top(1_000) if each.value and (each.value > 0) == speaks_for]
        line = Text.assemble(("  for      " if speaks_for else "  against  ", "dim"))
        for each in words[:_MAX_WORDS]:
            word = self._marks.apply(escape_controls(each.term, keep=""), speaks_for)
            line = Text.assemble(line, word, (f" {abs(each.value):.2f}  ", "dim"))
        if not words:
            line = Text.assemble(line, ("no words", "dim"))
        line.truncate(self._width, overflow="ellipsis")
        return line

    def _keys(self, query: Query, labels: dict[str, str]) -> list[Text]:
        commands = [_key(key, action) for key, action in COMMANDS.items()]
        return [*self._label_keys(query, labels), *self._flow(commands, "   ")]

    def _label_keys(self, query: Query, labels: dict[str, str]) -> list[Text]:
        """Return lines of keys and labels; labels are shortened if they would fill the screen."""
        counts = Counter(self._session.labels.values())
        # The document needs most of the screen, even with a hundred labels.
        most = self._console.height // 3 if self._is_page else len(labels) + 1
        lines: list[Text] = []
        for width in _LABEL_WIDTHS:
            items = [_key(key, _short(each, width), counts[each]) for key, each in labels.items()]
            if query.guess is not None:
                items.insert(0, _key("Enter", _short(query.guess.label, width)))
            lines = self._flow(items, "   ")
            if len(lines) <= most:
                return lines
        return [*lines[:most], Text("⋯ and more: press / to search the labels", style="dim")]

    def _flow(self, items: Sequence[Text], between: str) -> list[Text]:
        """Return the items in lines; an item is broken only if it is longer than a line."""
        lines: list[Text] = []
        for item in items:
            if lines and lines[-1].cell_len + len(between) + item.cell_len <= self._width:
                lines[-1] = Text.assemble(lines[-1], between, item)
            else:
                lines += item.wrap(self._console, self._width)
        return lines


def _key(key: str, action: str, count: int | None = None) -> Text:
    number = [] if not count else [(f" {count:,}", "dim")]
    return Text.assemble((f"[{key}]", "bold cyan"), f" {action}", *number)


def _short(label: str, width: int = _LABEL_WIDTHS[0]) -> str:
    shown = Text(escape_controls(label, keep=""))
    shown.truncate(width, overflow="ellipsis")
    return shown.plain


class Dialogue:
    """The loop of ``tally label``: show a document, read a key, and act on it.

    Parameters
    ----------
    session : Session
    keys : Keys
    screen : Screen
    pace : Pace
    classes : sequence of str
        Labels that have keys from the start.
    quiet : bool
        True to show documents on a terminal only.
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
        self._is_seen = keys.from_terminal or not quiet
        self._shown: Query | None = None
        self._part, self._notice = 0, ""

    @property
    def labels(self) -> dict[str, str]:
        """The label of each key: those of --class first, then in the order of their first use."""
        stored = stored_keys(self._session.journal.annotations)
        return label_keys(self._all_labels(), stored)

    def _all_labels(self) -> list[str]:
        return [*dict.fromkeys([*self._classes, *self._session.labels.values()])]

    def run(self) -> None:
        """Show documents until all are labelled or the user quits."""
        while not self._session.is_complete:
            self._show()
            key = self._keys.read_key()
            self._notice = ""
            if key == "q":
                return
            try:
                self._act_on(key)
            except (TallytextError, OSError) as problem:
                if not self._keys.from_terminal:
                    raise  # the next lines of the pipe were meant for other documents
                self._notice = self._screen.show_problem(_problem_message(problem, key))

    def _show(self) -> None:
        query = self._session.query()
        if query is not self._shown:
            # Keys pressed before the document was shown are not meant for it.
            self._keys.discard()
            self._shown, self._part = query, 0
        if self._is_seen:
            self._screen.show(self.labels, self._part, self._notice)

    def _act_on(self, key: str) -> None:
        if key in (REDRAW, ESCAPE):
            return
        actions: dict[str, Callable[[], None]] = {
            "": self._accept_guess,
            "n": self._type_label,
            "/": self._search_label,
            "s": self._skip,
            "u": self._undo,
            "?": self._help,
            **dict.fromkeys((MORE, *DOWN), lambda: self._turn(1)),
            **dict.fromkeys((BACK, *UP), lambda: self._turn(-1)),
        }
        actions.get(key, lambda: self._give(key))()

    def _accept_guess(self) -> None:
        guess = self._session.query().guess
        if guess is None:
            raise InputError("there is no guess yet: press the key of a label, or n for a new one.")
        self._answer(guess.label)

    def _type_label(self) -> None:
        prompt = "label (Enter gives it, Esc cancels): "
        known = [*self.labels.values()]
        label = self._keys.read_line(lambda typed: self._screen.show_prompt(prompt, typed), known)
        if label and self._is_meant(label):
            self._answer(label)

    def _search_label(self) -> None:
        known = self._all_labels()

        def show(typed: str) -> None:
            found = " · ".join(find_labels(typed, known)) or "no label; Esc cancels"
            self._screen.show_last(f"search: {typed}  → {found}", cut=True)

        letters = self._keys.read_line(show)
        if not letters:
            return
        found = find_labels(letters, known)
        if not found:
            raise InputError(f"no label contains {letters!r}; press n to type a new one.")
        self._answer(found[0])

    def _is_meant(self, label: str) -> bool:
        """Return False if the label looks like a misspelt one and the user does not confirm it."""
        known = {*self._classes, *self._session.classes}
        # Nobody can confirm a label that comes from a pipe.
        if label in known or not self._keys.from_terminal:
            return True
        alike = [each for each in known if each.casefold() == label.casefold()]
        alike = alike or get_close_matches(label, known, n=1, cutoff=0.8)
        if not alike:
            return True
        self._screen.show_last(
            f"add {label!r} as a new label, in addition to {alike[0]!r}? y or n: "
        )
        return self._keys.read_key() == "y"

    def _give(self, key: str) -> None:
        """Give the label of a key; a word of several characters, from a pipe, is itself a label."""
        labels = self.labels
        if key in labels:
            self._answer(labels[key])
        elif len(key) > 1 and key.isprintable():
            self._answer(key)
        elif key.isprintable():
            raise InputError(f"the key {key!r} has no label; press n to type one, ? for help.")

    def _answer(self, label: str) -> None:
        guess = self._session.query().guess
        self._wait(f"{label} …")
        with delay_interrupts():  # the answer is saved and learned, or neither
            self._session.annotate(label, key=self._key_of(label))
        self._pace.step()
        was = f" (the guess was {guess.label})" if guess and guess.label != label else ""
        self._notice = f"{label}: saved{was}. Press u to undo."

    def _key_of(self, label: str) -> str | None:
        """Return the key of a label, known or new; None if it has to be typed."""
        stored = stored_keys(self._session.journal.annotations)
        keys = label_keys([*self._all_labels(), label], stored)
        return next((key for key, each in keys.items() if each == label), None)

    def _skip(self) -> None:
        self._session.skip()
        self._notice = "skipped. Press u to undo."

    def _undo(self) -> None:
        n = self._session.n_annotations
        last = self._session.journal.annotations[-1].label if n else ""
        self._wait("undoing …")
        with delay_interrupts():
            self._session.undo()
        undone = last if self._session.n_annotations < n else "skip"
        self._notice = f"{undone}: undone. Here is the document again."

    def _wait(self, message: str) -> None:
        """Show a message at once, because refitting the model may take a second."""
        if self._keys.from_terminal:
            self._screen.show_last(message)

    def _help(self) -> None:
        self._screen.show_help(str(self._session.journal.path))
        if self._keys.from_terminal:
            self._keys.read_key()

    def _turn(self, step: int) -> None:
        """Go to the next part of a long document, and from the last to the excerpt."""
        self._part = (self._part + step) % (self._screen.n_parts + 1)


def _problem_message(problem: Exception, key: str) -> str:
    if not isinstance(problem, OSError):
        return str(problem)
    failed, again = ("undone", "press u") if key == "u" else ("saved", "give it")
    return f"the answer could not be {failed}: {problem.strerror}. Solve this, and {again} again."
