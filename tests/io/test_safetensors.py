import json
import os
import stat
from io import FileIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from safetensors.numpy import load_file, save_file

from tallytext import Vocabulary
from tallytext.errors import FileError, TallytextError
from tallytext.io import atomic, load_arrays, save_arrays, save_text

KIND = {"kind": "test"}
NUMBERS = {"numbers": np.arange(5)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.tally"


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(
    lambda name: name != "__metadata__"
)
plain_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
dtypes = st.sampled_from(["u1", "i4", "u4", "i8", "u8", "f4", "f8", "?", ">i8"])


@given(
    st.dictionaries(
        names, arrays_of.arrays(dtypes, arrays_of.array_shapes(min_dims=0, min_side=0))
    ),
    st.dictionaries(names, plain_values),
)
def test_what_was_saved_is_loaded(tmp_path_factory, arrays, header):
    path = tmp_path_factory.mktemp("round") / "trip"
    save_arrays(path, arrays, header | KIND | {"format": 1})
    loaded, notes = load_arrays(path, "test")
    assert notes == header | KIND | {"format": 1}
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


class FullDisk(FileIO):
    """A file of which only the beginning finds room."""

    def write(self, content):
        if self.tell():
            raise OSError("no space left")
        return super().write(content)


def fail(*_):
    raise OSError("no space left")


@pytest.mark.parametrize(
    ("where", "step", "instead"),
    [(Path, "open", lambda *how: FullDisk(*how)), (atomic, "_flush", fail)],
)
def test_a_failed_save_leaves_the_old_file_and_no_other(path, monkeypatch, where, step, instead):
    save_arrays(path, NUMBERS, KIND)
    before = path.read_bytes()
    monkeypatch.setattr(where, step, instead)
    with pytest.raises(OSError, match="no space left"):
        save_arrays(path, {"numbers": np.zeros(9)}, KIND)
    monkeypatch.undo()
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
    with pytest.raises(FileError, match="not a tallytext file"):
        load_arrays(path, "test")


def test_a_file_cut_short_anywhere_is_refused(path):
    save_arrays(path, NUMBERS, KIND)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(FileError, match=r"cut short|not a tallytext file"):
            load_arrays(path, "test")
    with pytest.raises(FileError, match=rf"should have {len(whole)} bytes and has {length}\."):
        load_arrays(path, "test")


def test_a_file_of_another_kind_is_refused(path):
    save_arrays(path, NUMBERS, {"kind": "tallytext.vocabulary"})
    with pytest.raises(FileError, match=r"holds tallytext\.vocabulary, not test"):
        load_arrays(path, "test")


def test_a_file_without_a_kind_is_refused(path):
    save_arrays(path, NUMBERS, {})
    with pytest.raises(FileError, match="its header has no kind"):
        load_arrays(path, "test")


def test_file_errors_are_errors_of_tallytext():
    assert issubclass(FileError, TallytextError)


@given(st.binary(max_size=300))
def test_random_bytes_are_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("random") / "file"
    path.write_bytes(content)
    with pytest.raises(FileError):
        load_arrays(path, "test")


def bent(path, change):
    """Rewrite the header of a file by hand, as someone who knows the format would."""
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    change(header)
    spelt = json.dumps(header).encode()
    spelt += b" " * (-len(spelt) % 8)
    path.write_bytes(len(spelt).to_bytes(8, "little") + spelt + content[end:])


def noted(key, value):
    return lambda header: header["__metadata__"].__setitem__(key, value)


def told(key, value):
    return lambda header: header["numbers"].__setitem__(key, value)


def test_every_flipped_byte_is_found(path):
    save_arrays(path, NUMBERS, KIND | {"note": "x"})
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x04]) + whole[at + 1 :])
        with pytest.raises(FileError):
            load_arrays(path, "test")


def test_damage_is_said_to_be_in_the_array_that_has_it(path):
    save_arrays(path, NUMBERS | {"zeros": np.zeros(3)}, KIND)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    last = max(NUMBERS | {"zeros": 0}, key=lambda name: load_file_offsets(path)[name])
    with pytest.raises(FileError, match=f"damaged: the checksum of '{last}' does not match"):
        load_arrays(path, "test")


def load_file_offsets(path):
    content = path.read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return {name: entry["data_offsets"][1] for name, entry in header.items() if "dtype" in entry}


def test_a_header_that_was_edited_is_found(path):
    save_arrays(path, NUMBERS, KIND | {"settings": 3})
    bent(path, noted("header", '{"kind": "test", "format": 1, "settings": 4}'))
    with pytest.raises(FileError, match="damaged: the checksum of its header does not match"):
        load_arrays(path, "test")


def test_a_file_of_a_newer_release_says_so(path):
    save_arrays(path, NUMBERS, KIND | {"format": 3})
    expected = r"newer tallytext \(format 3; this one reads up to 1\): upgrade"
    with pytest.raises(FileError, match=expected):
        load_arrays(path, "test")
    assert load_arrays(path, "test", newest=3)[1]["format"] == 3


def test_a_file_without_checksums_is_read_only_where_there_are_such_files(path):
    save_file(NUMBERS, path, metadata=KIND)
    arrays, header = load_arrays(path, "test", oldest=0)
    assert header == KIND | {"format": 0}
    np.testing.assert_array_equal(arrays["numbers"], np.arange(5))
    with pytest.raises(FileError, match="no test files of format 0"):
        load_arrays(path, "test")


def test_vocabularies_of_every_format_are_read(tmp_path):
    for version in (0, 1):
        path = Path(__file__).parents[1] / "files" / f"vocabulary-{version}.tally"
        assert list(Vocabulary.load(path)) == ["sea", "salt", "naïve", "\ud800", ""]


def test_what_is_equal_is_saved_as_equal_files(path):
    save_arrays(path, {"a": np.arange(3), "b": np.zeros(2, np.uint8)}, KIND)
    other = path.with_name("other")
    save_arrays(other, {"b": np.zeros(2, np.uint8), "a": np.arange(3)}, KIND)
    assert path.read_bytes() == other.read_bytes()


def test_what_is_saved_is_safetensors(path):
    save_arrays(path, NUMBERS, KIND)
    np.testing.assert_array_equal(load_file(path)["numbers"], np.arange(5))


def test_loaded_arrays_are_views_of_the_file_that_outlive_its_name(path):
    save_arrays(path, {"numbers": np.arange(100_000)}, KIND)
    numbers = load_arrays(path, "test")[0]["numbers"]
    assert not numbers.flags.writeable
    assert not numbers.flags.owndata
    save_arrays(path, NUMBERS, KIND)
    path.unlink()
    np.testing.assert_array_equal(numbers, np.arange(100_000))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_no_file(path):
    os.mkfifo(path)
    with pytest.raises(FileError, match="not a file, but a folder or a device"):
        load_arrays(path, "test")


@pytest.mark.parametrize(
    "change",
    [
        told("shape", [6]),
        told("shape", [-5]),
        told("shape", [5.0]),
        told("shape", [True]),
        told("shape", 5),
        told("shape", [2**62, 2**62]),
        told("shape", [0, 2**62, 2**62]),
        told("shape", [5] + [1] * 64),
        told("shape", [2**64]),
        told("dtype", "I32"),
        told("dtype", "I63"),
        told("dtype", ["I64"]),
        told("dtype", "BF16"),
        told("data_offsets", [0, 48]),
        told("data_offsets", [8, 48]),
        told("data_offsets", [-8, 32]),
        told("data_offsets", [0, 2**80]),
        told("data_offsets", [0]),
        told("data_offsets", "0,40"),
        told("data_offsets", [40, 0]),
        told("more", 1),
        lambda header: header.__setitem__("again", header["numbers"]),
        lambda header: header.__setitem__("numbers", None),
    ],
)
@pytest.mark.parametrize("plain", [True, False], ids=["format 0", "format 1"])
def test_a_header_that_lies_of_arrays_is_refused(path, change, plain):
    save_file(NUMBERS, path, metadata=KIND) if plain else save_arrays(path, NUMBERS, KIND)
    bent(path, change)
    with pytest.raises(FileError):
        load_arrays(path, "test", oldest=0)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.__setitem__("__metadata__", "kind"),
        noted("kind", 3),
        noted("format", "one"),
        noted("format", "-1"),
        noted("format", "9" * 5000),
        noted("format", "²"),
        noted("checksum", ""),
        noted("checksums", "{}"),
        noted("header", "[]"),
        noted("header", "[" * 100_000),
    ],
)
def test_notes_that_lie_are_refused(path, change):
    save_arrays(path, NUMBERS, KIND)
    bent(path, change)
    with pytest.raises(FileError):
        load_arrays(path, "test", oldest=0)


@pytest.mark.parametrize(
    "spelt",
    [
        b"[" * 200_000,
        b'{"a":' * 50_000,
        b'{"a": ' + b"9" * 10_000 + b"}",
        b'{"a": NaN}',
        b'{"__metadata__": {}, "__metadata__": {"kind": "test"}}',
        b'{"\xff": 1}',
        b"{} {}",
        b"7",
    ],
)
def test_a_header_that_is_no_json_is_refused(path, spelt):
    path.write_bytes(len(spelt).to_bytes(8, "little") + spelt)
    with pytest.raises(FileError):
        load_arrays(path, "test")


def test_true_and_false_are_nothing_else(path):
    save_file({"numbers": np.array([True, False])}, path, metadata=KIND)
    content = bytearray(path.read_bytes())
    content[-1] = 2
    path.write_bytes(content)
    with pytest.raises(FileError, match="values other than true and false"):
        load_arrays(path, "test", oldest=0)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes", object()])
def test_a_header_that_json_cannot_hold_is_refused(path, value):
    with pytest.raises(FileError, match="cannot be stored"):
        save_arrays(path, NUMBERS, KIND | {"value": value})
    assert list(path.parent.iterdir()) == []


def test_a_header_that_could_not_be_read_again_is_refused(path):
    with pytest.raises(FileError, match="too long"):
        save_arrays(path, NUMBERS, KIND | {"text": "x" * 2**24})


def test_text_is_saved_whole_or_not_at_all(path, monkeypatch):
    save_text(path, "naïve\n")
    assert path.read_bytes() == "naïve\n".encode()
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("no room")))
    with pytest.raises(OSError, match="no room"):
        save_text(str(path), "other")
    assert path.read_bytes() == "naïve\n".encode()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("value", ["[]", "{}", '{"a":1}', "[[],[]]"])
def test_a_header_of_more_values_than_memory_should_hold_is_refused(path, value):
    values = ",".join([value] * (2**23 // len(value)))
    save_arrays(path, NUMBERS, KIND)
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.dumps(json.loads(content[8 : 8 + length]))
    spelt = header.replace('\\"kind\\"', f'\\"more\\": [{json.dumps(values)[1:-1]}], \\"kind\\"', 1)
    written = spelt.encode()
    path.write_bytes(len(written).to_bytes(8, "little") + written + content[8 + length :])
    with pytest.raises(FileError, match="more values than tallytext writes"):
        load_arrays(path, "test")


def test_a_header_of_very_many_labels_is_read(path):
    labels = [f"label {at}" for at in range(300_000)]
    weights = [[label, 0.5] for label in labels[:100_000]]
    save_arrays(path, {}, {**KIND, "classes": labels, "weights": weights})
    assert load_arrays(path, "test")[1]["classes"] == labels
