import json
import re
from collections import Counter
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strategies
from tallytext import BernoulliNB, MultinomialNB, PoissonNB, Tally, TextVectorizer, Vocabulary
from tallytext.documents import Analyzer
from tallytext.errors import (
    CountError,
    InputError,
    LabelError,
    UnknownNameError,
    VocabularyError,
)
from tallytext.explanation import Contribution, Explanation
from tallytext.explanation.as_text import display_width
from tallytext.explanation.highlights import segments_of
from tallytext.explanation.places import places_of
from tallytext.smoothing import AbsoluteDiscount, Background, Dirichlet, Laplace, Unsmoothed
from tallytext.text.sources import as_texts

SMOOTHINGS = [Laplace(1), Background(0.5), Dirichlet(10.0), AbsoluteDiscount(0.5)]
MODELS = [
    *(MultinomialNB(smoothing) for smoothing in SMOOTHINGS),
    *(MultinomialNB(smoothing, complement=True) for smoothing in SMOOTHINGS),
    MultinomialNB(complement="only"),
    MultinomialNB(weighting="ig"),
    MultinomialNB(complement=True, weighting="prr", weight_by_class=True),
    MultinomialNB(normalize="l1", tf="log", tf_test="log", prior="smoothed"),
    MultinomialNB.chi_contrast(),
    MultinomialNB(length_model=True),
    MultinomialNB(length_model=True, complement=True),
    BernoulliNB(),
    BernoulliNB(complement=True),
    PoissonNB(),
]
TRAINING = ["salt wave wave", "blue wave", "blue cloud", "cloud wind", "wind rocket"]
LABELS = ["sea", "sea", "sky", "sky", "space"]


def count_rows(n_terms=6):
    return st.lists(st.integers(0, 4), min_size=n_terms, max_size=n_terms)


@st.composite
def corpora(draw):
    rows = draw(st.lists(count_rows(), min_size=3, max_size=8))
    rows[0][0] += 1
    labels = ["a", "b", "c", *draw(st.lists(st.sampled_from("abc"), min_size=5, max_size=5))]
    return np.array(rows), labels[: len(rows)], np.array([draw(count_rows())])


@pytest.fixture
def vectorizer():
    return TextVectorizer().fit(TRAINING)


@pytest.fixture
def model(vectorizer):
    return MultinomialNB().fit(vectorizer.transform(TRAINING), LABELS)


def total(why):
    return sum(part.value for part in why.parts) + sum(each.value for each in why.contributions)


def expect_sum(why, score, other):
    near = pytest.approx(score - other, rel=1e-9, abs=1e-9 * (1 + abs(score) + abs(other)))
    assert total(why) == near
    assert why.difference == near


@pytest.mark.parametrize("model", MODELS, ids=repr)
@settings(max_examples=25)
@given(corpora())
def test_contributions_add_up_to_the_difference_of_scores(model, corpus):
    X, y, x = corpus
    scores = model.fit(X, y).scores(x)[0]
    for label in model.classes_:
        for against in set(model.classes_) - {label}:
            why = model.explain(x, label, against)
            first, second = model.class_number(label), model.class_number(against)
            expect_sum(why, scores[first], scores[second])
            assert (why.label, why.against) == (label, against)


@given(corpora(), st.sampled_from([MultinomialNB(), BernoulliNB(), MultinomialNB(Laplace(0.1))]))
def test_a_score_of_several_labels_is_a_difference_by_itself(corpus, model):
    X, y, x = corpus
    scores = model.fit(X, [[label] for label in y]).scores(x)[0]
    why = model.explain(x)
    assert why.against is None
    assert why.label == model.classes_[scores.argmax()]
    expect_sum(why, scores.max(), 0.0)


@given(corpora())
def test_the_predicted_class_is_explained_against_the_runner_up(corpus):
    X, y, x = corpus
    model = MultinomialNB(Laplace(1)).fit(X, y)
    why, best = model.explain(x), model.top_k(x, 2)
    assert [why.label, why.against] == model.classes_[best.classes[0]].tolist()
    assert model.explain(x, against=why.label).label == why.against


def test_each_summand_is_what_it_says():
    model = MultinomialNB(Laplace(1)).fit([[3, 1], [1, 1], [0, 2]], ["a", "a", "b"])
    why = model.explain([[2, 1]], "a", "b")
    assert why.prior == pytest.approx(np.log(2))
    first, second = why.contributions
    assert first.value == pytest.approx(2 * (np.log(5 / 8) - np.log(1 / 4)))
    assert second.value == pytest.approx(np.log(3 / 8) - np.log(3 / 4))
    assert (first.term, first.count, first.known) == ("x0", 2.0, True)
    assert (why.absent, why.length) == (None, None)


def test_bernoulli_models_show_what_absent_words_say():
    model = BernoulliNB().fit([[1, 1, 0], [0, 1, 1]], ["sea", "sky"])
    why = model.explain([[0, 0, 1]], "sky", "sea")
    empty = model.explain([[0, 0, 0]], "sky", "sea")
    assert why.absent == empty.absent == pytest.approx(empty.difference)
    assert [part.name for part in why.parts] == ["prior", "absent words"]


def test_a_length_model_is_a_summand():
    model = MultinomialNB(length_model=True).fit([[9, 9], [1, 0]], ["long", "short"])
    why = model.explain([[8, 7]], "long", "short")
    assert why.length > 0
    assert [part.name for part in why.parts] == ["prior", "length"]


def test_an_empty_document_has_only_its_prior(model):
    why = model.explain(np.zeros((1, 6), dtype=int))
    assert why.contributions == ()
    assert why.difference == pytest.approx(why.prior)
    assert why.to_text().splitlines()[0] == "sea rather than sky: +0.00"
    assert "<table" in why.to_html()


def test_words_that_no_class_can_have_written_leave_the_prior():
    model = MultinomialNB(Unsmoothed()).fit([[2, 0, 1], [0, 1, 1]], ["a", "b"])
    one = model.explain([[1, 0, 1]])
    assert (one.label, one.difference) == ("a", np.inf)
    both = model.explain([[1, 1, 0]])
    assert [each.value for each in both.contributions] == [0.0, 0.0]
    assert both.difference == both.prior == 0.0
    assert "inf" in one.to_text() and "inf" in one.to_html()


def test_a_model_of_one_class_is_explained_by_its_score():
    model = MultinomialNB().fit([[1, 2]], ["only"])
    why = model.explain([[1, 1]])
    assert why.against is None
    expect_sum(why, model.scores([[1, 1]])[0, 0], 0.0)


def test_single_precision_is_explained_in_double(vectorizer):
    X = vectorizer.transform(TRAINING)
    exact, rough = (MultinomialNB(dtype=dtype).fit(X, LABELS) for dtype in ("float64", "float32"))
    assert exact.explain(X[:1]) == rough.explain(X[:1])


# ------------------------------------------------------------------ names and words


def test_unknown_words_are_shown_and_add_nothing(vectorizer, model):
    text = "Salt and foam, foam"
    why = model.explain(vectorizer.transform([text]), text=text, vectorizer=vectorizer)
    strangers = [(each.term, each.count, each.value) for each in why.unknown]
    assert strangers == [("and", 1.0, 0.0), ("foam", 2.0, 0.0)]
    assert why.unknown[1].spans == ((9, 13), (15, 19))
    assert "unknown: and, foam" in why.to_text()


def test_a_column_that_was_never_filled_is_unknown():
    model = MultinomialNB().fit([[1, 0, 0], [0, 1, 0]], ["a", "b"])
    why = model.explain([[1, 0, 2]])
    assert [each.known for each in why.contributions] == [True, False]
    assert why.contributions[1].value == 0


def test_columns_are_named_by_whoever_knows_them(vectorizer, model):
    x = vectorizer.transform(["salt"])

    def names(**more):
        return [each.term for each in model.explain(x, **more).contributions]

    assert names() == ["x0"]
    assert names(vectorizer=vectorizer) == ["salt"]
    assert names(terms=vectorizer.vocabulary_) == ["salt"]
    assert names(terms=vectorizer.get_feature_names_out()) == ["salt"]
    assert names(terms=["SALT"]) == ["SALT"]


def test_the_names_of_a_data_frame_are_kept():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"salt": [1, 0], "cloud": [0, 1]})
    model = MultinomialNB().fit(frame, ["sea", "sky"])
    assert [each.term for each in model.explain(frame[:1]).contributions] == ["salt"]


def test_a_tally_names_its_words_and_numbers_those_beyond():
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(TRAINING)
    tally = Tally(vectorizer.vocabulary_).learn(X, LABELS)
    why = MultinomialNB.from_tally(tally).explain([[1, 0, 0, 0, 0, 0, 3]])
    assert [(each.term, each.known) for each in why.contributions] == [
        ("salt", True),
        ("x6", False),
    ]


# ------------------------------------------------------------------ what cannot be explained


def test_several_documents_are_refused(vectorizer, model):
    with pytest.raises(CountError, match=r"one document can be explained at a time, .* are 5"):
        model.explain(vectorizer.transform(TRAINING))


def test_an_unknown_label_is_met_with_a_known_one(vectorizer, model):
    x = vectorizer.transform(["salt"])
    with pytest.raises(UnknownNameError, match=r"no class 'spase' here\. Did you mean 'space'"):
        model.explain(x, "spase")
    with pytest.raises(UnknownNameError, match="'se'"):
        model.explain(x, "sea", "se")
    with pytest.raises(LabelError, match="'sea' cannot be compared with itself"):
        model.explain(x, "sea", "sea")


def test_a_text_needs_the_vectorizer_that_counted_it(vectorizer, model):
    x = vectorizer.transform(["salt"])
    with pytest.raises(InputError, match="give the TextVectorizer that counted"):
        model.explain(x, text="salt")
    with pytest.raises(InputError, match="text must be one document, not \\['salt'\\]"):
        model.explain(x, text=["salt"], vectorizer=vectorizer)
    with pytest.raises(VocabularyError, match=r"1 terms were given, but .* column 2"):
        model.explain(vectorizer.transform(["blue"]), terms=["salt"])


# ------------------------------------------------------------------ places

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
]


@pytest.mark.parametrize("analyzer", ANALYZERS, ids=repr)
@given(text=strategies.texts())
def test_places_hold_the_terms_that_are_counted(analyzer, text):
    vocabulary = Vocabulary()
    rows = analyzer.count(as_texts([text]), vocabulary, grow=True)
    counted = dict(zip(vocabulary.terms(rows.terms).tolist(), rows.counts.tolist(), strict=True))
    places = places_of(analyzer, text)
    assert Counter(place.term for place in places) == counted
    assert all(0 <= place.start < place.end <= len(text) for place in places)


# Neither a padding space nor what a pattern wants around its group is part of the place.
@pytest.mark.parametrize("analyzer", [ANALYZERS[i] for i in (0, 1, 2, 3, 4, 6, 8)], ids=repr)
@given(text=strategies.texts())
def test_a_place_analysed_alone_gives_its_term(analyzer, text):
    assume("Σ" not in text)  # whose lower case depends on what is around it
    for place in places_of(analyzer, text):
        alone = [each.term for each in places_of(analyzer, text[place.start : place.end])]
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
    places = places_of(Analyzer(), text)
    assert [text[place.start : place.end] for place in places] == expected


def test_tokens_of_a_callable_are_looked_for_from_left_to_right():
    analyzer = Analyzer(tokens=lambda text: ["wave", "gone", "Wave"])
    assert places_of(analyzer, "Wave, wave") == [("wave", 0, 4), ("Wave", 6, 10)]


def test_a_word_that_was_stemmed_is_found_as_it_stands():
    vectorizer = TextVectorizer(stop_words="fr", language="fr", strip_accents="unicode")
    [school, closed] = places_of(vectorizer.build_analyzer(), "Les écoles étaient fermées")
    assert (school, closed) == (("ecol", 4, 10), ("ferme", 19, 26))


def test_stretches_of_a_text_are_the_text():
    whole, part = (
        Contribution("one wave", 1, 1.0, spans=((0, 8),)),
        Contribution("wave", 2, -3.0, spans=((4, 8), (10, 14))),
    )
    segments = segments_of("one wave, wave.", [whole, part])
    assert [segment.text for segment in segments] == ["one ", "wave", ", ", "wave", "."]
    assert [segment.value for segment in segments] == [1.0, -0.5, 0, -1.5, 0]


# ------------------------------------------------------------------ as text, HTML and JSON


class Reader(HTMLParser):
    """Collects the text, tags and tooltips of a piece of HTML."""

    def __init__(self, html):
        super().__init__()
        self.text, self.tags, self.titles, self.open = "", set(), [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open.append(tag)
        self.titles += [value for name, value in attrs if name == "title"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def made(text, label="sea", term="wave", spans=()):
    return Explanation(
        label, "sky", 1.0, 0.0, 1.0, 0.5, (Contribution(term, 1, 0.5, spans=spans),), text=text
    )


@given(strategies.texts(), strategies.terms, strategies.terms)
def test_html_shows_text_and_nothing_else(text, label, term):
    html = made(text, label, term, spans=((0, len(text)),) if text else ()).to_html()
    reader = Reader(html)
    assert reader.tags <= {*["div", "span", "table", "thead", "tbody", "tr", "th", "td", "bdi"]}
    assert not reader.open
    html.encode()


def test_html_escapes_markup():
    attack = '<script>alert("x")</script>'
    html = made(attack, label=attack, term=attack, spans=((0, 8),)).to_html()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 4
    assert Reader(html).titles == [f"{attack}: +0.500"]


def test_html_colours_words_by_what_they_add():
    words = (
        Contribution("wave", 1, 2.0, spans=((0, 4),)),
        Contribution("cloud", 1, -1.0, spans=((5, 10),)),
        Contribution("foam", 1, 0.0, known=False, spans=((11, 15),)),
    )
    html = Explanation("a", "b", 1, 0, 1, 0, words, text="wave cloud foam").to_html()
    assert re.search(r'background-color:rgba\(46,160,67,0\.62\)">wave<', html)
    assert re.search(r'background-color:rgba\(248,81,73,0\.35\)">cloud<', html)
    assert re.search(
        r'title="foam: unknown" style="text-decoration:underline dotted[^>]*>foam<', html
    )


def test_html_reads_as_the_text_that_it_shows(vectorizer, model):
    text = "Salt & <b>wave</b>,\nthe 파도 🌊"
    why = model.explain(vectorizer.transform([text]), text=text, vectorizer=vectorizer)
    assert text in Reader(why._repr_html_()).text


@given(st.integers(40, 120), st.lists(st.tuples(strategies.terms, st.floats(-9, 9)), max_size=8))
def test_lines_fit_their_width(width, rows):
    words = tuple(Contribution(term, 1, value) for term, value in rows)
    why = Explanation("파도", None, 1, 0, 1, 0.3, words)
    lines = why.to_text(5, width).splitlines()
    assert all(display_width(line) <= width for line in lines)
    assert len(lines) == 4 + min(len(rows), 5) + (len(rows) > 5)


def test_numbers_stand_under_each_other():
    words = (Contribution("파도", 2, 1.0), Contribution("wave", 1, -2.0))
    lines = str(Explanation("a", "b", 1, 0, 1, 0.0, words)).splitlines()
    assert {display_width(line[: line.index("│")]) for line in lines[3:]} == {
        display_width(lines[3][: lines[3].index("│")])
    }
    assert "█│" in lines[3] and "│█" in lines[4]


def test_what_is_not_shown_is_summed_up():
    words = tuple(Contribution(f"w{i}", 1, float(i)) for i in range(5))
    text = Explanation("a", "b", 10, 0, 10, 0.0, words).to_text(2)
    assert re.search(r"\(3 others\) +\+3\.00", text)
    assert [each.term for each in Explanation("a", "b", 1, 0, 1, 0.0, words).top(2)] == ["w4", "w3"]


def test_an_explanation_is_plain_data(vectorizer, model):
    text = "salt foam"
    why = model.explain(vectorizer.transform([text]), text=text, vectorizer=vectorizer)
    data = json.loads(json.dumps(why.to_dict()))
    assert data["label"] == "sea"
    assert data["contributions"][0]["spans"] == [[0, 4]]
    assert data["parts"] == {"prior": why.prior}
    assert data["text"] == text


def test_labels_that_are_numbers_stay_numbers():
    model = MultinomialNB().fit([[1, 0], [0, 1]], [3, 5])
    assert json.dumps(model.explain([[1, 0]]).to_dict()["label"]) == "3"
