"""The paper's system on one's own documents, in five commands; and what these come to here.

``python -m experiments.zhou.yourself FOLDER 5`` writes the files that the commands read.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import header_kept, part
from experiments.zhou.trials import WEIGHT, paired, samples, spread
from tallytext import MultinomialNB, TextClassifier, TextVectorizer
from tallytext.models import Semantic
from tallytext.semantic import TranslationModel

HEADING = "Do it yourself"
ABOUT = """You need a CSV file with a few labelled documents (`few.csv`, columns `text` and
`label`), one with many more without labels (`rest.csv`), and one to measure on (`test.csv`). For
20 Newsgroups by date, with five labels per group, this writes all three into the current folder:

```bash
python -m experiments.zhou.yourself . 5
```

Then, with these or with your own:

```bash
tally translate learn few.csv rest.csv --signatures phrases --stop-words english -o news.translation
tally translate show news.translation "space shuttle" "stanley cup"
tally train few.csv --unlabelled rest.csv -o zhou.tally \\
  --model "multinomial(smoothing=semantic(translation=news.translation, weight=0.4))"
tally evaluate zhou.tally test.csv
tally predict zhou.tally test.csv > predicted.jsonl
```

The first command learns which words come with each phrase: the paper's CSSS. `--signatures words`
is its CISS, `--signatures words+phrases` a mixture, `--phrases xtract` the paper's way to find
phrases, and `--concepts FILE` takes the place of its medical concepts. The texts need not be the
same: a translation of a larger collection of news can be used, too. Texts are split into words, and
stop words are left out, as in the translation. The texts of `--unlabelled` are also the background;
without them, words that occur in no labelled document are ignored. The model learns, forgets
and merges like others.

One command can learn the translation and store it in the model:

```bash
tally train few.csv --unlabelled rest.csv --stop-words english -o zhou.tally \\
  --model "multinomial(smoothing=semantic(signatures=phrases))"
```

Rows of words need several times the space of rows of phrases, in memory and in the model file.
`--min-df 5` leaves out rare signatures. `--max-entries 200` and `--min-probability 0.001` leave out
the less probable words of each row, and reduce accuracy (second table).

What to expect: the table is from the same calls in Python, on the test documents of 20 Newsgroups
by date, with three samples of labels and the other training documents as `rest.csv`, with From and
Subject of their headers. The column *multinomial* is the model of that name on `few.csv` only,
*with background* the same smoothing with λ = 0, which counts `rest.csv` but translates nothing. The
fewer labels, the more translations help. λ = .4 is the paper's; no setting was chosen on these
documents. For the most accurate model with few labels, leave out `--model`:
[Few labels](../few-labels.md)."""
CUTS_ABOUT = """Rows are truncated to a maximum number of words and a minimum probability. These
were chosen on training documents: those of the first sample have labels, the others are the test
set. *Mass* is the remaining probability of a row learned from a quarter of the texts: the median of
60 words that occur in 50 of these texts, or of 60 phrases that occur in ten. The last column is the
share of predictions that change, with the most labels, if probabilities below 10⁻⁵ in the
translation of a class are left to the background (`min_probability=1e-5` of `Semantic`); zero, the
default, is the paper's formula."""
CUTS: dict[str, dict[str, Any]] = {
    "200, 0.001": {"max_entries": 200, "min_probability": 0.001},
    "1,000, 0.0001": {"max_entries": 1000, "min_probability": 0.0001},
    "1,000, 0.0001, in 5 documents": {
        "max_entries": 1000,
        "min_probability": 0.0001,
        "min_df": 5,
    },
}
UNCUT: dict[str, Any] = {"max_entries": None, "min_probability": 0.0}
CUT_SIZES = (1, 5, 20)
LIMIT = 1e-5
BYTES = 12  # of each probability in a file
MIN_DF = {"words": 50, "phrases": 10}
N_ROWS = 60
SIZES = (1, 5, 20, 50)
METHODS = {
    "multinomial": "multinomial",
    "background": "with background",
    "words": "semantic, words",
    "phrases": "semantic, phrases",
    "words+phrases": "semantic, words and phrases",
}
CORPUS = "20newsgroups-bydate"
QUICK = 600


class SplitTexts(NamedTuple):
    """Training and test documents, with headers that do not name the group."""

    train: list[str]
    labels: NDArray[Any]
    test: list[str]
    truth: NDArray[Any]


def measure(work: Workplace) -> dict[str, Any]:
    """Train and evaluate as the commands do, with a few labels of each class."""
    read = _read(work)
    translations = {
        kind: TranslationModel(
            [*kind.split("+")], vectorizer=TextVectorizer(stop_words="english")
        ).fit(read.train)
        for kind in work.track([*METHODS][2:], "learning")
    }
    by_size = {
        str(size): {
            method: [
                _accuracy(read, sample, _smoothing(method, translations))
                for sample in samples(read.labels, size, 1 if work.quick else 3)
            ]
            for method in METHODS
        }
        for size in work.track(SIZES[:2] if work.quick else SIZES, "labels")
    }
    del translations
    cuts = {kind: _cuts(work, read, kind) for kind in MIN_DF}
    return {"sizes": by_size, "cuts": cuts}


def _cuts(work: Workplace, read: SplitTexts, kind: str) -> dict[str, Any]:
    """Learn rows that are cut in several ways, and judge training documents without labels."""
    whole = _mass_of_rows(read, kind)
    found = {}
    for title, cut in work.track([*CUTS.items()], f"cuts of {kind}"):
        start = perf_counter()
        model = TranslationModel(kind, vectorizer=TextVectorizer(stop_words="english"), **cut).fit(
            read.train
        )
        found[title] = {
            "seconds": perf_counter() - start,
            "megabytes": BYTES * model.rows_.nnz / 1e6,
            "mass": _mass_left(whole, cut),
            **_judged(read, model, CUT_SIZES[:1] if work.quick else CUT_SIZES),
        }
    return found


def _mass_of_rows(read: SplitTexts, kind: str) -> list[NDArray[np.float64]]:
    """Return the probabilities of some rows without a cut."""
    model = TranslationModel(
        kind, vectorizer=TextVectorizer(stop_words="english"), min_df=MIN_DF[kind], **UNCUT
    ).fit(read.train[::4])  # all rows of all texts would take gigabytes
    chosen = np.random.default_rng(0).permutation(model.rows_.shape[0])[:N_ROWS]
    return [model.rows_[[row]].data for row in np.sort(chosen)]


def _mass_left(whole: list[NDArray[np.float64]], cut: dict[str, Any]) -> float:
    masses = [
        np.sort(row[row >= cut["min_probability"]])[::-1][: cut["max_entries"]].sum()
        for row in whole
    ]
    return float(np.median(masses)) if masses else 0.0


def _judged(read: SplitTexts, model: TranslationModel, sizes: Sequence[int]) -> dict[str, Any]:
    accuracy, changed = {}, 0.0
    for size in sizes:
        sample = next(samples(read.labels, size, 1))
        few, rest = _divide(read.train, sample)
        truth = np.delete(read.labels, sample)
        classifier = TextClassifier(MultinomialNB(Semantic(model, WEIGHT)))
        given = classifier.fit(few, read.labels[sample], unlabelled=rest).predict(rest)
        accuracy[str(size)] = float((given == truth).mean())
        limited = Semantic(model, WEIGHT, min_probability=LIMIT)
        classifier.model_.set_params(smoothing=limited)
        changed = float((classifier.predict(rest) != given).mean())
    return {"accuracy": accuracy, "changed": changed}


def show(found: Record) -> Iterator[Table | str]:
    """Show the accuracy by the number of labels, and by the cut of rows."""
    yield Table(
        "Accuracy, with the gain over multinomial in points",
        ("labels per class", *METHODS.values()),
        [
            (
                size,
                *(
                    f"{spread(values)} {gain(values, by_method['multinomial'])}".strip()
                    for values in (by_method[method] for method in METHODS)
                ),
            )
            for size, by_method in found.sizes.items()
        ],
    )
    yield CUTS_ABOUT
    yield Table(
        "Cuts of rows: words, probability",
        (
            "",
            "mass",
            "file, MB",
            "seconds",
            *(f"accuracy, {size} per class" for size in CUT_SIZES),
            "changed by the limit",
        ),
        [
            (
                f"{kind}: {title}",
                f"{cut['mass']:.0%}",
                f"{cut['megabytes']:.0f}",
                f"{cut['seconds']:.1f}",
                *(f"{value:.3f}" for value in cut["accuracy"].values()),
                f"{cut['changed']:.1%}",
            )
            for kind, cuts in found.cuts.items()
            for title, cut in cuts.items()
        ],
    )


def gain(values: list[float], base: list[float]) -> str:
    """Write the gain over another method in parentheses; nothing over itself."""
    written = paired(values, base)
    return f"({written})" if written else ""


def _read(work: Workplace) -> SplitTexts:
    corpus = work.load(CORPUS)
    train, test = corpus.train, corpus.test
    if work.quick:
        train, test = part(train, QUICK), part(test, QUICK)
    return SplitTexts(
        [*map(header_kept, train.texts)],
        np.array(train.labels),
        [*map(header_kept, test.texts)],
        np.array(test.labels),
    )


def _smoothing(method: str, translations: dict[str, TranslationModel]) -> Semantic | None:
    if method == "background":
        return Semantic(translations["phrases"], 0.0)
    return Semantic(translations[method], WEIGHT) if method in translations else None


def _accuracy(read: SplitTexts, sample: NDArray[np.intp], smoothing: Semantic | None) -> float:
    few, rest = _divide(read.train, sample)
    if smoothing is None:
        classifier = TextClassifier("multinomial", vectorizer=TextVectorizer(stop_words="english"))
        classifier.fit(few, read.labels[sample])
    else:
        classifier = TextClassifier(MultinomialNB(smoothing))
        classifier.fit(few, read.labels[sample], unlabelled=rest)
    return float((classifier.predict(read.test) == read.truth).mean())


def _divide(texts: list[str], sample: NDArray[np.intp]) -> tuple[list[str], list[str]]:
    chosen = {*sample.tolist()}
    return [texts[at] for at in sample], [text for at, text in enumerate(texts) if at not in chosen]


def write_files(folder: Path, size: int, work: Workplace) -> None:
    """Write ``few.csv``, ``rest.csv`` and ``test.csv``, of the first sample."""
    read = _read(work)
    sample = next(samples(read.labels, size, 1))
    few, rest = _divide(read.train, sample)
    _write(folder / "few.csv", few, read.labels[sample].tolist())
    _write(folder / "rest.csv", rest, [""] * len(rest))
    _write(folder / "test.csv", read.test, read.truth.tolist())


def _write(path: Path, texts: Sequence[str], labels: Sequence[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"])
        writer.writerows(zip(texts, labels, strict=True))


if __name__ == "__main__":
    write_files(Path(sys.argv[1]), int(sys.argv[2]), Workplace())
