"""Report of a classifier: its expected accuracy, a verdict, the next step, data and model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass
from html import escape
from inspect import signature
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from tallytext.classifier.expressions import format_estimator
from tallytext.classifier.registry import Learner, learners
from tallytext.errors import ExpressionError, FileError, LabelError, SettingsError
from tallytext.evaluation.significance import falls_clearly, wilson_interval
from tallytext.io.html import notebook_table
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.smoothing.base import Smoothing
from tallytext.tally.gathered import Origin
from tallytext.tally.labels import sort_labels
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import Duplicates

if TYPE_CHECKING:
    from tallytext.classifier.calibration import ConfidenceCheck
    from tallytext.classifier.model_selection import CandidateScore
    from tallytext.text.vectorizer import TextVectorizer

MAX_FEW_LABELS = 50
"""Labels per class (median) up to which a pool has to be as large as the labelled documents."""
MIN_COMPARED_WITH_POOL = 1_000
"""With few labels per class, learners with and without a pool are compared above so many labels."""

_MAX_DOCUMENTS = 2**63
# Fewer near duplicates hardly change an accuracy.
_MIN_NEAR_SHARE = 0.02
# Between accuracy and mean probability of documents before they are learned.
_LARGE_GAP = 0.1
# Lines of a report have a heading of this width.
_HEADING = 15


@dataclass(frozen=True)
class Changes:
    """Numbers of documents, and of selected terms, that changed since the calibration."""

    learned: int = 0
    forgotten: int = 0
    merged: int = 0
    exchanged: int = 0

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    def __str__(self) -> str:
        counts = asdict(self)
        n_terms = counts.pop("exchanged")
        n_documents = sum(counts.values())
        parts = [f"{count:,} {name}" for name, count in counts.items() if count]
        if parts:
            parts[-1] += f" document{'s' * (n_documents != 1)}"
        if n_terms:
            parts.append(f"{n_terms:,} exchanged term{'s' * (n_terms != 1)}")
        return ", ".join(parts) or "nothing"

    def more(self, name: str, count: int) -> Changes:
        """Return the changes after ``count`` more of one kind."""
        counts: dict[str, Any] = asdict(self)
        return Changes(**(counts | {name: counts[name] + count}))


@dataclass(frozen=True)
class UnlabelledSummary:
    """The documents without labels that a classifier was trained with.

    Attributes
    ----------
    n_documents : int
        Their number.
    reason : str
        Why a learner was selected that uses them, or one that does not.
    notes : tuple of str
        Sentences of the learner about their use.

    Examples
    --------
    >>> summary = UnlabelledSummary(3, "it was named", ("3 documents",))
    >>> UnlabelledSummary.from_dict(summary.to_dict()).n_documents
    3
    """

    n_documents: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON values."""
        return asdict(self) | {"notes": list(self.notes)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> UnlabelledSummary:
        """Return the summary that :meth:`to_dict` wrote."""
        summary = cls(**{**values, "notes": tuple(values["notes"])})
        is_text = all(isinstance(text, str) for text in (summary.reason, *summary.notes))
        is_count = type(summary.n_documents) is int and 0 <= summary.n_documents < _MAX_DOCUMENTS
        if not (is_text and is_count and isinstance(values["notes"], list)):
            raise FileError(f"{values!r:.80} is not a summary of unlabelled documents")
        return summary


@dataclass(frozen=True)
class Advice:
    """The next steps that a report recommends, as code or as commands.

    Attributes
    ----------
    predict, label, compare : str
        How to predict labels, how to get more of them, and how to find problems of the data.
    columns, classes : str
        What to check if nothing was learned, and if there is a single class.
    groups : str
        How to hold out whole threads, or the latest documents.
    recalibrate : str
        How to fit probabilities again.
    details : str
        How to show the settings and the models that were compared.
    """

    predict: str = "clf.predict(new_texts)"
    label: str = "clf.learn(more_texts, more_labels), with more labelled texts"
    compare: str = "tallytext.compare(texts, labels), which finds problems of the data"
    columns: str = "check that each label belongs to its text, and that texts are the right ones"
    classes: str = "clf.fit(texts, labels), with texts of at least two labels"
    groups: str = "pass groups= or time= to fit"
    recalibrate: str = "clf.recalibrate(texts, labels)"
    details: str = "clf.report().to_text(verbose=True)"


# Verdicts, from worst to best.
_UNKNOWN, _USELESS, _WEAK, _GOOD = "unknown", "not enough", "weak", "good"
# A model that avoids fewer of the mistakes of the baseline is weak.
_MIN_AVOIDED = 0.5
# Widest interval of the accuracy, and fewest documents, that a verdict is certain with.
_MAX_INTERVAL, _MIN_EVALUATED = 0.12, 50

_HELD_OUT = {
    "cross-validation": "{n}, each predicted by a model trained without it (cross-validation)",
    "sample": "a sample of {n}, each predicted by a model trained without it (cross-validation)",
    "groups": "{n}, each predicted by a model trained without its group",
    "time": "the latest {n}, held out of the training",
    "held out": "{n} that were held out of the training",
}


@dataclass(frozen=True)
class HeldOutDuplicates:
    """Held-out documents with a near duplicate among the documents that were not held out.

    Attributes
    ----------
    n_checked, n_duplicates : int
        The held-out documents, and those with a near duplicate.
    score : float
        The accuracy on all of them.
    score_without : float or None
        The accuracy on those without a near duplicate; None if there are none.

    Examples
    --------
    >>> print(HeldOutDuplicates(100, 12, 0.84, 0.812))
    12% of the held-out documents have a near duplicate in training: without them the accuracy \
is 81.2% instead of 84.0%
    """

    n_checked: int
    n_duplicates: int
    score: float
    score_without: float | None

    @property
    def is_notable(self) -> bool:
        """True if they are many and the accuracy falls clearly without them, or all are."""
        if not self.n_duplicates >= _MIN_NEAR_SHARE * self.n_checked > 0:
            return False
        without = self.score_without
        return without is None or falls_clearly(self.score, without, self.n_checked)

    def __str__(self) -> str:
        if self.score_without is None:
            return "all held-out documents have a near duplicate in training: none of them is new"
        return (
            f"{self.n_duplicates / self.n_checked:.0%} of the held-out documents have a near "
            f"duplicate in training: without them the accuracy is {self.score_without:.1%} instead "
            f"of {self.score:.1%}"
        )


@dataclass(frozen=True)
class Report:
    """The expected accuracy of a classifier, whether it is enough, its data and its model.

    Attributes
    ----------
    learner, setting : str
        The selected learner, and the parameters that are not its defaults.
    multi_label : bool
        True if documents may have several labels or none.
    n_documents, n_classes, n_terms, n_tokens : int
        The counts at present.
    trials : list of CandidateScore
        The candidates of model selection, the best first; only one if the model was named.
    score : float or None
        Accuracy on held-out documents, or micro-F1 if documents may have several labels.
    n_evaluated : int
        The number of these documents.
    method : str
        How they were held out: random folds ("cross-validation"), folds of a "sample", whole
        "groups", the latest in "time", or "held out" for the documents of ``recalibrate``.
    changes : Changes
        Since the calibration was fitted.
    updates : Changes
        Since the training; the calibration may have been fitted again.
    duplicates : Duplicates or None
        Documents that occurred more than once when the classifier was fitted.
    near_duplicates : HeldOutDuplicates or None
        Held-out documents that are nearly the same as a training document, and their effect on the
        accuracy; None for a classifier that was read from a file, and for multi-label documents.
    n_unlabelled : int
        The number of documents without labels.
    reason : str
        Why a learner was selected that uses these, or one that does not; empty for a learner that
        was named.
    notes : list of str
        Sentences of the learner about their use.
    origin : list of str
        Sentences about the tally that the classifier was made from, and about planes that were
        dropped.
    thresholds : dict or None
        The probability from which each label is given, if documents may have several.
    is_stale : bool
        True if the model has changed and its probabilities are no longer valid.
    chosen : list of str
        Parameters of the smoothing that the counts determine, with their values at present.
    select : str
        The selector of terms as an expression; empty if the model reads all terms.
    check : ConfidenceCheck or None
        Confidence and accuracy of documents that were scored before they were learned, since the
        calibration was fitted; None if there are none, or documents may have several labels.
    description : str
        The learner and its features in words.
    baseline : float or None
        The score of always predicting ``most_frequent``; None if there are no documents.
    most_frequent : object
        The most frequent class.
    n_single : int
        Documents that were not held out, because they are the only ones of their class.

    Examples
    --------
    >>> from tallytext import TextClassifier
    >>> texts = ["salt wave", "deep wave", "white cloud", "cloud wind"] * 25
    >>> clf = TextClassifier("multinomial").fit(texts, ["sea", "sea", "sky", "sky"] * 25)
    >>> for line in str(clf.report()).splitlines()[:2]:
    ...     print(line)
    100.0% accuracy expected on new texts like these (95% interval: 96.3% to 100.0%)
      measured on  100 documents, each predicted by a model trained without it (cross-validation)
    """

    learner: str
    setting: str
    multi_label: bool
    n_documents: int
    n_classes: int
    n_terms: int
    n_tokens: int
    trials: list[CandidateScore]
    score: float | None
    n_evaluated: int
    method: str
    changes: Changes
    duplicates: Duplicates | None
    n_unlabelled: int = 0
    reason: str = ""
    notes: list[str] = field(default_factory=list)
    origin: list[str] = field(default_factory=list)
    thresholds: dict[Any, float] | None = None
    is_stale: bool = False
    chosen: list[str] = field(default_factory=list)
    select: str = ""
    check: ConfidenceCheck | None = None
    description: str = ""
    baseline: float | None = None
    most_frequent: Any = None
    updates: Changes = field(default_factory=Changes)
    n_single: int = 0
    # Left out of comparisons, because a model file does not hold it.
    near_duplicates: HeldOutDuplicates | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def to_text(self, verbose: bool = False, advice: Advice | None = None) -> str:
        """Return the report as text: expected accuracy, verdict, next step, data and model.

        Parameters
        ----------
        verbose : bool, default=False
            True to add the settings, the comparison of the learners, and all notes of the learner.
        advice : Advice, default=None
            The next steps to recommend; None for Python code.
        """
        given = Advice() if advice is None else advice
        parts = [self._expected_lines(given), self._data_lines(given, verbose)]
        details = self._setting_lines()
        if verbose:
            parts.append([*details, *self._selection_lines()])
        elif len(self.trials) > 1 or len(self.notes) > 1 or details:
            parts[-1] += _section("details", [given.details])
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def _repr_html_(self) -> str:
        """Return tables for a notebook: the lines of the report, and the learners compared."""
        head, *lines = self.to_text(verbose=True).splitlines()
        best = self._best_of_each_learner()
        lines = lines[: len(lines) - len(self._selection_lines())] if best else lines
        rows = [
            # A line without a heading runs through the place of the heading.
            (line[:_HEADING].strip(), line[_HEADING:])
            if line[:_HEADING].endswith(" ")
            else ("", line.strip())
            for line in lines
            if line
        ]
        compared = ""
        if best:
            trials = ((t.learner, f"{t.score:.1%}", f"{t.n_documents:,}", t.setting) for t in best)
            heads = ["learner", self.measure, "documents", "setting"]
            compared = "<p>The best setting of each learner:</p>" + notebook_table(heads, trials)
        return f"<p><b>{escape(head)}</b></p>{notebook_table([], rows)}{compared}"

    @property
    def measure(self) -> str:
        """The name of the score: "micro-F1" with several labels, otherwise "accuracy"."""
        return "micro-F1" if self.multi_label else "accuracy"

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of the expected accuracy; None for micro-F1, or without a score."""
        if self.score is None or self.multi_label:
            return None
        return wilson_interval(self.score * self.n_evaluated, self.n_evaluated)

    @property
    def verdict(self) -> str:
        """Whether the score is enough: "good", "weak", "not enough" or "unknown"."""
        if self.score is None or self.baseline is None:
            return _UNKNOWN
        if (self.interval or (self.score,))[0] <= self.baseline:
            return _USELESS
        return _GOOD if self._share_avoided >= _MIN_AVOIDED else _WEAK

    @property
    def _share_avoided(self) -> float:
        """Share of the baseline's mistakes that the model avoids."""
        return ((self.score or 0.0) - (self.baseline or 0.0)) / max(1 - (self.baseline or 0), 1e-9)

    @property
    def _is_certain(self) -> bool:
        low, high = self.interval or (0.0, 0.0)
        return high - low <= _MAX_INTERVAL and self.n_evaluated >= _MIN_EVALUATED

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        # The key stays "several", which scripts read from the output of the command line.
        keys = {"multi_label": "several"}
        values = {keys.get(name, name): value for name, value in asdict(self).items()}
        between = None if self.interval is None else list(self.interval)
        values |= {"measure": self.measure, "interval": between, "verdict": self.verdict}
        # A model file does not hold it, and the report of a file should not differ.
        del values["near_duplicates"]
        duplicates = self.duplicates
        thresholds = self.thresholds
        return values | {
            "duplicates": None if duplicates is None else duplicates.to_dict(),
            "thresholds": thresholds and {str(label): v for label, v in thresholds.items()},
        }

    def _expected_lines(self, advice: Advice) -> list[str]:
        """Return the expected score, its basis, the verdict and the next step."""
        if self.score is None:
            return [
                f"{self.measure} unknown: no documents could be held out to measure it",
                *_section("verdict", self._verdict_lines()),
                *_section("next", self._next_steps(advice)),
            ]
        between = "" if self.interval is None else " (95% interval: {:.1%} to {:.1%})"
        n = _number_of(self.n_evaluated, "document")
        baseline = [f"{self.baseline:.1%} by always predicting the most frequent label"]
        named = f", {str(self.most_frequent)!r}"
        only = f"{_number_of(self.n_single, 'document')} left out"
        single = [f"{only}: each the only one of its class"] * (self.n_single > 0)
        return [
            f"{self.score:.1%} {self.measure} expected on new texts like these"
            + between.format(*(self.interval or ())),
            *_section("measured on", [_HELD_OUT.get(self.method, "{n}").format(n=n), *single]),
            *_section("baseline", [baseline[0] + named] if self.baseline is not None else []),
            *_section("verdict", self._verdict_lines()),
            *_section("caution", self._caution_lines(advice)),
            *_section("next", self._next_steps(advice)),
        ]

    def _verdict_lines(self) -> list[str]:
        if self.verdict == _UNKNOWN:
            if not self.n_documents and self.n_unlabelled and self.n_classes:
                return [
                    "unknown: no document has a label, so nothing was checked; the model knows "
                    "the names of the classes and the unlabelled documents"
                ]
            if not self.n_documents:
                return ["unknown: the model has no documents"]
            if self.method:
                why = "probabilities are cautious, because each class has only one document"
            else:
                why = (
                    "probabilities are not calibrated, because there were no documents to "
                    "calibrate them on"
                )
            return [f"unknown; {why}"]
        reason = {
            _USELESS: "not clearly better than the baseline",
            _WEAK: f"avoids only {self._share_avoided:.0%} of the baseline's mistakes",
            _GOOD: f"avoids {self._share_avoided:.0%} of the baseline's mistakes",
        }[self.verdict]
        measured = _number_of(self.n_evaluated, "document")
        doubt = f"uncertain, because it was measured on {measured} only: more labels would help"
        return [f"{self.verdict}: {reason}", *[doubt] * (not self._is_certain)]

    def _caution_lines(self, advice: Advice) -> list[str]:
        if self.method not in ("cross-validation", "sample"):
            return []
        when = "texts come in threads, by author or as near duplicates"
        check = [f"to check: {advice.groups}"] * (self.method == "cross-validation")
        return [f"the figure is too high if {when}", *check]

    def _next_steps(self, advice: Advice) -> list[str]:
        if self.n_classes == 1 and not self.multi_label:
            return [advice.classes]
        # Of fewer documents, nothing better can be expected.
        is_suspicious = self.verdict == _USELESS and self.n_evaluated >= _MIN_EVALUATED
        return [*[advice.columns] * is_suspicious, self._next_step(advice)]

    def _next_step(self, advice: Advice) -> str:
        if self.is_stale:
            return advice.recalibrate
        if self.verdict in (_USELESS, _WEAK) and self._is_certain:
            return advice.compare
        return advice.predict if self.verdict == _GOOD and self._is_certain else advice.label

    def _data_lines(self, advice: Advice, verbose: bool) -> list[str]:
        """Return the numbers of documents and features, the model in words, and what changed."""
        labels = "several labels per document" if self.multi_label else "one label per document"
        n, duplicates = self.n_unlabelled, self.duplicates
        notes = self.notes if verbose else self.notes[:1]
        unlabelled = [_number_of(n, "document")] * (n > 0) + [self.reason] * bool(self.reason)
        learned = (
            f"{_number_of(self.n_documents, 'document')}, "
            f"{self.n_classes:,} class{'es' * (self.n_classes != 1)}, {labels}"
        )
        counted = f"{self.n_terms:,} distinct features from {self.n_tokens:,} occurrences"
        has_repeated = duplicates is not None and (
            duplicates.n_repeated or duplicates.n_conflicting
        )
        return [
            *_section("learned", [learned, counted]),
            *_section("counted", self.origin),
            *_section("unlabelled" if n else "learning", [*unlabelled, *notes]),
            *_section("duplicates", str(duplicates).splitlines() if has_repeated else []),
            *_section("stale" if self.is_stale else "changed", self._change_lines(advice)),
            *_section("model", [self.description or self.learner]),
            *_section("thresholds", self._threshold_lines() if self.score is not None else []),
        ]

    def _setting_lines(self) -> list[str]:
        """Return the settings of the model."""
        return [
            *_section("terms", [self.select] * bool(self.select)),
            *_section("smoothing", self.chosen),
        ]

    def _change_lines(self, advice: Advice) -> list[str]:
        if self.updates and not self.changes:
            return [f"{self.updates} since the training; calibrated afterwards"]
        if self.score is None or not self.changes:
            return []
        if self.is_stale:
            lines = [
                f"{self.changes} since probabilities, sets and thresholds were calibrated; run "
                f"{advice.recalibrate}"
            ]
        elif self.multi_label:
            lines = [
                f"{self.changes} since the training; probabilities and thresholds are "
                "updated with them"
            ]
        else:
            lines = [f"{self.changes} since the training; probabilities are still valid"]
        if self.check is not None:
            lines += _check_lines(self.check)
        return lines

    def _threshold_lines(self) -> list[str]:
        if not self.thresholds:
            return []
        values = sorted(self.thresholds.values())
        if values[0] == values[-1]:
            return [f"labels are assigned at a probability of {values[0]:.2f} or more"]
        ranked = sorted(self.thresholds.items(), key=lambda each: each[1])
        shown = [
            f"{label} {value:.2f}" if value <= 1 else f"{label} never"
            for label, value in (ranked[0], ranked[len(ranked) // 2], ranked[-1])
        ]
        return [f"each label is assigned at a probability of its own or more: {', '.join(shown)}"]

    def _best_of_each_learner(self) -> list[CandidateScore]:
        """Return the best candidate of each learner; empty if none were compared."""
        scored = [each for each in self.trials if each.score is not None]
        best = {each.learner: each for each in reversed(scored)}
        return [each for each in scored if best[each.learner] is each and len(self.trials) > 1]

    def _selection_lines(self) -> list[str]:
        if len(self.trials) < 2:
            return _section("setting", [self.setting])
        scored = [each for each in self.trials if each.score is not None]
        if not scored:
            reason = "not compared with others, because there were too few documents"
            return _section("setting", [f"{self.setting}, {reason}"])
        lines = [f"  chosen as the best of {len(scored)} settings; the best of each learner:"]
        lines += [
            f"    {each.score:>6.1%} of {each.n_documents:>5,}  {each.learner:<12}  {each.setting}"
            for each in self._best_of_each_learner()
        ]
        if skipped := sorted({each.learner for each in self.trials if each.score is None}):
            lines.append(f"  not all tried, to save time: {', '.join(skipped)}")
        return lines


def _section(heading: str, lines: list[str]) -> list[str]:
    """Return lines with a heading before the first of them."""
    # One heading more than lines, so that no lines give no heading either.
    headings = [f"  {heading}", *[""] * len(lines)]
    return [f"{head:<{_HEADING}}{line}" for head, line in zip(headings, lines, strict=False)]


def _check_lines(check: ConfidenceCheck) -> list[str]:
    """Return sentences about documents that were predicted before they were learned."""
    n = check.n_documents
    were = "was" if round(n) == 1 else "were"
    right, sure = check.right / n, check.confidence / n
    lines = [
        f"{_number_of(round(n), 'document')} {were} predicted before learning: {right:.1%} right, "
        f"with a mean probability of {sure:.1%}"
    ]
    often = "corrections are often documents that the model got wrong"
    return [*lines, *[often] * (right < sure - _LARGE_GAP)]


def _number_of(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"


def describe_model(model: Any) -> str:
    """Return the expression of an estimator, or its class and parameters if it has none.

    Examples
    --------
    >>> from tallytext import MultinomialNB
    >>> from tallytext.models import AbsoluteDiscount, Laplace
    >>> describe_model(MultinomialNB(Laplace(0.3), complement=True))
    'contrast(smoothing=laplace(epsilon=0.3))'
    >>> describe_model(MultinomialNB(AbsoluteDiscount(), class_weight={"spam": 2}))
    "MultinomialNB(smoothing=AbsoluteDiscount(), class_weight={'spam': 2})"
    """
    try:
        return format_estimator(model)
    except ExpressionError:
        return _describe_parameters(model)


def _describe_parameters(model: Any) -> str:
    """Return the class of a model, or of its smoothing, and the parameters that were changed."""
    if is_dataclass(model):
        own = [each for each in fields(model) if each.init]
        given = {each.name: getattr(model, each.name) for each in own}
        defaults: dict[str, Any] = {each.name: each.default for each in own}
    else:
        kind: Any = type(model)
        given = model.get_params(deep=False)
        defaults = {name: each.default for name, each in signature(kind).parameters.items()}
        # A progress bar is no part of a model.
        defaults.pop("verbose", None)
    shown = []
    for name, default in defaults.items():
        value = given[name]
        # True == 1 == 1.0, but they are different settings.
        if default is not MISSING and type(value) is type(default) and bool(value == default):
            continue
        is_nested = is_dataclass(value) and not isinstance(value, type)
        if name == "translation" and hasattr(value, "rows_"):
            n_rows, n_words = value.rows_.shape
            shown.append(f"{name}=<{n_rows:,} signatures into {n_words:,} words>")
        else:
            shown.append(f"{name}={_describe_parameters(value) if is_nested else repr(value)}")
    return f"{type(model).__name__}({', '.join(shown)})"


def describe_features(vectorizer: TextVectorizer) -> str:
    """Return the features that a vectorizer counts, in words.

    Parameters
    ----------
    vectorizer : TextVectorizer

    Examples
    --------
    >>> from tallytext import TextVectorizer
    >>> describe_features(TextVectorizer(ngram_range=(1, 2), chars=(2, 4)))
    'words, pairs of words and strings of 2 to 4 characters'
    >>> describe_features(TextVectorizer(tokens="chars"))
    'strings of 2 to 4 characters'
    """
    is_chars, ngrams = vectorizer.tokens == "chars", vectorizer.ngram_range
    tokens = "words" if isinstance(vectorizer.tokens, str) else "tokens"
    parts = []
    if is_chars:
        parts.append(_describe_range(*(ngrams or (2, 4)), "characters"))
    else:
        first, last = ngrams or (1, 1)
        parts += [tokens] * (first == 1)
        if last > 1:
            parts.append(_describe_range(max(first, 2), last, tokens))
        if vectorizer.chars is not None:
            parts.append(_describe_range(*vectorizer.chars, "characters"))
    *most, last_part = parts
    return f"{', '.join(most)} and {last_part}" if most else last_part


def _describe_range(shortest: int, longest: int, things: str) -> str:
    if (shortest, longest) == (2, 2):
        return f"pairs of {things}"
    lengths = str(longest) if shortest == longest else f"{shortest} to {longest}"
    return f"strings of {lengths} {things}"


def baseline_score(tally: Tally, multi_label: bool) -> tuple[float | None, Any]:
    """Return the score of always predicting the most frequent class, and this class.

    Parameters
    ----------
    tally : Tally
    multi_label : bool
        True for micro-F1 and not accuracy.
    """
    documents = tally.class_documents
    n_labels = float(documents.sum())
    if not n_labels:
        return None, None
    n_best, n_documents = float(documents.max()), float(tally.n_documents)
    # Of equally frequent ones the first label, because the order of classes is that of arrival.
    best = sort_labels(tally.classes[c] for c in np.flatnonzero(documents == documents.max()))[0]
    score = 2 * n_best / (n_documents + n_labels) if multi_label else n_best / n_labels
    return score, best


def describe_chosen(model: Any) -> list[str]:
    """Return the parameters of a model's smoothing that the counts determine, with their values.

    Examples
    --------
    >>> from tallytext import MultinomialNB
    >>> from tallytext.models import AbsoluteDiscount
    >>> X, y = [[3, 2, 1, 0], [0, 1, 1, 1]], ["X", "Y"]
    >>> describe_chosen(MultinomialNB(AbsoluteDiscount("leave-one-out")).fit(X, y))
    ['b = 0.5809 (leave-one-out; bounds 0.5333 and 0.6667)']
    >>> describe_chosen(MultinomialNB().fit(X, y))
    []
    """
    smoothing = getattr(model, "smoothing", None)
    if not isinstance(smoothing, Smoothing) or not isinstance(model, MultinomialNB):
        return []
    given, used, bounds = vars(smoothing), vars(model.smoothing_), model.discount_bounds_
    notes = {} if bounds is None else {"b": f"; bounds {bounds.lower:.4f} and {bounds.upper:.4f}"}
    return [
        f"{name} = {used[name]:.4g} ({rule}{notes.get(name, '')})"
        for name, rule in given.items()
        if isinstance(rule, str) and isinstance(used[name], float)
    ]


def check_semi_supervised(learner: Learner) -> None:
    """Raise SettingsError if a learner cannot use documents without labels."""
    if learner.unlabelled:
        return
    able = " or ".join(f"model={each.name!r}" for each in learners(unlabelled=True))
    alone = " A naive Bayes model by itself, given counts, has fit(X, y, unlabelled=)."
    raise SettingsError(
        f"{learner.name} learns nothing from unlabelled documents in a classifier. Use {able}, "
        'or let model="auto" select a learner, or fit without unlabelled=.'
        f"{alone * learner.additive}"
    )


def refuse_multi_label() -> NoReturn:
    """Raise LabelError: documents without labels cannot be used with several labels."""
    raise LabelError(
        "unlabelled documents can be used only if each of the other documents has exactly one "
        "label, and here documents may have several or none. Pass texts whose labels are not known "
        "as unlabelled= and not with the label []; or fit without unlabelled=; or fit one "
        'classifier for each label, with the labels "yes" and "no".'
    )


def explain_unlabelled_choice(
    n_labels: float,
    chosen: Learner,
    compared: Sequence[Learner],
    scores: Sequence[CandidateScore],
    outnumbered: bool = False,
) -> str:
    """Return the reason why a learner was selected, if there were documents without labels.

    Parameters
    ----------
    n_labels : float
        Labels per class, the median.
    chosen : Learner
    compared : sequence of Learner
        All candidates, including the selected one.
    scores : sequence of CandidateScore
        Their scores on held-out documents, the best first.
    outnumbered : bool, default=False
        Whether there are more labelled documents than unlabelled ones.

    Examples
    --------
    >>> from tallytext.classifier import find_learner
    >>> from tallytext.classifier.model_selection import CandidateScore
    >>> pooled, other = find_learner("pooled"), find_learner("refined")
    >>> print(explain_unlabelled_choice(10, pooled, [pooled], []))
    pooled learns from them; not compared with learners that cannot, because it is usually better \
with so few labels (10 per class, the median)
    >>> scores = [CandidateScore("pooled", "", 0.71, 900), CandidateScore("refined", "", 0.68, 900)]
    >>> print(explain_unlabelled_choice(60, pooled, [pooled, other], scores))
    pooled learns from them: 71.0% of held-out documents right, and 68.0% by refined without them
    """
    if outnumbered and not any(each.unlabelled for each in compared):
        return "not used: fewer than the labelled documents, and so few seldom help"
    if not any(each.unlabelled for each in compared):
        return "not used: a table of their words and all classes would not fit into memory"
    if not n_labels:
        return f"{chosen.name} learns from them and from the names of the classes"
    if all(each.unlabelled for each in compared):
        return (
            f"{chosen.name} learns from them; not compared with learners that cannot, because it "
            f"is usually better with so few labels ({n_labels:g} per class, the median)"
        )
    able = {each.name for each in compared if each.unlabelled}
    measured = [each for each in scores if each.score is not None]
    with_them = [each for each in measured if each.learner in able]
    others = [each for each in measured if each.learner not in able]
    if not with_them or not others:
        return f"{chosen.name} was taken without a comparison, for lack of time or documents"
    best, rest = (each[0] for each in (with_them, others))
    assert best.score is not None and rest.score is not None
    if chosen.unlabelled:
        return (
            f"{best.learner} learns from them: {best.score:.1%} of held-out documents right, and "
            f"{rest.score:.1%} by {rest.learner} without them"
        )
    is_lower = " (the difference may be chance)" * (rest.score < best.score)
    return (
        f"not used: {rest.learner} without them has {rest.score:.1%} of held-out documents right, "
        f"and {best.learner} with them {best.score:.1%}{is_lower}"
    )


def describe_origin(
    origin: Origin | None, tally: Tally, n_sampled: int, n_uncertain: int, n_compared: int
) -> list[str]:
    """Return sentences about the tally that a classifier was made from.

    Parameters
    ----------
    origin : Origin or None
        How the tally was counted, if that is known.
    tally : Tally
    n_sampled : int
        The number of documents in the sample.
    n_uncertain : int
        The number of words of the sample that models were scored without.
    n_compared : int
        The number of models that were scored on the sample; 0 if there were too few documents.
    """
    # Without the number of partitions: a model does not depend on it.
    source = "a tally" if origin is None else "in partitions"
    sampled = f"a sample of {_number_of(n_sampled, 'document')}"
    if n_compared:
        models = "models compared" if n_compared > 1 else "the model scored"
        scoring = f"{models} on {sampled} of {tally.n_documents:,}"
    elif n_sampled:
        scoring = f"{sampled} is too small to score models on"
    else:
        scoring = "no sample of documents to score models on"
    sentences = [f"{source}; {scoring}"]
    if origin is not None and origin.n_skipped:
        sentences.append(f"{_number_of(origin.n_skipped, 'row')} left out that could not be read")
    if origin is not None and origin.dropped:
        sentences.append(
            f"{_number_of(origin.dropped.n_tokens, 'occurrence')} of rare words left out: no count "
            f"is off by more than {origin.dropped.bound:,}"
        )
    if origin is not None and origin.overflowing:
        sentences.append(describe_overflow(origin.overflowing))
    if n_uncertain:
        sentences.append(
            f"{_number_of(n_uncertain, 'word')} of the sample ignored in scoring: the tally has "
            "fewer of them than the sample"
        )
    return sentences


def describe_overflow(planes: list[Plane]) -> str:
    """Return a sentence about planes that were dropped because their sums overflow."""
    return f"not counted: {', '.join(map(repr, planes))}, whose sums would exceed 64 bits"
