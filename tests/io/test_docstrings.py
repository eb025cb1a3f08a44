import subprocess
import sys
from collections import Counter

import pytest

from tallytext.io import docstrings, load_docstrings

SOURCE = '''"""Module."""
import os

def function():
    """Function."""
    def inner():
        """Inner."""

class Class:
    """Class.

        indented
    """
    async def method(self):
        """Method."""

if os.name == "nt":
    def conditional():
        """Conditional."""
else:
    "not a docstring"

try:
    pass
except OSError:
    def handler():
        """Handler."""

def undocumented():
    x = lambda: """no"""
    return x
'''


@pytest.fixture(scope="module")
def numpy_corpus():
    return load_docstrings(["numpy"], standard_library=False)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one's own on the path: {file: source} in, its name out."""

    def make(files):
        for name, source in files.items():
            path = tmp_path / "madeup" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source if isinstance(source, bytes) else source.encode())
        monkeypatch.syspath_prepend(tmp_path)
        return "madeup"

    return make


def load(package, **settings):
    settings = {"standard_library": False, "min_length": 1, "min_documents": 1} | settings
    return load_docstrings([package], **settings)


def test_docstrings_come_in_the_order_of_the_source(tmp_path):
    (tmp_path / "module.py").write_text(SOURCE)
    found = list(docstrings.read_docstrings(tmp_path / "module.py"))
    first_words = [text.split(".")[0] for text in found]
    assert first_words == [
        "Module",
        "Function",
        "Inner",
        "Class",
        "Method",
        "Conditional",
        "Handler",
    ]
    assert "Class.\n\nindented" in found


@pytest.mark.parametrize("source", ["def broken(:", "print 'old'", b"\xff\xfe", b"a = '\0'", b""])
def test_a_file_that_is_no_python_has_no_docstrings(tmp_path, source):
    (tmp_path / "file.py").write_bytes(source if isinstance(source, bytes) else source.encode())
    assert list(docstrings.read_docstrings(tmp_path / "file.py")) == []


def test_a_file_is_read_in_the_encoding_it_declares(tmp_path):
    (tmp_path / "file.py").write_bytes("# coding: latin-1\n'café'".encode("latin-1"))
    assert list(docstrings.read_docstrings(tmp_path / "file.py")) == ["café"]


def test_the_class_is_the_sub_package(package):
    name = package(
        {
            "__init__.py": "'top'",
            "alone.py": "'alone'",
            "deep/__init__.py": "'deep'",
            "deep/deeper/deepest.py": "'deepest'",
        }
    )
    texts, labels = load(name)
    assert dict(zip(texts, labels, strict=True)) == {
        "top": "madeup",
        "alone": "madeup.alone",
        "deep": "madeup.deep",
        "deepest": "madeup.deep",
    }


def test_tests_short_texts_and_small_classes_are_left_out(package):
    name = package(
        {
            "tests/test_it.py": "'of a test'",
            "deep/test/it.py": "'of a test'",
            "small.py": "'long enough'",
            "large.py": "'long enough too'\ndef f():\n 'also long enough'\ndef g():\n 'short'",
        }
    )
    texts, labels = load(name, min_length=6, min_documents=2)
    assert texts == ["long enough too", "also long enough"]
    assert labels == ["madeup.large"] * 2


def test_of_equal_docstrings_the_first_is_kept(package):
    name = package({"a.py": "'same'", "b.py": "'same'", "c.py": "'other'"})
    assert load(name) == (["same", "other"], ["madeup.a", "madeup.c"])


def test_nothing_is_imported(package):
    name = package({"__init__.py": "'bomb'\nraise SystemExit", "other.py": "'fine'"})
    assert load(name)[0] == ["bomb", "fine"]
    assert name not in sys.modules


def test_scikit_learn_is_read_without_being_imported():
    code = (
        "import sys; from tallytext.io.docstrings import find_python_files;"
        "assert any(s.label == 'sklearn.svm' for s in find_python_files(['sklearn']));"
        "assert 'sklearn.svm' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_package_that_is_not_installed_is_passed_over():
    assert load("no_such_package_anywhere") == ([], [])


def test_every_file_passes_the_progress_bar(package):
    name = package({"a.py": "'a'", "b.py": "'b'"})
    seen = []

    def track(sources):
        for source in sources:
            seen.append(source.path.name)
            yield source

    load(name, track=track)
    assert seen == ["a.py", "b.py"]


def test_numpy_has_its_sub_packages_as_classes(numpy_corpus):
    texts, labels = numpy_corpus
    assert {"numpy.linalg", "numpy.ma", "numpy.polynomial"} <= set(labels)
    assert min(Counter(labels).values()) >= 20
    assert min(map(len, texts)) >= 80
    assert len(set(texts)) == len(texts) == len(labels)


def test_the_order_is_always_the_same(numpy_corpus):
    assert load_docstrings(["numpy"], standard_library=False) == numpy_corpus


def test_the_standard_library_has_its_modules_as_classes():
    sources = list(docstrings.find_python_files([]))
    labels = {source.label for source in sources}
    assert {"os", "asyncio", "email"} <= labels
    assert labels <= sys.stdlib_module_names
    assert not any("site-packages" in source.path.parts for source in sources)
