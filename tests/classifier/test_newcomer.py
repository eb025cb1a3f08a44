"""What somebody meets who has never used this: files of other programs, slips, first words."""

import re

import pytest
from sklearn.exceptions import NotFittedError

from commands import MAILS, run, succeed, trained, write_csv
from tallytext import MultinomialNB, TextClassifier
from tallytext.errors import FileError, InputError, NotAdditiveError
from tallytext.io import load_documents


def refusal(path, **options):
    """Return why documents cannot be read."""
    with pytest.raises(FileError) as caught:
        load_documents(path, **options)
    return str(caught.value)


def told(*arguments, input=None):
    """Run a command that must fail with one paragraph, and return it."""
    result = run(*arguments, input=input)
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_the_separator_is_found_in_the_header(tmp_path, separator):
    path = tmp_path / "excel.csv"
    lines = [("label", "Nr", "text"), ("spam", "1", '"buy, now; ""today"""'), ("work", "2", "x")]
    path.write_text("".join(separator.join(line) + "\r\n" for line in lines))
    assert load_documents(path) == (['buy, now; "today"', "x"], ["spam", "work"])


def test_a_header_that_has_the_columns_is_read_as_it_is(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("text,label,a;b;c\nx,spam,1\n")
    assert load_documents(path) == (["x"], ["spam"])


def test_columns_between_semicolons_are_offered(tmp_path):
    path = tmp_path / "excel.csv"
    path.write_text("Nummer;Betreff;Ordner\n1;x;spam\n")
    assert "It has: Nummer, Betreff, Ordner." in refusal(path)


@pytest.mark.parametrize(
    ("name", "content", "helps"),
    [
        ("m.csv", "text,label\nGrüße,a\n".encode("cp1252"), "--encoding cp1252"),
        ("m.xls", b"", "Save the sheet as .xlsx or CSV"),
        ("m.xlsx", b"PK", "not copied completely"),
        ("m.docx", b"PK", "plain text"),
        ("m.tally", b"", "take it before the documents"),
    ],
)
def test_files_of_other_programs_are_refused_with_what_to_do(tmp_path, name, content, helps):
    path = tmp_path / name
    path.write_bytes(content)
    assert helps in refusal(path)


def test_files_beside_folders_of_labels_are_told_where_to_go(tmp_path):
    (tmp_path / "1.txt").write_text("x")
    assert "named after their labels" in refusal(tmp_path)


def test_lines_of_json_may_be_called_json(tmp_path):
    path = tmp_path / "m.json"
    path.write_text('{"text": "x", "label": "a"}\n')
    assert load_documents(path) == (["x"], ["a"])


@pytest.mark.parametrize("command", ["train", "label", "compare", "translate learn"])
def test_documents_are_never_replaced_by_what_is_made_of_them(tmp_path, command):
    source = write_csv(tmp_path / "mails.csv")
    before = source.read_bytes()
    wanted = "not a page written by tally" if command == "compare" else "not a tally model"
    assert wanted in told(*command.split(), source, "-o", source)
    assert source.read_bytes() == before


def test_a_page_replaces_no_model_and_no_page_of_others(tmp_path):
    model, page = trained(tmp_path), tmp_path / "mine.html"
    source = tmp_path / "mails.tally.csv"
    page.write_text("<!doctype html><p>my page")
    before = model.read_bytes()
    for place in (model, page):
        assert "not a page written by tally" in told("compare", source, "-o", place)
        assert "not a page written by tally" in told("explain", model, "x", "--html", place)
    assert "not a tally model" in told("train", source, "-o", page)
    assert model.read_bytes() == before
    assert page.read_text() == "<!doctype html><p>my page"


def test_models_pages_and_empty_files_are_replaced(tmp_path):
    model = trained(tmp_path)
    source, page = tmp_path / "mails.tally.csv", tmp_path / "why.html"
    for output in (model, tmp_path / "empty.tally"):
        output.touch()
        succeed("train", source, "-o", output, "--model", "bernoulli", "--quiet")
        assert "Bernoulli naive Bayes" in succeed("info", output).stdout
    for text in ("cheap", "lunch"):
        succeed("explain", model, text, "--html", page)
        assert text in page.read_text()


@pytest.mark.parametrize("command", ["predict", "evaluate", "recalibrate", "learn"])
def test_a_model_behind_its_documents_is_told(tmp_path, command):
    model = trained(tmp_path)
    message = told(command, tmp_path / "mails.tally.csv", model)
    assert "Give the model first" in message or "before the documents" in message


def test_a_missing_argument_is_told_with_an_example():
    result = run("merge")
    assert result.exit_code == 2
    shown = " ".join(result.stderr.replace("│", " ").split())
    assert "For example: tally merge january.tally february.tally -o both.tally" in shown


def test_help_speaks_of_no_types_of_python():
    for command in ("train", "predict", "compare", "label", "explain", "terms", "merge", "demo"):
        shown = succeed(command, "--help").stdout
        assert "<bool>" not in shown and "list[str]" not in shown and "<path>" not in shown
        assert "$ tally" in shown
        assert shown.index("Examples:") < shown.index("Show this help.")


@pytest.mark.parametrize(
    ("mails", "warning"),
    [
        ([(text, "spam") for text, _ in MAILS], "all documents have the label 'spam'"),
        ([("", label) for _, label in MAILS], "the documents contain no word"),
    ],
)
def test_documents_that_teach_nothing_are_told(tmp_path, mails, warning):
    source = write_csv(tmp_path / "mails.csv", mails)
    result = succeed("train", source, "-o", tmp_path / "m.tally", "--quiet")
    assert result.stderr.startswith("warning: ")
    assert warning in result.stderr


def test_documents_that_teach_something_are_not(tmp_path):
    # So few that no word can give a label away, of which training would warn.
    source = write_csv(tmp_path / "mails.csv", MAILS[:30])
    assert succeed("train", source, "-o", tmp_path / "m.tally", "--quiet").stderr == ""


def test_an_input_without_documents_is_named(tmp_path):
    source = write_csv(tmp_path / "mails.csv", [])
    assert "there is no document in" in told("train", source)
    source.write_text("text,label\nx\n")
    assert (
        "The only row was skipped (--on-error skip)."
        in run("train", source, "--on-error", "skip").stderr
    )


def test_reports_of_commands_speak_of_commands(tmp_path):
    source, model = write_csv(tmp_path / "mails.csv"), tmp_path / "m.tally"
    shown = succeed("train", source, "-o", model).stdout
    assert f"tally compare {source} --groups" in shown and "groups=" not in shown
    wrong = [(text, "wrong") for text, _ in MAILS]
    succeed("learn", model, write_csv(tmp_path / "wrong.csv", wrong))
    shown = succeed("info", model).stdout
    assert "tally recalibrate" in shown and "recalibrate(" not in shown


def test_what_cannot_be_saved_is_told_with_its_place(tmp_path):
    classifier = TextClassifier("multinomial").fit(["cheap", "lunch"], ["spam", "work"])
    with pytest.raises(FileNotFoundError) as missing:
        classifier.save(tmp_path / "no" / "m.tally")
    assert missing.value.filename == str(tmp_path / "no")
    with pytest.raises(IsADirectoryError):
        classifier.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_classifier_that_has_learned_nothing_says_so():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        _ = TextClassifier().classes_
    assert not hasattr(TextClassifier(), "classes_")


def test_first_slips_in_python_are_told():
    with pytest.raises(InputError, match="not a set"):
        TextClassifier().fit({"cheap", "lunch"}, ["spam", "work"])
    with pytest.raises(TypeError, match=r"Pass an instance: MultinomialNB\(\)"):
        TextClassifier(MultinomialNB).fit(["cheap", "lunch"], ["spam", "work"])
    frozen = TextClassifier("refined", keep="counts")
    frozen.fit(["cheap", "lunch"] * 5, ["spam", "work"] * 5)
    with pytest.raises(NotAdditiveError, match=r"this model \('refined'\) stores no documents"):
        frozen.learn("parcel", "post")


def test_the_picture_of_the_readme_shows_what_the_command_says():
    # The source distribution has no benchmarks.
    module = pytest.importorskip("benchmarks.explaining_picture")
    stored, drawn = module.PICTURE.read_text(encoding="utf-8"), module.picture()
    said, shown = ("".join(re.findall(r">([^<]*)</text>", each)) for each in (stored, drawn))
    assert said == shown
    assert "rather" in said
    assert "@import" not in stored and "url(http" not in stored


def test_a_folder_that_may_not_be_written_to_is_told_before_the_work(tmp_path, monkeypatch):
    source = write_csv(tmp_path / "mails.csv")
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "you may not write to the folder" in told("train", source, "-o", tmp_path / "m.tally")


def test_a_text_of_unknown_words_is_told(tmp_path):
    model = trained(tmp_path)
    assert "not based on its content" in succeed("explain", model, "xyzzy plugh").stderr
    assert "there is no text to explain" in told("explain", model, "")
    assert succeed("explain", model, "cheap").stderr == ""


def test_one_is_not_several(tmp_path):
    shown = str(TextClassifier("multinomial").fit(["cheap pills"], ["spam"]).report())
    assert "1 document, 1 class, one label per document" in shown
