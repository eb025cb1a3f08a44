"""``tally compare``: a table, a report, and errors that say what to do."""

import json

import pytest

from commands import MAILS, json_of, run, succeed, write_csv
from tallytext.cli.compare import parse_times
from tallytext.comparison import Comparison

LEARNERS = ("--learner", "multinomial", "--learner", "contrast")


@pytest.fixture
def mails(tmp_path):
    dated = [
        (*mail, f"thread {at // 6}", f"2024-05-{at % 28 + 1:02}") for at, mail in enumerate(MAILS)
    ]
    return write_csv(tmp_path / "mails.csv", dated, ("text", "label", "thread", "date"))


def test_it_prints_a_table_and_writes_a_report(mails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = succeed("compare", mails, *LEARNERS)
    assert "multinomial" in result.stdout and "contrast" in result.stdout
    assert "95% interval" in result.stdout
    assert (tmp_path / "mails.html").read_text().startswith("<!doctype html>")


def test_near_duplicates_are_warned_of_and_kept_together_by_groups(mails, tmp_path):
    report = tmp_path / "report.html"
    assert "near duplicate" in succeed("compare", mails, *LEARNERS, "-o", report).stderr
    by_text = write_csv(
        tmp_path / "grouped.csv", [(*mail, mail[0]) for mail in MAILS], ("text", "label", "copy")
    )
    grouped = succeed("compare", by_text, *LEARNERS, "-o", report, "--groups", "copy", "--folds", 2)
    assert "near duplicate" not in grouped.stderr
    assert "folds of whole groups" in grouped.stderr


def test_json_has_the_figures(mails, tmp_path):
    found = json_of("compare", mails, *LEARNERS, "-o", tmp_path / "r.html", "--time", "date")
    assert found["measure"] == "accuracy"
    assert found["n_judged"] < found["n_documents"] == 60
    assert {each["name"] for each in found["contenders"]} == {"multinomial", "contrast"}
    assert json.dumps(found["warnings"])


def test_train_evaluate_and_compare_agree(tmp_path):
    documents = [
        (text, f"{label};mail" if at % 3 else label, at) for at, (text, label) in enumerate(MAILS)
    ]
    rows = {"all": documents, "train": documents[:-20], "test": documents[-20:]}
    files = {
        name: write_csv(tmp_path / f"{name}.csv", some, ("text", "label", "at"))
        for name, some in rows.items()
    }
    model, page = tmp_path / "m.tally", tmp_path / "page.html"
    separator = ("--label-separator", ";")
    learner = ("--learner", "multinomial", "-o", page, "--ranking", *separator)
    # One block of time is tested, the last 20 documents, after training on all before.
    in_time = ("--time", "at", "--folds", 2, "--budget", 0)
    trained = json_of("train", files["train"], "-o", model, "--model", "multinomial", *separator)
    evaluated = json_of("evaluate", model, files["test"], "--ranking", *separator)
    compared = json_of("compare", files["all"], *learner, *in_time)
    (contender,) = compared["contenders"]
    assert contender["report"]["n_documents"] == 20
    assert trained["measure"] == evaluated["measure"] == compared["measure"] == "micro-F1"
    assert contender["score"] == evaluated["score"]
    intervals = {name for name in evaluated if name.endswith("interval")}
    for name, value in contender["report"].items():
        assert name in intervals or evaluated[name] == value, name
    shown = succeed("compare", files["all"], *learner, *in_time).stdout
    reported = succeed("evaluate", model, files["test"], "--ranking", *separator).stdout
    names = ["micro-F1", "macro-F1", "11-point average precision", "break-even", "subset accuracy"]
    for text in (reported, shown, page.read_text()):
        places = [text.index(name) for name in names]
        assert places == sorted(places)
    for name in ("micro_f1", "macro_f1", "average_precision_11", "break_even", "subset_accuracy"):
        assert f"{evaluated[name]:.4f}" in shown and f"{evaluated[name]:.4f}" in page.read_text()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--learner", "multinomal"), "multinomial"),
        (("--groups", "thread", "--time", "date"), "exclude each other"),
        (("--time", "text"), "neither a number nor a date"),
        (("--groups", "thraed"), "thread"),
        (("--label", "thraed"), "thread"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(mails, tmp_path, options, reason):
    result = run("compare", mails, "-o", tmp_path / "report.html", *options)
    assert result.exit_code != 0
    assert reason in result.output.replace("\n", " ").replace("│", "").replace("  ", " ")
    assert not (tmp_path / "report.html").exists()


def test_a_missing_time_is_reported(tmp_path):
    rows = [(*mail, "" if at == 7 else at) for at, mail in enumerate(MAILS)]
    source = write_csv(tmp_path / "mails.csv", rows, ("text", "label", "year"))
    result = run("compare", source, *LEARNERS, "--time", "year", "-o", tmp_path / "r.html")
    assert result.exit_code != 0
    assert "time has no value for document 7" in result.output


def test_rows_without_a_label_are_left_out_with_a_warning(tmp_path):
    source = write_csv(tmp_path / "mails.csv", [*MAILS, ("no label at all", "")])
    command = "compare", source, *LEARNERS, "-o", tmp_path / "r.html"
    result = succeed(*command, "--json")
    assert json.loads(result.stdout)["n_documents"] == 60
    assert "1 row without a label was left out." in result.stderr


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("9.5", "10"),
        ("2023-12-31", "2024-01-01"),
        ("2024-05", "2024-06-01"),
        ("2024-05-31T23:00:00+02:00", "2024-05-31T22:00:00"),
        ("2024-05-31T09:30:00Z", "2024-05-31 10:30"),
    ],
)
def test_dates_are_ordered_in_every_notation(earlier, later):
    one, other = parse_times([earlier, later])
    assert one < other


def test_times_may_be_numbers_or_strings_of_numbers():
    assert parse_times([2023, "2024", " ", None]) == [2023, 2024.0, None, None]
    assert parse_times([3, 1.5]) == [3, 1.5]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_report_that_cannot_be_written_costs_no_results(mails, tmp_path, monkeypatch, as_json):
    def full(self, path=None):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Comparison, "to_html", full)
    result = run("compare", mails, *LEARNERS, "-o", tmp_path / "r.html", *["--json"] * as_json)
    assert result.exit_code != 0
    assert "multinomial" in result.stdout
    if as_json:
        assert json.loads(result.stdout)["measure"] == "accuracy"


def test_expressions_are_compared(tmp_path):
    source = write_csv(tmp_path / "mails.csv")
    names = ["multinomial(smoothing=laplace(1))", "multinomial(smoothing=discount)", "knn(k=3)"]
    options = [each for name in names for each in ("--learner", name)]
    found = json_of("compare", source, "-o", tmp_path / "page.html", "--quiet", *options)
    assert {each["name"] for each in found["contenders"]} == {*names}
    refused = run("compare", source, "-o", tmp_path / "other.html", "--learner", "knn(q=3)")
    assert refused.exit_code in (1, 2)
    assert "neighbours has no parameter 'q'" in refused.stderr


def test_documents_are_shown_with_the_ids_of_the_user(tmp_path):
    mails = [(f"key-{at}", *mail) for at, mail in enumerate(MAILS)]
    mails[7] = ("key-7", "lunch at noon tomorrow", "spam")  # beside nine of friends
    source = write_csv(tmp_path / "mails.csv", mails, ("key", "text", "label"))
    page, suspects = tmp_path / "r.html", tmp_path / "suspects.csv"
    options = ("-o", page, "--suspects", suspects, "--id", "key", "--id", "label")
    succeed("compare", source, *LEARNERS, *options)
    assert "key key-7" in page.read_text() and "row 8" not in page.read_text()
    header, row, *_ = suspects.read_text().splitlines()
    assert header.startswith("file,row,key,label,text")
    assert row.startswith(f"{source},8,key-7,spam,")
    succeed("compare", source, *LEARNERS, "-o", page)
    assert "row 8" in page.read_text()


def test_the_difference_from_train_is_explained_where_auto_is_compared(mails, tmp_path):
    options = (
        "compare",
        mails,
        "--learner",
        "multinomial",
        "-o",
        tmp_path / "r.html",
        "--folds",
        2,
    )
    explained = "tally train holds out other documents"
    assert explained in succeed(*options, "--learner", "auto").stderr
    assert explained not in succeed(*options).stderr
