"""Phrases, the slow and obvious way. A document is a list of words, with None for every break."""

import math
import re
from collections import Counter
from itertools import pairwise

from oracle import tokens

HYPHENS = "-\xad\u2010\u2011"
APOSTROPHES = "'\u2019"


def cut(text, min_length=2):
    """The words of a text as tokens.words cuts them, with None between those that are apart."""
    found, gap = [], ""
    for kind, part in _parts(text.lower()):
        if kind is None:
            gap += part
            continue
        words = tokens.words(part, min_length=min_length)
        if not words:
            gap += "."
            continue
        found += [None, *words] if found and keeps_apart(gap) else words
        gap = ""
    return found


def cut_sklearn(text, min_length=2):
    """The same for the words of scikit-learn's pattern."""
    text, found, end = text.lower(), [], 0
    for match in re.finditer({1: r"(?u)\b\w+\b", 2: r"(?u)\b\w\w+\b"}[min_length], text):
        if found and keeps_apart(text[end : match.start()]):
            found.append(None)
        found.append(match.group())
        end = match.end()
    return found


def keeps_apart(gap):
    known = HYPHENS + APOSTROPHES
    if any(char not in known and (not char.isspace() or char == "\u2029") for char in gap):
        return True
    return gap.count("\n") > 1 or (len(gap) > 1 and any(char in HYPHENS for char in gap))


def _parts(text):
    """Yield stretches of letters of one kind, and (None, character) for what is between."""
    kind, part = None, ""
    for char in text:
        if kind and tokens._is_attached(char):
            part += char
            continue
        new = tokens._kind(char)
        if kind and new != kind:
            yield kind, part
            part = ""
        kind = new
        if new:
            part += char
        else:
            yield None, char
    if kind:
        yield kind, part


def without(documents, stop_words):
    return [[None if word in stop_words else word for word in words] for words in documents]


def pair_counts(documents):
    pairs = (pair for words in documents for pair in pairwise(words) if None not in pair)
    return Counter(pairs)


def score(method, n_ab, n_a, n_b, n, n_vocabulary, min_count):
    if method == "gensim":
        return (n_ab - min_count) * n_vocabulary / (n_a * n_b)
    if method == "npmi":
        if n_ab == n:
            return 1.0
        return math.log(n_ab * n / (n_a * n_b)) / -math.log(n_ab / n)
    cells = {
        (0, 0): n_ab,
        (0, 1): n_a - n_ab,
        (1, 0): n_b - n_ab,
        (1, 1): max(0, n - n_a - n_b + n_ab),
    }
    n = sum(cells.values())
    rows, columns = (n_a, n - n_a), (n_b, n - n_b)
    ratio = 2 * sum(
        k * math.log(k * n / (rows[i] * columns[j])) for (i, j), k in cells.items() if k
    )
    return ratio if n_ab * n >= n_a * n_b else -ratio


def joining_pairs(documents, method, threshold, min_count):
    """Pairs of neighbours, which may be tuples of words already, with their scores."""
    occurrences = Counter(word for words in documents for word in words if word is not None)
    pairs = pair_counts(documents)
    n, size = sum(occurrences.values()), len(occurrences) + len(pairs)
    scores = {
        (a, b): score(method, count, occurrences[a], occurrences[b], n, size, min_count)
        for (a, b), count in pairs.items()
        if count >= min_count
    }
    enough = (lambda x: x > threshold) if method == "gensim" else (lambda x: x >= threshold)
    return {pair: value for pair, value in scores.items() if enough(value)}


def joined(documents, pairs):
    """Documents with pairs from left to right as one word, a tuple."""
    result = []
    for words in documents:
        units, at = [], 0
        while at < len(words):
            length = 2 if tuple(words[at : at + 2]) in pairs else 1
            units.append(tuple(words[at : at + 2]) if length == 2 else words[at])
            at += length
        result.append(units)
    return result


def find(documents, method, threshold, min_count, max_words):
    found = joining_pairs(documents, method, threshold, min_count)
    if max_words > 2:
        second = joining_pairs(joined(documents, found), method, threshold, min_count)
        for (a, b), value in second.items():
            words = (a if isinstance(a, tuple) else (a,)) + (b if isinstance(b, tuple) else (b,))
            if 2 < len(words) <= max_words:
                found[words] = value
    matched = Counter(phrase for words in documents for phrase in matches(words, set(found)))
    kept = {" ".join(phrase): found[phrase] for phrase in matched}
    return kept, {" ".join(phrase): count for phrase, count in matched.items()}


def matches(words, phrases):
    """The longest phrases from left to right, none that overlaps."""
    longest = max(map(len, phrases), default=0)
    found, at = [], 0
    while at < len(words):
        for n in range(longest, 0, -1):
            if tuple(words[at : at + n]) in phrases:
                found.append(tuple(words[at : at + n]))
                at += n
                break
        else:
            at += 1
    return found
