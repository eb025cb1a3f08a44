"""The paper's system on one's own documents, in five commands; and what these come to here.

``python -m experiments.zhou.yourself FOLDER 5`` writes the files that the commands read.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
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
without them, a word that no labelled document has counts for no class. The model learns, forgets
and merges like others.

In one command, which learns the translation and stores it in the model:

```bash
tally train few.csv --unlabelled rest.csv --stop-words english -o zhou.tally \\
  --model "multinomial(smoothing=semantic(signatures=phrases))"
```

Rows of words take much more room than rows of phrases (480 MB against 90 MB for these texts);
`--min-df 5` halves that at the same accuracy, `--max-entries 200` takes a quarter of it and costs
one to four points.

What to expect: the table is from the same calls in Python, on the test documents of 20 Newsgroups
by date, with three samples of labels and the other training documents as `rest.csv`, with From and
Subject of their headers. The column *multinomial* is the model of that name on `few.csv` alone,
*with background* the same smoothing with λ = 0, which counts `rest.csv` but translates nothing. The
fewer labels, the more translations help. λ = .4 is the paper's; no setting was chosen on these
documents. If all you want is the most accurate model for few labels, leave out `--model`:
[Few labels](../few-labels.md)."""
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
    return {
        str(size): {
            method: [
                _accuracy(read, sample, _smoothing(method, translations))
                for sample in samples(read.labels, size, 1 if work.quick else 3)
            ]
            for method in METHODS
        }
        for size in work.track(SIZES[:2] if work.quick else SIZES, "labels")
    }


def show(found: Record) -> Iterator[Table]:
    """Show the accuracy by the number of labels."""
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
            for size, by_method in found.items()
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
