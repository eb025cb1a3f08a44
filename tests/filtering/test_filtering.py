"""Laws of a filter: feedback is exact, files are whole, hostile input changes nothing."""

import json
import random

import numpy as np
import pytest

from tallytext import DocumentFilter, MultinomialNB
from tallytext.classifier import learners
from tallytext.errors import FileError, InputError, LabelError, SettingsError, UnknownNameError
from tallytext.filtering import fit_sigmoid
from tallytext.io import load_arrays, save_arrays

WORDS = {
    "grain": ["wheat", "corn", "harvest", "farm", "crop"],
    "oil": ["crude", "oil", "opec", "refinery", "barrel"],
    "noise": ["bank", "rates", "shares", "merger", "yen"],
}
COMMON = ["the", "said", "price", "year", "market"]


def news(n, seed):
    """Return documents of three topics, two of which have a profile, and their labels."""
    rng = random.Random(seed)
    labels = [rng.choice([*WORDS]) for _ in range(n)]
    texts = [
        " ".join(rng.choices(WORDS[label], k=4) + rng.choices(COMMON, k=4)) for label in labels
    ]
    # A number of its own, so that no two texts are equal.
    return [f"{text} n{seed}x{at}" for at, text in enumerate(texts)], labels


def ids(n):
    return [f"d{at}" for at in range(n)]


def wanted(labels):
    return [[label] if label != "noise" else [] for label in labels]


@pytest.fixture
def profiles():
    texts, labels = news(30, 1)
    return DocumentFilter().start(texts, wanted(labels))


def state(profiles, tmp_path):
    path = tmp_path / "state.tally"
    profiles.save(path)
    return path.read_bytes()


def test_profiles_deliver_their_documents_and_learn(profiles):
    texts, labels = news(400, 2)
    for first in range(0, 400, 50):
        rows = slice(first, first + 50)
        profiles.filter(texts[rows], ids(400)[rows], labels[rows])
    report = profiles.report()
    assert report.n_documents == 400
    assert all(each.f1 > 0.9 for each in report.profiles)
    assert report.utility == sum(
        2 * each.n_relevant - each.n_not_relevant for each in report.profiles
    )


def test_feedback_that_is_withdrawn_was_never_given(profiles, tmp_path):
    found = profiles.filter(news(60, 3)[0], ids(60))
    profiles.save(tmp_path / "before.tally")
    before = DocumentFilter.load(tmp_path / "before.tally")
    given = [(each.id, each.profile, at % 3 > 0) for at, each in enumerate(found)]
    assert profiles.feedback(given) == len(found)
    assert profiles.tally_ != before.tally_
    assert profiles.feedback([(id, profile, None) for id, profile, _ in given]) == len(found)
    # Not the bytes of the file: a vocabulary never forgets a word, though its counts are zero.
    assert profiles.tally_ == before.tally_
    assert profiles.report() == before.report()
    more = news(60, 4)[0]
    assert profiles.filter(more) == before.filter(more)


def test_corrected_feedback_equals_the_right_one_from_the_start(profiles, tmp_path):
    texts, _ = news(60, 3)
    other = DocumentFilter().start(*(lambda t, y: (t, wanted(y)))(*news(30, 1)))
    found = profiles.filter(texts, ids(60))
    other.filter(texts, ids(60))
    profiles.feedback([(each.id, each.profile, False) for each in found])
    profiles.feedback([(each.id, each.profile, True) for each in found])
    other.feedback([(each.id, each.profile, True) for each in found])
    assert profiles.tally_ == other.tally_
    more = news(60, 4)[0]
    assert profiles.filter(more) == other.filter(more)


def test_the_same_feedback_twice_changes_nothing(profiles, tmp_path):
    found = profiles.filter(*news(60, 3)[:1], ids(60))
    given = [(each.id, each.profile, True) for each in found]
    profiles.feedback(given)
    before = state(profiles, tmp_path)
    assert profiles.feedback(given) == 0
    assert state(profiles, tmp_path) == before


def test_labels_of_documents_that_are_not_delivered_are_not_learned(tmp_path):
    texts, labels = news(80, 5)
    start = news(30, 1)
    told, lied = (DocumentFilter().start(start[0], wanted(start[1])) for _ in range(2))
    found = {(each.id, each.profile) for each in told.filter(texts, ids(80), labels)}
    delivered = {id for id, _ in found}
    wrong = [label if id in delivered else "oil" for id, label in zip(ids(80), labels, strict=True)]
    lied.filter(texts, ids(80), wrong)
    assert told.tally_ == lied.tally_
    assert told._rules()["oil"].slopes.tolist() == lied._rules()["oil"].slopes.tolist()


def test_a_loaded_filter_goes_on_as_the_saved_one(profiles, tmp_path):
    texts, labels = news(120, 6)
    profiles.filter(texts[:60], ids(60), labels[:60])
    profiles.save(tmp_path / "f.tally")
    loaded = DocumentFilter.load(tmp_path / "f.tally")
    names = [f"e{at}" for at in range(60)]
    assert loaded.filter(texts[60:], names) == profiles.filter(texts[60:], names)
    assert state(loaded, tmp_path) == state(profiles, tmp_path)
    assert loaded.report() == profiles.report()


def test_a_document_that_was_seen_is_skipped(profiles):
    texts, _ = news(40, 7)
    assert profiles.filter(texts, ids(40))
    assert not profiles.filter(texts, ids(40))
    assert profiles.n_documents_ == 40
    again = profiles.filter(["wheat corn harvest farm"] * 3)  # equal texts without ids
    assert len({each.id for each in again}) <= 1


def test_a_query_and_a_stream_are_enough_to_start(tmp_path):
    profiles = DocumentFilter().start(["crude oil opec"], ["oil"])
    texts, labels = news(600, 8)
    for first in range(0, 600, 20):
        rows = slice(first, first + 20)
        profiles.filter(texts[rows], ids(600)[rows], labels[rows])
    (oil,) = profiles.report().profiles
    assert oil.precision > 0.8
    assert oil.recall > 0.8


def test_a_profile_that_starves_explores(profiles):
    profiles.filter(news(40, 9)[0], ids(40))
    bound = profiles.report().profiles[0].threshold
    quiet = [f"bank rates shares {at}" for at in range(3000)]
    assert not profiles.filter(quiet)
    assert profiles.report().profiles[0].threshold < bound


def test_a_higher_cost_delivers_less():
    texts, labels = news(30, 1)
    mixed = [f"{a} {b}" for a, b in zip(*(news(200, seed)[0] for seed in (10, 11)), strict=True)]
    numbers = [
        len(DocumentFilter(cost=cost).start(texts, wanted(labels)).filter(mixed))
        for cost in (0.2, 1, 20)
    ]
    assert numbers[0] >= numbers[1] >= numbers[2]
    assert numbers[0] > numbers[2]


@pytest.mark.parametrize("name", [each.name for each in learners(additive=True, multi_label=True)])
def test_every_additive_learner_can_filter(name):
    texts, labels = news(60, 1)
    profiles = DocumentFilter(name).start(texts, wanted(labels))
    texts, labels = news(100, 12)
    profiles.filter(texts[:50], ids(50), labels[:50])
    assert profiles.filter(texts[50:])


def test_empty_documents_are_read_and_never_delivered(profiles):
    assert not profiles.filter(["", None, "\ud800", "\0"], ["1", "2", "3", "4"])
    assert profiles.n_documents_ == 4


@pytest.mark.parametrize(
    ("judgement", "error"),
    [
        (("x", "oil", True), "was never read"),
        (("d0", "coal", True), "There are: grain, oil"),
        (("none", "oil", True), "was read, but not delivered"),
        (("d0", "oil", True), "was not delivered to 'oil', but to grain"),
    ],
)
def test_feedback_on_what_was_not_delivered_is_refused_as_a_whole(
    profiles, tmp_path, judgement, error
):
    found = profiles.filter(["wheat corn harvest farm crop", "bank rates"], ["d0", "none"])
    assert [(each.id, each.profile) for each in found] == [("d0", "grain")]
    before = state(profiles, tmp_path)
    with pytest.raises(UnknownNameError, match=error):
        profiles.feedback([("d0", "grain", True), judgement])
    assert state(profiles, tmp_path) == before


@pytest.mark.parametrize("id", [None, "", " ", float("nan")])
def test_a_missing_id_is_refused_and_nothing_changes(profiles, tmp_path, id):
    before = state(profiles, tmp_path)
    with pytest.raises(InputError, match="has no id"):
        profiles.filter(["wheat", "corn"], ["1", id])
    assert state(profiles, tmp_path) == before


def test_wrong_settings_and_labels_are_refused(profiles):
    with pytest.raises(SettingsError, match="gain"):
        DocumentFilter(gain=0)
    with pytest.raises(SettingsError, match="additive"):
        DocumentFilter("refined")
    # Neither may silently be another model than the one that was requested.
    with pytest.raises(SettingsError, match="per_class"):
        DocumentFilter("poisson(per_class=true)")
    with pytest.raises(SettingsError, match="translation"):
        DocumentFilter("multinomial(smoothing=semantic())")
    with pytest.raises(InputError, match="no profile"):
        DocumentFilter().filter(["wheat"])
    with pytest.raises(LabelError, match="empty"):
        profiles.start(["wheat"], [""])
    with pytest.raises(LabelError, match="1 texts, but 2"):
        profiles.start(["wheat"], ["a", "b"])
    with pytest.raises(InputError, match="True, False or None"):
        profiles.feedback(
            [(each.id, each.profile, "yes") for each in profiles.filter(["oil opec"])]
        )


def test_a_damaged_file_is_refused(profiles, tmp_path):
    packed = state(profiles, tmp_path)
    path = tmp_path / "cut.tally"
    for end in (0, 5, len(packed) // 2, len(packed) - 1):
        path.write_bytes(packed[:end])
        with pytest.raises(FileError):
            DocumentFilter.load(path)
    for at in range(100, len(packed), len(packed) // 40):
        path.write_bytes(packed[:at] + bytes([packed[at] ^ 1]) + packed[at + 1 :])
        with pytest.raises(FileError):
            DocumentFilter.load(path)


DAMAGES = {
    "one score too few": lambda header, records: records["example_scores"][0].update(grain=[]),
    "a score of no profile": lambda header, records: records["rejected"][0].update(none=[1.0]),
    "a score that is no number": lambda header, records: records["rejected"][0].update(grain=["x"]),
    "an example too few": lambda header, records: records["examples"].pop(),
    "an example of no profile": lambda header, records: records["examples"][0][1].append("none"),
    "a profile too few": lambda header, records: records["n_examples"].pop("grain"),
    "a profile that is no text": lambda header, records: header["tally"].update(
        classes=[7, *header["tally"]["classes"][1:]]
    ),
    "a fraction of an example": lambda header, records: header.update(n_scored=0.5),
    "no numbers of documents": lambda header, records: records["windows"][0].update(missed=7),
    "a window of text": lambda header, records: records["windows"][0].update(n_documents="x"),
    "fewer than no documents": lambda header, records: header.update(n_background=-1),
    "a document of text": lambda header, records: header.update(n_background="x"),
    "a probability above one": lambda header, records: records["delivered"][0][
        "probabilities"
    ].update(grain=1.5),
    "a delivery without a text": lambda header, records: records["delivered"][0].update(text=7),
    "a delivery from the future": lambda header, records: records["delivered"][0].update(
        position=10**6
    ),
    "feedback on no delivery": lambda header, records: records["delivered"][0]["relevant"].update(
        none=True
    ),
    "a document that was not read": lambda header, records: records["delivered"][0].update(id="?"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_records_that_contradict_each_other_are_refused(profiles, tmp_path, damage):
    texts, _ = news(60, 2)
    profiles.filter([*texts, "wheat grain harvest tonnes"], ids(61))
    path = tmp_path / "state.tally"
    profiles.save(path)
    arrays, header = load_arrays(path, "filter")
    records = json.loads(arrays["filter.records"].tobytes())
    DAMAGES[damage](header, records)
    packed = np.frombuffer(json.dumps(records).encode(), np.uint8)
    save_arrays(path, {**arrays, "filter.records": packed}, header)
    with pytest.raises(FileError):
        DocumentFilter.load(path)


def test_windows_of_a_long_stream_stay_few(profiles):
    for at in range(200):
        profiles.filter([f"bank rates {at} {each}" for each in range(50)])
    assert len(profiles._windows) <= 64
    assert sum(each.n_documents for each in profiles._windows) == 10_000
    assert profiles.report().ends[-1] == 10_000


def test_the_report_and_the_picture_show_every_profile(profiles, tmp_path):
    texts, labels = news(60, 3)
    profiles.filter(texts, ids(60), labels)
    report = profiles.report()
    assert all(name in str(report) for name in ("grain", "oil", "mean F1"))
    drawing = report.to_svg(tmp_path / "f.svg")
    assert drawing.count('class="profile"') == 4
    assert (tmp_path / "f.svg").read_text() == drawing
    profiles.filter(["bank"])
    assert profiles.report().f1 is None
    assert "need the labels" in str(profiles.report())


def test_the_sigmoid_finds_the_slopes_it_was_sampled_from():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20_000, 2))
    p = 1 / (1 + np.exp(-(2 * scores[:, 0] + 0.5 * scores[:, 1] - 1)))
    slopes, intercept = fit_sigmoid(scores, rng.random(20_000) < p)
    np.testing.assert_allclose([*slopes, intercept], [2, 0.5, -1], atol=0.1)


def test_models_are_weighed_by_feedback():
    texts, labels = news(60, 1)
    both = DocumentFilter(["poisson(weighting=chi, alpha=0.8)", MultinomialNB()]).start(
        texts, wanted(labels)
    )
    both.filter(news(50, 2)[0])
    assert all(len(rule.slopes) == 2 for rule in both._rules().values())
