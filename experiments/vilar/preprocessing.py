"""What a word is: how much the error on 20 Newsgroups depends on what the paper does not say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from experiments.reproduction.counts import Counts
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import (
    first_of_each,
    from_and_subject,
    n_train,
    newsgroups,
    split,
    words,
)
from experiments.vilar.judging import counted, read_off, wrong
from experiments.vilar.published import published
from experiments.vilar.wording import between
from tallytext import TextVectorizer
from tallytext.io import strip_headers, strip_post
from tallytext.models import AbsoluteDiscount, Laplace

HEADING = "Why figures differ: the definition of a word, and headers"
ABOUT = """The paper does not describe how its text was split into words. Each row changes one step
of the preparation of 20 Newsgroups and has the number of words, the mean length and both errors
with all words, on the same split by date. Newsgroups, Xref and Path name the group, so posts with
their complete header are included only to show the effect. "Other fields" are From, Subject,
Organization, Reply-To, Sender, Keywords, Summary, Distribution, Nntp-Posting-Host and Lines."""

_OTHER = (
    *("From", "Subject", "Organization", "Reply-To", "Sender", "Keywords", "Summary"),
    *("Distribution", "Nntp-Posting-Host", "Lines"),
)


class Variant(NamedTuple):
    """A way to prepare posts."""

    title: str
    clean: Callable[[str], str] = from_and_subject
    vectorizer: TextVectorizer = words()
    frequent: int = 0  # how many of the most frequent words are left out


def without_quotes(post: str) -> str:
    """Return From, Subject and what the author wrote, without signature and quotes."""
    header, text = from_and_subject(post), strip_headers(post)
    return header[: len(header) - len(text)] + strip_post(post)


VARIANTS = {
    "usual": Variant("as on all of this page"),
    "stop_words": Variant("stop words kept", vectorizer=words(stop_words=None)),
    "longer_list": Variant("the 300 most frequent other words left out", frequent=300),
    "stems": Variant("stems (Porter 2)", vectorizer=words(language="english")),
    "whole_words": Variant(
        "letters, digits and underscores", vectorizer=TextVectorizer(stop_words="english")
    ),
    "twice": Variant("words of two documents or more", vectorizer=words(min_df=2)),
    "subject": Variant("Subject alone kept", lambda post: strip_headers(post, ("Subject",))),
    "body": Variant("no header at all", strip_headers),
    "quotes": Variant("signatures and quotes left out", without_quotes),
    "quotes_longer_list": Variant(
        "no signatures, quotes, nor 300 most frequent other words",
        without_quotes,
        frequent=300,
    ),
    "other_fields": Variant("other fields kept", lambda post: strip_headers(post, _OTHER)),
    "all_fields": Variant("all fields kept", lambda post: post),
}


def measure(work: Workplace) -> dict[str, Any]:
    return {name: _of(VARIANTS[name], work) for name in work.track(VARIANTS, "words:")}


def _of(variant: Variant, work: Workplace) -> dict[str, Any]:
    corpus = newsgroups(work, variant.clean)
    counts = without_frequent(work.counts(corpus.texts, variant.vectorizer), variant.frequent)
    sides = first_of_each(corpus.labels, corpus.columns["date"], n_train(corpus))
    parts = split(counts, corpus.labels, *sides)
    model = counted(parts)
    lengths = np.asarray(counts.matrix.sum(axis=1)).ravel()
    smoothings = {"laplace": Laplace(1.0), "discount": AbsoluteDiscount()}
    return {
        "words": counts.matrix.shape[1],
        "mean_length": float(lengths.mean()),
        **{
            name: wrong(parts, read_off(model, smoothing).predict(parts.test))
            for name, smoothing in smoothings.items()
        },
    }


def without_frequent(counts: Counts, n: int) -> Counts:
    """Return counts without the words that occur most often."""
    if not n:
        return counts
    totals = np.asarray(counts.matrix.sum(axis=0)).ravel()
    kept = np.sort(np.argsort(-totals, kind="stable")[n:])
    return Counts(counts.matrix[:, kept], counts.words[kept])


def show(found: Record) -> Iterator[str | Table]:
    columns = ("", "words", "mean length", "Laplace, %", "discounting, %", "difference")
    rows: list[tuple[Any, ...]] = [("published (best number of words)", *_published())]
    for name, ours in found.items():
        if name in VARIANTS:
            errors = ours.laplace, ours.discount, ours.laplace - ours.discount
            rows.append((VARIANTS[name].title, ours.words, ours.mean_length, *errors))
    yield Table("20 Newsgroups prepared in other ways, all words", columns, rows, 1)
    yield _on_variants(found)


def _on_variants(found: Record) -> str:
    alike = {
        name: variant.clean is from_and_subject
        for name, variant in VARIANTS.items()
        if name != "usual"
    }
    words_alone = [name for name, same in alike.items() if same]
    others = [name for name, same in alike.items() if not same]
    wanted = published("20 Newsgroups", "mean length") or 0.0
    nearest = min(alike, key=lambda name: abs(found[name].mean_length - wanted))
    ours = found[nearest]
    return (
        f"What counts as a word changes the error of discounting by {_changed(found, words_alone)} "
        f"points; the parts of a post, by {_changed(found, others)}. Closest to the mean length "
        f"that the paper has, {wanted} words, comes *{VARIANTS[nearest].title}*, with "
        f"{ours.mean_length:.1f} words and an error of {ours.discount:.1f} %; the paper has "
        f"{published('20 Newsgroups', 'absolute discounting')}."
    )


def _changed(found: Record, names: list[str]) -> str:
    return between([found[name].discount - found.usual.discount for name in names], 1)


def _published() -> tuple[Any, ...]:
    n_words, length, *errors = (
        published("20 Newsgroups", what)
        for what in ("words", "mean length", "Laplace", "absolute discounting")
    )
    return n_words, length, *errors, np.subtract(*errors)
