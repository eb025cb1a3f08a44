"""``tally filter`` and ``tally rank`` as a user runs them, killed in the middle too."""

import csv
import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from commands import MAILS, json_of, run, succeed, trained, write_csv, write_jsonl
from tallytext import DocumentFilter, TextClassifier

NEW = [(f"m{at}", f"{text} {at}", label) for at, (text, label) in enumerate(MAILS)]


@pytest.fixture
def started(tmp_path):
    write_csv(tmp_path / "examples.csv", MAILS[:12])
    write_csv(tmp_path / "stream.csv", NEW, ("id", "text", "label"))
    succeed("filter", "start", tmp_path / "f.tally", tmp_path / "examples.csv", "-q")
    return tmp_path


def deliveries(path):
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            return [(row["id"], row["profile"]) for row in csv.DictReader(file)]
    rows = map(json.loads, path.read_text().splitlines())
    return [(row["id"], row["profile"]) for row in rows]


def filter_stream(folder, output, *more):
    command = ("filter", "run", folder / "f.tally", folder / "stream.csv", "--id", "id", "-q")
    return succeed(*command, "-o", folder / output, *more)


def test_the_file_that_run_wrote_is_the_feedback(started):
    filter_stream(started, "out.csv")
    path = started / "out.csv"
    found = deliveries(path)
    assert found
    with path.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    truth = {id: label for id, _, label in NEW}
    for row in rows:
        row["relevant"] = "yes" if truth[row["id"]] == row["profile"] else "no"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    succeed("filter", "feedback", started / "f.tally", path)
    report = json_of("filter", "report", started / "f.tally")
    assert sum(each["unjudged"] for each in report["profiles"]) == 0
    right = sum(truth[id] == profile for id, profile in found)
    assert report["utility"] == 2 * right - (len(found) - right)


def test_an_archive_is_replayed_with_its_labels(started):
    filter_stream(started, "out.jsonl", "--label", "label", "--batch", "10")
    report = json_of("filter", "report", started / "f.tally")
    assert report["documents"] == len(NEW)
    assert report["f1"] > 0.9
    shown = succeed("filter", "report", started / "f.tally", "--picture", started / "f.svg").stdout
    assert "spam" in shown
    assert (started / "f.svg").read_text().startswith("<svg")


KILLED_AT = """
    import os, signal, sys
    import tallytext.cli.filter as command
    from tallytext.cli import main

    point, n = sys.argv[1], int(sys.argv[2])
    calls = {"save": 0, "write": 0}

    def wrap(owner, name, kind, when):
        plain = getattr(owner, name)
        def killed(*given, **named):
            calls[kind] += 1
            if when == "before" and calls[kind] == n:
                os.kill(os.getpid(), signal.SIGKILL)
            plain(*given, **named)
            if when == "after" and calls[kind] == n:
                os.kill(os.getpid(), signal.SIGKILL)
        setattr(owner, name, killed)

    if point == "half a line":
        plain = command._DeliveryWriter._format
        def half(self, deliveries):
            lines = plain(self, deliveries)
            calls["write"] += bool(lines)
            if calls["write"] == n:
                with self._path.open("ab") as file:
                    file.write(lines[: len(lines) // 2 + 3])
                os.kill(os.getpid(), signal.SIGKILL)
            return lines
        command._DeliveryWriter._format = half
    else:
        kind, when = point.split()
        owner = command._State if kind == "save" else command._DeliveryWriter
        wrap(owner, kind, kind, when)
    sys.argv = ["tally", *sys.argv[3:]]
    main()
"""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
@pytest.mark.parametrize(
    ("point", "suffix"),
    [
        ("save before", "csv"),
        ("save after", "jsonl"),
        ("write after", "csv"),
        ("half a line", "csv"),
        ("half a line", "jsonl"),
    ],
)
def test_a_run_that_is_killed_goes_on_without_loss(started, point, suffix):
    whole = started / "whole"
    whole.mkdir()
    for name in ("f.tally", "stream.csv"):
        (whole / name).write_bytes((started / name).read_bytes())
    options = ("--label", "label", "--batch", "7")
    filter_stream(whole, f"out.{suffix}", *options)
    output = started / f"out.{suffix}"
    command = ["filter", "run", "f.tally", "stream.csv", "--id", "id", "-q", "-o", output.name]
    script = textwrap.dedent(KILLED_AT)
    killed = subprocess.run(
        [sys.executable, "-c", script, point, "3", *command, *options], cwd=started
    )
    assert killed.returncode == -signal.SIGKILL
    filter_stream(started, output.name, *options)
    assert deliveries(output) == deliveries(whole / output.name)
    assert output.read_bytes() == (whole / output.name).read_bytes()
    assert json_of("filter", "report", started / "f.tally") == json_of(
        "filter", "report", whole / "f.tally"
    )


def test_an_output_that_the_user_edited_is_only_appended_to(started):
    filter_stream(started, "out.csv")
    path = started / "out.csv"
    edited = path.read_text().replace(",,", ",yes,").rstrip("\n")
    path.write_text(edited)
    more = [(f"n{at}", f"{text} again", label) for at, (text, label) in enumerate(MAILS[:6])]
    write_csv(started / "stream.csv", more, ("id", "text", "label"))
    filter_stream(started, "out.csv")
    assert path.read_text().startswith(edited + "\n")
    assert len(deliveries(path)) > edited.count("\n")


@pytest.fixture
def interrupted(started):
    """A filter that knows of deliveries that were not written."""
    profiles, _ = DocumentFilter._load(started / "f.tally")
    stream = [(id, text) for id, text, _ in NEW] + [("long", f"cheap pills {'offer ' * 40_000}")]
    assert profiles.filter([text for _, text in stream], [id for id, _ in stream])
    profiles._save(started / "f.tally", {"n_written": 0})
    return started


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_long_deliveries_are_found_again(interrupted, suffix):
    state = (interrupted / "f.tally").read_bytes()
    filter_stream(interrupted, f"out.{suffix}")
    path = interrupted / f"out.{suffix}"
    written = path.read_bytes()
    assert len(written) > 200_000
    (interrupted / "f.tally").write_bytes(state)
    filter_stream(interrupted, path.name)
    assert path.read_bytes() == written


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("out.jsonl", "not JSON\n"),
        ("out.jsonl", '{"a": 1}\n'),
        ("out.jsonl", "[" * 100_000 + "\n"),
        ("out.csv", "some,thing\n1,2\n"),
        ("out.csv", 'id,profile\n"open,spam\n'),
    ],
)
def test_an_output_with_other_rows_is_an_error_with_a_remedy(interrupted, name, content):
    state, path = (interrupted / "f.tally").read_bytes(), interrupted / name
    path.write_text(content)
    command = ("filter", "run", interrupted / "f.tally", interrupted / "stream.csv", "--id", "id")
    result = run(*command, "-o", path)
    assert result.exit_code == 1
    assert str(path) in result.output
    assert "correct it, or choose another file with -o" in result.output
    assert "--on-error" not in result.output
    assert (path.read_text(), (interrupted / "f.tally").read_bytes()) == (content, state)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to(os.devnull), os.mkdir])
def test_deliveries_go_into_files_only(started, make):
    before = (started / "f.tally").read_bytes()
    make(started / "out.jsonl")
    command = ("filter", "run", started / "f.tally", started / "stream.csv", "--id", "id")
    result = run(*command, "-o", started / "out.jsonl")
    assert result.exit_code == 1
    assert "Give the name of a file." in result.output
    assert (started / "f.tally").read_bytes() == before


def test_deliveries_are_not_appended_to_inputs_and_models(started):
    for name in ("f.tally", "stream.csv", trained(started).name):
        before = (started / name).read_bytes()
        command = ("filter", "run", started / "f.tally", started / "stream.csv", "--id", "id")
        result = run(*command, "-o", started / name)
        assert result.exit_code == 1
        assert "Choose another name." in result.output
        assert (started / name).read_bytes() == before


def test_a_picture_replaces_pictures_only(started):
    report = ("filter", "report", started / "f.tally", "--picture")
    for name in ("f.tally", "stream.csv"):
        before = (started / name).read_bytes()
        result = run(*report, started / name)
        assert result.exit_code == 1
        assert "exists and is not a drawing, so it is not overwritten" in result.output
        assert (started / name).read_bytes() == before
    for _ in range(2):
        succeed(*report, started / "f.svg")


def test_two_commands_do_not_overwrite_each_other(started, monkeypatch):
    from tallytext.cli import filter as command

    state = command._State(started / "f.tally")
    filter_stream(started, "out.csv")
    with pytest.raises(command.FileError, match="changed by another command"):
        state.save()
    assert DocumentFilter.load(started / "f.tally").n_documents_ == len(NEW)


def feedback_fails(folder, *rows):
    before = (folder / "f.tally").read_bytes()
    path = write_jsonl(folder / "judged.jsonl", rows)
    result = run("filter", "feedback", folder / "f.tally", path)
    assert result.exit_code == 1
    assert (folder / "f.tally").read_bytes() == before
    return result.output


def test_wrong_feedback_is_an_error_that_changes_nothing(started):
    filter_stream(started, "out.jsonl")
    id, profile = deliveries(started / "out.jsonl")[0]
    right = {"id": id, "profile": profile, "relevant": True}
    assert "was never read" in feedback_fails(started, right, {**right, "id": "x"})
    assert "There are: friends, spam, work" in feedback_fails(started, {**right, "profile": "spa"})
    assert "yes, no or withdrawn" in feedback_fails(started, right, {**right, "relevant": "maybe"})
    assert "has no id" in feedback_fails(started, {**right, "id": None})


def test_hostile_streams_are_refused_and_lose_nothing(started):
    state = (started / "f.tally").read_bytes()
    broken = started / "broken.csv"
    broken.write_bytes(b"id,text\n1,cheap \xff\xfe pills\n")
    result = run("filter", "run", started / "f.tally", broken, "--id", "id")
    assert result.exit_code == 1
    assert (started / "f.tally").read_bytes() == state
    broken.write_bytes(b"id,text\n,cheap pills\n")
    result = run("filter", "run", started / "f.tally", broken, "--id", "id")
    assert result.exit_code == 1
    assert "has no id" in result.output
    (started / "cut.tally").write_bytes(state[:-9])
    result = run("filter", "run", started / "cut.tally", started / "stream.csv")
    assert result.exit_code == 1
    assert "cannot read" in result.output
    assert run("filter", "run", trained(started), started / "stream.csv").exit_code == 1


def test_start_refuses_what_would_lose_feedback(started):
    result = run("filter", "start", started / "f.tally", started / "examples.csv")
    assert result.exit_code == 1
    assert "exists already" in result.output
    assert run("filter", "start", started / "g.tally").exit_code == 2
    assert run("filter", "start", started / "g.tally", "--query", "spam").exit_code == 2
    succeed(
        "filter",
        "start",
        started / "g.tally",
        "--query",
        "spam=cheap pills",
        "--query",
        "work=meeting report",
        "--background",
        started / "examples.csv",
        "--model",
        "poisson",
    )
    assert DocumentFilter.load(started / "g.tally").profiles_ == ["spam", "work"]


def test_documents_come_on_standard_input(started):
    lines = "".join(json.dumps({"id": id, "text": text}) + "\n" for id, text, _ in NEW[:6])
    command = ("filter", "run", started / "f.tally", "-", "--id", "id", "-q", "--batch", "1")
    found = [json.loads(line) for line in succeed(*command, input=lines).stdout.splitlines()]
    assert found
    first = json.dumps({"id": found[0]["id"], "profile": found[0]["profile"], "relevant": "no"})
    succeed("filter", "feedback", started / "f.tally", "-", input=first + "\n")
    assert json_of("filter", "report", started / "f.tally")["utility"] == -1


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model"), "mails.tally", MAILS, "--model", "multinomial")


@pytest.mark.parametrize("normalize", [True, False])
def test_rank_sorts_by_the_scores_of_the_classifier(model, tmp_path, normalize):
    path = write_csv(tmp_path / "new.csv", NEW, ("id", "text", "label"))
    option = "--normalize" if normalize else "--no-normalize"
    shown = succeed("rank", model, path, "--label", "spam", "--id", "id", option, "-q").stdout
    rows = [json.loads(line) for line in shown.splitlines()]
    texts = [text for _, text, _ in NEW]
    scores = TextClassifier.load(model).rank(texts, "spam", normalize)
    expected = sorted(range(len(NEW)), key=lambda at: -scores[at])
    assert [row["id"] for row in rows] == [NEW[at][0] for at in expected]
    assert [row["score"] for row in rows] == [scores[at] for at in expected]
    top = succeed("rank", model, path, "--label", "spam", "--id", "id", option, "--top", "3", "-q")
    assert top.stdout.splitlines() == shown.splitlines()[:3]


def test_rank_writes_csv_with_texts_and_never_over_a_file(model, tmp_path):
    path = write_csv(tmp_path / "new.csv", NEW[:4], ("id", "text", "label"))
    command = ("rank", model, path, "--label", "work", "--with-text", "-o", tmp_path / "out.csv")
    succeed(*command)
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert {row["text"] for row in rows} == {text for _, text, _ in NEW[:4]}
    assert [*rows[0]] == ["row", "label", "score", "text"]
    assert run(*command).exit_code == 1


def test_rank_lists_the_labels_if_one_is_unknown(model, tmp_path):
    path = write_csv(tmp_path / "new.csv", NEW[:4], ("id", "text", "label"))
    result = run("rank", model, path, "--label", "spma")
    assert result.exit_code == 1
    assert "It has: friends, spam, work" in result.output
