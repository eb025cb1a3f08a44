import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import _twenty_newsgroups as theirs

import corpora
from tallytext.io import strip_headers, strip_post

POST = (
    "From: ann@example.org\nSubject: Re: engines\n\tand\n pistons\nPATH: a!b\nLines: 2\n\n"
    "Two strokes\n\nwill do.\n"
)
LINES = st.sampled_from(["", " ", "--", "> quoted", "ann writes:", "own: words", "| bar", "-- -"])
POSTS = st.lists(LINES, max_size=12).map("\n".join)


def by_scikit_learn(post):
    after = theirs.strip_newsgroup_footer(theirs.strip_newsgroup_header(post))
    return theirs.strip_newsgroup_quoting(after)


def test_fields_are_kept_in_their_order_with_the_lines_that_continue_them():
    assert strip_headers(POST, keep=["lines", "subject"]) == (
        "Subject: Re: engines\n\tand\n pistons\nLines: 2\n\nTwo strokes\n\nwill do.\n"
    )


def test_a_field_of_the_text_is_no_field_of_the_header():
    assert strip_headers("A: 1\n\nB: 2\n", keep=["B"]) == "B: 2\n"


def test_lines_may_end_as_they_do_on_windows():
    assert strip_headers("From: ann\r\nPath: a!b\r\n\r\nTwo\r\n\r\nstrokes\r\n") == (
        "Two\r\n\r\nstrokes\r\n"
    )


@given(POSTS)
def test_without_fields_to_keep_the_header_goes_as_in_scikit_learn(post):
    assert strip_headers(post) == theirs.strip_newsgroup_header(post)


@given(POSTS)
@example("")
@example("no empty line")
def test_posts_are_stripped_as_scikit_learn_strips_them(post):
    assert strip_post(post) == by_scikit_learn(post)


@pytest.mark.parametrize("name", ["20ng_bydate", "20ng_orig19997"])
def test_real_posts_are_stripped_as_scikit_learn_strips_them(name):
    for post in corpora.column(name).to_pylist()[::7]:
        assert strip_post(post) == by_scikit_learn(post)
