import os
import stat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from tallytext import storage
from tallytext.errors import FileError, TallytextError
from tallytext.storage import load_arrays, save_arrays

KIND = {"kind": "test"}
NUMBERS = {"numbers": np.arange(5)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.tally"


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(
    lambda name: name != "__metadata__"
)
dtypes = st.sampled_from(["u1", "i4", "u4", "i8", "u8", "f4", "f8", "?", ">i8"])


@given(
    st.dictionaries(
        names, arrays_of.arrays(dtypes, arrays_of.array_shapes(min_dims=0, min_side=0))
    ),
    st.dictionaries(names, names),
)
def test_what_was_saved_is_loaded(tmp_path_factory, arrays, header):
    path = tmp_path_factory.mktemp("round") / "trip"
    save_arrays(path, arrays, header | KIND)
    loaded, notes = load_arrays(path, "test")
    assert notes == header | KIND
    assert loaded.keys() == arrays.keys()
    for name, array in arrays.items():
        assert loaded[name].shape == array.shape
        assert loaded[name].dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(loaded[name], array)


def test_arrays_with_strides_are_saved_by_value(path):
    table = np.arange(12).reshape(3, 4)
    save_arrays(path, {"odd": table[:, 1::2], "turned": table.T, "back": table[0, ::-1]}, KIND)
    loaded, _ = load_arrays(path, "test")
    np.testing.assert_array_equal(loaded["odd"], table[:, 1::2])
    np.testing.assert_array_equal(loaded["turned"], table.T)
    np.testing.assert_array_equal(loaded["back"], [3, 2, 1, 0])


def test_saving_replaces_the_file_and_leaves_nothing_else(path):
    save_arrays(path, {"numbers": np.zeros(1000)}, KIND)
    save_arrays(str(path), NUMBERS, KIND)
    np.testing.assert_array_equal(load_arrays(path, "test")[0]["numbers"], np.arange(5))
    assert list(path.parent.iterdir()) == [path]


def test_a_saved_file_may_be_read_by_whom_the_user_allows(path):
    save_arrays(path, NUMBERS, KIND)
    other = path.with_name("other")
    other.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


@pytest.mark.parametrize("step", ["save_file", "_flush"])
def test_a_failed_save_leaves_the_old_file_and_no_other(path, monkeypatch, step):
    save_arrays(path, NUMBERS, KIND)
    before = path.read_bytes()

    def fail(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(storage, step, fail)
    with pytest.raises(OSError, match="no space left"):
        save_arrays(path, {"numbers": np.zeros(9)}, KIND)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_array_that_cannot_be_saved_leaves_no_file(path):
    with pytest.raises((TypeError, ValueError, KeyError, OSError)):
        save_arrays(path, {"numbers": np.array([object()])}, KIND)
    assert list(path.parent.iterdir()) == []


def test_saving_into_a_missing_folder_is_an_error_that_names_the_file(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        save_arrays(tmp_path / "nowhere" / "file", NUMBERS, KIND)


def test_a_missing_file_is_named(path):
    with pytest.raises(FileError, match=r"there is no file '.*some\.tally'"):
        load_arrays(path, "test")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(FileError, match="cannot read"):
        load_arrays(tmp_path, "test")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may read anything")
def test_a_file_that_may_not_be_read_is_named(path):
    save_arrays(path, NUMBERS, KIND)
    path.chmod(0)
    with pytest.raises(FileError, match=r"cannot read '.*some\.tally'"):
        load_arrays(path, "test")


@pytest.mark.parametrize("content", [b"", b"\0", b"hello", b"PK\3\4" * 50, b"\xff" * 100])
def test_a_foreign_file_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(FileError, match="file of another program"):
        load_arrays(path, "test")


def test_a_file_cut_short_anywhere_is_refused(path):
    save_arrays(path, NUMBERS, KIND)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(FileError):
            load_arrays(path, "test")


def test_a_file_of_another_kind_is_refused(path):
    save_arrays(path, NUMBERS, {"kind": "tallytext.vocabulary"})
    with pytest.raises(FileError, match=r"holds tallytext\.vocabulary, not test"):
        load_arrays(path, "test")


def test_a_file_without_a_kind_is_refused(path):
    save_arrays(path, NUMBERS, {})
    with pytest.raises(FileError, match="does not say what it is"):
        load_arrays(path, "test")


def test_file_errors_are_errors_of_tallytext():
    assert issubclass(FileError, TallytextError)


@given(st.binary(max_size=300))
def test_random_bytes_are_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("random") / "file"
    path.write_bytes(content)
    with pytest.raises(FileError):
        load_arrays(path, "test")
