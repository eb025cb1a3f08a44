"""Files in which some rows have no label, ``--where`` and ``--test-size``."""

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import MAILS, json_of, run, succeed, write_csv, write_jsonl
from tallytext import TextClassifier
from tallytext.cli.train_documents import HeldOut, text_hash

FEW, REST = MAILS[:6], [text for text, _ in MAILS[6:]]


@pytest.fixture
def half(tmp_path):
    """Six mails with a label, and more without, in one file."""
    return write_csv(tmp_path / "half.csv", [*FEW, *((text, "") for text in REST)])


def trained(source, *options):
    """What training says, with --json."""
    return json_of("train", source, "-o", source.parent / "m.tally", "--quiet", *options)


def test_empty_labels_are_the_same_as_a_file_of_unlabelled_documents(half):
    few, more = half.parent / "few.csv", half.parent / "more.jsonl"
    write_csv(few, FEW)
    write_jsonl(more, [{"text": text} for text in REST])
    mixed = trained(half)
    assert (mixed["learner"], mixed["n_documents"], mixed["n_unlabelled"]) == ("pooled", 6, 54)
    assert mixed["rows_without_label"] == 54
    apart = trained(few, "--unlabelled", more)
    assert mixed | {"rows_without_label": 0} == apart


def test_rows_without_a_label_can_be_left_out(half):
    left_out = trained(half, "--unlabelled", "none")
    few = write_csv(half.parent / "few.csv", FEW)
    assert left_out == trained(few) | {"rows_without_label": 54}
    assert left_out["n_unlabelled"] == 0


def test_the_first_row_without_a_label_can_be_an_error(half):
    result = run("train", half, "--unlabelled", "error", "-o", half.parent / "m.tally")
    assert result.exit_code == 1
    assert f"row 7 of {half} has no label" in " ".join(result.stderr.split())
    assert not (half.parent / "m.tally").exists()
    few = write_csv(half.parent / "few.csv", FEW)
    assert trained(few, "--unlabelled", "error")["n_documents"] == 6


def test_a_line_tells_what_was_done_with_them(half):
    command = "train", half, "-o", half.parent / "m.tally"
    assert "54 rows without a label were used as unlabelled" in succeed(*command).stdout
    assert "54 rows without a label were left out (--unlabelled none)" in (
        succeed(*command, "--unlabelled", "none").stdout
    )
    shown = succeed(*command, "--model", "multinomial").stdout
    assert "left out: this model learns from labelled documents only" in shown
    few = write_csv(half.parent / "few.csv", FEW)
    assert "without a label" not in succeed("train", few, "-o", half.parent / "m.tally").stdout


def test_files_and_a_word_can_be_combined(half):
    more = write_jsonl(half.parent / "more.jsonl", [{"text": text} for text in REST[:9]])
    assert trained(half, "--unlabelled", more, "--unlabelled", "none")["n_unlabelled"] == 9
    assert trained(half, "--unlabelled", more)["n_unlabelled"] == 63


def test_a_named_model_cannot_be_made_to_use_them(half):
    command = "train", half, "-o", half.parent / "m.tally", "--model", "multinomial"
    result = run(*command, "--unlabelled", "use")
    assert result.exit_code == 1
    assert "learns nothing from unlabelled documents" in result.stderr
    assert run(*command, "--unlabelled", "use", "--unlabelled", "none").exit_code == 2


@pytest.mark.parametrize("model", ["auto", "additive", "refined", "pooled"])
def test_a_file_without_gaps_trains_as_before(tmp_path, model):
    source = write_csv(tmp_path / "full.csv")
    texts, labels = zip(*MAILS, strict=True)
    said = trained(source, "--model", model)
    report = TextClassifier(model).fit(list(texts), list(labels)).report().to_dict()
    assert {name: said[name] for name in report} == report
    assert said["rows_without_label"] == 0


def test_documents_of_several_labels_leave_them_out(tmp_path):
    records = [{"text": text, "label": [label, "mail"]} for text, label in MAILS]
    source = write_jsonl(tmp_path / "m.jsonl", [*records, {"text": "x", "label": None}])
    shown = succeed("train", source, "-o", tmp_path / "m.tally").stdout
    assert "1 row without a label was left out: unlabelled documents can be used only if" in shown
    result = run("train", source, "-o", tmp_path / "m.tally", "--unlabelled", "use")
    assert result.exit_code == 1
    assert "only if each of the other documents has exactly one label" in result.stderr


def test_an_empty_field_beside_separated_labels_is_a_document_of_no_class(tmp_path):
    mails = [(text, f"{label};mail") for text, label in MAILS]
    source = write_csv(tmp_path / "m.csv", [*mails, ("x", "")])
    said = trained(source, "--label-separator", ";")
    assert (said["n_documents"], said["rows_without_label"]) == (61, 0)
    assert trained(source, "--label-separator", ";", "--where", "label!=")["n_documents"] == 60


def test_no_label_at_all_is_an_error_that_asks_for_the_column(tmp_path):
    source = write_csv(tmp_path / "m.csv", [(text, " ") for text in REST])
    result = run("train", source, "-o", tmp_path / "m.tally")
    assert result.exit_code == 1
    assert "none of the 54 documents" in result.stderr
    assert "Is --label the right column?" in " ".join(result.stderr.split())


def test_learn_forget_and_evaluate_leave_them_out(half):
    model, few = half.parent / "m.tally", write_csv(half.parent / "few.csv", FEW)
    succeed("train", write_csv(half.parent / "all.csv"), "-o", model, "--quiet")
    before = json_of("info", model)
    result = succeed("learn", model, half, "--quiet")
    assert "54 rows without a label were left out." in result.stderr
    assert json_of("info", model)["n_documents"] == 66
    assert "54 rows" in succeed("forget", model, half, "--quiet").stderr
    assert json_of("info", model)["n_documents"] == before["n_documents"]
    assert json_of("evaluate", model, half)["n_documents"] == 6
    assert json_of("evaluate", model, half) == json_of("evaluate", model, few)
    nothing = write_csv(half.parent / "nothing.csv", [(text, "") for text in REST])
    for command in ("learn", "forget", "evaluate"):
        result = run(command, model, nothing)
        assert result.exit_code == 1
        assert "Is --label the right column?" in " ".join(result.stderr.split())


def test_conditions_choose_the_rows_to_train_and_to_evaluate_on(tmp_path):
    path = tmp_path / "m.csv"
    with path.open("w", newline="") as file:
        rows = [(*mail, "test" if i % 3 else "train", i) for i, mail in enumerate(MAILS)]
        csv.writer(file).writerows([("text", "label", "split", "number"), *rows])
    said = trained(path, "--where", "split=train", "--where", "number!=0")
    assert said["n_documents"] == 19
    model = tmp_path / "m.tally"
    assert json_of("evaluate", model, path, "--where", "split!=train")["n_documents"] == 40
    lines = succeed("predict", model, path, "--where", "number=7", "--quiet").stdout.splitlines()
    assert [json.loads(line)["row"] for line in lines] == [8]
    result = run("predict", model, path, "--where", "splits=train")
    assert result.exit_code == 1
    assert "Did you mean 'split'?" in " ".join(result.stderr.split())
    assert "COLUMN=VALUE" in run("predict", model, path, "--where", "split").stderr


def test_held_out_documents_measure_the_model(tmp_path):
    mails = [(f"{text} number{i}", label) for i, (text, label) in enumerate(MAILS)]
    source = write_csv(tmp_path / "m.csv", mails)
    said = trained(source, "--test-size", "0.25")
    test = said["test"]
    assert said["n_documents"] + test["n_documents"] == 60
    assert 5 <= test["n_documents"] <= 25
    assert test["interval"][0] < test["score"] <= test["interval"][1]
    held = [mail for mail in mails if text_hash(mail[0]) < 2**62]
    found = json_of("evaluate", tmp_path / "m.tally", write_csv(tmp_path / "held.csv", held))
    assert (found["n_documents"], found["score"]) == (test["n_documents"], test["score"])
    shown = succeed("train", source, "-o", tmp_path / "m.tally", "--test-size", "10").stdout
    assert "tested on 10 held-out documents: accuracy" in shown


@pytest.mark.parametrize("size", ["0", "-1", "1.5", "nan"])
def test_a_test_size_is_a_share_or_a_number(tmp_path, size):
    source = write_csv(tmp_path / "m.csv")
    result = run("train", source, "-o", tmp_path / "m.tally", "--test-size", size)
    assert result.exit_code == 2 and "--test-size is a share" in result.stderr
    result = run("train", source, "--test-size", "0.5", "--engine", "dask")
    assert result.exit_code == 2 and "does not work with --engine" in result.stderr


documents = st.lists(st.tuples(st.text("abc", max_size=3), st.integers(0, 9)), max_size=40)


@given(documents, st.one_of(st.integers(1, 30), st.floats(0.01, 0.99)), st.data())
def test_what_is_held_out_depends_on_the_texts_only(rows, size, data):
    shuffled = data.draw(st.permutations(rows))
    cut = data.draw(st.integers(0, len(rows)))

    def split(*parts):
        held_out = HeldOut(size)
        batches = [([text for text, _ in part], [label for _, label in part]) for part in parts]
        kept = [pair for batch in held_out.split(batches) for pair in zip(*batch, strict=True)]
        held = [pair for batch in held_out.pairs() for pair in zip(*batch, strict=True)]
        return sorted(kept), sorted(held)

    kept, held = split(rows)
    assert split(shuffled[:cut], shuffled[cut:]) == (kept, held)
    assert sorted(kept + held) == sorted(rows)
    assert not {text for text, _ in kept} & {text for text, _ in held}
    if size >= 1:
        assert len(held) <= size
