"""What a run found, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import machine

from experiments.few_labels import figure
from experiments.few_labels.results import Results
from experiments.few_labels.tables import (
    GUARD_CORPUS,
    GUARD_K,
    accuracies,
    fallback_share,
    fit_times,
    guards,
)
from experiments.few_labels.verdicts import table, verdicts

NAME = "few-labels-results.md"
HEAD = """# Few labels: results

<!-- Generated: do not edit. -->

`python -m experiments.few_labels --write` wrote this page. From the training half of each corpus k
documents of each class are drawn that have labels; all others of that half are text without labels.
Accuracy on the test half, of which at most 3,000 documents are judged. Numbers are means over the
draws, ± what a 95 % interval by Student's t has. Draws share one test half, and large draws many of
their documents, so that the intervals say how much luck is in a draw, and not all there is.

The settings of the recipe were chosen on the first six corpora with an eye on their test halves, so
that its figures flatter it there. The last two, `webkb` and `korean_news8_1600`, had no part in it.

What is drawn:

- Documents with labels have at least three different words of the vocabulary: mails without header,
  signature and quotes can be empty. All others may be as short as they like.
- Where a class has fewer than k documents, it gives all it has.
- Training halves of more than 20,000 documents are cut to 20,000, drawn once.
- `20ng_bydate`: mails without header, signature and quotes, as scikit-learn strips them.
  `debian_sections`: classes of at least 200 documents, those of one source package in one half by
  a hash, at least 60 documents of the class in each half. `reuters21578`: ModApte, documents whose
  only topic is one of the ten largest of the training half, of which eight have any.
  `ohsumed_first20000`: documents with one label. `webkb`: four kinds of pages, without HTTP header
  and tags. Where a corpus has no halves, a hash of the document's number makes them.

What is compared:

- Laplace, background and absolute discounting smooth `MultinomialNB`. The vocabulary, and but for
  Laplace the background, are those of the whole training half; text without labels is in no class.
- semantic: `Semantic` smoothing by a `TranslationModel` of all training texts, without labels.
  semantic + EM: the same, fitted with `unlabelled=`.
- recipe: `TextClassifier().fit(texts, labels, unlabelled=rest)`, as it comes.
- tf-idf + LR: scikit-learn's `TfidfVectorizer` (sublinear, words of two documents or more, idf of
  the whole training half) and `LogisticRegression(C=10)`; on Korean text with the terms that ours
  have.
- Published figures were measured earlier, with other draws, and are constants here: a prototype of
  the recipe; and MiniLM + LR, sentence embeddings by a neural network that was trained on much
  other text, with a logistic regression on the labelled documents alone.

{machine}
"""
GUARDS = """The recipe holds labelled documents out to ask how far a logistic regression on labels
alone is to be trusted beside naive Bayes: trust is from 0 to 1, and at least a half where the
classes of the pool turn out uneven. It does not translate words where that did worse. Another model
takes over where there are too many words and classes."""
TIME = """Of fitting, with linear algebra on one thread, over all draws of all k. Other work
may have gone on beside; times to compare are in the [benchmarks](benchmarks.md)."""


def text(results: Results, with_figure: bool) -> str:
    """Return the page."""
    return "\n".join([HEAD.format(machine=machine()), *_sections(results, with_figure)])


def write(results: Results, folder: Path) -> None:
    """Write page and figure into a folder."""
    figure.draw(results, folder)
    (folder / NAME).write_text(text(results, with_figure=True), encoding="utf-8")


def _sections(results: Results, with_figure: bool) -> Iterator[str]:
    yield f"## Verdicts\n\n{table(verdicts(results)).markdown()}\n"
    yield "## Accuracy\n"
    if with_figure:
        yield f"![{figure.ABOUT}]({figure.NAME}.svg)\n"
    for corpus in results.corpora():
        yield f"{accuracies(results, corpus).markdown()}\n"
    yield f"## Guards\n\n{GUARDS}\n\n{_fallbacks(results)}{guards(results).markdown()}\n"
    yield f"## Time\n\n{TIME}\n\n{fit_times(results).markdown()}\n"


def _fallbacks(results: Results) -> str:
    share = fallback_share(results)
    if share is None:
        return ""
    return (
        f"On {GUARD_CORPUS}, of the draws with k ≤ {GUARD_K}, {share:.0%} had trust above 0 or "
        "another model.\n\n"
    )
