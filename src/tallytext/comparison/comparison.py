"""What was found of learners on the same documents."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallytext.comparison.contender import Contender
from tallytext.comparison.documents import Documents
from tallytext.comparison.learning_curve import LearningCurve
from tallytext.comparison.near_duplicates import NearDuplicates
from tallytext.comparison.splits import Splits
from tallytext.comparison.suspects import Suspect
from tallytext.curves import VocabularyCurve
from tallytext.evaluation import Evaluation
from tallytext.storage import save_text

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Comparison:
    """How learners did on the same documents.

    Attributes
    ----------
    contenders : list of Contender
        The best first, then the others by how much they differ from it on the same documents;
        those that failed last.
    measure : {"accuracy", "micro-F1"}
    splits : Splits
        How documents were kept from models.
    documents : Documents
    near_duplicates : NearDuplicates
        Judged documents that are nearly the same as one learned.
    learning_curve : LearningCurve
        Of the best learner: on all splits that it was judged on where documents are few and have
        no time, else on the first.
    vocabulary_curve : VocabularyCurve or None
        Of naive Bayes, on the first split; None if no word can be learned there.
    suspects : list of Suspect
        Documents whose label is most likely wrong; where documents have several, those that have
        one too many, or lack one.
    evaluation : Evaluation
        What became of the labels that the best learner gave.
    terms : dict of label to list of str
        The most telling terms of each class, those of most documents first.

    Examples
    --------
    >>> from tallytext import compare
    >>> texts = ["cheap pills", "lunch at noon", "cheap watches", "noon, for lunch"] * 5
    >>> found = compare(texts, ["spam", "ham"] * 10, learners=["multinomial", "bernoulli"])
    >>> found.measure, [contender.score for contender in found.contenders]
    ('accuracy', [1.0, 1.0])
    """

    contenders: list[Contender]
    measure: str
    splits: Splits
    documents: Documents = field(repr=False)
    near_duplicates: NearDuplicates
    learning_curve: LearningCurve
    vocabulary_curve: VocabularyCurve | None = field(repr=False)
    suspects: list[Suspect] = field(repr=False)
    evaluation: Evaluation = field(repr=False)
    terms: dict[Any, list[str]] = field(repr=False)

    @property
    def best(self) -> Contender:
        """The learner with the highest score on the same documents."""
        return self.contenders[0]

    @property
    def warnings(self) -> list[str]:
        """What may make scores other than they seem, in sentences."""
        from tallytext.comparison.remarks import remarks_on

        return remarks_on(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values, as JSON has them."""
        alike, words = self.near_duplicates, self.vocabulary_curve
        return {
            "measure": self.measure,
            "method": self.splits.described,
            "n_documents": len(self.documents.labels),
            "n_judged": self.splits.n_judged,
            "warnings": self.warnings,
            "contenders": [each.to_dict() for each in self.contenders],
            "near_duplicates": {"asked": alike.n_asked, "crossing": alike.n_crossing},
            "learning_curve": vars(self.learning_curve),
            "vocabulary_curve": None if words is None else words.to_dict(),
            "suspects": [
                {name: value for name, value in each._asdict().items() if name != "evidence"}
                for each in self.suspects
            ],
        }

    def to_rich(self) -> Table:
        """Return the table of learners, for a terminal."""
        from tallytext.comparison.terminal import table_of

        return table_of(self)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return a page that needs nothing else: tables, drawings, evidence.

        Parameters
        ----------
        path : str or path, default=None
            A file to write it to as well. It appears whole or not at all.
        """
        from tallytext.comparison.page import page_of

        page = page_of(self)
        if path is not None:
            save_text(Path(path), page)
        return page
