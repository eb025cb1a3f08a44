"""Words of training documents in classes that have lost the document, to choose a smoothing by."""

from __future__ import annotations

import numpy as np

from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.left_out_counts import LeftCounts
from tallytext.bayes.left_out_translated import LeftTranslations
from tallytext.bayes.word_probabilities import WordCounts
from tallytext.smoothing.base import Numbers, safe_ratio
from tallytext.smoothing.semantic_choice import LeftWords


def left_words(counts: WordCounts, left: LeftOut) -> LeftWords:
    """Return the words of documents whose class has others, as they are without the document."""
    assert counts.translated is not None
    translations = LeftTranslations(counts.translated.made)
    pieces = [_of_piece(counts, piece, translations) for piece in left.pieces(wide=True)]
    return LeftWords(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def _of_piece(
    counts: WordCounts, left: LeftOut, translations: LeftTranslations
) -> tuple[Numbers, ...]:
    part, found = LeftCounts(counts, left), translations.classes(left)
    place, label = left.own_at
    row, slot = left.row[place], left.own_slot
    background = part.spread[place]
    tokens = part.own_tokens[slot]
    kept = np.flatnonzero((tokens > 0) & (background > 0))
    columns = (
        left.documents.values[place],
        safe_ratio(part.own, tokens, 0.0),
        background,
        found.shares[place, label] + found.pruned[row, label] * background,
        found.usable[row, label] * 1.0,
    )
    return tuple(column[kept] for column in columns)
