import pickle

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from naming import name_of
from tallytext.errors import AnalysisError, LanguageError
from tallytext.text.analysis import TermAnalysis, accent_stripper, stemming_languages
from tallytext.text.stop_words import language_name

terms = st.lists(st.text(st.characters(exclude_categories=()), min_size=1, max_size=12))


def shorten(term):
    return term[:4] if len(term) > 2 else None


SETTINGS = [
    {},
    {"stop_words": "en"},
    {"stop_words": ["the", "of"]},
    {"language": "german"},
    {"strip_accents": "ascii"},
    {"strip_accents": shorten},
    {"term_filter": shorten},
    {"stop_words": "fr", "language": "fr", "strip_accents": "unicode", "term_filter": shorten},
]


def test_no_settings_change_nothing():
    analysis = TermAnalysis.from_settings()
    assert analysis.is_identity
    assert analysis.analyse(["The", "words"]) == ["The", "words"]
    assert TermAnalysis.from_settings(stop_words=[]).is_identity


@pytest.mark.parametrize("settings", SETTINGS[1:], ids=name_of)
def test_any_setting_makes_it_more_than_the_identity(settings):
    assert not TermAnalysis.from_settings(**settings).is_identity


@given(terms)
def test_accents_are_stripped_as_scikit_learn_strips_them(words):
    for kind in ("unicode", "ascii"):
        strip = CountVectorizer(strip_accents=kind, lowercase=False).build_preprocessor()
        expected = [strip(word) or None for word in words]
        assert TermAnalysis.from_settings(strip_accents=kind).analyse(words) == expected


def test_stop_words_are_dropped_with_and_without_their_accents():
    analysis = TermAnalysis.from_settings(stop_words=["für", "uber"], strip_accents="unicode")
    assert analysis.analyse(["für", "über", "mädchen", "fur"]) == [None, None, "madchen", "fur"]


def test_a_language_alone_drops_no_words():
    assert TermAnalysis.from_settings(language="en").analyse(["the", "houses"]) == ["the", "hous"]


@pytest.mark.parametrize("language", stemming_languages())
def test_stems_equal_those_of_snowball(language):
    words = ["generalisations", "häuser", "écoles", "книгами", "evlerde"]
    expected = [Stemmer.Stemmer(language).stemWord(word) for word in words]
    assert TermAnalysis.from_settings(language=language).analyse(words) == expected


def test_the_filter_sees_words_after_accents_and_stop_words_and_before_stemming():
    seen = []
    analysis = TermAnalysis.from_settings(
        stop_words="english",
        language="english",
        strip_accents="unicode",
        term_filter=lambda term: seen.append(term) or term + "s",
    )
    assert analysis.analyse(["the", "écoles", "running"]) == [None, "ecoless", "run"]
    assert seen == ["ecoles", "running"]


@pytest.mark.parametrize("nothing", [None, ""])
def test_the_filter_drops_a_term_by_returning_nothing(nothing):
    analysis = TermAnalysis.from_settings(
        term_filter=lambda term: nothing if term.isdigit() else term
    )
    assert analysis.analyse(["in", "1984"]) == ["in", None]


def test_a_filter_that_returns_no_string_raises():
    with pytest.raises(AnalysisError, match="returned 3 for 'abc'"):
        TermAnalysis.from_settings(term_filter=len).analyse(["abc"])


@given(terms)
def test_an_analysis_of_many_terms_is_the_analysis_of_each(words):
    analysis = TermAnalysis.from_settings(
        stop_words="en", language="en", strip_accents="unicode", term_filter=shorten
    )
    together = analysis.analyse(words)
    assert together == [analysis.analyse([word])[0] for word in words]
    assert all(term is None or term for term in together)


def test_terms_are_left_as_they_were_given():
    words = ["houses", "the"]
    TermAnalysis.from_settings(language="en", stop_words="en").analyse(words)
    assert words == ["houses", "the"]


def test_lone_surrogates_pass_through_stemming():
    assert TermAnalysis.from_settings(language="en").analyse(["\ud800ing", "eating"]) == [
        "\ud800ing",
        "eat",
    ]


@pytest.mark.parametrize("settings", SETTINGS, ids=name_of)
def test_equal_settings_are_equal_analyses_also_after_pickling(settings):
    analysis = TermAnalysis.from_settings(**settings)
    assert (
        analysis == TermAnalysis.from_settings(**settings) == pickle.loads(pickle.dumps(analysis))
    )
    assert hash(analysis) == hash(TermAnalysis.from_settings(**settings))
    assert [s for s in SETTINGS if TermAnalysis.from_settings(**s) == analysis] == [settings]


def test_names_and_codes_are_the_same_language():
    assert TermAnalysis.from_settings(language="pt-BR") == TermAnalysis.from_settings(
        language="Portuguese"
    )
    assert language_name("nb", stemming_languages(), "stemmer") == "norwegian"


@pytest.mark.parametrize("setting", ["language", "stop_words"])
def test_an_unknown_language_is_refused_with_the_known_ones(setting):
    with pytest.raises(LanguageError, match=r"'klingon'.*Supported: .*english, .*swedish"):
        TermAnalysis.from_settings(**{setting: "klingon"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"strip_accents": "utf-8"}, "strip_accents must be"),
        ({"strip_accents": 3}, "strip_accents must be"),
        ({"term_filter": "short"}, "term_filter must be a callable"),
        ({"stop_words": ["a", 1]}, "1 is int"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(AnalysisError, match=message):
        TermAnalysis.from_settings(**settings)


def test_no_accents_setting_is_no_function():
    assert accent_stripper(None) is None
    assert accent_stripper(str.upper)("a") == "A"
