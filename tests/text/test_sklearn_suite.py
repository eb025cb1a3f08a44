"""scikit-learn's own tests of its text vectorizers, run on the drop-in classes.

The tests ship inside scikit-learn. The module is imported afresh while the originals are replaced,
so that its parametrised tests take the drop-ins too; then its tests become tests of this module.
"""

import importlib
import sys

import pytest
from sklearn.feature_extraction import text

import tallytext.sklearn as drop_in

SUITE = "sklearn.feature_extraction.tests.test_text"


def _suite_with_drop_ins():
    originals = {name: getattr(text, name) for name in drop_in.__all__}
    sys.modules.pop(SUITE, None)
    try:
        for name in originals:
            setattr(text, name, getattr(drop_in, name))
        return importlib.import_module(SUITE)
    finally:
        for name, original in originals.items():
            setattr(text, name, original)


_suite = _suite_with_drop_ins()
globals().update({name: test for name, test in vars(_suite).items() if name.startswith("test_")})

# scikit-learn's suite is run under scikit-learn's own policy on warnings.
pytestmark = pytest.mark.filterwarnings("default")


def test_the_suite_runs_on_the_drop_ins():
    assert _suite.CountVectorizer is drop_in.CountVectorizer
    assert _suite.TfidfVectorizer is drop_in.TfidfVectorizer
    assert sum(name.startswith("test_") for name in vars(_suite)) > 50
