"""Explanations as text, as HTML and as plain data."""

import json
import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

import strategies
from tallytext import MultinomialNB, TextVectorizer
from tallytext.decision import Contribution, Explanation
from tallytext.decision.rendering import display_width


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


def explained(text):
    """What a small model of the sea and the sky says of a text."""
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(["salt wave wave", "blue wave", "blue cloud", "cloud wind"])
    model = MultinomialNB().fit(X, ["sea", "sea", "sky", "sky"])
    return model.explain(vectorizer.transform([text]), text=text, vectorizer=vectorizer)


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


def test_html_colours_words_by_their_contribution():
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


def test_html_reads_as_the_text_that_it_shows():
    text = "Salt & <b>wave</b>,\nthe 파도 🌊"
    why = explained(text)
    assert text in Reader(why._repr_html_()).text


# Longer than any line, and no longer.
WORDS = strategies.terms.map(lambda term: term[:150])


@given(st.integers(40, 120), st.lists(st.tuples(WORDS, st.floats(-9, 9)), max_size=8))
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


def test_hidden_terms_are_summed():
    words = tuple(Contribution(f"w{i}", 1, float(i)) for i in range(5))
    text = Explanation("a", "b", 10, 0, 10, 0.0, words).to_text(2)
    assert re.search(r"\(3 others\) +\+3\.00", text)
    assert "(1 other) " in Explanation("a", "b", 10, 0, 10, 0.0, words).to_text(4)


def test_what_rounds_to_nothing_has_no_sign():
    words = (Contribution("wave", 1, -0.001), Contribution("sea", 1, 0.001))
    why = Explanation("a", "b", 0, 0, -0.001, 0.0, words)
    for shown in (why.to_text(), why.to_html()):
        assert "0.00" in shown
        assert "-0.00" not in shown and "+0.00" not in shown


def test_the_top_terms_are_the_largest():
    words = tuple(Contribution(f"w{i}", 1, float(i)) for i in range(5))
    assert [each.term for each in Explanation("a", "b", 1, 0, 1, 0.0, words).top(2)] == ["w4", "w3"]


def test_an_explanation_is_plain_data():
    text = "salt foam"
    why = explained(text)
    data = json.loads(json.dumps(why.to_dict()))
    assert data["label"] == "sea"
    assert data["contributions"][0]["spans"] == [[0, 4]]
    assert data["parts"] == {"prior": why.prior}
    assert data["text"] == text


def test_labels_that_are_numbers_stay_numbers():
    model = MultinomialNB().fit([[1, 0], [0, 1]], [3, 5])
    assert json.dumps(model.explain([[1, 0]]).to_dict()["label"]) == "3"
