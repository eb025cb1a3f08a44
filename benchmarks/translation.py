"""Translations of words and phrases: what they cost, and what they look like."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from scipy import sparse

from benchmarks.corpora import load
from benchmarks.memory_child import peak, resident
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock, on
from tallytext import TextVectorizer
from tallytext.io import strip_headers, strip_post
from tallytext.semantic import Phrases, TranslationModel
from tallytext.semantic.estimation import translation_rows

FOLDER = True
ABOUT = """A row for each word: the words that are more frequent in its documents than the
background explains. The training texts of 20ng_bydate without headers, footers and quotes, as
scikit-learn's loader removes them; words of two documents or more. The peer multiplies the matrix
of document-word incidence by that of the counts, with SciPy in blocks of 512 words, and solves row
by row with NumPy. From text: `TranslationModel.fit`. Memory: peak memory of a fresh process, minus
its memory after loading counts or texts. Then the first words of three rows, learned from
20ng_orig19997 without headers and English stop words, phrases by Xtract, next to those that Zhou,
Zhang and Hu published for their 20 Newsgroups (with another preparation, which they do not
describe)."""
ROOT = Path(__file__).resolve().parents[1]
PEER = "SciPy and NumPy"
TEXTS = "texts.jsonl"
PUBLISHED = {
    "space program": "space .101, program .071, nasa .048, shuttle .043, astronaut .041, "
    "launch .040, mission .038, flight .037, earth .037, moon .035, orbit .032, satellite .031",
    "space": "space .245, shuttle .057, launch .053, flight .042, air .035",
    "program": "program .193, washington .026, congress .026, administration .024",
}
SETTINGS: dict[str, dict[str, Any]] = {
    "β = .5": {},
    "log counts, β = .8": {"counts": "log", "beta": 0.8},
}


def measure(folder: Path, clock: Clock) -> Iterator[Table]:
    corpus = load(folder)[0]
    clock.say(f"translation, {corpus.name}: reading")
    texts = [strip_post(text) for text in corpus.texts]
    with TemporaryDirectory() as temporary:
        yield _costs(corpus.name, texts, clock, Path(temporary))
    path = folder / "20ng_orig19997.parquet"
    if path.is_file():
        yield _examples(path, clock)


def _costs(name: str, texts: list[str], clock: Clock, folder: Path) -> Table:
    with (folder / TEXTS).open("w") as lines:
        lines.writelines(json.dumps(text) + "\n" for text in texts)
    counts = _counted(texts)
    times = clock.best(f"translation, {name}", on(counts, FROM_COUNTS), at_most=3)
    times |= clock.best(f"translation, {name}", on(texts, FROM_TEXTS), at_most=3)
    rows = [
        (job, duration(time), figure(times[PEER] / time), f"{_peak(folder, job) / 1e6:,.0f} MB")
        for job, time in times.items()
    ]
    entries = translation_rows(*counts, n_threads=2).nnz
    title = f"{name}: {len(texts):,} documents, {counts[0].shape[1]:,} words, {entries:,} entries"
    return Table(title, ("", "time", "times as fast", "peak extra memory"), rows)


def _examples(path: Path, clock: Clock) -> Table:
    posts = pq.read_table(path, columns=["text"])["text"].to_pylist()
    texts = [strip_headers(post) for post in posts]
    rows = {signature: [words] for signature, words in PUBLISHED.items()}
    for name, settings in SETTINGS.items():
        clock.say(f"translation, 20ng_orig19997: {name}")
        model = TranslationModel(
            ["words", Phrases("xtract", stop_words="english")],
            vectorizer=TextVectorizer(stop_words="english", min_df=2),
            **settings,
        ).fit(texts)
        for signature, cells in rows.items():
            cells.append(_words(model, signature, cells[0].count(",") + 1))
    columns = ("", "published", *SETTINGS)
    return Table("First words of rows", columns, [(name, *cells) for name, cells in rows.items()])


def _words(model: TranslationModel, signature: str, n: int) -> str:
    if signature not in model.signatures_:
        return "no row"
    found = model.explain(signature, n)
    return ", ".join(f"{word} {probability:.3f}".replace(" 0", " ") for word, probability in found)


# ------------------------------------------------------------------------- what is measured


def _counted(texts: list[str]) -> tuple[Any, Any]:
    counts = sparse.csr_array(TextVectorizer(min_df=2).fit_transform(texts), dtype=np.float64)
    counts.sum_duplicates()
    return counts, counts.sum(axis=0) / counts.sum()


def by_product(counts: Any, background: Any, beta: float = 0.5) -> Any:
    """Return the rows by means of SciPy's products and NumPy."""
    holds = sparse.csr_array(counts.astype(bool).T, dtype=np.float64)
    rows = []
    for first in range(0, holds.shape[0], 512):
        block = sparse.csr_array(holds[first : first + 512] @ counts)
        for start, end in pairwise(block.indptr):
            own = block.indices[start:end], block.data[start:end]
            rows.append(_solved(*own, background, beta / (1 - beta)))
    starts = np.append(0, np.cumsum([len(words) for words, _ in rows]))
    words, shares = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    made = sparse.csr_array((shares, words, starts), shape=(holds.shape[0], counts.shape[1]))
    made.sort_indices()
    return made


def _solved(words: Any, counts: Any, background: Any, k: float) -> tuple[Any, Any]:
    stays = np.zeros(len(words), bool)
    while not stays.all():
        expected = background[words]
        mu = counts.sum() / (1 + k * expected.sum())
        stays = counts > k * mu * expected
        words, counts = words[stays], counts[stays]
    shares = counts / mu - k * background[words]
    words, shares = words[shares >= 0.0001], shares[shares >= 0.0001]
    if len(words) > 1000:
        best = np.lexsort((words, -shares))[:1000]
        words, shares = words[best], shares[best]
    return words, shares / shares.sum()


def _native(n_threads: int) -> Callable[[Any], Any]:
    return lambda data: translation_rows(*data, n_threads=n_threads)


def _from_text(n_jobs: int) -> Callable[[Any], Any]:
    vectorizer = TextVectorizer(min_df=2, n_jobs=n_jobs)
    return lambda texts: TranslationModel(vectorizer=vectorizer, n_jobs=n_jobs).fit(texts)


FROM_COUNTS = {
    PEER: lambda data: by_product(*data),
    "translation_rows, 1 thread": _native(1),
    "translation_rows, 2 threads": _native(2),
}
FROM_TEXTS = {
    "from text, 1 thread": _from_text(1),
    "from text, 2 threads": _from_text(2),
}


def _peak(folder: Path, job: str) -> int:
    command = [sys.executable, "-m", "benchmarks.translation", str(folder), job]
    return int(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def main() -> None:
    """Print the peak of the extra memory of one job, in bytes."""
    folder, job = sys.argv[1:]
    with (Path(folder) / TEXTS).open() as lines:
        texts = [json.loads(line) for line in lines]
    data = _counted(texts) if job in FROM_COUNTS else texts
    run = (FROM_COUNTS | FROM_TEXTS)[job]
    # What is set up on first use is not the job's.
    run(_counted(texts[:20]) if job in FROM_COUNTS else texts[:20])
    before = resident()
    result = run(data)
    print(max(0, peak() - before))
    del result


if __name__ == "__main__":
    main()
