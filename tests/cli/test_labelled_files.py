"""A file in, the same file out: tally predict and tally rank with --output."""

import csv
import gzip
import io
import json
import re
import sqlite3
import string
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commands import MAILS, run, start, succeed, trained, write_csv, write_jsonl
from tallytext import TextClassifier
from tallytext.io.table_writer import ENDINGS

#: Characters that every format holds: no control characters, which sheets lack.
CELLS = st.text(
    st.sampled_from(string.printable[:95] + "\t\nnaïve €漢😀")
    | st.characters(min_codepoint=160, exclude_categories=["C"]),
    max_size=12,
)
WORDS = st.sampled_from(["cheap", "lunch", "report", "=1+1", "naïve", '"', ",", ";", "\n", "xyzzy"])
ROWS = st.lists(
    st.tuples(
        st.lists(WORDS, min_size=1).map(lambda words: " ".join(["x", *words])),
        CELLS,
        CELLS,
    ),
    min_size=1,
    max_size=5,
)
HEADER = ("note", "text", "a, b")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("labelled")


def write_csv_file(path, header, rows, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([header, *rows])


def write_tsv(path, header, rows):
    write_csv_file(path, header, rows, "\t")


def write_lines(path, header, rows):
    lines = [json.dumps(dict(zip(header, row, strict=True))) for row in rows]
    path.write_text("\n".join(lines))


def write_array(path, header, rows):
    path.write_text(json.dumps([dict(zip(header, row, strict=True)) for row in rows]))


def write_parquet(path, header, rows):
    columns = zip(*rows, strict=True)
    pq.write_table(pa.table(dict(zip(header, map(list, columns), strict=True))), path)


def write_sheet(path, header, rows):
    book = openpyxl.Workbook()
    for at, row in enumerate([header, *rows], 1):
        for column, value in enumerate(row, 1):
            cell = book.active.cell(at, column)
            cell.value = value
            cell.data_type = "s"
    book.save(path)


def write_database(path, header, rows):
    path.unlink(missing_ok=True)
    # As a context, a connection commits, and does not close.
    with closing(sqlite3.connect(path)) as database, database:
        names = ", ".join(f'"{name}"' for name in header)
        database.execute(f"CREATE TABLE mails ({names})")
        database.executemany("INSERT INTO mails VALUES (?, ?, ?)", rows)


WRITERS = {
    "csv": write_csv_file,
    "tsv": write_tsv,
    "jsonl": write_lines,
    "json": write_array,
    "parquet": write_parquet,
    "xlsx": write_sheet,
    "sqlite": write_database,
}


def read_table(path):
    """Return the header and the rows of a table, in which an empty cell of a sheet is ''."""
    name = path.name.removesuffix(".gz")
    content = path.read_bytes()
    content = gzip.decompress(content) if path.name.endswith(".gz") else content
    if name.endswith(".parquet"):
        table = pq.read_table(path)
        return table.column_names, [list(row.values()) for row in table.to_pylist()]
    if name.endswith(".xlsx"):
        rows = openpyxl.load_workbook(path).active.iter_rows(values_only=True)
        header, *rows = [["" if value is None else value for value in row] for row in rows]
        return header, rows
    text = content.decode()
    if name.endswith((".csv", ".tsv")):
        delimiter = "," if name.endswith("csv") else "\t"
        header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        return header, rows
    records = json.loads(text) if name.endswith(".json") else map(json.loads, text.splitlines())
    records = list(records)
    return list(records[0]) if records else [], [list(record.values()) for record in records]


@pytest.mark.parametrize("given_format", WRITERS)
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, ending=st.sampled_from([*ENDINGS, "csv.gz", "jsonl.gz"]))
def test_columns_and_values_come_back_with_the_labels_of_the_model(
    model, folder, given_format, rows, ending
):
    source, output = folder / f"new.{given_format}", folder / f"labelled.{ending}"
    WRITERS[given_format](source, HEADER, rows)
    succeed("predict", model, source, "-o", output, "--force", "--quiet")
    header, found = read_table(output)
    assert header == [*HEADER, "label", "probability"]
    assert [tuple(row[:3]) for row in found] == rows
    printed = [
        json.loads(line) for line in succeed("predict", model, source, "-q").stdout.splitlines()
    ]
    assert [row[3] or None for row in found] == [each["label"] for each in printed]
    expected = [each["probability"] for each in printed]
    # Tables for people have 6 digits of a number.
    rel = 0 if ending.startswith(("json", "ndjson", "parquet")) else 5e-6
    assert [float(row[4]) for row in found] == pytest.approx(expected, rel=rel, abs=0)
    assert [each["row"] for each in printed] == list(range(1, len(rows) + 1))
    best = TextClassifier.load(model).predict([row[1] for row in rows])
    assert all(row[3] in ("", None, label) for row, label in zip(found, best, strict=True))


def test_columns_of_a_parquet_file_keep_their_types(model, tmp_path):
    when = datetime(2024, 5, 31, 12, tzinfo=UTC)
    table = pa.table(
        {
            "when": pa.array([when, None], pa.timestamp("ns", "UTC")),
            "text": pa.array(["cheap pills", "xyzzy"], pa.large_string()),
            "kind": pa.array(["a", "b"]).dictionary_encode(),
            "parts": [[{"n": 1}], None],
            "small": pa.array([1, 2], pa.int8()),
        }
    )
    pq.write_table(table, tmp_path / "new.parquet")
    succeed("predict", model, tmp_path / "new.parquet", "-o", tmp_path / "out.parquet", "-q")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.select(table.column_names).equals(table)
    assert found.schema.types[-2:] == [pa.string(), pa.float64()]
    assert found["label"].to_pylist() == ["spam", None]


def test_nested_values_are_json_text_where_a_format_has_none(model, tmp_path):
    record = {
        "text": "cheap pills",
        "tags": ["a", 1],
        "from": {"name": "née"},
        "n": 1.5,
        "ok": True,
    }
    source = write_jsonl(tmp_path / "new.jsonl", [record, {"text": "lunch", "late": None}])
    for ending in ("csv", "xlsx", "parquet"):
        output = tmp_path / f"out.{ending}"
        succeed("predict", model, source, "-o", output, "-q")
        header, (row, other) = read_table(output)
        found = dict(zip(header, row, strict=True))
        assert (json.loads(found["tags"]), json.loads(found["from"])) == (
            record["tags"],
            record["from"],
        )
        assert (float(found["n"]), found["ok"]) == (1.5, "true" if ending == "csv" else True)
        assert dict(zip(header, other, strict=True))["tags"] in ("", None)
    succeed("predict", model, source, "-o", tmp_path / "out.jsonl", "-q")
    first, second = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert {name: first[name] for name in record} == record
    assert list(second) == ["text", "late", "label", "probability"]


def test_all_that_predict_knows_has_a_column(model, tmp_path):
    source = write_csv(tmp_path / "new.csv", [("cheap lunch",), ("xyzzy",)], ("text",))
    options = ("--top", "4", "--set", "0.9", "--known", "--novelty", "-q")
    succeed("predict", model, source, "-o", tmp_path / "out.csv", *options)
    header, rows = read_table(tmp_path / "out.csv")
    ranks = [f"{name}_{rank}" for rank in range(1, 5) for name in ("label", "probability")]
    assert header[1:] == ["label", "probability", *ranks, "set", "known_share", "novelty"]
    assert {row[header.index("label_4")] for row in rows} == {""}  # the model has three classes
    succeed("predict", model, source, "-o", tmp_path / "out.parquet", *options)
    found = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert isinstance(found[0]["set"], list) and found[0]["label_4"] is None
    succeed("predict", model, source, "-o", tmp_path / "out.jsonl", "--explain", "-q")
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["explanation"]
    refused = run("predict", model, source, "-o", tmp_path / "why.csv", "--explain")
    assert refused.exit_code == 2 and ".jsonl" in refused.output


def test_several_labels_are_a_list_or_separated_by_semicolons(tmp_path):
    mails = [(text, f"{label};mail" if at % 2 else label) for at, (text, label) in enumerate(MAILS)]
    model = trained(tmp_path, "several.tally", mails, "--label-separator", ";")
    source = write_csv(tmp_path / "new.csv", [("lunch at noon",), ("xyzzy",)], ("text",))
    succeed("predict", model, source, "-o", tmp_path / "out.csv", "-q")
    succeed("predict", model, source, "-o", tmp_path / "out.parquet", "-q")
    labels = pq.read_table(tmp_path / "out.parquet")["label"].to_pylist()
    assert labels[1] == []
    assert [row[1] for row in read_table(tmp_path / "out.csv")[1]] == [";".join(x) for x in labels]


def test_columns_of_the_same_name_stay_and_predictions_are_named_otherwise(model, tmp_path):
    source = write_csv(tmp_path / "new.csv", [("cheap", "ham"), ("lunch", "")])
    told = succeed("predict", model, source, "-o", tmp_path / "out.csv").stderr
    assert "already has a column 'label'" in told and "predicted_probability" in told
    assert told.endswith(f"saved as {tmp_path / 'out.csv'}\n")
    header, rows = read_table(tmp_path / "out.csv")
    assert header == ["text", "label", "predicted_label", "predicted_probability"]
    assert [row[1] for row in rows] == ["ham", ""]
    succeed("predict", model, tmp_path / "out.csv", "-o", tmp_path / "twice.csv", "-q")
    again, _ = read_table(tmp_path / "twice.csv")
    assert again == [*header, "predicted2_label", "predicted2_probability"]
    printed = succeed("predict", model, source, "--id", "label", "--id", "text", "-q").stdout
    assert json.loads(printed.splitlines()[0]).keys() == {
        *("row", "label", "text", "predicted_label", "predicted_probability")
    }
    lines = succeed("predict", model, source, "--id", "label", "--to", "csv", "--top", "1", "-q")
    assert lines.stdout.splitlines()[0].split(",")[:4] == ["row", "label", *header[2:]]


def test_a_column_that_comes_late_is_not_overwritten(model, tmp_path):
    records = [{"text": "cheap"}, {"text": "lunch", "label": "ham"}]
    source = write_jsonl(tmp_path / "new.jsonl", records)
    output = tmp_path / "out.jsonl"
    refused = run("predict", model, source, "-o", output, "--batch", "1")
    assert refused.exit_code == 1 and "'label' occurs" in refused.output
    assert not output.exists()
    other = write_jsonl(tmp_path / "other.jsonl", [{"text": "cheap"}, {"text": "b", "late": 1}])
    refused = run("predict", model, other, "-o", tmp_path / "out.csv", "--batch", "1")
    assert refused.exit_code == 1 and "'late'" in refused.output and ".jsonl" in refused.output
    succeed("predict", model, other, "-o", output, "--batch", "1", "-q")
    assert [list(json.loads(line)) for line in output.read_text().splitlines()] == [
        ["text", "label", "probability"],
        ["text", "late", "label", "probability"],
    ]


def test_several_inputs_have_a_column_of_their_names(model, tmp_path):
    one = write_csv(tmp_path / "one.csv", [("cheap", "a")], ("text", "file"))
    two = write_jsonl(tmp_path / "two.jsonl", [{"text": "lunch"}])
    succeed("predict", model, one, two, "-o", tmp_path / "out.tsv", "-q")
    header, rows = read_table(tmp_path / "out.tsv")
    assert header == ["input_file", "text", "file", "label", "probability"]
    assert [row[:3] for row in rows] == [[str(one), "cheap", "a"], [str(two), "lunch", ""]]


def test_files_of_a_folder_come_with_their_names(model, tmp_path):
    (tmp_path / "mails" / "in").mkdir(parents=True)
    (tmp_path / "mails" / "in" / "1.txt").write_text("cheap\npills")
    succeed("predict", model, tmp_path / "mails", "-o", tmp_path / "out.csv", "-q")
    header, rows = read_table(tmp_path / "out.csv")
    assert header == ["file", "text", "label", "probability"]
    assert rows[0][:3] == ["in/1.txt", "cheap\npills", "spam"]


@pytest.mark.parametrize("ending", sorted({*ENDINGS}))
def test_no_documents_are_an_empty_table(model, tmp_path, ending):
    source = write_csv(tmp_path / "new.csv", [], ("body",))
    output = tmp_path / f"out.{ending}"
    succeed("predict", model, source, "--text", "body", "-o", output, "-q")
    header, rows = read_table(output)
    assert rows == []
    assert ending in ("jsonl", "ndjson", "json") or header == ["body", "label", "probability"]


def test_rows_that_cannot_be_read_are_left_out_and_told(model, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("id,text\n1,cheap\nbroken\n3,lunch\n")
    refused = run("predict", model, path, "-o", tmp_path / "out.csv")
    assert refused.exit_code == 1 and not (tmp_path / "out.csv").exists()
    told = succeed("predict", model, path, "-o", tmp_path / "out.csv", "--on-error", "skip").stderr
    assert "1 row was skipped" in told
    assert [row[0] for row in read_table(tmp_path / "out.csv")[1]] == ["1", "3"]


def test_what_a_sheet_cannot_hold_is_told(model, tmp_path):
    texts = ["cheap \x01 pills", "lunch " * 10_000, "=SUM(A1)", "#N/A", "_x0041_"]
    source = write_jsonl(tmp_path / "new.jsonl", [{"text": text, "n": 2**60} for text in texts])
    told = succeed("predict", model, source, "-o", tmp_path / "out.xlsx").stderr
    assert "1 text was cut to 32,767 characters" in told and "control characters in 1 text" in told
    _, rows = read_table(tmp_path / "out.xlsx")
    assert [row[0] for row in rows][2:4] == texts[2:4]
    assert rows[0][0] == "cheap \ufffd pills" and rows[1][0] == texts[1][:32_767]
    assert {row[1] for row in rows} == {str(2**60)}


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_inputs_models_and_files_of_others_are_never_overwritten(model, tmp_path, force):
    source = write_csv(tmp_path / "new.csv", [("cheap",)], ("text",))
    before = source.read_bytes(), model.read_bytes()
    alias = tmp_path / "alias.csv"
    alias.symlink_to(source)
    held = tmp_path / "model.csv"
    held.write_bytes(model.read_bytes())
    for output in (source, alias, held, model, tmp_path):
        assert run("predict", model, source, "-o", output, *force).exit_code == 1
        assert run("rank", model, source, "--label", "spam", "-o", output, *force).exit_code == 1
    assert (source.read_bytes(), model.read_bytes()) == before
    assert held.read_bytes() == before[1] and alias.is_symlink()


def test_an_existing_file_is_replaced_only_with_force(model, tmp_path):
    source = write_csv(tmp_path / "new.csv", [("cheap",)], ("text",))
    output = tmp_path / "out.csv"
    output.write_text("mine\n")
    refused = run("predict", model, source, "-o", output)
    assert refused.exit_code == 1 and "--force" in refused.output
    assert output.read_text() == "mine\n"
    succeed("predict", model, source, "-o", output, "--force", "-q")
    assert read_table(output)[0] == ["text", "label", "probability"]


@pytest.mark.parametrize(
    "arguments, remedy",
    [
        (["-o", "out.txt"], ".xlsx"),
        (["-o", "out"], ".xlsx"),
        (["-o", "out.parquet.gz"], ".gz"),
        (["-o", "nowhere/out.csv"], "no folder"),
        (["-o", "out.jsonl", "--to", "csv"], "--to"),
        (["-o", "out.csv", "--id", "text"], "--id"),
        (["--force"], "--force"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_the_model_is_read(tmp_path, arguments, remedy):
    source = write_csv(tmp_path / "new.csv", [("cheap",)], ("text",))
    refused = run("predict", tmp_path / "none.tally", source, *arguments)
    assert refused.exit_code in (1, 2) and remedy in refused.output
    assert "none.tally" not in refused.output
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_an_interruption_leaves_no_file_behind(model, tmp_path, ending):
    output = tmp_path / f"out.{ending}"
    process = start("predict", model, "-", "--format", "jsonl", "--batch", "1", "-o", output)
    process.stdin.write(b'{"text": "cheap"}\n' * 3)
    process.stdin.flush()
    while not any(tmp_path.iterdir()):  # the unfinished file, once the input is being read
        assert process.poll() is None, process.stderr.read()
    process.send_signal(2)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert b"Nothing was written to" in errors and b"Traceback" not in errors
    assert not any(tmp_path.iterdir())


def test_documents_from_a_pipe_go_to_a_file(model, tmp_path):
    lines = "".join(
        json.dumps({"text": text, "n": at}) + "\n" for at, (text, _) in enumerate(MAILS)
    )
    output = tmp_path / "out.jsonl"
    succeed("predict", model, "-", "--format", "jsonl", "-o", output, "-q", input=lines)
    found = [json.loads(line) for line in output.read_text().splitlines()]
    assert [each["n"] for each in found] == list(range(len(MAILS)))
    assert [each["label"] for each in found] == [label for _, label in MAILS]


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory from /proc")
def test_a_hundred_thousand_rows_take_the_memory_of_a_few(model, tmp_path):
    pad = "x" * 2_000  # 200 MB in all
    ending = "csv"
    source = tmp_path / "new.csv"
    with source.open("w") as file:
        file.write("text,pad\n")
        file.writelines(f"{MAILS[at % 6][0]},{pad}\n" for at in range(100_000))
    # Not ru_maxrss, which a new program inherits from the process that starts it.
    peak = "import sys; from tallytext.cli import main\ntry:\n  main()\nfinally:\n  "
    peak += "print(*open('/proc/self/status'), file=sys.stderr)"
    arguments = ["predict", model, source, "-o", tmp_path / f"out.{ending}", "-q", "--threads", "1"]
    done = subprocess.run(
        [sys.executable, "-c", peak, *map(str, arguments)], capture_output=True, check=True
    )
    assert int(re.search(rb"VmHWM:\s+(\d+) kB", done.stderr)[1]) << 10 < 700 << 20
    with (tmp_path / f"out.{ending}").open() as file:
        assert sum(1 for _ in file) == 100_000 + (ending == "csv")


@pytest.mark.parametrize("ending", sorted({*ENDINGS}))
def test_ranked_documents_are_written_in_each_format(model, tmp_path, ending):
    rows = [(f"k{at}", text) for at, (text, _) in enumerate(MAILS[:4])]
    source = write_csv(tmp_path / "new.csv", rows, ("key", "text"))
    command = ("rank", model, source, "--label", "spam", "--id", "key", "--with-text", "-q")
    succeed(*command, "-o", tmp_path / f"out.{ending}")
    header, found = read_table(tmp_path / f"out.{ending}")
    printed = [json.loads(line) for line in succeed(*command).stdout.splitlines()]
    assert header == ["row", "key", "label", "score", "text"]
    for row, each in zip(found, printed, strict=True):
        values = dict(zip(header, row, strict=True))
        # A sheet holds 16 digits of a number.
        assert float(values.pop("score")) == pytest.approx(each.pop("score"), rel=1e-14)
        assert [str(value) for value in values.values()] == [str(v) for v in each.values()]
