"""Splits of files: every row is in exactly one split, at its place in the file."""

import json
import tarfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tallytext import Tally, TextVectorizer
from tallytext.distributed import Files
from tallytext.distributed.counting import PartitionCounter
from tallytext.distributed.files import Split
from tallytext.distributed.options import CountingOptions
from tallytext.distributed.partial_tally import gather_tally, merge_packed
from tallytext.errors import FileError, InputError
from tallytext.io import read_documents

TEXTS = [f"word{at % 7} word{at % 3} and {at}" for at in range(40)]
LABELS = [["sea", "sky", "ice"][at % 3] for at in range(40)]


def write_parquet(path, texts=TEXTS, labels=LABELS, rows_of_group=6):
    table = pa.table({"text": pa.array(texts, pa.string()), "label": pa.array(labels, pa.string())})
    pq.write_table(table, path, row_group_size=rows_of_group)
    return path


def write_all(folder):
    """Write a file of each format, with the same documents, and return their names."""
    rows = list(zip(TEXTS, LABELS, strict=True))
    jsonl, csv, deep = folder / "a.jsonl", folder / "b.csv", folder / "deep"
    jsonl.write_text("".join(json.dumps({"text": t, "label": c}) + "\n" for t, c in rows))
    csv.write_text("".join(f"{t},{c}\n" for t, c in [("text", "label"), *rows]))
    for at, (text, label) in enumerate(rows):
        (deep / label).mkdir(parents=True, exist_ok=True)
        (deep / label / f"{at:02}.txt").write_text(text)
    with tarfile.open(folder / "c.tar.gz", "w:gz") as archive:
        archive.add(deep, "deep")
    return [jsonl, csv, write_parquet(folder / "d.parquet"), deep, folder / "c.tar.gz"]


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_all(tmp_path_factory.mktemp("files"))


def rows_of(readers):
    batches = [batch for reader in readers for batch in reader]
    return [
        row
        for batch in batches
        for row in zip(batch.places, batch.strings, batch.labels, strict=True)
    ]


def counted_by(splits, job):
    """Count each split by itself, and add up."""
    packed = []
    for split in splits:
        counter = PartitionCounter(job, str(split))
        counter.add_batches(counter.reader.read_split(split))
        packed += counter.pack()
    return gather_tally([merge_packed(packed, job.n_sampled)], job)


def counted_here(paths, **options):
    tally, vectorizer = Tally(), TextVectorizer()
    for path in paths:
        for batch in read_documents(path, **options):
            X = vectorizer.partial_fit_transform(batch.texts)
            tally.learn(X, batch.labels, terms=vectorizer.vocabulary_)
    return tally


@pytest.mark.parametrize("split_bytes", [1, 800, 1_500, 1 << 30])
def test_every_row_is_in_one_split_at_its_place(paths, split_bytes):
    splits = Files(paths, split_bytes=split_bytes).splits()
    assert [split.number for split in splits] == list(range(len(splits)))
    for path in paths:
        own = [split for split in splits if split.path == str(path)]
        assert rows_of(split.reader() for split in own) == rows_of([read_documents(path)])


@pytest.mark.parametrize("split_bytes", [1, 800, 1_500, 1 << 30])
def test_counting_splits_is_counting_the_files(paths, split_bytes):
    splits = Files(paths, split_bytes=split_bytes).splits()
    assert counted_by(
        splits, CountingOptions.from_arguments(text="text", labels="label")
    ) == counted_here(paths)


def test_smaller_splits_are_more_splits(paths):
    table = [paths[2]]
    numbers = [len(Files(table, split_bytes=size).splits()) for size in (1, 1 << 30)]
    assert numbers == [7, 1]
    assert len(Files(paths).splits()) == len(paths)


def test_a_reader_of_splits_takes_the_bytes_of_the_file_once(paths):
    table = paths[2]
    splits = Files([table], split_bytes=1).splits()
    taken = sum(batch.n_bytes for split in splits for batch in split.reader())
    assert taken == table.stat().st_size


def test_a_folder_is_as_large_as_its_files(paths):
    (split,) = Files([paths[3]]).splits()
    assert split.n_bytes == sum(len(text) for text in TEXTS)


def test_a_split_is_plain_values(paths):
    for split in Files(paths, encoding="utf-8", split_bytes=1).splits():
        assert Split(**json.loads(json.dumps(split.to_dict()))) == split


def test_splits_are_found_from_any_folder(paths, tmp_path, monkeypatch):
    monkeypatch.chdir(paths[0].parent)
    (split,) = Files(["a.jsonl"]).splits()
    assert split.name == "a.jsonl"
    monkeypatch.chdir(tmp_path)
    assert len(rows_of([split.reader()])) == len(TEXTS)


def test_a_bad_row_is_reported_as_by_one_reader(tmp_path):
    labels = [None if at == 20 else label for at, label in enumerate(LABELS)]
    path = write_parquet(tmp_path / "bad.parquet", labels=labels)
    splits = Files([path], split_bytes=1).splits()
    with pytest.raises(FileError) as one:
        rows_of([read_documents(path)])
    with pytest.raises(FileError) as many:
        rows_of(split.reader() for split in splits)
    assert str(many.value) == str(one.value)
    assert "row 21" in str(one.value)
    job = CountingOptions.from_arguments(text="text", labels="label", on_error="skip")
    tally = counted_by(splits, job)
    assert tally == counted_here([path], on_error="skip")
    assert tally.origin.n_skipped == 1
    assert tally.origin.skipped[0].startswith(f"{str(path)!r}, row group 3, row 21: the label is")


def test_row_groups_are_named(paths):
    splits = Files([paths[2]], split_bytes=1).splits()
    assert str(splits[2]).endswith("d.parquet', row group 2")
    assert str(replace(splits[2], end=5)).endswith("d.parquet', row groups 2 to 4")
    assert str(Files([paths[1]]).splits()[0]) == repr(str(paths[1]))


def test_a_table_without_rows_is_read_all_the_same(tmp_path):
    path = write_parquet(tmp_path / "none.parquet", [], [])
    (split,) = Files([path]).splits()
    assert rows_of([split.reader()]) == []
    with pytest.raises(FileError, match="no column 'body'"):
        rows_of([split.reader(text="body")])


def test_messages_have_the_name_that_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_parquet("bad.parquet", labels=[None, *LABELS[1:]])
    first = Files(["bad.parquet"], split_bytes=1).splits()[0]
    assert str(first) == "'bad.parquet', row group 0"
    with pytest.raises(FileError, match=r"^cannot read 'bad.parquet', row 1: the label is null"):
        list(first.reader())
    with pytest.raises(FileError, match=r"^'bad.parquet' has no column 'body'. It has: text, lab"):
        first.check(text="body")
    first.check()


def test_files_may_come_from_an_iterator(paths):
    files = Files(iter(paths))
    assert files.splits() == files.splits() != []


def test_sources_that_workers_cannot_read_are_refused(paths, tmp_path):
    with pytest.raises(InputError, match="list of files"):
        Files(str(paths[0]))
    with pytest.raises(InputError, match="standard input"):
        Files(["-"])
    with pytest.raises(InputError, match="split_bytes"):
        Files(paths, split_bytes=0)
    with pytest.raises(FileError, match="there is no file"):
        Files([tmp_path / "none.csv"]).splits()
    for address in ("s3://bucket/mails.parquet", Path("s3://bucket/mails.parquet")):
        with pytest.raises(
            FileError, match=r"an address, not a file: read it with dask.dataframe.read_parquet or"
        ):
            Files([address]).splits()
    with pytest.raises(FileError, match=r"there is no file '.*none-\*.csv', and patterns are not"):
        Files([tmp_path / "none-*.csv"]).splits()
    with pytest.raises(FileError, match="match is for folders"):
        Files([paths[0]], match="*").splits()
    with pytest.raises(FileError, match="there is no format"):
        Files([paths[0]], format="cvs").splits()
    packed = tmp_path / "packed.parquet.gz"
    packed.write_bytes(b"anything")
    with pytest.raises(FileError, match="not compressed as a whole"):
        rows_of(split.reader() for split in Files([packed]).splits())
