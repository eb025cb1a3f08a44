"""Commands that change one model at the same time: no update is lost, and readers never wait."""

import threading
import time

import pytest

from commands import run, start, succeed, trained, write_csv
from tallytext import TextClassifier
from tallytext.io import lock_file
from tallytext.io.locks import lock_path
from tallytext.labelling import Journal

MORE = [("your parcel is waiting", "parcel"), ("a parcel from abroad", "parcel")]


@pytest.fixture
def model(tmp_path):
    return trained(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        "learn {model} {more}",
        "learn {other} {more} -o {model}",
        "forget {model} {more}",
        "merge {other} {other} -o {model}",
        "recalibrate {model} {more}",
        "thresholds {model} macro",
        "train {more} -o {model}",
        "label {more} -o {model}",
    ],
)
def test_a_command_that_would_change_a_locked_model_names_process_and_option(
    model, tmp_path, arguments
):
    more, other = write_csv(tmp_path / "more.csv", MORE), tmp_path / "other.tally"
    other.write_bytes(before := model.read_bytes())
    given = arguments.format(model=model, more=more, other=other).split()
    with lock_file(model):
        result = run(*given, "--wait", 0, input="q\n")
    assert result.exit_code == 1
    assert " is in use by process " in result.output
    assert "add --wait 60" in result.output
    assert model.read_bytes() == before


def test_reading_needs_no_lock(model, tmp_path):
    more = write_csv(tmp_path / "more.csv", MORE)
    with lock_file(model):
        succeed("predict", model, more)
        succeed("info", model)
        succeed("thresholds", trained(tmp_path, "several.tally", MORE, "--multi-label"))
        succeed("learn", model, more, "-o", tmp_path / "new.tally", "--quiet")


def test_two_processes_that_learn_into_one_model_lose_nothing(model, tmp_path):
    second = write_csv(tmp_path / "second.csv", MORE[1:])
    # The first reads documents until its input ends, and so holds the model.
    first = start("learn", model, "-", "--quiet")
    while not lock_path(model).exists():
        assert first.poll() is None
        time.sleep(0.01)
    refused = run("learn", model, second, "--wait", 0)
    assert f"in use by process {first.pid}" in refused.output
    waiting = start("learn", model, second, "--wait", 600)
    shown = waiting.stderr.readline().decode()
    assert shown.startswith(f"waiting for process {first.pid}")
    first.communicate(b"text,label\nyour parcel is waiting,parcel\n")
    waiting.communicate()
    assert (first.returncode, waiting.returncode) == (0, 0)
    learned = TextClassifier.load(model)
    assert learned.tally_.n_documents == 60 + 2
    assert not lock_path(model).exists()


def test_a_command_waits_until_the_model_is_free(model, tmp_path):
    more = write_csv(tmp_path / "more.csv", MORE)
    taken, go_on = threading.Event(), threading.Event()

    def hold():
        with lock_file(model):
            taken.set()
            go_on.wait(600)

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait(600)
    threading.Timer(0.2, go_on.set).start()
    succeed("learn", model, more, "--quiet")
    thread.join()
    assert TextClassifier.load(model).tally_.n_documents == 62


def test_a_second_session_with_the_same_answers_is_told_at_once(model, tmp_path):
    more = write_csv(tmp_path / "more.csv", MORE)
    with Journal(tmp_path / "mails.labels.jsonl"):
        result = run("label", more, "-o", model, input="q\n")
    assert result.exit_code == 1
    assert "mails.labels.jsonl' is in use by another session of tally label" in result.output


def test_a_filter_that_two_commands_start_is_started_once(tmp_path, monkeypatch):
    from tallytext.filtering import DocumentFilter

    source, path = write_csv(tmp_path / "mails.csv"), tmp_path / "f.tally"
    save = DocumentFilter.save
    begin = DocumentFilter.start

    def start_as_another_does(self, *given):
        begin(self, *given)
        save(self, path)

    monkeypatch.setattr(DocumentFilter, "start", start_as_another_does)
    result = run("filter", "start", path, source)
    assert result.exit_code == 1 and "exists already" in result.output
