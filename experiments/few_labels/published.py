"""Figures to compare with, from earlier measurements. Nothing here is measured by this program.

They were measured on the same corpora and halves. Their draws were others, so that a difference of
a point or so means little where k is small.
"""

from __future__ import annotations

from dataclasses import dataclass

K = (1, 2, 5, 10, 20, 50)


@dataclass(frozen=True)
class Published:
    """Accuracies of a method in per cent, means of five draws.

    Attributes
    ----------
    title : str
    figures : dict
        For each corpus those of each of ``K``, and their mean, which was taken before they were
        rounded.
    """

    title: str
    figures: dict[str, tuple[float, ...]]

    def at(self, corpus: str, k: int) -> float | None:
        """Return the figure of a corpus and k, if there is one."""
        return self.of(corpus)[K.index(k)] if corpus in self.figures and k in K else None

    def of(self, corpus: str) -> tuple[float, ...]:
        """Return the figures of each k."""
        return self.figures[corpus][:-1]

    def mean(self, corpus: str) -> float:
        """Return the mean over k."""
        return self.figures[corpus][-1]


#: Translation, expectation and maximisation held by a logistic regression, and least squares on
#: what these expect: what the recipe was made after.
PROTOTYPE = Published(
    "prototype (published)",
    {
        "20ng_bydate": (31.7, 37.8, 48.5, 55.4, 58.2, 61.3, 48.8),
        "ag_news_20k": (75.5, 81.7, 84.1, 84.5, 84.8, 85.5, 82.7),
        "debian_sections": (31.3, 40.5, 51.6, 56.7, 60.9, 66.7, 51.3),
        "klue_ynat": (54.4, 60.2, 67.5, 68.4, 71.9, 73.9, 66.1),
        "reuters21578": (55.3, 83.9, 88.9, 91.4, 93.5, 95.8, 84.8),
        "ohsumed_first20000": (15.7, 24.6, 34.6, 43.6, 50.2, 59.5, 38.0),
    },
)

#: Sentence embeddings by a neural network that was trained on much other text, and a logistic
#: regression on those of the labelled documents.
MINILM = Published(
    "MiniLM + LR (published)",
    {
        "20ng_bydate": (30.3, 39.9, 49.1, 55.3, 58.7, 62.8, 49.3),
        "ag_news_20k": (55.1, 64.1, 69.6, 76.9, 80.8, 83.9, 71.7),
        "ohsumed_first20000": (23.1, 35.7, 46.4, 52.8, 57.1, 62.3, 46.2),
    },
)

ALL = (PROTOTYPE, MINILM)
