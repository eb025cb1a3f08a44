"""Use an installed tallytext once from end to end: the library, the command, a saved model.

Run by "make wheel" and cibuildwheel after each wheel, outside of pytest and with nothing but the
package and its dependencies.
"""

import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from pathlib import Path

import tallytext
from tallytext import TextClassifier

TEXTS = ["cheap pills buy now", "lunch at noon tomorrow", "the report of the meeting"] * 10
LABELS = ["spam", "friends", "work"] * 10


def tally(*arguments: object, stdin: str | None = None) -> str:
    """Run the installed command and return what it printed."""
    command = Path(sysconfig.get_path("scripts")) / (
        "tally.exe" if sys.platform == "win32" else "tally"
    )
    result = subprocess.run(
        [command, *map(str, arguments)], input=stdin, capture_output=True, encoding="utf-8"
    )
    assert result.returncode == 0, (arguments, result.stdout, result.stderr)
    return result.stdout


def use_library(folder: Path) -> None:
    """Train, predict, learn, forget, save and load."""
    model = TextClassifier().fit(TEXTS, LABELS)
    assert list(model.predict(["buy pills", "Lunch tomorrow?"])) == ["spam", "friends"]
    model.learn(["ΟΔΟΣ Größe naïve"] * 5, ["greek"] * 5)
    model.save(folder / "library.tally")
    loaded = TextClassifier.load(folder / "library.tally")
    assert list(loaded.predict(["οδος größe"])) == ["greek"]


def use_command(folder: Path) -> None:
    """Train, predict, explain, learn and show information on the command line."""
    rows = [f"{text},{label}" for text, label in zip(TEXTS, LABELS, strict=True)]
    (folder / "mails.csv").write_text("\n".join(["text,label", *rows, ""]), encoding="utf-8")
    (folder / "more.csv").write_text("text,label\nfree watches,spam\n", encoding="utf-8")
    model = folder / "mails.tally"
    tally("train", folder / "mails.csv", "-o", model, "--text", "text", "--label", "label")
    tally("learn", model, folder / "more.csv", "--text", "text", "--label", "label")
    assert "spam" in tally("predict", model, folder / "more.csv", "--text", "text")
    assert "cheap" in tally("explain", model, "-", stdin="cheap pills\n")
    assert "spam" in tally("info", model)


if __name__ == "__main__":
    assert "site-packages" in str(tallytext.__file__), "this is not the installed package"
    assert version("tallytext") in tally("--version")
    with tempfile.TemporaryDirectory() as work:
        use_library(Path(work))
        use_command(Path(work))
    print(f"tallytext {version('tallytext')} works on Python {sys.version.split()[0]}.")
