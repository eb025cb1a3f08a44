"""What a spreadsheet opens runs nothing: --escape-formulas, and Excel files in any case."""

import csv
import re

import openpyxl
import pytest

from commands import MAILS, json_of, run, succeed, write_csv

ATTACKS = ["=cmd|' /C calc'!A0", "+1+cmd", "-2+3", "@SUM(1)", "\t=1", "\r=1", "＝1+1", "\n=1"]
HARMLESS = ["-7", "+3.5e2", "well-known", "a = b", "'quoted'"]
FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"[+-]?[\d.]+(e\d+)?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("formulas")


@pytest.fixture(scope="module")
def mails(folder):
    """Texts, labels, ids and a column name that begin like formulas; some labels are wrong."""
    odd = [*ATTACKS, *HARMLESS]
    labels = {"spam": "=spam", "friends": "@friends", "work": "-work"}
    rows = [
        (f"{odd[at % len(odd)]} {text}", labels[label], odd[at % len(odd)], f"m{at}")
        for at, (text, label) in enumerate(MAILS)
    ]
    rows += [(row[0], "@friends", *row[2:]) for row in rows if row[1] == "=spam"][:9]
    return write_csv(folder / "mails.csv", rows, ("text", "label", "=key", "id"))


@pytest.fixture(scope="module")
def model(folder, mails):
    succeed("train", mails, "-o", folder / "m.tally", "--model", "multinomial", "-q", "--yes")
    return folder / "m.tally"


#: Each command that writes CSV: its arguments, and its file, or "" for standard output.
COMMANDS = {
    "predict to csv": ("predict MODEL MAILS -o OUT/a.csv", "a.csv"),
    "predict to tsv": ("predict MODEL MAILS -o OUT/a.tsv", "a.tsv"),
    "predict": ("predict MODEL MAILS --to csv --id =key", ""),
    "rank to csv": ("rank MODEL MAILS --label =spam --with-text -o OUT/r.csv", "r.csv"),
    "rank": ("rank MODEL MAILS --label =spam --with-text --to csv", ""),
    "evaluate": ("evaluate MODEL MAILS --errors OUT/e.csv --id =key", "e.csv"),
    "compare": (
        "compare MAILS --learner multinomial --folds 2 --yes --id =key --suspects OUT/s.tsv "
        "-o OUT/c.html",
        "s.tsv",
    ),
    "filter": ("filter run OUT/f.tally MAILS --id id -o OUT/d.csv", "d.csv"),
}


def cells(model, mails, out, name, *more):
    """Run a command, and return the cells that it wrote."""
    out.mkdir()
    names = {"MODEL": str(model), "MAILS": str(mails)}
    command, file = COMMANDS[name]
    arguments = [names.get(each, each.replace("OUT", str(out))) for each in command.split()]
    if name == "filter":
        succeed("filter", "start", out / "f.tally", mails, "-q")
    shown = succeed(*arguments, "-q", *more).stdout
    text = (out / file).read_bytes().decode() if file else shown
    rows = csv.reader(
        text.splitlines(keepends=True), delimiter="\t" if file.endswith("tsv") else ","
    )
    return [cell for row in rows for cell in row]


def runs(cell):
    return bool(FORMULA.match(cell)) and not NUMBER.fullmatch(cell)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_cell_is_a_formula_if_formulas_are_escaped(model, mails, tmp_path, name):
    plain = cells(model, mails, tmp_path / "plain", name)
    assert any(map(runs, plain))
    escaped = cells(model, mails, tmp_path / "escaped", name, "--escape-formulas")
    assert len(escaped) == len(plain)
    assert [cell for cell in escaped if runs(cell)] == []
    for before, after in zip(plain, escaped, strict=True):
        assert after == (f"'{before}" if runs(before) else before)


def test_numbers_and_other_text_stay_as_they_are(model, folder, tmp_path):
    rows = [(text, "=spam", text, "1") for text in HARMLESS]
    source = write_csv(tmp_path / "harmless.csv", rows, ("text", "label", "=key", "id"))
    succeed("predict", model, source, "-o", tmp_path / "out.csv", "-q", "--escape-formulas")
    with (tmp_path / "out.csv").open(newline="") as file:
        assert [row["text"] for row in csv.DictReader(file)] == HARMLESS


def test_a_formula_after_a_semicolon_is_escaped_too(model, tmp_path):
    """Spreadsheets of some countries split at semicolons."""
    source = write_csv(tmp_path / "a.csv", [("lunch;=cmd;-1+1", "")])
    shown = succeed("predict", model, source, "--id", "text", "--to", "csv", "-q").stdout
    assert "lunch;=cmd;-1+1" in shown
    more = ("--to", "csv", "-q", "--escape-formulas")
    assert "lunch;'=cmd;'-1+1" in succeed("predict", model, source, "--id", "text", *more).stdout


def test_feedback_finds_escaped_ids_and_profiles(tmp_path):
    rows = [(text, f"={label}", f"={at}") for at, (text, label) in enumerate(MAILS)]
    source = write_csv(tmp_path / "s.csv", rows, ("text", "label", "id"))
    state, out = tmp_path / "f.tally", tmp_path / "d.csv"
    succeed("filter", "start", state, source, "-q")
    run_filter = ("filter", "run", state, source, "--id", "id", "-o", out, "-q")
    succeed(*run_filter, "--escape-formulas")
    content = out.read_bytes()
    assert content.count(b"'=") > 2
    succeed(*run_filter, "--escape-formulas")
    assert out.read_bytes() == content  # nothing is delivered twice
    out.write_bytes(re.sub(rb"(,[\d.]+),,", rb"\1,yes,", content))
    succeed("filter", "feedback", state, out)
    assert json_of("filter", "report", state)["utility"] > 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "MODEL", "MAILS"),
        ("predict", "MODEL", "MAILS", "-o", "OUT.jsonl"),
        ("rank", "MODEL", "MAILS", "--label", "=spam"),
        ("evaluate", "MODEL", "MAILS"),
        ("compare", "MAILS", "--yes", "-o", "OUT.html"),
    ],
)
def test_the_option_needs_a_table(model, mails, tmp_path, arguments):
    names = {"MODEL": model, "MAILS": mails}
    given = [names.get(each, each.replace("OUT", str(tmp_path / "out"))) for each in arguments]
    result = run(*given, "--escape-formulas")
    assert result.exit_code == 2
    assert ".csv or .tsv" in " ".join(result.stderr.replace("│", " ").split())


def test_cells_of_excel_files_are_text_and_no_formulas(model, mails, tmp_path):
    out = tmp_path / "out.xlsx"
    succeed("predict", model, mails, "-o", out, "-q")
    errors = tmp_path / "errors.xlsx"
    succeed("evaluate", model, mails, "--errors", errors, "-q")
    for path in (out, errors):
        sheet = openpyxl.load_workbook(path).active
        found = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
        assert any(str(cell.value).startswith("=") for cell in found)
        assert {cell.data_type for cell in found} <= {"s", "n"}


def test_excel_counts_units_of_utf_16(model, tmp_path):
    source = write_csv(tmp_path / "long.csv", [("😀" * 20_000, ""), ("x" * 32_767, "")])
    out = tmp_path / "out.xlsx"
    result = succeed("predict", model, source, "-o", out, "-q")
    assert "1 text was cut" in " ".join(result.stderr.split())
    sheet = openpyxl.load_workbook(out).active
    assert [len(sheet.cell(row, 1).value) for row in (2, 3)] == [32_767 // 2, 32_767]
