"""The tally: exact, additive counts of terms in classes."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.tally.gathered import Costs, Dropped, GatheredTally, Origin
    from tallytext.tally.planes import Plane
    from tallytext.tally.tally import Tally

__all__ = [
    "Costs",
    "Dropped",
    "GatheredTally",
    "Origin",
    "Plane",
    "Tally",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "gathered": ["Costs", "Dropped", "GatheredTally", "Origin"],
        "planes": ["Plane"],
        "tally": ["Tally"],
    },
)
