"""The default of ``TextClassifier`` beside linear support vector machines, and while it learns."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pyarrow.parquet as pq
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

from benchmarks import several_labels, single_label
from benchmarks.corpora import Corpus, Documents, FolderAndPeers
from benchmarks.tables import Table, duration
from benchmarks.timing import Clock, on
from tallytext import TextClassifier
from tallytext.io import load_corpus

PEERS = True
MODEL = "auto"
ABOUT = """`TextClassifier()` compared with `LinearSVC` on tf-idf with logarithmic counts: of words
and pairs of words, a pipeline of two lines, and of these with strings of two to four
characters inside words. The cost of LinearSVC is chosen from .1, .3, 1, 3 and 10 by three-fold
cross-validation on the training documents, on at most 20,000 of them for words and pairs and 2,500
with strings; `TextClassifier` has its own selection. No choice uses held-out documents. The corpora
20ng_orig19997 (From, Subject and body), webkb (the text of four kinds of pages) and
korean_news8_1600 hold out a random half, debian_sections a fifth of its sources, the others their
test documents; documents have one label. Accuracy in percent, differences in points. Time is that
of training from a list of str: LinearSVC with its default cost and TextClassifier with all its
selection take turns; the search for the cost is in seconds of one processor.

1,000 labels: means of three stratified samples. The pool is the texts of all
other training documents. Several labels: micro-F1 of one LinearSVC per label, cost chosen on a
third of at most 2,500 training documents, and of one LogisticRegression per label with the
threshold 0.2, both on words and pairs; ModApte's split of Reuters-21578 with 90 topics, that of
OHSUMED, and tags of 8,000 packages, a fifth of the sources held out.

Learning: a random half of the training documents is trained on, the others are learned one by one,
and then the classifier settles. Forgetting: a random tenth is forgotten one by one, compared with
training without it. Time per document is the median, from text to an updated model. Growth:
packages and headlines together, 65 classes. Expected F1 is that of the report, with random splits,
70 % for training; half is trained on, the rest learned in batches of 100, and a
tenth of all forgotten."""

PAIRS, STRINGS = "words, pairs", "words, pairs, strings"
ONE_PER_LABEL = "one model per label"
COSTS = (0.1, 0.3, 1.0, 3.0, 10.0)
FOLDS = 3
#: Largest number of training documents that the cost of a peer is chosen on.
MAX_SEARCHED = {PAIRS: 20_000, STRINGS: 2_500}
FEW_LABELS, DRAWS = 1_000, 3
LEARNED = ("20ng_bydate", "ag_news_20k", "klue_ynat", "debian_sections")
SMALL, LARGE, N_TIMED = 10_000, 100_000, 500
BATCH = 100
N_TAGGED = 8_000


def measure(inputs: FolderAndPeers, clock: Clock) -> Iterator[Table]:
    peers = PeerFigures(inputs.peers)
    corpora = _load(inputs, (*single_label.NAMES, *single_label.HALVED))
    if not corpora:
        return
    rows = [_whole(corpus, peers, clock) for corpus in corpora]
    yield _accuracy_table(rows)
    large = [corpus for corpus in corpora if len(corpus.texts) > FEW_LABELS]
    if large:
        yield _few_labels_table([_few(corpus, peers, clock) for corpus in large])
    several = [_several(corpus, peers, clock) for corpus in _load_several(inputs)]
    if several:
        columns = ("", "LinearSVC", "LogisticRegression", "default", "less LinearSVC", "chosen")
        yield Table("Several labels, micro-F1", (*columns, "LinearSVC", "default"), several)
    changing = [corpus for corpus in corpora if corpus.name in LEARNED]
    columns = ("", "half", "all at once", "one by one", "settled", "a document", "settling")
    rows = [_learning(corpus, clock) for corpus in changing]
    yield Table("Learning half of the documents one by one, accuracy", columns, rows)
    columns = ("", "all", "without a tenth", "forgotten", "settled", "a document")
    rows = [_forgetting(corpus, clock) for corpus in changing]
    yield Table("Forgetting a tenth of the documents one by one, accuracy", columns, rows)
    if growth := _growth(inputs, clock):
        yield Table("Growth", ("documents kept", "learning one", "forgetting one"), growth)
    rows = [row for corpus in _dealt(inputs) for row in _expected(corpus, clock)]
    if rows:
        columns = ("", "documents", "expected", "found", "difference")
        yield Table("Expected and found micro-F1", columns, rows)


def _load(inputs: FolderAndPeers, names: Sequence[str]) -> list[Corpus]:
    """Read corpora; with a limit, that many documents of each half."""
    corpora = list(single_label.load(inputs.folder, names))
    if (n := inputs.documents) is None:
        return corpora
    return [
        replace(each, train=sampled(each.train, n, 0), held_out=sampled(each.held_out, n, 0))
        for each in corpora
    ]


# ------------------------------------------------------------------------- accuracy


def _whole(corpus: Corpus, peers: PeerFigures, clock: Clock) -> tuple[Any, ...]:
    clock.say(f"{corpus.name}: LinearSVC, words and pairs")
    pairs = peers.get(peer_key(corpus, PAIRS), lambda: svc_figures(corpus, PAIRS))
    clock.say(f"{corpus.name}: LinearSVC, strings too")
    strings = peers.get(peer_key(corpus, STRINGS), lambda: svc_figures(corpus, STRINGS))
    clock.say(f"{corpus.name}: TextClassifier")
    classifier = TextClassifier(MODEL).fit(*corpus.train)
    contestants = on(corpus.train, {"LinearSVC": _two_lines, "default": _default})
    theirs, ours = clock.best(corpus.name, contestants, at_most=2).values()
    accuracies = pairs["accuracy"], strings["accuracy"], classifier.score(*corpus.held_out)
    times = duration(theirs), duration(pairs["search_seconds"]), duration(ours)
    return corpus.name, accuracies, _chosen(classifier), (*times, f"{theirs / ours:.2f}")


def _two_lines(documents: Documents) -> Any:
    with _quiet():
        return make_pipeline(tfidf_vectorizer(PAIRS), LinearSVC()).fit(*documents)


def _default(documents: Documents) -> TextClassifier:
    return TextClassifier(MODEL).fit(*documents)


def _chosen(classifier: TextClassifier) -> str:
    report = classifier.report()
    return report.setting if report.setting.startswith(report.learner) else report.learner


def _accuracy_table(rows: Sequence[tuple[Any, ...]]) -> Table:
    means = np.mean([accuracies for _, accuracies, *_ in rows], axis=0)
    cells = [(name, *_beside(*found), chosen, *times) for name, found, chosen, times in rows]
    cells.append(("mean", *_beside(*means), *[""] * 5))
    columns = ("", PAIRS, STRINGS, "default", "less pairs", "less strings", "chosen")
    times = ("two lines", "cost chosen", "default", "times as fast")
    return Table("Accuracy, and training from text", (*columns, *times), cells)


def _beside(pairs: float, strings: float, ours: float) -> tuple[str, ...]:
    shares = [f"{100 * each:.2f}" for each in (pairs, strings, ours)]
    return *shares, _points(ours - pairs), _points(ours - strings)


def _points(difference: float) -> str:
    return f"{100 * difference:+.2f}"


def _few(corpus: Corpus, peers: PeerFigures, clock: Clock) -> tuple[str, list[float]]:
    """Return accuracies with few labels: of the peers, of the default, and of it with a pool."""
    found = []
    for draw in range(DRAWS):
        clock.say(f"{corpus.name}: {FEW_LABELS:,} labels, draw {draw + 1} of {DRAWS}")
        few, pool = few_labels(corpus, draw)
        theirs = [
            peers.get(peer_key(few, peer, draw), partial(svc_figures, few, peer))
            for peer in (PAIRS, STRINGS)
        ]
        alone = TextClassifier(MODEL).fit(*few.train)
        pooled = TextClassifier(MODEL).fit(*few.train, unlabelled=pool)
        ours = [each.score(*few.held_out) for each in (alone, pooled)]
        found.append([*(each["accuracy"] for each in theirs), *ours])
    return corpus.name, np.mean(found, axis=0).tolist()


def _few_labels_table(rows: Sequence[tuple[str, list[float]]]) -> Table:
    means = np.mean([found for _, found in rows], axis=0).tolist()
    cells = []
    for name, (pairs, strings, alone, pooled) in [*rows, ("mean", means)]:
        shares = *_beside(pairs, strings, alone), f"{100 * pooled:.2f}"
        cells.append((name, *shares, _points(pooled - alone)))
    columns = ("", PAIRS, STRINGS, "default", "less pairs", "less strings")
    return Table("1,000 labels", (*columns, "default with a pool", "by the pool"), cells)


# ------------------------------------------------------------------------- several labels


def _load_several(inputs: FolderAndPeers) -> Iterator[Corpus]:
    """Yield documents with several labels, by the usual split or one by source."""
    for name, split in (("reuters21578", "modapte-90"), ("ohsumed", None)):
        if (inputs.folder / several_labels.FILES[name]).is_file():
            whole = load_corpus(name, folder=inputs.folder, split=split, download=False)
            yield _limited(name, zip(whole.texts, whole.labels, whole.splits, strict=True), inputs)
    path = inputs.folder / several_labels.FILES["debian tags"]
    if path.is_file():
        table = pq.read_table(path, columns=["text", "tags", "source"])
        splits = single_label.hashed_splits(table["source"].to_pylist(), 5)
        tags = table["tags"].to_pylist()
        tagged = [row for row, own in enumerate(tags) if own]
        rows = np.random.default_rng(0).permutation(tagged)[:N_TAGGED].tolist()
        texts = table["text"].to_pylist()
        yield _limited("debian tags", ((texts[i], tags[i], splits[i]) for i in rows), inputs)


def _limited(
    name: str, rows: Iterable[tuple[str, list[str], str]], inputs: FolderAndPeers
) -> Corpus:
    listed = list(rows)
    parts = [
        [(text, labels) for text, labels, split in listed if split == part][: inputs.documents]
        for part in ("train", "test")
    ]
    train, held_out = (Documents([t for t, _ in part], [y for _, y in part]) for part in parts)
    return Corpus(name, train, held_out)


def _several(corpus: Corpus, peers: PeerFigures, clock: Clock) -> tuple[str, ...]:
    clock.say(f"{corpus.name}: one model per label")
    theirs = peers.get(peer_key(corpus, ONE_PER_LABEL), lambda: multi_label_figures(corpus))
    clock.say(f"{corpus.name}: TextClassifier")
    start = time.process_time()
    classifier = TextClassifier(MODEL, multi_label=True).fit(*corpus.train)
    seconds = time.process_time() - start
    ours = classifier.score(*corpus.held_out)
    shares = [f"{100 * each:.2f}" for each in (theirs["svc"], theirs["regression"], ours)]
    times = duration(theirs["seconds"]), duration(seconds)
    return corpus.name, *shares, _points(ours - theirs["svc"]), _chosen(classifier), *times


# ------------------------------------------------------------------------- learning, forgetting


def _learning(corpus: Corpus, clock: Clock) -> tuple[str, ...]:
    documents, held_out = _shuffled(corpus.train), corpus.held_out
    half = len(documents.texts) // 2
    clock.say(f"{corpus.name}: training at once")
    once = TextClassifier(MODEL).fit(*documents).score(*held_out)
    classifier = TextClassifier(MODEL).fit(*documents.first(half))
    first = classifier.score(*held_out)
    clock.say(f"{corpus.name}: learning one by one")
    seconds = _seconds_each(classifier.learn, _from(documents, half))
    learned = classifier.score(*held_out)
    clock.say(f"{corpus.name}: settling")
    settled, settling = _settled(classifier, held_out)
    shares = [f"{100 * each:.2f}" for each in (first, once)]
    after = _difference(learned, once), _difference(settled, once)
    return corpus.name, *shares, *after, duration(float(np.median(seconds))), settling


def _forgetting(corpus: Corpus, clock: Clock) -> tuple[str, ...]:
    documents, held_out = _shuffled(corpus.train), corpus.held_out
    tenth = len(documents.texts) // 10
    clock.say(f"{corpus.name}: training without a tenth")
    without = TextClassifier(MODEL).fit(*_from(documents, tenth)).score(*held_out)
    classifier = TextClassifier(MODEL).fit(*documents)
    before = classifier.score(*held_out)
    clock.say(f"{corpus.name}: forgetting one by one")
    seconds = _seconds_each(classifier.forget, documents.first(tenth))
    forgotten = classifier.score(*held_out)
    settled, _ = _settled(classifier, held_out)
    shares = [f"{100 * each:.2f}" for each in (before, without)]
    after = _difference(forgotten, without), _difference(settled, without)
    return corpus.name, *shares, *after, duration(float(np.median(seconds)))


def _settled(classifier: TextClassifier, held_out: Documents) -> tuple[float, str]:
    """Return the accuracy after settling, and the time of that."""
    start = time.perf_counter()
    classifier.settle()
    seconds = time.perf_counter() - start
    return classifier.score(*held_out), duration(seconds)


def _difference(share: float, reference: float) -> str:
    return f"{100 * share:.2f} ({_points(share - reference)})"


def _seconds_each(change: Callable[[Any, Any], Any], documents: Documents) -> list[float]:
    """Give documents to a method one by one, and return the time of each."""
    seconds = []
    for text, label in zip(*documents, strict=True):
        start = time.perf_counter()
        change([text], [label])
        seconds.append(time.perf_counter() - start)
    return seconds


def _growth(inputs: FolderAndPeers, clock: Clock) -> list[tuple[str, ...]]:
    """Time learning and forgetting of single documents beside few and beside many others."""
    parts = _load(inputs, ("debian_sections", "klue_ynat"))
    texts = [text for part in parts for half in (part.train, part.held_out) for text in half.texts]
    labels = [y for part in parts for half in (part.train, part.held_out) for y in half.labels]
    documents = _shuffled(Documents(texts, labels))
    # Fewer documents, if there are not enough: a tenth and all of them.
    large = min(LARGE, len(texts) - 2 * N_TIMED)
    small = min(SMALL, large // 10)
    if small < 1:
        return []
    clock.say(f"growth: training on {small:,} documents")
    classifier = TextClassifier(MODEL).fit(*documents.first(small))
    rows, done = [], small
    for size in (small, large):
        more = _from(documents, done).first(size - done)
        if more.texts:
            clock.say(f"growth: learning {len(more.texts):,} more")
            classifier.learn(*more)
        done = max(done, size)
        new = _from(documents, done).first(N_TIMED)
        clock.say(f"growth: one by one beside {done:,}")
        seconds = [_seconds_each(each, new) for each in (classifier.learn, classifier.forget)]
        rows.append((f"{done:,}", *(duration(float(np.median(each))) for each in seconds)))
    return rows


def _dealt(inputs: FolderAndPeers) -> Iterator[Corpus]:
    """Yield documents with several labels, dealt at random."""
    if not all((inputs.folder / file).is_file() for file in several_labels.FILES.values()):
        return
    for name, whole in several_labels.load(inputs.folder):
        documents = _shuffled(Documents(*whole)).first(inputs.documents)
        n = len(documents.texts) * 7 // 10
        yield Corpus(name, documents.first(n), _from(documents, n))


def _expected(corpus: Corpus, clock: Clock) -> Iterator[tuple[str, ...]]:
    """Compare expected and measured F1 after training, learning, forgetting and settling."""
    documents, n = corpus.train, len(corpus.texts)
    half, tenth = n // 2, n // 10
    clock.say(f"{corpus.name}: expected and found")
    classifier = TextClassifier(MODEL, multi_label=True).fit(*documents.first(half))
    yield corpus.name, f"{half:,}", *_expected_and_found(classifier, corpus)
    for start in range(half, n, BATCH):
        classifier.learn(*_from(documents, start).first(BATCH))
    yield "", f"{n:,}, half of them learned", *_expected_and_found(classifier, corpus)
    for start in range(0, tenth, BATCH):
        end = min(start + BATCH, tenth)
        classifier.forget(*_from(documents.first(end), start))
    yield "", f"{n - tenth:,}, after forgetting", *_expected_and_found(classifier, corpus)
    classifier.settle()
    yield "", f"{n - tenth:,}, settled", *_expected_and_found(classifier, corpus)


def _expected_and_found(classifier: TextClassifier, corpus: Corpus) -> tuple[str, ...]:
    expected, found = classifier.report().score or 0.0, classifier.score(*corpus.held_out)
    return f"{100 * expected:.1f}", f"{100 * found:.1f}", f"{100 * (expected - found):+.1f}"


def _shuffled(documents: Documents) -> Documents:
    order = np.random.default_rng(0).permutation(len(documents.texts)).tolist()
    return Documents(*([part[row] for row in order] for part in documents))


def _from(documents: Documents, start: int) -> Documents:
    return documents.every(1, start)


# ------------------------------------------------------------------------- peers


class PeerFigures:
    """Figures of peers by a key; stored in a file, if one is given, so that they are found again.

    Parameters
    ----------
    path : Path or None
        A file of JSON, written after each figure.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._found: dict[str, Any] = json.loads(path.read_text()) if path and path.exists() else {}

    def get(self, key: str, measure: Callable[[], Any]) -> Any:
        """Return the figures of a key, measured unless they are known."""
        if key not in self._found:
            self._found[key] = measure()
            if self._path:
                self._path.write_text(json.dumps(self._found, indent=1))
        return self._found[key]


class SvcFigures(TypedDict):
    """Figures of tf-idf and LinearSVC; seconds are those of a processor, from text."""

    accuracy: float
    cost: float
    seconds: float  # with the default cost
    search_seconds: float  # with the choice of the cost
    default_accuracy: float


def svc_figures(corpus: Corpus, peer: str) -> SvcFigures:
    """Choose the cost of a peer on training documents, and measure it on the held-out ones."""
    with _quiet():
        start = time.process_time()
        cost = _best_cost(corpus.train, peer)
        searched = time.process_time()
        X, Z, vectorizing = _tfidf(corpus, peer)
        fits = {}
        for each in {1.0, cost}:
            before = time.process_time()
            model = LinearSVC(C=each, random_state=0).fit(X, corpus.train.labels)
            fits[each] = time.process_time() - before, model.score(Z, corpus.held_out.labels)
    return {
        "accuracy": fits[cost][1],
        "cost": cost,
        "seconds": vectorizing + fits[1.0][0],
        "search_seconds": searched - start + vectorizing + fits[cost][0],
        "default_accuracy": fits[1.0][1],
    }


def _tfidf(corpus: Corpus, peer: str) -> tuple[Any, Any, float]:
    """Return training and held-out documents as tf-idf, and the seconds of the former."""
    vectorizer, start = tfidf_vectorizer(peer), time.process_time()
    X = vectorizer.fit_transform(corpus.train.texts)
    seconds = time.process_time() - start
    return X, vectorizer.transform(corpus.held_out.texts), seconds


def tfidf_vectorizer(peer: str) -> Any:
    words = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
    if peer == PAIRS:
        return words
    strings = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(2, 4))
    return FeatureUnion([("words", words), ("strings", strings)])


def _best_cost(train: Documents, peer: str) -> float:
    """Return the cost with the highest accuracy in cross-validation; of equals the smallest."""
    texts, labels = sampled(train, MAX_SEARCHED[peer], 0)
    right = np.zeros(len(COSTS))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for known, held_out in folds.split(texts, labels):
        parts = [
            Documents([texts[i] for i in rows], [labels[i] for i in rows])
            for rows in (known, held_out)
        ]
        X, Z, _ = _tfidf(Corpus("", *parts), peer)
        for at, cost in enumerate(COSTS):
            model = LinearSVC(C=cost, random_state=0).fit(X, parts[0].labels)
            right[at] += np.sum(model.predict(Z) == np.array(parts[1].labels))
    return COSTS[int(right.argmax())]


def sampled(documents: Documents, n: int, draw: int) -> Documents:
    """Return n documents in the order of all, as many of each class as its share, by chance."""
    rows = sampled_rows(documents.labels, n, draw)
    return Documents([documents.texts[i] for i in rows], [documents.labels[i] for i in rows])


def sampled_rows(labels: Sequence[str], n: int, draw: int) -> list[int]:
    if len(labels) <= n:
        return list(range(len(labels)))
    random = np.random.default_rng([draw, 20])
    # Equal steps through documents that are sorted by class take the same share of each class.
    by_class = np.lexsort((random.random(len(labels)), labels))
    places = ((np.arange(n) + random.random()) * (len(labels) / n)).astype(int)
    rows: list[int] = np.sort(by_class[places]).tolist()
    return rows


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        # Classes with fewer documents than folds, and costs for which liblinear stops early.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def few_labels(corpus: Corpus, draw: int) -> tuple[Corpus, list[str]]:
    """Return a corpus with few training documents, and the texts of the other ones."""
    rows = sampled_rows(corpus.train.labels, FEW_LABELS, draw)
    texts, labels = corpus.train
    train = Documents([texts[i] for i in rows], [labels[i] for i in rows])
    others = np.setdiff1d(np.arange(len(texts)), rows).tolist()
    return replace(corpus, train=train), [texts[i] for i in others]


def peer_key(corpus: Corpus, peer: str, draw: int | None = None) -> str:
    sizes = f"{len(corpus.train.texts)} + {len(corpus.held_out.texts)} documents"
    return f"{corpus.name}, {sizes}{'' if draw is None else f', draw {draw}'}: {peer}"


# ------------------------------------------------------------------------- peers, several labels


class MultiLabelFigures(TypedDict):
    """Micro-F1 of one model per label on tf-idf of words and pairs."""

    svc: float
    svc_cost: float
    regression: float
    seconds: float  # of a processor: LinearSVC with its default cost, from text


def multi_label_figures(corpus: Corpus) -> MultiLabelFigures:
    """Measure LinearSVC, its cost chosen, and LogisticRegression with the threshold 0.2."""
    (texts, labels), (new, truth) = corpus.train, corpus.held_out
    binarizer = MultiLabelBinarizer().fit([*labels, *truth])
    Y, T = binarizer.transform(labels), binarizer.transform(truth)
    with _quiet():
        cost = _best_multi_label_cost(texts, Y)
        vectorizer, start = tfidf_vectorizer(PAIRS), time.process_time()
        X = vectorizer.fit_transform(texts)
        model = OneVsRestClassifier(LinearSVC(random_state=0)).fit(X, Y)
        seconds = time.process_time() - start
        if cost != 1:
            model = OneVsRestClassifier(LinearSVC(C=cost, random_state=0)).fit(X, Y)
        Z = vectorizer.transform(new)
        regression = OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(X, Y)
        likely = regression.predict_proba(Z) >= 0.2
    return {
        "svc": micro_f1(T, model.predict(Z)),
        "svc_cost": cost,
        "regression": micro_f1(T, likely),
        "seconds": seconds,
    }


def _best_multi_label_cost(texts: list[str], Y: Any) -> float:
    """Return the cost with the highest micro-F1 on a third of at most 2,500 documents."""
    rows = np.random.default_rng(0).permutation(len(texts))[: MAX_SEARCHED[STRINGS]]
    held_out, known = np.array_split(rows, [len(rows) // FOLDS])
    vectorizer = tfidf_vectorizer(PAIRS)
    X = vectorizer.fit_transform([texts[i] for i in known])
    Z = vectorizer.transform([texts[i] for i in held_out])
    found = []
    for cost in COSTS:
        model = OneVsRestClassifier(LinearSVC(C=cost, random_state=0)).fit(X, Y[known])
        found.append(micro_f1(Y[held_out], model.predict(Z)))
    return COSTS[int(np.argmax(found))]


def micro_f1(truth: Any, given: Any) -> float:
    right = np.sum((truth > 0) & (given > 0))
    return float(2 * right / (np.sum(truth > 0) + np.sum(given > 0)))
