"""The ModApte split, whose statistics are the paper's: 98 % removed, and break-even points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.intervals import mean_and_error
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.yang_pedersen.corpora import (
    Deal,
    Documents,
    corpus_of,
    dealt,
    documents_of,
    given_split,
)
from experiments.yang_pedersen.judging import neighbour_sums
from experiments.yang_pedersen.statistics import without_digits
from experiments.yang_pedersen.terms import SCORES, Ranking
from tallytext import LLSF
from tallytext.evaluation import break_even, precision_at_recall
from tallytext.io import Corpus

HEADING = "The ModApte split: 98 % removed, and break-even points"
KS = (5, 10, 20, 30, 45)
SHARE = 0.02
READINGS = {"fractional": "labels share a document", "binary": "sum over classes"}
ABOUT = """The paper says that its documents were divided at random, but its counts agree with the
ModApte split of Reuters-21578, which is by date: 9,603 training documents (9,610 in the paper), of
which 30 % are about earnings and five about platinum, with 1.24 classes per document that has any.
(Its counts include documents that were read by indexers and given no topic; the random splits above
exclude them.) So the main result is also measured on this split: average precision of kNN with all
terms and with the best 2 % by IG, for each number of neighbours, with two variants of IG (only
documents with a topic, or all 9,603 training documents), and without words that contain digits,
which brings the number of terms closest to the paper's. ± is half of a 95 % interval of the gain
over the test documents. This part was added after a review had pointed out the split.

*Break-even* is the precision where it equals recall, with all pairs of document and class ranked
together. (Section 3.1 reports it from other work, without saying how scores of different documents
were made comparable.) Its 85 % are for both classifiers on the collection that it describes; 82 %
and 81 % are for another split, which is replaced here by Lewis's split with all of its documents,
including those that were never indexed."""
Floats = NDArray[np.float64]
N_VALUES = 200
PUBLISHED = {
    "ModApte": {"kNN": 0.85, "LLSF": 0.85},
    "ModApte, all documents": {"kNN": 0.85, "LLSF": 0.85},
    "Lewis, all documents": {"kNN": 0.82, "LLSF": 0.81},
}


def measure(work: Workplace) -> dict[str, Any]:
    corpus = work.load("reuters21578")
    if work.quick:
        corpus = corpus_of(work, "reuters21578")
    documents = documents_of(work, corpus)
    modapte = given_split(documents, corpus.splits)
    digits = given_split(without_digits(work, corpus), corpus.splits)
    deals = {
        "random deal": dealt(_labelled(documents), 0),
        "ModApte": with_topic(modapte),
        "ModApte, all training documents": Deal(modapte.train, _labelled(modapte.test)),
        "ModApte, no words with digits": with_topic(digits),
    }
    return {
        "described": _described(modapte),
        "terms": {name: int(np.count_nonzero(deal.frequencies)) for name, deal in deals.items()},
        "gains": {name: _gains(deals[name]) for name in work.track(deals, "gain")},
        "break_even": _break_evens(work, documents, corpus),
    }


def _labelled(documents: Documents) -> Documents:
    return documents.take(np.flatnonzero([len(given) > 0 for given in documents.labels]))


def with_topic(deal: Deal) -> Deal:
    """Return the documents of both sides that have a label."""
    return Deal(_labelled(deal.train), _labelled(deal.test))


def _described(deal: Deal) -> dict[str, Any]:
    n_labels = np.array([len(given) for given in deal.train.labels])
    having = {
        label: sum(label in given for given in deal.train.labels) for label in ("earn", "platinum")
    }
    return {
        "training documents": len(deal.train),
        "of them with a topic": int(np.count_nonzero(n_labels)),
        "test documents": len(deal.test),
        "of these with a topic": len(_labelled(deal.test)),
        "share of earn in training": having["earn"] / len(deal.train),
        "training documents of platinum": having["platinum"],
        "classes per document that has any": float(n_labels.sum() / np.count_nonzero(n_labels)),
        "classes in training": len(deal.classes),
    }


def _gains(deal: Deal) -> dict[str, Any]:
    """Return by k the precision with all terms, and with 2 % by each reading of IG."""
    whole = [by_document(deal, sums) for sums in neighbour_sums(deal, KS)]
    found: dict[str, Any] = {
        str(k): {"all": float(each.mean())} for k, each in zip(KS, whole, strict=True)
    }
    for reading in READINGS:
        cut = Ranking.of(deal, SCORES["IG"][reading]).cut(deal, SHARE)
        for k, before, sums in zip(KS, whole, neighbour_sums(cut, KS), strict=True):
            after = by_document(cut, sums)
            gain, half = mean_and_error(after - before)
            found[str(k)][reading] = {"few": float(after.mean()), "gain": gain, "half": half}
    return found


def by_document(deal: Deal, sums: Floats) -> Floats:
    """Return the eleven-point average precision of each test document."""
    order = np.argsort(-sums, axis=1, kind="stable")
    ranked = np.take_along_axis(deal.wanted[:, :-1], order, axis=1)
    # A class that no training document had is never found: it is at the end, and not relevant.
    return precision_at_recall(ranked, deal.wanted.sum(axis=1)).mean(axis=1)


def _break_evens(work: Workplace, documents: Documents, corpus: Corpus) -> dict[str, Any]:
    modapte = given_split(documents, corpus.splits)
    lewis = given_split(documents, corpus.columns["lewissplit"])
    splits = dict(zip(PUBLISHED, (with_topic(modapte), modapte, lewis), strict=True))
    n_values = 20 if work.quick else N_VALUES
    models = {"LLSF": LLSF("svd", n_values, multi_label=True), "ridge": LLSF(multi_label=True)}
    found: dict[str, Any] = {}
    for name in work.track(splits, "break-even"):
        deal = splits[name]
        found[name] = {
            f"k = {k}": _break_even(deal, sums)
            for k, sums in zip(KS, neighbour_sums(deal, KS), strict=True)
        }
        for which, model in models.items():
            model.fit(deal.train.counts, deal.train.labels)
            decided = model.decision_function(deal.test.counts)
            found[name][which] = _break_even(deal, decided)
    return found


def _break_even(deal: Deal, decided: Floats) -> float:
    nothing = np.full((len(decided), 1), -np.inf)
    return break_even(np.hstack([decided, nothing]), deal.wanted)


_COUNTED = {
    "training documents": 9610,
    "test documents": 3662,
    "share of earn in training": 0.30,
    "training documents of platinum": 5,
    "classes per document that has any": 1.24,
    "classes in training": 92,
}


def show(found: Record) -> Iterator[Shown]:
    rows = [(what, _COUNTED.get(what), value) for what, value in found.described.items()]
    yield Table("The ModApte split", ("", "published", "here"), rows, 2)
    rows = [_line(name, k, at) for name, each in found.gains.items() for k, at in each.items()]
    columns = ("", "k", "all terms", *(f"2 % by IG, {each}: gain" for each in READINGS.values()))
    yield Table("Average precision of kNN", columns, [_paper(), *rows], 4)
    yield _decided(found.gains)
    yield _break_even_table(found.break_even)


def _paper() -> tuple[str, ...]:
    return "paper", "", "0.8790", "+0.0130 (reading not said)", ""


def _line(name: str, k: str, at: Record) -> tuple[str, ...]:
    gains = [f"{at[each].gain:+.4f} ± {at[each].half:.4f}" for each in READINGS]
    return name, k, f"{at['all']:.4f}", *gains


def _decided(gains: Record) -> str:
    def gain(name: str, k: int, reading: str = "fractional") -> str:
        return f"{gains[name][str(k)][reading].gain:+.4f}"

    return (
        f"The number of neighbours is decisive: on ModApte the gain is {gain('ModApte', 10)} "
        f"with ten of them, {gain('ModApte', 20)} with 20, {gain('ModApte', 30)} with 30 and "
        f"{gain('ModApte', 45)} with 45. Then the split: with 20 it is "
        f"{gain('random deal', 20)} on the random split. Then how IG reads several labels, "
        f"{gain('ModApte', 20, 'binary')} as a sum over classes, and the words, "
        f"{gain('ModApte, no words with digits', 20)} without those that have digits. Training "
        "documents without a topic hardly matter. On random splits with k chosen for each point, "
        "as above, more neighbours are chosen with all terms than a gain is left with."
    )


def _break_even_table(found: Record) -> Table:
    rows: list[tuple[Any, ...]] = [
        ("published, kNN", *(PUBLISHED[name]["kNN"] for name in found)),
        ("published, LLSF", *(PUBLISHED[name]["LLSF"] for name in found)),
    ]
    titles = {"LLSF": f"LLSF, {N_VALUES} singular values", "ridge": "LLSF, ridge"}
    for what in next(iter(found.values())):
        title = titles.get(what, f"kNN, {what}")
        rows.append((title, *(each[what] for each in found.values())))
    return Table("Break-even of precision and recall, all terms", ("", *found), rows, 3)
