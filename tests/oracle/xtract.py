"""Xtract, the slow and obvious way. A document is a list of words; None is a break, "" a hole."""

import math
from collections import Counter, defaultdict


def sentences(documents):
    for words in documents:
        sentence = []
        for word in [*words, None]:
            if word is None:
                yield sentence
                sentence = []
            else:
                sentence.append(word)


def histograms(documents, window):
    """{word: {collocate: {offset: count}}}"""
    table = defaultdict(lambda: defaultdict(Counter))
    for sentence in sentences(documents):
        for i, word in enumerate(sentence):
            for j, near in enumerate(sentence):
                if word and near and i != j and abs(i - j) <= window:
                    table[word][near][j - i] += 1
    return table


def pairs(documents, k0, k1, u0, window):
    """Yield (word, collocate, offset, strength)."""
    m = 2 * window
    for word, collocates in histograms(documents, window).items():
        freq = {near: sum(places.values()) for near, places in collocates.items()}
        mean = sum(freq.values()) / len(freq)
        sigma = math.sqrt(sum((f - mean) ** 2 for f in freq.values()) / len(freq))
        for near, places in collocates.items():
            strength = (freq[near] - mean) / sigma if sigma else 0.0
            p_mean = freq[near] / m
            offsets = [j for j in range(-window, window + 1) if j]
            spread = sum((places[j] - p_mean) ** 2 for j in offsets) / m
            if strength >= k0 and spread >= u0:
                for j in offsets:
                    if places[j] >= p_mean + k1 * math.sqrt(spread):
                        yield word, near, j, strength


def aligned(documents, word, near, offset, reach):
    """How often the pair is found, and {offset: Counter of words}."""
    total, columns = 0, defaultdict(Counter)
    for sentence in sentences(documents):
        for i, first in enumerate(sentence):
            if first != word or not 0 <= i + offset < len(sentence):
                continue
            if sentence[i + offset] != near:
                continue
            total += 1
            for r in range(-reach, reach + 1):
                if 0 <= i + r < len(sentence) and sentence[i + r]:
                    columns[r][sentence[i + r]] += 1
    return total, columns
