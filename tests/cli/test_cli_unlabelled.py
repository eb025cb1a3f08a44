"""``tally train --unlabelled``."""

import pytest

from commands import MAILS, json_of, run, succeed, write_csv, write_jsonl
from tallytext import TextClassifier
from tallytext.cli.io import InputDocuments

TEXTS = [text for text, _ in MAILS]
FEW = MAILS[:6]


@pytest.fixture
def folder(tmp_path):
    """A few mails with labels, and more without."""
    write_csv(tmp_path / "few.csv", FEW)
    write_jsonl(tmp_path / "more.jsonl", [{"text": text} for text in TEXTS])
    return tmp_path


def trained(folder, *options):
    """What training says, with --json."""
    return json_of("train", folder / "few.csv", "-o", folder / "m.tally", "--quiet", *options)


def test_a_pool_is_learned_from(folder):
    said = trained(folder, "--unlabelled", folder / "more.jsonl")
    assert (said["learner"], said["n_documents"], said["n_unlabelled"]) == ("pooled", 6, len(TEXTS))
    assert "so few labels (2 per class, the median)" in said["reason"]
    assert said["notes"] and said["skipped_unlabelled"] == 0
    assert TextClassifier.load(folder / "m.tally").predict(["cheap pills"]).tolist() == ["spam"]


def test_the_command_and_the_library_agree(folder):
    said = trained(folder, "--unlabelled", folder / "more.jsonl")
    texts, labels = zip(*FEW, strict=True)
    report = TextClassifier().fit(list(texts), list(labels), unlabelled=TEXTS).report().to_dict()
    assert {name: said[name] for name in report} == report


def test_sources_of_several_formats_are_one_pool(folder):
    (folder / "lines.txt").write_text("cheap lunch\nbuy the report\n")
    write_csv(folder / "labelled.csv", MAILS[:4])
    (folder / "mails" / "spam").mkdir(parents=True)
    (folder / "mails" / "spam" / "1.txt").write_text("buy cheap pills")
    names = ["more.jsonl", "lines.txt", "labelled.csv", "mails"]
    options = [part for name in names for part in ("--unlabelled", folder / name)]
    assert trained(folder, *options)["n_unlabelled"] == len(TEXTS) + 2 + 4 + 1


def test_options_of_the_labelled_input_do_not_bend_the_pool(folder):
    (folder / "few.data").write_bytes((folder / "few.csv").read_bytes())
    (folder / "more.data").write_bytes((folder / "few.csv").read_bytes())
    source = ["train", folder / "few.data", "--format", "csv", "-o", folder / "m.tally", "--quiet"]
    pools = ["--unlabelled", folder / "more.jsonl", "--unlabelled", folder / "more.data"]
    assert json_of(*source, *pools)["n_unlabelled"] == len(TEXTS) + len(FEW)


def test_a_pattern_is_for_the_folders_of_a_pool(folder):
    for name in ("a.txt", "b.md"):
        (folder / "pool" / name).parent.mkdir(exist_ok=True)
        (folder / "pool" / name).write_text("cheap lunch")
    (folder / "few" / "spam").mkdir(parents=True)
    (folder / "few" / "ham").mkdir()
    (folder / "few" / "spam" / "1.txt").write_text("buy cheap pills")
    (folder / "few" / "ham" / "1.txt").write_text("lunch at noon")
    command = ["train", folder / "few", "--match", "*.txt", "-o", folder / "m.tally", "--quiet"]
    pools = ["--unlabelled", folder / "pool", "--unlabelled", folder / "more.jsonl"]
    assert json_of(*command, *pools)["n_unlabelled"] == 1 + len(TEXTS)


def test_standard_input_can_be_the_pool(folder):
    command = ["train", folder / "few.csv", "--unlabelled", "-", "-o", folder / "m.tally", "--json"]
    result = succeed(*command, "--quiet", input='{"text": "cheap pills"}\n')
    assert '"n_unlabelled": 1' in result.stdout


def test_rows_that_cannot_be_read_are_counted_apart(folder):
    with (folder / "more.jsonl").open("a") as file:
        file.write("no json\n")
    result = run(
        "train", folder / "few.csv", "--unlabelled", folder / "more.jsonl", "-o", folder / "m.tally"
    )
    assert result.exit_code == 1
    assert f"line {len(TEXTS) + 1}" in result.stderr
    assert not (folder / "m.tally").exists()
    said = trained(folder, "--unlabelled", folder / "more.jsonl", "--on-error", "skip")
    assert (said["skipped"], said["skipped_unlabelled"]) == (0, 1)
    assert said["n_unlabelled"] == len(TEXTS)


def test_an_empty_pool_is_none(folder):
    (folder / "empty.jsonl").write_text("")
    said = trained(folder, "--unlabelled", folder / "empty.jsonl")
    assert said == trained(folder) | {"model": said["model"]}
    assert said["n_unlabelled"] == 0


def test_another_name_of_the_text_is_asked_for_in_one_sentence(folder):
    write_jsonl(folder / "named.jsonl", [{"body": "cheap pills"}])
    command = "train", folder / "few.csv", "-o", folder / "m.tally"
    result = run(*command, "--unlabelled", folder / "named.jsonl")
    assert result.exit_code == 1
    assert "Did you mean 'body' (--text body)? Rows" in " ".join(result.stderr.split())


def test_a_pool_of_nothing_is_told(folder):
    (folder / "empty.jsonl").write_text("")
    command = "train", folder / "few.csv", "-o", folder / "m.tally", "--quiet"
    assert (
        "there is no document in"
        in succeed(*command, "--unlabelled", folder / "empty.jsonl").stderr
    )
    assert "there is no document in" not in succeed(*command).stderr


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--unlabelled", "more.jsonl", "--model", "multinomial"], 1, "multinomial learns nothing"),
        (["--unlabelled", "nowhere.jsonl"], 1, "there is no file"),
        (["--unlabelled", "more.jsonl", "--text", "body"], 1, "no column 'body'"),
        (["--unlabelled", "other.jsonl"], 1, "line 1"),
        (["--unlabelled", "broken.parquet"], 1, "broken.parquet"),
        (["--unlabelled", "more.jsonl", "--multi-label"], 1, "exactly one label"),
        (["--unlabelled", "-", "--unlabelled", "-"], 2, "only once"),
        (["--unlabelled"], 2, "requires an argument"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_is_saved(folder, monkeypatch, options, code, message):
    monkeypatch.chdir(folder)
    write_jsonl(folder / "other.jsonl", [{"body": "cheap"}])
    (folder / "broken.parquet").write_bytes(b"PAR1 and no more")
    result = run("train", "few.csv", "-o", "m.tally", *options)
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (folder / "m.tally").exists()


def test_info_and_learn_know_a_pooled_model(folder):
    trained(folder, "--unlabelled", folder / "more.jsonl")
    shown = succeed("info", folder / "m.tally").stdout
    assert f"unlabelled   {len(TEXTS)} documents" in shown
    assert json_of("info", folder / "m.tally")["n_unlabelled"] == len(TEXTS)
    assert "cheap" in succeed("explain", folder / "m.tally", "cheap lunch").stdout
    before = (folder / "m.tally").read_bytes()
    learned = json_of("learn", folder / "m.tally", folder / "few.csv")
    assert (learned["n_documents"], learned["n_unlabelled"]) == (2 * len(FEW), len(TEXTS))
    assert json_of("forget", folder / "m.tally", folder / "few.csv")["n_documents"] == len(FEW)
    result = run("forget", folder / "m.tally", write_csv(folder / "no.csv", [("cheap", "spam")]))
    assert (result.exit_code, "cannot forget" in result.stderr) == (1, True)
    again, first = TextClassifier.load(folder / "m.tally"), TextClassifier.from_bytes(before)
    assert again.scores(TEXTS).tolist() == first.scores(TEXTS).tolist()


def test_a_named_model_needs_no_pool(folder):
    assert trained(folder, "--model", "pooled")["learner"] == "pooled"


def test_an_interruption_saves_nothing(folder, monkeypatch):
    def interrupted(documents):
        yield ["cheap pills"]
        raise KeyboardInterrupt

    monkeypatch.setattr(InputDocuments, "texts", interrupted)
    more = folder / "more.jsonl"
    result = run("train", folder / "few.csv", "--unlabelled", more, "-o", folder / "m.tally")
    assert result.exit_code == 130
    assert "Nothing was saved" in result.stderr
    assert not (folder / "m.tally").exists()


def test_a_missing_label_leads_to_the_pool(folder):
    write_csv(folder / "few.csv", [*FEW, ("see you at lunch", "")])
    shown = succeed("train", folder / "few.csv", "-o", folder / "m.tally").stdout
    assert "1 row without a label" in shown
    result = run("train", folder / "few.csv", "-o", folder / "m.tally", "--unlabelled", "error")
    assert result.exit_code == 1
    assert "row 7 of" in result.stderr and "--unlabelled none" in result.stderr


def test_help_says_what_it_is_for():
    shown = succeed("train", "--help").stdout
    assert "--unlabelled" in shown and "pooled" in shown
