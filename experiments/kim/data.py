"""The collections, beside those of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.kim.split import Split, articles, headlines, reuters, uneven_headlines
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace

HEADING = "The collections"
ABOUT = """The paper has Reuters-21578 in the ModApte split, and its own collection KoreanNews2002:
15,000 articles of 46 classes with one label each, the earlier 10,000 for training and the later
5,000 for testing. The latter was not published. Three corpora replace it:

- *headlines*: klue-ynat, Korean headlines of 7 classes, with the published split;
- *articles*: korean-news, 1,600 complete Korean articles of 8 classes, two thirds of each class for
  training, for five seeds;
- *uneven headlines*: klue-ynat with 20, 50, 100, 200, 500, 1,000 and 2,000 training documents for
  its classes, and two fifths as many test documents; in seven rotations each class has each size
  once. Like the paper's corpus, it has small and large classes.

None of them has many classes, so only the order of methods can be compared with the paper.
Documents of Reuters without any of the 90 classes are kept on both sides, without a label. The
paper does not describe its words. Here: title and body in lower case, without English stop words
and words of a single document, no stemming; for Korean, words and the pairs of syllables inside
them, because there is no morphological analysis, without words of a single document."""


def measure(work: Workplace) -> dict[str, Any]:
    return {
        "reuters": _statistics(reuters(work)),
        "headlines": _statistics(headlines(work)),
        "articles": _statistics(articles(work, 0)),
        "uneven": _statistics(uneven_headlines(work, 0)),
    }


def _statistics(split: Split) -> dict[str, Any]:
    sizes, tests = split.sizes, split.test.truth.sum(axis=0)
    return {
        "train": len(split.train.labels),
        "test": len(split.test.labels),
        "classes": len(split.classes),
        "labels_per_document": float(split.train.truth.sum(axis=1).mean()),
        "words": split.train.counts.shape[1],
        "tokens_per_document": float(split.train.counts.sum() / split.train.counts.shape[0]),
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "below_ten": float(np.mean(sizes < 10)),
        "above_hundred": float(np.mean(sizes > 100)),
        "few_tests": float(np.mean(tests < 5)),
    }


_NAMES = {
    "train": "training documents",
    "test": "test documents",
    "classes": "classes",
    "labels_per_document": "labels per training document",
    "words": "different words",
    "tokens_per_document": "words per training document",
    "smallest": "training documents of the smallest class",
    "largest": "… of the largest class",
    "below_ten": "share of classes with fewer than 10 training documents",
    "above_hundred": "… with more than 100",
    "few_tests": "share of classes with fewer than 5 test documents",
}
_PAPER = {
    "train": (9603, 10000),
    "test": (3299, 5000),
    "classes": (90, 46),
    "labels_per_document": (None, 1.0),
    "below_ten": ("a third", None),
    "above_hundred": (None, "two thirds"),
}


def show(found: Record) -> Iterable[Shown]:
    columns = (
        "",
        "Reuters: paper",
        "here",
        "KoreanNews2002: paper",
        "headlines",
        "articles",
        "uneven headlines",
    )
    rows = []
    for key, name in _NAMES.items():
        reuters_paper, korean_paper = _PAPER.get(key, (None, None))
        korean = (found[corpus][key] for corpus in ("headlines", "articles", "uneven"))
        rows.append((name, reuters_paper, found.reuters[key], korean_paper, *korean))
    yield Table("Collections", columns, rows, 2)
