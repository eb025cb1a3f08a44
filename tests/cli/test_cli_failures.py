"""What the command does when something is wrong, or interrupted; and what it need not import."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from commands import MAILS, json_of, run, start, succeed, trained, write_csv, write_jsonl
from tallytext import TextClassifier
from tallytext.cli import app
from tallytext.cli.io import delay_interrupts, unlabelled_documents
from tallytext.cli.options import ReadingOptions
from tallytext.cli.update import ModelUpdate

HEAVY = ("numpy", "scipy", "sklearn", "pyarrow", "pandas", "joblib", "rich.progress")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model"))


def refused(*arguments, input=None):
    """Run a command that must fail with one paragraph, and return it."""
    result = run(*arguments, input=input)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        (("body", "label"), "--text body"),
        (("text", "Category"), "--label Category"),
        (("words", "label"), "--text words"),
        (("text", "what"), "--label what"),
        (("one", "two"), "Choose the column to read with --text."),
    ],
)
def test_a_missing_column_is_told_with_those_there_are(tmp_path, header, hint):
    message = refused("train", write_csv(tmp_path / "mails.csv", header=header))
    assert f"It has: {', '.join(header)}." in message
    assert hint in message


def test_a_missing_key_is_told_with_those_there_are(tmp_path):
    source = write_jsonl(tmp_path / "mails.jsonl", [{"content": "cheap", "class": "spam"}])
    message = refused("train", source)
    assert "line 1" in message
    assert "--text content" in message


def test_what_cannot_be_read_is_told(model, tmp_path):
    assert "there is no file" in refused("train", tmp_path / "none.csv")
    assert "there is no model" in refused("info", tmp_path / "none.tally")
    assert "does not show the format" in refused("predict", model, __file__)
    source = write_csv(tmp_path / "mails.csv")
    assert "there is no format 'cvs'" in refused("evaluate", model, source, "--format", "cvs")
    refused("info", source)
    model_cut = tmp_path / "cut.tally"
    model_cut.write_bytes(model.read_bytes()[:-100])
    refused("predict", model_cut, source)


def test_what_cannot_be_written_is_told_before_the_work(model, tmp_path):
    source = write_csv(tmp_path / "mails.csv")
    assert "there is no folder" in refused("train", source, "-o", tmp_path / "no" / "m.tally")
    assert "it is a folder" in refused("learn", model, source, "-o", tmp_path)
    assert "there is no folder" in refused("merge", model, "-o", tmp_path / "no" / "m.tally")
    page = tmp_path / "no" / "why.html"
    assert "there is no folder" in refused("explain", model, "cheap", "--html", page)


def test_an_unknown_model_is_told_with_those_there_are(tmp_path):
    source = write_csv(tmp_path / "mails.csv")
    result = run("train", source, "--model", "multinomal", "-o", tmp_path / "m.tally")
    assert result.exit_code == 2  # a problem with the command line
    assert "Did you mean 'multinomial'?" in result.stderr


def test_a_failure_leaves_the_old_file(model, tmp_path):
    bad = write_jsonl(tmp_path / "bad.jsonl", [{"text": "cheap", "label": "spam"}, {"text": 1}])
    before = model.read_bytes()
    assert "line 2" in refused("learn", model, bad, "--quiet")
    assert "line 2" in refused("train", bad, "-o", model)
    assert model.read_bytes() == before


def test_rows_can_be_left_out(model, tmp_path):
    rows = [{"text": "cheap", "label": "spam"}, {"text": 1, "label": "spam"}, {"label": "spam"}]
    bad = write_jsonl(tmp_path / "bad.jsonl", rows)
    result = succeed("evaluate", model, bad, "--on-error", "skip")
    assert "warning: 2 rows were skipped in" in result.stderr
    assert "line 2: 'text' is 1, not a string" in result.stderr
    assert "line 3: no key 'text'" in result.stderr
    found = json_of("evaluate", model, bad, "--on-error", "skip")
    assert (found["n_documents"], found["skipped"]) == (1, 2)


def test_a_traceback_is_shown_on_demand(tmp_path, monkeypatch):
    result = run("--traceback", "train", tmp_path / "none.csv")
    assert result.exit_code == 1
    assert "there is no file" in str(result.exception)
    monkeypatch.setenv("TALLYTEXT_TRACEBACK", "1")
    assert "there is no file" in str(run("train", tmp_path / "none.csv").exception)


@pytest.mark.parametrize(
    "arguments",
    [["train"], ["predict", "m.tally"], ["learn", "m", "a", "--on-error", "x"], ["terms"]],
)
def test_a_wrong_command_line_has_a_code_of_its_own(arguments):
    assert run(*arguments).exit_code == 2


def interrupted(process):
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors
    return output, errors.decode()


def test_interrupted_answers_are_whole_lines(model):
    process = start("predict", model, "-", "--batch", "1")
    process.stdin.write(b'{"text": "cheap"}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["label"] == "spam"
    output, errors = interrupted(process)
    assert output == b""
    assert errors.startswith("interrupted. 1 prediction was written.")


def test_interrupted_learning_keeps_what_was_saved(tmp_path):
    model = trained(tmp_path)
    before = model.read_bytes()
    process = start("learn", model, "-", "--save-every", "2")
    process.stdin.write(b'{"text": "a parcel", "label": "parcel"}\n' * 3)
    process.stdin.flush()
    while model.read_bytes() == before:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    _, errors = interrupted(process)
    assert "The first 2 documents are in" in errors
    assert json_of("info", model)["n_documents"] == len(MAILS) + 2


def test_an_interruption_right_after_saving_knows_what_was_saved(tmp_path, monkeypatch):
    path = trained(tmp_path)
    classifier = TextClassifier.load(path)
    saved = TextClassifier.save

    def interrupted_save(self, path):
        saved(self, path)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(TextClassifier, "save", interrupted_save)
    change = ModelUpdate(path, classifier, save_every=2)
    with pytest.raises(KeyboardInterrupt):
        change.add(2)
    assert "The first 2 documents are in" in change.outcome()


def test_interrupted_training_saves_nothing(tmp_path):
    # The model is there to be seen when standard input is waited for.
    path = tmp_path / "m.tally"
    script = (
        "import sys; from tallytext.cli import app; import tallytext.cli.io as d\n"
        "by_source = d.InputDocuments.by_source\n"
        "def shown(self): print('reading', flush=True); yield from by_source(self)\n"
        "d.InputDocuments.by_source = shown\n"
        f"app(['train', '-', '-o', {str(path)!r}])"
    )
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen([sys.executable, "-c", script], **pipes)
    assert process.stdout.readline() == b"reading\n"
    _, errors = interrupted(process)
    assert "Nothing was saved" in errors
    assert not path.exists()


def imported_by(code):
    script = f"import sys\n{code}\nprint(' '.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    return set(done.stderr.decode().split())


def test_help_waits_for_no_library():
    code = (
        "from typer.testing import CliRunner; from tallytext.cli import app\n"
        "for command in ['train', 'predict', 'evaluate', 'learn', 'info', 'demo']:\n"
        "    assert CliRunner().invoke(app, [command, '--help']).exit_code == 0"
    )
    assert imported_by(code).isdisjoint(HEAVY)


def test_predicting_imports_only_what_it_needs(model, tmp_path):
    source = write_jsonl(tmp_path / "new.jsonl", [{"text": "cheap"}])
    code = (
        "from typer.testing import CliRunner; from tallytext.cli import app\n"
        f"arguments = ['predict', {str(model)!r}, {str(source)!r}, '--quiet', '--top', '2']\n"
        "assert CliRunner().invoke(app, arguments).exit_code == 0"
    )
    modules = imported_by(code)
    assert "tallytext.classifier" in modules
    needless = "matplotlib sklearn.linear_model sklearn.model_selection sklearn.metrics"
    ours = "tallytext.tuning tallytext.sklearn tallytext.io.parquet rich.progress"
    assert modules.isdisjoint([*needless.split(), *ours.split()])


def test_an_interruption_waits_until_a_step_is_done():
    done = []
    with pytest.raises(KeyboardInterrupt), delay_interrupts():
        signal.raise_signal(signal.SIGINT)
        done.append("first")
    with pytest.raises(KeyboardInterrupt), delay_interrupts():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        done.append("never")
    assert done == ["first"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_shells_complete_models_and_formats():
    for option, expected in (("--model", "chi-contrast"), ("--format", "parquet")):
        words = {"COMP_WORDS": f"tally train {option} ", "COMP_CWORD": "3"}
        asked = {"_TALLY_COMPLETE": "complete_bash", **words}
        result = CliRunner(env=asked).invoke(app, [], prog_name="tally")
        assert expected in result.output.splitlines()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (os.mkfifo, "a device or a pipe"),
        (lambda path: path.symlink_to("/dev/null"), "a device or a pipe"),
        (lambda path: path.symlink_to(path), "a link that leads to itself"),
        (os.mkdir, "a folder"),
    ],
)
@pytest.mark.parametrize("name", ["out.tally", "out.csv", "out.html"])
def test_an_output_that_is_no_file_is_refused_before_the_work(tmp_path, make, kind, name):
    source, out = tmp_path / "none.csv", tmp_path / name
    make(out)
    commands = {
        "out.tally": ("train", source, "-o", out),
        "out.csv": ("predict", source, source, "-o", out),
        "out.html": ("evaluate", source, source, "--html", out),
    }
    result = run(*commands[name])
    assert result.exit_code == 1
    assert f"it is {kind}. Give the name of a file." in " ".join(result.stderr.split())
    assert [*tmp_path.iterdir()] == [out]


def test_limits_of_hostile_files_name_the_option_that_raises_them(tmp_path, model):
    source = tmp_path / "bomb.txt.gz"
    source.write_bytes(gzip.compress(b"word " * 1000 + b"\n") * 1000)
    message = refused("predict", model, source, "--max-unpacked", "1M")
    assert "unpacks to more than 1 MiB" in message
    assert message.endswith("allow more with --max-unpacked 1G.\n")
    message = refused("predict", model, source, "--max-row", "2K")
    assert "line 1: larger than 2 KiB" in message and "as in --max-row 1G." in message
    assert "max_" not in message
    succeed("predict", model, source, "--max-unpacked", "6M")


@pytest.mark.parametrize("size", ["much", "0", "-1", "1X", "1e9", ""])
def test_a_limit_that_is_no_size_is_a_wrong_option(tmp_path, model, size):
    result = run("predict", model, tmp_path / "new.csv", "--max-row", size)
    assert result.exit_code == 2 and "is not a size, such as 500K, 64M or 2G" in result.stderr


def test_limits_hold_for_unlabelled_documents_and_engines(tmp_path):
    reading = ReadingOptions(max_row=100, max_unpacked=200)
    documents = unlabelled_documents([write_csv(tmp_path / "m.csv")], [], reading, quiet=True)
    assert next(iter(documents._readers))._max_row == 100
    from tallytext.distributed.files import Files  # which needs pyarrow

    (split,) = Files([write_csv(tmp_path / "m.csv")], max_row=100, max_unpacked=200).splits()
    assert split.options == {"max_row": 100, "max_unpacked": 200}
