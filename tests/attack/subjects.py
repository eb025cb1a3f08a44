"""Files to be bent: how each is written, read, and used once it was read."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tallytext import (
    BernoulliNB,
    MultinomialNB,
    Plane,
    PoissonNB,
    Tally,
    TextVectorizer,
    Vocabulary,
)
from tallytext.errors import TallytextError
from tallytext.filtering import DocumentFilter
from tallytext.io import load_arrays, save_arrays
from tallytext.models import AbsoluteDiscount
from tallytext.models.serialization import (
    estimator_from_dict,
    estimator_to_dict,
    model_state,
    restore_model,
)

TEXTS = ["salt wave wave", "a blue cloud", "the sun and the sea", "naïve blue", "wave sea salt"]
LABELS = ["sea", "sky", ["sea", "sun"], [], "sea"]
MODELS = [
    MultinomialNB.chi_contrast(),
    MultinomialNB(AbsoluteDiscount(), length_model=True),
    BernoulliNB(prior={"sea": 0.5, "sky": 0.25, "sun": 0.25}),
    PoissonNB(per_class={"sea": ("chi", 0.5), "sun": (None, 1.0)}, class_weight={"sky": 2.0}),
]


class MismatchError(Exception):
    """A file that should have been refused, or was read as what it is not."""


@dataclass(frozen=True)
class Subject:
    """A kind of file: one that is whole, how it is read, and what it says, in full and in short."""

    content: bytes
    load: Callable[[Path], Any]
    use: Callable[[Any], Any]
    glance: Callable[[Any], Any] | None = None


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise MismatchError(what)


def other_subjects(path: Path) -> Iterator[Subject]:
    """Yield files of a vocabulary, a tally and a filter of a stream."""
    vocabulary = Vocabulary(["salt", "wave", "naïve", "e\u0301", "\U0001f30a"])
    vocabulary.save(path)
    yield Subject(path.read_bytes(), Vocabulary.load, list)
    tally = Tally.from_texts(TEXTS, LABELS, planes=[Plane("log", "l2")])
    save_arrays(path, *tally.to_arrays())
    yield Subject(path.read_bytes(), load_tally, use_tally)
    stream = DocumentFilter(explore=5.0).start(TEXTS[:2], ["sea", "sky"])
    found = stream.filter([f"{text} {word}" for text in TEXTS for word in ("salt", "cloud")])
    stream.feedback([(each.id, each.profile, True) for each in found[::2]])
    stream.save(path)
    yield Subject(path.read_bytes(), DocumentFilter.load, use_filter)


def load_tally(path: Path) -> Tally:
    return Tally.from_arrays(*load_arrays(path, "tallytext.tally"))


def use_tally(tally: Tally) -> Any:
    expect(Tally.from_arrays(*tally.to_arrays()) == tally, "a tally does not come back")
    return tally.classes, list(tally.vocabulary), repr(tally)


def use_filter(stream: DocumentFilter) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        said: list[Any] = [stream.profiles_, str(stream.report())]
        try:
            found = stream.filter(TEXTS)
            expect(all(0 <= each.probability <= 1 for each in found), "no probability")
            stream.feedback([(each.id, each.profile, True) for each in found])
        except TallytextError as refusal:  # examples that its counts do not have
            return [*said, repr(refusal)]
    return [*said, found]


def model_subjects(path: Path) -> Iterator[Subject]:
    """Yield files of models, each with all that it is: counts, settings and state."""
    for model in MODELS:
        write_model(path, model)
        yield Subject(path.read_bytes(), load_model, use_model)


def write_model(path: Path, model: Any) -> None:
    model.multi_label_ = True
    planes = [each for each in model._columns(1.0, weighted=False) if isinstance(each, Plane)]
    vectorizer = TextVectorizer(stop_words={"the"})
    tally = Tally.from_texts(TEXTS, LABELS, vectorizer=vectorizer, planes=planes)
    fitted = type(model).from_tally(tally, **model.get_params())
    arrays, header = tally.to_arrays()
    parts = {"tally": header, "model": estimator_to_dict(fitted), "state": model_state(fitted)}
    parts["vectorizer"] = estimator_to_dict(vectorizer)
    save_arrays(path, arrays, {"kind": "fuzz", "format": 1, **parts})


def load_model(path: Path) -> Any:
    arrays, header = load_arrays(path, "fuzz")
    if not header.keys() >= {"tally", "model", "state", "vectorizer"}:
        raise TallytextError("a part is missing")
    if not isinstance(header["tally"], dict):
        raise TallytextError("this is no tally")
    tally = Tally.from_arrays(arrays, header["tally"])
    vectorizer, model = (
        estimator_from_dict(header["vectorizer"]),
        estimator_from_dict(header["model"]),
    )
    if not isinstance(vectorizer, TextVectorizer) or isinstance(model, TextVectorizer):
        raise TallytextError("these are other estimators")
    vectorizer.vocabulary_ = tally.vocabulary
    return vectorizer, restore_model(model, tally, header["state"])


def use_model(loaded: Any) -> Any:
    vectorizer, model = loaded
    tally = model.tally_
    expect(Tally.from_arrays(*tally.to_arrays()) == tally, "a tally does not come back")
    try:
        expect((tally + tally) - tally == tally, "a tally does not add")
        return tally.classes, list(tally.vocabulary), scored(vectorizer, model)
    except TallytextError:
        return None  # sums as large as can be, or settings that no document fits


def scored(vectorizer: TextVectorizer, model: Any) -> Any:
    X = vectorizer.transform(TEXTS)
    with np.errstate(all="ignore"):
        scores = model.scores(X) if len(model.classes_) else np.zeros(0)
    expect(not np.isnan(scores).any(), "a score is not a number")
    return scores.tolist()
