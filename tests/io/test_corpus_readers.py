"""Corpora from the files that their authors published."""

import gzip
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import corpora
from archives import packed
from tallytext.errors import FileError
from tallytext.io import CORPORA, load_corpus

POST = "Path: a!b\nMessage-ID: <1@x>\nDate: 5 Apr 93 12:42:16 -0600\n\nDate: none\xfc\n"
PAGE = "Date: Sunday, 01-Dec-96 19:26:46 GMT\r\nServer: x\r\n\r\n<p>Welcome"


def archive_of(name):
    [original] = CORPORA[name].originals
    return original.name


def loaded(tmp_path, name, files):
    packed(tmp_path / archive_of(name), files)
    return load_corpus(name, folder=tmp_path, download=False)


def real(name, **options):
    """A corpus of this machine; skips the test where it is absent."""
    if not (corpora.FOLDER / CORPORA[name].table).exists():
        pytest.skip(f"{CORPORA[name].table} is not there: set TALLYTEXT_DATA to its folder")
    return load_corpus(name, folder=corpora.FOLDER, download=False, **options)


def same(corpus, other, without=()):
    """Whether everything is the same but some columns."""
    for each in ("texts", "labels", "ids", "splits"):
        assert getattr(corpus, each) == getattr(other, each), each
    assert corpus.columns.keys() == other.columns.keys() - set(without)
    for column, values in corpus.columns.items():
        assert values == other.columns[column], column


class TestLayouts:
    def test_posts_are_in_the_folder_of_their_group(self, tmp_path):
        files = {"20_newsgroups/sci.med/2": "\n", "20_newsgroups/sci.med/10": POST}
        corpus = loaded(tmp_path, "20newsgroups", files)
        assert corpus.texts == [POST, "\n"]
        assert corpus.labels == ["sci.med"] * 2
        assert corpus.ids == ["sci.med/10", "sci.med/2"]
        assert corpus.splits == ["", ""]
        assert corpus.columns == {
            "date": ["1993-04-05T18:42:16Z", None],
            "date_raw": ["5 Apr 93 12:42:16 -0600", None],
            "message_id": ["<1@x>", None],
        }

    def test_posts_by_date_are_in_a_folder_for_each_half(self, tmp_path):
        files = {f"20news-bydate-{side}/sci.med/1": side for side in ("train", "test")}
        corpus = loaded(tmp_path, "20newsgroups-bydate", files | {"README": "?"})
        assert corpus.splits == corpus.texts == ["test", "train"]
        assert corpus.columns == {}

    def test_an_abstract_in_several_folders_has_several_labels(self, tmp_path):
        names = ("training/C04/0000021", "test/C01/0000011", "training/C10/0000021")
        files = {f"ohsumed-first-20000-docs/{name}": name[-3:] for name in names}
        corpus = loaded(tmp_path, "ohsumed", files)
        assert corpus.labels == [["C01"], ["C04", "C10"]]
        assert corpus.texts == ["011", "021"]
        assert corpus.splits == ["test", "train"]

    @pytest.mark.parametrize("colon", [":", "_"])
    def test_a_page_has_its_address_for_a_name(self, tmp_path, colon):
        name = f"webkb/course/cornell/http{colon}^^cs.cornell.edu^Info^a_b.html"
        corpus = loaded(tmp_path, "webkb", {name: PAGE, "webkb/README": "?"})
        assert corpus.labels == ["course"]
        assert corpus.ids == ["course/cornell/http_^^cs.cornell.edu^Info^a_b.html"]
        assert corpus.columns == {
            "date": ["1996-12-01T19:26:46Z"],
            "date_raw": ["Sunday, 01-Dec-96 19:26:46 GMT"],
            "university": ["cornell"],
            "url": ["http://cs.cornell.edu/Info/a_b.html"],
        }

    def test_news_are_lines_in_two_files(self, tmp_path):
        folder = tmp_path / "originals" / "ag_news_csv"
        folder.mkdir(parents=True)
        (folder / "train.csv").write_text('"3","A ""b""","c\\d, é"\n"1","e","f"\n', "utf-8")
        (folder / "test.csv").write_text('"4","g","h"\n', "utf-8")
        corpus = load_corpus("ag-news", folder=tmp_path, download=False)
        assert corpus.texts == ['A "b"\nc\\d, é', "e\nf", "g\nh"]
        assert corpus.labels == ["Business", "World", "Sci/Tech"]
        assert corpus.ids == ["train-0", "train-1", "test-0"]
        assert corpus.splits == ["train", "train", "test"]

    @pytest.mark.parametrize("version", ["v1", "v1.1"])
    def test_headlines_are_lists_of_objects(self, tmp_path, version):
        halves = {
            half: json.dumps(
                [{"guid": half, "title": "제목", "label": "경제", "url": "u"}]
            ).encode()
            for half in ("dev", "train")
        }
        files = {f"ynat-{version}/ynat-{version}_{half}.json": halves[half] for half in halves}
        corpus = loaded(tmp_path, "klue-ynat-v1", files)
        assert corpus.texts == ["제목"] * 2
        assert corpus.ids == ["train", "dev"]
        assert corpus.splits == ["train", "test"]
        assert corpus.columns == {"date": [None] * 2, "url": ["u"] * 2}


class TestRealCorpora:
    """What is read from the published files is what the tables hold."""

    @pytest.mark.parametrize(
        ("name", "without"),
        [
            # The published posts have no date; that of the table is from the older distribution.
            ("20newsgroups-bydate", ("date", "date_raw", "message_id")),
            ("reuters21578", ()),
        ],
    )
    def test_an_archive_and_a_table_hold_the_same(self, name, without):
        table = real(name)
        folder = corpora.FOLDER / "originals"
        if not (folder / archive_of(name)).exists():
            pytest.skip(f"{archive_of(name)} is not there")
        same(load_corpus(name, folder=folder, download=False), table, without)

    @pytest.mark.parametrize("name", ["20newsgroups", "webkb", "ohsumed"])
    def test_a_table_packed_as_it_was_published_is_read_again(self, name, tmp_path):
        corpus = real(name)
        some = corpus.take(range(0, len(corpus), 7))
        # The table has "ftp_//" in the addresses of a few pages.
        without = ("url",) if name == "webkb" else ()
        [some.columns.pop(each) for each in without]
        again = loaded(tmp_path, name, as_published(some))
        [again.columns.pop(each) for each in without]
        same(again, some)

    @pytest.mark.parametrize(
        ("split", "n_train", "n_test", "n_classes"),
        [
            (None, 9_603, 3_299, 120),
            ("modapte", 9_603, 3_299, 120),
            ("modlewis", 13_625, 6_188, 120),
            ("modhayes", 20_856, 722, 120),
            ("modapte-90", 7_770, 3_019, 90),
        ],
    )
    def test_splits_of_reuters_have_their_published_sizes(self, split, n_train, n_test, n_classes):
        corpus = real("reuters21578", split=split)
        assert (len(corpus.train), len(corpus.test)) == (n_train, n_test)
        assert len(corpus.classes) == n_classes
        assert len(corpus) == 21_578

    @pytest.mark.parametrize("name", sorted(CORPORA))
    def test_the_page_says_how_large_a_corpus_is(self, name):
        corpus = real(name)
        page = (Path(__file__).parents[2] / "docs" / "corpora.md").read_text("utf-8")
        [row] = re.findall(rf"^\| `{re.escape(name)}` \| (.*?) \| (.*?) \| (.*?) \|", page, re.M)
        sides = f"{len(corpus.train):,} / {len(corpus.test):,}" if any(corpus.splits) else "none"
        assert row[0] == f"{len(corpus):,}"
        assert row[1].startswith(f"{len(corpus.classes):,}")
        assert ("each" in row[1]) == corpus.multi_label
        assert row[2] == sides

    def test_a_university_is_tested_on(self):
        corpus = real("webkb", split="cornell")
        assert (len(corpus.train), len(corpus.test)) == (7_415, 867)


def as_published(corpus):
    """The names and contents of the files that documents were published in."""
    folders = {"train": "training", "test": "test"}
    rows = zip(corpus.ids, corpus.texts, corpus.labels, corpus.splits, strict=True)
    if corpus.name == "ohsumed":
        return {
            f"{folders[side]}/{label}/{number}": text
            for number, text, labels, side in rows
            for label in labels
        }
    top = {"20newsgroups": "20_newsgroups", "webkb": "webkb"}[corpus.name]
    return {f"{top}/{number.replace('_^', ':^')}": text for number, text, *_ in rows}


class TestDamage:
    @pytest.mark.parametrize("name", [name for name in CORPORA if CORPORA[name].originals])
    def test_the_archive_of_something_else_is_refused(self, name, tmp_path):
        for original in CORPORA[name].originals:
            packed(tmp_path / original.name, {"etc/passwd": "x", "../up/1": "y", "/abs/1": "z"})
        with pytest.raises(FileError, match=r"archive of another corpus|Is it "):
            load_corpus(name, folder=tmp_path, download=False)
        kept = {path.name for path in tmp_path.rglob("*") if path.is_file()}
        assert kept == {each.name.rpartition("/")[2] for each in CORPORA[name].originals}
        assert not (tmp_path.parent / "up").exists()

    def test_a_member_that_points_out_of_the_archive_is_a_name_and_no_more(self, tmp_path):
        files = {"../../20_newsgroups/sci.med/1": "text"}
        assert loaded(tmp_path, "20newsgroups", files).ids == ["sci.med/1"]
        assert len([*tmp_path.iterdir()]) == 1

    @pytest.mark.parametrize("share", [0.3, 0.9, 0.99])
    def test_half_an_archive_is_refused(self, tmp_path, share):
        files = {f"20_newsgroups/sci.med/{i}": f"{i**9}" * 50 for i in range(200)}
        path = packed(tmp_path / "20news-19997.tar.gz", files)
        whole = path.read_bytes()
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(FileError, match="ends in the middle of its compressed data"):
            load_corpus("20newsgroups", folder=tmp_path)

    @pytest.mark.parametrize(
        # Without the time of day, which would make it another test in each process.
        "content",
        [b"", b"<html>404</html>", gzip.compress(b"no archive at all", mtime=0)],
    )
    def test_no_archive_is_refused(self, tmp_path, content):
        (tmp_path / "webkb-data.gtar.gz").write_bytes(content)
        with pytest.raises(FileError, match="webkb-data"):
            load_corpus("webkb", folder=tmp_path)

    @pytest.mark.parametrize("content", [b'"5","a","b"\n', b'"1","a"\n', b'"1","a","b', b"\xff\n"])
    def test_lines_that_are_no_news_are_named(self, tmp_path, content):
        (tmp_path / "ag_news_csv").mkdir()
        (tmp_path / "ag_news_csv" / "train.csv").write_bytes(content)
        (tmp_path / "ag_news_csv" / "test.csv").touch()
        with pytest.raises(FileError, match=r"train\.csv', line \d"):
            load_corpus("ag-news", folder=tmp_path)

    @pytest.mark.parametrize("content", ["{}", "[1]", "[{}]", '[{"guid": 1}]', "[", "[" * 99_999])
    def test_lists_that_are_no_headlines_are_refused(self, tmp_path, content):
        files = {f"ynat-v1_{half}.json": content for half in ("train", "dev")}
        if content == "{}":
            files.pop("ynat-v1_dev.json")
        with pytest.raises(FileError, match="Is it the archive of KLUE"):
            loaded(tmp_path, "klue-ynat-v1", files)

    def test_files_without_documents_are_no_corpus(self, tmp_path):
        with pytest.raises(FileError, match="there are no documents in"):
            loaded(tmp_path, "reuters21578", {"reut2-000.sgm": "<!DOCTYPE lewis>\n"})


class TestTables:
    ROWS = {"text": ["a"], "labels": [["x"]], "split": [""], "id": ["1"]}  # noqa: RUF012

    def read(self, tmp_path, **changed):
        columns = {name: values for name, values in (self.ROWS | changed).items() if values}
        pq.write_table(pa.table(columns), tmp_path / "webkb.parquet")
        return load_corpus("webkb", folder=tmp_path)

    def test_a_table_is_taken_before_an_archive(self, tmp_path):
        (tmp_path / "webkb-data.gtar.gz").write_bytes(b"damaged")
        assert self.read(tmp_path, date=["today"]).columns == {"date": ["today"]}

    @pytest.mark.parametrize("name", ["text", "labels", "split", "id"])
    def test_a_missing_column_is_named(self, tmp_path, name):
        with pytest.raises(FileError, match=f"there is no column {name}"):
            self.read(tmp_path, **{name: None})

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"text": [1]}, "column 'text' of .* holds int64, not text"),
            ({"labels": ["x"]}, "column 'labels' of .* not lists of text"),
            ({"split": [None]}, "column 'split' of .* holds null"),
            (
                {"text": ["a", None], "labels": [["x"]] * 2, "split": [""] * 2, "id": ["1"] * 2},
                "column 'text' of .* has null values",
            ),
            ({"labels": [["x", "y"]]}, "should have one label, but '1' has 2"),
        ],
    )
    def test_columns_of_another_kind_are_refused(self, tmp_path, changed, message):
        with pytest.raises(FileError, match=message):
            self.read(tmp_path, **changed)

    def test_a_damaged_table_is_refused(self, tmp_path):
        (tmp_path / "webkb.parquet").write_bytes(b"PAR1 and no more")
        with pytest.raises(FileError, match=r"cannot read .*webkb\.parquet' as parquet"):
            load_corpus("webkb", folder=tmp_path)

    def test_a_split_needs_its_column(self, tmp_path):
        self.read(tmp_path)
        with pytest.raises(FileError, match="no column 'university'"):
            load_corpus("webkb", folder=tmp_path, split="texas")

    def test_a_university_is_held_out(self, tmp_path):
        both = {name: values * 2 for name, values in self.ROWS.items()}
        self.read(tmp_path, **both, university=["texas", "misc"])
        assert load_corpus("webkb", folder=tmp_path, split="texas").splits == ["test", "train"]
