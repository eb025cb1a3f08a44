"""Commands whose work an engine shares out: they do what they do on one machine, or nothing."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from commands import MAILS, json_of, run, start, succeed, trained, write_csv, write_jsonl
from java import needs_spark
from tallytext import TextClassifier
from tallytext.cli import engines as dask_engine

distributed = pytest.importorskip("distributed")

MORE = [(f"{text} again {at}", label) for at, (text, label) in enumerate(MAILS)]
READ = ("--text", "body", "--label", "folder")


@pytest.fixture(scope="module")
def dask():
    """Options for a cluster of two processes."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        yield ("--engine", "dask", "--scheduler", cluster.scheduler_address)


@pytest.fixture(scope="module")
def spark():
    needs_spark()
    return ("--engine", "spark", "--master", "local[2]")


@pytest.fixture(scope="module", params=["dask", "spark"])
def engine(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same columns in files of three formats."""
    folder = tmp_path_factory.mktemp("files")
    header, rows = ("body", "folder"), [{"body": t, "folder": c} for t, c in MORE]
    pq.write_table(pa.Table.from_pylist(rows), folder / "c.parquet", row_group_size=25)
    return [
        write_csv(folder / "a.csv", MAILS, header),
        write_jsonl(folder / "b.jsonl", rows),
        folder / "c.parquet",
    ]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model"))


def test_training_counts_what_one_machine_counts(files, engine, tmp_path):
    here, there = tmp_path / "here.tally", tmp_path / "there.tally"
    one = json_of("train", *files, *READ, "-o", here)
    many = json_of("train", *files, *READ, "-o", there, *engine)
    assert TextClassifier.load(there).tally_ == TextClassifier.load(here).tally_
    same = ("n_documents", "n_classes", "n_terms", "n_tokens", "skipped")
    assert [many[name] for name in same] == [one[name] for name in same]


def test_settings_are_those_of_one_machine(files, dask, tmp_path):
    here, there = tmp_path / "here.tally", tmp_path / "there.tally"
    settings = ("--model", "contrast", "--ngrams", "1-2", "--stop-words", "english")
    more = ("--select", "ig:5", "--label-separator", ";", "--multi-label", "--quiet")
    succeed("train", *files, *READ, *settings, *more, "-o", here)
    succeed("train", *files, *READ, *settings, *more, "-o", there, *dask)
    one, many = TextClassifier.load(here), TextClassifier.load(there)
    assert many.tally_ == one.tally_
    assert many.multi_label_
    assert (many.learner_, str(many.selector_)) == (one.learner_, str(one.selector_))


def test_a_report_and_the_speed_are_told(files, dask, tmp_path):
    result = succeed("train", *files, *READ, "-o", tmp_path / "m.tally", *dask)
    assert "accuracy expected on new texts like these" in result.stdout
    assert "180 documents in" in result.stderr
    assert "saved as" in result.stderr
    quiet = succeed("train", *files, *READ, "-o", tmp_path / "m.tally", "--quiet", *dask)
    assert not quiet.stdout
    # Sixty equal documents of each label: warnings are shown nevertheless.
    assert all("occurs in all 60 documents" in line for line in quiet.stderr.splitlines())


def test_vocabularies_can_be_bounded(files, dask, tmp_path):
    path = tmp_path / "m.tally"
    succeed("train", *files, *READ, "-o", path, "--max-terms", "8", "--sample", "50", *dask)
    tally = TextClassifier.load(path).tally_
    assert 0 < tally.n_terms <= 8
    assert tally.n_documents == 180


def test_answers_are_line_by_line_those_of_one_machine(model, files, engine, tmp_path):
    asked = ("predict", model, *files, "--text", "body", "--top", "2", "--set", "0.9", "--quiet")
    more = ("--explain", "--id", "folder", "--min-confidence", "0.6", "--batch", "7")
    one = succeed(*asked, *more).stdout
    assert succeed(*asked, *more, *engine).stdout == one
    answers = [json.loads(line) for line in one.splitlines()]
    assert len(answers) == 180
    assert list(answers[0])[:3] == ["file", "row", "folder"]
    assert {each["file"] for each in answers} == {str(path) for path in files}
    assert [each["row"] for each in answers[-60:]] == list(range(1, 61))


def test_workers_write_parts_of_a_folder(model, files, dask, tmp_path):
    asked = ("predict", model, *files, "--text", "body", "--to", "csv", "--top", "1")
    lines = succeed(*asked).stdout.splitlines(keepends=True)
    result = succeed(*asked, "-o", tmp_path / "answers", *dask)
    assert result.stdout == ""
    assert "saved in" in result.stderr
    parts = sorted((tmp_path / "answers").iterdir())
    assert [part.name for part in parts] == [f"part-0000{n}.csv" for n in range(3)]
    written = [part.read_text().splitlines(keepends=True) for part in parts]
    assert all(part[0] == lines[0] for part in written)
    assert [line for part in written for line in part[1:]] == lines[1:]
    again = run(*asked, "-o", tmp_path / "answers", *dask)
    assert again.exit_code == 1
    assert "there are files in it" in again.stderr
    (tmp_path / "empty").mkdir()
    succeed(*asked, "-o", tmp_path / "empty", *dask)
    assert len(list((tmp_path / "empty").iterdir())) == 3


def test_the_beginning_of_a_file_is_not_taken_for_an_answer(
    model, files, dask, tmp_path, monkeypatch
):
    predict = import_module("tallytext.cli.predict")
    new_folder = predict.new_folder

    @contextmanager
    def with_a_beginning(*given):
        with new_folder(*given) as folder:
            (folder / ".part-00000.jsonl.0123.part").write_text('{"row": 0, "la')  # by the killed
            yield folder

    monkeypatch.setattr(predict, "new_folder", with_a_beginning)
    succeed("predict", model, *files, "--text", "body", "-o", tmp_path / "answers", *dask)
    names = sorted(path.name for path in (tmp_path / "answers").iterdir())
    assert names == [f"part-0000{n}.jsonl" for n in range(3)]


def test_the_report_on_a_model_is_that_of_one_machine(model, files, dask):
    assert json_of("evaluate", model, *files, *READ, *dask) == json_of(
        "evaluate", model, *files, *READ
    )


def test_one_input_needs_no_name(model, files, dask):
    asked = ("predict", model, files[1], "--text", "body", "--quiet")
    one = succeed(*asked).stdout
    assert "file" not in one
    assert succeed(*asked, *dask).stdout == one


def test_rows_that_are_left_out_are_told(model, dask, tmp_path):
    rows = [{"text": "cheap", "label": "spam"}, {"text": 1, "label": "spam"}, {"label": "spam"}]
    bad = write_jsonl(tmp_path / "bad.jsonl", rows)
    skip = ("--on-error", "skip")
    for command in ("evaluate", "predict"):
        one = succeed(command, model, bad, *skip).stderr
        many = succeed(command, model, bad, *skip, *dask).stderr
        assert many.splitlines()[:3] == one.splitlines()[:3]
        assert "2 rows were skipped in" in many
    found = json_of("train", bad, "-o", tmp_path / "m.tally", *skip, *dask)
    assert (found["n_documents"], found["skipped"]) == (1, 2)
    result = succeed("train", bad, "-o", tmp_path / "m.tally", *skip, *dask)
    assert "warning: 2 rows were skipped in" in result.stderr
    assert "line 2: 'text' is 1, not a string" in result.stderr


def test_a_row_that_cannot_be_read_ends_all(model, dask, tmp_path):
    rows = [{"text": "cheap", "label": "spam"}, {"text": 1, "label": "spam"}]
    good, bad = write_csv(tmp_path / "good.csv"), write_jsonl(tmp_path / "bad.jsonl", rows)
    before, there = model.read_bytes(), sorted(tmp_path.iterdir())
    expected = run("train", good, bad, "-o", model).stderr
    for arguments in (
        ("train", good, bad, "-o", model),
        ("predict", model, good, bad, "-o", tmp_path / "answers"),
        ("evaluate", model, good, bad),
    ):
        result = run(*arguments, *dask)
        assert result.exit_code == 1, result.output
        assert (result.stdout, result.stderr) == ("", expected)
    assert "bad.jsonl', line 2" in expected
    assert model.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == there


def test_no_documents_are_an_error(dask, tmp_path):
    empty = write_csv(tmp_path / "empty.csv", [])
    for options in ((), dask):
        result = run("train", empty, "-o", tmp_path / "m.tally", *options)
        assert result.exit_code == 1
        assert "there is no document in" in result.stderr


def test_a_missing_column_is_told_with_those_there_are(files, dask, tmp_path):
    result = run("train", *files, "-o", tmp_path / "m.tally", *dask)
    assert result.exit_code == 1
    assert "has no column 'text'. It has: body, folder." in result.stderr


def test_a_column_that_is_missing_is_told_before_a_cluster_is_looked_for(files, tmp_path):
    nobody = ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9")
    result = run("train", files[2], "-o", tmp_path / "m.tally", *nobody)
    assert result.exit_code == 1
    assert f"{str(files[2])!r} has no column 'text'. It has: body, folder." in result.stderr


def test_probabilities_that_are_stale_are_told_once(model, files, dask, tmp_path):
    changed = tmp_path / "changed.tally"
    wrong = [(text, "news") for text, _ in MAILS]
    succeed("learn", model, write_csv(tmp_path / "more.csv", wrong), "-o", changed)
    for asked in (("predict", "--text", "body"), ("evaluate", *READ)):
        result = succeed(asked[0], changed, *files, *asked[1:], *dask)
        assert result.stderr.count("stale") == 1


SENSELESS = [
    (("train", "-", "-o", "m.tally", "--engine", "dask"), "standard input"),
    (("predict", "MODEL", "-", "--engine", "spark"), "standard input"),
    (("evaluate", "MODEL", "-", "--engine", "dask"), "standard input"),
    (
        ("train", "a.csv", "--unlabelled", "b.csv", "--engine", "dask"),
        "--unlabelled does not work with --engine",
    ),
    (
        ("train", "a.csv", "--model", "refined", "--engine", "dask"),
        "needs all documents on one machine",
    ),
    (("train", "a.csv", "--model", "llsf", "--engine", "spark"), "auto, best, additive, chi"),
    (("train", "a.csv", "--select", "ts:9", "--engine", "dask"), "Use another score"),
    (("train", "a.csv", "--scheduler", "tcp://host:1"), "--scheduler needs --engine dask"),
    (("train", "a.csv", "--workers", "2", "--engine", "spark"), "--master 'local[N]'"),
    (("evaluate", "MODEL", "a.csv", "--master", "yarn"), "--master needs --engine spark"),
    (("train", "a.csv", "--max-terms", "9"), "--max-terms needs --engine"),
    (("train", "a.csv", "--sample", "9"), "--sample needs --engine"),
    (("predict", "MODEL", "a.csv", "--threads", "2", "--engine", "dask"), "has one thread"),
    (("evaluate", "MODEL", "a.csv", "--threads", "2", "--engine", "spark"), "has one thread"),
    (
        ("train", "a.csv", "--engine", "dask", "--scheduler", "tcp://host:1", "--workers", "2"),
        "--workers starts processes on this machine",
    ),
]


@pytest.mark.parametrize(("arguments", "expected"), SENSELESS)
def test_what_makes_no_sense_together_is_refused(arguments, expected, model):
    result = run(*(str(model) if each == "MODEL" else each for each in arguments))
    assert result.exit_code == 2
    assert expected in " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("module", "extra"), [("distributed", "tallytext[dask]"), ("pyspark", "tallytext[spark]")]
)
def test_an_engine_that_is_not_installed_is_named(module, extra, files, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    engine = "dask" if module == "distributed" else "spark"
    path = tmp_path / "m.tally"
    result = run("train", *files, *READ, "-o", path, "--engine", engine)
    assert result.exit_code == 1
    assert f"pip install '{extra}'" in result.stderr
    assert not path.exists()


def test_a_scheduler_that_is_not_there_is_told(files, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_engine, "_CONNECT_TIMEOUT_SECONDS", 1)
    path = tmp_path / "m.tally"
    nobody = ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9")
    result = run("train", *files, *READ, "-o", path, *nobody)
    assert result.exit_code == 1
    assert "there is no Dask scheduler at 'tcp://127.0.0.1:9'" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not path.exists()


def test_a_cluster_without_workers_is_told(capsys):
    nobody = {"n_workers": 0, "processes": False, "protocol": "tcp", "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**nobody) as cluster,
        dask_engine.dask_engine(cluster.scheduler_address, None, 1, quiet=True),
    ):
        assert "has no workers: the work waits" in capsys.readouterr().err


@contextmanager
def waiting(folder, *arguments):
    """Start a command whose worker waits for documents, and yield it when it does."""
    path, (reader, writer) = folder / "m.tally", os.pipe()
    os.write(writer, json.dumps({"text": "wave", "label": "sea"}).encode() + b"\n")
    # A pipe that this process has open; others are refused.
    source = f"/proc/{os.getpid()}/fd/{reader}"
    process = start(
        *("train", source, "--format", "jsonl", "-o", path), *arguments, start_new_session=True
    )
    while select.select([reader], [], [], 0)[0]:  # until somebody has read the row
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    try:
        yield process
    finally:
        os.close(writer)
        os.close(reader)
        process.communicate()
    assert not path.exists()


def processes_of(session):
    listed = subprocess.run(["ps", "-o", "stat=,args=", "-s", str(session)], capture_output=True)
    return [line for line in listed.stdout.splitlines() if not line.startswith(b"Z")]


@pytest.mark.skipif(
    shutil.which("ps") is None or not Path("/proc/self/fd").is_dir(), reason="needs Linux"
)
def test_interrupted_work_leaves_no_process(tmp_path):
    with waiting(tmp_path, "--engine", "dask") as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, errors = process.communicate()
        assert process.returncode == 130, errors
        assert "Nothing was saved" in errors.decode()
        assert b"Traceback" not in errors
        # Whoever is about to leave may do so.
        assert any(processes_of(process.pid) == [] or time.sleep(0.1) for _ in range(100))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux")
def test_a_scheduler_that_dies_is_told(tmp_path):
    script = (
        "import sys, distributed\n"
        "kind = {'processes': False, 'protocol': 'tcp', 'dashboard_address': ':0'}\n"
        "cluster = distributed.LocalCluster(n_workers=1, **kind)\n"
        "print(cluster.scheduler_address, flush=True)\n"
        "sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    cluster = subprocess.Popen([sys.executable, "-c", script], **pipes)
    address = cluster.stdout.readline().decode().strip()
    with waiting(tmp_path, "--engine", "dask", "--scheduler", address) as process:
        cluster.kill()
        cluster.communicate()
        _, errors = process.communicate()
        assert process.returncode == 1, errors
        assert errors.splitlines()[-1].startswith(b"error: ")
        assert b"Traceback" not in errors


def test_help_teaches_engines():
    assert "--engine dask" in succeed("--help").stdout
    for command in ("train", "predict", "evaluate"):
        shown = succeed(command, "--help").stdout
        assert f"$ tally {command} " in shown
        assert "--engine" in shown.partition("Examples:")[2].partition("Arguments")[0]
        assert "─ Engine ─" in shown
