"""What phrases and words cost: finding them, learning translations, judging."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from numpy.typing import NDArray
from scipy import sparse

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import TITLES, documents
from experiments.zhou.learned import CUT, LIMIT, Learned, new_phrases, stop_words
from experiments.zhou.trials import SHARE, Trial, samples
from tallytext import TextVectorizer
from tallytext.models import Semantic
from tallytext.semantic import TranslationModel

HEADING = "Efficiency: phrases against words"
ABOUT = """The paper makes statements about speed without figures. The table has seconds, the best
of two runs in one process. *Extraction* is counting words and, for CSSS, also finding and counting
phrases by Xtract. *Translation* is the estimation of rows from counts. *Classes* is the smoothing
of all classes from a sample of 5 %, including the mixture of rows for each class, and *judging* is
the prediction of all other documents. In the library both kinds of smoothing result in one number
for each class and word, so prediction takes equally long. The row on mixing has the time of a
program that mixes rows for every document."""
CORPORA = ("newsgroups", "ohsumed")
STEPS = {
    "extraction": "extraction",
    "translation": "translation",
    "classes": "classes",
    "judging": "judging",
    "mixing": "rows of 500 documents, mixed",
    "rows": "signatures with a row",
}


def measure(work: Workplace) -> dict[str, Any]:
    """Take the times of all steps."""
    return {name: _times(work, name) for name in work.track(CORPORA)}


def _times(work: Workplace, name: str) -> dict[str, Any]:
    read = documents(work, name)
    vectorizer, finder = TextVectorizer(stop_words=stop_words(name)), new_phrases(name, "xtract")
    of_words, words = best(lambda: sparse.csr_array(vectorizer.fit_transform(read.texts)))
    of_phrases, held = best(lambda: sparse.csr_array(finder.fit_transform(read.texts)))
    names, phrase_names = vectorizer.get_feature_names_out(), finder.get_feature_names_out()
    ciss, csss = (
        TranslationModel(kind, counts="documents", **CUT) for kind in ("words", "phrases")
    )
    by_word, ciss = best(lambda: ciss.fit_counts(words, names))
    by_phrase, csss = best(lambda: csss.fit_counts(words, names, held, phrase_names))
    both = sparse.csr_array(sparse.hstack([words, held], "csr"))
    return {
        "ciss": {"extraction": of_words, "translation": by_word}
        | _judging(Learned(ciss, words), read.labels),
        "csss": {"extraction": of_words + of_phrases, "translation": by_phrase}
        | _judging(Learned(csss, both), read.labels),
    }


def _judging(known: Learned, labels: NDArray[Any]) -> dict[str, Any]:
    """Return the seconds that classes take, and then documents."""
    trial = Trial(known, labels, next(samples(labels, SHARE, 1)))
    pool = known.counts[trial.others]

    def classes() -> None:
        # A new smoothing, so that nothing is known of it.
        trial.model.set_params(
            smoothing=Semantic(known.translation, min_probability=LIMIT)
        ).predict(pool[:1])

    return {
        "classes": best(classes)[0],
        "judging": best(lambda: trial.model.predict(pool))[0],
        "mixing": best(lambda: known.translation.translate(pool[:500]))[0],
        "rows": len(known.translation.signatures_),
    }


def best(run: Callable[[], Any], times: int = 2) -> tuple[float, Any]:
    """Return the least seconds that something took, and what it returned."""
    least, found = float("inf"), None
    for _ in range(times):
        start = perf_counter()
        found = run()
        least = min(least, perf_counter() - start)
    return least, found


def show(found: Record) -> Iterator[Any]:
    """Put both kinds of signatures side by side."""
    for name in CORPORA:
        times = found[name]
        rows = [(title, times.ciss[step], times.csss[step]) for step, title in STEPS.items()]
        yield Table(f"{TITLES[name]}: seconds", ("", "CISS", "CSSS"), rows, 2)
