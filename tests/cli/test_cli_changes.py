"""Commands that write model files: train, learn, forget, merge; and info and terms, that show."""

import io
import re
import tarfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from commands import MAILS, json_of, run, start, succeed, trained, write_csv, write_jsonl
from tallytext import TextClassifier
from tallytext.classifier import learners
from tallytext.classifier.model_file import FORMAT
from tallytext.features import score_terms, top_terms

TEXTS, LABELS = map(list, zip(*MAILS, strict=True))
MORE = [("your parcel is waiting", "parcel"), ("a parcel from abroad", "parcel")]


def flat(result):
    """Return the messages of a command without line breaks."""
    return " ".join(result.stderr.split())


def _as_parquet(folder):
    path = folder / "mails.parquet"
    pq.write_table(pa.table({"text": TEXTS, "label": LABELS}), path)
    return path


def _as_folder(folder):
    for at, (text, label) in enumerate(MAILS):
        (folder / "mails" / label).mkdir(parents=True, exist_ok=True)
        (folder / "mails" / label / f"{at:03}.txt").write_text(text)
    return folder / "mails"


def _as_tar(folder):
    path = folder / "mails.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for at, (text, label) in enumerate(MAILS):
            member = tarfile.TarInfo(f"{label}/{at}.txt")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def _as_tsv(folder):
    path = folder / "mails.tsv"
    path.write_text("text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in MAILS))
    return path


def _as_jsonl(folder):
    return write_jsonl(folder / "a.jsonl", [{"text": t, "label": c} for t, c in MAILS])


@pytest.mark.parametrize("made", [_as_parquet, _as_folder, _as_tar, _as_tsv, _as_jsonl])
def test_all_formats_give_the_same_counts(tmp_path, made):
    succeed("train", made(tmp_path), "-o", tmp_path / "m.tally", "--model", "multinomial")
    expected = TextClassifier("multinomial").fit(TEXTS, LABELS)
    found = TextClassifier.load(tmp_path / "m.tally")
    assert found.tally_.n_documents == len(MAILS)
    assert sorted(found.tally_.classes) == sorted(expected.tally_.classes)
    assert found.scores(["cheap lunch"]).tolist() == expected.scores(["cheap lunch"]).tolist()


def test_standard_input_is_trained_on(tmp_path):
    lines = "".join(f'{{"text": "{text}", "label": "{label}"}}\n' for text, label in MAILS)
    succeed("train", "-", "-o", tmp_path / "m.tally", "--model", "multinomial", input=lines)
    assert json_of("info", tmp_path / "m.tally")["n_documents"] == len(MAILS)
    assert run("train", "-", input=lines).exit_code == 2


def test_the_model_is_named_after_the_input(tmp_path, monkeypatch):
    source = write_csv(tmp_path / "mails.v2.csv")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    result = succeed("train", source, "--model", "multinomial")
    assert (tmp_path / "here" / "mails.tally").is_file()
    assert "  model        multinomial naive Bayes on words\n" in result.stdout
    assert "60 documents in" in result.stderr


def test_training_takes_its_settings_from_options(tmp_path):
    model = trained(
        *(tmp_path, "m.tally", MAILS, "--ngrams", "1-2", "--stop-words", "english"),
        *("--language", "english", "--multi-label"),
    )
    vectorizer, found = TextClassifier.load(model).vectorizer_, TextClassifier.load(model)
    assert vectorizer.ngram_range == (1, 2)
    assert (vectorizer.stop_words, vectorizer.language) == ("english", "english")
    assert found.multi_label_
    chars = trained(tmp_path, "c.tally", MAILS, "--tokens", "chars")
    assert TextClassifier.load(chars).vectorizer_.tokens == "chars"


@pytest.mark.parametrize("ngrams", ["0", "2-1", "one", "1-2-3", ""])
def test_senseless_ngrams_are_refused(tmp_path, ngrams):
    source = write_csv(tmp_path / "mails.csv")
    result = run("train", source, "-o", tmp_path / "m.tally", "--ngrams", ngrams)
    assert result.exit_code == 2
    assert not (tmp_path / "m.tally").exists()


def test_help_lists_every_learner():
    output = succeed("train", "--help").stdout
    for learner in learners():
        assert learner.name in output


def test_several_labels_are_read_from_one_string(tmp_path):
    source = write_csv(tmp_path / "m.csv", [(text, f"{label};mail") for text, label in MAILS])
    options = ("--label-separator", ";", "--model", "multinomial", "-o", tmp_path / "m.tally")
    assert json_of("train", source, *options)["n_classes"] == 4
    assert json_of("info", tmp_path / "m.tally")["several"]


def test_learning_and_forgetting_are_exact(tmp_path):
    model, more = trained(tmp_path), write_csv(tmp_path / "more.csv", MORE)
    before = TextClassifier.load(model).tally_
    learned = json_of("learn", model, more, more)
    assert (learned["documents"], learned["n_documents"]) == (4, len(MAILS) + 4)
    together = trained(tmp_path, "all.tally", MAILS + MORE + MORE)
    assert TextClassifier.load(model).tally_ == TextClassifier.load(together).tally_
    assert json_of("info", model)["changes"]["learned"] == 4
    succeed("forget", model, more, more)
    assert TextClassifier.load(model).tally_ == before


def test_a_change_goes_elsewhere_if_asked_to(tmp_path):
    model, more = trained(tmp_path), write_csv(tmp_path / "more.csv", MORE)
    before = model.read_bytes()
    succeed("learn", model, more, "-o", tmp_path / "other.tally")
    assert model.read_bytes() == before
    assert json_of("info", tmp_path / "other.tally")["n_documents"] == len(MAILS) + 2


def test_what_was_never_learned_cannot_be_forgotten(tmp_path):
    model, wrong = trained(tmp_path), write_csv(tmp_path / "wrong.csv", [*MAILS, *MORE])
    before = model.read_bytes()
    result = run("forget", model, wrong)
    assert result.exit_code == 1
    assert "error: " in result.stderr
    assert model.read_bytes() == before


@pytest.mark.parametrize("model", ["refined", "pooled"])
def test_forgetting_all_documents_of_a_trained_model_is_refused(tmp_path, model):
    source = write_csv(tmp_path / "mails.csv")
    succeed("train", source, "-o", tmp_path / "m.tally", "--model", model, "-q")
    before = (tmp_path / "m.tally").read_bytes()
    result = run("forget", tmp_path / "m.tally", source)
    assert result.exit_code == 1
    assert "no labelled documents left, so it is not saved. Keep at least one" in flat(result)
    assert (tmp_path / "m.tally").read_bytes() == before


def test_forgetting_all_documents_of_counts_leaves_a_model_that_learns(tmp_path):
    model, before = trained(tmp_path), tmp_path / "before.tally"
    succeed("learn", model, write_csv(tmp_path / "more.csv", MORE), "-o", before, "-q")
    succeed("forget", model, tmp_path / "mails.tally.csv")
    assert "unknown: the model has no documents" in succeed("info", model).stdout
    succeed("learn", model, tmp_path / "mails.tally.csv", tmp_path / "more.csv")
    assert TextClassifier.load(model).tally_ == TextClassifier.load(before).tally_


def test_merging_is_training_on_all(tmp_path):
    half = len(MAILS) // 2
    parts = [trained(tmp_path, "a.tally", MAILS[:half]), trained(tmp_path, "b.tally", MAILS[half:])]
    merged = json_of("merge", *parts, "-o", tmp_path / "all.tally")
    assert merged["n_documents"] == len(MAILS)
    whole = TextClassifier.load(trained(tmp_path))
    assert TextClassifier.load(tmp_path / "all.tally").tally_ == whole.tally_
    assert run("merge", *parts).exit_code == 2


def test_models_that_differ_are_not_merged(tmp_path):
    parts = [trained(tmp_path, "a.tally"), trained(tmp_path, "b.tally", MAILS, "--ngrams", "1-2")]
    result = run("merge", *parts, "-o", tmp_path / "all.tally")
    assert result.exit_code == 1
    assert "ngram_range" in result.stderr
    assert not (tmp_path / "all.tally").exists()


def test_info_shows_the_report_and_the_file(tmp_path):
    model = trained(tmp_path)
    shown = succeed("info", model).stdout
    for expected in ("60 documents", "3 classes", "multinomial", f"{model.stat().st_size:,}"):
        assert expected in shown
    file = json_of("info", model)["file"]
    assert (file["bytes"], file["format"]) == (model.stat().st_size, FORMAT)
    assert file["versions"]["tallytext"] in shown


def test_terms_of_a_class_are_those_of_the_classifier(tmp_path):
    model = trained(tmp_path)
    (found,) = json_of("terms", model, "--label", "spam", "--top", "3")["classes"]
    typical = TextClassifier.load(model).terms("spam", 3)
    assert found == {"label": "spam", "documents": 20, "terms": typical}
    shown = succeed("terms", model).stdout
    assert [label for label in ("friends", "spam", "work") if label in shown] == sorted(set(LABELS))
    refused = run("terms", model, "--label", "spa")
    assert refused.exit_code == 1
    assert "Did you mean 'spam'?" in refused.stderr


@pytest.mark.parametrize("score", ["df", "ig", "chi", "mi", "prr"])
def test_terms_by_a_score_are_those_of_the_selection(tmp_path, score):
    model = trained(tmp_path)
    tally = TextClassifier.load(model).tally_
    answer = json_of("terms", model, "--score", score, "--top", "4")
    assert (answer["model"], answer["score"]) == (str(model), score)
    ids = top_terms(tally, score, 4)
    assert [each["term"] for each in answer["terms"]] == tally.vocabulary.terms(ids).tolist()
    assert [each["score"] for each in answer["terms"]] == score_terms(tally, score)[ids].tolist()
    assert [each["documents"] for each in answer["terms"]] == tally.term_documents[ids].tolist()
    shown = succeed("terms", model, "--score", score, "--top", "4").stdout.splitlines()
    assert shown[0].split() == ["term", score, "documents"]
    assert [line.split()[0] for line in shown[1:]] == [each["term"] for each in answer["terms"]]


def test_terms_by_a_score_of_documents_with_several_labels_or_none(tmp_path):
    records = [{"text": text, "label": [label, "all"]} for text, label in MAILS]
    records.append({"text": "nowhere nowhere", "label": []})
    source, model = write_jsonl(tmp_path / "s.jsonl", records), tmp_path / "s.tally"
    succeed("train", source, "--model", "multinomial", "-o", model)
    tally = TextClassifier.load(model).tally_
    (best,) = json_of("terms", model, "--score", "ig", "--top", "1")["terms"]
    (id,) = top_terms(tally, "ig", 1, labels="binary")
    assert best["term"] == tally.vocabulary.term(id)
    assert best["score"] == score_terms(tally, labels="binary")[id]
    assert "each against its complement" in run("terms", model, "--score", "ig").stderr
    last = json_of("terms", model, "--score", "mi", "--top", "99")["terms"][-1]
    assert (last["term"], last["score"]) == ("nowhere", None)
    assert succeed("terms", model, "--score", "mi", "--top", "99").stdout.split()[-2:] == ["-", "1"]


def test_a_score_is_about_all_classes(tmp_path):
    refused = run("terms", trained(tmp_path), "--score", "ig", "--label", "spam")
    assert refused.exit_code == 2
    assert "Leave out --label" in refused.stderr


def test_labels_that_are_numbers_are_found_by_how_they_are_written(tmp_path):
    records = [{"text": text, "label": len(label)} for text, label in MAILS]
    source, model = write_jsonl(tmp_path / "n.jsonl", records), tmp_path / "n.tally"
    succeed("train", source, "--model", "multinomial", "-o", model)
    assert json_of("terms", model, "--label", "7")["classes"][0]["label"] == 7
    assert json_of("explain", model, "lunch", "--label", "4")["label"] == 4


def test_quiet_says_nothing(tmp_path):
    # So few that no word can give a label away, of which training would warn.
    source, model = write_csv(tmp_path / "mails.csv", MAILS[:30]), tmp_path / "m.tally"
    assert run("train", source, "-o", model, "--model", "multinomial", "--quiet").output == ""
    assert run("learn", model, source, "--quiet").output == ""
    assert run("forget", model, source, "--quiet").output == ""
    assert run("merge", model, model, "-o", tmp_path / "2.tally", "--quiet").output == ""


def test_threads_change_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    multi_label, one = trained(tmp_path), trained(tmp_path, "one.tally", MAILS, "--threads", "1")
    assert TextClassifier.load(multi_label).tally_ == TextClassifier.load(one).tally_


def test_python_runs_the_package(tmp_path):
    process = start("--version")
    output, _ = process.communicate()
    assert output.startswith(b"tallytext ")


def test_recalibrating_ends_staleness(tmp_path):
    model = trained(tmp_path)
    more = write_csv(tmp_path / "more.csv", MORE)
    succeed("learn", model, more)
    assert TextClassifier.load(model).changes_
    succeed("recalibrate", model, write_csv(tmp_path / "recent.csv", MAILS))
    found = TextClassifier.load(model)
    assert not found.changes_
    assert found.calibration_.n_documents == len(MAILS)
    assert found.tally_.n_documents == len(MAILS) + len(MORE)


def test_advice_names_commands_and_not_python_calls(tmp_path):
    model = trained(tmp_path)
    more = write_csv(tmp_path / "more.csv", [(text, "wrong") for text, _ in MAILS])
    succeed("learn", model, more)
    shown = succeed("info", model).stdout
    assert "tally compare train.csv --text COLUMN --label COLUMN --groups COLUMN" in shown
    assert f"run tally recalibrate {model} new.csv --text COLUMN --label COLUMN" in shown
    warned = succeed("predict", model, more).stderr
    assert "Run tally recalibrate." in warned
    refined = trained(tmp_path, "refined.tally", MAILS, "--model", "refined", "--keep", "counts")
    refused = run("learn", refined, more).stderr
    assert "--model auto" in refused
    for message in (shown, warned, refused):
        assert not re.search(r"\w=|\(texts|clf\.", message)


@pytest.mark.parametrize(
    ("written", "exact", "share"),
    [
        ("ig:3", "ig(k=3, nonempty=false)", 0),
        ("chi:0.5", "chi(keep=0.5, nonempty=false)", 0.5),
        ("df", "df(nonempty=false)", 0.1),
        ("mi:1", "mi(keep=1, nonempty=false)", 0),
    ],
)
def test_train_reads_the_terms_that_are_selected(tmp_path, written, exact, share):
    model = TextClassifier.load(trained(tmp_path, "some.tally", MAILS, "--select", exact))
    n_terms, best = len(model.tally_.vocabulary), model.selector_.best_
    expected = max(round(share * n_terms), 1) if share else int(written.partition(":")[2])
    assert len(best) == expected < n_terms
    assert model.tally_.n_terms == expected
    # The short form also has a term of each mail that would be empty.
    whole = TextClassifier.load(trained(tmp_path, "whole.tally", MAILS, "--select", written))
    assert whole.selector_.best_[:expected].tolist() == best.tolist()
    X = whole.vectorizer_.transform([text for text, _ in MAILS])
    assert (X[:, whole.selector_.kept_].sum(axis=1) > 0).all()


@pytest.mark.parametrize(("written", "code"), [("igg", 2), ("ig:x", 2), ("ig:0", 2), ("ig:1.5", 2)])
def test_selections_that_make_no_sense_are_refused(tmp_path, written, code):
    source = write_csv(tmp_path / "mails.csv")
    result = run("train", source, "-o", tmp_path / "model", "--select", written)
    assert result.exit_code == code
    assert not (tmp_path / "model").exists()


def test_thresholds_are_shown_and_chosen(tmp_path):
    rows = [("salt wave", "sea"), ("wind cloud", "sky"), ("salt wind", "sea;sky")] * 20
    source, model = write_csv(tmp_path / "notes.csv", rows), tmp_path / "notes.tally"
    succeed("train", source, "--label-separator", ";", "--thresholds", "0.4", "-o", model)
    assert json_of("thresholds", model)["thresholds"] == {"sea": 0.4, "sky": 0.4}
    succeed("thresholds", model, "sea=0.75")
    assert "0.7500  sea" in succeed("thresholds", model).stdout
    assert (
        "each label is assigned at a probability of its own or more"
        in succeed("info", model).stdout
    )
    succeed("thresholds", model, "micro")
    assert len({*json_of("thresholds", model)["thresholds"].values()}) == 1
    for rule, problem in (("moon=0.5", "no class 'moon'"), ("7", "thresholds must be")):
        refused = run("thresholds", model, rule)
        assert refused.exit_code == 1
        assert problem in refused.stderr


@pytest.mark.parametrize("model", ["multinomial", "refined"])
def test_training_again_does_not_lose_what_a_model_learned(tmp_path, model):
    source, more = write_csv(tmp_path / "mails.csv"), write_csv(tmp_path / "more.csv", MORE)
    path = tmp_path / "mails.tally"
    train = ("train", source, "-o", path, "--model", model)
    succeed(*train)
    succeed(*train)  # a model that has only been trained is replaced
    succeed("learn", path, more)
    before = path.read_bytes()
    result = run(*train)
    assert result.exit_code == 1
    shown = " ".join(result.stderr.split())
    assert "mails.tally has learned 2 documents since its training; training again" in shown
    assert "would lose them. Use --force to replace it, or --output FILE." in shown
    assert path.read_bytes() == before
    succeed(*train, "--force")
    assert json_of("info", path)["n_documents"] == len(MAILS)
    succeed(*train)


def test_training_tells_of_the_model_that_it_replaces(tmp_path):
    path = trained(tmp_path)
    score = json_of("info", path)["score"]
    again = ("train", tmp_path / "mails.tally.csv", "-o", path, "--model", "multinomial")
    line = f"replaced {path} (expected accuracy before: {score:.1%})"
    assert line in flat(succeed(*again))
    assert "replaced" not in succeed(*again, "-q").stderr
    assert "replaced" not in succeed(*again[:3], tmp_path / "new.tally", *again[4:]).stderr
    labels = ["friends", "work"]
    noise = write_csv(tmp_path / "noise.csv", [(f"word{at}", labels[at % 2]) for at in range(60)])
    worse = flat(succeed("train", noise, *again[2:], "-q"))
    assert f"warning: replaced {path}, which was better (expected accuracy before:" in worse


@pytest.mark.parametrize("model", ["multinomial", "refined"])
def test_a_calibrated_or_merged_model_is_not_lost_either(tmp_path, model):
    one = trained(tmp_path, "one.tally", MAILS, "--model", model)
    other = trained(tmp_path, "other.tally", MAILS[:6], "--model", model)
    succeed("merge", one, other, "-o", one)
    succeed("recalibrate", one, write_csv(tmp_path / "new.csv", MAILS[:30]))
    result = run("train", tmp_path / "one.tally.csv", "-o", one)
    assert result.exit_code == 1
    assert "has merged 6 documents" in " ".join(result.stderr.split())


def test_learning_tells_of_new_labels(tmp_path):
    model, more = trained(tmp_path), write_csv(tmp_path / "more.csv", [*MAILS[:1], *MORE])
    other = tmp_path / "other.tally"
    assert "new label: parcel (2)\n" in succeed("learn", model, more, "-o", other).stderr
    assert "new label" not in succeed("learn", model, more, "-o", other, "--quiet").stderr
    assert "new label" not in succeed("learn", other, more).stderr
    news = write_csv(tmp_path / "news.csv", [*MORE, ("a goal", "sports")])
    before = model.read_bytes()
    refused = run("learn", model, news)
    assert refused.exit_code == 1
    assert "knows none of the labels of these documents, such as 'parcel', 'sports'." in flat(
        refused
    )
    assert "Is --label the right column? To learn new labels, add --yes." in flat(refused)
    assert model.read_bytes() == before
    assert "new labels: parcel (2), sports (1)\n" in succeed("learn", model, news, "--yes").stderr


def test_learning_tells_of_documents_that_were_learned_before(tmp_path):
    model = trained(tmp_path, "mails.tally", MAILS, "--model", "refined")
    again = write_csv(tmp_path / "again.csv", [MAILS[0], MAILS[1], *MORE])
    other = tmp_path / "other.tally"
    shown = succeed("learn", model, again, "-o", other).stderr
    assert "2 documents had been learned before, and count twice now, so that the" in shown
    shown = succeed("learn", model, again, "-o", other, "--quiet").stderr
    assert "learned before" not in shown
    more = write_csv(tmp_path / "more.csv", MORE)
    assert "learned before" not in succeed("learn", model, more).stderr


def test_the_next_step_for_wrong_columns_is_to_check_them(tmp_path):
    texts = [(f"t{at}", text, label) for at, (text, label) in enumerate(MAILS)]
    source = write_csv(tmp_path / "mails.csv", texts, ("id", "text", "label"))
    common = ("train", source, "-o", tmp_path / "m.tally", "--model", "multinomial")
    shown = succeed(*common, "--text", "id").stdout
    assert "  next         check --text id and --label label: are these the right columns?" in shown
    one = write_csv(tmp_path / "one.csv", [(text, "spam") for text, _ in MAILS])
    shown = succeed("train", one, *common[2:]).stdout
    assert "  next         tally train" in shown and "with a column of two labels or more" in shown


@pytest.mark.parametrize("model", ["refined", "pooled"])
def test_info_shows_what_was_learned_since_the_training(tmp_path, model):
    path = trained(tmp_path, "mails.tally", MAILS, "--model", model)
    more = write_csv(tmp_path / "more.csv", [("cheap now", "spam"), ("noon today", "friends")])
    succeed("learn", path, more, "-q")
    assert "changed      2 learned documents since the training" in succeed("info", path).stdout
