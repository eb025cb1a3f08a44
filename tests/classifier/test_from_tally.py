"""A classifier of a tally is the one that its documents would have made."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import corpora
from classifiers import BY_COUNTS, PLACES, TEXTS, proba, raw, some_texts, spread
from classifiers import corpora as some_corpora
from tallytext import (
    L1Selector,
    MultinomialNB,
    Plane,
    Tally,
    TermSelector,
    TextClassifier,
    TextVectorizer,
)
from tallytext.classifier.from_tally import uncertain_terms
from tallytext.distributed.counting import count_partition
from tallytext.distributed.options import CountingOptions
from tallytext.distributed.partial_tally import gather_tally, merge_packed
from tallytext.errors import (
    CountError,
    FileError,
    LabelError,
    NegativeCountError,
    NotAdditiveError,
    RecipeError,
    SettingsError,
)
from tallytext.models import AbsoluteDiscount

each_model = pytest.mark.parametrize("model", BY_COUNTS[:7], ids=str)


def as_fitted(model, corpus, **parameters):
    """What from_tally should come to."""
    return TextClassifier(model, vectorizer=TextVectorizer(), **parameters).fit(*corpus)


def tallied(model, corpus, **parameters):
    planes = TextClassifier(model, **parameters).planes()
    return Tally.from_texts(*corpus, planes=planes)


def gathered_from(corpus, n_parts=3, n_shards=2, **wanted):
    """The tally of partitions, counted and merged as on a cluster."""
    job = CountingOptions.from_arguments(text="text", labels="label", **wanted).with_shards(
        n_shards
    )
    texts, labels = corpus
    parts = []
    for at in range(n_parts):
        some = pa.record_batch({"text": texts[at::n_parts], "label": labels[at::n_parts]})
        parts.append(count_partition(job, f"partition {at}", [some]))
    pieces = zip(*parts, strict=True)
    whole = [merge_packed([*piece], job.n_sampled, job.max_shard_terms) for piece in pieces]
    return gather_tally(whole, job)


@each_model
@pytest.mark.parametrize("multi_label", [False, True])
@settings(max_examples=5)
@given(data=st.data())
def test_it_is_the_classifier_of_the_documents_before_and_after_learning(model, multi_label, data):
    corpus, more = (data.draw(some_corpora(multi_label)) for _ in range(2))
    queries = data.draw(some_texts)
    expected = as_fitted(model, corpus, multi_label=multi_label)
    found = TextClassifier.from_tally(
        tallied(model, corpus), model=model, multi_label=multi_label, sample=([], [])
    )
    assert found.tally_ == expected.tally_
    assert raw(found, queries) == raw(expected, queries)
    found.learn(*more), expected.learn(*more)
    assert raw(found, queries) == raw(expected, queries)
    found.forget(*corpus), expected.forget(*corpus)
    assert found.tally_ == expected.tally_
    again = TextClassifier.from_bytes(found.to_bytes())
    assert raw(again, queries) == raw(found, queries)


@pytest.fixture(scope="module")
def documents():
    return spread()


@pytest.mark.parametrize(
    "model", ["additive", MultinomialNB(AbsoluteDiscount("leave-one-document-out"))]
)
@pytest.mark.parametrize("select", [None, TermSelector("chi", keep=0.5)])
def test_with_all_documents_for_a_sample_it_chooses_and_calibrates_as_fit_does(
    documents, model, select
):
    tally = tallied(model, documents, select=select)
    found = TextClassifier.from_tally(tally, model=model, select=select, sample=documents)
    expected = as_fitted(model, documents, select=select)
    assert found.trials_ == expected.trials_
    assert raw(found, documents[0]) == raw(expected, documents[0])
    assert np.array_equal(proba(found, documents[0]), proba(expected, documents[0]))
    assert found.report().score == expected.report().score
    merged = found + expected
    assert merged.tally_.n_documents == 2 * len(documents[0])


def test_the_tally_stays_as_it_was_and_is_not_shared():
    tally = Tally.from_texts(TEXTS, PLACES)
    before, size = tally.copy(), len(tally.vocabulary)
    clf = TextClassifier.from_tally(tally, model="multinomial", sample=(TEXTS, PLACES))
    clf.learn(["new words"], ["new"])
    assert tally == before
    assert len(tally.vocabulary) == size
    tally.learn({"salt": 1}, "sky")
    assert clf.forget(["new words"], ["new"]).tally_ == before


def test_the_classifier_of_partitions_is_that_of_the_documents(documents):
    tally = gathered_from(documents, planes=TextClassifier().planes())
    found = TextClassifier.from_tally(tally)
    expected = as_fitted("additive", documents)
    assert found.tally_.keep_planes([]) == expected.tally_.keep_planes([])
    sure = TextClassifier.from_tally(tally, model=expected.model_)
    np.testing.assert_allclose(sure.scores(documents[0]), expected.scores(documents[0]), rtol=1e-9)
    assert found.vectorizer_.vocabulary_ == found.tally_.vocabulary
    assert found.report().origin == [
        "in partitions; models compared on a sample of "
        f"{len(tally.origin.texts):,} documents of {len(documents[0]):,}"
    ]


def test_a_classifier_is_the_same_to_the_byte_whatever_the_partitions(documents):
    planes = TextClassifier().planes()
    saved = {
        TextClassifier.from_tally(gathered_from(documents, n, n_shards, planes=planes)).to_bytes()
        for n, n_shards in ((1, 1), (3, 2), (8, 5))
    }
    assert len(saved) == 1


def test_stop_words_are_the_same_in_any_order(documents):
    words = [f"w{at}" for at in range(40)]
    one, other = set(words), set()
    for word in [*words, *(f"other{at}" for at in range(200))]:
        other.add(word)
    other -= {f"other{at}" for at in range(200)}
    assert one == other
    tally = gathered_from(documents, vectorizer=TextVectorizer(stop_words=one))
    same = TextVectorizer(stop_words=other)
    assert TextClassifier.from_tally(tally, model="multinomial", vectorizer=same)
    with pytest.raises(SettingsError, match="stop_words"):
        TextClassifier.from_tally(tally, vectorizer=TextVectorizer(stop_words={"w1"}))


def test_the_vectorizer_is_the_one_that_counted(documents):
    pairs = TextVectorizer(ngram_range=(1, 2))
    tally = gathered_from(documents, vectorizer=pairs)
    clf = TextClassifier.from_tally(tally, model="multinomial")
    assert clf.vectorizer_.ngram_range == (1, 2) == clone(clf).vectorizer.ngram_range
    assert TextClassifier.from_tally(tally, vectorizer=pairs, model="multinomial")
    with pytest.raises(SettingsError, match=r"counted by a vectorizer with ngram_range=\(1, 2\)"):
        TextClassifier.from_tally(tally, vectorizer=TextVectorizer())
    with pytest.raises(TypeError, match="must be a TextVectorizer"):
        TextClassifier.from_tally(tally, vectorizer="words")


def test_without_a_sample_the_first_is_taken_and_the_report_says_so(documents):
    tally = Tally.from_texts(*documents)
    clf = TextClassifier.from_tally(tally)
    report = clf.report().to_text(verbose=True)
    assert "counted      a tally; no sample of documents to score models on" in report
    assert "not compared with others, because there were too few documents" in report
    assert "probabilities are not calibrated" in report
    assert (
        "because the tally lacks their planes: 3 of 4 settings of chi-contrast, poisson; count"
        in report
    )
    assert clf.duplicates_ is None
    assert np.allclose(clf.predict_proba(documents[0]).sum(axis=1), 1)


def test_what_sums_can_tell_is_found_from_sums(documents):
    model = MultinomialNB(AbsoluteDiscount("leave-one-out"))
    found = TextClassifier.from_tally(Tally.from_texts(*documents), model=model)
    assert raw(found, documents[0]) == raw(as_fitted(model, documents), documents[0])


def test_what_sums_cannot_tell_needs_a_sample(documents):
    model, tally = MultinomialNB(AbsoluteDiscount("leave-one-document-out")), Tally()
    tally = Tally.from_texts(*documents)
    with pytest.raises(RecipeError, match="needs the training documents"):
        TextClassifier.from_tally(tally, model=model)
    assert TextClassifier.from_tally(tally, model=model, sample=documents)


def test_a_sample_that_is_too_small_is_said_to_be():
    tally = Tally.from_texts(TEXTS, PLACES)
    clf = TextClassifier.from_tally(tally, sample=(TEXTS[:1], PLACES[:1]))
    assert "a sample of 1 document is too small" in clf.report().origin[0]
    assert clf.calibration_ is None


@pytest.mark.parametrize("name", ["refined", "pooled", "neighbours", "llsf"])
def test_models_of_documents_are_refused(name):
    tally = Tally.from_texts(TEXTS, PLACES)
    for ask in (TextClassifier(name).planes, lambda: TextClassifier.from_tally(tally, model=name)):
        with pytest.raises(NotAdditiveError, match=f"{name} is trained on documents.*sample"):
            ask()


def test_the_best_is_the_best_of_what_sums_can_make(documents):
    found = TextClassifier.from_tally(Tally.from_texts(*documents), model="best", sample=documents)
    assert {trial.learner for trial in found.trials_}.isdisjoint({"refined", "pooled"})
    assert TextClassifier("best").planes() == TextClassifier().planes()


def test_planes_that_lack_are_named_with_the_remedy():
    tally = Tally.from_texts(TEXTS, PLACES, planes=[Plane("log")])
    remedy = r"norm='l2'.*planes=TextClassifier\('chi-contrast'\).planes\(\)"
    with pytest.raises(RecipeError, match=remedy):
        TextClassifier.from_tally(tally, model="chi-contrast")
    assert TextClassifier.from_tally(tally, model="multinomial").tally_.planes == ()


def test_terms_are_selected_with_and_without_the_plane_for_shares(documents):
    multi_label = documents[0], [[label] for label in documents[1]]
    multi_label[1][0] = ["sea", "sky"]
    plain = Tally.from_texts(*documents)
    clf = TextClassifier.from_tally(plain, model="multinomial", select="ig", sample=documents)
    assert clf.tally_.n_terms < plain.n_terms
    assert clf.learn(["blue whale"], [documents[1][0]]).reselect()
    with pytest.raises(RecipeError, match=r"shared=True.*select=\.\.\."):
        TextClassifier.from_tally(Tally.from_texts(*multi_label), select="ig")
    with pytest.raises(NotAdditiveError, match="L1Selector selects terms by documents"):
        TextClassifier.from_tally(plain, select=L1Selector())


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        ((["unheard of"], ["sea"]), "does not have 'unheard'"),
        ((["salt wave"], ["sky"]), "term 'salt' in class 'sky'"),
        ((["salt wave"], ["lake"]), "in class 'lake'"),
        ((TEXTS * 2, PLACES * 2), "would fall to -"),
    ],
)
def test_a_sample_that_was_not_counted_is_refused(sample, reason):
    tally = Tally.from_texts(TEXTS, PLACES)
    with pytest.raises(NegativeCountError, match=f"the sample is not among.*{reason}"):
        TextClassifier.from_tally(tally, sample=sample)


def test_a_sample_of_a_masked_tally_is_judged_by_what_is_left(documents):
    planes = TextClassifier("chi-contrast").planes()
    tally = Tally.from_texts(*documents, planes=planes)
    some = tally.mask([*tally.vocabulary][::2])
    clf = TextClassifier.from_tally(some, model="chi-contrast", sample=documents)
    assert clf.report().n_evaluated == len(documents[0])


def test_bad_input_is_refused():
    tally = Tally.from_texts(TEXTS, [["sea", "sky"], *PLACES[1:]])
    with pytest.raises(CountError, match="reads a Tally, not None"):
        TextClassifier.from_tally(None)
    with pytest.raises(LabelError, match="no document of the tally has a label"):
        TextClassifier.from_tally(Tally())
    with pytest.raises(LabelError, match=r"1 documents of the tally have several labels"):
        TextClassifier.from_tally(tally, multi_label=False)
    with pytest.raises(LabelError, match="there are 2 documents, but labels for 1"):
        TextClassifier.from_tally(tally, sample=(["salt", "wave"], ["sea"]))
    assert TextClassifier.from_tally(tally).multi_label_


@pytest.mark.parametrize("max_terms", [20, 60])
def test_bounded_vocabularies_are_judged_by_words_that_can_be_taken_out(max_terms):
    rng = np.random.default_rng(1)
    words = [f"w{i:03}" for i in range(400)]
    labels = [f"c{i % 4}" for i in range(300)]
    shares = 1 / np.arange(1, 401)
    texts = [
        " ".join([*rng.choice(words, 30, p=shares / shares.sum()), f"own{label}"])
        for label in labels
    ]
    planes = TextClassifier().planes()
    tally = gathered_from(
        (texts, labels), n_parts=8, n_shards=1, max_terms=max_terms, planes=planes
    )
    assert tally.origin.dropped
    clf = TextClassifier.from_tally(tally)
    told = clf.report().origin
    assert any("no count is off by more than" in line for line in told)
    assert any("words of the sample ignored" in line for line in told)
    assert clf.report().n_evaluated == 300
    assert clf.report().score > 0.9
    sample = TextClassifier.from_tally(tally, model="chi-contrast").calibration_
    assert sample is not None


@settings(max_examples=30)
@given(data=st.data())
def test_without_its_uncertain_terms_a_part_can_be_taken_out(data):
    """Whatever was dropped of a tally: what is not uncertain leaves counts that can be."""
    texts, labels = data.draw(some_corpora(multi_label=True, min_size=2))
    planes = [Plane("raw", "l2"), Plane("binary", shared=True)]
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(texts)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))))
    tally = Tally(planes=planes)
    for row, keep in enumerate(kept):
        some = Tally(vectorizer.vocabulary_, planes=planes)
        some.learn(X[row : row + 1], labels[row : row + 1])
        tally += some if keep else some.mask(data.draw(st.sets(st.integers(0, X.shape[1] - 1))))
    n = data.draw(st.integers(1, len(texts)))
    tally = Tally(vectorizer.vocabulary_, planes=planes) + tally
    part = Tally(tally.vocabulary, planes=planes)
    part.learn(X[:n], labels[:n], terms=vectorizer.vocabulary_)
    part = part.mask(tally.live)
    bad = uncertain_terms(tally, part)
    certain = np.setdiff1d(np.arange(X.shape[1]), bad)
    for first in range(n):  # whatever is taken out of it: none is refused
        some = Tally(tally.vocabulary, planes=planes)
        some.learn(X[first:n], labels[first:n], terms=vectorizer.vocabulary_)
        tally.mask(certain) - some.mask(tally.live).mask(certain)


def test_a_tally_of_more_documents_than_fit_into_32_bits(documents):
    tally = Tally.from_texts(*documents)
    for _ in range(30):
        tally = tally + tally
    clf = TextClassifier.from_tally(tally, sample=documents)
    report = clf.report()
    assert report.n_documents == len(documents[0]) * 2**30 > 10**11
    assert f"of {report.n_documents:,}" in str(report)
    assert np.isfinite(clf.scores(documents[0])).all()
    assert np.allclose(proba(clf, documents[0]).sum(axis=1), 1)


def test_where_counts_are_from_survives_files_and_merging(documents):
    clf = TextClassifier.from_tally(Tally.from_texts(*documents), sample=documents)
    again = TextClassifier.from_bytes(clf.to_bytes())
    assert again.report() == clf.report()
    assert pickle.loads(pickle.dumps(clf)).origin_ == clf.origin_ == (clf + clf).origin_
    assert TextClassifier("multinomial").fit(*documents).report().origin == []


def test_a_file_that_says_nonsense_of_its_origin_is_refused(documents):
    clf = TextClassifier("multinomial").fit(*documents)
    for nonsense in ([1], "a tally"):
        clf.origin_ = nonsense
        with pytest.raises(FileError, match="is not the origin of counts"):
            TextClassifier.from_bytes(clf.to_bytes())


def test_newsgroups_in_partitions_are_as_good_as_fitted():
    name = "20ng_bydate"
    texts, splits = corpora.column(name), corpora.column(name, "split").to_pylist()
    labels = [one for (one,) in corpora.column(name, "labels").to_pylist()]
    train = np.array([split == "train" for split in splits])
    learned = texts.filter(train).to_pylist(), [a for a, t in zip(labels, train, strict=True) if t]
    others = texts.filter(~train), [a for a, t in zip(labels, train, strict=True) if not t]
    tally = gathered_from(learned, n_parts=4, planes=TextClassifier().planes())
    found, fitted = TextClassifier.from_tally(tally), as_fitted("additive", learned)
    assert found.tally_.keep_planes([]) == fitted.tally_.keep_planes([])
    assert found.score(*others) == pytest.approx(fitted.score(*others), abs=0.005)
    assert found.report().score == pytest.approx(fitted.report().score, abs=0.02)
