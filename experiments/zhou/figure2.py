"""Figure 2: what words and phrases are translated into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou import published
from experiments.zhou.corpora import TITLES, documents
from experiments.zhou.learned import CUT, Learned, class_shares, learned, new_phrases
from tallytext import TextVectorizer
from tallytext.errors import UnknownNameError
from tallytext.io import strip_headers
from tallytext.semantic import TranslationModel

HEADING = "Figure 2: translations of words and phrases"
ABOUT = """The paper prints the first 20 words of three rows, learned from 20 Newsgroups. Ours are
learned from the bodies of the same posts, with phrases found by Xtract and without stop words.
There is no stemming or lemmatisation, so "astronaut" and "astronauts" share the probability of one
word in the paper. Rows are learned in five ways: counting a word once per document (the authors'
code, and this page); the same with the authors' 15 EM steps, after which words explained by the
background still have some probability; counting occurrences (the paper's formula); logarithmic
counts with a stronger background (β = .8); and once per document again, with the 1,000 most
probable words of each row. The first four drop probabilities below .001, which is most of the row
of a common word: "space" has nine words left.

The table counts how many of the 20 published words are among our first 50, after removing a final
s. The same is done with rows learned from news, because the published row of "program" (Washington,
congress, Bush, billion) looks like news rather than newsgroups.

The paper states that rows of phrases make more sense than those of words. Here this is measured as
the share of a row that is about one topic: Σ p(w|t) p(c|w) for the best class c, without the words
of the phrase itself, where p(c|w) is the share of the documents with w that are in c. It is
computed for 2,000 phrases and compared with the mean of their words. Labels are used only for
this."""
WAYS: dict[str, dict[str, Any]] = {
    "documents": {"counts": "documents"},
    "steps": {"counts": "documents", "solver": "em"},
    "occurrences": {"counts": "occurrences"},
    "log": {"counts": "log", "beta": 0.8},
    "uncut": {"counts": "documents", "min_probability": 0.0, "max_entries": 1000},
}
WAY_TITLES = {
    "documents": "once per document",
    "steps": "once per document, 15 steps",
    "occurrences": "as often as they occur",
    "log": "logarithms, β = .8",
    "uncut": "once per document, 1,000 words of each row",
}
OTHERS = ("gun control", "hard drive", "stanley cup")
N_SHOWN, N_SEARCHED = 20, 50


def measure(work: Workplace) -> dict[str, Any]:
    """Learn rows in five ways, and compare rows of phrases with those of their words."""
    texts = _bodies(work)
    models = {name: _model(settings).fit(texts) for name, settings in WAYS.items()}
    signatures = (*published.ROWS, *OTHERS)
    rows = {way: {each: row(model, each) for each in signatures} for way, model in models.items()}
    news = {name: learned(work, name).translation for name in ("ag_news", "reuters")}
    overlaps = {
        name: {each: _overlap(model, each) for each in published.ROWS}
        for name, model in {**models, **news}.items()
    }
    return {"rows": rows, "overlaps": overlaps, "topicality": _compared(work)}


def _bodies(work: Workplace) -> list[str]:
    posts = work.load("20newsgroups").texts
    return [strip_headers(post) for post in posts[:: 80 if work.quick else 1]]


def _model(settings: dict[str, Any]) -> TranslationModel:
    vectorizer = TextVectorizer(stop_words="english", min_df=2)
    finder = new_phrases("newsgroups", "xtract")
    return TranslationModel(["words", finder], vectorizer=vectorizer, **(CUT | settings))


def row(model: TranslationModel, signature: str, n: int = N_SHOWN) -> list[list[Any]]:
    """Return the first words of a row; none where there is no row."""
    try:
        return [[word, round(share, 4)] for word, share in model.explain(signature, n)]
    except UnknownNameError:
        return []


def _overlap(model: TranslationModel, signature: str) -> int:
    printed = [word for word, _ in published.row(signature)]
    return overlap(printed, [word for word, _ in row(model, signature, N_SEARCHED)])


def overlap(published_words: Sequence[str], ours: Sequence[str]) -> int:
    """Return how many published words are among ours, a final s apart."""
    return len({_bare(word) for word in published_words} & {_bare(word) for word in ours})


def _bare(word: str) -> str:
    return word.removesuffix("s")


def _compared(work: Workplace) -> dict[str, Any]:
    known, labels = learned(work, "newsgroups"), documents(work, "newsgroups").labels
    shares = class_shares(known.words, labels)
    pairs = np.array([*topicalities(known, shares, 100 if work.quick else 2000)])
    return {
        "phrases": pairs[:, 0].mean(),
        "words": pairs[:, 1].mean(),
        "share_of_phrases_above": (pairs[:, 0] > pairs[:, 1]).mean(),
        "n": len(pairs),
    }


def topicalities(
    known: Learned, shares: NDArray[np.float64], most: int
) -> Iterator[tuple[float, float]]:
    """Yield how much of one topic rows are: of a phrase, and of its words on average."""
    model = known.translation
    at = {name: i for i, name in enumerate(model.signatures_[model.kinds_ == 0])}
    place = {word: i for i, word in enumerate(model.words_)}
    phrases = np.flatnonzero(model.kinds_ == 1)
    chosen = np.random.default_rng(0).permutation(phrases)[:most]
    for i in np.sort(chosen):
        words = model.signatures_[i].split(" ")
        rows = [at[word] for word in words if word in at]
        own = [place[word] for word in words if word in place]
        if rows:
            values = [_topicality(model.rows_[[each]], shares, own) for each in (i, *rows)]
            yield values[0], float(np.mean(values[1:]))


def _topicality(line: Any, shares: NDArray[np.float64], own: list[int]) -> float:
    kept = ~np.isin(line.indices, own)
    if not kept.any():
        return 0.0
    weights = line.data[kept] / line.data[kept].sum()
    return float((weights @ shares[line.indices[kept]]).max())


def show(found: Record) -> Iterator[Any]:
    """Put our rows beside the published ones."""
    columns = ("", "published", *WAY_TITLES.values())
    rows = [(name, *_lines(found, name)) for name in (*published.ROWS, *OTHERS)]
    yield Table("First words of rows", columns, rows)
    titles = {**WAY_TITLES, "ag_news": TITLES["ag_news"], "reuters": TITLES["reuters"]}
    rows = [(name, *(found.overlaps[each][name] for each in titles)) for name in published.ROWS]
    title = f"Of 20 published words, among the first {N_SEARCHED} of ours"
    yield Table(title, ("", *titles.values()), rows)
    about = found.topicality
    rows = [("phrases", about.phrases), ("their words", about.words)]
    rows.append(("share of phrases whose row is more of one topic", about.share_of_phrases_above))
    yield Table(f"How much of a row is of one group; {about.n:,} phrases", ("", "mean"), rows)


def _lines(found: Record, signature: str) -> list[str]:
    printed = published.row(signature) if signature in published.ROWS else []
    return [_written(printed), *(_written(found.rows[way][signature]) for way in WAYS)]


def _written(cells: Sequence[Any]) -> str:
    if not cells:
        return "–"
    return ", ".join(f"{word} {share:.3f}".replace(" 0.", " .") for word, share in cells)
