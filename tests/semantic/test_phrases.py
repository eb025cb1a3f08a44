"""Phrases: found in texts, counted in others."""

import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.utils import estimator_checks

import corpora
import strategies
from counting import same_matrix
from oracle import phrases as oracle
from tallytext import MultinomialNB, TextVectorizer
from tallytext.errors import FileError, InputError, SettingsError
from tallytext.semantic import Phrases, function_words

#: Few words, so that pairs come again, and what may stand between them.
small_texts = st.lists(
    st.lists(
        st.tuples(st.sampled_from(["aa", "bb", "cc", "dd", "the"]), st.sampled_from([" ", ". "])),
        max_size=30,
    ).map(lambda words: "".join(map("".join, words))),
    min_size=1,
    max_size=8,
)
METHODS = st.sampled_from([("npmi", 0.05), ("likelihood", 0.5), ("gensim", 0.1)])
SPACE = [
    "The space shuttle program of NASA. Space shuttle program.",
    "A new space shuttle program; the space program",
    "Los Angeles is far from San Francisco. Los Angeles!",
] * 4


@settings(max_examples=200)
@given(small_texts, METHODS, st.sampled_from([2, 3, 4]), st.integers(1, 3))
def test_phrases_equal_those_of_the_obvious_search(texts, method, max_words, min_count):
    name, threshold = method
    model = Phrases(
        name, threshold=threshold, max_words=max_words, min_count=min_count, stop_words=["the"]
    ).fit(texts)
    documents = oracle.without([oracle.cut(text) for text in texts], {"the"})
    wanted, counts = oracle.find(documents, name, threshold, min_count, max_words)
    near = {k: v for k, v in wanted.items() if abs(v - threshold) < 1e-9}  # either is right
    assert set(model.phrases_) - set(near) == set(wanted) - set(near)
    assert model.phrases_ == pytest.approx({k: wanted[k] for k in model.phrases_})
    if not near:
        assert model.counts_ == counts


@settings(max_examples=200)
@given(
    small_texts,
    st.sets(
        st.lists(st.sampled_from(["aa", "bb", "cc"]), min_size=2, max_size=4).map(" ".join),
        min_size=1,
    ),
)
def test_counts_equal_the_longest_matches(texts, phrases):
    model = given_phrases(sorted(phrases))
    X = model.transform(texts)
    names = model.get_feature_names_out()
    for i, text in enumerate(texts):
        wanted = oracle.matches(oracle.cut(text), {tuple(phrase.split()) for phrase in phrases})
        row = X.indices[X.indptr[i] : X.indptr[i + 1]]
        assert names[row].tolist() == list(dict.fromkeys(map(" ".join, wanted)))
        assert X.data[X.indptr[i] : X.indptr[i + 1]].sum() == len(wanted)


def given_phrases(phrases, **parameters):
    """A model of phrases that need not be found first."""
    values = Phrases(stop_words=None, **parameters).fit([""]).to_values()
    values |= {"phrases": phrases, "scores": [1.0] * len(phrases), "counts": [0] * len(phrases)}
    return Phrases.from_values(values)


def test_the_longest_phrase_wins_and_none_overlaps():
    model = given_phrases(["new york", "new york city", "york city", "city hall"])
    counts = model.transform(["new york city hall", "new york. City hall", "york city hall"])
    assert counts.toarray().tolist() == [[0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0]]


def test_phrases_only_inside_longer_phrases_are_removed():
    model = Phrases(stop_words="english").fit(SPACE)
    assert "space shuttle program" in model.phrases_
    assert "shuttle program" not in model.phrases_


@given(small_texts, METHODS)
def test_counts_equal_the_sums_of_transform(texts, method):
    model = Phrases(method[0], threshold=method[1], min_count=1, stop_words=None)
    X = model.fit_transform(texts)
    assert same_matrix(X, model.transform(texts))
    assert same_matrix(X, clone(model).fit(iter(texts)).transform(iter(texts)))
    assert model.counts_ == dict(
        zip(model.get_feature_names_out(), X.toarray().sum(axis=0).tolist(), strict=True)
    )


@given(small_texts, METHODS, st.integers(1, 3))
def test_every_phrase_is_there_word_for_word_and_often_enough(texts, method, min_count):
    model = Phrases(method[0], threshold=method[1], min_count=min_count, stop_words=["the"])
    documents = oracle.without([oracle.cut(text) for text in texts], {"the"})
    for phrase in model.fit(texts).phrases_:
        words = phrase.split(" ")
        assert "the" not in words
        assert min_count <= sum(
            document[i : i + len(words)] == words
            for document in documents
            for i in range(len(document))
        )


def test_no_phrase_runs_across_the_end_of_a_sentence():
    model = Phrases(stop_words=None).fit(["deep sea. Blue sky", "deep sea\n\nblue sky"] * 5)
    assert list(model.phrases_) == ["blue sky", "deep sea"]


def test_wrapped_lines_and_hyphens_do_not_part_words():
    model = Phrases(stop_words=None, min_count=3).fit(["deep\nsea", "deep-sea", "Deep  sea"])
    assert model.counts_ == {"deep sea": 3}


def test_korean_phrases_are_found():
    texts = ["우주 왕복선 발사. 새로운 우주 왕복선", "우주 왕복선, 한국"] * 5
    assert Phrases(stop_words=None).fit(texts).phrases_["우주 왕복선"] == 1.0


def test_words_are_stemmed_before_they_are_joined():
    texts = ["space shuttle", "space shuttles", "Spaces shuttle"] * 2
    model = Phrases(language="en", stop_words="english", min_count=6).fit(texts)
    assert model.counts_ == {"space shuttl": 6}
    assert model.transform(["some space-shuttles"]).sum() == 1


@pytest.mark.parametrize(
    "method, threshold", [("npmi", 0.1), ("likelihood", 5), ("gensim", 0.01), ("xtract", 1)]
)
def test_one_thread_equals_many(method, threshold):
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(60)])
    texts = [
        ". ".join(" ".join(words[rng.zipf(1.3, 9) % 60]) for _ in range(20)) for _ in range(400)
    ]
    one, many = (
        Phrases(method, threshold=threshold, stop_words=None, n_jobs=n, spread=1).fit(texts)
        for n in (1, 3)
    )
    assert list(one.phrases_.items()) == list(many.phrases_.items())
    assert len(one.phrases_) > 5
    assert same_matrix(one.transform(texts), many.transform(texts))


@given(strategies.documents(), st.sampled_from(["npmi", "likelihood", "gensim", "xtract"]))
def test_any_text_is_taken(texts, method):
    model = Phrases(method, min_count=1, threshold=0.1, spread=0.1, stop_words=None)
    texts = [*texts, "deep sea"]
    assert model.fit_transform(texts).shape == (len(texts), len(model.phrases_))
    again = Phrases.from_values(json.loads(json.dumps(model.to_values())))
    assert same_matrix(again.transform(texts), model.transform(texts))


def test_empty_documents_have_empty_rows():
    model = Phrases(stop_words=None).fit([None, "", *["deep sea"] * 5])
    assert model.transform(["", None, "deep sea"]).toarray().tolist() == [[0], [0], [1]]
    assert Phrases().fit(["", ""]).transform(["any thing"]).shape == (1, 0)


def test_phrases_are_in_order_of_score_and_then_of_spelling():
    texts = ["bb aa. dd cc. dd cc x", "ee ff. gg ff. ff"] * 5
    model = Phrases(stop_words=None, threshold=-1).fit(texts)
    items = list(model.phrases_.items())
    assert items == sorted(items, key=lambda item: (-item[1], item[0]))
    assert list(model.phrases_)[:2] == ["bb aa", "dd cc"]


def test_function_words_are_left_out_in_any_language():
    nouns = [f"n{i} m{i}" for i in range(40)]
    texts = [f"xa {a} yo xa {b} yo {a} {b}" for a in nouns for b in nouns[::7]]
    model = Phrases().fit(texts)
    assert {"xa", "yo"} <= set(model.stop_words_)
    assert not {"xa", "yo"} & {word for phrase in model.phrases_ for word in phrase.split()}
    assert "n3 m3" in model.phrases_


def test_function_words_of_texts_equal_those_of_their_counts(monkeypatch):
    nouns = [f"n{i} m{i}" for i in range(40)]
    texts = [f"xa {a} yo xa {b} yo {a} {b}" for a in nouns for b in nouns[::2]]
    monkeypatch.setattr(sys.modules["tallytext.semantic.phrases"], "MAX_DOCUMENTS", 300)
    vectorizer = TextVectorizer()
    found = function_words(vectorizer.fit_transform(texts))
    names = vectorizer.get_feature_names_out()
    assert sorted(names[found]) == Phrases().fit(texts).stop_words_.tolist()


def test_words_and_phrases_stand_side_by_side():
    union = FeatureUnion([("words", TextVectorizer()), ("phrases", Phrases(stop_words=None))])
    X = clone(union).fit_transform(["deep sea"] * 5)
    assert X.toarray().tolist() == [[1, 1, 1]] * 5
    model = make_pipeline(union, MultinomialNB()).fit(SPACE, ["a", "b", "c"] * 4)
    assert model.predict(SPACE).tolist() == ["a", "b", "c"] * 4


def test_threads_may_share_a_model():
    model = Phrases(stop_words="english", min_count=2).fit(SPACE)
    wanted = model.transform(SPACE * 50).toarray().tolist()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: model.transform(SPACE * 50).toarray().tolist(), range(16)))
    assert found == [wanted] * 16


def test_gensim_must_be_exceeded():
    texts = ["aa bb"] * 6
    score = (6 - 5) * 3 / (6 * 6)
    assert Phrases("gensim", threshold=score, stop_words=None).fit(texts).phrases_ == {}
    assert Phrases("gensim", threshold=score - 1e-9, stop_words=None).fit(texts).phrases_


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"method": "npmii"}, "method must be one of 'npmi', .*Did you mean 'npmi'"),
        ({"method": None}, "method must be one of"),
        ({"threshold": "high"}, "threshold must be a number, not 'high'"),
        ({"threshold": float("nan")}, "threshold must be a number, not nan"),
        ({"min_count": 0}, "min_count must be a whole number from 1"),
        ({"min_count": 2.5}, "min_count must be a whole number from 1"),
        ({"max_words": 5}, "max_words must be a whole number from 2 to 4, not 5"),
        ({"max_words": True}, "max_words must be a whole number"),
        ({"window": 0}, "window must be a whole number from 1 to 1000"),
        ({"spread": -1}, "spread must be a number, at least 0"),
        ({"share": 1.5}, "share must be a number from 0 to 1"),
    ],
)
def test_a_wrong_setting_is_named(parameters, message):
    with pytest.raises(SettingsError, match=message):
        Phrases(**parameters).fit(["some text"])


def test_no_texts_are_an_error():
    with pytest.raises(InputError, match="there are no texts"):
        Phrases().fit([])


def test_an_unfitted_model_says_so():
    for use in (lambda: Phrases().transform(["a"]), Phrases().get_feature_names_out):
        with pytest.raises(NotFittedError, match="call fit first"):
            use()


def test_verbose_shows_a_progress_bar(monkeypatch, capsys):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    Phrases("xtract", verbose=True, stop_words=None).fit(SPACE)
    assert "finding phrases" in capsys.readouterr().err
    Phrases(verbose=False).fit(SPACE)
    assert capsys.readouterr().err == ""


def test_a_model_can_be_cloned_pickled_and_saved():
    model = Phrases(stop_words={"the", "a", "of"}, min_count=np.int64(2)).fit(SPACE)
    assert clone(model).get_params() == model.get_params()
    values = json.loads(json.dumps(model.to_values()))
    for again in (pickle.loads(pickle.dumps(model)), Phrases.from_values(values)):
        assert again.phrases_ == model.phrases_
        assert again.counts_ == model.counts_
        assert list(again.stop_words_) == list(model.stop_words_)
        assert same_matrix(again.transform(SPACE), model.transform(SPACE))
    assert Phrases.from_values(values).to_values() == values


def test_a_function_cannot_be_saved():
    model = Phrases(strip_accents=str.lower, stop_words=None).fit(SPACE)
    with pytest.raises(SettingsError, match="strip_accents is a function"):
        model.to_values()


DAMAGE = [
    lambda v: v.pop("scores"),
    lambda v: v.update(more=1),
    lambda v: v.update(settings=None),
    lambda v: v["settings"].pop("method"),
    lambda v: v["settings"].update(method="best"),
    lambda v: v["settings"].update(max_words=9),
    lambda v: v["settings"].update(tokens="chars"),
    lambda v: v["settings"].update(tokens={"a": 1}),
    lambda v: v["settings"].update(stop_words=[1]),
    lambda v: v["settings"].update(stop_words=7),
    lambda v: v["settings"].update(stop_words={"a": 1}),
    lambda v: v["settings"].update(threshold=10**400),
    lambda v: v["settings"].update(encoding="a\x00b"),
    lambda v: v["settings"].update(decode_error="shrug"),
    lambda v: v["settings"].update(strip_accents={"a": 1}),
    lambda v: v["settings"].update(language="klingon"),
    lambda v: v["settings"].update(min_length=[]),
    lambda v: v["settings"].update(strip_accents=[]),
    lambda v: v["settings"].update(encoding=3),
    lambda v: v["settings"].update(encoding="utf-99"),
    lambda v: v["settings"].update(lowercase=[]),
    lambda v: v.update(phrases="deep sea"),
    lambda v: v.update(phrases=[1] * len(v["phrases"])),
    lambda v: v["phrases"].append("one more"),
    lambda v: v["phrases"].__setitem__(0, v["phrases"][1]),
    lambda v: v["phrases"].__setitem__(0, "alone"),
    lambda v: v["phrases"].__setitem__(0, "deep  sea"),
    lambda v: v["phrases"].__setitem__(0, "one two three four five"),
    lambda v: v["scores"].__setitem__(0, float("nan")),
    lambda v: v["scores"].__setitem__(0, "high"),
    lambda v: v["scores"].__setitem__(0, 10**400),
    lambda v: v["scores"].pop(),
    lambda v: v["counts"].__setitem__(0, -1),
    lambda v: v["counts"].__setitem__(0, 1.5),
    lambda v: v["counts"].__setitem__(0, True),
    lambda v: v.update(counts=None),
    lambda v: v.update(stop_words=[None]),
]


@pytest.mark.parametrize("number", range(len(DAMAGE)))
def test_damaged_values_are_refused(number):
    values = Phrases(stop_words="english", min_count=2).fit(SPACE).to_values()
    DAMAGE[number](values)
    with pytest.raises(FileError):
        Phrases.from_values(values)


@pytest.mark.parametrize("values", [None, [], "phrases", {}])
def test_values_of_another_kind_are_refused(values):
    with pytest.raises(FileError):
        Phrases.from_values(values)


@pytest.mark.parametrize(
    "check",
    [
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_estimator_tags_renamed",
        "check_valid_tag_types",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_get_params_invariance",
        "check_set_params",
        "check_mixin_order",
    ],
)
def test_phrases_are_an_estimator(check):
    # Those of scikit-learn's checks that need no data: it has no texts to check with.
    getattr(estimator_checks, check)("Phrases", Phrases())


def test_phrases_of_newsgroups_include_well_known_ones():
    model = Phrases().fit(corpora.column("20ng_bydate"))
    known = ["space shuttle", "hewlett packard", "los angeles", "clipper chip", "gun control"]
    assert all(phrase in model.phrases_ for phrase in known)
    for word in ["god", "windows", "game", "team"]:
        assert word not in model.stop_words_
    for word in ["the", "of", "and", "they", "was", "would", "because"]:
        assert word in model.stop_words_
