"""Finding the nearest documents beside scikit-learn's brute force, and term strength."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from benchmarks.corpora import Corpus
from benchmarks.memory_child import peak, resident
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock, on
from tallytext import TextVectorizer
from tallytext._core import InvertedIndex
from tallytext.features import related_pairs, term_strength_from_pairs
from tallytext.models.knn import DocumentIndex

K = 30
ABOUT = f"""The {K} nearest training documents of each held-out document by the cosine of ltc
weights, all words, from the same matrix of weights. scikit-learn searches by brute force; speedups
are relative to its fastest number of threads. The time of tallytext includes indexing the training
documents. Processor: time of all threads together, which is more reliable on a busy machine.
Same neighbours: the share of lists with the same documents, up to equal
similarities. Memory: peak memory of a fresh process during the search, minus its memory after
loading the weights. Term strength: pairs of training documents, 15 related ones each on average,
and the strength of all terms."""
ROOT = Path(__file__).resolve().parents[1]
JOBS = ("NearestNeighbors, 1 thread", "NearestNeighbors, 2 threads", "tallytext, 2 threads")


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    corpus = corpora[0]
    clock.say(f"neighbours, {corpus.name}: counting")
    vectorizer = TextVectorizer()
    train = vectorizer.fit_transform(corpus.texts)
    held_out = vectorizer.transform(corpus.held_out.texts)
    yield _nearest(corpus, train, held_out, clock)
    yield _strength(corpus, train, clock)


def _nearest(corpus: Corpus, train: Any, held_out: Any, clock: Clock) -> Table:
    data = weighed(train, held_out)
    runs = {name: lambda data, name=name: search(name, *data) for name in JOBS}
    seconds = clock.best(f"neighbours, {corpus.name}", on(data, runs), at_most=5)
    processor, found = {}, {}
    for name in JOBS:
        start = time.process_time()
        found[name] = search(name, *data)
        processor[name] = time.process_time() - start
    same = _same(found[JOBS[0]], found[JOBS[2]])
    with TemporaryDirectory() as folder:
        for name, part in zip(("train", "held_out"), (train, held_out), strict=True):
            sparse.save_npz(Path(folder) / name, sparse.csr_matrix(part))
        peaks = [_peak(folder, name) for name in JOBS]
    fastest = min(seconds[name] for name in JOBS[:2])
    rows = [
        (
            name,
            duration(seconds[name]),
            figure(fastest / seconds[name]),
            duration(processor[name]),
            f"{extra / 1e6:.0f} MB",
        )
        for name, extra in zip(JOBS, peaks, strict=True)
    ]
    title = (
        f"{corpus.name}: {held_out.shape[0]:,} documents among {train.shape[0]:,}, "
        f"{train.shape[1]:,} terms; same neighbours: {same:.2%}"
    )
    return Table(title, ("", "time", "times as fast", "processor", "memory"), rows)


def _strength(corpus: Corpus, train: Any, clock: Clock) -> Table:
    contestants = on(train, {"related pairs": related_pairs})
    pairs = related_pairs(train)
    contestants |= on(
        train, {"strengths": lambda counts: term_strength_from_pairs(counts, pairs.pairs)}
    )
    seconds = clock.best(f"term strength, {corpus.name}", contestants, at_most=2)
    title = (
        f"{corpus}: {len(pairs.pairs):,} pairs from a cosine of {pairs.threshold:.3f}, "
        f"{pairs.mean_related:.1f} related documents each"
    )
    return Table(title, ("", "time"), [(name, duration(one)) for name, one in seconds.items()])


def weighed(train: Any, held_out: Any) -> tuple[Any, Any]:
    ready = DocumentIndex(train, "ltc")
    return tuple(sparse.csr_matrix(ready.weigh(part)) for part in (train, held_out))


def search(name: str, weights: Any, queries: Any) -> tuple[Any, Any]:
    """Return similarities and documents of the neighbours."""
    if name.startswith("tallytext"):
        index = InvertedIndex(*_arrays(weights), weights.shape[1])
        return index.nearest(*_arrays(queries), K, 2)[::-1]
    n_jobs = 1 if "1 thread" in name else 2
    model = NearestNeighbors(n_neighbors=K, metric="cosine", algorithm="brute", n_jobs=n_jobs)
    distances, documents = model.fit(weights).kneighbors(queries)
    return 1 - distances, documents


def _arrays(rows: Any) -> tuple[Any, Any, Any]:
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data


def _same(theirs: tuple[Any, Any], ours: tuple[Any, Any]) -> float:
    """Return how many lists are the same; what is equally far as the last may be any of them."""
    alike = 0
    for similarities, other, near, documents in zip(*theirs, *ours, strict=True):
        certain = near > near[-1] + 1e-9
        equal = np.allclose(similarities, near, atol=1e-9)
        alike += equal and {*documents[certain].tolist()} <= {*other.tolist()}
    return alike / len(ours[0])


def _peak(folder: str, name: str) -> int:
    command = [sys.executable, "-m", "benchmarks.neighbours", folder, name]
    return int(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def main() -> None:
    """Print the peak of the extra memory of one search, in bytes."""
    folder, name = sys.argv[1:]
    train, held_out = (sparse.load_npz(Path(folder) / f"{of}.npz") for of in ("train", "held_out"))
    weights = weighed(train, held_out)
    # What is set up on first use is not the search's.
    search(name, weights[0][:50], weights[1][:2])
    before = resident()
    result = search(name, *weights)
    print(max(0, peak() - before))
    del result


if __name__ == "__main__":
    main()
