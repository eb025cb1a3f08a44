"""Models whose counts are smoothed: which smoothing, by what it is chosen, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tallytext.bayes.base import NO_TERMS
from tallytext.bayes.left_out_choice import left_out_accuracies
from tallytext.bayes.left_out_pieces import Leaving
from tallytext.bayes.model import NaiveBayes
from tallytext.bayes.reading import Column, Reader, Reading
from tallytext.bayes.token_documents import token_documents
from tallytext.bayes.translated import ClassTranslations
from tallytext.bayes.translated_reading import TranslatedReading
from tallytext.bayes.word_probabilities import WordCounts
from tallytext.planes import Plane
from tallytext.smoothing import Background, Corpus, Smoothing
from tallytext.smoothing.base import Numbers
from tallytext.smoothing.signatures import Signatures
from tallytext.smoothing.token_leave_one_out import TokenDocuments
from tallytext.targets import Targets


class Smoothed(NaiveBayes):
    """From a reading to smoothed counts; what cannot be chosen from sums is from documents."""

    smoothing: Smoothing | None
    norm_length: float | None
    chosen_: tuple[Smoothing, Smoothing] | None = None

    def _leaving_of(self, reading: Reading, counts: WordCounts, translations: Any) -> Leaving:
        """Return what scores documents left out by given counts."""
        raise TypeError(f"{type(self).__name__} must say how documents left out are scored.")

    def _counted(self, unit: float, weighted: bool) -> Column:
        """Return the column that is counted."""
        raise TypeError(f"{type(self).__name__} must say what it counts.")

    def word_counts(self, reading: Reading, smoothing: Smoothing | None = None) -> WordCounts:
        """Return the smoothed counts behind the weights, by a given smoothing or by the own one.

        Parameters
        ----------
        reading : Reading
            Sums of a tally, of one moment.
        smoothing : Smoothing, default=None
            None for that of the model.
        """
        column = self._counted(self.unit_, self.weighted_)
        whole = (
            self.expected_ is None
            and self.unit_ == 1
            and (isinstance(column, str) or self._whole_plane(column))
        )
        smoothing = self._resolved(reading) if smoothing is None else smoothing
        translated = self._translated(reading, smoothing)
        return WordCounts(
            reading=reading if translated is None else translated.reading,
            smoothing=smoothing,
            scale=self._scale(reading, column),
            n_terms=reading.n_live_terms if self.open_ else self.n_features_in_,
            closed=not self.open_,
            whole=whole,
            translated=translated,
        )

    def _translated(self, reading: Reading, smoothing: Smoothing) -> TranslatedReading | None:
        """Return the reading with what its signatures stand for, if the smoothing has any."""
        if not smoothing.translates:
            return None

        def make() -> ClassTranslations:
            whole = reading.all_terms()
            found = self._signatures(whole.source, whole.n_terms, smoothing)
            return ClassTranslations.of(found, whole)

        made = self.cache_.constants(reading.version, make, self._settings())
        return TranslatedReading.of(made, reading)

    def _signatures(self, source: Reader, width: int, smoothing: Smoothing) -> Signatures:
        """Return where the signatures of the smoothing are, found anew when terms were added."""
        vocabulary = source.vocabulary
        named = self.open_ or hasattr(self, "feature_names_in_")

        def make() -> Signatures:
            return smoothing.signatures(vocabulary.ids if named else None, width)

        settings = vocabulary.native, smoothing
        return self.cache_.constants(width, make, settings, "signatures")

    def _whole_plane(self, column: Plane) -> bool:
        # Weighed documents count whole only as long as nobody gives a fraction for a weight.
        return column.norm is None and column.tf != "log" and not column.weighted

    def _scale(self, reading: Reading, column: Column) -> float:
        raw = column.tf == "raw" if isinstance(column, Plane) else column == "occurrences"
        unit = self.unit_ if raw else 1.0
        if not isinstance(column, Plane) or column.norm is None:
            return unit
        if self.norm_length is not None:
            return float(self.norm_length)
        if not reading.scales[0]:
            return 1.0
        return float(reading.n_documents / reading.scales[0]) * unit

    def _resolved(self, reading: Reading) -> Smoothing:
        smoothing = Background() if self.smoothing is None else self.smoothing
        if self.chosen_ is not None and self.chosen_[0] is smoothing:
            return self.chosen_[1]
        return smoothing.resolved(self._corpus(reading))

    def _corpus(self, reading: Reading, documents: Any = None, left_out: Any = None) -> Corpus:
        column = self._counted(self.unit_, self.weighted_)
        counted = self._events(reading) if column == "occurrences" and self.unit_ == 1 else None
        tokens = reading.class_totals[0] * self._scale(reading, column)
        return Corpus(tokens, counted, documents, left_out)

    def _choose(self, X: Any, targets: Targets, weights: Numbers | None) -> None:
        smoothing, self.chosen_ = self.smoothing, None
        if smoothing is None:
            return
        reading = self._labelled_reader().read(NO_TERMS)
        if smoothing.translates:
            # Columns that do not fit are refused now, and not when a document comes.
            self._signatures(reading.source, self.n_features_in_, smoothing)
        column = self._counted(self.unit_, self.weighted_)
        asked: list[Any] = []

        def documents() -> TokenDocuments:
            training, whole = self._training(X, targets, weights), reading.all_terms()
            scale = self._scale(reading, column)
            asked.append(token_documents(training, column, whole, scale, self.unit_))
            return asked[-1]

        def left_out(candidates: Sequence[Smoothing]) -> list[float]:
            asked.append(candidates)
            return left_out_accuracies(self, X, targets, weights, candidates)

        resolved = smoothing.resolved(self._corpus(reading, documents, left_out))
        # What sums can tell is asked of them again whenever they have changed.
        self.chosen_ = (smoothing, resolved) if asked else None

    def _events(self, reading: Reading) -> Callable[[str, bool], dict[int, int]]:
        def counts(events: str, few: bool) -> dict[int, int]:
            return reading.counts_of_counts("pooled" if events == "pooled" else "cells", few)

        return counts
