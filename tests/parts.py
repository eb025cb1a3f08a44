"""Documents in partitions, for tests of distributed counting."""

import pyarrow as pa
from hypothesis import strategies as st

from tallytext import Plane
from tallytext.distributed.counting import count_partition
from tallytext.distributed.options import CountingOptions
from tallytext.distributed.partial_tally import gather_tally, merge_packed

WORDS = ["sea", "sky", "ice", "fog", "sun", "rain", "naïve", "눈", "wind"]
PLANES = [Plane("log", "l2"), Plane("binary", shared=True), Plane(weighted=True)]

texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
labels = st.lists(st.sampled_from(["x", "y", "z"]), max_size=3)
weights = st.sampled_from([0.0, 0.25, 1.0, 3.5])
documents = st.lists(st.tuples(texts, labels, weights), max_size=12)


@st.composite
def partitions(draw):
    """Documents, and the same in partitions, some of which may be empty, in another order."""
    listed = draw(documents)
    n_parts = draw(st.integers(1, 5))
    places = [draw(st.integers(0, n_parts - 1)) for _ in listed]
    shuffled = draw(st.permutations(list(zip(listed, places, strict=True))))
    return listed, [[each for each, at in shuffled if at == part] for part in range(n_parts)]


def records(some):
    """Documents as a record batch."""
    columns = zip(*some, strict=True) if some else ([], [], [])
    kinds = [pa.string(), pa.list_(pa.string()), pa.float64()]
    arrays = [pa.array(list(each), kind) for each, kind in zip(columns, kinds, strict=True)]
    return pa.record_batch(arrays, ["text", "label", "weight"])


def job(**options):
    return CountingOptions.from_arguments(**{"text": "text", "labels": "label", **options})


def tally_of_parts(parts, work, fan_in=2):
    """Count partitions, and merge them as an engine does."""
    pieces = [
        count_partition(CountingOptions.unpack(work.pack()), f"partition {at}", [records(part)])
        for at, part in enumerate(parts)
    ]
    shards = []
    for number in range(work.n_shards):
        level = [piece[number] for piece in pieces]
        while len(level) > 1:
            groups = [level[at : at + fan_in] for at in range(0, len(level), fan_in)]
            level = [merge_packed(group, work.n_sampled, work.max_shard_terms) for group in groups]
        shards += level
    return gather_tally(shards, work)
