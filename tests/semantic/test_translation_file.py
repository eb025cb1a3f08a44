"""Translation models in files: what is saved comes back, and what is bent is refused."""

import copy
import json
import pickle
import random
import re
import tempfile
from pathlib import Path

import bending
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallytext import TextVectorizer, Vocabulary
from tallytext.errors import FileError, TallytextError
from tallytext.io import load_arrays, save_arrays
from tallytext.semantic import Concepts, Phrases, TranslationModel

TEXTS = [
    "The space shuttle is in orbit.",
    "A space shuttle left for the moon.",
    "Orbit of the moon, from space",
    "The bus is late.",
    "A late bus to the sea",
] * 3
CONCEPTS = {"bus": "vehicle", "space shuttle": "vehicle", "sea": "water"}
MODELS = {
    "words": lambda: TranslationModel(),
    "phrases": lambda: TranslationModel("phrases"),
    "both": lambda: TranslationModel("words+phrases", stop_words=["the", "a"], beta=0.25),
    "given": lambda: TranslationModel(Phrases(min_count=2), solver="em", n_steps=3, trim=True),
    "concepts": lambda: TranslationModel(["words", Concepts(CONCEPTS)], counts="log"),
    "all": lambda: TranslationModel(
        ["words", "phrases", Concepts(CONCEPTS)],
        vectorizer=TextVectorizer(language="english", ngram_range=(1, 2), dtype=np.float32),
        max_entries=None,
        phrase_weight=np.float64(0.75),
    ),
}
WORDS = st.text("abcé \ud800\U0001f600", max_size=5)


def again(model):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.translation"
        model.save(path)
        return TranslationModel.load(path)


def said(model):
    """All that two models that ought to be one must say alike."""
    rows, texts = model.rows_, [*TEXTS, "an unheard sea", ""]
    return (
        model.get_feature_names_out().tolist(),
        model.signatures_.tolist(),
        model.kinds_.tolist(),
        model.columns_.tolist(),
        (rows.indptr.tolist(), rows.indices.tolist(), rows.data.tobytes()),
        model.background_.tobytes(),
        model.transform(texts).toarray().tolist(),
        model.translate(texts).toarray().tobytes(),
        model.coverage(texts),
    )


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_gives_the_results_of_the_saved_one(name, tmp_path):
    model = MODELS[name]().fit(TEXTS)
    loaded = again(model)
    assert said(loaded) == said(model)
    for path, each in zip(("one", "other"), (model, loaded), strict=True):
        each.save(tmp_path / path)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize("name", MODELS)
def test_refitting_a_loaded_model_equals_refitting_the_saved_one(name):
    model = MODELS[name]().fit(TEXTS)
    others = [*TEXTS, "the sea and the moon"]
    assert said(again(model).fit(others)) == said(model.fit(others))


@given(st.lists(st.lists(WORDS, max_size=4).map(" ".join), max_size=8))
def test_any_words_come_back(texts):
    model = TranslationModel(min_df=1).fit(texts)
    assert said(again(model)) == said(model)


@pytest.mark.parametrize("name", MODELS)
def test_arrays_and_pickles_hold_all_of_a_model(name):
    model = MODELS[name]().fit(TEXTS)
    assert said(TranslationModel.from_arrays(*model.to_arrays())) == said(model)
    assert said(pickle.loads(pickle.dumps(model))) == said(model)
    assert said(copy.deepcopy(model)) == said(model)


def test_parameters_come_back():
    model = MODELS["all"]().fit(TEXTS)
    given, loaded = (each.get_params(deep=False) for each in (model, again(model)))
    assert loaded.pop("signatures")[:2] == given.pop("signatures")[:2]
    own, other = (params.pop("vectorizer").get_params() for params in (given, loaded))
    assert loaded == given and other == {**own, "dtype": np.dtype(np.float32)}


def test_the_first_format_is_read_for_ever():
    """Written by ``TranslationModel(stop_words="english").fit(TEXTS)``."""
    model = TranslationModel.load(Path(__file__).parents[1] / "files" / "translation-1.translation")
    signatures = ["space", "shuttle", "orbit", "left", "moon", "bus", "late", "sea"]
    assert model.signatures_.tolist() == model.words_.tolist() == signatures
    expected = {"orbit": 0.4, "space": 1 / 3, "shuttle": 2 / 15, "moon": 2 / 15}
    assert dict(model.explain("orbit")) == pytest.approx(expected)
    assert model.transform(["the moon, a shuttle"]).toarray().tolist() == [[0, 1, 0, 0, 1, 0, 0, 0]]


@pytest.mark.parametrize("signatures", ["phrases", [Phrases(), Concepts(CONCEPTS)]])
def test_a_model_of_counts_comes_back(signatures):
    model = TranslationModel(signatures, min_df=1)
    model.fit_counts([[2, 1], [1, 0]], ["a", "b"], [[1], [0]], ["x y"])
    loaded = again(model)
    assert loaded.explain("x y") == model.explain("x y")
    assert loaded.translate([[0, 0, 1]]).toarray().tolist() == model.rows_.toarray().tolist()
    assert loaded.phrases_ is None


def test_restricted_models_come_back():
    model = TranslationModel("words+phrases").fit(TEXTS).restricted_to(["orbit", "bus", "new"])
    assert said(again(model)) == said(model)


# ---------------------------------------------------------------------- what cannot be saved


@pytest.mark.parametrize(
    "vectorizer",
    [
        TextVectorizer(term_filter=str.strip),
        TextVectorizer(tokens=re.compile(r"\w+")),
        TextVectorizer(tokens=str.split),
    ],
)
def test_code_cannot_be_saved_and_the_existing_file_stays(vectorizer, tmp_path):
    path = tmp_path / "model.translation"
    path.write_text("something")
    with pytest.raises(FileError, match="no code"):
        TranslationModel(vectorizer=vectorizer).fit(TEXTS).save(path)
    assert path.read_text() == "something"
    assert list(tmp_path.iterdir()) == [path]


def test_a_finder_of_another_kind_cannot_be_saved(tmp_path):
    class Others(Concepts):
        pass

    with pytest.raises(FileError, match="Phrases and Concepts can"):
        TranslationModel(Others(CONCEPTS)).fit(TEXTS).save(tmp_path / "model")


# ---------------------------------------------------------------------- what cannot be read


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "model.translation"
    MODELS["all"]().fit(TEXTS).save(path)
    return path


def test_a_file_cut_short_anywhere_is_refused(place):
    content = place.read_bytes()
    for size in [*range(0, len(content), 97), len(content) - 1]:
        place.write_bytes(content[:size])
        with pytest.raises(FileError):
            TranslationModel.load(place)


def test_files_of_another_kind_are_named(place, tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        TranslationModel.load(tmp_path / "none")
    Vocabulary(["sea"]).save(tmp_path / "vocabulary")
    with pytest.raises(FileError, match=r"not tallytext\.translation"):
        TranslationModel.load(tmp_path / "vocabulary")
    arrays, header = load_arrays(place, "tallytext.translation")
    save_arrays(tmp_path / "newer", arrays, {**header, "format": 2})
    with pytest.raises(FileError, match="newer tallytext"):
        TranslationModel.load(tmp_path / "newer")


def test_bent_files_are_refused_or_read_as_something_that_works(place):
    content, whole = place.read_bytes(), said(TranslationModel.load(place))
    read = 0
    for round in range(400):
        bent, resealed = bending.bent_file(random.Random(f"translation/{round}"), content)
        place.write_bytes(bent)
        try:
            model = TranslationModel.load(place)
        except TallytextError as refusal:
            assert isinstance(refusal, FileError)
            continue
        read += 1
        found = said(model)
        assert resealed or found == whole
    assert 0 < read < 200


ARRAYS = {
    "a word beyond the vocabulary": ("row_words", 0, 10_000, "row_words should lie"),
    "a word before the first": ("row_words", 0, -1, "row_words should lie"),
    "a word again": ("row_words", 1, 0, "ascend"),
    "rows that overlap": ("starts", 1, 2**40, "starts should"),
    "an empty row": ("starts", 1, 0, "a row is empty"),
    "a signature beyond the columns": ("columns", -1, 10_000, "columns should lie"),
    "signatures out of order": ("columns", 0, 3, "not in order"),
    "a row of more than one": ("shares", 0, 0.999, "not consist of probabilities"),
    "a negative probability": ("shares", 0, -0.1, "not consist of probabilities"),
    "a probability that is none": ("shares", 0, np.nan, "not finite"),
    "a background of more than one": ("background", 0, 0.999, "background"),
    "an infinite background": ("background", 0, np.inf, "not finite"),
    "a name again": ("words.lengths", 0, 2**31, "vocabulary"),
    "phrases that are no text": ("finders", 0, 255, "phrases"),
}


@pytest.mark.parametrize(("name", "at", "value", "reason"), ARRAYS.values(), ids=ARRAYS)
def test_arrays_that_cannot_be_are_refused_with_a_reason(place, name, at, value, reason):
    arrays, header = load_arrays(place, "tallytext.translation")
    arrays = {each: np.array(array) for each, array in arrays.items()}
    arrays[name][at] = value
    save_arrays(place, arrays, header)
    with pytest.raises(FileError, match=reason):
        TranslationModel.load(place)


def finders_with(change):
    def bend(arrays, header):
        found = json.loads(arrays["finders"].tobytes())
        change(found)
        arrays["finders"] = np.frombuffer(json.dumps(found).encode(), np.uint8)

    return bend


def setting(name, value, of="settings"):
    return lambda arrays, header: header[of].__setitem__(name, value)


def part(name, value):
    return lambda arrays, header: header.__setitem__(name, value)


BENDS = {
    "other phrases": (finders_with(lambda found: found.pop()), "phrases of its finder"),
    "an unknown finder": (finders_with(lambda found: found[0].update(kind="os")), "os"),
    "phrases of numbers": (
        finders_with(lambda found: found[0]["values"].update(phrases=[1])),
        "list of strings",
    ),
    "no list": (
        lambda arrays, header: arrays.update(finders=np.frombuffer(b"{}", np.uint8)),
        "not a list",
    ),
    "a beta of one": (setting("beta", 1.0), "beta"),
    "a solver that is none": (setting("solver", "x"), "no such solver"),
    "another setting": (setting("seed", 1), "not the settings"),
    "entries that are none": (setting("max_entries", 0), "max_entries"),
    "a flag that is none": (setting("trim", 1), "not the settings"),
    "a language that is none": (setting("language", "x", "vectorizer"), "'x'"),
    "a vectorizer without": (part("vectorizer", {}), "settings of a vectorizer"),
    "no vectorizer": (part("vectorizer", None), "settings of a vectorizer"),
    "n-grams of text": (setting("ngram_range", "12", "vectorizer"), "ngram_range"),
    "objects as numbers": (setting("dtype", "O", "vectorizer"), "not a type of numbers"),
    "signatures that are none": (part("signatures", "files"), "signatures cannot"),
    "a signature beyond": (part("signatures", [7]), "signatures cannot"),
    "stop words of numbers": (part("stop_words", [1]), "stop_words cannot"),
    "nothing": (lambda arrays, header: header.pop("template"), "lacks 'template'"),
    "an array too many": (
        lambda arrays, header: arrays.__setitem__("more", np.zeros(1)),
        "arrays should be",
    ),
}


@pytest.mark.parametrize(("bend", "reason"), BENDS.values(), ids=BENDS)
def test_headers_that_cannot_be_are_refused_with_a_reason(place, bend, reason):
    arrays, header = load_arrays(place, "tallytext.translation")
    arrays = {each: np.array(array) for each, array in arrays.items()}
    bend(arrays, header)
    save_arrays(place, arrays, header)
    with pytest.raises(FileError, match=reason):
        TranslationModel.load(place)
