"""Every system of the sources is one command on a CSV file, and answers as its estimator does."""

import json

import numpy as np
import pytest

from commands import json_of, run, succeed, write_csv
from tallytext import MultinomialNB, TextClassifier
from tallytext.features import FisherFeatures, L1Selector, TermSelector
from tallytext.models import (
    LLSF,
    AbsoluteDiscount,
    Background,
    CosineKNN,
    Dirichlet,
    Laplace,
    LinearDiscriminant,
    PoissonNB,
    RefinedNB,
    RotationForest,
    Unsmoothed,
)

TOPICS = {
    "sea": "wave salt ship tide sail harbour fish storm",
    "sky": "cloud blue wind bird star rain storm moon",
    "town": "street house shop train park bridge market rain",
}


def documents(n, seed):
    """Texts of a few words of a topic among common ones, with their topics."""
    random = np.random.default_rng(seed)
    common, names = ["the", "of", "and", "in", "to", "it", "was", "for"], [*TOPICS]
    found = []
    for at in range(n):
        own, other = TOPICS[names[at % 3]].split(), TOPICS[names[(at + 1) % 3]].split()
        words = [*random.choice(own, 4), *random.choice(other, 1), *random.choice(common, 4)]
        found.append((" ".join(words), names[at % 3]))
    return found


TRAINING, NEW = documents(60, 0), documents(24, 1)

SMOOTHINGS = {
    "none": Unsmoothed(),
    "laplace(0.5)": Laplace(0.5),
    "background(0.3)": Background(0.3),
    "dirichlet(50)": Dirichlet(50.0),
    **{
        f"discount(b={b}{more})": AbsoluteDiscount(b, **parameters)
        for b in (0.7, "closed-form", "leave-one-out", "leave-one-document-out")
        for more, parameters in {
            "": {},
            ", background=uniform": {"background": "uniform"},
            ", scheme=backoff": {"scheme": "backoff"},
        }.items()
    },
}
KNN, SVD = CosineKNN(7), LLSF("svd", 10)

#: Options of ``tally train``, the same as Python objects, and what ``info`` shows.
ROWS = [
    *(
        (["--model", f"multinomial(smoothing={text})"], MultinomialNB(smoothing), None)
        for text, smoothing in SMOOTHINGS.items()
    ),
    (
        ["--model", "multinomial(smoothing=discount(b=leave-one-out), normalize=l1)"],
        MultinomialNB(AbsoluteDiscount("leave-one-out"), normalize="l1"),
        None,
    ),
    *(
        (["--model", f"poisson(weighting={text}, alpha=0.6)"], PoissonNB(0.6, weighting=name), None)
        for text, name in {"none": None, "ig": "ig", "chi": "chi", "prr": "prr"}.items()
    ),
    (["--model", "poisson(per_class=true)"], PoissonNB(per_class=True), None),
    *(
        (
            ["--model", model, "--select", f"{score}(keep=0.4)"],
            estimator,
            TermSelector(score, keep=0.4, nonempty=True),
        )
        for score in ("df", "ig", "mi", "chi", "ts")
        for model, estimator in (("knn(k=7)", KNN), ("llsf(singular_values=10)", SVD))
    ),
    (["--model", "refined", "--select", "l1(strength=2)"], RefinedNB(), L1Selector(l1_lambda=2)),
    (["--model", "rotation(members=5, n_components=4)"], RotationForest(5, n_components=4), None),
    (
        ["--features", "fisher(n_components=2, n_lsa=10)"],
        LinearDiscriminant(FisherFeatures(2, 10)),
        None,
    ),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("expressions")
    return write_csv(folder / "train.csv", TRAINING), write_csv(folder / "new.csv", NEW)


@pytest.mark.parametrize(("options", "model", "select"), ROWS, ids=lambda each: str(each)[:60])
def test_a_system_is_one_command(options, model, select, files, tmp_path):
    source, new = files
    saved = tmp_path / "model.tally"
    succeed("train", source, "-o", saved, "--quiet", *options)
    answers = succeed("predict", saved, new, "--top", 3).stdout.splitlines()
    found = [json.loads(line) for line in answers]
    vectorizer = TextClassifier.load(saved).vectorizer_
    vectorizer = type(vectorizer)(**vectorizer.get_params())
    clf = TextClassifier(model, vectorizer=vectorizer, select=select).fit(
        *zip(*TRAINING, strict=True)
    )
    texts = [text for text, _ in NEW]
    assert [each["label"] for each in found] == clf.predict(texts).tolist()
    expected = np.sort(clf.predict_proba(texts), axis=1)[:, ::-1]
    top = [[each["probability"] for each in row["top"]] for row in found]
    np.testing.assert_allclose(top, expected, rtol=1e-6, atol=1e-9)
    assert (
        np.mean([label == each["label"] for (_, label), each in zip(NEW, found, strict=True)]) > 0.6
    )
    # What info shows is an expression that trains the same model.
    shown = json_of("info", saved)
    setting = shown["setting"].partition(" on ")[0]
    again = ["--model", setting, *(["--select", shown["select"]] if shown["select"] else [])]
    succeed("train", source, "-o", tmp_path / "again.tally", "--quiet", *again)
    assert (
        succeed("predict", tmp_path / "again.tally", new, "--top", 3).stdout.splitlines() == answers
    )
    assert setting in succeed("info", saved, "-v").stdout


def test_l1_needs_documents(files, tmp_path):
    result = run("train", files[0], "-o", tmp_path / "m", "--select", "l1(strength=2)")
    assert result.exit_code == 1
    assert "selects terms by documents" in result.stderr


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--model", "poisson(alhpa=1)"], "Did you mean 'alpha'?"),
        (["--select", "chi(kep=0.1)"], "Did you mean 'keep'?"),
        (["--features", "fischer"], "Did you mean 'fisher'?"),
        (["--model", "knn(k=3)", "--features", "fisher"], "Leave out one of the two options"),
        (["--model", "multinomial(smoothing=semantic(translation=x.t))"], "tally translate learn"),
    ],
)
def test_a_wrong_expression_is_refused_and_nothing_is_written(options, problem, files, tmp_path):
    result = run("train", files[0], "-o", tmp_path / "m", *options)
    assert result.exit_code == 2
    assert problem in " ".join(result.stderr.replace("│", "").split())
    assert not (tmp_path / "m").exists()


def test_an_error_points_at_the_place(files, tmp_path):
    result = run("train", files[0], "-o", tmp_path / "m", "--model", "poisson(alhpa=1)")
    *_, line, caret = result.stderr.rstrip().splitlines()
    assert line[caret.index("^") :] == "alhpa=1)"


def test_the_file_shows_the_expression(files, tmp_path):
    saved = tmp_path / "m.tally"
    succeed("train", files[0], "-o", saved, "--quiet", "--model", "multinomial(laplace(2))")
    assert rb"\"expression\": \"multinomial(smoothing=laplace(epsilon=2.0))\"" in saved.read_bytes()


#: What the rows of a translation are of: options of ``tally translate learn``, or None where the
#: classifier learns the translation itself.
TRANSLATIONS = {
    "words": ["--signatures", "words"],
    "phrases": ["--phrases", "npmi"],
    "concepts": ["--signatures", "concepts", "--concepts", "concepts.tsv"],
    "mixture": ["--signatures", "words+phrases", "--concepts", "concepts.tsv"],
    "another corpus": ["--signatures", "words", "--min-df", "2"],
    "own words": None,
    "own phrases": None,
}


@pytest.mark.parametrize("kind", TRANSLATIONS)
def test_semantic_smoothing_is_one_command_more(kind, tmp_path):
    few = [(f"{text} big ship", label) for text, label in TRAINING[:6]]
    source, new = write_csv(tmp_path / "few.csv", few), write_csv(tmp_path / "new.csv", NEW)
    texts = documents(90, 5 if kind == "another corpus" else 0)
    corpus = write_csv(
        tmp_path / "corpus.csv", [(f"{text} big ship of sea", label) for text, label in texts]
    )
    (tmp_path / "concepts.tsv").write_text("wave\twater\ntide\twater\nbird\tanimal\n", "utf-8")
    learned, model = tmp_path / "corpus.translation", tmp_path / "m.tally"
    options = TRANSLATIONS[kind]
    if options is None:
        name = f"semantic(signatures={kind.removeprefix('own ')}, weight=0.5)"
    else:
        options = [str(tmp_path / each) if each.endswith(".tsv") else each for each in options]
        succeed("translate", "learn", corpus, "--text", "text", "-o", learned, "--quiet", *options)
        name = f'semantic(translation="{learned}", weight=0.5)'
    pool = ["--unlabelled", corpus] if options is None else []
    expression = f"multinomial(smoothing={name})"
    succeed("train", source, "-o", model, "--quiet", "--model", expression, *pool)
    plain = tmp_path / "plain.tally"
    succeed("train", source, "-o", plain, "--quiet", "--model", "multinomial")
    texts = [text for text, _ in NEW]
    semantic, bare = TextClassifier.load(model), TextClassifier.load(plain)
    assert json_of("evaluate", model, new)["accuracy"] > 0.5
    # It is not background smoothing under another name.
    assert not np.allclose(semantic.scores(texts), bare.scores(texts))
    succeed("learn", model, new)
    succeed("forget", model, new)
    np.testing.assert_array_equal(TextClassifier.load(model).scores(texts), semantic.scores(texts))
