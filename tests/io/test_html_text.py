import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallytext.io import html_text

PIECES = ["<", ">", "<!--", "-->", "<![", "<!", "<?", "</", "&", "&#", "&lt;", "<p ", '"', "script"]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("plain", "plain"),
        ("<html><title>A</title>B", "A B"),
        ("A<script>if (a < b) hide()</script>B", "A B"),
        ("A<style>p {color: red}</style>B<script/>C", "A B C"),
        ("A<!-- <p>not</p> -->B", "AB"),
        ("<!WA0><a href='x>y'>in</a>ner", "inner"),
        ("caf&eacute; &#38; r&#x26;d &unknown; 1 < 2", "café & r&d &unknown; 1 < 2"),
        ("A<![endif]>B<![CDATA[x]]>C", "ABC"),
        ("<b>never ended", "never ended"),
        ("A<!-- never ended <p>B", "A B"),
        ("A<! <img src=x <p>B</p", "A B"),
        ('A <a href="b>c</a> <a href="d">e</a>', "A c e"),
        ('<img alt="1 > 0">A', "A"),
        ("A<script>never ended", "A"),
    ],
)
def test_a_page_says_what_is_between_its_tags(page, text):
    assert html_text(page) == text


@pytest.mark.parametrize(
    "header",
    [
        "HTTP/1.0 200 OK\nDate: Mon, 6 Jan 1997\n",
        "Server: NCSA/1.4\nX-List: a,\n  b\n",
        "WWW Alert: none\n",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_header_of_an_answer_is_no_text(header, newline):
    page = f"{header}\n<p>Welcome\n\nto: all".replace("\n", newline)
    assert html_text(page) == "Welcome to: all"


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join))
def test_a_damaged_page_is_read_all_the_same(page):
    text = html_text(page)
    assert text == " ".join(text.split())
