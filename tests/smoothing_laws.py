"""What every smoothing must obey, those that users write included."""

import itertools

import numpy as np
from hypothesis import strategies as st

from tallytext import MultinomialNB, Plane, Tally
from tallytext.errors import RecipeError
from tallytext.models import ClassStatistics

TFS = ("raw", "log", "binary")
NORMS = (None, "l1", "l2")
VARIANTS = tuple(itertools.product(TFS, NORMS))


def corpora(labels="XYZ"):
    """Matrices of counts with labels: several, one or none per document, empty documents too."""
    counts = st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, 5]), min_size=5, max_size=5)
    few = st.lists(st.sampled_from(labels), max_size=2, unique=True)
    rows = st.lists(st.tuples(counts, few), min_size=1, max_size=7)
    return rows.map(lambda pairs: tuple(map(list, zip(*pairs, strict=True))))


def single_label(labels="XYZ", min_size=2):
    counts = st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, 5]), min_size=5, max_size=5)
    pairs = st.lists(st.tuples(counts, st.sampled_from(labels)), min_size=min_size, max_size=8)
    return pairs.map(lambda pairs: tuple(map(list, zip(*pairs, strict=True))))


def closed(smoothing, rows, labels, tf, norm, **options):
    """A model of matrices of one width."""
    model = MultinomialNB(smoothing, tf=tf, normalize=norm, **options)
    return model.partial_fit(rows, labels, classes=["never"])


def open_(smoothing, rows, labels, tf, norm, **options):
    """A model of a tally whose vocabulary grows, with a word and a class that are no more."""
    planes = [] if (tf, norm) in (("raw", None), ("binary", None)) else [Plane(tf, norm)]
    terms = [f"w{at}" for at in range(len(rows[0]))]
    tally = Tally.from_counts(rows, labels, terms, planes=planes)
    tally.learn({"once": 3}, "gone").forget({"once": 3}, "gone")
    return MultinomialNB.from_tally(tally, smoothing=smoothing, tf=tf, normalize=norm, **options)


def probabilities(model):
    """p(w|c) and p(w|c̄), words by classes."""
    reading = model._reader().read()
    counts = model.word_counts(reading)
    return counts.rows(0, reading.n_terms), counts.complement_rows(0, reading.n_terms)


def smoothing_laws(smoothing, rows, labels):
    """Assert what holds for any smoothing on any corpus with a token in it."""
    for (tf, norm), build in itertools.product(VARIANTS, (closed, open_)):
        try:
            model = build(smoothing, rows, labels, tf, norm)
            inside, rests = probabilities(model)
        except RecipeError:
            assert build is open_  # sums of fractions do not tell b
            continue
        _are_distributions(inside)
        _are_distributions(rests)
    _tells_the_truth_about_itself(smoothing)


def _are_distributions(table):
    assert (table >= 0).all()
    np.testing.assert_allclose(table.sum(axis=0), 1.0, rtol=1e-9)


def _tells_the_truth_about_itself(smoothing):
    if isinstance(getattr(smoothing, "b", 0), str) or getattr(smoothing, "m", 0) is None:
        return  # not before it is resolved
    counts = np.array([1.0, 2.0, 4.0])
    here, larger = _three_words(counts, 1.0), _three_words(counts, 2.0)
    seen = smoothing.seen_probability(counts, here)
    if smoothing.linear:
        np.testing.assert_allclose(seen, seen[0] * counts)
    if smoothing.local and (smoothing.backoff_mass(here) > 0).all():
        ratio, other = (
            seen / smoothing.backoff_mass(here),
            smoothing.seen_probability(counts, larger),
        )
        np.testing.assert_allclose(other / smoothing.backoff_mass(larger), ratio)


def _three_words(counts, factor):
    """A class of three words, in a corpus and vocabulary of some size."""

    def total(measure, occurrences=False):
        return np.full(3, (measure(counts) * (counts * factor if occurrences else 1.0)).sum())

    tokens, terms = np.full(3, counts.sum()), np.full(3, 3.0)
    return ClassStatistics(tokens, terms, 20.0 * factor, 10.0 * factor, True, total)
