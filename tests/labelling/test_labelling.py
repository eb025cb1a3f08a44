"""Labelling with the model in the loop: what is asked, learned, taken back and taken up again."""

import os
import shutil
import signal
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import run, start, succeed, write_csv, write_jsonl
from tallytext import TextClassifier
from tallytext.cli.label import parse_label
from tallytext.errors import FileError, InputError
from tallytext.labelling import Journal, Session
from tallytext.labelling.query_strategy import QueryStrategy
from tallytext.labelling.session import TrainingLabels, training_size
from topics import made_up

TEXTS, LABELS = made_up(90, noise=0)
# Of which the model is less sure.
NOISY, TOPICS = made_up(150, seed=1, noise=12)


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path / "notes.labels.jsonl") as journal:
        yield journal


def answered(session, n):
    """Answer questions truly."""
    for _ in range(n):
        session.annotate(LABELS[session.query().row])
    return session


def resumed(journal, folder):
    """A session that goes on with a copy of the answers."""
    copy = shutil.copy(journal.path, folder / "copy.jsonl")
    with Journal(copy) as again:
        return Session(NOISY, again)


class TestTrainingLabels:
    @pytest.mark.parametrize("first", [2, 3, 17, 33, 1_000])
    def test_the_model_learns_when_labels_have_grown_by_a_twentieth(self, first):
        learned = first
        for n in range(first, 3 * first + 200):
            if (n - learned) * 100 >= 5 * learned:
                learned = n
            assert training_size(n, first) == learned

    def test_all_given_labels_are_learned_from_at_first(self):
        given = dict.fromkeys(range(40), "sea")
        labels = TrainingLabels(given, [])
        assert labels.training_set == {}
        labels.add(40, "sky")
        assert labels.training_set == given | {40: "sky"}
        labels.add(41, "sky")
        assert labels.training_set == given | {40: "sky"}
        assert len(TrainingLabels({0: "sea", 1: "sky", 2: "sea"}, []).training_set) == 3

    def test_a_given_label_comes_back(self):
        labels = TrainingLabels({0: "sea", 1: "sky"}, [(0, "field")])
        assert labels.training_set == {0: "field", 1: "sky"}
        labels.remove(0)
        assert labels.training_set == {0: "sea", 1: "sky"}


class TestSession:
    def test_no_document_is_asked_for_twice(self, journal):
        session = answered(Session(TEXTS, journal), len(TEXTS))
        rows = [answer.row for answer in journal.annotations]
        assert sorted(rows) == [*range(len(TEXTS))]
        assert session.is_complete
        with pytest.raises(InputError, match="every document"):
            session.query()

    def test_a_question_stays_until_it_is_answered(self, journal):
        session = Session(TEXTS, journal)
        assert session.query() is session.query()

    def test_all_classes_are_found_soon_and_guesses_are_right(self, journal):
        session = answered(Session(TEXTS, journal), 12)
        assert session.classes == ["field", "sea", "sky"]
        assert np.mean(session.predict(TEXTS) == LABELS) > 0.9

    def test_every_fifth_is_drawn_at_random_and_accuracy_is_of_these(self, journal):
        session = answered(Session(TEXTS, journal), 20)
        drawn = [answer.at_random for answer in journal.annotations]
        assert drawn == [i % 5 == 4 for i in range(20)]
        assert session.accuracy.n_scored == 4
        assert session.accuracy.n_correct <= 4

    def test_all_questions_can_be_drawn_at_random(self, journal):
        answered(Session(TEXTS, journal, random_every=1), 6)
        assert all(answer.at_random for answer in journal.annotations)

    def test_random_every_must_be_a_number_of_questions(self, journal):
        with pytest.raises(ValueError, match="random_every"):
            Session(TEXTS, journal, random_every=0)

    def test_nothing_is_predicted_before_there_are_two_labels(self, journal):
        session = answered(Session(TEXTS, journal), 1)
        with pytest.raises(InputError, match="no model yet"):
            session.predict(TEXTS)

    def test_what_was_skipped_is_not_asked_for_again(self, journal):
        session = Session(TEXTS, journal)
        first = session.query().row
        session.skip()
        answered(session, 20)
        assert first not in {answer.row for answer in journal.annotations}

    def test_after_undo_all_is_as_it_was(self, journal):
        session = answered(Session(TEXTS, journal), 9)
        everything = [*range(len(TEXTS))]
        before, question = session._probabilities(everything), session.query()
        session.annotate("something else")
        assert "something else" in session.classes
        assert session.undo().row == question.row
        assert "something else" not in session.classes
        np.testing.assert_array_equal(session._probabilities(everything), before)

    def test_what_was_done_last_is_taken_back_first(self, journal):
        session = answered(Session(TEXTS, journal), 5)
        left, skipped = session.n_remaining, session.query()
        session.skip()
        assert session.n_remaining == left - 1
        answered(session, 1)
        session.undo()
        assert session.n_annotations == 5
        assert session.undo() is skipped
        assert session.n_remaining == left
        session.undo()
        assert session.n_annotations == 4

    def test_given_labels_are_learned_from_and_not_asked_for(self, journal):
        given = {row: LABELS[row] for row in range(60)}
        session = Session(TEXTS, journal, given=given)
        assert session.query().guess is not None
        assert (session.n_annotations, session.n_remaining) == (0, 30)
        answered(session, 30)
        assert session.is_complete
        assert {answer.row for answer in journal.annotations} == {*range(60, 90)}
        assert session.labels == dict(enumerate(LABELS))

    def test_an_answer_stands_above_a_given_label(self, journal):
        row = answered(Session(TEXTS, journal), 3).journal.annotations[0].row
        session = Session(TEXTS, journal, given={row: "another", 50: "sea"})
        assert session.labels[row] == LABELS[row]
        assert "another" not in session.classes

    def test_nothing_to_undo_is_said(self, journal):
        with pytest.raises(InputError, match="no answer to undo"):
            Session(TEXTS, journal).undo()

    def test_a_session_taken_up_again_asks_what_the_first_would_have(self, journal, tmp_path):
        session = answered(Session(TEXTS, journal), 7)
        wanted = session.query()
        journal.close()
        with Journal(journal.path) as again:
            assert Session(TEXTS, again).query() == wanted

    def test_with_many_answers_undo_and_a_break_change_nothing(self, journal, tmp_path):
        """From twenty on, not every answer is learned from at once."""
        session = Session(NOISY, journal)
        for n in range(60):
            question = session.query()
            if n >= 18:
                shares = session._probabilities([*range(0, 150, 10)])
                assert resumed(journal, tmp_path).query() == question
                session.annotate("field" if TOPICS[question.row] == "sky" else "sky")
                session.query()
                assert session.undo() == question
                np.testing.assert_array_equal(session._probabilities([*range(0, 150, 10)]), shares)
            session.annotate(TOPICS[question.row])

    def test_many_answers_are_taken_back_one_by_one(self, journal):
        session, asked = Session(NOISY, journal), []
        for _ in range(40):
            asked.append(session.query())
            session.annotate(TOPICS[asked[-1].row])
        assert [session.undo() for _ in asked] == asked[::-1]
        assert session.query().guess is None

    def test_a_class_that_the_model_has_not_met_yet_has_answers(self, journal):
        session = Session(NOISY, journal)
        while session.n_annotations < 56:
            session.annotate(TOPICS[session.query().row])
        session.annotate("zoo")
        assert "zoo" in session.classes
        assert session.explain() is not None
        assert "zoo" not in session._model.classes_
        while "zoo" not in session._model.classes_:
            session.annotate(TOPICS[session.query().row])
        assert session.n_annotations == 59

    def test_answers_to_other_documents_are_refused(self, journal):
        answered(Session(TEXTS, journal), 3)
        with pytest.raises(FileError, match="was the input changed"):
            Session(["another", *TEXTS[1:]][::-1], journal)

    def test_the_classifier_has_learned_from_the_rest(self, journal):
        classifier = answered(Session(TEXTS, journal), 9).classifier()
        assert classifier.pool_.n_documents == len(TEXTS) - 9
        assert classifier.predict(["whale and reef"]).tolist() == ["sea"]

    @pytest.mark.parametrize("label", ["", "  "])
    def test_an_empty_label_is_none(self, journal, label):
        session = Session(TEXTS, journal)
        with pytest.raises(InputError, match="a label has"):
            session.annotate(label)
        assert journal.annotations == []

    @pytest.mark.parametrize(("texts", "count"), [([], "no document"), (["a"], "one document")])
    def test_one_document_is_nothing_to_choose_from(self, journal, texts, count):
        with pytest.raises(InputError, match=f"needs at least two documents, and there is {count}"):
            Session(texts, journal)

    @pytest.mark.parametrize("texts", [["!!", "??", ".."], [""] * 9])
    def test_documents_without_words_are_refused(self, journal, texts):
        with pytest.raises(InputError, match=r"none of the . documents has a word.*--text"):
            Session(texts, journal)


# Two crowds and an outlier.
DIRECTIONS = np.array(
    [[1, 0, 0, -0.1], [1, 0, 0, 0], [1, 0, 0, 0.1], [0, 1, 0.1, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
)
ALL = np.arange(6)


class TestQueryStrategy:
    def test_the_middle_of_the_largest_crowd_comes_first_and_then_another(self):
        strategy = QueryStrategy(DIRECTIONS)
        assert strategy.select(ALL, None, []) == 1
        assert strategy.select(ALL, None, [1]) in (3, 4)

    def test_what_the_model_is_unsure_of_comes_first(self):
        # A hundred labels, so that the model is believed, and far from all.
        strategy, labelled = QueryStrategy(np.vstack([DIRECTIONS, -np.ones(4)])), [6] * 100
        margins = np.array([0.0, 0, 0, 1, 1, 1])
        assert strategy.select(ALL, margins, labelled) == 1
        assert strategy.select(ALL, 1 - margins, labelled) in (3, 4)

    def test_the_gain_is_that_of_the_slow_sum(self):
        chance = np.random.default_rng(3)
        latent, margins = chance.normal(size=(40, 5)), chance.random(30)
        unit = latent / np.linalg.norm(latent, axis=1, keepdims=True)
        labelled = [*range(30, 40)]

        def gain(d):
            total = 0.0
            for e in range(30):
                near = max(0.0, *(unit[e] @ unit[known] for known in labelled))
                total += (1 - 0.5 * margins[e]) * max(0.0, unit[d] @ unit[e] - near)
            return total

        best = max(range(30), key=gain)
        assert QueryStrategy(latent).select(np.arange(30), margins, labelled) == best

    def test_many_labels_are_taken_block_by_block(self):
        chance = np.random.default_rng(4)
        latent = chance.normal(size=(3_500, 6))
        some = QueryStrategy(latent)._unit_vectors(np.arange(50))
        labelled = np.arange(50, 3_500)
        wanted = (some @ QueryStrategy(latent)._unit_vectors(labelled).T).max(axis=1)
        found = QueryStrategy(latent)._max_cosines(some, labelled)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
        np.testing.assert_array_equal(QueryStrategy(latent)._max_cosines(some, [*labelled]), found)
        assert not QueryStrategy(latent)._max_cosines(some, []).any()

    def test_many_labels_take_the_memory_of_few(self):
        latent = np.random.default_rng(5).normal(size=(20_300, 10))
        strategy, candidates = QueryStrategy(latent), np.arange(20_000, 20_300)
        tracemalloc.start()
        strategy.select(candidates, None, np.arange(20_000))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20_000 * len(candidates) * 8 / 4

    def test_candidates_are_free_and_the_same_for_as_many_taken(self):
        strategy = QueryStrategy(np.eye(2_500, 2), seed=5)
        taken = np.zeros(2_500, dtype=bool)
        taken[:700] = True
        found = strategy.sample_candidates(taken)
        assert len(np.unique(found)) == 1_000
        assert not taken[found].any()
        np.testing.assert_array_equal(strategy.sample_candidates(taken), found)
        taken[700] = True
        assert not np.array_equal(strategy.sample_candidates(taken), found)


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("\n".join(TEXTS), encoding="utf-8")
    return path


class TestCommand:
    def test_labels_keys_and_a_model(self, notes, tmp_path):
        lines = "sea\nsky\nn\nfield\n1\n2\nu\n3\ns\n?\nq\n"
        model = tmp_path / "notes.tally"
        result = succeed("label", notes, "-o", model, input=lines)
        with Journal(tmp_path / "notes.labels.jsonl") as journal:
            given = [answer.label for answer in journal.annotations]
        assert given == ["sea", "sky", "field", "sea", "field"]
        assert "Press any key to go back" in result.output
        assert TextClassifier.load(model).classes_.tolist() == ["field", "sea", "sky"]

    def test_the_model_goes_on_learning_and_forgets(self, notes, tmp_path):
        model, more = tmp_path / "notes.tally", tmp_path / "more.csv"
        succeed("label", notes, "-o", model, input="sea\nsky\n1\n2\nq\n")
        before = TextClassifier.load(model)
        more.write_text("text,label\nplough the furrow,field\na furrow of corn,field\n")
        succeed("learn", model, more)
        learned = TextClassifier.load(model)
        assert learned.predict(["a furrow to plough"]).tolist() == ["field"]
        assert learned.report().n_unlabelled == len(TEXTS) - 4
        succeed("forget", model, more)
        forgot = TextClassifier.load(model)
        assert forgot.classes_.tolist() == ["sea", "sky"]
        assert forgot.scores(TEXTS).tolist() == before.scores(TEXTS).tolist()
        # What was never learned is refused by name, and the file stays.
        found = model.read_bytes()
        result = run("forget", model, more)
        assert (result.exit_code, "cannot forget" in result.output) == (1, True)
        assert model.read_bytes() == found

    def test_it_goes_on_where_it_was(self, notes, tmp_path):
        model = tmp_path / "notes.tally"
        succeed("label", notes, "-o", model, input="sea\nsky\n")
        result = succeed("label", notes, "-o", model, input="1\nq\n")
        assert "continuing after 2 answers in" in result.output
        assert "3 answers" in result.output

    def test_documents_without_words_are_said_to_be_so(self, tmp_path):
        source = tmp_path / "punct.txt"
        source.write_text("!!\n??\n..\n")
        result = run("label", source, "-o", tmp_path / "punct.tally")
        assert (result.exit_code, "has a word in it" in result.output) == (1, True)
        assert [path.name for path in tmp_path.iterdir()] == ["punct.txt"]

    def test_one_label_is_no_model_but_is_kept(self, notes, tmp_path):
        result = succeed("label", notes, "-o", tmp_path / "notes.tally", input="sea\n")
        assert "it needs two different labels" in result.output
        assert not (tmp_path / "notes.tally").exists()
        assert (tmp_path / "notes.labels.jsonl").read_text().count("\n") == 1

    def test_enter_takes_the_guess(self, notes, tmp_path):
        succeed("label", notes, "-o", tmp_path / "notes.tally", input="sea\nsky\n\n\n")
        with Journal(tmp_path / "notes.labels.jsonl") as journal:
            taken = journal.annotations[2:]
        assert len(taken) == 2
        assert all(answer.label == answer.guess for answer in taken)

    def test_killed_it_has_what_was_answered(self, notes, tmp_path):
        path = tmp_path / "notes.labels.jsonl"
        process = start("label", notes, "-o", tmp_path / "notes.tally")
        process.stdin.write(b"sea\nsky\nsea\n")
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not path.exists() or path.read_bytes().count(b"\n") < 3:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with Journal(path) as journal:
            assert [answer.label for answer in journal.annotations] == ["sea", "sky", "sea"]

    def test_labels_of_a_column_are_kept_and_the_others_asked_for(self, tmp_path):
        rows = [
            (text, label if at % 3 else "")
            for at, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
        ]
        source = write_csv(tmp_path / "half.csv", rows)
        model = tmp_path / "half.tally"
        result = succeed("label", source, "--label", "label", "-o", model, input="\n\n")
        assert "60 known labels" in result.output
        with Journal(tmp_path / "half.labels.jsonl") as journal:
            assert [answer.row % 3 for answer in journal.annotations] == [0, 0]
            assert all(answer.guess == answer.label for answer in journal.annotations)
        classifier = TextClassifier.load(model)
        assert classifier.tally_.n_documents == 62

    def test_numbers_of_a_column_are_labels_as_they_are_written(self, tmp_path):
        numbers = [0.1, 2.5, 3.0, 4, None]
        records = [{"text": text, "grade": numbers[at % 5]} for at, text in enumerate(TEXTS)]
        source = write_jsonl(tmp_path / "notes.jsonl", records)
        model = tmp_path / "notes.tally"
        succeed("label", source, "--label", "grade", "-o", model, input="q\n")
        assert TextClassifier.load(model).classes_.tolist() == ["0.1", "2.5", "3", "4"]

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_a_number_comes_back_from_its_label(self, number):
        label = parse_label(number)
        assert float(label) == number
        assert parse_label(np.float64(number)) == label
        assert number.is_integer() == label.lstrip("-").isdecimal()

    def test_several_labels_of_a_document_are_refused(self, tmp_path):
        records = [{"text": text, "topics": ["sea", "sky"]} for text in TEXTS]
        source = write_jsonl(tmp_path / "notes.jsonl", records)
        result = run("label", source, "--label", "topics")
        assert result.exit_code == 1
        assert "one label each" in result.output

    def test_a_quiet_script_shows_nothing_but_what_went_wrong(self, notes, tmp_path):
        arguments = ("label", notes, "-o", tmp_path / "a.tally", "--quiet")
        assert succeed(*arguments, input="sea\nsky\n").output == ""
        result = run(*arguments, input="!\nsea\n")
        assert (result.exit_code, "has no label; press n" in result.output) == (1, True)
        with Journal(tmp_path / "a.labels.jsonl") as journal:
            assert len(journal.annotations) == 2

    def test_a_model_that_cannot_be_read_from_leaves_no_answers_behind(self, notes, tmp_path):
        result = run("label", notes, "--label", "topic", "-o", tmp_path / "a.tally")
        assert result.exit_code == 1
        assert not (tmp_path / "a.labels.jsonl").exists()

    def test_keys_are_the_same_after_a_break(self, notes, tmp_path):
        model = tmp_path / "notes.tally"
        succeed("label", notes, "-o", model, input="sky\nsea\nfield\nzoo\nu\n")
        succeed("label", notes, "-o", model, input="1\n3\n2\n")
        with Journal(tmp_path / "notes.labels.jsonl") as journal:
            given = [answer.label for answer in journal.annotations]
        assert given == ["sky", "sea", "field", "sky", "field", "sea"]

    def test_documents_and_answers_cannot_both_come_by_one_pipe(self, tmp_path):
        if os.name == "nt":
            pytest.skip("there is no /dev/tty")
        process = start(
            "label", "-", "--format", "txt", "-o", tmp_path / "a.tally", start_new_session=True
        )
        told = process.communicate("\n".join(TEXTS).encode())[1].decode()
        assert process.returncode == 2
        assert "standard input" in told
