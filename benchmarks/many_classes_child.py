"""Trains on thousands of classes and predicts, in a fresh process; prints figures as JSON.

Run by the benchmark of many classes, as ``python -m benchmarks.many_classes_child PARQUET``.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

import numpy as np
import pyarrow.parquet as pq

from benchmarks.memory_child import peak
from tallytext import MultinomialNB, TextVectorizer

HELD_OUT = 2000


def main() -> None:
    table = pq.read_table(sys.argv[1], columns=["text", "labels"])
    texts, labels = table["text"].to_pylist(), table["labels"].to_pylist()
    held_out = range(0, len(texts), max(1, len(texts) // HELD_OUT))[:HELD_OUT]
    start = perf_counter()
    vectorizer = TextVectorizer()
    model = MultinomialNB(multi_label=False).fit(vectorizer.fit_transform(texts), labels)
    trained = perf_counter()
    predicted = model.top_k(vectorizer.transform([texts[at] for at in held_out]), 10)
    done = perf_counter()
    names = model.classes_[predicted.classes]
    hits = np.array([np.isin(names[i], labels[at]) for i, at in enumerate(held_out)])
    figures = {
        "classes": len(model.classes_),
        "documents": len(texts),
        "predicted": len(held_out),
        "train": trained - start,
        "predict": done - trained,
        "first": float(hits[:, 0].mean()),
        "ten": float(hits.any(axis=1).mean()),
        "peak": peak(),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
