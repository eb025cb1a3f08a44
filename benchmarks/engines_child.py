"""Runs one contestant in a fresh process; prints what it took as JSON.

Run by the benchmark of engines, as ``python -m benchmarks.engines_child CONTESTANT FOLDER``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.processes import peaks, processor_seconds

TEXT, LABEL = "body", "topic"
N_FEATURES = 1 << 18  # the default of Spark's CountVectorizer


@contextmanager
def two_workers(files: list[str]) -> Iterator[Any]:
    """Start Dask with two processes, and let them import what is needed."""
    import dask.dataframe as dd

    from benchmarks.local_cluster import cluster

    with cluster(2) as client:
        client.run(_import_peers)
        yield client, dd.read_parquet(files)


@contextmanager
def local_spark(files: list[str]) -> Iterator[Any]:
    """Start Spark with two cores, and let it run a job."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "6g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "8",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master("local[2]").appName("benchmark")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        spark.range(1000).selectExpr("sum(id)").collect()
        spark.range(4).repartition(2).mapInArrow(_unchanged, "id long").count()
        yield spark, spark.read.parquet(*files)
    finally:
        spark.stop()


@contextmanager
def nothing(files: list[str]) -> Iterator[Any]:
    yield None, files


def tallytext_on_dask(client: Any, frame: Any) -> Any:
    from tallytext import MultinomialNB
    from tallytext.distributed import dask_tally

    tally = dask_tally(frame, text=TEXT, labels=LABEL, client=client, verbose=False)
    return len(MultinomialNB.from_tally(tally).classes_)


def tallytext_on_spark(spark: Any, frame: Any) -> Any:
    from tallytext import MultinomialNB
    from tallytext.distributed import spark_tally

    tally = spark_tally(frame, text=TEXT, labels=LABEL, session=spark, verbose=False)
    return len(MultinomialNB.from_tally(tally).classes_)


def spark_ml(spark: Any, frame: Any) -> Any:
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import CountVectorizer, StringIndexer, Tokenizer

    stages = [
        Tokenizer(inputCol=TEXT, outputCol="words"),
        CountVectorizer(inputCol="words", outputCol="features"),
        StringIndexer(inputCol=LABEL, outputCol="label"),
        NaiveBayes(),
    ]
    return Pipeline(stages=stages).fit(frame).stages[-1].theta.numRows


def sklearn_on_dask(client: Any, frame: Any) -> Any:
    """Two passes: the words of each partition, then counts of the words of all."""
    import dask

    parts = frame.to_delayed()
    words = dask.compute(*[dask.delayed(_words)(part) for part in parts])
    vocabulary = {word: at for at, word in enumerate(sorted(set().union(*words)))}
    del words
    classes = _classes(frame)
    (sent,) = client.scatter([vocabulary], broadcast=True)
    fitted = [dask.delayed(_fitted)(part, sent, classes) for part in parts]
    return len(_summed(client, fitted).classes_)


def hashing_on_dask(client: Any, frame: Any) -> Any:
    """One pass: words are hashed, so that there is no vocabulary and no name."""
    import dask

    classes = _classes(frame)
    fitted = [dask.delayed(_fitted)(part, None, classes) for part in frame.to_delayed()]
    return len(_summed(client, fitted).classes_)


def sklearn_alone(nobody: None, files: list[str]) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    labels: list[str] = []
    X = CountVectorizer().fit_transform(_texts(files, labels))
    return len(MultinomialNB().fit(X, np.array(labels)).classes_)


CONTESTANTS = {
    "tallytext on Dask": (two_workers, tallytext_on_dask),
    "tallytext on Spark": (local_spark, tallytext_on_spark),
    "Spark ML": (local_spark, spark_ml),
    "Dask, CountVectorizer": (two_workers, sklearn_on_dask),
    "Dask, HashingVectorizer": (two_workers, hashing_on_dask),
    "scikit-learn alone": (nothing, sklearn_alone),
}


def _texts(files: list[str], labels: list[str]) -> Iterator[str]:
    import pyarrow.parquet as pq

    for file in files:
        for batch in pq.ParquetFile(file).iter_batches(4096, use_threads=False):
            labels += batch[LABEL].to_pylist()
            yield from batch[TEXT].to_pylist()


def _classes(frame: Any) -> list[str]:
    import dask

    columns = frame[LABEL].to_delayed()
    return sorted(set().union(*dask.compute(*[dask.delayed(set)(column) for column in columns])))


def _words(part: Any) -> set[str]:
    from sklearn.feature_extraction.text import CountVectorizer

    return set(CountVectorizer().fit(part[TEXT]).vocabulary_)


def _fitted(part: Any, vocabulary: dict[str, int] | None, classes: list[str]) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
    from sklearn.naive_bayes import MultinomialNB

    hashing = HashingVectorizer(n_features=N_FEATURES, alternate_sign=False, norm=None)
    vectorizer = hashing if vocabulary is None else CountVectorizer(vocabulary=vocabulary)
    X = vectorizer.transform(part[TEXT])
    return MultinomialNB().partial_fit(X, part[LABEL], classes=classes)


def _summed(client: Any, fitted: list[Any]) -> Any:
    """Add up models two at a time, on the workers."""
    import dask

    while len(fitted) > 1:
        pairs = zip(fitted[::2], fitted[1::2], strict=False)
        odd = fitted[-1:] if len(fitted) % 2 else []
        fitted = [dask.delayed(_sum)(*pair) for pair in pairs] + odd
    return client.compute(fitted[0]).result()


def _sum(one: Any, other: Any) -> Any:
    one.feature_count_ = one.feature_count_ + other.feature_count_
    one.class_count_ = one.class_count_ + other.class_count_
    one._update_feature_log_prob(1.0)
    one._update_class_log_prior()
    return one


def _unchanged(batches: Iterator[Any]) -> Iterator[Any]:
    yield from batches


def _import_peers() -> None:
    import sklearn.feature_extraction.text
    import sklearn.naive_bayes  # noqa: F401


def _import_all(run: Any) -> None:
    """Import what a contestant needs, so that it is not timed."""
    _import_peers()
    if run in (tallytext_on_dask, tallytext_on_spark):
        from tallytext import MultinomialNB  # noqa: F401
    if run is spark_ml:
        import pyspark.ml.classification
        import pyspark.ml.feature  # noqa: F401


def main() -> None:
    start, run = CONTESTANTS[sys.argv[1]]
    _import_all(run)
    files = sorted(str(path) for path in Path(sys.argv[2]).glob("*.parquet"))
    with start(files) as engine:
        worked, begin = processor_seconds(os.getpid()), perf_counter()
        n_classes = run(*engine)
        found = {
            "seconds": perf_counter() - begin,
            "worked": processor_seconds(os.getpid()) - worked,
            "memory": sum(peaks(os.getpid()).values()),
            "classes": n_classes,
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
