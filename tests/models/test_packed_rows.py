"""Packed rows give the same matrix back, and refuse all other bytes."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tallytext.errors import CountError, FileError
from tallytext.models import packed_rows
from tallytext.models.packed_rows import pack_rows, unpack_rows

LARGEST = 2**31 - 1
WIDEST = 2**28  # the most terms of a vocabulary


def varints(*numbers):
    """The obvious encoding, number by number."""
    found = bytearray()
    for number in numbers:
        while number >= 128:
            found.append(number & 127 | 128)
            number >>= 7
        found.append(number)
    return bytes(found)


def packed(body, size=None, method=0):
    size = len(body) if size is None else size
    return np.frombuffer(bytes([method]) + size.to_bytes(8, "little") + body, dtype=np.uint8)


def compressed(body, size=None):
    stored = pa.compress(body, codec="zstd", asbytes=True)
    return packed(stored, len(body) if size is None else size, method=1)


def body_of(rows, n_columns):
    """The obvious body of rows, which are dictionaries from columns to counts."""
    numbers = [len(rows), n_columns, *map(len, rows)]
    for row in rows:
        columns = sorted(row)
        numbers += [
            column - before - 1 for before, column in zip([-1, *columns], columns, strict=False)
        ]
    return varints(*numbers, *(row[column] - 1 for row in rows for column in sorted(row)))


def matrix(rows, n_columns):
    cells = [(at, column, n) for at, row in enumerate(rows) for column, n in row.items()]
    at, columns, counts = zip(*cells, strict=True) if cells else ((), (), ())
    shape = len(rows), n_columns
    return sparse.csr_array((np.array(counts, dtype=np.int64), (at, columns)), shape=shape)


def same(first, second):
    return first.shape == second.shape and not (first != second).nnz


counts = st.one_of(st.integers(1, 3), st.integers(1, LARGEST))
columns = st.one_of(st.integers(0, 300), st.integers(0, WIDEST - 1))
some_rows = st.lists(st.dictionaries(columns, counts, max_size=8), max_size=8)


@given(some_rows)
def test_unpacking_undoes_packing(rows):
    X = matrix(rows, WIDEST)
    again = unpack_rows(pack_rows(X), X.shape)
    assert same(again, X)
    assert again.has_canonical_format


@given(some_rows)
def test_the_body_is_the_obvious_one(rows):
    found = pack_rows(matrix(rows, WIDEST))
    body = body_of(rows, WIDEST)
    assert int.from_bytes(found[1:9].tobytes(), "little") == len(body)
    stored = found[9:].tobytes()
    assert (stored if found[0] == 0 else pa.decompress(stored, len(body), "zstd", True)) == body


@given(some_rows, st.integers(1, 7))
def test_blocks_do_not_show(rows, block):
    X = matrix(rows, WIDEST)
    whole = pack_rows(X)
    before, packed_rows._BLOCK = packed_rows._BLOCK, block
    try:
        assert pack_rows(X).tobytes() == whole.tobytes()
        assert same(unpack_rows(whole, X.shape), X)
    finally:
        packed_rows._BLOCK = before


@given(st.binary(max_size=40))
def test_any_bytes_are_a_matrix_of_this_form_or_a_file_error(body):
    try:
        X = unpack_rows(packed(body), (None, 10))
    except FileError:
        return
    assert X.data.min(initial=1) >= 1
    assert X.indices.max(initial=0) < 10
    assert body == body_of([dict(zip(*row, strict=True)) for row in row_lists(X)], 10)


def row_lists(X):
    for at in range(X.shape[0]):
        cells = slice(X.indptr[at], X.indptr[at + 1])
        yield X.indices[cells].tolist(), X.data[cells].tolist()


@given(some_rows, st.data())
def test_a_changed_byte_is_refused_or_gives_a_valid_matrix(rows, data):
    bent = pack_rows(matrix(rows, WIDEST)).copy()
    bent[data.draw(st.integers(0, len(bent) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        X = unpack_rows(bent, (None, WIDEST))
    except FileError:
        return
    assert X.data.min(initial=1) >= 1
    assert ((X.indices >= 0) & (X.indices < WIDEST)).all()


@given(some_rows, st.data())
def test_truncated_bytes_are_refused(rows, data):
    whole = pack_rows(matrix(rows, WIDEST))
    with pytest.raises(FileError, match="cannot read packed rows"):
        unpack_rows(whole[: data.draw(st.integers(0, len(whole) - 1))], (len(rows), WIDEST))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "shape is missing"),
        (varints(9, 5), "9 rows are too many for 0 numbers"),
        (varints(1, 5, 3, 0, 0), "2 gaps and counts instead of 3 of each"),
        (varints(1, 5, 1, 0, 0, 0), "3 gaps and counts instead of 1 of each"),
        (varints(1, 5, 1, 5, 0), "column is out of range"),
        (varints(1, 5, 2, 3, 1, 0, 0), "column is out of range"),
        (varints(1, 5, 3, 4, LARGEST, LARGEST, 0, 0, 0), "column is out of range"),
        (varints(1, 5, 1, 0, LARGEST), "count is too large"),
        (varints(1, 5, 1, 2**31, 0), "number is too large"),
        (varints(1, 5, WIDEST, 0, 0), "instead of 268435456 of each"),
        (varints(1, 5, 1, 0) + b"\x80", "last number is truncated"),
        (varints(1, 5, 1, 0) + b"\x80\x00", "padded with zeros"),
        (varints(1, 5, 1, 0) + b"\xff" * 9 + b"\x01", "number is too long"),
    ],
)
def test_a_bad_body_is_refused_by_name(body, problem):
    for stored in (packed(body), compressed(body)):
        with pytest.raises(FileError, match=problem):
            unpack_rows(stored, (1, 5))


def test_another_shape_is_refused():
    stored = pack_rows(sparse.csr_array([[1, 0], [0, 2]]))
    for shape in [(1, 2), (3, 2), (2, 1), (2, 3), (None, 3)]:
        with pytest.raises(FileError, match="2 rows of 2 columns instead of"):
            unpack_rows(stored, shape)
    assert unpack_rows(stored, (None, 2)).shape == (2, 2)


def test_a_matrix_without_columns_has_no_cells():
    assert unpack_rows(pack_rows(sparse.csr_array((3, 0))), (3, 0)).shape == (3, 0)
    with pytest.raises(FileError, match="column is out of range"):
        unpack_rows(packed(varints(1, 0, 1, 0, 0)), (1, 0))


def test_bombs_are_refused_before_they_unfold():
    bomb = bytes(1 << 22)
    with pytest.raises(FileError, match="4,194,304 bytes are more than the limit of 1,000"):
        unpack_rows(compressed(bomb), (None, 5), max_bytes=1000)
    # A size that is too small stops after one more byte, one that is too large at the end.
    with pytest.raises(FileError, match="1001 bytes instead of 1000"):
        unpack_rows(compressed(bomb, size=1000), (None, 5))
    with pytest.raises(FileError, match="4194304 bytes instead of 4194404"):
        unpack_rows(compressed(bomb, size=len(bomb) + 100), (None, 5))
    with pytest.raises(FileError, match="more than the limit"):
        unpack_rows(packed(b"", size=2**63), (None, 5))


def test_a_matrix_unpacks_to_a_few_times_its_packed_bytes_at_most():
    with pytest.raises(FileError, match="more than the limit"):
        unpack_rows(compressed(bytes(1 << 24)), (None, 5))
    # One that would unpack to more is stored as it is, and can be read.
    many = sparse.csr_array(np.ones((1 << 21, 1), dtype=np.int32))
    stored = pack_rows(many)
    assert stored[0] == 0
    assert (unpack_rows(stored, many.shape) != many).nnz == 0


def test_damage_of_the_compression_is_refused():
    whole = compressed(varints(1, 5, 1, 0, 0) + bytes(50))
    bent = whole.copy()
    bent[9:13] = 0
    with pytest.raises(FileError, match="cannot read packed rows"):
        unpack_rows(bent, (1, 5))
    with pytest.raises(FileError, match="unknown method 7"):
        unpack_rows(packed(b"", method=7), (1, 5))
    for other in (b"bytes", np.zeros(20), np.zeros((4, 4), dtype=np.uint8)):
        with pytest.raises(FileError, match="not a byte array"):
            unpack_rows(other, (1, 5))


@pytest.mark.parametrize("count", [-1.0, 0.5, 1.5, np.nan, np.inf, 2.0**31])
def test_counts_that_cannot_be_packed_are_refused(count):
    with pytest.raises(CountError):
        pack_rows(sparse.csr_array([[count, 1.0]]))


def test_packing_sums_repeated_cells_and_leaves_its_argument_alone():
    X = sparse.csr_array(([1, 2, 0, 5], [3, 3, 1, 0], [0, 4]), shape=(1, 4))
    assert unpack_rows(pack_rows(X), (1, 4)).toarray().tolist() == [[5, 0, 0, 3]]
    assert X.indices.tolist() == [3, 3, 1, 0]


def test_repeated_rows_take_little_room():
    X = sparse.csr_array(np.ones((1000, 50), dtype=int))
    assert len(pack_rows(X)) < 1000
