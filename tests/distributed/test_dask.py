"""Counting, prediction and evaluation with Dask equal those of one machine."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import dask
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

import dask_work
from parts import PLANES, partitions
from tallytext import Tally, TextClassifier, TextVectorizer
from tallytext.classifier.evaluation import evaluate_classifier
from tallytext.distributed import (
    Files,
    dask_cluster,
    dask_evaluate,
    dask_predict,
    dask_tally,
    dask_tasks,
)
from tallytext.distributed.dask_cluster import map_splits, translate_errors
from tallytext.distributed.dask_tasks import Partitions, counting_graph, list_partitions
from tallytext.distributed.options import CountingOptions
from tallytext.errors import EngineError, FileError, InputError, ScoreError
from tallytext.evaluation import EvaluationReport
from tallytext.io.batches import Columns

TEXTS = ["sea and sky", "ice, fog", "the sea", "rain in May", "ice again", "fog", "sun", "a sea"]
LABELS = ["x", "y", "x", "z", "y", "y", "z", "x"]


@pytest.fixture(autouse=True)
def here():
    """One after the other in this process, unless a test asks for a cluster."""
    with dask.config.set(scheduler="sync"):
        yield


@pytest.fixture(scope="module")
def cluster():
    # On a busy machine it takes a worker that was killed a while to be back.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "600s"}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
    ):
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(1)
        yield client


def frame(n_partitions=4, texts=TEXTS, labels=LABELS, **more):
    return in_partitions(pd.DataFrame({"text": texts, "label": labels, **more}), n_partitions)


def in_partitions(whole, n_partitions=4):
    # Otherwise Dask makes strings of lists.
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_pandas(whole, npartitions=n_partitions)


def at_once(texts=TEXTS, labels=LABELS):
    return Tally.from_texts(texts, labels)


def counted_at_once(listed, planes=()):
    vectorizer, tally = TextVectorizer(), Tally(planes=planes)
    texts, labels, weights = zip(*listed, strict=True) if listed else ((), (), ())
    X = vectorizer.fit_transform(list(texts))
    given = list(weights) if planes else None
    return tally.learn(X, list(labels), terms=vectorizer.vocabulary_, sample_weight=given)


def bag_of(parts):
    return dask.bag.from_delayed([dask.delayed(part) for part in parts])


# --- the same, however it is spread ---------------------------------------------------------------


@given(partitions(), st.integers(1, 4), st.integers(2, 3))
def test_a_bag_in_any_partitions_is_counted_as_on_one_machine(made, shards, fan_in):
    listed, parts = made
    found = dask_tally(bag_of(parts), weights="weight", planes=PLANES, shards=shards, fan_in=fan_in)
    assert found == counted_at_once(listed, PLANES)


@given(partitions(), st.integers(1, 3))
def test_a_frame_in_any_partitions_is_counted_as_on_one_machine(made, shards):
    listed, parts = made
    names = ["text", "label", "weight"]
    frames = [pd.DataFrame(part, columns=names).astype({"weight": float}) for part in parts]
    with dask.config.set({"dataframe.convert-string": False}):
        source = dd.concat([dd.from_pandas(each, npartitions=1) for each in frames])
    found = dask_tally(source, weights="weight", planes=PLANES, shards=shards)
    assert found == counted_at_once(listed, PLANES)


@given(partitions(), st.integers(1, 6), st.integers(1, 3))
def test_the_error_of_dropped_terms_is_bounded_as_stated(made, max_terms, shards):
    listed, parts = made
    exact = counted_at_once(listed)
    rows = bag_of([[row[:2] for row in part] for part in parts])
    found = dask_tally(rows, max_terms=max_terms, shards=shards, fan_in=2)
    dropped = found.origin.dropped
    assert found.n_terms <= max_terms + shards - 1
    assert exact.n_tokens - found.n_tokens == dropped.n_tokens
    mine = dict(zip(found.vocabulary, found.term_occurrences.tolist(), strict=True))
    for term, true in zip(exact.vocabulary, exact.term_occurrences.tolist(), strict=True):
        assert 0 <= true - mine.get(term, 0) <= dropped.bound


@pytest.mark.parametrize("n_partitions", [1, 3, 9, 70])
def test_many_partitions_are_merged_in_rounds(n_partitions):
    texts, labels = TEXTS * 20, LABELS * 20
    rows = list(zip(texts, labels, strict=True))
    parts = [rows[at::n_partitions] for at in range(n_partitions)]
    found = dask_tally(bag_of(parts), shards=5)
    assert found == at_once(texts, labels)
    assert found.origin.costs.n_parts == n_partitions


def test_the_order_of_everything_is_that_of_one_partition():
    one, many = (dask_tally(frame(n)) for n in (1, 5))
    assert list(one.vocabulary) == list(many.vocabulary)
    assert one.classes == many.classes
    assert (one.origin.texts, one.origin.labels) == (many.origin.texts, many.origin.labels)


def test_threads_count_as_one_does():
    with dask.config.set(scheduler="threads"):
        assert dask_tally(frame()) == at_once()


def test_graphs_are_lean():
    parts = Partitions("rows", [f"partition {at}" for at in range(20_000)], ["source"] * 20_000)
    job = CountingOptions.from_arguments(text="text", labels="label").with_shards(32)
    tree = counting_graph(parts, job, tries=1)
    assert len(tree.tasks) < 2 * 20_000
    assert len(tree.ends) == 32


# --- what documents are in ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        pd.Categorical(LABELS),
        np.array([1, 2] * 4),
        np.array([0.5, 2.0] * 4),
        np.array([True, False] * 4),
        pd.array(LABELS, dtype="string[pyarrow]"),
        pd.Series(["x", 7] * 4, dtype=object),
        pd.Series([1, 2**70] * 4, dtype=object),
        pd.Series([["x"], ["x", "y"], [], ["z"]] * 2, dtype=object),
        pd.array([["x"], [], ["x", "y"], []] * 2, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
        pd.Series([[], []] * 4, dtype=object),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_of_all_types_are_counted(labels):
    wanted = [each.tolist() if isinstance(each, np.ndarray) else each for each in labels]
    assert dask_tally(frame(labels=labels)) == at_once(labels=wanted)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of what Dask calls
def test_integers_stay_integers_where_some_are_missing(tmp_path):
    for name, labels in (("a", [1, 2, 3]), ("b", [1, None, 3])):
        table = pa.table({"text": TEXTS[:3], "label": labels})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    files = Files([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    wanted = dask_tally(files, on_error="skip")
    found = dask_tally(dd.read_parquet(tmp_path), on_error="skip")
    assert found == wanted
    for mine, its in ((found.classes, wanted.classes), (found.origin.labels, wanted.origin.labels)):
        assert list(map(repr, mine)) == list(map(repr, its))


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of what Dask calls
def test_integers_that_became_other_doubles_are_refused(tmp_path):
    table = pa.table({"text": TEXTS[:2], "label": [2**53 + 1, None]})
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"too large.*dtype_backend"):
        dask_tally(dd.read_parquet(tmp_path / "a.parquet"), on_error="skip")
    source = dd.read_parquet(tmp_path / "a.parquet", dtype_backend="pyarrow")
    assert dask_tally(source, on_error="skip").classes == [2**53 + 1]


def test_texts_of_all_types_are_counted():
    for texts in (pd.Categorical(TEXTS), pd.Series(TEXTS, dtype=object), pd.array(TEXTS)):
        assert dask_tally(frame(texts=texts)) == at_once()


def test_texts_that_arrow_cannot_hold_are_counted():
    texts = ["sea \ud800", *TEXTS[1:]]
    assert dask_tally(frame(texts=pd.Series(texts, dtype=object))) == at_once(texts)


def test_partitions_without_rows_or_without_values_are_counted():
    source = frame(2, n=range(8))
    assert dask_tally(source[source.n < 0]) == Tally()
    empty = frame(texts=pd.Series([None] * 8, dtype=object))
    assert dask_tally(empty, on_error="skip").origin.n_skipped == 8


def test_lists_that_dask_made_strings_of_are_refused():
    whole = pd.DataFrame({"text": ["sea", "sky"], "label": [["x", "y"], []]})
    with dask.config.set({"dataframe.convert-string": True}):
        source = dd.from_pandas(whole, npartitions=1)
    with pytest.raises(InputError, match=r"holds \"\['x', 'y'\]\".*convert-string"):
        dask_tally(source)
    assert dask_tally(frame(labels=["[x]"] * 8)).classes == ["[x]"]
    told = dask_tally(frame(labels=["[2020]"] * 8), label_separator="|")
    assert told.classes == ["[2020]"]


@pytest.mark.parametrize(
    "collection",
    [
        *[("x", "y"), (1,), {"x"}, frozenset("x"), [True], [np.str_("x")], [np.int64(1)], []],
        *[np.array([1, 10]), np.array([0.5, 1.0]), np.array(["long name"] * 20), [float("inf")]],
    ],
)
def test_collections_of_all_kinds_that_became_strings_are_refused(collection):
    with dask.config.set({"dataframe.convert-string": True}):
        whole = pd.DataFrame({"text": ["sea"], "label": pd.Series([collection], dtype=object)})
        source = dd.from_pandas(whole, npartitions=1)
    with pytest.raises(InputError, match="Dask has converted a list of labels to a string"):
        dask_tally(source)


@pytest.mark.parametrize(
    "label",
    ["(USA)", "{x}", "[x]", "(2020)", "()", "set()", "set(x)", "array(int)", "don't (do) it"],
)
def test_labels_with_brackets_are_labels(label):
    assert dask_tally(frame(labels=[label] * 8)).classes == [label]


def test_a_pool_of_processes_reports_every_partition(capsys):
    rows = dask.bag.from_sequence(list(zip(TEXTS, LABELS, strict=True)), npartitions=4)
    with dask.config.set(scheduler="processes", num_workers=2):
        found = dask_tally(rows, fan_in=3, shards=1, verbose=True)
    assert found == Tally.from_texts(TEXTS, LABELS)
    told = capsys.readouterr().err
    assert "4 of 4 partitions, 8 documents" in told and "3 of 3 merges" in told


def test_columns_without_names_are_refused(model):
    numbered = dd.from_pandas(pd.DataFrame({0: TEXTS, 1: LABELS}), npartitions=2)
    with pytest.raises(FileError, match=r"no column 'text'\. It has: 0, 1\."):
        dask_tally(numbered)
    with pytest.raises(InputError, match="names of columns must be strings"):
        dask_predict(numbered, model, text=0)


def test_no_other_columns_are_read(tmp_path):
    pd.DataFrame({"text": TEXTS, "label": LABELS, "more": "much " * 9}).to_parquet(
        tmp_path / "documents.parquet"
    )
    source = dd.read_parquet(tmp_path / "documents.parquet")
    parts = list_partitions(source, Columns("text", "label"))
    (made,) = dask.get(parts.graph, parts.sources)
    assert list(made.columns) == ["text", "label"]
    assert "more" not in str(source[["text", "label"]].optimize().expr)
    assert dask_tally(source) == at_once()


def test_a_bag_of_mappings_or_of_strings_is_counted():
    rows = [
        {"body": text, "topic": {label}, "n": 7} for text, label in zip(TEXTS, LABELS, strict=True)
    ]
    found = dask_tally(dask.bag.from_sequence(rows), text="body", labels="topic")
    assert found == at_once()
    found = dask_tally(dask.bag.from_sequence(TEXTS), labels=None)
    assert (found.n_documents, found.n_unlabelled, found.classes) == (8, 8, [])


def test_sets_of_labels_are_listed_in_order():
    rows = [("sea", {"d", "b", "a", "c"}), ("sky", frozenset("ba"))]
    origin = dask_tally(dask.bag.from_sequence(rows)).origin
    assert {*map(tuple, origin.labels)} == {("a", "b", "c", "d"), ("a", "b")}


def test_files_are_counted_where_they_are_read(tmp_path):
    table = pa.table({"text": TEXTS[:6], "label": LABELS[:6]})
    pq.write_table(table, tmp_path / "some.parquet", row_group_size=2)
    rest = [f"{text},{label}\n" for text, label in zip(TEXTS[6:], LABELS[6:], strict=True)]
    (tmp_path / "rest.csv").write_text("text,label\n" + "".join(rest) + "broken\n")
    files = Files([tmp_path / "some.parquet", tmp_path / "rest.csv"], split_bytes=1)
    found = dask_tally(files, on_error="skip")
    assert found == at_once()
    assert (found.origin.costs.n_parts, found.origin.n_skipped) == (4, 1)
    with pytest.raises(FileError, match=r"rest\.csv.*line 4"):
        dask_tally(files)
    assert dask_tally(Files([])) == Tally()


# --- what cannot be read --------------------------------------------------------------------------


def test_a_row_that_cannot_be_read_is_named():
    labels = [*LABELS[:5], None, *LABELS[6:]]
    with pytest.raises(InputError, match=r"cannot read partition 2, row 2: the label is null"):
        dask_tally(frame(labels=labels))
    rows = [("sea", "x"), ("sky", None), (None, "x"), (7, "x"), "sea", {"text": "sea"}]
    with pytest.raises(InputError, match="cannot read partition 0, row 2: the label is null"):
        dask_tally(dask.bag.from_sequence(rows, npartitions=1))


def test_rows_that_cannot_be_read_are_skipped_and_counted():
    rows = [("sea", "x"), ("sky", None), (None, "x"), (7, "x"), "sea", {"text": "sea"}]
    found = dask_tally(dask.bag.from_sequence(rows, npartitions=1), on_error="skip")
    assert (found.n_documents, found.origin.n_skipped) == (1, 5)
    assert "partition 0, row 3: the text is null" in found.origin.skipped
    labels = [*LABELS[:5], None, *LABELS[6:]]
    found = dask_tally(frame(labels=labels), on_error="skip")
    assert (found.n_documents, found.origin.n_skipped) == (7, 1)


def test_wrong_sources_and_options_are_refused():
    with pytest.raises(FileError, match=r"the DataFrame has no column 'body'.*text, label"):
        dask_tally(frame(), text="body")
    with pytest.raises(InputError, match=r"list cannot be read with Dask.*Bag"):
        dask_tally(TEXTS)
    with pytest.raises(InputError, match="fan_in must be a whole number of at least 2"):
        dask_tally(frame(), fan_in=1)
    for wrong in ({"retries": -1}, {"fan_in": 2.5}, {"shards": 0}):
        with pytest.raises(InputError, match=r"must be a whole number of at least \d"):
            dask_tally(frame(), **wrong)
    with pytest.raises(InputError, match=r"must be a distributed\.Client, not str"):
        dask_tally(frame(), client="tcp://127.0.0.1:8786")


def test_without_dask_the_extra_is_named(monkeypatch):
    source = frame()
    monkeypatch.setitem(sys.modules, "dask.dataframe", None)
    with pytest.raises(EngineError, match=r"pip install 'tallytext\[dask\]'"):
        dask_tally(source)
    done = "import sys, tallytext.distributed as d; dir(d); sys.exit('dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", done]).returncode == 0


# --- what fails -----------------------------------------------------------------------------------


def test_local_schedulers_retry_a_partition_that_fails(monkeypatch, tmp_path):
    def unsteady(*given):
        if dask_work.times_before(tmp_path, "failed") < 2:
            raise OSError("the disk is gone")
        return reading(*given)

    reading = dask_tasks.read_partition
    monkeypatch.setattr(dask_tasks, "read_partition", unsteady)
    with pytest.raises(EngineError, match=r"partition \d failed: OSError: the disk is gone"):
        dask_tally(frame(), retries=1)
    assert dask_tally(frame()) == at_once()


def test_errors_of_a_pool_of_processes_have_no_remote_traceback():
    remote = pytest.importorskip("dask.multiprocessing").remote_exception
    with pytest.raises(InputError) as caught, translate_errors():
        raise remote(InputError("row 7 is bad"), "Traceback ...")
    assert str(caught.value) == "row 7 is bad"


def test_a_cluster_counts_as_one_machine_does(client, capsys):
    assert dask_tally(frame(7), client=client, verbose=True) == at_once()
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith("Counting: ")
    assert "partitions, 8 documents" in told
    assert "peak memory of a worker: " in told


@pytest.mark.parametrize("times", [2, 99])
def test_a_cluster_retries_a_partition_that_fails(client, tmp_path, times):
    source = frame(8).map_partitions(dask_work.failing, str(tmp_path), times, meta=frame()._meta)
    if times == 2:
        assert dask_tally(source, client=client) == at_once()
        return
    with pytest.raises(EngineError, match=r"partition [15] failed: OSError: the disk is gone"):
        dask_tally(source, client=client)


def test_a_cluster_stores_nothing_after_the_work(client, cluster):
    dask_tally(frame(7), client=client, shards=3)
    while cluster.scheduler.tasks:
        time.sleep(0.05)


@pytest.mark.parametrize("what", ["tally", "splits", "model"])
def test_waiting_for_workers_has_a_limit(monkeypatch, model, tmp_path, what):
    (tmp_path / "some.txt").write_text("sea")
    splits = Files([tmp_path / "some.txt"]).splits()
    waits = {
        "tally": lambda client: dask_tally(frame(), client=client),
        "splits": lambda client: list(map_splits(reading, splits, b"", client=client)),
        "model": lambda client: dask_evaluate(frame(), model, client=client),
    }
    reading = dask_work.n_characters
    monkeypatch.setattr(dask_cluster, "MAX_GRAPH_BYTES", 1)
    monkeypatch.setattr(dask_cluster, "WORKER_TIMEOUT", 0.2)
    monkeypatch.setattr(dask_cluster, "_SECONDS_BETWEEN_CHECKS", 0.1)
    options = {"n_workers": 0, "processes": False, "dashboard_address": ":0"}
    with (
        LocalCluster(**options) as alone,
        Client(alone, set_as_default=False) as client,
        pytest.warns(UserWarning, match="has no worker: waiting up to 0 seconds for one"),
        pytest.raises(EngineError, match="no worker for 0 seconds"),
    ):
        waits[what](client)


@pytest.mark.parametrize("is_heard", [True, False])
def test_a_bad_row_on_a_cluster_is_named_and_not_retried(
    client, model, monkeypatch, tmp_path, is_heard
):
    if not is_heard:
        monkeypatch.setattr(dask_cluster.EventListener, "receive", lambda listener, event: None)
    rows = [dask_work.Noted(text="sea", label=label, folder=str(tmp_path)) for label in ("x", None)]
    source = bag_of([rows[:1], rows])
    for work in (dask_tally, partial(dask_evaluate, model=model)):
        with pytest.raises(InputError, match=r"cannot read partition 1, row 2: the label is null"):
            work(source, client=client)
    assert len(list(tmp_path.glob("read-*"))) == 2


def test_a_bad_row_ends_the_work_at_once(client, cluster, tmp_path):
    rows = bag_of([[("sea", None)], [("sky", "x")]]).map_partitions(
        dask_work.slow_sky, str(tmp_path)
    )
    try:
        with pytest.raises(InputError, match="the label is null"):
            dask_tally(rows, client=client)
        assert not (tmp_path / "enough").exists()
    finally:
        (tmp_path / "enough").touch()
    while cluster.scheduler.tasks:
        time.sleep(0.05)


@pytest.mark.parametrize("problem", [OSError("no disk"), None])
def test_a_file_is_read_again_where_the_disk_was_gone(problem):
    tries = []

    def reading():
        tries.append(1)
        raise FileError("cannot read") from problem

    with pytest.raises(FileError, match="cannot read"):
        dask_tasks.run_with_retries(reading, 3, "a file", False)
    assert len(tries) == (1 if problem is None else 3)


def test_retries_of_a_cluster_start_at_the_first_row(client, tmp_path):
    listed = list(zip(TEXTS, LABELS, strict=True))
    rows = dask.bag.from_sequence(listed, npartitions=3)
    source = rows.map_partitions(dask_work.once, str(tmp_path))
    assert dask_tally(source, client=client) == at_once()
    assert len(list(tmp_path.glob("read-*"))) == 4


def test_retries_of_local_schedulers_start_at_the_first_row(monkeypatch, tmp_path):
    def unsteady(reader, kind, source, columns):
        yield from reading(reader, kind, source, columns)
        if not dask_work.times_before(tmp_path, "failed"):
            raise OSError("the disk is gone")

    reading = dask_tasks.read_partition
    monkeypatch.setattr(dask_tasks, "read_partition", unsteady)
    listed = list(zip(TEXTS, LABELS, strict=True))
    rows = dask.bag.from_sequence(listed, npartitions=3).map_partitions(iter)
    assert dask_tally(rows) == at_once()


def test_ctrl_c_cancels_the_tasks(client, cluster, monkeypatch, tmp_path):
    def interrupted(futures):
        while not (tmp_path / "begun").exists():
            time.sleep(0.05)
        raise KeyboardInterrupt

    monkeypatch.setattr(dask_cluster, "_are_done", interrupted)
    rows = dask.bag.from_sequence([("sea", "x")]).map_partitions(dask_work.slow, str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        dask_tally(rows, client=client)
    (tmp_path / "enough").touch()
    while cluster.scheduler.tasks:
        time.sleep(0.05)


ALONE = """
import sys
from distributed import LocalCluster
options = {"processes": False, "protocol": "tcp://", "dashboard_address": ":0"}
with LocalCluster(n_workers=1, **options) as cluster:
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


def test_a_lost_scheduler_is_an_error_and_no_wait(tmp_path):
    found_by = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", ALONE], env=found_by, **pipes)
    rows = dask.bag.from_sequence([("sea", "x")]).map_partitions(dask_work.slow, str(tmp_path))

    def kill():
        while not (tmp_path / "begun").exists():
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)

    killing = threading.Thread(target=kill, daemon=True)
    with process, Client(process.stdout.readline().strip(), timeout=1) as lost:
        killing.start()
        with pytest.raises(EngineError, match=r"the cluster was lost.*run it again"):
            dask_tally(rows, client=lost)


# --- answers --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    return TextClassifier("multinomial").fit(TEXTS, LABELS)


def test_predictions_are_those_of_one_machine(model, client, monkeypatch):
    source = in_partitions(pd.DataFrame({"text": [*TEXTS, None], "id": range(9)}), 3)
    wide = dask_predict(source, model)
    assert list(wide.columns) == ["text", "id", "label", "probability"]
    wanted = [*model.predict(TEXTS), None]
    sure = model.predict_proba(TEXTS).max(axis=1)
    monkeypatch.setattr(dask_cluster, "MAX_GRAPH_BYTES", 0)
    sent = dask_predict(source, model, client=client)
    for found in (wide.compute(), client.compute(sent).result()):
        assert found["label"].astype(object).where(found["label"].notna(), None).tolist() == wanted
        assert np.array_equal(found["probability"][:8].to_numpy(float), sure)
        assert (found.dtypes == wide.dtypes).all()


def test_multi_label_predictions_are_lists():
    multi_label = [["x", "y"], ["y"], ["x"], []] * 2
    model = TextClassifier("multinomial").fit(TEXTS, multi_label)
    found = dask_predict(frame(labels=multi_label), model, into=("told", "sure")).compute()
    assert list(map(sorted, found["told"])) == list(map(sorted, model.predict(TEXTS)))
    assert list(map(len, found["sure"])) == list(map(len, found["told"]))


def test_a_bag_becomes_one_of_dicts(model):
    given = ["the sea", ("fog", "y"), {"text": "sun", "id": 7}, None, {"text": float("nan")}]
    found = dask_predict(dask.bag.from_sequence(given), model, into=("told", "sure")).compute()
    assert [row["told"] for row in found] == ["x", "y", "z", None, None]
    assert found[2].keys() == {"text", "id", "told", "sure"}


def test_a_bag_on_a_cluster_can_be_kept_and_read_again(model, client):
    wanted = list(model.predict(TEXTS))
    found = dask_predict(dask.bag.from_sequence(TEXTS, npartitions=3), model, client=client)
    assert [row["label"] for row in client.compute(found).result()] == wanted
    kept = client.persist(found)
    assert [client.compute(kept.count()).result() for _ in range(2)] == [8, 8]
    kept = found.persist()
    assert [kept.count().compute() for _ in range(2)] == [8, 8]


def test_texts_that_arrow_cannot_hold_get_labels(model):
    texts = pd.Series(["sea \ud800", *TEXTS[1:]], dtype=object)
    found = dask_predict(frame(texts=texts)[["text"]], model).compute()
    assert found["label"].tolist() == list(model.predict(texts.tolist()))


def test_models_and_sources_of_other_kinds_are_refused(model):
    for work in (dask_predict, dask_evaluate):
        with pytest.raises(InputError, match=r"TextClassifier\.load\('mails\.tally'\) reads one"):
            work(frame(), "mails.tally")
    with pytest.raises(InputError, match=r"a Dask DataFrame or a Bag, not Files: .*--engine dask"):
        dask_predict(Files([]), model)
    with pytest.raises(InputError, match="on_error must be 'fail' or 'skip', not 'skipp'"):
        dask_evaluate(frame(), model, on_error="skipp")
    with pytest.raises(InputError, match="retries must be a whole number of at least 0"):
        dask_evaluate(frame(), model, retries=-1)
    with pytest.raises(ScoreError, match="min_confidence must lie from 0 to 1, not 2"):
        dask_predict(frame(), model, min_confidence=2)


def test_existing_columns_are_not_overwritten(model):
    with pytest.raises(InputError, match="already has 'text'"):
        dask_predict(dask.bag.from_sequence(["sea"]), model, into=("text", "p")).compute()
    with pytest.raises(InputError, match=r"the DataFrame already has 'label'.*into="):
        dask_predict(frame(), model)
    with pytest.raises(InputError, match="a row already has 'label'"):
        dask_predict(dask.bag.from_sequence([{"text": "sea", "label": 1}]), model).compute()
    with pytest.raises(InputError, match="names of two columns"):
        dask_predict(frame(), model, into=("told",))
    with pytest.raises(FileError, match="no column 'body'"):
        dask_predict(frame(), model, text="body")


def report(model, texts, labels):
    return EvaluationReport.from_evaluation(evaluate_classifier(model, [(texts, labels)]))


@pytest.mark.parametrize("n_partitions", [1, 20])
def test_evaluation_is_that_of_one_machine(model, n_partitions, capsys):
    texts, labels = TEXTS * 5, [*LABELS, *"zzyx", *LABELS[4:]] * 2 + LABELS
    wanted = report(model, texts, labels)
    rows = list(zip(texts, labels, strict=True))
    parts = [rows[at::n_partitions] for at in range(n_partitions)]
    assert str(dask_evaluate(bag_of(parts), model, verbose=True)) == str(wanted)
    told = f"Evaluating: {n_partitions} of {n_partitions} partitions, 40 documents"
    assert told in capsys.readouterr().err


def test_a_cluster_evaluates_as_one_machine_does(model, client, monkeypatch):
    monkeypatch.setattr(dask_cluster, "MAX_GRAPH_BYTES", 0)
    labels = [*LABELS[:5], None, *LABELS[6:]]
    wanted = report(model, TEXTS[:5] + TEXTS[6:], LABELS[:5] + LABELS[6:])
    with pytest.warns(
        UserWarning, match=r"skipped 1 row that could not be read.*partition 2, row 2"
    ):
        found = dask_evaluate(frame(labels=labels), model, on_error="skip", client=client)
    assert str(found) == str(wanted)


# --- splits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("on_cluster", [False, True])
def test_results_of_splits_come_in_order(request, tmp_path, on_cluster):
    for at in range(5):
        (tmp_path / f"{at}.txt").write_text("sea\n" * at)
    splits = Files(sorted(tmp_path.iterdir())).splits()
    client = request.getfixturevalue("client") if on_cluster else None
    found = map_splits(dask_work.n_characters, splits, b"all", client=client, in_flight=2)
    assert list(found) == [(3 * at, b"all") for at in range(5)]
    with pytest.raises(EngineError, match=r"\d\.txt' failed: OSError: the disk is gone"):
        list(map_splits(dask_work.broken, splits, b"", client=client, retries=0))


# --- last, since workers begin anew ---------------------------------------------------------------


def test_a_worker_that_is_killed_changes_nothing(client, tmp_path):
    source = frame(8).map_partitions(dask_work.dying, str(tmp_path), 1, meta=frame()._meta)
    assert dask_tally(source, client=client, fan_in=2, shards=3) == at_once()
    assert len(list(tmp_path.glob("died-*"))) > 1


def test_workers_that_die_again_and_again_are_an_error_with_a_remedy(client, cluster, tmp_path):
    cluster.scheduler.allowed_failures = 0
    source = frame(1).map_partitions(dask_work.dying, str(tmp_path), 9, meta=frame()._meta)
    try:
        with pytest.raises(EngineError, match=r"1 workers died.*memory.*allowed-failures"):
            dask_tally(source, client=client)
    finally:
        cluster.scheduler.allowed_failures = 3
