"""All but Parquet and tables of Arrow data works without pyarrow and pandas."""

import csv
import json
import subprocess
import sys

import pytest
from tests.commands import MAILS

# Run before the command: imports of pyarrow and pandas fail, as if they were not installed.
BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyarrow", "pandas"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
"""
COMMAND = f"{BLOCKED}\nsys.argv[0] = 'tally'\nfrom tallytext.cli import main\nmain()"


def run(code, *arguments):
    program = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(program, capture_output=True, text=True)


def tally(*arguments):
    done = run(COMMAND, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_csv(folder):
    path = folder / "mails.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *MAILS])
    return path


def write_jsonl(folder):
    path = folder / "mails.jsonl"
    lines = [json.dumps({"text": text, "label": label}) for text, label in MAILS]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_folder(folder):
    for number, (text, label) in enumerate(MAILS):
        path = folder / "mails" / label / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "mails"


@pytest.mark.parametrize("write", [write_csv, write_jsonl, write_folder])
def test_train_predict_learn_evaluate_and_explain_work(tmp_path, write):
    mails, model = write(tmp_path), tmp_path / "m.tally"
    tally("train", mails, "-o", model, "--model", "refined")
    answers = [json.loads(line) for line in tally("predict", model, mails).splitlines()]
    assert len(answers) == len(MAILS)
    tally("learn", model, mails)
    tally("evaluate", model, mails)
    assert "spam" in tally("explain", model, "cheap pills buy now")


def test_parquet_names_the_extra(tmp_path):
    path = tmp_path / "mails.parquet"
    path.write_bytes(b"PAR1")
    done = run(COMMAND, "train", path, "-o", tmp_path / "m.tally")
    assert done.returncode != 0
    assert "needs pyarrow. Install it: pip install pyarrow (tallytext[parquet])." in done.stderr
    assert "Traceback" not in done.stderr


def test_a_column_of_polars_is_read_and_a_table_names_the_extra():
    done = run(f"""{BLOCKED}
import polars
from tallytext import TextVectorizer
from tallytext.errors import InputError
column = polars.Series("text", ["to be", None, "or not"])
counts = TextVectorizer().fit_transform(column)
assert counts.sum(axis=1).ravel().tolist() in ([2, 0, 2], [[2, 0, 2]])
try:
    TextVectorizer().fit_transform(column.to_frame())
except InputError as problem:
    print(problem)
""")
    assert done.stdout == (
        "a DataFrame as documents needs pyarrow. "
        "Install it: pip install pyarrow (tallytext[parquet]).\n"
    ), done.stderr
