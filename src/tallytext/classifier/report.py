"""What a classifier has to say of itself."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from tallytext.classifier.choosing import Trial
from tallytext.duplicates import Duplicates


@dataclass(frozen=True)
class Changes:
    """How many documents came and went, and terms, since something was found out."""

    learned: int = 0
    forgotten: int = 0
    merged: int = 0
    exchanged: int = 0

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    def __str__(self) -> str:
        counts = {name: count for name, count in asdict(self).items() if count}
        terms = counts.pop("exchanged", 0)
        parts = [_counted(counts, "document")] if counts else []
        parts += [_counted({"exchanged": terms}, "term")] if terms else []
        return ", ".join(parts) or "nothing"

    def more(self, name: str, count: int) -> Changes:
        """Return the changes after more documents."""
        counts: dict[str, Any] = asdict(self)
        return Changes(**(counts | {name: counts[name] + count}))


def _counted(counts: dict[str, int], what: str) -> str:
    kinds = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return f"{kinds} {what}{'s' if sum(counts.values()) != 1 else ''}"


@dataclass(frozen=True)
class Report:
    """How a classifier came to be what it is, and how far it can be trusted.

    Attributes
    ----------
    learner, setting : str
        What was chosen, or named.
    several : bool
        Whether documents may have several labels.
    n_documents, n_classes, n_terms, n_tokens : int
        What it has learned by now.
    trials : list of Trial
        What was tried, the best first; one that was named was not compared with others.
    score : float or None
        Accuracy, or F1 where documents may have several labels, on documents kept from the model.
    n_judged : int
        How many these were.
    method : str
        How they were kept from it: folds at random, of all documents or of a "sample", "groups"
        that stayed together, the latest in "time", or "held out" for those given to
        ``recalibrate``.
    changes : Changes
        Since the calibration was fitted.
    duplicates : Duplicates or None
        Documents that came more than once when the classifier was fitted.
    n_unlabelled : int
        How many documents without labels there were besides.
    reason : str
        Why a learner was taken that learns from these, or one that does not; empty for one that
        was named.
    notes : list of str
        What the learner did with them, in sentences.
    origin : list of str
        Where its counts are from, if it was made of a tally, and what was not counted, in
        sentences.
    """

    learner: str
    setting: str
    several: bool
    n_documents: int
    n_classes: int
    n_terms: int
    n_tokens: int
    trials: list[Trial]
    score: float | None
    n_judged: int
    method: str
    changes: Changes
    duplicates: Duplicates | None
    n_unlabelled: int = 0
    reason: str = ""
    notes: list[str] = field(default_factory=list)
    origin: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = self._what, self._counted, self._pool, self._trust, self._repeated, self._why
        return "\n".join(line for part in parts for line in part())

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        values = asdict(self)
        repeated = self.duplicates
        return values | {"duplicates": None if repeated is None else repeated.to_dict()}

    def _what(self) -> list[str]:
        labels = "several labels per document" if self.several else "one label per document"
        return [
            f"{self.learner}, {labels}",
            f"  learned      {self.n_documents:,} document{'s' * (self.n_documents != 1)}, "
            f"{self.n_classes:,} class{'es' * (self.n_classes != 1)}, "
            f"{self.n_terms:,} different words of {self.n_tokens:,}",
        ]

    def _counted(self) -> list[str]:
        heads = ["  counted", *[""] * len(self.origin)]
        return [f"{head:<15}{line}" for head, line in zip(heads, self.origin, strict=False)]

    def _pool(self) -> list[str]:
        said = [self.reason] if self.reason else []
        n = self.n_unlabelled
        if n:
            said.insert(0, f"{n:,} document{'s' * (n != 1)} besides")
        first, *rest = [*said, *self.notes] or [""]
        kind = "unlabelled" if n else "learning"
        return [f"  {kind:<12} {first}", *(f"{'':15}{line}" for line in rest)] if first else []

    def _trust(self) -> list[str]:
        if self.score is None:
            return ["  probabilities are raw: there was nothing to calibrate them on"]
        measure = "F1" if self.several else "accuracy"
        lines = [
            f"  expected     {self.score:.1%} {measure}, on {self.n_judged:,} documents kept from "
            f"the model ({self.method})"
        ]
        if self.method in ("cross-validation", "sample"):
            known = ": give fit groups= or time=" * (self.method == "cross-validation")
            lines.append(
                f"               too high where near duplicates, threads or authors recur{known}"
            )
        if self.changes:
            lines.append(
                f"  stale        {self.changes} since probabilities, sets and thresholds were "
                "found; call recalibrate(texts, labels)"
            )
        return lines

    def _repeated(self) -> list[str]:
        if self.duplicates is None or not (
            self.duplicates.n_repeated or self.duplicates.n_conflicting
        ):
            return []
        first, *rest = str(self.duplicates).splitlines()
        return [f"  duplicates   {first}", *(f"               {line}" for line in rest)]

    def _why(self) -> list[str]:
        if len(self.trials) < 2:
            return [f"  setting      {self.setting}"]
        tried = [trial for trial in self.trials if trial.score is not None]
        if not tried:
            return [f"  setting      {self.setting}, for want of documents to compare others on"]
        best = {trial.learner: trial for trial in reversed(tried)}
        lines = [f"  chosen as the best of {len(tried)} settings; the best of each learner:"]
        lines += [_line(trial) for trial in tried if best[trial.learner] is trial]
        if skipped := sorted({t.learner for t in self.trials if t.score is None}):
            lines.append(f"  not all tried, to save time: {', '.join(skipped)}")
        return lines


def _line(trial: Trial) -> str:
    return (
        f"    {trial.score:>6.1%} of {trial.n_documents:>5,}  {trial.learner:<12}  {trial.setting}"
    )
