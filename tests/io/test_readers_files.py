import io
import os
import tarfile
import tracemalloc
from collections import Counter
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corpora
from tallytext.errors import FileError
from tallytext.io import DocumentReader, load_documents

names = st.text("ab.c", min_size=1, max_size=3).filter(lambda name: name.strip("."))
trees = st.dictionaries(st.tuples(names, names), st.text("xyé\n", max_size=20), max_size=8)

FILES = {
    "spam/1.txt": b"pills",
    "spam/2.md": b"more pills",
    "mails/ham/3.txt": "naïve".encode(),
    "ham/.hidden": b"no",
    ".git/spam/4.txt": b"no",
    "empty/5.txt": b"",
}
DOCUMENTS = {
    "spam/1.txt": ("pills", "spam"),
    "spam/2.md": ("more pills", "spam"),
    "mails/ham/3.txt": ("naïve", "ham"),
    "empty/5.txt": ("", "empty"),
}


def write_folder(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def add(archive, name, content=b"", **attributes):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for attribute, value in attributes.items():
        setattr(member, attribute, value)
    archive.addfile(member, io.BytesIO(content))


def write_tar(path, files, mode="w", **options):
    with tarfile.open(path, mode, **options) as archive:
        for name, content in files.items():
            add(archive, name, content)
    return path


def read(source, **options):
    return {
        place: (text, label)
        for batch in DocumentReader(source, **options)
        for place, text, label in zip(batch.places, batch.texts, batch.labels, strict=True)
    }


def test_the_folder_of_a_file_is_its_label(tmp_path):
    root = write_folder(tmp_path / "root", FILES)
    assert read(root) == DOCUMENTS
    assert load_documents(root, label=None) == (
        [DOCUMENTS[name][0] for name in sorted(DOCUMENTS)],
        None,
    )


@pytest.mark.parametrize("suffix, mode", [
    ("tar", "w"), ("tar.gz", "w:gz"), ("tgz", "w:gz"), ("tar.bz2", "w:bz2"), ("tar.xz", "w:xz"),
])  # fmt: skip
@pytest.mark.parametrize("format", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_the_folder_of_a_member_is_its_label(tmp_path, suffix, mode, format):
    path = write_tar(tmp_path / f"mails.{suffix}", FILES, mode, format=format)
    assert read(path) == DOCUMENTS
    reader = DocumentReader(path, max_documents=2)
    assert [len(batch) for batch in reader] == [2, 2]
    assert sum(batch.n_bytes for batch in reader) == reader.size == path.stat().st_size


@pytest.mark.parametrize(
    "match, expected",
    [
        ("*.txt", {"spam/1.txt", "mails/ham/3.txt", "empty/5.txt"}),
        ("spam/*", {"spam/1.txt", "spam/2.md"}),
        ("*/ham/*", {"mails/ham/3.txt"}),
        ("*.TXT", set()),
    ],
)
def test_a_pattern_chooses_files(tmp_path, match, expected):
    assert set(read(write_folder(tmp_path / "root", FILES), match=match)) == expected
    assert set(read(write_tar(tmp_path / "root.tar", FILES), match=match)) == expected


@given(files=trees)
def test_files_come_sorted_and_their_bytes_add_up(tmp_path_factory, files):
    root = tmp_path_factory.mktemp("tree")
    encoded = {f"{folder}/{name}": text.encode() for (folder, name), text in files.items()}
    write_folder(root, encoded)
    shown = {
        name: content
        for name, content in encoded.items()
        if "." not in (name[0], name.split("/")[1][0])
    }
    reader = DocumentReader(root, max_documents=3)
    places = [place for batch in reader for place in batch.places]
    assert places == sorted(shown, key=lambda name: PurePosixPath(name).parts)
    assert sum(batch.n_bytes for batch in reader) == reader.size == sum(map(len, shown.values()))
    assert [text for batch in reader for text in batch.texts] == [shown[p].decode() for p in places]


@pytest.mark.parametrize("write", [write_folder, write_tar])
def test_files_that_cannot_be_read_are_named_or_skipped(tmp_path, write):
    files = {"a/fine": b"x", "a/latin": b"caf\xe9", "a/large": b"x" * 101, "alone": b"y"}
    path = write(tmp_path / "mails.tar", files)
    reader = DocumentReader(path, on_error="skip", max_row=100)
    assert [batch.texts for batch in reader] == [["x"]]
    assert sorted(reader.skipped.messages) == [
        "a/large: larger than 100 bytes",
        "a/latin: not utf-8: byte 0xe9 at 3",
        "alone: not in a folder, which would be its label",
    ]
    with pytest.raises(FileError, match=r"mails\.tar', a/la"):
        load_documents(path)
    texts, _ = load_documents(path, encoding="latin-1", match="a/[lf]a*n")
    assert texts == ["café"]


def test_files_directly_in_a_folder_are_read_where_no_labels_are_wanted(tmp_path):
    assert load_documents(write_folder(tmp_path, {"one": b"x"}), label=None) == (["x"], None)


def test_utf_8_is_tried_before_another_encoding(tmp_path):
    write_folder(tmp_path, {"a/1": "é".encode(), "a/2": "é".encode("latin-1")})
    assert load_documents(tmp_path, encoding="latin-1")[0] == ["é", "é"]


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_only_files_and_folders_are_read(tmp_path):
    root = write_folder(tmp_path / "root", {"a/1": b"x"})
    write_folder(tmp_path / "other", {"b/2": b"y"})
    (root / "loop").symlink_to(root)
    (root / "a" / "gone").symlink_to(root / "nowhere")
    (root / "a" / "linked").symlink_to(tmp_path / "other" / "b" / "2")
    os.mkfifo(root / "a" / "pipe")
    assert read(root) == {"a/1": ("x", "a"), "a/linked": ("y", "a")}


def test_a_hostile_archive_does_no_harm(tmp_path, monkeypatch):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    path = tmp_path / "evil.tar"
    with tarfile.open(path, "w") as archive:
        add(archive, "../../up/1", b"up")
        add(archive, str(tmp_path / "absolute" / "2"), b"absolute")
        add(archive, "..", b"dots")
        add(archive, "a/link", type=tarfile.SYMTYPE, linkname=str(secret))
        add(archive, "a/hard", type=tarfile.LNKTYPE, linkname=str(secret))
        add(archive, "a/device", type=tarfile.CHRTYPE, devmajor=1, devminor=5)
        add(archive, "a/pipe", type=tarfile.FIFOTYPE)
        add(archive, "a/fine", b"fine")
    before = sorted(tmp_path.rglob("*"))
    reader = DocumentReader(path, on_error="skip")
    texts = [text for batch in reader for text in batch.texts]
    assert texts == ["up", "absolute", "fine"]
    assert reader.skipped.messages == ["..: not in a folder, which would be its label"]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_small_archive_does_not_fill_the_memory(tmp_path):
    path = tmp_path / "bomb.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        add(archive, "a/bomb", bytes(50_000_000))
        add(archive, "a/fine", b"fine")
    tracemalloc.start()
    try:
        reader = DocumentReader(path, on_error="skip", max_row=1000)
        assert [batch.texts for batch in reader] == [["fine"]]
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_sparse_members_are_passed_over(tmp_path):
    path = tmp_path / "sparse.tar"
    sparse = {"GNU.sparse.map": "0,1", "GNU.sparse.size": "1000000000000"}
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        add(archive, "a/sparse", b"x", pax_headers=sparse)
        add(archive, "a/fine", b"fine")
    reader = DocumentReader(path, on_error="skip")
    assert [batch.texts for batch in reader] == [["fine"]]
    assert reader.skipped.count == 0


def test_damage_after_the_last_member_is_noticed(tmp_path):
    path = write_tar(tmp_path / "mails.tar.gz", {"a/1": b"x"}, "w:gz")
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(FileError, match="in the middle of its compressed data"):
        load_documents(path)


@pytest.mark.parametrize("type", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_header_that_is_too_long_is_an_error(tmp_path, type):
    path = tmp_path / "bomb.tar"
    with tarfile.open(path, "w") as archive:
        add(archive, "a/fine", b"fine")
        add(archive, "name", bytes(2_000_000), type=type)
    with pytest.raises(FileError, match="a header of 2000000 bytes"):
        load_documents(path)


@pytest.mark.parametrize("keep", [0, 100, 700, 1024 + 100, 1024 + 600])
def test_an_archive_that_was_cut_short_is_an_error(tmp_path, keep):
    path = write_tar(tmp_path / "mails.tar", {"a/1": b"x" * 500, "a/2": b"y" * 500})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(FileError, match="as a tar archive"):
        load_documents(path, on_error="skip")


@given(st.integers(0, 3071), st.binary(min_size=1, max_size=40))
def test_damage_is_an_error_or_changes_documents_but_never_crashes(tmp_path_factory, at, noise):
    path = tmp_path_factory.getbasetemp() / "damaged.tar"
    write_tar(path, {"a/1": b"x" * 500, "a/" + "long" * 50: b"y"}, format=tarfile.PAX_FORMAT)
    content = bytearray(path.read_bytes())
    content[at : at + len(noise)] = noise
    path.write_bytes(content)
    try:
        assert len(load_documents(path, on_error="skip")[0]) <= 2
    except FileError as problem:
        assert "damaged.tar" in str(problem)


def test_a_damaged_header_is_not_the_end_of_the_archive(tmp_path):
    path = write_tar(tmp_path / "mails.tar", {"a/1": b"x", "a/2": b"y", "a/3": b"z"})
    content = bytearray(path.read_bytes())
    content[1024:1030] = b"damage"
    path.write_bytes(content)
    with pytest.raises(FileError, match="bad checksum"):
        load_documents(path)


def test_members_are_not_remembered(tmp_path):
    path = write_tar(tmp_path / "mails.tar", {f"a/{i}": b"" for i in range(3000)})
    n_read = 0
    tracemalloc.start()
    try:
        for batch in DocumentReader(path, max_documents=10):
            n_read += len(batch)
        assert n_read == 3000
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_twenty_newsgroups_are_read_from_their_archive():
    path = corpora.FOLDER / "originals" / "20news-bydate.tar.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not there: set TALLYTEXT_DATA to the folder above originals")
    reader = DocumentReader(path, encoding="latin-1", match="20news-bydate-test/*")
    sizes = Counter(label for batch in reader for label in batch.labels)
    assert len(sizes) == 20 and sizes.total() == 7532 and sizes["sci.space"] == 394
    strict = DocumentReader(path, on_error="skip", match="20news-bydate-test/*")
    assert sum(map(len, strict)) + strict.skipped.count == 7532
    assert strict.skipped.count > 0
