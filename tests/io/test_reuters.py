"""Articles of Reuters-21578, and the markup they are in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archives import packed
from tallytext.errors import FileError
from tallytext.io import load_corpus
from tallytext.io.corpus_readers import MarkupError, parse_elements

NORMAL = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="1">
<DATE> 2-MAR-1987 15:01:01.79&#5;RM</DATE>
<MKNOTE>a correction</MKNOTE>
<TOPICS><D>grain</D><D>wheat</D></TOPICS>
<PLACES><D>usa</D></PLACES>
<PEOPLE><D>volcker</D></PEOPLE>
<ORGS><D>gatt</D></ORGS>
<EXCHANGES><D>nasdaq</D></EXCHANGES>
<COMPANIES></COMPANIES>
<UNKNOWN>&#5;&#22;f0704&#31;</UNKNOWN>
<TEXT>&#2;
<TITLE>B&amp;B &lt;BB> RISES</TITLE>
<AUTHOR>    by A. Uthor</AUTHOR>
<DATELINE>    K\xf6ln, March 2 - </DATELINE><BODY>It rose.\x0c
\t&#127;It fell 1 > 0, AT&T.
 Reuter
&#3;</BODY></TEXT>
</REUTERS>
"""
BRIEF = """<reuters TOPICS="NO" LEWISSPLIT="TEST" CGISPLIT="PUBLISHED-TESTSET" CSECS=1 OLDID="2" NEWID="2">
<DATE>31-MAR-1987 605:12:19.12</DATE>
<TOPICS></TOPICS>
<TEXT TYPE="BRIEF">&#2;
******<TITLE>FED ADDS
</TITLE>Blah</TEXT>
</reuters>
"""  # noqa: E501
UNPROC = """<REUTERS TOPICS="YES" LEWISSPLIT="TEST" CGISPLIT="TRAINING-SET" OLDID="3" NEWID="3">
<DATE>unknown</DATE><TOPICS><D>grain</D></TOPICS>
<TEXT TYPE="UNPROC">&#2;
WEEKLY &lt;REPORT>
&#3;</TEXT></REUTERS>"""


def articles(tmp_path, *files, split=None):
    named = {f"reuters21578/reut2-{i:03d}.sgm": file for i, file in enumerate(files)}
    packed(tmp_path / "reuters21578.tar.gz", {"README.txt": "<REUTERS>"} | named)
    return load_corpus("reuters21578", folder=tmp_path, split=split)


def test_an_article_says_all_of_itself(tmp_path):
    corpus = articles(tmp_path, NORMAL)
    assert corpus.texts == ["B&B <BB> RISES\nIt rose.\n\tIt fell 1 > 0, AT&T.\n Reuter\n"]
    assert corpus.labels == [["grain", "wheat"]]
    assert corpus.ids == ["1"]
    assert corpus.splits == ["train"]
    assert {name: value for name, [value] in corpus.columns.items()} == {
        "date": "1987-03-02T15:01:01.79",
        "date_raw": "2-MAR-1987 15:01:01.79&#5;RM",
        "lewissplit": "TRAIN",
        "topics_attr": "YES",
        "cgisplit": "TRAINING-SET",
        "oldid": "5544",
        "texttype": "NORM",
        "title": "B&B <BB> RISES",
        "dateline": "    Köln, March 2 - ",
        "places": ["usa"],
        "people": ["volcker"],
        "orgs": ["gatt"],
        "exchanges": ["nasdaq"],
    }


def test_a_brief_is_a_title_and_an_unusual_article_is_kept_whole(tmp_path):
    corpus = articles(tmp_path, BRIEF, UNPROC)
    assert corpus.texts == ["FED ADDS\n\n", "\nWEEKLY <REPORT>\n"]
    assert corpus.columns["texttype"] == ["BRIEF", "UNPROC"]
    assert corpus.columns["title"] == ["FED ADDS\n", ""]
    assert corpus.columns["date"] == ["1987-03-31", None]


@pytest.mark.parametrize(
    ("split", "sides"),
    [
        (None, ["train", "", "test"]),
        ("modapte", ["train", "", "test"]),
        ("modlewis", ["train", "test", "test"]),
        ("modhayes", ["train", "test", "train"]),
        ("modapte-90", ["train", "", "test"]),
    ],
)
def test_attributes_make_the_splits(tmp_path, split, sides):
    corpus = articles(tmp_path, NORMAL + BRIEF, UNPROC, split=split)
    assert corpus.splits == sides
    # Wheat is on one side only.
    assert corpus.classes == (["grain"] if split == "modapte-90" else ["grain", "wheat"])


def test_articles_without_a_topic_of_both_sides_are_left_out(tmp_path):
    without = NORMAL.replace("<D>grain</D>", "").replace('NEWID="1"', 'NEWID="4"')
    corpus = articles(tmp_path, NORMAL + UNPROC + without, split="modapte-90")
    assert corpus.labels == [["grain"], ["grain"], []]
    assert corpus.splits == ["train", "test", ""]


@pytest.mark.parametrize(
    ("markup", "problem"),
    [
        (NORMAL[:-20], "<BODY> has no end tag"),
        (NORMAL.replace("</D>", "", 1), "</TOPICS> has no start tag"),
        (NORMAL.replace("<TITLE>", ""), "</TITLE> has no start tag"),
        (NORMAL.replace('NEWID="1"', ""), "an article has no attribute NEWID"),
    ],
)
def test_damaged_markup_is_named_with_its_file(tmp_path, markup, problem):
    with pytest.raises(FileError, match=rf"reut2-001\.sgm: {problem}\."):
        articles(tmp_path, UNPROC, markup)


@given(st.text(st.characters(max_codepoint=0x2FF)))
def test_any_text_comes_back_from_its_markup(text):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    [element] = parse_elements(f"<a>{escaped}</a>", "A")
    kept = (c for c in text if c in "\t\n" or not (c < " " or c == "\x7f"))
    assert element.text == "".join(kept)


@given(st.lists(st.sampled_from(["<a>", "</a>", "<b x=1>", "</b>", "<", "&#99999;", "t"])))
def test_any_markup_is_read_or_refused(pieces):
    try:
        found = [*parse_elements("".join(pieces), "A")]
    except MarkupError:
        return
    assert len(found) == pieces.count("<a>") == pieces.count("</a>")
