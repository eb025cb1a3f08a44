"""Words for what was measured, so that sentences follow the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np


def listed(names: Iterable[str]) -> str:
    """Return names as a sentence lists them.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed([])
    ('a', 'a, b and c', 'none')
    """
    *first, last = [*names] or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def spread(shares: Sequence[float]) -> str:
    """Return the mean of shares in %, and how far they are spread if there are several.

    Examples
    --------
    >>> spread([0.5, 0.7]), spread([0.5])
    ('60.0 ± 10.0', '50.0')
    """
    mean = f"{100 * np.mean(shares):.1f}"
    return f"{mean} ± {100 * np.std(shares):.1f}" if len(shares) > 1 else mean
