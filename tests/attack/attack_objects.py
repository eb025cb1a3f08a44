"""Objects that raise at the n-th call of one of their methods, where labels, texts and ids go.

What they raise comes through as itself, or the object is refused with an error of the library or a
TypeError. What was given the object is as it was before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from trial import Trial

from tallytext import MultinomialNB, Tally, TextClassifier, TextVectorizer, Vocabulary
from tallytext._core import TokenLists, number_labels

METHODS = (
    "__hash__", "__eq__", "__iter__", "__len__", "__getitem__", "__str__", "__repr__", "__array__",
    "__index__", "__int__", "__float__", "__bool__", "__contains__", "keys", "items", "tolist",
    "as_py", "__dlpack__", "__getattribute__",
)  # fmt: skip
BASES: tuple[tuple[type, Any], ...] = (
    (object, None), (str, "sea"), (int, 1), (float, 0.5), (list, ["sea", "sky"]),
    (tuple, ("sea", "sky")), (dict, {"sea": 1}),
)  # fmt: skip
DOCUMENTS = [{"salt": 1, "wave": 2}, {"blue": 1}]


class RaisedError(Exception):
    """What the objects raise."""


def failing(base: type, value: Any, name: str, after: int) -> Any:
    """Return an object of a base class, one method of which raises after so many calls."""
    calls = [0]
    original = getattr(base, name, None)

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        calls[0] += 1
        if calls[0] > after:
            raise RaisedError(name)
        if original is None:
            raise AttributeError(name)
        return original(self, *arguments, **keywords)

    methods = {name: method}
    if name == "__eq__":
        methods["__hash__"] = base.__hash__
    cls = type("Failing", (base,), methods)
    return cls() if value is None else cls(value)


def places() -> Iterator[tuple[str, Callable[[Any, Tally], Any]]]:
    """Yield the places where an object can be given, some of which learn into a tally."""
    yield "a label", lambda it, tally: tally.learn(DOCUMENTS[0], it)
    yield "one of the labels", lambda it, tally: tally.learn([[1, 0], [0, 1]], ["x", it])
    yield "a label in a list", lambda it, tally: tally.learn(DOCUMENTS[0], ["x", it])
    yield "all labels", lambda it, tally: tally.learn([[1, 0], [0, 1]], it)
    yield "a document", lambda it, tally: tally.learn(it, "x")
    yield "a term", lambda it, tally: tally.learn({it: 1}, "x")
    yield "a count", lambda it, tally: tally.learn({"salt": it}, "x")
    yield "names of columns", lambda it, tally: tally.learn([[1, 2]], ["x"], terms=it)
    yield "a label to forget", lambda it, tally: tally.forget(DOCUMENTS[0], it)
    yield "labels of a model", lambda it, _: MultinomialNB().fit([[1, 0], [0, 1]], ["x", it])
    yield "a matrix", lambda it, _: MultinomialNB().fit(it, ["x", "y"])
    yield "weights", lambda it, _: MultinomialNB().fit([[1], [2]], ["x", "y"], sample_weight=it)
    yield "texts", lambda it, _: TextVectorizer().fit_transform(it)
    yield "a text", lambda it, _: TextVectorizer().fit_transform(["salt", it])
    yield "a class", lambda it, _: MODEL.rank([[1, 0]], it)
    yield "k", lambda it, _: MODEL.top_k([[1, 0]], it)
    yield "a new term", lambda it, _: Vocabulary().add([it])
    yield "a known term", lambda it, _: it in VOCABULARY
    yield "tokens", lambda it, _: TokenLists.from_lists([it])
    yield "numbers of labels", lambda it, _: number_labels(["sea"], {it: 0}, ["sea"])
    yield "a number of a label", lambda it, _: number_labels(["sea"], {"sea": it}, ["sea"])
    yield "labels to number", lambda it, _: number_labels([it, "sky"], {"sea": 0}, ["sea"])
    yield "stop words", lambda it, _: TextVectorizer(stop_words=it).fit(["salt"])
    yield "texts of a classifier", lambda it, _: TextClassifier().fit(it, ["x", "y"])


MODEL = MultinomialNB().fit(np.eye(2, dtype=int), ["sea", "sky"])
VOCABULARY = Vocabulary(["salt", "wave"])


def attack(trial: Trial) -> None:
    """Try each place with each kind of object, that raises at the first, second … call."""
    for place, give in places():
        for base, value in BASES:
            for name in METHODS:
                for after in range(trial.some(quick=2, full=8)):
                    try_object(
                        trial,
                        f"{place}: {base.__name__}{name}, {after}",
                        give,
                        (base, value, name, after),
                    )


def try_object(trial: Trial, name: str, give: Callable[[Any, Tally], Any], kind: Any) -> None:
    tally = Tally().learn(DOCUMENTS[0], "sea").learn(DOCUMENTS[1], "sky")
    before, failed = tally.copy(), True
    with trial.case(name, RaisedError, TypeError, ValueError, KeyError, AttributeError):
        give(failing(*kind), tally)
        failed = False
    if failed:
        trial.expect(tally == before, f"{name}: the tally has changed")
        trial.expect(tally.classes == before.classes, f"{name}: there are other classes")
