"""What puts Bernoulli ahead or behind: documents without a term, and lengths."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.aggarwal.corpora import (
    SEED,
    TITLES,
    Documents,
    Split,
    at_least,
    cut,
    cut_each,
    documents_of,
    names,
    right,
    split_of,
)
from experiments.aggarwal.event_models import FEWER_SIZES, LIMITS, ranked_terms
from experiments.aggarwal.events import accuracies, predictions
from experiments.reproduction.figures import Figure
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace

HEADING = "What puts Bernoulli ahead, or behind"
IS_OPEN = True
ABOUT = """The book explains the choice by repetitions and by the noise of absent terms. Three
experiments test the causes of the results above.

- *Documents without a term.* The 100 best terms by information gain; whole documents, and documents
  cut after 5 words: the lead of Bernoulli over the multinomial among test documents with none, one,
  two or three, and four or more of the terms, and the contribution of each group to the overall
  lead. For a document without a term the multinomial uses only the prior; Bernoulli uses the
  absence of the terms.
- *Short and long documents of a corpus.* Whole documents, 1,000 terms: accuracy in each fifth of
  the test documents by length, and the mean length of training documents in the classes that a
  model predicts.
- *Varying lengths.* Documents of at least 130 words are cut to 40 words each, or to random lengths,
  uniform on a logarithmic scale from 6 to 130, with the same mean. Lexicon, mean length and number
  of documents are the same; only the spread differs. Newsgroups and OHSUMED, whose documents are
  long enough, at most 5,000 training documents before this selection."""

GROUPS = {"none": (0, 0), "one": (1, 1), "two or three": (2, 3), "more": (4, np.inf)}
_SPREAD = ("newsgroups", "ohsumed")
_RANGE = 6, 130
_EQUAL = 40
_MOST = 5000


def measure(work: Workplace) -> dict[str, Any]:
    found: dict[str, Any] = {"groups": {}, "short": {}, "fifths": {}, "lengths": {}}
    for name in work.track(names(work)):
        whole, split = split_of(work, name, LIMITS.get(name)), split_of(work, name, _MOST)
        documents = documents_of(work, whole)
        found["groups"][name] = by_terms(_best(documents, 100))
        found["short"][name] = by_terms(_best(documents_of(work, cut(whole, 5)), 100))
        if name in _SPREAD:
            found["fifths"][name] = by_length(documents, _best(documents, 1000))
            found["lengths"][name] = _by_spread(work, at_least(split, _RANGE[1]))
    return found


def _best(documents: Documents, n: int) -> Documents:
    return documents.terms(ranked_terms(documents, "ig")[:n])


def by_length(whole: Documents, small: Documents) -> dict[str, Any]:
    """Return how models do in each fifth of test documents by length, and which classes."""
    predicted = {name: each for name, each in predictions(small).items() if name != "presence"}
    lengths, own = whole.Z.sum(axis=1), whole.X.sum(axis=1)
    classes = np.unique(whole.y)
    typical = np.array([own[whole.y == label].mean() for label in classes])
    fifths = np.array_split(np.argsort(lengths, kind="stable"), 5)
    found: dict[str, Any] = {"words": [round(float(lengths[rows].mean()), 1) for rows in fifths]}
    for name, each in (predicted | {"truth": small.z}).items():
        found[name] = [right(each[rows], small.z[rows]) for rows in fifths]
        given = typical[np.minimum(np.searchsorted(classes, each), len(classes) - 1)]
        found[f"{name}_typical"] = [round(float(given[rows].mean()), 1) for rows in fifths]
    return found


def by_terms(documents: Documents) -> dict[str, dict[str, float]]:
    """Return, by how many terms test documents have, how far Bernoulli is ahead."""
    predicted = predictions(documents)
    hits = {name: (each == documents.z).astype(float) for name, each in predicted.items()}
    n_terms = np.diff((documents.Z > 0).indptr)
    found = {}
    for name, (least, most) in GROUPS.items():
        here = (n_terms >= least) & (n_terms <= most)
        lead = (hits["bernoulli"] - hits["multinomial"])[here].sum()
        found[name] = {
            "share": round(float(here.mean()), 5),
            "lead": round(float(lead / max(1, here.sum())), 5),
            "adds": round(float(lead / len(here)), 5),
        }
    return found


def _by_spread(work: Workplace, split: Split) -> dict[str, Any]:
    random = np.random.default_rng(SEED)
    kinds = {"equal": cut(split, _EQUAL), "spread": cut_each(split, lambda n: drawn(n, random))}
    found: dict[str, Any] = {}
    for kind, given in kinds.items():
        documents = documents_of(work, given)
        ranked = ranked_terms(documents, "ig")
        found[kind] = {
            "words": round(float(np.mean([len(text.split()) for text in given.train.texts])), 2),
            "sizes": [size for size in FEWER_SIZES if size < len(ranked)],
        }
        cells = [accuracies(documents.terms(ranked[:size])) for size in found[kind]["sizes"]]
        found[kind] |= {name: [cell[name] for cell in cells] for name in cells[0]}
    return found


def drawn(n: int, random: Any) -> Any:
    """Draw lengths evenly on a logarithmic scale."""
    low, high = np.log(_RANGE)
    return np.rint(np.exp(random.uniform(low, high, n))).astype(int)


def show(found: Record) -> Iterable[str | Table | Figure]:
    yield _group_table(found)
    yield _of_groups(found)
    if found.fifths:
        yield _fifth_table(found)
        yield (
            "A short document lacks most terms, as those of classes of short documents do, and "
            "Bernoulli looks at what is lacking; the multinomial asks only which terms there are. "
            + " ".join(_of_fifths(TITLES[name], each) for name, each in found.fifths.items())
        )
        yield _spread_table(found)
        yield _of_spread(found)


def _of_groups(found: Record) -> str:
    leads = []
    for key, title in (("groups", "whole"), ("short", "5 words")):
        for name, groups in found[key].items():
            total = 100 * sum(group.adds for group in groups.values())
            if total > 1:
                none = 100 * groups.none.adds
                leads.append(f"{TITLES[name]}, {title} ({none:.1f} of {total:.1f} points)")
    return (
        "Of a document without a term the multinomial knows the prior alone, and gives it to the "
        "largest class (the first of several); Bernoulli asks where such documents come from. "
        "What these documents add where Bernoulli is more than a point ahead: "
        f"{'; '.join(leads) or 'it is so nowhere'}."
    )


def _of_fifths(title: str, each: Record) -> str:
    leads = [100 * (a - b) for a, b in zip(each.bernoulli, each.multinomial, strict=True)]
    return (
        f"{title}: Bernoulli is {leads[0]:+.1f} points from the multinomial in the shortest fifth, "
        f"{leads[len(leads) // 2]:+.1f} in the middle one and {leads[-1]:+.1f} in the longest. "
        f"It gives documents of the shortest fifth to classes of {each.bernoulli_typical[0]:.0f} "
        f"words in the mean; they are from classes of {each.truth_typical[0]:.0f}."
    )


def _of_spread(found: Record) -> str:
    more = [
        spread < equal
        for kinds in found.lengths.values()
        for spread, equal in zip(_absence(kinds.spread), _absence(kinds.equal), strict=False)
    ]
    return (
        f"When lengths are spread by hand, Bernoulli loses more than the binary multinomial in "
        f"{sum(more)} cases of {len(more)}. Lengths drawn by hand have nothing to do with classes."
    )


def _absence(kind: Record) -> list[float]:
    return [a - b for a, b in zip(kind.bernoulli, kind.binary, strict=True)]


def _group_table(found: Record) -> Table:
    rows = []
    for key, title in (("groups", "whole"), ("short", "5 words")):
        for name, groups in found[key].items():
            cells = [100 * group[value] for group in groups.values() for value in group]
            total = 100 * sum(group.adds for group in groups.values())
            rows.append((f"{TITLES[name]}, {title}", total, *cells))
    heads = [f"{name}: {key}" for name in GROUPS for key in ("share", "lead", "adds")]
    title = "100 terms: lead of Bernoulli, by how many of them test documents have, in points"
    return Table(title, ("", "lead", *heads), rows, 1)


def _fifth_table(found: Record) -> Table:
    rows = []
    for name, each in found.fifths.items():
        for at, words in enumerate(each.words):
            scores = [100 * each[key][at] for key in ("multinomial", "binary", "bernoulli")]
            typical = [each[f"{key}_typical"][at] for key in ("truth", "binary", "bernoulli")]
            rows.append((f"{TITLES[name]}, fifth {at + 1}", words, *scores, *typical))
    columns = (
        "",
        "words",
        "multinomial, %",
        "binary, %",
        "Bernoulli, %",
        "words in true classes",
        "by binary",
        "by Bernoulli",
    )
    return Table("1,000 terms, test documents from short to long", columns, rows, 1)


def _spread_table(found: Record) -> Table:
    rows = []
    for name, kinds in found.lengths.items():
        for kind, title in (("equal", "40 words each"), ("spread", "6 to 130 words")):
            each = kinds[kind]
            for at, size in enumerate(each.sizes):
                scores = [100 * each[key][at] for key in ("multinomial", "binary", "bernoulli")]
                head = f"{TITLES[name]}, {title}", each.words, size
                rows.append((*head, *scores, scores[2] - scores[1]))
    columns = ("", "mean words", "terms", "multinomial", "binary", "Bernoulli", "− binary")
    return Table("The same mean length, equal or spread: accuracy, %", columns, rows, 1)
