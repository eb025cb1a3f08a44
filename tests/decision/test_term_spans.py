"""Where the terms of a document stand in its text."""

import re
from collections import Counter

import pytest
from hypothesis import assume, given

import strategies
from tallytext import TextVectorizer, Vocabulary
from tallytext.decision import Contribution
from tallytext.decision.explanation import locate_terms
from tallytext.decision.rendering import split_segments
from tallytext.text.analysis import Analyzer
from tallytext.text.sources import as_texts

ANALYZERS = [
    Analyzer(),
    Analyzer(tokens="sklearn"),
    Analyzer(lowercase=False),
    Analyzer(hangul="words+bigrams"),
    Analyzer(ngram_range=(1, 3)),
    Analyzer(tokens="chars", ngram_range=(2, 4)),
    Analyzer(tokens=re.compile(r"\w+")),
    Analyzer(tokens=re.compile(r"#(\w+)")),
    TextVectorizer(stop_words=["the"], language="en", strip_accents="unicode").build_analyzer(),
    Analyzer(min_length=1),
    Analyzer(tokens="sklearn", min_length=1, ngram_range=(1, 2), chars=(2, 4)),
    Analyzer(lowercase=False, chars=(1, 3)),
    TextVectorizer(
        stop_words=["the"], language="en", strip_accents="unicode", ngram_range=(1, 2), chars=(1, 4)
    ).build_analyzer(),
]


@pytest.mark.parametrize("analyzer", ANALYZERS, ids=repr)
@given(text=strategies.texts())
def test_places_hold_the_terms_that_are_counted(analyzer, text):
    vocabulary = Vocabulary()
    rows = analyzer.count(as_texts([text]), vocabulary, grow=True)
    counted = dict(zip(vocabulary.terms(rows.terms).tolist(), rows.counts.tolist(), strict=True))
    places = locate_terms(analyzer, text)
    assert Counter(place.term for place in places) == counted
    assert all(0 <= place.start < place.end <= len(text) for place in places)


# Neither a padding space nor what a pattern wants around its group is part of the place.
@pytest.mark.parametrize("analyzer", [ANALYZERS[i] for i in (0, 1, 2, 3, 4, 6, 8, 9)], ids=repr)
@given(text=strategies.texts())
def test_a_place_analysed_alone_gives_its_term(analyzer, text):
    assume("Σ" not in text)  # whose lower case depends on what is around it
    for place in locate_terms(analyzer, text):
        alone = [each.term for each in locate_terms(analyzer, text[place.start : place.end])]
        assert place.term in alone


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("서울에서 원숭이를 보았다", ["서울에서", "원숭이를", "보았다"]),
        ("Un ÉLÈVE naïf, l'e\u0301te\u0301", ["Un", "ÉLÈVE", "naïf", "e\u0301te\u0301"]),
        ("👩‍👩‍👧 wave 🌊 İZMİR!", ["wave", "İZMİR"]),
        ("中文字", ["中文", "文字"]),
    ],
)
def test_places_are_characters_of_the_text(text, expected):
    places = locate_terms(Analyzer(), text)
    assert [text[place.start : place.end] for place in places] == expected


def test_character_ngrams_have_places_behind_the_words():
    places = locate_terms(Analyzer(min_length=1, chars=(2, 3)), "A Bé!")
    assert places == [
        ("a", 0, 1), ("bé", 2, 4),
        ("# a", 0, 1), ("#a ", 0, 1), ("# a ", 0, 1),
        ("# b", 2, 3), ("#bé", 2, 4), ("#é!", 3, 5), ("#! ", 4, 5),
        ("# bé", 2, 4), ("#bé!", 2, 5), ("#é! ", 3, 5),
    ]  # fmt: skip


def test_tokens_of_a_callable_are_looked_for_from_left_to_right():
    analyzer = Analyzer(tokens=lambda text: ["wave", "gone", "Wave"])
    assert locate_terms(analyzer, "Wave, wave") == [("wave", 0, 4), ("Wave", 6, 10)]


def test_a_word_that_was_stemmed_is_found_as_it_stands():
    vectorizer = TextVectorizer(stop_words="fr", language="fr", strip_accents="unicode")
    [school, closed] = locate_terms(vectorizer.build_analyzer(), "Les écoles étaient fermées")
    assert (school, closed) == (("ecol", 4, 10), ("ferme", 19, 26))


def test_stretches_of_a_text_are_the_text():
    whole, part = (
        Contribution("one wave", 1, 1.0, spans=((0, 8),)),
        Contribution("wave", 2, -3.0, spans=((4, 8), (10, 14))),
    )
    segments = split_segments("one wave, wave.", [whole, part])
    assert [segment.text for segment in segments] == ["one ", "wave", ", ", "wave", "."]
    assert [segment.value for segment in segments] == [1.0, -0.5, 0, -1.5, 0]
