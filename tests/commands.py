"""The command ``tally`` as tests run it, and small files for it."""

import csv
import json
import subprocess
import sys

from typer.testing import CliRunner

from tallytext.cli import app

MAILS = [
    ("cheap pills buy now", "spam"),
    ("lunch at noon tomorrow", "friends"),
    ("buy cheap watches now", "spam"),
    ("see you at lunch", "friends"),
    ("the report of the meeting", "work"),
    ("meeting about the report", "work"),
] * 10


def run(*arguments, input=None):
    """Run a command inside this process."""
    runner = CliRunner(env={"COLUMNS": "120"})
    return runner.invoke(app, [str(each) for each in arguments], input=input)


def succeed(*arguments, input=None):
    """Run a command that must not fail, and return what it wrote."""
    result = run(*arguments, input=input)
    assert result.exit_code == 0, result.output
    return result


def json_of(*arguments):
    """Run a command with --json, and return the object that it wrote."""
    return json.loads(succeed(*arguments, "--json").stdout)


def start(*arguments, **options):
    """Start the program as a process of its own, its streams being pipes of bytes."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-m", "tallytext", *map(str, arguments)]
    return subprocess.Popen(command, **pipes, **options)


def write_csv(path, mails=MAILS, header=("text", "label")):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *mails])
    return path


def write_jsonl(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def trained(folder, name="mails.tally", mails=MAILS, *options):
    """Train a model on mails, and return its file."""
    source = write_csv(folder / f"{name}.csv", mails)
    succeed("train", source, "-o", folder / name, "--model", "multinomial", "--quiet", *options)
    return folder / name
