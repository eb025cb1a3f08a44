"""A vocabulary kept small by leaving the rarest terms out, with a bound on what that costs.

Let every count of a tally be too low by at most :math:`\\varepsilon`. The sum of two tallies is too
low by at most :math:`\\varepsilon_1 + \\varepsilon_2`. Where terms with counts up to t are left out
of a tally, those have lost t more, and :math:`\\varepsilon + t` bounds the error of all.
"""

from __future__ import annotations

import numpy as np

from tallytext.distributed.shards import compacted
from tallytext.tally import Dropped, Tally


def bounded(tally: Tally, max_terms: int) -> tuple[Tally, Dropped]:
    """Return the tally of the terms that occur most often, and what leaving the others out costs.

    Terms that occur equally often go together, so that it does not matter which comes first.

    Parameters
    ----------
    tally : Tally
    max_terms : int
        How many terms may stay.

    Examples
    --------
    >>> tally = Tally.from_counts([[5, 1, 2, 1]], ["x"], ["sea", "sky", "ice", "fog"])
    >>> bounded(tally, 3)
    (<Tally of 1 documents: 7 tokens, 2 terms, 1 classes>, Dropped(n_tokens=2, bound=1))
    """
    if tally.n_terms <= max_terms:
        return tally, Dropped()
    occurrences = tally.term_occurrences
    live = occurrences[occurrences > 0]
    n_left_out = len(live) - max_terms
    most = int(np.partition(live, n_left_out - 1)[n_left_out - 1])
    rare = live[live <= most]
    return compacted(tally.mask(occurrences > most)), Dropped(int(rare.sum()), most)
