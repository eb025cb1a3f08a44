"""Contributions of pairs and strings, summed onto the words of a text."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import texts as any_texts
from tallytext import TextClassifier, TextVectorizer
from tallytext.decision.explanation import Contribution, Explanation, sum_onto_words
from tallytext.errors import InputError
from tallytext.text.analysis import Analyzer

TRAINING = [
    ("New York has a new film", "film"),
    ("東京で新しい映画が公開された", "film"),
    ("오늘 영화관에서 영화를 봤다", "film"),
    ("北京今天放映新电影", "film"),
    ("The bank of New York!", "money"),
    ("東京の株価が下落した", "money"),
    ("은행의 주가가 하락했다", "money"),
    ("上海银行的股票下跌", "money"),
]
SETTINGS = [
    {},
    {"ngram_range": (1, 2), "min_length": 1, "chars": (2, 4)},
    {"hangul": "words+bigrams", "ngram_range": (1, 3)},
    {"tokens": "chars", "ngram_range": (2, 3)},
    {"stop_words": ["the", "a", "of"], "language": "english", "chars": (1, 3)},
]


def classifier(**settings):
    texts, labels = zip(*TRAINING, strict=True)
    vectorizer = TextVectorizer(**settings)
    return TextClassifier("chi-contrast", vectorizer=vectorizer).fit([*texts], [*labels])


@pytest.fixture(scope="module")
def with_strings():
    return classifier(**SETTINGS[1])


def total(why):
    return math.fsum(each.value for each in why.contributions)


def values(why):
    return {each.term: each.value for each in why.contributions}


@pytest.mark.parametrize("settings", SETTINGS)
def test_sums_by_word_add_up_to_the_same_score(settings):
    clf = classifier(**settings)

    @given(st.one_of(any_texts(), st.lists(st.sampled_from([*TRAINING]), max_size=3)))
    def holds(drawn):
        text = drawn if isinstance(drawn, str) else " ".join(text for text, _ in drawn)
        words, features = clf.explain(text), clf.explain(text, by="feature")
        assert total(words) == pytest.approx(total(features), abs=1e-9)
        parts = sum(part.value for part in words.parts)
        assert total(words) + parts == pytest.approx(words.difference, abs=1e-9)

    holds()


def test_places_of_words_do_not_overlap_and_hold_the_word(with_strings):
    text = "New York, 東京の映画と새 영화를 the NEW bank!"
    found = with_strings.explain(text).contributions
    spans = sorted((span, each.term) for each in found for span in each.spans)
    for ((start, end), term), following in zip(spans, [*spans[1:], None], strict=True):
        assert text[start:end].lower() == term
        assert following is None or end <= following[0][0]
    assert {"new", "york", "영화를", "bank"} <= {term for _, term in spans}
    assert not any(term.startswith("#") for _, term in spans)


def explained(text, *contributions, **settings):
    difference = math.fsum(value for _, value in contributions)
    terms = tuple(Contribution(term, 1.0, value) for term, value in contributions)
    why = Explanation("a", "b", difference, 0.0, difference, 0.0, terms, text=text)
    return values(sum_onto_words(why, Analyzer(min_length=1, **settings)))


def test_a_pair_is_divided_between_its_words_and_not_those_dropped_between():
    analyzer = TextVectorizer(stop_words=["of"], ngram_range=(1, 2)).build_analyzer()
    terms = (Contribution("bank england", 1.0, 2.0), Contribution("bank", 1.0, 0.5))
    why = Explanation("a", "b", 2.5, 0.0, 2.5, 0.0, terms, text="Bank of England")
    assert values(sum_onto_words(why, analyzer)) == {"bank": 1.5, "england": 1.0}


def test_a_string_is_divided_among_its_occurrences():
    found = explained("hanks thanks", ("#hank", 1.0), ("#than", 0.5), chars=(4, 4))
    assert found == {"hanks": 0.5, "thanks": 1.0}


def test_a_string_outside_words_belongs_to_what_is_between_them():
    assert explained("wow !! wow", ("#!!", 1.0), chars=(2, 2)) == {"!!": 1.0}


def test_a_korean_word_gets_the_value_of_its_pairs_of_syllables():
    found = explained("영화를 봤다", ("영화", 0.5), ("화를", 0.25), hangul="words+bigrams")
    assert found == {"영화를": 0.75}


def test_japanese_is_explained_by_runs_of_one_script_and_sign():
    found = explained("東京の映画", ("東京", -1.0), ("京の", 0.5), ("映画", 2.0))
    assert found == {"東京": -0.75, "の": 0.25, "映画": 2.0}


def test_chinese_is_explained_by_runs_of_one_sign():
    found = explained("上海银行电影", ("上海", -0.5), ("银行", -1.0), ("电影", 3.0))
    assert found == {"上海银行": -1.5, "电影": 3.0}


def test_a_term_that_is_not_in_the_text_keeps_its_contribution():
    assert explained("sea", ("sea", 1.0), ("ocean", 0.5)) == {"sea": 1.0, "ocean": 0.5}


def test_infinite_contributions_stay_as_they_are():
    assert explained("sea sky", ("sea", math.inf), ("sky", 1.0)) == {"sea": math.inf, "sky": 1.0}


def test_words_of_which_nothing_is_known_are_unknown(with_strings):
    why = with_strings.explain("xyzzy film")
    assert [each.term for each in why.unknown_terms] == ["xyzzy"]


def test_the_page_highlights_whole_words(with_strings):
    assert ">film</span>" in with_strings.explain("a film").to_html()


def test_another_unit_is_refused(with_strings):
    with pytest.raises(InputError, match="'word' or 'feature', not 'pixel'"):
        with_strings.explain("film", by="pixel")
