"""Type aliases shared by the package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.floating[Any]]

Measure: TypeAlias = Callable[[FloatArray], FloatArray]
"""A function of counts, element by element, whose results a smoothing method adds up."""
