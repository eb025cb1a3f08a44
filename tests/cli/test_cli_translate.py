"""``tally translate``: files, what they bring and cover, and what goes wrong."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest

from commands import json_of, run, succeed, write_csv, write_jsonl
from tallytext import TextVectorizer
from tallytext.semantic import Concepts, Phrases, TranslationModel

TEXTS = [
    "The space shuttle is in orbit.",
    "A space shuttle left for the moon.",
    "Orbit of the moon, from space",
    "The bus is late.",
    "A late bus to the sea",
] * 3


@pytest.fixture
def source(tmp_path):
    return write_jsonl(tmp_path / "news.jsonl", [{"text": text} for text in TEXTS])


@pytest.fixture
def news(source, tmp_path):
    path = tmp_path / "news.translation"
    succeed("translate", "learn", source, "-o", path, "--stop-words", "english", "--quiet")
    return path


def check_same(path, model):
    loaded = TranslationModel.load(path)
    assert loaded.signatures_.tolist() == model.signatures_.tolist()
    np.testing.assert_array_equal(loaded.rows_.toarray(), model.rows_.toarray())


def test_a_file_is_that_of_the_library(source, tmp_path):
    concepts = tmp_path / "concepts.tsv"
    concepts.write_text("space shuttle\tvehicle\nbus\tvehicle\n")
    path = tmp_path / "out"
    options = ["--signatures", "words+phrases", "--concepts", concepts, "--beta", "0.25"]
    more = ["--counts", "log", "--min-df", 3, "--max-entries", 4, "--min-probability", 0.01]
    result = succeed("translate", "learn", source, "-o", path, *options, *more)
    model = TranslationModel(
        ["words", "phrases", Concepts.read(concepts)],
        vectorizer=TextVectorizer(),
        beta=0.25,
        counts="log",
        min_df=3,
        max_entries=4,
        min_probability=0.01,
    )
    check_same(path, model.fit(TEXTS))
    assert "rows of" in result.stdout and "1 concept" in result.stdout
    assert "saved as" in result.stderr and "15 documents" in result.stderr


def test_only_concepts_get_rows_if_asked_for(source, tmp_path):
    concepts = tmp_path / "concepts.tsv"
    concepts.write_text("space shuttles\tvehicle\n")
    options = ["--signatures", "concepts", "--concepts", concepts, "--language", "english"]
    found = json_of("translate", "learn", source, "-o", tmp_path / "out", *options)
    assert found["rows"] == {"word": 0, "phrase": 0, "concept": 1}
    assert found["documents"] == len(TEXTS) and found["skipped"] == 0
    refused = run("translate", "learn", source, "--signatures", "concepts")
    assert refused.exit_code == 2 and "--concepts FILE" in refused.output


@pytest.mark.parametrize("method", ["npmi", "likelihood", "gensim", "xtract"])
@pytest.mark.parametrize("signatures", [None, "phrases", "words+phrases"])
def test_phrases_are_found_by_the_method_of_choice(source, tmp_path, method, signatures):
    path, stop_words = tmp_path / "out", ["--stop-words", "english"]
    given = [] if signatures is None else ["--signatures", signatures]
    succeed("translate", "learn", source, "-o", path, "--phrases", method, *given, *stop_words)
    wanted = (signatures or "phrases").replace("phrases", "").strip("+")
    model = TranslationModel(
        [*wanted.split(), Phrases(method, stop_words="english")],
        vectorizer=TextVectorizer(stop_words="english"),
    )
    check_same(path, model.fit(TEXTS))


def test_a_method_without_phrases_is_refused(source):
    for signatures in ("words", "concepts"):
        refused = run(
            "translate", "learn", source, "--phrases", "xtract", "--signatures", signatures
        )
        assert refused.exit_code == 2
        assert "has none" in refused.output


def test_texts_are_read_from_everywhere(source, news, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mails = write_csv(tmp_path / "mails.csv", [(text, "x") for text in TEXTS])
    lines = "".join(f"{text}\n" for text in TEXTS)
    succeed("translate", "learn", mails, "--stop-words", "english", "--quiet")
    arguments = ["-", "--format", "txt", "--stop-words", "english", "-o", "lines", "--quiet"]
    succeed("translate", "learn", *arguments, input=lines)
    for path in ("mails.translation", "lines"):
        assert (tmp_path / path).read_bytes() == news.read_bytes()


def test_threads_change_nothing(source, news, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    path = tmp_path / "one"
    arguments = [source, "-o", path, "--stop-words", "english", "--quiet", "--threads", 1]
    succeed("translate", "learn", *arguments)
    assert path.read_bytes() == news.read_bytes()


def test_quiet_says_nothing(source, tmp_path):
    result = succeed("translate", "learn", source, "-o", tmp_path / "out", "--quiet")
    assert result.output == ""


def test_a_file_without_rows_is_told(tmp_path):
    source = write_jsonl(tmp_path / "one.jsonl", [{"text": "sea salt"}])
    result = succeed("translate", "learn", source, "-o", tmp_path / "out", "--quiet")
    assert "no signature has a row: none is in 2 documents (--min-df)" in result.stderr


def test_the_words_of_signatures_are_shown(news):
    model = TranslationModel.load(news)
    shown = succeed("translate", "show", news, "shuttle", "bus", "-n", 2).stdout
    assert shown == f"{model.explain('shuttle', 2)}\n{model.explain('bus', 2)}\n"
    found = json_of("translate", "show", news, "shuttle")
    words = [(each["word"], each["probability"]) for each in found["signatures"][0]["words"]]
    assert words == model.explain("shuttle")
    assert found["signatures"][0]["signature"] == "shuttle"


def test_a_file_is_summed_up(news):
    model = TranslationModel.load(news)
    found = json_of("translate", "show", news)["file"]
    assert found["words"] == len(model.words_)
    assert found["rows"] == {"word": len(model.signatures_), "phrase": 0, "concept": 0}
    assert f"{model.rows_.nnz:,} probabilities" in succeed("translate", "show", news).stdout


def test_coverage_is_that_of_the_library(news, tmp_path):
    others = ["a shuttle to mars", "nothing known"]
    source = write_jsonl(tmp_path / "others.jsonl", [{"text": text} for text in others])
    expected = TranslationModel.load(news).coverage(others)
    assert succeed("translate", "cover", news, source, "--quiet").stdout == f"{expected}\n"
    found = json_of("translate", "cover", news, source)
    assert found["words"]["n_known"] == expected.words.n_known
    assert found["n_documents_known"] == expected.n_documents_known == 1


def test_what_goes_wrong_is_told(source, news, tmp_path):
    unknown = run("translate", "show", news, "shutle")
    assert unknown.exit_code == 1 and "Did you mean 'shuttle'?" in unknown.stderr
    other = run("translate", "show", source)
    assert other.exit_code == 1 and "not a tallytext file" in other.stderr
    missing = run("translate", "learn", tmp_path / "none.jsonl", "-o", tmp_path / "out")
    assert missing.exit_code == 1
    (tmp_path / "empty.txt").write_text("")
    empty = run("translate", "learn", tmp_path / "empty.txt", "-o", tmp_path / "out")
    assert empty.exit_code == 1 and "no documents" in empty.stderr
    nowhere = run("translate", "learn", source, "-o", tmp_path / "none" / "out")
    assert nowhere.exit_code == 1 and "there is no folder" in nowhere.stderr
    assert not (tmp_path / "out").exists()
    for arguments in (["--beta", "1"], ["--signatures", "letters"], ["--min-df", "0"]):
        assert run("translate", "learn", source, *arguments).exit_code == 2
    assert run("translate").exit_code == 2


def test_rows_that_cannot_be_read_are_left_out(tmp_path):
    source = tmp_path / "news.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS) + "broken\n")
    path = tmp_path / "out"
    assert run("translate", "learn", source, "-o", path).exit_code == 1
    assert not path.exists()
    found = json_of("translate", "learn", source, "-o", path, "--on-error", "skip")
    assert found["skipped"] == 1 and found["documents"] == len(TEXTS)


def test_an_interruption_saves_nothing(source, tmp_path):
    path = tmp_path / "out"
    script = (
        "import sys, time; from tallytext.cli import app\n"
        "import tallytext.semantic.translation as t\n"
        "def wait(*given, **settings):\n"
        "    print('estimating', flush=True)\n"
        "    time.sleep(60)\n"
        "t.translation_rows = wait\n"
        f"app(['translate', 'learn', {str(source)!r}, '-o', {str(path)!r}])"
    )
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen([sys.executable, "-c", script], **pipes)
    assert process.stdout.readline() == b"estimating\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert "Nothing was saved" in errors.decode()
    assert not path.exists()


def test_help_teaches_and_waits_for_no_library():
    assert "space program" in succeed("translate", "--help").output
    for command in ("learn", "show", "cover"):
        assert "tally translate" in succeed("translate", command, "--help").output
    script = (
        "import sys; from typer.testing import CliRunner; from tallytext.cli import app\n"
        "assert CliRunner().invoke(app, ['translate', 'learn', '--help']).exit_code == 0\n"
        "assert 'sklearn' not in sys.modules and 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
