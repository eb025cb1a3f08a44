"""Corpora for the tests of the tally, and its comparison with the obvious one."""

from hypothesis import strategies as st

from tallytext import Plane, Tally, _core

PLANES = [
    Plane("log", "l2"),
    Plane("raw", "l1", weighted=True),
    Plane("binary"),
    Plane(norm="poisson", theta=10),
    Plane(norm="poisson_mass", theta=2.5),
    Plane(norm="log_length"),
    Plane("binary", "log_length_squared", weighted=True, shared=True),
    Plane("log", "l1", shared=True),
    Plane(shared=True),
]

LABELS = st.one_of(
    st.sampled_from(["X", "Y", "Z", 7, 8]).map(lambda label: [label]),
    st.lists(st.sampled_from(["X", "Y", "Z", 7, 8]), max_size=3),
)


def documents():
    counts = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(1, 9), max_size=6)
    return st.tuples(counts, LABELS, st.sampled_from([1.0, 0.25, 3.0]))


def corpora():
    return st.lists(documents(), max_size=8)


def small_deltas():
    return st.sampled_from([1, 3, 8, 4096])


def tally_of(corpus, planes=(), smallest=4096):
    terms = list(dict.fromkeys(term for counts, _, _ in corpus for term in counts))
    rows = [[counts.get(term, 0) for term in terms] for counts, _, _ in corpus]
    tally = Tally(planes=planes)
    tally._smallest_delta = smallest
    tally._native = _core.Tally(len(planes), smallest)
    if not corpus:
        return tally
    if not terms:
        rows, terms = [[0]] * len(corpus), ["never"]
    weights = [weight for *_, weight in corpus] if planes else None
    return tally.learn(rows, [ls for _, ls, _ in corpus], terms=terms, sample_weight=weights)


def matches(tally, oracle):
    names, labels = list(tally.vocabulary), tally.classes
    classes, terms, cells = oracle.classes(), oracle.terms(), oracle.cells()
    assert set(labels) == set(classes)
    assert len(labels) == len(classes)
    assert {names[i] for i in tally.live.nonzero()[0]} == set(terms)
    assert tally.n_documents == len(oracle.documents)
    assert tally.n_terms == len(terms)
    assert tally.n_cells == len(cells)
    assert tally.n_multi_label == sum(len(set(ls)) > 1 for _, ls, _ in oracle.documents)
    assert tally.n_unlabelled == sum(not ls for _, ls, _ in oracle.documents)
    for j, matrix in enumerate(_matrices(tally)):
        coo = matrix.tocoo()
        keys = [(names[t], labels[c]) for t, c in zip(coo.row, coo.col, strict=True)]
        unit = 1 if j < 2 else 2**32
        found = dict(zip(keys, (coo.data * unit).tolist(), strict=True))
        assert found == {key: block[j] for key, block in cells.items()}
    _totals_match(tally, names, labels, classes, terms)
    for events in ("cells", "pooled"):
        assert tally.counts_of_counts(events) == oracle.counts_of_counts(events)


def _matrices(tally):
    return [tally.occurrences, tally.documents, *map(tally.plane, tally.planes)]


def _totals_match(tally, names, labels, classes, terms):
    by_term = dict(zip(names, tally.term_occurrences.tolist(), strict=True))
    assert {t: n for t, n in by_term.items() if n} == {t: b[0] for t, b in terms.items()}
    assert tally.n_tokens == sum(block[0] for block in terms.values())
    assert tally.n_document_terms == sum(block[1] for block in terms.values())
    assert tally.class_documents.tolist() == [classes[c][0] for c in labels]
    assert tally.class_terms.tolist() == [classes[c][1] for c in labels]
    assert tally.class_tokens.tolist() == [classes[c][2][0] for c in labels]
    assert tally.class_document_terms.tolist() == [classes[c][2][1] for c in labels]
    for k, plane in enumerate(tally.planes):
        totals = tally.plane_totals(plane)
        assert (totals.classes * 2**32).tolist() == [classes[c][2][2 + k] for c in labels]
        assert (totals.class_scales * 2**32).tolist() == [classes[c][3][k] for c in labels]
        assert totals.total * 2**32 == sum(block[2 + k] for block in terms.values())
        in_all = dict(zip(names, (totals.terms * 2**32).tolist(), strict=True))
        assert {t: in_all[t] for t in terms} == {t: b[2 + k] for t, b in terms.items()}
