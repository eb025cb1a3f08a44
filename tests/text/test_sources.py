import gc
import io
from array import array

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from naming import name_of
from oracle.fingerprints import fingerprint
from oracle.tokens import decoded
from tallytext import _core
from tallytext.errors import InputError
from tallytext.text.sources import as_texts, fingerprints, read_batches


class Note(pa.ExtensionType):
    """A type that is stored as text."""

    def __init__(self):
        super().__init__(pa.string(), "tests.note")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls()


WORDS = ["ab", None, "beyond the twelve bytes of a view: é漢😀", "", "x\0y", "twelve bytes"]
PLAIN = [word or "" for word in WORDS]

SOURCES = {
    "list": WORDS,
    "tuple": tuple(WORDS),
    "list with NaN": [float("nan") if word is None else word for word in WORDS],
    "list with pandas NA": [pd.NA if word is None else word for word in WORDS],
    "list of bytes": [word and word.encode() for word in WORDS],
    "list of pyarrow scalars": list(pa.array(WORDS)),
    "object array": np.array(WORDS, dtype=object),
    "unicode array": np.array(PLAIN),
    "swapped unicode array": np.array(PLAIN).astype(">U40"),
    "strided unicode array": np.repeat(np.array(PLAIN), 2)[::2],
    "bytes array": np.array([word.encode() for word in PLAIN]),
    "masked array": np.ma.masked_array(np.array(PLAIN), mask=[word is None for word in WORDS]),
    "pandas": pd.Series(WORDS),
    "pandas object": pd.Series(WORDS, dtype=object, index=["columns", *"abcde"]),
    "pandas string[python]": pd.Series(WORDS, dtype="string[python]"),
    "pandas string[pyarrow]": pd.Series(WORDS, dtype="string[pyarrow]"),
    "pandas category": pd.Series(WORDS, dtype="category"),
    "pandas Arrow type": pd.Series(WORDS, dtype=pd.ArrowDtype(pa.large_string())),
    "pandas index": pd.Index(WORDS),
    "pandas frame": pd.DataFrame({"text": WORDS}),
    "polars": pl.Series(WORDS),
    "polars categorical": pl.Series(WORDS, dtype=pl.Categorical),
    "polars frame": pl.DataFrame({"text": WORDS}),
    "pyarrow table": pa.table({"text": WORDS}),
    "pyarrow record batch": pa.RecordBatch.from_pydict({"text": WORDS}),
    "pyarrow struct": pa.StructArray.from_arrays([pa.array(WORDS)], names=["text"]),
    "pyarrow extension": pa.ExtensionArray.from_storage(Note(), pa.array(WORDS)),
    "dict values": dict(enumerate(WORDS)).values(),
}
TEXT_TYPES = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
    *(pa.dictionary(index, pa.string()) for index in (pa.int8(), pa.uint16(), pa.int64())),
    pa.dictionary(pa.uint32(), pa.large_string()),
]
documents = st.lists(st.none() | st.text(max_size=20))


def arrow(words, kind):
    if not pa.types.is_dictionary(kind):
        return pa.array(words, pa.string()).cast(kind)
    encoded = pa.array(words, pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(
        encoded.indices.cast(kind.index_type), encoded.dictionary.cast(kind.value_type)
    )


def plain(words):
    return [word or "" for word in words]


def within(texts, *buffers):
    """How many documents begin inside one of the buffers."""
    at = texts.addresses()
    inside = [(at >= b.address) & (at < b.address + b.size) for b in buffers]
    return int(np.any(inside, axis=0).sum())


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_yields_the_same_documents(name):
    assert as_texts(SOURCES[name]).strings() == PLAIN
    assert [batch.strings() for batch in read_batches(SOURCES[name])] == [PLAIN]


def test_a_relation_is_one_column_of_documents():
    table = pa.table({"text": WORDS, "n": range(len(WORDS))})
    relation = duckdb.from_arrow(table)
    assert as_texts(relation.select("text")).strings() == PLAIN
    assert as_texts(relation["text"]).strings() == PLAIN


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=()), max_size=20)))
def test_a_list_is_read_as_it_is_lone_surrogates_included(words):
    assert as_texts(words).strings() == plain(words)


@pytest.mark.parametrize("kind", TEXT_TYPES, ids=str)
@given(words=documents, begin=st.integers(0, 9), size=st.integers(0, 20))
def test_an_arrow_column_and_its_slices_are_read_as_pyarrow_reads_them(kind, words, begin, size):
    part = arrow(words, kind).slice(min(begin, len(words)), size)
    assert as_texts(part).strings() == plain(words)[begin : begin + size]


@given(st.lists(documents))
def test_chunks_are_read_in_order(chunks):
    column = pa.chunked_array([pa.array(c, pa.string()) for c in chunks], pa.string())
    assert as_texts(column).strings() == [text for chunk in chunks for text in plain(chunk)]


@given(documents)
def test_polars_columns_are_read_as_they_are(words):
    assert as_texts(pl.Series(words, dtype=pl.String)).strings() == plain(words)


@given(st.lists(strategies.terms), st.integers(1, 3))
def test_fingerprints_equal_the_definition(words, n_jobs):
    found = fingerprints(words, n_jobs=n_jobs)
    assert found.dtype == np.uint64
    assert found.tolist() == [fingerprint(word) for word in words]


@pytest.mark.parametrize("name", SOURCES)
def test_a_fingerprint_does_not_tell_how_a_document_is_held(name):
    assert fingerprints(SOURCES[name]).tolist() == [fingerprint(word) for word in PLAIN]


@given(st.lists(st.binary(max_size=20) | st.text(max_size=9).map(str.encode)))
def test_invalid_bytes_have_the_fingerprint_of_the_decoded_text(raw):
    column = pa.array(raw, pa.binary())
    assert fingerprints(column).tolist() == [fingerprint(decoded(data)) for data in raw]


def test_texts_that_nearly_agree_have_fingerprints_of_their_own():
    near = ["", "\0", "\0" * 8, "\0" * 9, "sea", "sea\0", "se", "aes", "sea" * 8, "sea" * 8 + " "]
    assert len(set(fingerprints(near).tolist())) == len(near)


@given(st.lists(st.text(max_size=9)), st.integers(1, 4), st.integers(1, 400))
def test_batches_of_a_generator_are_bounded_and_lose_nothing(words, documents, size):
    parts = [
        batch.strings()
        for batch in read_batches((w for w in words), max_documents=documents, max_bytes=size)
    ]
    assert [text for part in parts for text in part] == words
    assert all(0 < len(part) <= documents for part in parts) or parts == [[]]


def test_a_generator_is_not_read_ahead_of_its_batches():
    seen = []
    source = (seen.append(i) or "text" for i in range(10))
    next(read_batches(source, max_documents=3))
    assert seen == [0, 1, 2]


def test_a_batch_ends_with_the_document_that_reaches_the_limit_of_bytes():
    sizes = [len(batch) for batch in read_batches(iter(["a" * 1000] * 7), max_bytes=3000)]
    assert sizes == [3, 3, 1]


def test_record_batches_of_a_reader_are_grouped_up_to_the_limits():
    table = pa.table({"text": ["word"] * 10})
    reader = table.to_reader(max_chunksize=2)
    assert [len(batch) for batch in read_batches(reader, max_documents=4)] == [4, 4, 2]


def test_an_open_file_is_a_source_of_lines():
    assert as_texts(io.StringIO("one\ntwo\n")).strings() == ["one\n", "two\n"]


@pytest.mark.parametrize(
    "source",
    [
        *([], (), iter([]), np.array([]), np.array([], dtype="U"), pd.Series([], dtype=object)),
        *(pl.Series([]), pa.chunked_array([], pa.string()), pa.table({"text": []}), pa.nulls(0)),
    ],
    ids=lambda source: type(source).__name__,
)
def test_no_documents_are_one_empty_batch(source):
    assert [len(batch) for batch in read_batches(source)] == [0]


def test_a_column_of_nulls_is_as_many_empty_documents():
    assert as_texts(pa.nulls(3)).strings() == ["", "", ""]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_binary()], ids=str)
def test_arrow_text_is_read_where_it_lies(kind):
    column = pa.array(["first text", None, "second"], kind)
    assert within(as_texts(column), column.buffers()[2]) == 2


def test_short_string_views_are_read_in_their_slots_and_long_ones_in_their_data():
    column = pa.array(["short", "longer than twelve bytes"], pa.string_view())
    _, slots, data = column.buffers()
    texts = as_texts(column)
    assert within(texts, slots) == within(texts, data) == 1


def test_dictionary_entries_are_shared_not_decoded():
    column = pa.array(["a", "b", "a", None, "a"]).dictionary_encode()
    texts = as_texts(column)
    assert within(texts, column.dictionary.buffers()[2]) == 4
    assert len(set(texts.addresses().tolist())) == 3


@pytest.mark.parametrize("name", ["string[pyarrow]", "category"])
def test_pandas_columns_backed_by_arrow_are_not_copied(name):
    column = pd.Series(["text " * 10] * 1000, dtype="string[pyarrow]").astype(name)
    before = pa.total_allocated_bytes()
    texts = as_texts(column)
    assert texts.nbytes == 50 * 1000
    assert pa.total_allocated_bytes() - before < 10_000


def test_unicode_arrays_are_read_where_they_lie():
    words = np.array(["one", "three"])
    assert as_texts(words).addresses().tolist() == [words.ctypes.data, words.ctypes.data + 20]


def test_documents_outlive_the_objects_they_came_from():
    sources = [
        ["ab" * 50, "é" * 50],
        pa.array(["ab" * 50, "é" * 50]),
        np.array(["ab" * 50, "é" * 50]),
    ]
    texts = [as_texts(source) for source in sources]
    sources.clear()
    gc.collect()
    assert all(part.strings() == ["ab" * 50, "é" * 50] for part in texts)


def test_bytes_are_decoded_by_the_given_encoding():
    assert as_texts([b"caf\xe9", "tea"], encoding="latin-1").strings() == ["café", "tea"]
    assert as_texts([b"caf\xe9"], decode_error="ignore").strings() == ["caf"]
    with pytest.raises(UnicodeDecodeError) as caught:
        as_texts(["fine", b"caf\xe9"])
    assert caught.value.__notes__ == ["This is document 1."]


@given(st.binary(max_size=30))
def test_bytes_that_are_no_text_are_replaced_one_by_one(raw):
    (text,) = as_texts(pa.array([raw])).strings()
    try:
        assert text == raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        assert "\ufffd" in text
        assert [c for c in text if c < "\x80"] == [chr(b) for b in raw if b < 0x80]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("one text", "documents must be a list, not one string"),
        (b"one text", "documents must be a list, not one string"),
        ({"a": "text"}, "not a dict"),
        (None, "must be a list or another iterable, not None"),
        (7, "must be a list or another iterable, not 7"),
        (["a", "b", 3], "document 2 is int, not text: 3"),
        ([["a", "b"]], "document 0 is list, not text"),
        ([1.5], "document 0 is float, not text"),
        (np.zeros(3), "this array holds float64"),
        (np.array([["a", "b"]]), r"this one has shape \(1, 2\)"),
        (pd.Series([1, 2]), "this column holds int64"),
        (pl.Series([[1]]), "this column holds large_list"),
        (pa.array([1.5]), "this column holds double"),
        (pd.Series(["a", 2], dtype=object), "document 1 is int"),
        (pd.DataFrame({"text": ["a"], "odd": [object()]}), "2 columns: 'text', 'odd'"),
        (pd.DataFrame({"text": ["a", 1]}), "this DataFrame holds no text"),
        (pl.DataFrame({"text": ["a"], "n": [1]}), "2 columns: 'text', 'n'"),
        (pa.table({"text": ["a"], "n": [1]}).to_reader(), "2 columns: 'text', 'n'"),
        (pa.array([{"text": "a", "n": 1}]), "2 columns: '(text', 'n|n', 'text)'"),
        (pl.DataFrame(), "0 columns"),
    ],
    ids=name_of,
)
def test_an_input_that_is_no_collection_of_documents_is_refused(source, message):
    with pytest.raises(InputError, match=message):
        read_batches(source)


def test_the_position_of_a_bad_document_counts_all_batches():
    with pytest.raises(InputError, match="document 5 is int"):
        list(read_batches(iter([*"abcde", 5]), max_documents=2))


@pytest.mark.parametrize(
    ("offsets", "offset", "length", "validity"),
    [
        ([0, 2, 1], 0, 2, None),
        ([0, 2, 9], 0, 2, None),
        ([-1, 2, 3], 0, 2, None),
        ([0, 2, 3], 0, 3, None),
        ([0, 2, 3], 2, 1, None),
        ([0, 2, 3], 2**64 - 1, 2, None),
        ([0, 2, 3], 0, 2**64 - 1, None),
        ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0, 9, b"\xff"),
    ],
)
def test_offsets_outside_their_buffers_are_refused(offsets, offset, length, validity):
    with pytest.raises(ValueError, match="Arrow"):
        _core.Texts().append_offsets(offset, length, validity, array("i", offsets), b"abc", 4)


@pytest.mark.parametrize(
    "slot",
    [
        (-1, 0, 0, 0),
        (13, 0, 0, 8),
        (13, 0, 1, 0),
        (13, 0, -1, 0),
        (13, 0, 0, -1),
        (2**31 - 1, 0, 0, 4),
    ],
)
def test_string_views_outside_their_buffers_are_refused(slot):
    with pytest.raises(ValueError, match="Arrow string view"):
        _core.Texts().append_views(0, 1, None, array("i", slot), [b"twenty bytes of text"])


@pytest.mark.parametrize(("code", "index"), [("b", -1), ("B", 2), ("q", 2**40), ("Q", 2**64 - 1)])
def test_indices_outside_their_dictionary_are_refused(code, index):
    indices, entries = array(code, [index]), as_texts(["a", "b"])
    with pytest.raises(ValueError, match="outside its dictionary"):
        signed = code.islower()
        _core.Texts().append_entries(0, 1, None, indices, indices.itemsize, signed, entries)


def test_buffers_need_not_be_aligned():
    shifted = memoryview(b"-" + bytes(array("i", [0, 2, 3])))[1:]
    texts = _core.Texts()
    texts.append_offsets(0, 2, None, shifted, b"abc", 4)
    assert texts.strings() == ["ab", "c"]
