"""Corpora for the tests of ``TextClassifier``, classifiers of them, and what to compare."""

import warnings
from itertools import chain

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tallytext import BernoulliNB, MultinomialNB, PoissonNB, TextClassifier
from tallytext.classifier import learners
from tallytext.errors import StaleWarning
from tallytext.models import AbsoluteDiscount

NAMED = [learner.name for learner in learners(additive=True)]
#: Found from training documents, not from counts: two that learned apart may differ in it.
BY_DOCUMENTS = MultinomialNB(AbsoluteDiscount("leave-one-document-out"))
BY_COUNTS = [
    *NAMED,
    MultinomialNB(AbsoluteDiscount("leave-one-out")),
    MultinomialNB.chi_contrast(),
    BernoulliNB(complement=True),
    PoissonNB(weighting="chi"),
]
MODELS = [*BY_COUNTS, BY_DOCUMENTS]

LABELS = ["sea", "sky", 0, 7, True]
WORDS = ["salt", "wave", "ship", "cloud", "blue", "wind"]

TEXTS = ["salt wave", "wave wave ship", "salt blue", "cloud blue", "blue cloud wind", "wind"]
PLACES = ["sea", "sea", "sea", "sky", "sky", "sky"]

texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
some_texts = st.lists(texts, min_size=1, max_size=4)
one_label = st.sampled_from(LABELS)
several_labels = st.lists(one_label, max_size=3, unique=True)


@st.composite
def corpora(draw, multi_label, min_size=1, max_size=8):
    """Texts and labels of some documents, of which one has a word and one a label."""
    labels = several_labels if multi_label else one_label
    documents = draw(st.lists(st.tuples(texts, labels), min_size=min_size, max_size=max_size))
    assume(any(text for text, _ in documents))
    assume(any(label != [] for _, label in documents))
    return tuple(map(list, zip(*documents, strict=True)))


def fitted(model, corpus, multi_label=False, **parameters):
    """A classifier of a corpus."""
    return TextClassifier(model, multi_label=multi_label, **parameters).fit(*corpus)


def larger(corpus, *others):
    """The documents of several corpora."""
    return tuple(list(chain(*parts)) for parts in zip(corpus, *others, strict=True))


def proba(clf, queries):
    """Probabilities, stale or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StaleWarning)
        return clf.predict_proba(queries)


def raw(clf, queries):
    """What is a pure function of the counts."""
    return clf.classes_.tolist(), clf.scores(queries).tobytes()


def answers(clf, queries):
    """All that can be compared between two classifiers that ought to be one."""
    report = clf.report().to_dict()
    return (*raw(clf, queries), proba(clf, queries).tobytes(), repr(report))


def spread():
    """A corpus on which models differ, and may be calibrated: two hundred documents."""
    rng = np.random.default_rng(7)
    labels = [["sea", "sky", "land"][number] for number in rng.integers(0, 3, 200)]
    words = {"sea": "salt wave ship", "sky": "cloud blue wind", "land": "tree road hill"}
    made = []
    for label in labels:
        own, any_ = words[label].split(), " ".join(words.values()).split()
        made.append(" ".join([*rng.choice(own, 3), *rng.choice(any_, 4)]))
    return made, labels


def spread_several():
    """The same, where some documents have two labels and some none."""
    made, labels = spread()
    pairs = list(zip(made, labels, strict=True))
    both = [
        (f"{a} {b}", sorted({x, y})) for (a, x), (b, y) in zip(pairs[::2], pairs[1::2], strict=True)
    ]
    one = [(text, [label]) for text, label in pairs]
    none = [("nothing of note", [])] * 10
    return tuple(map(list, zip(*both, *one, *none, strict=True)))
