"""Corpora by name: where they are looked for, and what is said when they are not there."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tallytext.errors import FileError, InputError
from tallytext.io import CORPORA, load_corpus
from tallytext.io.corpora import cache_folder, data_folder

PAGE = Path(__file__).parents[2] / "docs" / "corpora.md"


@pytest.fixture
def surroundings(monkeypatch, tmp_path):
    """Nothing set, and a home with nothing in it."""
    for name in ("TALLYTEXT_DATA", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


def put(folder, label):
    folder.mkdir(parents=True, exist_ok=True)
    columns = {"text": ["a"], "labels": [[label]], "split": [""], "id": ["1"]}
    pq.write_table(pa.table(columns), folder / "korean_news8_1600.parquet")


class TestFolder:
    def test_the_folder_given_comes_first_then_the_variable_then_the_cache(
        self, surroundings, monkeypatch
    ):
        put(cache_folder(), "cache")
        assert load_corpus("korean-news").labels == ["cache"]
        put(surroundings / "named", "variable")
        monkeypatch.setenv("TALLYTEXT_DATA", str(surroundings / "named"))
        assert load_corpus("korean-news").labels == ["variable"]
        put(surroundings / "given", "given")
        assert load_corpus("korean-news", folder=surroundings / "given").labels == ["given"]

    @pytest.mark.parametrize(
        ("platform", "variables", "folder"),
        [
            ("linux", {}, ".cache/tallytext"),
            ("linux", {"XDG_CACHE_HOME": "not/absolute"}, ".cache/tallytext"),
            ("darwin", {"XDG_CACHE_HOME": "/ignored"}, "Library/Caches/tallytext"),
            ("win32", {}, "AppData/Local/tallytext"),
        ],
    )
    def test_the_cache_is_where_the_system_has_its_caches(
        self, surroundings, monkeypatch, platform, variables, folder
    ):
        monkeypatch.setattr("sys.platform", platform)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert data_folder() == surroundings / folder

    @pytest.mark.parametrize(
        ("platform", "variable"), [("linux", "XDG_CACHE_HOME"), ("win32", "LOCALAPPDATA")]
    )
    def test_the_cache_can_be_elsewhere(self, surroundings, monkeypatch, platform, variable):
        monkeypatch.setattr("sys.platform", platform)
        monkeypatch.setenv(variable, str(surroundings / "elsewhere"))
        assert data_folder() == surroundings / "elsewhere" / "tallytext"


class TestNames:
    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("reuters21758", "there is no corpus 'reuters21758'. Did you mean 'reuters21578'?"),
            ("imdb", "there is no corpus 'imdb'. There are 20newsgroups, 20newsgroups-bydate,"),
        ],
    )
    def test_an_unknown_corpus_is_told_from_the_known(self, name, message):
        with pytest.raises(InputError, match=re.escape(message)):
            load_corpus(name)

    @pytest.mark.parametrize(
        ("name", "split", "message"),
        [
            ("reuters21578", "modaptee", "Did you mean 'modapte'"),
            ("reuters21578", "r8", "There are modapte, modlewis, modhayes, modapte-90."),
            ("ohsumed", "test", "It has only the split of its files."),
        ],
    )
    def test_an_unknown_split_is_told_from_the_known_before_anything_is_read(
        self, name, split, message
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            load_corpus(name, split=split, folder="nowhere")


class TestMissing:
    @pytest.mark.parametrize("name", sorted(CORPORA))
    def test_the_missing_file_and_its_page_are_named(self, name, tmp_path):
        with pytest.raises(FileError) as caught:
            load_corpus(name, folder=tmp_path, download=False)
        published = CORPORA[name]
        wanted = [each.name for each in published.originals] or [published.table]
        for part in (repr(name), repr(str(tmp_path)), published.page, *map(repr, wanted)):
            assert part in str(caught.value)
        assert not [*tmp_path.iterdir()]

    def test_only_what_is_missing_is_named(self, tmp_path):
        (tmp_path / "ag_news_csv").mkdir()
        (tmp_path / "ag_news_csv" / "test.csv").touch()
        with pytest.raises(FileError, match=r"put 'ag_news_csv/train\.csv' there"):
            load_corpus("ag-news", folder=tmp_path, download=False)


@pytest.mark.parametrize("name", sorted(CORPORA))
def test_every_corpus_and_its_files_are_in_the_page(name):
    [row] = re.findall(rf"^\| `{re.escape(name)}` .*", PAGE.read_text("utf-8"), re.M)
    published = CORPORA[name]
    for file in (published.table, *(each.name for each in published.originals)):
        assert f"`{file}`" in row
    assert published.page in row


def test_checksums_are_checksums_of_files_with_an_address():
    for published in CORPORA.values():
        for each in published.originals:
            assert bool(each.address) == bool(each.sha256)
            assert re.fullmatch(r"([0-9a-f]{64})?", each.sha256)
