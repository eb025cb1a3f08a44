"""Hostile texts, labels, columns and file names in all that the commands write.

Each command runs at a terminal of its own (a pty), and every byte that it writes is looked at:
nothing but text, ends of lines, colours, and the sequences that the progress bar and the labelling
screen need. The pages and drawings are opened in Chromium: nothing of them runs, and nothing asks
for anything elsewhere. Rows in a pipe hold the data as they are, and devices, pipes and links
survive as outputs.
"""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import re
import select
import shutil
import stat
import struct
import subprocess
import sys
import termios
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from trial import PATIENCE, Trial, run

sys.path.append(str(Path(__file__).parents[1]))
import browser

CANARY = "console.error('hacked')"

#: What a text, label or name may hold: characters that a terminal obeys.
CONTROLS = {
    "title": "\x1b]0;HACKED\x07",
    "hyperlink": "\x1b]8;;http://127.0.0.1:9/\x1b\\HACKED\x1b]8;;\x1b\\",
    "colour": "\x1b[35;45mHACKED",
    "cursor": "\x1b[77A\x1b[5;5H\x1b[99D",
    "screen": "\x1b[?1049h\x1b[3J\x1bc",
    "report": "\x1b[6n\x1b[c\x05",
    "device control": "\x1bP$qm\x1b\\\x1b_HACKED\x1b\\",
    "C1": "\x9b35;45m\x9d0;HACKED\x9c\x90q\x9c\x84\x85",
    "return": "fine\rHACKED",
    "backspace": "fine\b\b\b\bHACKED",
    "bell, NUL, delete": "\x07a\x00b\x7f",
    "tabs, feeds and shifts": "a\x0b\x0c\x0e\x0f\x11\x13\x1a\x1cb",
    "override": "\u202eHACKED",
    "embedding": "\u202b\u202aHACKED\u202d",
    "isolate": "\u2067\u2068HACKED\u2066",
    "marks": "\u200e\u200f\u061c",
    "lines": "a\u2028b\u2029c\u0085d",
    "surrogates": "\udc9b a\ud800",
}
#: The same for browsers, for the markup of rich, and for spreadsheets.
MARKUP = {
    "script": f"<script>{CANARY}</script>",
    "image": f"<img src=x onerror={CANARY}>",
    "attribute": f'\' onmouseover={CANARY} " autofocus onfocus={CANARY} x="',
    "svg": f"<svg onload={CANARY}><animate onbegin={CANARY} attributeName=x></svg>",
    "end of a title": f"</title></style></script><script>{CANARY}</script>",
    "end of a drawing": f"]]></text></title></svg><script>{CANARY}</script>",
    "comment": f"--><!--><script>{CANARY}</script><!--",
    "link": f"<a href=javascript:{CANARY} id=cards autofocus>x</a>",
    "fetch": "<link rel=stylesheet href=http://127.0.0.1:9/a><iframe src=http://127.0.0.1:9/b>",
    "refresh": "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/c'><base href=//x/>",
    "style": "<style>@import 'http://127.0.0.1:9/d'</style><b style='background:url(//x/e)'>",
    "entity": "&lt;script&gt;&#60;script&#62;&#x3c;script",
    "rich": "[bold red]HACKED[/] [link=http://127.0.0.1:9]x[/link] [/nothing] :smile:",
    "formula": "=cmd|' /C calc'!A0",
}

#: All sequences that a terminal may get: colours, the progress bar, the labelling screen.
OURS = re.compile(r"\x1b\[(?!35;45)[\d;]*m|\x1b\[1A|\x1b\[2K|\x1b\[\?25[lh]|\x1b\[H|\x1b\[2J|\r")
#: What the labelling screen ends with when it waits for a key.
QUIT = re.compile(rb"\[q\]\S* quit")
BIDIRECTIONAL = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")

#: Commands one after the other, in one process. In capitals: what stands for a hostile name.
SESSION = [
    "train FILE --label NONE",
    "train FILE --text text --label LABEL --model multinomial --yes -o M",
    "info M",
    "info M --verbose",
    "info M --json",
    "terms M",
    "terms M --json",
    "explain M TEXT",
    "explain M TEXT --json",
    "explain M TEXT --html PAGE/explain.html",
    "predict M FILE --id KEY",
    "predict M FILE --id KEY --top 2 --to csv",
    "predict M FILE --id KEY --explain",
    "rank M FILE --label CLASS --with-text --id KEY",
    "rank M FILE --label CLASS --with-text --id KEY --to csv",
    "rank M FILE --label TEXT",
    "evaluate M FILE --label LABEL --id KEY --html PAGE/evaluate.html",
    "evaluate M FILE --label OTHER --id KEY",
    "evaluate M FILE --label LABEL --id KEY --json",
    "compare FILE --label LABEL --learner contrast --folds 2 --yes --id KEY -o PAGE/compare.html",
    "learn M FILE --label LABEL --yes",
    "learn M FILE --label OTHER",
    "forget M FILE --label OTHER",
    "train SEVERAL --model multinomial --yes -q -o OUT/several.tally",
    "thresholds OUT/several.tally",
    "evaluate OUT/several.tally SEVERAL",
    "compare SEVERAL --learner multinomial --folds 2 --yes -o PAGE/several.html",
    "recalibrate M FILE --label LABEL",
    "merge M M -o OUT/TEXT.tally",
    "filter start F FILE --text text --label LABEL",
    "filter run F FILE --text text --id KEY",
    "filter report F --picture PAGE/filter.svg",
    "translate learn FILE --text text -o T",
    "translate show T",
    "translate show T CLASS",
    "translate cover T FILE --text text",
    "predict M NONE",
    "predict NONE FILE",
    "predict M FILE --text NONE",
    "predict M FILE --where TEXT=1",
    "predict M FILE -o OUT/TEXT",
    "predict M FILE -o NONE/a.csv",
    "predict M BROKEN",
    "predict M BROKEN --on-error skip",
    "predict M BROKEN --format TEXT",
    "predict M FILE --encoding TEXT",
    "train FILE --label LABEL --yes --force --model TEXT -o M",
    "train FILE --label LABEL --yes --force --select TEXT -o M",
    "--traceback train FILE --label NONE",
    "--traceback train FILE --label LABEL --model TEXT",
    "TEXT",
    "predict M FILE --TEXT",
    "predict M FILE --top TEXT",
    "predict M FILE --to TEXT",
    "train FILE --label LABEL -o OUT/problems.tally",
    "label FILE --class CLASS --class TEXT --label EMPTY -o OUT/new.tally",
]

PROGRAM = """
import json, sys
from tallytext.cli import main
for number, arguments in enumerate(json.load(open(sys.argv[1]))):
    sys.argv[1:] = arguments
    print(f"\\n<<{number}>>", flush=True)
    try:
        main()
    except SystemExit as end:
        print(f"<<ended {number} {end.code}>>", flush=True)
"""


def attack(trial: Trial) -> None:
    """Try hostile strings in all outputs."""
    folders = []
    for number in range(trial.some(1, 4)):
        folder = trial.folder / str(number)
        folder.mkdir()
        case = Hostile(trial, folder, number)
        attack_terminal(trial, case)
        attack_pipe(trial, case)
        folders.append(case)
    attack_outputs(trial, folders[0])
    attack_pages(trial, folders)


class Hostile:
    """Files with hostile texts, labels, columns and names, and the arguments of commands."""

    def __init__(self, trial: Trial, folder: Path, number: int) -> None:
        rng = trial.rng("outputs", number)
        strings = [*CONTROLS.values(), *MARKUP.values()]
        if number:  # and in any order, one in the other
            strings = ["".join(rng.choices(strings, k=rng.randint(1, 3))) for _ in strings]
        self.folder, self.pages = folder, folder / "pages"
        self.pages.mkdir()
        # UTF-8 cannot hold lone surrogates: in CSV they are missing, in JSON they are escaped.
        names = ("text-id", "label", "other", "empty")
        # Names and labels are also arguments, which hold neither NUL nor lone surrogates.
        given = [replaced(each).replace("\0", "") for each in strings]
        keys = [f"{name}-{rng.choice(given)}" for name in names]
        self.key, self.label, self.other, self.empty = keys
        labels = [f"{rng.choice(given)} {at}" for at in range(4)]
        self.classes = labels
        self.rows = [
            {
                "text": f"{strings[at % len(strings)]} word{at % 7} {labels[at % 4]}x y{at % 4}",
                self.key: strings[(at * 5) % len(strings)] + str(at),
                self.label: labels[at % 4 if at % 9 else 0],
                self.other: strings[at % len(strings)],
                self.empty: "",
            }
            for at in range(2 * len(strings))
        ]
        # A name holds no NUL and no slash, and no more than 255 bytes.
        spoilt = "".join(rng.sample([*CONTROLS.values()], 5)).replace("\0", "").replace("/", "")
        self.name = f"n{spoilt}".encode(errors="replace")[:120].decode(errors="ignore")
        self.file = folder / f"{self.name}.jsonl"
        self.file.write_text("".join(json.dumps(row) + "\n" for row in self.rows))
        rows = [
            {"text": row["text"], "label": labels[at % 4 : at % 4 + 1 + at % 2]}
            for at, row in enumerate(self.rows)
        ]
        self.several = folder / "several.jsonl"
        self.several.write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.broken = folder / f"{self.name}.broken.jsonl"
        bad = [f'{{"text": "{value}"}}' for value in strings] + [f'{{"{strings[0]}": 1}}', "[1]"]
        self.broken.write_text("\n".join(bad), encoding="utf-8", errors="replace")

    def commands(self) -> Iterator[list[str]]:
        """Yield the arguments of each command, with names and texts in their places."""
        text = "".join(CONTROLS.values()).replace("\0", "").replace("/", "")
        text = text.encode(errors="replace").decode() + MARKUP["script"].replace("/", "")
        places = {
            "SEVERAL": str(self.several),
            "FILE": str(self.file),
            "BROKEN": str(self.broken),
            "NONE": str(self.folder / f"none{self.name}"),
            "LABEL": self.label,
            "OTHER": self.other,
            "EMPTY": self.empty,
            "KEY": self.key,
            "CLASS": self.classes[1],
            "TEXT": text[:200],
            "PAGE": str(self.pages),
            "OUT": str(self.folder),
            "M": str(self.folder / f"{self.name}.tally"),
            "F": str(self.folder / f"{self.name}.filter.tally"),
            "T": str(self.folder / f"{self.name}.translation"),
        }
        place = re.compile(r"\b(" + "|".join(sorted(places, key=len, reverse=True)) + r")\b")
        for command in SESSION:
            arguments = [
                place.sub(lambda found: places[found[1]], each) for each in command.split()
            ]
            yield [each.replace("\0", "") for each in arguments]


def attack_terminal(trial: Trial, case: Hostile) -> None:
    """Run all commands at a terminal; nothing that they write is a command to it."""
    script = case.folder / "session.json"
    script.write_text(json.dumps([*case.commands()]))
    shown = at_terminal([sys.executable, "-c", PROGRAM, str(script)])
    parts = re.split(r"<<(\d+)>>\n", shown)
    seen = {int(number): part for number, part in zip(parts[1::2], parts[2::2], strict=True)}
    for number, command in enumerate(SESSION):
        trial.cases += 1
        part = seen.get(number, "")
        name = f"tally {command} ({case.folder.name})"
        end = re.search(rf"<<ended {number} (.*)>>", part)
        if end is None:
            trial.expect(False, f"{name}: did not end: {part[-300:]!r}")
            continue
        trial.notes[f"exit code {end[1]}"] += 1
        wanted = "--traceback" in command
        trial.expect(wanted or "Traceback" not in part, f"{name}: {part[-300:]!r}")
        for position, char in obeyed(part):
            around = part[max(0, position - 30) : position + 30]
            trial.expect(False, f"{name}: wrote {char!r} in {around!r}")
            break


def obeyed(text: str) -> Iterator[tuple[int, str]]:
    """Yield the characters that a terminal obeys, except for our own."""
    ours = {at for found in OURS.finditer(text) for at in range(*found.span())}
    for at, char in enumerate(text):
        if char.isascii() and (char.isprintable() or char == "\n"):
            continue
        bidirectional = char in "\u061c\u200e\u200f" or (
            unicodedata.bidirectional(char) in BIDIRECTIONAL
        )
        control = unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
        if (bidirectional or control) and at not in ours:
            yield at, char
    # A carriage return is ours, but none that a text brought along.
    for found in re.finditer("\r(?=HACKED)", text):
        yield found.start(), "\r"


def at_terminal(command: list[str]) -> str:
    """Run a program at a terminal, as its standard streams; press q when a screen asks."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    mode = termios.tcgetattr(theirs)
    mode[1] &= ~termios.OPOST  # the bytes as they are, without a return before each newline
    mode[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, mode)
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    variables |= {"TERM": "xterm-256color", "PYTHONUTF8": "1"}
    child = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables)
    os.close(theirs)
    seen, asked, end = b"", 0, time.monotonic() + 3 * PATIENCE
    while time.monotonic() < end:
        if not select.select([ours], [], [], 1.0)[0]:
            if child.poll() is not None:
                break
            continue
        try:
            more = os.read(ours, 1 << 16)
        except OSError:  # the other end is gone
            break
        seen += more
        if found := QUIT.search(seen, asked):
            asked = found.end()
            os.write(ours, b"q")
    child.kill()
    child.wait()
    os.close(ours)
    return seen.decode(errors="backslashreplace")


def attack_pipe(trial: Trial, case: Hostile) -> None:
    """Rows in a pipe hold the ids and labels as they are."""
    model = case.folder / f"{case.name}.tally"
    ids = [row[case.key] for row in case.rows]
    for form in ("jsonl", "csv"):
        with trial.case(f"predict --to {form} | ... ({case.folder.name})"):
            given = ["predict", model, case.file, "--id", case.key, "--to", form, "-q"]
            shown = run([*given, "--always"], environment={"PYTHONUTF8": "1"})
            assert shown.code == 0, shown.err[-300:]
            if form == "csv":
                rows = list(csv.DictReader(io.StringIO(shown.out, newline="")))
            else:
                rows = [json.loads(line) for line in shown.out.split("\n")[:-1]]
            name = (set(rows[0]) - {"row", "label", "probability"}).pop()
            found = [row[name] for row in rows]
            # CSV cannot hold lone surrogates.
            wanted = ids if form == "jsonl" else [replaced(each) for each in ids]
            for ours, given in zip(found, wanted, strict=True):
                trial.expect(normal(ours) == normal(given), f"{form}: {ours!r}, not {given!r}")
            known = {normal(replaced(each)) for each in case.classes}
            labels = {normal(replaced(row["label"])) for row in rows}
            trial.expect(labels <= known, f"{form}: labels {labels - known}")


def replaced(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def normal(text: str) -> str:
    """Return a text as a pipe that was read as text has it: with one kind of line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


#: What may be in the place of an output, and how it is made.
PLACES = {
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a link to a device": lambda path: path.symlink_to("/dev/null"),
    "a link to a foreign file": lambda path: path.symlink_to(path.parent / "victim"),
    "links to each other": lambda path: (
        path.symlink_to(path.with_suffix(".b")),
        path.with_suffix(".b").symlink_to(path),
    ),
}
WRITERS = {
    "train FILE --label LABEL --model multinomial --yes -q -o": "out.tally",
    "predict M FILE -q -o": "out.csv",
    "evaluate M FILE --label LABEL -q --html": "out.html",
    "filter run F FILE -q -o": "out.jsonl",
    "filter report F --picture": "out.svg",
    "explain M sea --html": "out.html",
}


def attack_outputs(trial: Trial, case: Hostile) -> None:
    """Outputs that are no files stay as they are, and the error is one line."""
    for place, make in PLACES.items():
        for writer, name in list(WRITERS.items())[: trial.some(1, len(WRITERS))]:
            if place == "a link to a foreign file" and writer.startswith("filter run"):
                continue  # which appends
            folder = trial.folder / f"{place}, {writer.split()[0]} {name}"
            folder.mkdir()
            (folder / "victim").write_text("mine")
            out = folder / name
            make(out)
            before = [(path.name, stat.S_IFMT(path.lstat().st_mode)) for path in folder.iterdir()]
            places = {"FILE": case.file, "LABEL": case.label}
            places["M"] = case.folder / f"{case.name}.tally"
            places["F"] = case.folder / f"{case.name}.filter.tally"
            given = [str(places.get(each, each)) for each in writer.split()]
            with trial.case(f"tally {writer} {place}"):
                ended = run([*given, out])
                assert ended.code == 1, f"exit code {ended.code}"
                assert ended.err.startswith("error: ") and ended.err.count("\n") == 1, ended.err
                after = [
                    (path.name, stat.S_IFMT(path.lstat().st_mode)) for path in folder.iterdir()
                ]
                assert sorted(after) == sorted(before), f"{after} instead of {before}"
                assert (folder / "victim").read_text() == "mine", "another file was written"


def attack_pages(trial: Trial, cases: list[Hostile]) -> None:
    """Nothing in a page or drawing runs in a browser, or asks for anything."""
    pages = [page for case in cases for page in sorted(case.pages.iterdir())]
    made = {page.name for page in pages}
    wanted = {"compare.html", "evaluate.html", "explain.html", "filter.svg", "several.html"}
    trial.expect(made == wanted, f"pages: {made ^ wanted} missing or new")
    if not (browser.find_browser() and shutil.which("bash")):
        trial.notes["no browser"] += 1
        return
    for page in pages[1:2] if trial.quick else pages:
        with trial.case(f"Chromium opens {page.parent.parent.name}/{page.name}"):
            faults = browser.faults(page.as_uri())
            assert not faults, faults[:3]
            trial.notes["pages in Chromium"] += 1
