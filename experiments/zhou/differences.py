"""Why figures differ from the printed ones: what was prepared and assumed in other ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou import published
from experiments.zhou.corpora import JUDGED, TITLES, documents, header_kept
from experiments.zhou.learned import LIMIT, Learned, learned, new_model
from experiments.zhou.trials import (
    METHODS,
    SHARE,
    Scores,
    Trial,
    listed,
    samples,
    spread,
)
from tallytext import MultinomialNB, TextVectorizer
from tallytext.io import strip_headers, strip_post
from tallytext.models import Semantic

HEADING = "Differences from the paper"
ABOUT = """Each table changes one setting, on two samples with labels for 5 %.

*Parts of a post.* The paper does not say which parts it kept. Three can be left out: the header,
the quotes, the signature.

*Learning of translations*, on 20 Newsgroups with the settings of this page: the way of counting
words; 15 steps of expectation-maximisation after trimming words below the mean, an option of the
authors' code; and the texts that are available. *Inductive* means that the test texts are not
available: background, vocabulary and translations come from the sample only, 5 % of the texts.
Laplace with the words of the sample only is in the same table.

*α of the background*, which the paper does not state."""
TEXTS: dict[str, Callable[[str], str]] = {
    "all headers": str,
    "From, Subject, body": header_kept,
    "body": strip_headers,
    "body without quotes and signature": strip_post,
}
LEARNING: dict[str, dict[str, Any]] = {
    "words once per document": {},
    "words as often as they occur": {"counts": "occurrences"},
    "15 steps, trimmed": {"solver": "em", "trim": True},
}
ALPHAS = (0.1, 0.3, 0.5, 0.7, 0.9)


def measure(work: Workplace) -> dict[str, Any]:
    """Change one thing at a time."""
    return {
        "texts": _texts(work),
        "learning": _learning(work),
        "knowledge": _knowledge(work),
        "alpha": {name: _alphas(work, name) for name in JUDGED},
    }


def _texts(work: Workplace) -> dict[str, Any]:
    corpus = work.load("20newsgroups")
    if work.quick:
        corpus = corpus.take([*range(0, len(corpus), 60)])
    labels, found = np.array(corpus.labels), {}
    for name in work.track(TEXTS):
        known = learned(work, "newsgroups")
        if work.quick or TEXTS[name] is not header_kept:
            known = Learned.of(new_model("newsgroups"), [*map(TEXTS[name], corpus.texts)])
        trials = [Trial(known, labels, each) for each in _samples(work, labels)]
        length = known.words.sum() / len(labels)
        found[name] = {**listed(each.all() for each in trials), "words_per_document": length}
    return found


def _learning(work: Workplace) -> dict[str, Any]:
    read, found = documents(work, "newsgroups"), {}
    for name in work.track([*LEARNING][:2] if work.quick else LEARNING):
        known = learned(work, "newsgroups")
        if LEARNING[name]:
            known = Learned.of(new_model("newsgroups", **LEARNING[name]), read.texts)
        trials = [Trial(known, read.labels, each) for each in _samples(work, read.labels)]
        found[name] = listed(_semantic(each) for each in trials)
    stems = TextVectorizer(stop_words="english", language="en")
    known = Learned.of(new_model("newsgroups", vectorizer=stems), read.texts)
    trials = [Trial(known, read.labels, each) for each in _samples(work, read.labels)]
    return {**found, "stems": listed(_semantic(each) for each in trials)}


def _semantic(trial: Trial) -> dict[str, Scores]:
    known = trial.learned
    return {"csss": trial.semantic(known.mixed(1.0)), "ciss": trial.semantic(known.mixed(0.0))}


def _knowledge(work: Workplace) -> dict[str, Any]:
    read, known = documents(work, "newsgroups"), learned(work, "newsgroups")
    trials = [Trial(known, read.labels, each) for each in _samples(work, read.labels)]
    return listed(
        {
            "laplace": trial.laplace(),
            "laplace_sample": trial.laplace(own_words=True),
            "background": trial.background(),
            "background_inductive": trial.background(inductive=True),
            **_semantic(trial),
            **_inductive(trial, read.texts),
        }
        for trial in work.track(trials, "inductive")
    )


def _inductive(trial: Trial, texts: list[str]) -> dict[str, Scores]:
    """Judge by what the texts of the sample alone can teach."""
    model = new_model("newsgroups").fit([texts[row] for row in trial.sample])
    known = Learned(model, model.transform(texts))
    labels = trial.labels[trial.sample]
    found = {}
    for name, share in (("csss_inductive", 1.0), ("ciss_inductive", 0.0)):
        smoothing = Semantic(known.mixed(share), min_probability=LIMIT)
        own = MultinomialNB(smoothing, prior="smoothed").fit(known.counts[trial.sample], labels)
        found[name] = trial.scores(own.predict(known.counts[trial.others]))
    return found


def _alphas(work: Workplace, name: str) -> dict[str, Any]:
    known, labels = learned(work, name), documents(work, name).labels
    trials = [Trial(known, labels, each) for each in _samples(work, labels)]
    by_alpha = {
        f"{alpha:g}": listed({"background": trial.background(alpha)} for trial in trials)
        for alpha in ALPHAS
    }
    return {"laplace": listed({"laplace": trial.laplace()} for trial in trials), "by": by_alpha}


def _samples(work: Workplace, labels: NDArray[Any]) -> list[NDArray[np.intp]]:
    return [*samples(labels, SHARE, 1 if work.quick else 2)]


def show(found: Record) -> Iterator[Any]:
    """Show each change."""
    printed = ("published", None, *(published.F1["newsgroups"][name][0] for name in METHODS))
    rows = [
        (name, each.words_per_document, *(spread(each[method].micro) for method in METHODS))
        for name, each in found.texts.items()
    ]
    columns = ("", "words / document", *METHODS.values())
    yield Table("What is kept of a post: micro-F1", columns, [*rows, printed])
    rows = [
        (name, spread(each.csss.micro), spread(each.ciss.micro))
        for name, each in found.learning.items()
    ]
    yield Table("How translations are learned: micro-F1", ("", "CSSS", "CISS"), rows)
    yield Table("What is known: micro-F1", ("", "transductive", "inductive"), _known(found))
    columns = ("", *(f"α = {alpha:g}" for alpha in ALPHAS), "published", "Laplace")
    rows = [_alpha_row(name, each) for name, each in found.alpha.items()]
    yield Table("α of the background: micro-F1", columns, rows)


def _known(found: Record) -> list[tuple[str, ...]]:
    other = {"laplace": "laplace_sample", "background": "background_inductive"}
    other |= {"csss": "csss_inductive", "ciss": "ciss_inductive"}
    return [
        (title, spread(found.knowledge[name].micro), spread(found.knowledge[other[name]].micro))
        for name, title in METHODS.items()
    ]


def _alpha_row(name: str, each: Record) -> tuple[Any, ...]:
    levels = [spread(level.background.micro) for level in each.by.values()]
    printed = published.F1[name]["background"][0] if name in published.F1 else None
    return TITLES[name], *levels, printed, spread(each.laplace.laplace.micro)
