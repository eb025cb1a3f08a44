"""The words that a signature brings with it, to read."""

from __future__ import annotations

from collections.abc import Iterable


class BroughtWords(list[tuple[str, float]]):
    """Words and their probabilities, the most probable first: a list that is shown as a table.

    Parameters
    ----------
    signature : str
        Whose words they are.
    words : iterable of (str, float)

    Examples
    --------
    >>> found = BroughtWords("space", [("shuttle", 0.25), ("orbit", 0.125)])
    >>> found
    [('shuttle', 0.25), ('orbit', 0.125)]
    >>> print(found)
    space
      shuttle  0.250
      orbit    0.125
    """

    def __init__(self, signature: str, words: Iterable[tuple[str, float]]) -> None:
        super().__init__(words)
        self.signature = signature

    def __str__(self) -> str:
        width = max((len(word) for word, _ in self), default=0)
        lines = [f"  {word:<{width}}  {probability:.3f}" for word, probability in self]
        return "\n".join([self.signature, *lines])
