"""Labels that look like mistakes, in the commands train and learn."""

import csv

import pytest

from commands import MAILS, json_of, run, succeed, trained, write_csv, write_jsonl

UNTIDY = [("pills", "spma"), ("noon", "Friends"), ("the report", "NaN"), ("lunch", "friends ")]


def test_train_names_labels_that_look_like_mistakes_and_saves_nothing(tmp_path):
    source = write_csv(tmp_path / "mails.csv", MAILS + UNTIDY)
    result = run("train", source, "-o", tmp_path / "mails.tally", "--model", "multinomial")
    assert result.exit_code == 1
    for part in ("'spma' (1)", "'Friends' (1)", "'friends ' (1)", "'NaN' (1)", "--yes"):
        assert part in result.stderr
    assert "--merge-labels" in result.stderr
    assert not (tmp_path / "mails.tally").exists()


@pytest.mark.parametrize("command", ["train", "compare"])
def test_a_label_for_each_document_is_refused_and_replaces_no_model(tmp_path, command):
    output = trained(tmp_path) if command == "train" else tmp_path / "c.html"
    before = output.read_bytes() if command == "train" else b""
    rows = [
        (text, f"a label that is a sentence, number {at:03}") for at, (text, _) in enumerate(MAILS)
    ]
    source = write_csv(tmp_path / "rows.csv", rows)
    options = [source, "-o", output, *["--model", "multinomial"] * (command == "train")]
    result = run(command, *options)
    assert result.exit_code == 1
    shown = " ".join(result.stderr.split())
    assert "60 documents have 60 distinct labels, so few documents share a label" in shown
    assert "such as 'a label that is a sentence, number 000'" in shown
    assert "Is --label the right column? If it is, add --yes." in shown
    if command == "train":
        assert output.read_bytes() == before
        succeed(command, *options, "--yes")


def test_spellings_of_known_labels_are_known(tmp_path):
    model = trained(tmp_path)
    more = write_csv(tmp_path / "more.csv", [("pills", "SPAM"), ("noon", "Friends")])
    assert json_of("learn", model, more, "--merge-labels")["n_classes"] == 3


def test_train_with_merged_labels_equals_training_with_tidy_labels(tmp_path):
    untidy = write_csv(tmp_path / "untidy.csv", MAILS + UNTIDY)
    tidy = write_csv(
        tmp_path / "tidy.csv",
        [*MAILS, ("pills", "spam"), ("noon", "friends"), ("lunch", "friends")],
    )
    for source, more in ((untidy, ["--merge-labels"]), (tidy, [])):
        output = source.with_suffix(".tally")
        result = succeed("train", source, "-o", output, "--model", "multinomial", *more)
        assert ("labels were merged" in result.stderr) == bool(more)
        assert ("1 row with 'NaN' was left out." in result.stderr) == bool(more)
        assert "looks like a missing label" not in result.stderr
    assert untidy.with_suffix(".tally").read_bytes() == tidy.with_suffix(".tally").read_bytes()


def test_train_keeps_labels_as_they_are(tmp_path):
    source = write_csv(tmp_path / "mails.csv", MAILS + UNTIDY)
    model = tmp_path / "mails.tally"
    succeed("train", source, "-o", model, "--model", "multinomial", "--yes", "-q")
    assert json_of("info", model)["n_classes"] == 7


def test_the_two_options_exclude_each_other(tmp_path):
    result = run("train", write_csv(tmp_path / "mails.csv"), "--yes", "--merge-labels")
    assert result.exit_code == 2


def test_standard_input_cannot_be_read_twice(tmp_path):
    result = run("train", "-", "-o", tmp_path / "m.tally", "--merge-labels", input="{}")
    assert result.exit_code == 2
    assert "standard input" in result.stderr


def test_labels_of_several_label_documents_are_merged_in_their_lists(tmp_path):
    records = [{"text": text, "label": [label, "mail"]} for text, label in MAILS]
    records.append({"text": "noon", "label": ["MAIL", "None", "work"]})
    source = write_jsonl(tmp_path / "mails.jsonl", records)
    model = tmp_path / "mails.tally"
    assert run("train", source, "-o", model, "--model", "multinomial").exit_code == 1
    succeed("train", source, "-o", model, "--model", "multinomial", "--merge-labels", "-q")
    assert json_of("info", model)["n_classes"] == 4


def test_learn_stops_at_a_slip_of_a_known_label(tmp_path):
    model = trained(tmp_path)
    before = model.read_bytes()
    more = write_csv(tmp_path / "more.csv", [("noon", "freinds"), ("new", "invoices")])
    result = run("learn", model, more)
    assert result.exit_code == 1
    assert "'freinds' (1) may be a typo of 'friends' (20 in the model)" in result.stderr
    assert model.read_bytes() == before


@pytest.mark.parametrize(("option", "n_classes"), [("--yes", 5), ("--merge-labels", 4)])
def test_learn_goes_on_if_told_to(tmp_path, option, n_classes):
    model = trained(tmp_path)
    more = write_csv(tmp_path / "more.csv", [("noon", "freinds"), ("new", "invoices")])
    assert json_of("learn", model, more, option)["n_classes"] == n_classes


def test_learning_a_known_label_again_is_no_mistake(tmp_path):
    model = trained(tmp_path, "mails.tally", MAILS + UNTIDY, "--yes")
    succeed("learn", model, write_csv(tmp_path / "more.csv", UNTIDY), "-q")


@pytest.mark.parametrize("learner", ["multinomial", "refined"])
def test_train_warns_of_a_word_that_is_the_label(tmp_path, learner):
    rows = [(f"label: {label}. {text} {at}", label) for at, (text, label) in enumerate(MAILS)]
    source = write_csv(tmp_path / "mails.csv", rows)
    result = succeed("train", source, "-o", tmp_path / "m.tally", "--model", learner, "-q")
    assert "'spam' occurs in all 20 documents of 'spam' and in no other" in result.stderr


def test_train_warns_of_near_duplicates_across_folds(tmp_path):
    source = write_csv(tmp_path / "mails.csv")
    options = ["-o", tmp_path / "m.tally", "--model", "multinomial"]
    assert "near duplicate in training" in succeed("train", source, *options).stderr
    assert "near duplicate" not in succeed("train", source, *options, "--quiet").stderr


def test_compare_stops_at_labels_that_look_like_mistakes(tmp_path):
    source = write_csv(tmp_path / "mails.csv", MAILS + UNTIDY)
    result = run("compare", source, "-o", tmp_path / "c.html", "--learner", "multinomial")
    assert (result.exit_code, "'spma' (1)" in result.stderr) == (1, True)
    assert not (tmp_path / "c.html").exists()


def test_suspects_of_merged_labels_can_be_forgotten_and_learned(tmp_path):
    wrong = [("cheap pills today", "Work"), ("the report is due", "spma"), ("noon", "NaN")]
    source = write_csv(tmp_path / "mails.csv", MAILS + wrong)
    model, suspects = tmp_path / "m.tally", tmp_path / "suspects.csv"
    options = ["--merge-labels", "-q"]
    succeed("train", source, "-o", model, "--model", "multinomial", *options)
    compared = ["compare", source, "-o", tmp_path / "c.html", "--learner", "multinomial"]
    succeed(*compared, "--suspects", suspects, *options)
    listed = list(csv.DictReader(suspects.read_text().splitlines()))
    assert listed
    assert {each["label"] for each in listed} <= {"friends", "spam", "work"}
    n = json_of("info", model)["n_documents"]
    assert json_of("forget", model, suspects)["n_documents"] == n - len(listed)
    learned = json_of("learn", model, suspects, "--label", "corrected")
    assert (learned["n_documents"], learned["n_classes"]) == (n, 3)


def test_forget_names_the_row_and_the_label_that_was_meant(tmp_path):
    model = trained(tmp_path)
    before = model.read_bytes()
    text, label = MAILS[0]
    rows = write_csv(tmp_path / "old.csv", [MAILS[1], (text, label.upper())])
    result = run("forget", model, rows)
    assert result.exit_code == 1
    shown = " ".join(result.stderr.split())
    for part in ("old.csv, row 2", f"no label '{label.upper()}'", f"Did you mean '{label}'?"):
        assert part in shown
    assert "Nothing was forgotten." in shown
    assert model.read_bytes() == before


def test_forget_names_the_row_that_was_never_learned(tmp_path):
    model = trained(tmp_path)
    rows = write_csv(tmp_path / "old.csv", [*MAILS[:5], ("zebra", MAILS[0][1])])
    result = run("forget", model, rows)
    shown = " ".join(result.stderr.split())
    assert result.exit_code == 1
    assert "old.csv, row 6" in shown
    assert "ever learned by this model" in shown


def test_a_file_trained_with_merged_labels_can_be_forgotten_with_them(tmp_path):
    model = trained(tmp_path)
    before = json_of("info", model)["n_documents"]
    more = write_csv(tmp_path / "more.csv", UNTIDY)
    assert json_of("learn", model, more, "--merge-labels")["n_documents"] == before + 3
    assert json_of("forget", model, more, "--merge-labels")["n_documents"] == before


def test_the_spelling_of_the_model_wins_over_a_more_frequent_one(tmp_path):
    model = trained(tmp_path)
    more = write_csv(tmp_path / "more.csv", [("noon", "FRIENDS")] * 30)
    assert json_of("learn", model, more, "--merge-labels")["n_classes"] == 3


def test_evaluate_asks_which_label_was_meant_and_merges_it(tmp_path):
    model = trained(tmp_path)
    source = write_csv(tmp_path / "t.csv", [(t, "SPAM" if s == "spam" else s) for t, s in MAILS])
    asked = succeed("evaluate", model, source)
    assert "Did you mean 'spam'? With --merge-labels" in " ".join(asked.stderr.split())
    merged = json_of("evaluate", model, source, "--merge-labels")
    assert merged["unknown_labels"] == []
    assert merged["score"] > json_of("evaluate", model, source)["score"]


def test_train_names_labels_with_one_document(tmp_path):
    source = write_csv(tmp_path / "mails.csv", [*MAILS, ("a bill", "invoices")])
    options = ["-o", tmp_path / "m.tally", "--model", "multinomial", "-q"]
    result = succeed("train", source, *options)
    assert "labels with one document: 'invoices'" in result.stderr
    tidy = write_csv(tmp_path / "tidy.csv", MAILS)
    assert "one document" not in succeed("train", tidy, *options).stderr


@pytest.mark.parametrize("command", ["evaluate", "learn"])
def test_labels_that_are_merged_are_counted_where_they_are(tmp_path, command):
    model = trained(tmp_path)
    more = [("noon", "Friends"), ("lunch", "friends"), ("pills", "spam")]
    source = write_csv(tmp_path / "more.csv", more)
    shown = " ".join(succeed(command, model, source, "--merge-labels").stderr.split())
    assert "'friends' (20 in the model) and 'Friends' (1) differ only by case or blanks" in shown
