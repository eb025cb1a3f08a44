"""Random text through the native code, under the sanitizers in ``make attack``.

Each round draws a corpus from plain words, odd characters and mutated copies of earlier
documents, and sends it down every path into the core. A crash is caught by the sanitizers; what
can be checked cheaply is: one thread against two, words and characters at once against both apart,
text to tally against counts to tally, a round trip of the vocabulary and of phrases. Text of any
kind must be taken; damaged arrays may be refused.
"""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pyarrow as pa
from trial import Trial

from tallytext import Tally, TextVectorizer, Vocabulary
from tallytext._core import Vocabulary as NativeVocabulary
from tallytext.semantic import Phrases

BLOCKS = [
    (0x00, 0x7F),
    (0x80, 0x24F),
    (0x300, 0x36F),  # combining marks
    (0x370, 0x52F),
    (0x590, 0x6FF),
    (0x900, 0xE7F),  # Indic scripts, Thai
    (0xE80, 0x109F),  # Lao, Tibetan, Myanmar
    (0x1100, 0x11FF),  # conjoining Hangul
    (0x1780, 0x17FF),  # Khmer
    (0x1E00, 0x20FF),
    (0x3000, 0x30FF),  # Kana
    (0x4E00, 0x4FFF),
    (0xAC00, 0xADFF),
    (0xD800, 0xDFFF),  # lone surrogates
    (0xFE00, 0xFFFF),
    (0x1F300, 0x1F6FF),
    (0x20000, 0x200FF),
    (0x10FF00, 0x10FFFF),
]
WORDS = ["the", "The", "of", "İstanbul", "ΟΔΟΣ", "naïve", "x", "12", "__init__", "\x00", "  ", "\n"]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"ngram_range": (1, 3)},
    {"tokens": "sklearn"},
    {"tokens": "sklearn", "ngram_range": (2, 2)},
    {"tokens": "chars", "ngram_range": (2, 4)},
    {"hangul": "words+bigrams"},
    {"binary": True},
    {"strip_accents": "unicode"},
    {"stop_words": "english"},
    {"min_length": 1},
    {"tokens": "sklearn", "min_length": 1, "ngram_range": (1, 2)},
    {"chars": (2, 4)},
    {"chars": (1, 3), "min_length": 1, "ngram_range": (1, 2)},
    {"tokens": "sklearn", "chars": (3, 40), "lowercase": False},
    {"chars": (1, 2), "ngram_range": (2, 3), "strip_accents": "unicode", "language": "en"},
]


class MismatchError(Exception):
    """Two ways to one result disagreed."""


def run_of_one_block(rng: random.Random) -> str:
    low, high = rng.choice(BLOCKS)
    return "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(0, 30)))


def fresh(rng: random.Random) -> str:
    pieces = [rng.choice(WORDS) if rng.random() < 0.6 else run_of_one_block(rng) for _ in range(20)]
    return rng.choice(["", " "]).join(pieces[: rng.randint(0, 20)])


def mutated(rng: random.Random, text: str) -> str:
    at, until = sorted(rng.randint(0, len(text)) for _ in range(2))
    middle = rng.choice(["", run_of_one_block(rng), text[at:until] * rng.choice([0, 2, 50])])
    return text[:at] + middle + text[until:]


def corpus(rng: random.Random) -> list[str]:
    texts = [fresh(rng) for _ in range(rng.choice([0, 1, 5, 50]))]
    for _ in range(rng.choice([0, 5, 100, 1000]) if texts else 0):
        texts.append(mutated(rng, rng.choice(texts))[:100_000])
    if rng.random() < 0.02:
        texts.append(rng.choice(["a", "é", "中", "\ud800", "\u0301"]) * 200_000)
    rng.shuffle(texts)
    return texts


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise MismatchError(what)


def count(texts: Any, settings: dict[str, Any], n_jobs: int) -> tuple[Any, ...]:
    vectorizer = TextVectorizer(**settings, n_jobs=n_jobs)
    counts = vectorizer.fit_transform(texts).tocsr()
    names = vectorizer.get_feature_names_out().tolist()
    return counts.indptr.tolist(), counts.indices.tolist(), counts.data.tolist(), names


def check_counts(rng: random.Random, texts: list[str]) -> None:
    settings = rng.choice(SETTINGS)
    one, two = count(texts, settings, 1), count(texts, settings, 2)
    expect(one == two, f"one thread and two threads disagree with {settings}")


def totals(texts: list[str], settings: dict[str, Any], mark: str = "") -> dict[str, int]:
    vectorizer = TextVectorizer(**settings)
    sums = np.asarray(vectorizer.fit_transform(texts).sum(axis=0)).ravel().tolist()
    names = vectorizer.get_feature_names_out().tolist()
    return dict(zip((mark + name for name in names), sums, strict=True))


def check_both_at_once(rng: random.Random, texts: list[str]) -> None:
    shortest = rng.randint(1, 4)
    chars = (shortest, shortest + rng.randint(0, 3))
    words = {"min_length": rng.choice([1, 2]), "ngram_range": rng.choice([(1, 1), (1, 2)])}
    apart = totals(texts, words) | totals(texts, {"tokens": "chars", "ngram_range": chars}, "#")
    both = totals(texts, words | {"chars": chars})
    expect(both == apart, f"both at once are not the two apart with {words}, {chars}")


def check_random_bytes(rng: random.Random, texts: list[str]) -> None:
    """An Arrow column may hold bytes that are no UTF-8 at all."""
    lengths = [rng.choice([0, 1, 3, 17, 64, 300]) for _ in range(rng.randint(1, 60))]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    data = bytearray(rng.randbytes(int(offsets[-1])))
    for i in range(0, len(data), rng.choice([1, 2, 5, 9, len(data) + 1])):
        data[i] &= 0x7F
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(bytes(data))]
    column = pa.Array.from_buffers(pa.string(), len(lengths), buffers)
    settings = rng.choice(SETTINGS)
    one, two = count(column, settings, 1), count(column, settings, 2)
    expect(one == two, f"one thread and two threads disagree on random bytes with {settings}")


def check_tally(rng: random.Random, texts: list[str]) -> None:
    labels = [rng.choice(["a", "b", "c\x00", "\ud800"]) for _ in texts]
    half = len(texts) // 2
    whole = Tally.from_texts(texts, labels)
    first = Tally.from_texts(texts[:half], labels[:half])
    second = Tally.from_texts(texts[half:], labels[half:])
    expect(first + second == whole, "the sum of two halves is not the whole")
    expect(whole - second == first, "taking a half back does not leave the other")
    vectorizer = TextVectorizer()
    same = Tally.from_counts(vectorizer.fit_transform(texts), labels, vectorizer.vocabulary_)
    expect(same == whole, "from_counts and from_texts disagree")


def check_vocabulary(rng: random.Random, texts: list[str]) -> None:
    terms = [word for text in texts[:50] for word in text.split(" ")[:50]]
    vocabulary = Vocabulary(terms)
    expect(vocabulary.terms().tolist() == list(dict.fromkeys(terms)), "terms do not come back")
    order = vocabulary.terms(vocabulary.sorted_ids()).tolist()
    expect(order == sorted(set(terms)), "terms are not in Python's order")
    arena, lengths = vocabulary.native.arena().copy(), vocabulary.native.lengths().copy()
    for array in (arena, lengths):
        for _ in range(rng.randint(0, 3) if len(array) else 0):
            array[rng.randrange(len(array))] = rng.choice([0, 1, 127, 128, 255])
    try:
        damaged = NativeVocabulary.from_arrays(arena, lengths)
    except ValueError:
        return
    expect(damaged.lengths().tolist() == lengths.tolist(), "lengths do not come back")
    damaged.fill_terms(np.empty(len(lengths), dtype=object))


def check_phrases(rng: random.Random, texts: list[str]) -> None:
    texts = texts[:60] or [""]
    settings: dict[str, Any] = {
        "method": rng.choice(["npmi", "likelihood", "gensim", "xtract"]),
        "tokens": rng.choice(["words", "sklearn"]),
        "min_count": rng.randint(1, 3),
        "max_words": rng.randint(2, 4),
        "min_length": rng.choice([1, 2]),
        "stop_words": rng.choice(["auto", "english", None]),
        "window": rng.choice([1, 5, 40]),
        "threshold": 0.1,
        "spread": 0.1,
    }
    one, two = (Phrases(**settings, n_jobs=n).fit(texts) for n in (1, 2))
    same = one.phrases_ == two.phrases_ and one.counts_ == two.counts_
    expect(same, f"one thread and two threads find different phrases with {settings}")
    again = Phrases.from_values(one.to_values()).transform(texts)
    found = np.asarray(again.sum(axis=0)).ravel().tolist()
    expect(found == list(one.counts_.values()), f"phrases are not found again with {settings}")


CHECKS = [
    check_counts,
    check_both_at_once,
    check_random_bytes,
    check_tally,
    check_vocabulary,
    check_phrases,
]


def attack(trial: Trial) -> None:
    """Try random corpora until the time is up; in a quick trial, a fixed number of them."""
    end = time.monotonic() + 120
    for round in range(trial.some(quick=40, full=1_000_000)):
        if time.monotonic() > end:
            break
        rng = trial.rng("texts", round)
        texts = corpus(rng)
        for check in CHECKS:
            with trial.case(f"round {round}, {check.__name__}"):
                check(rng, texts)
