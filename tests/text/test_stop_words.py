import re
import unicodedata
from importlib.resources import files

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from tallytext.errors import LanguageError
from tallytext.text.stop_words import stop_word_languages, stop_words

OBVIOUS = {
    "danish": "og det ikke jeg en den til med for som",
    "dutch": "de het een en van ik niet dat in op",
    "finnish": "ja on ei hän se että oli mutta joka kun",
    "french": "le la les de et un une est dans que",
    "german": "der die und das ist nicht ein ich mit zu",
    "hungarian": "az egy és hogy nem is ez van volt de",
    "italian": "il la di che un non una per con sono",
    "norwegian": "og det ikke jeg en den til med for som",
    "polish": "nie to się na jest że do co jak ale",
    "portuguese": "de que não um uma para com os se por",
    "romanian": "și nu în la de un este pe cu care",
    "russian": "не на что он как это но по из они",
    "spanish": "el la de que en los un por con no",
    "swedish": "och det inte jag en den till med för som",
    "turkish": "ve bir bu da de için çok ne gibi ile",
}


def listed(language):
    path = files("tallytext.text") / "stop_word_lists" / f"{language}.txt"
    return path.read_text(encoding="utf-8").splitlines()


def test_english_is_the_list_of_scikit_learn():
    assert stop_words("english") == ENGLISH_STOP_WORDS


def test_every_language_has_an_entry_here():
    assert {*OBVIOUS, "english"} == set(stop_word_languages())


@pytest.mark.parametrize("language", OBVIOUS)
def test_the_most_obvious_words_are_listed(language):
    assert set(OBVIOUS[language].split()) <= stop_words(language)


@pytest.mark.parametrize("language", OBVIOUS)
def test_lists_are_sorted_without_duplicates(language):
    words = listed(language)
    assert words == sorted(set(words))
    assert 150 <= len(words) <= 300


@pytest.mark.parametrize("language", OBVIOUS)
def test_every_stop_word_is_a_term_that_can_occur(language):
    for word in stop_words(language):
        assert re.fullmatch(r"(?u)\b\w\w+\b", word)
        assert word == word.lower() == unicodedata.normalize("NFC", word)


@pytest.mark.parametrize("code", ["de", "DE", "de-AT", "de_CH", "German", " german "])
def test_a_language_goes_by_many_names(code):
    assert stop_words(code) is stop_words("german")


@pytest.mark.parametrize("language", ["klingon", "", "xx", "english.txt", "../errors"])
def test_an_unknown_language_is_refused_with_the_known_ones(language):
    with pytest.raises(LanguageError, match="danish, dutch, english, finnish"):
        stop_words(language)
