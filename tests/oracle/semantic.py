"""Semantic smoothing on dense tables, one signature at a time."""

import numpy as np


def semantic_probabilities(smoothing, counts, words, names, pruned=True):
    """p(w|c) from the counts of a class and of all documents, and the names of the columns."""
    event = event_columns(smoothing, names)
    inside, unigram = counts * event, words * event
    unigram = unigram / unigram.sum() if unigram.sum() else unigram
    if not inside.sum():
        return unigram
    background = (1 - smoothing.alpha) * inside / inside.sum() + smoothing.alpha * unigram
    shares = translated(smoothing.translation, counts, words, names)
    if shares is None:
        return background
    if pruned:
        dropped = np.where(shares < smoothing.min_probability, shares, 0.0)
        shares = shares - dropped + dropped.sum() * unigram
    return (1 - smoothing.weight) * background + smoothing.weight * shares


def event_columns(smoothing, names):
    """Which columns are words, and not phrases or concepts."""
    translation = smoothing.translation
    phrases = {*translation.get_feature_names_out()} - {*translation.words_}
    return np.array([name not in phrases for name in names], dtype=float)


def translated(translation, counts, words, names):
    """p_t(w|c), or None if no signature of the class stands for a word that occurs."""
    at = {name: column for column, name in enumerate(names)}
    rows, groups = translation.rows_.toarray(), {False: [], True: []}
    for row, (name, kind) in enumerate(
        zip(translation.signatures_, translation.kinds_, strict=True)
    ):
        if name in at and counts[at[name]] > 0:
            groups[kind > 0].append((row, counts[at[name]]))
    both = {*(translation.kinds_ > 0)} == {False, True}
    weights = {False: 1 - translation.phrase_weight, True: translation.phrase_weight}
    found = np.zeros(len(names))
    for kind, members in groups.items():
        total = sum(count for _, count in members)
        for row, count in members:
            for column, share in zip(translation.words_, rows[row], strict=True):
                if column in at and words[at[column]] > 0:
                    weight = weights[kind] if both else 1.0
                    found[at[column]] += weight * share * count / total
    return found / found.sum() if found.sum() > 0 else None
