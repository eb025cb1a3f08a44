"""Replay Reuters through ``DocumentFilter``, beside the experiment of ``experiments/kim``.

``python -m experiments.filtering`` prints the table; ``--write`` puts it into docs/filtering.md and
draws docs/filtering.svg. Profiles, examples and order are those of "Open: adaptive filtering" in
docs/papers/kim.md.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.kim.stream import N_EXAMPLES, N_START
from tallytext import DocumentFilter, PoissonNB, TextVectorizer
from tallytext.filtering import FilterReport
from tallytext.io import load_corpus, save_text

ROOT = Path(__file__).parents[1]
PAGE, PICTURE = ROOT / "docs" / "filtering.md", ROOT / "docs" / "filtering.svg"
BEGIN, END = "<!-- results -->\n", "<!-- end of results -->\n"
N_PROFILES, LOT, STARVED = 15, 100, 0.1
COLUMNS = ("F1", "precision", "recall", "utility", "first eighth", "last eighth", "delivered")
PUBLISHED = ("PNB-CHI, delivered", "PNB, delivered", "PNB-CHI, everything")


class News(NamedTuple):
    """Documents in the order of their dates, and the largest topics."""

    ids: list[str]
    texts: list[str]
    labels: list[list[str]]


def news(n_profiles: int = N_PROFILES) -> News:
    """Return the documents of Reuters that somebody has looked at for topics."""
    corpus = load_corpus("reuters21578")
    corpus = corpus.where(each == "YES" for each in corpus.columns["topics_attr"])
    sizes = Counter(label for given in corpus.labels for label in given)
    profiles = {*sorted(sizes, key=lambda label: (-sizes[label], label))[:n_profiles]}
    order = np.argsort(np.array(corpus.columns["date"]), kind="stable").tolist()
    wanted = [[label for label in corpus.labels[row] if label in profiles] for row in order]
    return News(
        [str(corpus.ids[row]) for row in order], [corpus.texts[row] for row in order], wanted
    )


def replay(stream: News, background: bool = True, **settings: Any) -> FilterReport:
    """Return the report of a filter that starts with a few examples and replays the stream."""
    n_given: Counter[str] = Counter()
    texts, labels = [], []
    for document, given in zip(stream.texts[:N_START], stream.labels[:N_START], strict=True):
        used = [label for label in given if n_given[label] < N_EXAMPLES]
        n_given.update(used)
        if used or background:
            texts.append(document)
            labels.append(used)
    vectorizer = TextVectorizer(stop_words="english")
    profiles = DocumentFilter(vectorizer=vectorizer, **settings).start(texts, labels)
    for first in range(N_START, len(stream.texts), LOT):
        profiles.filter(
            *(column[first : first + LOT] for column in (stream.texts, stream.ids, stream.labels))
        )
    return profiles.report()


def measures(report: FilterReport) -> list[float]:
    """Return means over profiles, in the order of the columns."""
    profiles = report.profiles
    relevant = [each.n_relevant + (each.n_missed or 0) for each in profiles]
    shares = [each.utility / (2 * max(n, 1)) for each, n in zip(profiles, relevant, strict=True)]
    ends = [each for each in report.f1_over_time if each is not None]
    return [
        report.f1 or 0.0,
        float(np.mean([each.precision or 0.0 for each in profiles])),
        float(np.mean([each.recall or 0.0 for each in profiles])),
        float(np.mean(shares)),
        ends[0],
        ends[-1],
        sum(each.n_delivered for each in profiles),
    ]


def experiment_rows() -> dict[str, list[float]]:
    """Return the figures of the experiment, as docs/papers/kim.md shows them."""
    results = json.loads((ROOT / "experiments" / "kim" / "results.json").read_text("utf-8"))
    runs = results["filtering"]["found"]["reuters"]["runs"]
    names = ("f1", "precision", "recall", "utility")
    return {
        f"experiment: {name}": [
            *(runs[name][each] for each in names),
            runs[name]["windows"][0],
            runs[name]["windows"][-1],
            runs[name]["delivered"],
        ]
        for name in PUBLISHED
    }


def table(rows: dict[str, list[float]]) -> str:
    """Return rows as a table in Markdown."""
    lines = [f"| | {' | '.join(COLUMNS)} |", "| --- |" + " ---: |" * len(COLUMNS)]
    for name, values in rows.items():
        shown = [*(f"{value:.3f}" for value in values[:-1]), f"{values[-1]:,.0f}"]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page and the picture")
    wanted = parser.parse_args()
    stream = news()
    default = replay(stream)
    rows = {
        "`DocumentFilter()`": measures(default),
        "without background documents": measures(replay(stream, background=False)),
        "`PoissonNB()` alone": measures(replay(stream, model=PoissonNB())),
        '`PoissonNB(weighting="chi")` alone': measures(
            replay(stream, model=PoissonNB(weighting="chi"))
        ),
        "never exploring": measures(replay(stream, explore=0)),
        **experiment_rows(),
    }
    print(table(rows))
    if wanted.write:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        save_text(PAGE, f"{before}{BEGIN}\n{table(rows)}\n{END}{after}")
        default.to_svg(PICTURE)


if __name__ == "__main__":
    main()
