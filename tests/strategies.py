"""Texts, words and documents as nasty as the world's, for hypothesis."""

from hypothesis import strategies as st

_SCRIPTS = (
    "abcXYZ éßøÆ",  # Latin, with letters whose case mapping is odd
    "İıŞǅŉﬁ",  # lower-casing that changes length, titlecase letters, ligatures
    "ΑΣΟΔΟΣ ςσ",  # Greek: the final sigma
    "ЖИВОЙ їґ",  # Cyrillic
    "हिन्दी तेलुगु",  # Devanagari with vowel signs and virama
    "తెలుగు",  # Telugu
    "한국어 ᄒ\u1161\u11ab",  # Hangul, precomposed and conjoining
    "中文漢字𠀀",  # Han, one beyond the basic plane
    "ひらがなカタカナー",  # Kana
    "ภาษาไทย ກຂ ខ្មែរ မြန်",  # Thai, Lao, Khmer, Myanmar
    "שלום العَرَبِيَّة",  # right to left, with points
    "e\u0301 a\u0308\u0323 \u200d\u200c\ufe0f",  # combining marks, joiners, selectors
    "👩‍👩‍👧 🏴 ½ Ⅷ ² ٣",  # emoji sequences, numbers of all sorts
    "_0123456789",
    " \t\r\n\v\f\x1c\x85\xa0\u2028\u3000",  # everything that is a space to someone
    ".,;:!?'’-–—/\\\"()[]{}<>@#$%&*+=",
    "\x00\x01\x7f\ufeff\ufffd\uffff\U0010ffff",
    "\ud800\udbff\udc00\udfff",  # lone surrogates
)

#: Any character that a Python str can hold, lone surrogates included.
any_characters = st.characters(exclude_categories=())

#: Characters that tokenisers trip over, mixed with all others.
nasty_characters = st.one_of(st.sampled_from("".join(_SCRIPTS)), any_characters)

#: Terms as they might be handed to a vocabulary: any string, empty and long ones too.
terms = st.one_of(
    st.text(st.sampled_from("ab\x00é\ud800"), max_size=3),  # small, so that terms come again
    st.text(nasty_characters, max_size=20),
    st.builds(
        lambda unit, n: unit * n,
        st.text(nasty_characters, min_size=1, max_size=3),
        st.integers(5, 2000),
    ),
)


def of_one_script() -> st.SearchStrategy[str]:
    """Text in the letters of one script, with spaces and punctuation in between."""
    return st.sampled_from(_SCRIPTS).flatmap(
        lambda script: st.text(st.sampled_from(script + " ."), max_size=60)
    )


def texts() -> st.SearchStrategy[str]:
    """One document: plain, mixed, or hostile."""
    words = st.lists(st.sampled_from(["the", "The", "cat", "naïve", "x", "Don't", "42", "__"]))
    return st.one_of(
        words.map(" ".join),
        of_one_script(),
        st.lists(of_one_script(), max_size=5).map(" ".join),
        st.text(nasty_characters, max_size=200),
        terms,
    )


def documents(max_size: int = 12) -> st.SearchStrategy[list[str]]:
    """A small corpus, which may be empty and may hold empty documents."""
    return st.lists(texts(), max_size=max_size)


def labelled_documents(max_size: int = 12) -> st.SearchStrategy[list[tuple[str, str]]]:
    """A small corpus of (text, class)."""
    return st.lists(st.tuples(texts(), st.sampled_from(["spam", "ham", "é"])), max_size=max_size)
