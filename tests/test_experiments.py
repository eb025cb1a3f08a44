"""Experiments: what they read, draw and print, on a corpus of a few texts."""

from argparse import Namespace

import numpy as np
import pytest

five_percent = pytest.importorskip(
    "experiments.five_percent", reason="the source distribution has no experiments"
)
Messages = five_percent.Messages

SEA = ["the deep sea and a wave", "a wave at sea", "deep sea, salt", "salt of the deep sea"] * 10
SKY = ["the blue sky and a cloud", "a cloud in the sky", "blue sky, wind", "wind in the sky"] * 10


@pytest.fixture
def messages():
    return Messages([*SEA, *SKY], np.array(["sea"] * 40 + ["sky"] * 40))


def test_only_two_headers_are_kept():
    text = "Path: a!b\nFrom: me\nNewsgroups: sea\nSubject: salt\n\nNewsgroups: in the text\n\nend"
    kept = five_percent._kept(text)
    assert kept == "From: me\nSubject: salt\n\nNewsgroups: in the text\n\nend"


def test_samples_have_as_many_of_each_class_and_come_again(messages):
    for size, expected in ((None, 2), (1, 1)):
        drawn, same = (list(messages.samples(3, size)) for _ in range(2))
        for sample, other in zip(drawn, same, strict=True):
            assert sample.tolist() == other.tolist()
            assert np.unique(messages.labels[sample], return_counts=True)[1].tolist() == [
                expected,
                expected,
            ]
    assert drawn[0].tolist() != drawn[1].tolist()


def test_each_method_is_measured_on_each_sample(messages):
    kinds = {"documents": five_percent._translation(messages, "documents"), "occurrences": None}
    given = Namespace(samples=2, em=True)
    found = five_percent._measured(messages, kinds, None, given)
    assert {*five_percent.PUBLISHED} <= {*found}
    assert all(scores.shape == (2, 2) for scores in found.values())
    assert all(((scores >= 0) & (scores <= 1)).all() for scores in found.values())
    assert found["semantic, words"].mean() > 0.9
    table = five_percent._table(found, published=True)
    assert "| Laplace |" in table
    assert "0.427, 0.421" in table
    assert len(table.splitlines()) == len(found) + 2


def test_a_corpus_that_is_not_there_is_asked_for(tmp_path):
    with pytest.raises(SystemExit, match="say where it is with --data"):
        Messages.read(tmp_path)
