"""Merged partial tallies equal the tally of all documents."""

import pickle
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts import PLANES, documents, job, partitions, records, tally_of_parts
from tallytext import Plane, Tally, TextVectorizer
from tallytext.distributed import partial_tally
from tallytext.distributed.counting import PartitionCounter, count_partition
from tallytext.distributed.options import CountingOptions
from tallytext.distributed.partial_tally import (
    ContentSample,
    PartialTally,
    gather_tally,
    join_shards,
    merge_packed,
    shard_tally,
)
from tallytext.errors import (
    EngineError,
    FileError,
    FrozenVocabularyError,
    InputError,
    RecipeError,
    TallytextError,
    VocabularyError,
)
from tallytext.tally import Dropped


def counted_at_once(listed, planes=(), weighted=True):
    """The tally of all documents, on one machine."""
    vectorizer, tally = TextVectorizer(), Tally(planes=planes)
    columns = list(zip(*listed, strict=True)) or [(), (), ()]
    X = vectorizer.fit_transform(list(columns[0]))
    weights = list(columns[2]) if planes and weighted else None
    return tally.learn(
        X, list(map(list, columns[1])), terms=vectorizer.vocabulary_, sample_weight=weights
    )


@given(partitions(), st.integers(1, 4), st.integers(2, 4))
def test_partitions_in_any_order_add_up_to_the_same_tally(made, n_shards, fan_in):
    listed, parts = made
    work = job(weights="weight", planes=PLANES).with_shards(n_shards)
    assert tally_of_parts(parts, work, fan_in) == counted_at_once(listed, PLANES)


@given(partitions(), st.integers(1, 3))
def test_the_order_of_everything_is_that_of_one_partition(made, n_shards):
    listed, parts = made
    one, many = (tally_of_parts(each, job().with_shards(n_shards)) for each in ([listed], parts))
    (mine, header), (theirs, other_header) = one.to_arrays(), many.to_arrays()
    assert header == other_header
    assert mine.keys() == theirs.keys()
    assert all(np.array_equal(mine[name], theirs[name]) for name in mine)
    assert (one.origin.texts, one.origin.labels) == (many.origin.texts, many.origin.labels)


@given(documents, st.integers(1, 5))
def test_joined_shards_are_the_tally(listed, n_shards):
    tally = counted_at_once(listed, PLANES)
    pieces = shard_tally(tally, n_shards)
    assert join_shards(list(pieces), Tally) == tally
    assert sum(len(arrays["lengths"]) for arrays, _ in pieces) == tally.n_terms
    for arrays, header in pieces:
        piece = Tally.from_arrays(arrays, header)
        assert piece == tally.mask(list(piece.vocabulary))


@given(partitions(), st.integers(1, 6), st.integers(1, 3))
def test_the_error_of_dropped_terms_is_bounded_as_stated(made, max_terms, n_shards):
    listed, parts = made
    exact = counted_at_once(listed)
    found = tally_of_parts(parts, job(max_terms=max_terms).with_shards(n_shards))
    dropped = found.origin.dropped
    assert found.n_terms <= max_terms + n_shards - 1
    assert exact.n_tokens - found.n_tokens == dropped.n_tokens
    assert found.n_documents == exact.n_documents
    mine = dict(zip(found.vocabulary, found.term_occurrences.tolist(), strict=True))
    for term, true in zip(exact.vocabulary, exact.term_occurrences.tolist(), strict=True):
        assert 0 <= true - mine.get(term, 0) <= dropped.bound
    if not dropped:
        assert found == exact


@given(documents, documents, st.integers(0, 5))
def test_the_merged_sample_of_parts_is_the_sample_of_all(some, others, size):
    def sample(listed):
        return ContentSample.from_documents(
            [text for text, _, _ in listed], [label for _, label, _ in listed], size
        )

    both = ContentSample.merge([sample(some), sample(others)], size)
    assert both == sample(some + others) == sample(others + some)
    assert len(both.texts) == min(size, len({(t, str(label)) for t, label, _ in some + others}))
    assert ContentSample.from_arrays(*both.to_arrays()) == both
    assert (np.diff(both.keys.astype(object)) >= 0).all()


def test_a_sample_does_not_depend_on_the_type_of_texts():
    texts, labels = ["to be", "or not", "to be", "눈"], ["a", "b", "a", ["a"]]
    listed, column = (
        ContentSample.from_documents(texts, labels, 3),
        ContentSample.from_documents(pa.array(texts), labels, 3),
    )
    assert listed == column
    assert ContentSample.from_documents(texts, labels, 3, below=listed.last_key) == listed


def test_a_vocabulary_stays_small_while_a_partition_is_counted():
    counter = PartitionCounter(job(max_terms=3), "partition 0")
    for first in range(0, 400, 20):
        words = " ".join(f"word{at} often" for at in range(first, first + 20))
        counter.add_batches(counter.reader.read_records([records([(words, ["x"], 1.0)])]))
        assert len(counter.partial.tally.vocabulary) <= 3
    part = PartialTally.unpack(counter.pack()[0])
    often = part.tally.term_occurrences[part.tally.vocabulary["often"]]
    assert 400 - part.notes.dropped.bound <= often <= 400


def test_documents_without_a_column_of_labels_are_in_no_class():
    found = tally_of_parts([[("sea sky", ["x"], 1.0)]], job(labels=None))
    assert (found.n_documents, found.n_unlabelled, found.classes) == (1, 1, [])


@pytest.mark.parametrize(
    ("column", "wanted"),
    [
        (pa.array(["a", "b"]), ["a", "b"]),
        (pa.array([2, 1]), [1, 2]),
        (pa.array([True, False]), [False, True]),
        (pa.array([0.5, 0.25]), [0.25, 0.5]),
        (pa.array(["b", "a"]).dictionary_encode(), ["a", "b"]),
        (pa.array([[1, 2], []], pa.list_(pa.int64())), [1, 2]),
    ],
)
def test_labels_of_all_kinds_are_counted(column, wanted):
    batch = pa.record_batch([pa.array(["sea", "sky"]), column], ["text", "label"])
    found = gather_tally(count_partition(job(), "partition 0", [batch]), job())
    assert found.classes == wanted


def test_labels_in_a_string_are_separated():
    batch = pa.record_batch({"text": ["sea"], "label": ["a; b"]})
    found = gather_tally(count_partition(job(label_separator=";"), "here", [batch]), job())
    assert found.classes == ["a", "b"]


def test_a_vocabulary_that_was_given_takes_no_other_terms():
    work = job(vectorizer=TextVectorizer(vocabulary=["sea", "ice"]))
    found = tally_of_parts([[("sea sky", ["x"], 1.0)], [("ice", ["y"], 1.0)]], work)
    assert list(found.vocabulary) == ["ice", "sea"]


BAD = pa.record_batch(
    [pa.array(["sea", None, "sky"]), pa.array(["x", "y", None])], ["text", "label"]
)


def test_a_row_that_cannot_be_read_is_named():
    with pytest.raises(InputError, match=r"cannot read partition 7, row 2: the text is null"):
        count_partition(job(), "partition 7", [BAD])


def test_rows_that_cannot_be_read_are_skipped_and_counted():
    parts = [
        count_partition(job(on_error="skip"), f"partition {at}", [BAD, BAD])[0] for at in (0, 1)
    ]
    found = gather_tally([merge_packed(parts, 10)], job())
    assert (found.n_documents, found.origin.n_skipped) == (4, 8)
    assert found.origin.skipped[0] == "partition 0, row 2: the text is null"


def test_missing_columns_and_columns_without_text_are_refused():
    with pytest.raises(FileError, match=r"partition 0 has no column 'body'.*text, label"):
        count_partition(job(text="body"), "partition 0", [BAD])
    numbers = pa.record_batch({"text": [1, 2], "label": ["x", "y"]})
    with pytest.raises(FileError, match="column 'text' of partition 0 holds int64, not text"):
        count_partition(job(), "partition 0", [numbers])


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"vectorizer": TextVectorizer(min_df=2)}, VocabularyError, "max_terms"),
        ({"on_error": "pass"}, InputError, "'fail' or 'skip'"),
        ({"max_terms": 0}, VocabularyError, "at least 1"),
        ({"max_terms": 2.5}, VocabularyError, "whole number"),
        ({"sample": -1}, InputError, "number of documents"),
        ({"sample": 2.5}, InputError, "number of documents"),
        ({"weights": "weight"}, RecipeError, "weighted=True"),
    ],
)
def test_wrong_options_are_refused(options, error, says):
    with pytest.raises(error, match=says):
        job(**options)


def test_packed_options_are_restored_and_hold_no_code():
    work = job(weights="weight", planes=PLANES, vectorizer=TextVectorizer(ngram_range=(1, 2)))
    again = CountingOptions.unpack(work.with_shards(3).pack())
    assert (again.columns, again.planes, again.n_shards) == (work.columns, work.planes, 3)
    assert again.vectorizer.get_params() == work.vectorizer.get_params()
    with pytest.raises(FileError, match="holds no code"):
        job(vectorizer=TextVectorizer(tokens=str.split)).pack()


@given(st.integers(0, 10**6), st.integers(1, 255))
def test_a_damaged_partial_tally_is_refused(place, flipped):
    (piece,) = count_partition(job(), "partition 0", [records([("sea sky", ["x"], 1.0)])])
    at = place % len(piece)
    damaged = piece[:at] + bytes([piece[at] ^ flipped]) + piece[at + 1 :]
    try:
        found = PartialTally.unpack(damaged)
    except FileError:
        return
    # A bit of the compression that means nothing.
    assert found.tally == PartialTally.unpack(piece).tally


@given(st.integers(0, 10**6))
def test_a_truncated_partial_tally_is_refused(place):
    (piece,) = count_partition(job(), "partition 0", [records([("sea sky", ["x"], 1.0)])])
    at = place % len(piece)
    with pytest.raises(FileError):
        PartialTally.unpack(piece[:at])


def test_shards_of_different_documents_are_not_joined():
    one, other = (
        count_partition(job().with_shards(2), "here", [records([(text, ["x"], 1.0)] * n)])
        for text, n in (("sea", 1), ("sky", 2))
    )
    with pytest.raises(TallytextError, match="have different documents"):
        gather_tally([one[0], other[1]], job())
    third = count_partition(job().with_shards(2), "here", [records([("sea", ["y"], 1.0)])])
    with pytest.raises(TallytextError, match="different classes"):
        gather_tally([one[0], third[1]], job())


def test_costs_count_partitions_and_merges():
    parts = [[("sea sky", ["x"], 1.0)], [("ice", ["y"], 1.0)], []]
    costs = tally_of_parts(parts, job().with_shards(2)).origin.costs
    # Two shards, each merged from three to two to one.
    assert (costs.n_parts, costs.n_merges) == (3, 6)
    assert costs.text_bytes > 0 and costs.sent_bytes > 0 and costs.peak_memory > 0


def test_a_gathered_tally_keeps_its_origin_and_what_is_derived_from_it_some_of_it():
    found = tally_of_parts([[("sea sky", ["x"], 1.0)]], job())
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.origin.texts == found.origin.texts == ["sea sky"]
    assert found.copy().origin is found.origin
    for changed in (
        found + found,
        found.mask(["sea"]),
        found.keep_planes([]),
        found.copy().learn({"ice": 1}, "x"),
    ):
        assert changed.origin.texts == []
        assert changed.origin.vectorizer is found.origin.vectorizer
    before = found.copy()
    found += found.copy()
    assert found.origin.texts == [] and before.origin.texts == ["sea sky"]


def test_dropped_counts_of_two_tallies_add_up():
    listed = [("sea sea sky", ["x"], 1.0)]
    found = tally_of_parts([listed], job(max_terms=1))
    assert found.origin.dropped == Dropped(1, 1)
    assert (found + found).origin.dropped == Dropped(2, 2)


def test_a_gathered_tally_with_a_frozen_vocabulary_is_closed_to_new_terms():
    found = tally_of_parts([[("sea sky", ["x"], 1.0)]], job())
    closed = Tally(found.vocabulary.copy().freeze()) + found
    with pytest.raises(FrozenVocabularyError):
        closed.learn({"ice": 1}, "x")


FULL = 2**30


def heavy(label="x"):
    """A document that fills half of a plane, by its weight."""
    return ("sea", [label], float(FULL))


@given(st.permutations([heavy("x"), heavy("y"), ("sky", ["x"], 1.0)]), st.integers(1, 3))
def test_planes_whose_sums_leave_64_bits_are_left_out_wherever_that_is_seen(listed, n_shards):
    plain, weighted = Plane("log", "l2"), Plane(weighted=True)
    work = job(weights="weight", planes=[plain, weighted]).with_shards(n_shards)
    wanted = counted_at_once(listed, [plain], weighted=False)
    for found in (
        tally_of_parts([listed], work),
        tally_of_parts([[each] for each in listed], work),
        batch_by_batch(listed, work),
    ):
        assert found.origin.overflowing == [weighted]
        assert found == wanted


def batch_by_batch(listed, work):
    counter = PartitionCounter(work, "partition 0")
    for each in listed:
        counter.add_batches(counter.reader.read_records([records([each])]))
    return gather_tally(counter.pack(), work)


def test_planes_that_overflow_when_shards_are_joined_are_left_out():
    weighted = Plane(weighted=True)
    work = job(weights="weight", planes=[weighted]).with_shards(16)
    listed = [("sea", ["x"], 0.75 * 2**31), ("sky", ["x"], 0.75 * 2**31)]
    assert tally_of_parts([listed[:1]], work).origin.overflowing == []
    found = tally_of_parts([[each] for each in listed], work)
    assert (found.origin.overflowing, found.n_tokens) == ([weighted], 2)


def test_a_partition_in_which_no_document_has_a_label_is_counted():
    batch = pa.record_batch({"text": ["sea"], "label": pa.array([[]], pa.list_(pa.null()))})
    assert gather_tally(count_partition(job(), "here", [batch]), job()).n_unlabelled == 1


def test_a_document_that_is_too_much_for_a_plane_by_itself_is_counted_without_it():
    work = job(weights="weight", planes=[Plane(weighted=True)])
    found = tally_of_parts([[("sea", ["x"], 1e10), ("sky", ["y"], 1.0)]], work)
    assert (found.n_documents, found.origin.overflowing) == (2, [Plane(weighted=True)])


@pytest.mark.parametrize("weight", [None, -1.0, float("nan"), float("inf")])
def test_a_weight_that_is_none_is_a_row_that_cannot_be_read(weight):
    listed = [("sea", ["x"], 1.0), ("sky", ["y"], weight)]
    weighted = {"weights": "weight", "planes": [Plane(weighted=True)]}
    with pytest.raises(InputError, match=r"partition 0, row 2: its weight is .*, not a number"):
        tally_of_parts([listed], job(**weighted))
    found = tally_of_parts([listed], job(on_error="skip", **weighted))
    assert (found.n_documents, found.origin.n_skipped) == (1, 1)


def test_a_sample_does_not_depend_on_partitions_where_texts_repeat():
    again, work = [(f"again {at}", ["x"], 1.0) for at in range(5)], job(sample=10)
    for number in range(40):
        other = [(f"other {number}", ["x"], 1.0)]
        one = PartitionCounter(work, "partition 0")
        for some in [again] * 9 + [other]:
            one.add_batches(one.reader.read_records([records(some)]))
        two = tally_of_parts([again * 9, other], work)
        assert gather_tally(one.pack(), work).origin.texts == two.origin.texts


lengths = st.lists(st.integers(1, 3_000), max_size=12)


@given(lengths, lengths)
def test_a_sample_of_long_texts_has_fewer_and_is_that_of_its_parts(some, others):
    def sample(lengths):
        return ContentSample.from_documents(["x" * n for n in lengths], ["a"] * len(lengths), 24)

    with patch.multiple(
        partial_tally, _MIN_CHARACTERS=10_000, _MEAN_CHARACTERS=1, _MIN_DOCUMENTS=4
    ):
        both = sample(some + others)
        assert both == ContentSample.merge([sample(some), sample(others)], 24)
    assert sum(map(len, both.texts)) <= 10_000
    assert max(map(len, both.texts), default=0) <= 2_500
    # Whatever is long, there is room for some.
    assert len(both.texts) >= min(4, len({n for n in some + others if n <= 2_500}))


def test_one_long_document_does_not_empty_a_sample():
    for texts in (["long " * 2_000_000, "short"], pa.array(["눈" * 2_000_000, "short"])):
        assert ContentSample.from_documents(texts, ["x", "y"], 100).texts == ["short"]
    few_characters = "눈" * 1_000_000  # in three times as many bytes
    assert ContentSample.from_documents(pa.array([few_characters]), ["x"], 100).texts == [
        few_characters
    ]


def test_weights_are_numbers_however_they_are_written():
    heavy = {"weights": "weight", "planes": [Plane(weighted=True)]}
    wanted = tally_of_parts([[("sea", ["x"], 2.0), ("sky", ["y"], 1.5)]], job(**heavy))
    for column in (["2", "1.5"], [Decimal(2), Decimal("1.5")]):
        batch = pa.record_batch({"text": ["sea", "sky"], "label": ["x", "y"], "weight": column})
        assert gather_tally(count_partition(job(**heavy), "here", [batch]), job(**heavy)) == wanted


def test_a_batch_in_which_no_row_has_a_weight_is_left_out():
    heavy = {"weights": "weight", "planes": [Plane(weighted=True)], "on_error": "skip"}
    batch = pa.record_batch(
        {"text": ["sea", "sky"], "label": ["x", "y"], "weight": pa.nulls(2, pa.float64())}
    )
    found = gather_tally(count_partition(job(**heavy), "here", [batch]), job(**heavy))
    assert (found.n_documents, found.origin.n_skipped) == (0, 2)


def test_texts_may_be_views():
    views = pa.array(["sea sky and more than twelve bytes", "sky"], pa.string_view())
    batch = pa.record_batch({"text": views, "label": ["x", "y"]})
    found = gather_tally(count_partition(job(), "here", [batch]), job())
    assert found == Tally.from_texts(views.to_pylist(), ["x", "y"])


def test_labels_may_be_more_than_a_header_can_hold(monkeypatch):
    monkeypatch.setattr("tallytext.io.safetensors.MAX_HEADER_BYTES", 1 << 14)
    listed = [(f"sea {at}", [f"class of a long name, {at}"], 1.0) for at in range(2_000)]
    found = tally_of_parts([listed[:900], listed[900:]], job(sample=2_000).with_shards(2))
    assert (len(found.classes), len(found.origin.labels)) == (2_000, 2_000)


def test_numbers_may_be_those_of_numpy():
    work = job(sample=np.int64(3), max_terms=np.int32(5)).with_shards(np.int64(2))
    assert CountingOptions.unpack(work.pack()).max_terms == 5


def test_names_of_columns_must_be_strings():
    with pytest.raises(InputError, match="names of columns must be strings, not 0: rename it"):
        job(text=0)
    table = pa.record_batch([["sea"], ["x"]], ["0", "1"])
    with pytest.raises(FileError, match=r"no column 'text'. It has: 0, 1\."):
        count_partition(job(), "here", [table])


def test_the_repr_of_an_origin_has_no_documents():
    found = tally_of_parts([[("sea sea sky", ["x"], 1.0)]], job(max_terms=1))
    told = "<Origin: 1 partitions, 1 documents sampled, Dropped(n_tokens=1, bound=1)>"
    assert repr(found.origin) == told


def test_options_of_another_version_are_refused(monkeypatch):
    packed = job().pack()
    monkeypatch.setattr("tallytext.distributed.options.version", lambda _: "9.9")
    with pytest.raises(EngineError, match=r"has tallytext 9\.9, but the task was sent by"):
        CountingOptions.unpack(packed)
