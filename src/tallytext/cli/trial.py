"""A classifier on trial: trained on nine documents of ten, judged on the tenth."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallytext.explanation import Explanation


@dataclass(frozen=True)
class Trial:
    """What came of it.

    Attributes
    ----------
    n_train, n_held_out : int
        Number of documents.
    train, predict : float
        Seconds, from text.
    accuracy : float
        Share of the held-out documents whose class was found.
    most_common : float
        Share of the held-out documents of the class that is most common.
    explained : Explanation
        Why one of them was decided as it was.
    """

    n_train: int
    n_held_out: int
    train: float
    predict: float
    accuracy: float
    most_common: float
    explained: Explanation


def on_trial(texts: list[str], labels: list[str], every: int = 10) -> Trial:
    """Train a chi-weighted contrast, predict every so-manieth document, explain one decision."""
    from tallytext import MultinomialNB, TextVectorizer

    kept = [at for at in range(len(texts)) if at % every]
    start, vectorizer = perf_counter(), TextVectorizer()
    X = vectorizer.fit_transform([texts[at] for at in kept])
    model = MultinomialNB.chi_contrast().fit(X, [labels[at] for at in kept])
    trained = perf_counter()
    documents = vectorizer.transform(texts[::every])
    predicted = model.predict(documents)
    done = perf_counter()
    truth = labels[::every]
    right = [ours == theirs for ours, theirs in zip(predicted, truth, strict=True)]
    at = _typical(texts[::every], right)
    return Trial(
        n_train=len(kept),
        n_held_out=len(truth),
        train=trained - start,
        predict=done - trained,
        accuracy=sum(right) / len(right),
        most_common=max(map(truth.count, set(truth))) / len(truth),
        explained=_explained(model, documents[[at]], vectorizer),
    )


def _typical(texts: list[str], right: list[bool]) -> int:
    """Return which text to explain: one that was understood, of middling length."""
    understood = [at for at, good in enumerate(right) if good] or [0]
    return sorted(understood, key=lambda at: len(texts[at]))[len(understood) // 2]


def _explained(model: Any, document: Any, vectorizer: Any) -> Explanation:
    explanation: Explanation = model.explain(document, terms=vectorizer.vocabulary_)
    return explanation
