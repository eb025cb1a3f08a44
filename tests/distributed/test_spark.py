"""Counting, prediction and evaluation with Spark; skipped without Spark or Java."""

import ast
import os
import re
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from java import needs_spark
from pages import ROOT, blocks
from tallytext import Plane, Tally, TextClassifier, TextVectorizer
from tallytext.distributed import Files, spark_evaluate, spark_predict, spark_tally
from tallytext.distributed.spark import map_splits
from tallytext.distributed.spark_session import JobGroup, start_session
from tallytext.errors import EngineError, FileError, InputError, ScoreError

needs_spark(allow_module_level=True)

pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning"
)

WORDS = ["sea", "sky", "ice", "fog", "sun", "rain", "naïve", "눈", "wind", "tide"]
KINDS = {"text": "string", "label": "string", "labels": "array<string>", "weight": "double"}


def documents(n=60):
    """Texts, a label, several labels or none, and a weight each; no two texts are alike."""
    return [
        (
            " ".join(WORDS[(at * k) % (k + 3)] for k in range(1, 7)) + f" n{at} n{at % 9}",
            "xyz"[at % 3],
            [["x", "y"], ["z"], []][at % 3],
            at % 5 / 4,
        )
        for at in range(n)
    ]


DOCUMENTS = documents()
TEXTS, LABELS, SEVERAL, WEIGHTS = (list(each) for each in zip(*DOCUMENTS, strict=True))


@pytest.fixture(scope="module")
def spark():
    # Each test that kills workers makes others begin, which takes seconds if they import it all.
    daemon = "--conf spark.python.daemon.module=spark_daemon"
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    handler = signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYSPARK_SUBMIT_ARGS", f"--driver-memory 1g {daemon} pyspark-shell")
        patched.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
        session = start_session("local[2,2]")
    session.conf.set("spark.sql.shuffle.partitions", "4")
    yield session
    session.stop()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)  # Spark has put one of its own there


@pytest.fixture(scope="module")
def frame(spark):
    schema = ", ".join(f"{name} {kind}" for name, kind in KINDS.items())
    return spark.createDataFrame(DOCUMENTS, schema).repartition(3).cache()


@pytest.fixture(scope="module")
def classifier():
    return TextClassifier("multinomial").fit(TEXTS, LABELS)


@pytest.mark.parametrize("n_partitions", [1, 9])
def test_the_tally_is_that_of_one_machine_whatever_the_partitions(frame, n_partitions):
    tally = spark_tally(frame.repartition(n_partitions, "text"), shards=3, fan_in=3)
    assert tally == Tally.from_texts(TEXTS, LABELS)
    assert list(tally.vocabulary) == sorted(tally.vocabulary)
    assert 1 <= tally.origin.costs.n_parts <= n_partitions
    assert tally.origin.costs.peak_memory > 0
    assert sorted(tally.origin.texts) == sorted(TEXTS)


def test_arrays_that_are_all_empty_are_no_labels(frame):
    found = spark_tally(frame.selectExpr("text", "array() as label"))
    assert (found.n_unlabelled, found.classes) == (60, [])


def test_partitions_without_rows_count_for_nothing(frame):
    some = frame.where("weight = 0").repartition(7, "label")
    kept = [at for at, weight in enumerate(WEIGHTS) if weight == 0]
    expected = Tally.from_texts([TEXTS[at] for at in kept], [LABELS[at] for at in kept])
    assert spark_tally(some) == expected
    assert spark_tally(frame.where("weight > 9")) == Tally()


def test_planes_several_labels_weights_and_no_labels_are_counted_as_on_one_machine(frame):
    planes = [Plane("log", "l2"), Plane("binary", shared=True), Plane(weighted=True)]
    vectorizer = TextVectorizer(ngram_range=(1, 2))
    options = {"vectorizer": vectorizer, "planes": planes}
    tally = spark_tally(frame, labels="labels", weights="weight", **options)
    X = vectorizer.fit_transform(TEXTS)
    expected = Tally(planes=planes)
    expected.learn(X, SEVERAL, terms=vectorizer.vocabulary_, sample_weight=WEIGHTS)
    assert tally == expected
    assert spark_tally(frame, labels=None) == Tally.from_texts(TEXTS, [[]] * len(TEXTS))


@pytest.mark.parametrize("kind", ["long", "double", "boolean"])
def test_labels_may_be_numbers(frame, kind):
    numbers = frame.selectExpr("text", f"cast(weight > 0.5 as {kind}) as label")
    to = {"long": int, "double": float, "boolean": bool}[kind]
    expected = Tally.from_texts(TEXTS, [to(weight > 0.5) for weight in WEIGHTS])
    tally = spark_tally(numbers)
    assert tally == expected
    assert {type(label) for label in tally.classes} == {to}


def test_labels_in_a_string_are_separated(frame):
    joined = frame.selectExpr("text", "array_join(labels, ';') as label")
    assert spark_tally(joined, label_separator=";") == Tally.from_texts(TEXTS, SEVERAL)


def test_spark_may_count_bytes_in_64_bits(spark, frame):
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    try:
        assert spark_tally(frame, labels="labels") == Tally.from_texts(TEXTS, SEVERAL)
    finally:
        spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


def test_a_tally_may_be_larger_than_what_the_driver_takes_at_a_time(spark, monkeypatch):
    letters = np.random.default_rng(1).choice(list("abcdefghijklmnopqrstuvwxyz"), (40_000, 12))
    words = ["".join(word) for word in letters.tolist()]
    texts, labels = [" ".join(words[at::20]) for at in range(20)], ["x", "y"] * 10
    frame = spark.createDataFrame([*zip(texts, labels, strict=True)], "text string, label string")
    with taking_at_most(spark, "200k"):
        tally = spark_tally(frame.repartition(3), shards=8, sample=0)
        assert tally == Tally.from_texts(texts, labels)
        monkeypatch.setattr(JobGroup, "rows", lambda jobs, name, rows: jobs.run(name, rows.collect))
        with pytest.raises(EngineError, match=r"larger than the driver allows .*maxResultSize"):
            spark_tally(frame.repartition(3), shards=8, sample=0)


@contextmanager
def taking_at_most(spark, size):
    # Stages look at it when they begin, but sessions cannot be told.
    settings, name = spark.sparkContext._jsc.sc().conf(), "spark.driver.maxResultSize"
    settings.set(name, size)
    try:
        yield
    finally:
        settings.set(name, "1g")


def test_files_are_read_by_the_workers(spark, tmp_path):
    table = pa.table({"body": TEXTS, "topic": LABELS})
    pq.write_table(table, tmp_path / "mails.parquet", row_group_size=7)
    (tmp_path / "more.csv").write_text("body,topic\nsea and sky,x\nbroken\n", encoding="utf-8")
    files = Files([tmp_path / "mails.parquet", tmp_path / "more.csv"], split_bytes=1)
    options = {"text": "body", "labels": "topic"}
    tally = spark_tally(files, **options, on_error="skip")
    assert tally == Tally.from_texts([*TEXTS, "sea and sky"], [*LABELS, "x"])
    assert tally.origin.costs.n_parts == 10
    assert "line 3: 1 fields" in tally.origin.skipped[0]
    with pytest.raises(FileError, match=r"more.csv.*line 3"):
        spark_tally(files, **options)


def test_a_row_that_cannot_be_read_is_an_error_or_skipped(frame):
    holed = frame.selectExpr("if(weight = 1, null, text) as text", "label").coalesce(1)
    with pytest.raises(InputError, match=r"partition 0, row .*: the text is null.*on_error='skip'"):
        spark_tally(holed)
    kept = [at for at, weight in enumerate(WEIGHTS) if weight != 1]
    tally = spark_tally(holed, on_error="skip")
    assert tally == Tally.from_texts([TEXTS[at] for at in kept], [LABELS[at] for at in kept])
    assert tally.origin.n_skipped == len(TEXTS) - len(kept)
    assert tally.origin.skipped[0].startswith("partition 0, row ")


def test_the_error_of_dropped_terms_is_bounded_as_stated(frame):
    exact = Tally.from_texts(TEXTS, LABELS)
    tally = spark_tally(frame.repartition(7), max_terms=8, shards=2)
    assert tally.n_terms <= 8 < exact.n_terms
    assert tally.origin.dropped.bound > 0
    counts = counts_of(exact)
    for term, count in counts_of(tally).items():
        assert counts[term] - tally.origin.dropped.bound <= count <= counts[term]


def counts_of(tally):
    return dict(zip(tally.vocabulary, tally.term_occurrences.tolist(), strict=True))


def test_a_killed_worker_changes_nothing(frame, tmp_path):
    fallen = tmp_path / "fallen"
    tally = spark_tally(with_a_killer(frame, fallen, times=1))
    assert fallen.read_text().split() == ["0"]
    assert tally == Tally.from_texts(TEXTS, LABELS)


def test_a_worker_that_is_always_killed_is_reported(frame, tmp_path):
    fallen = tmp_path / "fallen"
    with pytest.raises(EngineError, match=r"^partition 0 failed 2 times.*exited.*memoryOverhead"):
        spark_tally(with_a_killer(frame, fallen, times=9))
    assert fallen.read_text().split() == ["0", "1"]


def with_a_killer(frame, fallen, times):
    """Kill all Python workers but one in the middle of the first partition, some times."""

    def kill(batches):
        from pyspark import TaskContext

        task = TaskContext.get()
        for batch in batches:
            yield batch
            if task.partitionId() or task.attemptNumber() >= times:
                continue
            with Path(fallen).open("a") as file:
                file.write(f"{task.attemptNumber()} ")
            for status in Path("/proc").glob("[0-9]*/status"):
                if f"PPid:\t{os.getppid()}\n" in status.read_text():
                    pid = int(status.parent.name)
                    if pid != os.getpid():
                        os.kill(pid, signal.SIGKILL)

    return frame.coalesce(1).select("text", "label").mapInArrow(kill, "text string, label string")


def test_what_always_fails_is_named_with_its_reason(frame, tmp_path):
    def fail(*given):
        raise ZeroDivisionError("no way")

    broken = frame.select("text", "label").coalesce(1).mapInArrow(fail, "text string, label string")
    reason = r"ZeroDivisionError: no way \(test_spark.py, line \d+\)"
    with pytest.raises(EngineError, match=reason) as told:
        spark_tally(broken)
    assert "\n" not in str(told.value)
    with pytest.raises(InputError, match="partition 0, row 1: its weight is"):
        spark_tally(frame.coalesce(1), weights="label", planes=[Plane(weighted=True)])
    path = tmp_path / "mails.txt"
    path.write_text("sea and sky\n")
    with pytest.raises(EngineError, match=r"mails.txt' failed.*ZeroDivisionError: no way"):
        [*map_splits(fail, Files([path]).splits(), b"")]


def test_a_function_of_splits_is_run_where_they_are_read(spark, tmp_path, capsys):
    def read(split, shared):
        batches = split.reader(text="text", label=None)
        return shared + " ".join(text for batch in batches for text in batch.strings).encode()

    paths = [tmp_path / f"{name}.txt" for name in "dcba"]
    for path in paths:
        path.write_text(path.stem)
    results = map_splits(read, Files(paths).splits(), b"read ", session=spark)
    assert [*results] == [b"read d", b"read c", b"read b", b"read a"]
    assert [*map_splits(read, [], b"", session=spark)] == []
    assert "working" not in capsys.readouterr().err
    assert len([*map_splits(read, Files(paths).splits(), b"", session=spark, verbose=True)]) == 4
    assert re.search(r"^working: \d of \d tasks", capsys.readouterr().err)


def test_predictions_are_those_of_one_machine(frame, classifier):
    holed = frame.selectExpr("if(weight = 1, null, text) as text", "label as truth", "labels")
    answers = spark_predict(holed, classifier, min_confidence=0.5)
    assert answers.columns == ["text", "truth", "labels", "label", "probability"]
    rows = answers.collect()
    texts = [row.text for row in rows if row.text is not None]
    expected = classifier.predict(texts, min_confidence=0.5)
    assert [row.label for row in rows if row.text is not None] == list(expected)
    assert {row.label for row in rows if row.text is None} == {None}
    with pytest.raises(InputError, match="the DataFrame already has 'label'"):
        spark_predict(frame, classifier)
    with pytest.raises(InputError, match="the names of two columns"):
        spark_predict(frame, classifier, into=("sure",))
    with pytest.raises(ScoreError, match="min_confidence must lie from 0 to 1, not 2"):
        spark_predict(frame, classifier, min_confidence=2)


def test_predictions_of_files_and_of_multi_label_models_are_those_of_one_machine(spark, tmp_path):
    multi_label = TextClassifier("multinomial").fit(TEXTS, SEVERAL)
    path = tmp_path / "mails.parquet"
    pq.write_table(pa.table({"body": TEXTS}), path)
    answers = spark_predict(Files([path]), multi_label, text="body", into=("topics", "sure"))
    assert answers.columns == ["body", "topics", "sure"]
    rows = answers.collect()
    assert [row.body for row in rows] == TEXTS
    assert [sorted(row.topics) for row in rows] == [
        sorted(each) for each in multi_label.predict(TEXTS)
    ]
    assert all(len(row.topics) == len(row.sure) for row in rows)


def test_texts_that_arrow_cannot_hold_get_predictions(spark, classifier, tmp_path):
    path = tmp_path / "mails.jsonl"
    path.write_text('{"text": "sea \\ud800"}\n')
    (row,) = spark_predict(Files([path]), classifier).collect()
    assert (row.text, row.label) == ("sea \\ud800", classifier.predict(["sea \ud800"])[0])


def test_the_report_is_that_of_one_machine(frame, classifier, tmp_path):
    table = frame.select("text", "label")
    (expected,) = {str(spark_evaluate(table.repartition(n), classifier)) for n in (1, 4)}
    path = tmp_path / "mails.parquet"
    pq.write_table(pa.table({"text": TEXTS, "label": LABELS}), path, row_group_size=20)
    assert str(spark_evaluate(Files([path], split_bytes=1), classifier)) == expected
    holed = frame.selectExpr("text", "if(weight = 1, null, label) as label").coalesce(1)
    with pytest.raises(InputError, match=r"partition 0, row .*: the label is null"):
        spark_evaluate(holed, classifier)
    with pytest.warns(UserWarning, match="skipped 12 rows that could not be read"):
        report = spark_evaluate(holed, classifier, on_error="skip")
    assert report.n_documents == 48
    with pytest.raises(InputError, match="labels must name a column"):
        spark_evaluate(table, classifier, labels=None)


def test_wrong_sources_are_refused(spark, frame):
    with pytest.raises(InputError, match=r"a Spark DataFrame or Files, not builtins.list"):
        spark_tally(DOCUMENTS)
    with pytest.raises(FileError, match=r"no column 'texts'.*Did you mean 'text'"):
        spark_tally(frame, text="texts")
    with pytest.raises(FileError, match="'weight' of the DataFrame holds double, not text"):
        spark_tally(frame, text="weight")
    with pytest.raises(InputError, match="has a dot in its name"):
        spark_tally(frame.withColumnRenamed("text", "mail.text"), text="mail.text")
    with pytest.raises(InputError, match="has a backtick in its name"):
        spark_tally(frame.withColumnRenamed("text", "mail`s"), text="mail`s")
    with pytest.raises(InputError, match="has a star for a name"):
        spark_tally(frame.withColumnRenamed("text", "*"), text="*")
    for fan_in in (1, 2.5, "8"):
        with pytest.raises(InputError, match="fan_in must be a whole number of at least 2"):
            spark_tally(frame, fan_in=fan_in)
    with pytest.raises(FileError, match="column 'label' of the DataFrame holds timestamp"):
        spark_tally(frame.selectExpr("text", "now() as label"))
    with pytest.raises(InputError, match="a stream has no end"):
        spark_tally(spark.readStream.format("rate").load().selectExpr("'sea' as text"), labels=None)
    with pytest.raises(InputError, match="user-defined type, VectorUDT"):
        spark_tally(with_vectors(spark), text="text", labels="label")


def with_vectors(spark):
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql.types import StringType, StructType

    schema = StructType().add("text", StringType()).add("label", VectorUDT())
    return spark.createDataFrame([], schema)


def test_an_engine_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(EngineError, match=r"no pyspark: .*pip install 'tallytext\[spark\]'"):
        spark_tally(Files([]))


def test_the_page_does_what_it_says(spark, tmp_path, capsys):
    mails = pa.table({"body": TEXTS, "folder": LABELS})
    (tmp_path / "mails").mkdir()
    pq.write_table(mails, tmp_path / "mails" / "part-0.parquet")
    pa.csv.write_csv(mails, tmp_path / "mails.csv")
    done = {}
    for block in filter(is_python, blocks(ROOT / "docs" / "spark.md", "")):
        # Java's folder is where the session began.
        exec(re.sub(r'"(mails|answers)', rf'"{tmp_path}/\1', block), done)
    assert done["report"].n_documents == len(TEXTS)
    loaded = TextClassifier.load(tmp_path / "mails.tally")
    assert loaded.predict(TEXTS).tolist() == done["classifier"].predict(TEXTS).tolist()
    assert spark.read.parquet(f"{tmp_path}/answers").count() == len(TEXTS)
    assert "accuracy" in capsys.readouterr().out


def is_python(block):
    try:
        ast.parse(block)
    except SyntaxError:
        return False
    return True


def test_progress_is_shown_if_asked_for(frame, capfd):
    assert spark_tally(frame, shards=2, verbose=True) == Tally.from_texts(TEXTS, LABELS)
    told = capfd.readouterr().err
    assert re.search(
        r"^counting: \d+ of \d+ tasks, peak memory of a worker: [1-9]\d*\.\d MiB$", told, re.M
    )
    # Three read what was counted, and four merge, since two shards are put into places by a hash;
    # as many see that these are done, and one that all are.
    assert re.search(r"^merging: \d+ of 12 tasks", told, re.M)


def slowly(frame, begun):
    """The same rows, a minute after a worker has told by a file that it is at work."""

    def wait(batches):
        import time

        begun.touch()
        time.sleep(60)
        yield from batches

    return frame.select("text", "label").mapInArrow(wait, "text string, label string")


def once(begun, action):
    """Do something as soon as a worker is at work, in a thread."""

    def wait():
        while not begun.exists():
            time.sleep(0.01)
        action()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="others are not interrupted"
)
def test_an_interrupt_ends_the_jobs(spark, frame, tmp_path):
    once(tmp_path / "begun", lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        spark_tally(slowly(frame, tmp_path / "begun"))
    tracker = spark.sparkContext.statusTracker()
    for _ in range(200):  # it is told of what happens a moment later
        if not tracker.getActiveJobsIds():
            return
        time.sleep(0.05)
    pytest.fail("jobs go on")


# The last one, after which there is no session.
def test_a_lost_session_is_reported(spark, frame, tmp_path):
    slow = slowly(frame, tmp_path / "begun")
    stopping = once(tmp_path / "begun", spark.stop)
    with pytest.raises(EngineError, match="the Spark session was lost"):
        spark_tally(slow)
    stopping.join()
    with pytest.raises(EngineError, match="the Spark session was stopped"):
        spark_tally(frame)
    with pytest.raises(EngineError, match="there is no Spark session: make one"):
        spark_tally(Files([tmp_path]))
