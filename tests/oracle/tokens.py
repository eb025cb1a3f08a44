"""Tokens, the slow and obvious way."""

import re
import unicodedata
from collections import Counter
from itertools import pairwise

WITHOUT_SPACES = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ", "HIRAGANA ", "KATAKANA",
    "HALFWIDTH KATAKANA", "HENTAIGANA ", "THAI ", "LAO ", "KHMER ", "MYANMAR ",
)  # fmt: skip
JOINERS = "\u200c\u200d"
ATTACHED_LETTERS = "\u0e33\u0eb3\uff9e\uff9f"
LINKERS = "\u17d2\u1039"


def decoded(data):
    """Text from bytes, lone surrogates included; each byte that spells nothing is U+FFFD."""
    text, at = "", 0
    while at < len(data):
        for size in (1, 2, 3, 4):
            try:
                text += data[at : at + size].decode("utf-8", "surrogatepass")
                break
            except UnicodeDecodeError:
                continue
        else:
            text, size = text + "\ufffd", 1
        at += size
    return text


def sklearn_words(text, min_length=2):
    pattern = {1: r"(?u)\b\w+\b", 2: r"(?u)\b\w\w+\b"}[min_length]
    return re.findall(pattern, text.lower())


def padded_chars(text, shortest, longest):
    tokens = []
    for word in text.lower().split():
        padded = f" {word} "
        for n in range(shortest, longest + 1):
            tokens += [padded[i : i + n] for i in range(max(1, len(padded) - n + 1))]
            if len(padded) <= n:
                break
    return tokens


def marked_chars(text, shortest, longest):
    return ["#" + gram for gram in padded_chars(text, shortest, longest)]


def words(text, hangul_bigrams=False, min_length=2):
    tokens = []
    for kind, clusters in _stretches(text.lower()):
        while clusters and set(clusters[-1]) <= set(JOINERS):
            clusters.pop()
        clusters[-1] = clusters[-1].rstrip(JOINERS)
        if kind == "without spaces":
            tokens += _pairs(clusters)
        else:
            tokens += _word(clusters, hangul_bigrams, min_length)
    return tokens


def _stretches(text):
    """Yield (kind, clusters): maximal stretches of letters of one kind, with what is on them."""
    kind, clusters = None, []
    for char in text:
        if kind and _is_attached(char):
            clusters[-1] += char
            continue
        new = _kind(char)
        if new != kind:
            if kind:
                yield kind, clusters
            kind, clusters = new, []
        if new == "without spaces" and clusters and clusters[-1][-1] in LINKERS:
            clusters[-1] += char
        elif new:
            clusters.append(char)
    if kind:
        yield kind, clusters


def _kind(char):
    if not (char.isalnum() or char == "_"):
        return None
    return "without spaces" if unicodedata.name(char, "").startswith(WITHOUT_SPACES) else "word"


def _is_attached(char):
    return unicodedata.category(char).startswith("M") or char in JOINERS + ATTACHED_LETTERS


def _pairs(clusters):
    return clusters if len(clusters) == 1 else [a + b for a, b in pairwise(clusters)]


def _word(clusters, hangul_bigrams, min_length):
    word = "".join(clusters)
    length = sum(not unicodedata.combining(char) and char not in JOINERS for char in word)
    syllables = [_is_syllable(char) for char in word]
    if length < min_length and not any(syllables):
        return []
    pairs = [word[i : i + 2] for i in range(len(word) - 1) if syllables[i] and syllables[i + 1]]
    return [word, *(pair for pair in pairs if hangul_bigrams and pair != word)]


def _is_syllable(char):
    return unicodedata.name(char, "").startswith("HANGUL SYLLABLE ")


def ngrams(tokens, shortest, longest):
    return [
        " ".join(tokens[i : i + n])
        for n in range(shortest, longest + 1)
        for i in range(len(tokens) - n + 1)
    ]


def counts(tokens):
    return dict(Counter(tokens))
