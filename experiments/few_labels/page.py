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
    names_alone,
)
from experiments.few_labels.verdicts import table, verdicts

NAME = "few-labels-results.md"
HEAD = """# Few labels: results

<!-- Generated: do not edit. -->

How accurate is `TextClassifier()` (called *recipe* below) with 1 to 50 labels per class and a pool
of unlabelled documents? This page compares it with other methods on ten corpora. [The
tutorial](few-labels.md) shows how to use it, and [PooledNB](pooled.md) how it works.

`python -m experiments.few_labels --write` wrote this page. In the training half of each corpus, k
documents per class are sampled and keep their labels; all others are unlabelled. Accuracy is
measured on the test half, on at most 3,000 documents. Numbers are means over the samples, ± a 95 %
interval by Student's t. All samples share one test half, and large samples share many documents, so
the intervals include only the variation between samples.

The settings of the recipe were chosen on other samples of all corpora but `webkb` and
`korean_news8_1600`, using the same test halves, so its figures there are optimistic. Earlier
figures of these two were known when the recipe was made, but no setting was tried on them.

The samples:

- Labelled documents have at least three distinct words of the vocabulary, because mails without
  header, signature and quotes can be empty. Unlabelled documents may be shorter.
- A class with fewer than k documents contributes all its documents.
- Training halves of more than 20,000 documents are reduced to one sample of 20,000.
- `20ng_bydate`: mails without header, signature and quotes, as scikit-learn strips them.
  `debian_sections`: classes of at least 200 documents, with at least 60 in each half; a hash puts
  all packages of one source package into the same half. `reuters21578`: ModApte, documents whose
  only topic is one of the ten largest of the training half; eight of these have such documents.
  `ohsumed_first20000`: documents with one label. `webkb`: four kinds of pages, without HTTP header
  and tags. `debian_titles`: the first 12 words of the descriptions in `debian_sections`.
  `wordnet_50`: definitions of the 50 most frequent hypernyms of WordNet. If a corpus has no split,
  a hash of the document's number defines the halves.

The methods:

- Laplace, background and absolute discounting are smoothings of `MultinomialNB`. The vocabulary
  and, except for Laplace, the background come from the whole training half; unlabelled texts belong
  to no class.
- semantic: `Semantic` smoothing by a `TranslationModel` of all training texts, without labels.
  semantic + EM: the same, fitted with `unlabelled=`.
- recipe: `TextClassifier().fit(texts, labels, unlabelled=rest)`, with default settings. It reads
  the words of the labels, such as `rec.sport.hockey`, which no other method does.
- recipe, names ignored: the same with `TextClassifier(descriptions=False)`.
- tf-idf + LR: scikit-learn's `TfidfVectorizer` (sublinear, words of two documents or more, idf of
  the whole training half) and `LogisticRegression(C=10)`; for Korean with the terms of tallytext.
- Published figures were measured earlier, on other samples, and are constants here: a prototype of
  the recipe; and MiniLM + LR, sentence embeddings by a neural network that was trained on much
  other text, with a logistic regression on the labelled documents alone.

{machine}
"""
NAMES = """Without any label, the recipe knows the names of the classes and the texts:
`fit([], [], unlabelled=texts, classes=[...])`."""
GUARDS = """The recipe measures on held-out labelled documents how much weight a logistic regression
on the labels alone should get, compared with naive Bayes. This trust is between 0 and 1, and at
least one half if the class sizes in the pool are uneven. Words are not translated if that was less
accurate. All words have equal weights, instead of high weights for topical words, if regressions on
the labels predict better so. If there are too many words and classes, another model is used."""
TIME = """Fit times over all samples of all k, with linear algebra on one thread. Other processes
may have been running; use the times in the [benchmarks](benchmarks.md) for comparisons."""


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
    yield f"## No label\n\n{NAMES}\n\n{names_alone(results).markdown()}\n"
    yield f"## Guards\n\n{GUARDS}\n\n{_fallbacks(results)}{guards(results).markdown()}\n"
    yield f"## Time\n\n{TIME}\n\n{fit_times(results).markdown()}\n"


def _fallbacks(results: Results) -> str:
    share = fallback_share(results)
    if share is None:
        return ""
    return (
        f"On {GUARD_CORPUS}, in {share:.0%} of the samples with k ≤ {GUARD_K}, trust was above 0 "
        "or another model was used.\n\n"
    )
