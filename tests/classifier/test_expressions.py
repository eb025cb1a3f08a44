"""Expressions: what is written is built, what is built is written, and errors show the place."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallytext import MultinomialNB, TextClassifier
from tallytext.classifier import (
    Learner,
    build_estimator,
    format_estimator,
    learners,
    parse_expression,
    register,
    unregister,
)
from tallytext.classifier.expressions import (
    KINDS,
    MAX_LENGTH,
    build_model,
    build_selector,
    complete_expression,
    kinds_of,
)
from tallytext.errors import ExpressionError, SettingsError, UnknownNameError
from tallytext.features import FisherFeatures, L1Selector, TermSelector
from tallytext.models import (
    LLSF,
    AbsoluteDiscount,
    BernoulliNB,
    CosineKNN,
    Laplace,
    LinearDiscriminant,
    PoissonNB,
    RefinedNB,
    RotationForest,
    Unsmoothed,
)

MODELS = {
    "multinomial(smoothing=discount(b=leave-one-out, background=unigram), normalize=l1)": (
        MultinomialNB(AbsoluteDiscount("leave-one-out"), normalize="l1")
    ),
    "multinomial(laplace(1))": MultinomialNB(Laplace(1.0)),
    "multinomial(smoothing=laplace)": MultinomialNB(Laplace()),
    "multinomial(smoothing=none)": MultinomialNB(Unsmoothed()),
    "contrast(smoothing=laplace(0.3))": MultinomialNB(Laplace(0.3), complement=True),
    "complement": MultinomialNB(Laplace(0.3), complement="only"),
    "chi-contrast(weight_power=0.5)": MultinomialNB.chi_contrast(weight_power=0.5),
    "bernoulli(gamma=1)": BernoulliNB(1.0),
    "poisson(weighting=chi, alpha=0.8)": PoissonNB(0.8, weighting="chi"),
    "poisson(per_class=true)": PoissonNB(per_class=True),
    "refined(nb=multinomial(laplace(2)), cost=0.5)": RefinedNB(0.5, nb=MultinomialNB(Laplace(2.0))),
    "knn(k=45, weights=ltc)": CosineKNN(45, "ltc"),
    "neighbours(45)": CosineKNN(45),
    "llsf(singular_values=150)": LLSF("svd", 150),
    "llsf(alpha=2)": LLSF(alpha=2.0),
    "rotation(members=20)": RotationForest(20),
    "discriminant(features=fisher(n_components=5))": LinearDiscriminant(FisherFeatures(5)),
}
SELECTORS = {
    "chi(average=avg, keep=0.02, nonempty=true)": TermSelector(
        "chi", average="avg", keep=0.02, nonempty=True
    ),
    "ig(keep=2000)": TermSelector("ig", k=2000, nonempty=True),
    "df(k=10, nonempty=false)": TermSelector("df", k=10),
    "ts": TermSelector("ts", nonempty=True),
    "chi:0.02": TermSelector("chi", keep=0.02, nonempty=True),
    "mi:30": TermSelector("mi", k=30, nonempty=True),
    "l1(strength=2)": L1Selector(l1_lambda=2),
}


def parameters(estimator):
    """The parameters of an estimator, with those of its parts."""
    if not hasattr(estimator, "get_params"):
        return repr(estimator)
    found = {name: parameters(v) for name, v in estimator.get_params(deep=False).items()}
    return type(estimator), found


@pytest.mark.parametrize("text", MODELS)
def test_an_expression_is_the_model_that_it_describes(text):
    made = build_estimator(text)
    assert parameters(made) == parameters(MODELS[text])
    assert parameters(build_estimator(format_estimator(made))) == parameters(made)


@pytest.mark.parametrize("text", SELECTORS)
def test_an_expression_is_the_selector_that_it_describes(text):
    made = build_selector(text)
    assert parameters(made) == parameters(SELECTORS[text])
    assert parameters(build_selector(format_estimator(made))) == parameters(made)


@pytest.mark.parametrize("learner", learners(), ids=lambda learner: learner.name)
def test_the_name_of_a_learner_is_its_default_setting(learner):
    made, default = build_estimator(learner.name), learner.default()
    assert parameters(made) == parameters(default)
    assert format_estimator(default) == learner.name
    assert build_model(f"{learner.name}()")[0] is learner


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_table_knows_every_parameter_of_the_classes(kind):
    hidden = {"multi_label", "n_jobs", "verbose", "estimator", "anchor"}
    of_class = [name for name in inspect.signature(kind.load()).parameters if name not in hidden]
    listed = [name for name in of_class if name in kind.parameters]
    assert list(kind.parameters) == listed  # also in the same order, for values without a name
    without = set(of_class) - set(listed)
    is_label_free = kind.name in ("df", "ts")
    assert without == {*kind.fixed, *({"average", "labels"} if is_label_free else ())}
    assert {*kind.defaults, *kind.nested, *kind.aliases.values()} <= {*kind.parameters}
    for value in kind.default_values().values():
        assert value is not inspect.Parameter.empty


def words(kind):
    """Values of the parameters of a smoothing."""
    numbers = st.floats(0.01, 1)
    return {
        "laplace": {"epsilon": st.floats(1e-6, 1e6)},
        "background": {"alpha": numbers},
        "dirichlet": {"m": st.one_of(st.none(), st.floats(0.1, 1e4))},
        "discount": {
            "b": st.one_of(numbers, st.sampled_from(["closed-form", "leave-one-out"])),
            "scheme": st.sampled_from(["interpolate", "backoff"]),
            "literal": st.booleans(),
        },
        "none": {},
    }[kind]


@st.composite
def multinomials(draw):
    name = draw(st.sampled_from(["laplace", "background", "dirichlet", "discount", "none"]))
    kind = kinds_of("smoothing")[name]
    smoothing = kind.load()(**draw(st.fixed_dictionaries({}, optional=words(name))))
    return MultinomialNB(
        smoothing,
        tf=draw(st.sampled_from(["raw", "log", "binary"])),
        normalize=draw(st.sampled_from([None, "l1", "l2"])),
        complement=draw(st.sampled_from([False, True, "only"])),
        weighting=draw(
            st.sampled_from([None, "ig", "chi", "a b", 'say "x"', "\\", "true", "1", ""])
        ),
        weight_power=draw(st.floats(0, 10)),
        length_model=draw(st.booleans()),
    )


@given(multinomials())
def test_what_is_written_down_is_built_again(model):
    written = format_estimator(model)
    call = parse_expression(written)
    assert parse_expression(f" {written} ").named == call.named
    if model.weighting in (None, "ig", "chi"):
        assert parameters(build_estimator(written)) == parameters(model)
    elif "weighting" in call.named:
        assert call.named["weighting"] == model.weighting


PIECES = [*"()[],='\" .-+e5\n\\", "true", "none", "1e9", *kinds_of("model"), *kinds_of("smoothing")]
PIECES += ["smoothing=", "k=", "b=", "alpha=", "weights", "keep="]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_is_built_or_refused_with_a_reason(text):
    for category in ("model", "selector"):
        try:
            build_estimator(text, category)
        except ExpressionError as problem:
            assert str(problem).splitlines()[-1].endswith("^")
        assert all(each.startswith(text[:0]) for each in complete_expression(text, category))


def place_of(problem):
    """The text from the caret on."""
    _, line, caret = str(problem.value).splitlines()
    return line[caret.index("^") :]


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("poisson(alhpa=1)", "poisson has no parameter 'alhpa'. Did you mean 'alpha'?", "alhpa=1)"),
        ("multinomial(smoothing=laplce(1))", "Did you mean 'laplace'?", "laplce(1))"),
        ("poisson(alpha=", "a value is missing", ""),
        ("poisson(alpha=1", "a comma or ')' is missing", ""),
        ("poisson(alpha=1, alpha=2)", "alpha is given twice", "alpha=2)"),
        ("knn(weights=ltc, weighting=ltc)", "weighting is given twice", "weighting=ltc)"),
        ("knn(5, k=5)", "k is given twice", "k=5)"),
        ("knn(1, lnc, 3)", "has fewer parameters: k, weighting", "knn(1, lnc, 3)"),
        ("poisson(alpha=1, chi)", "with a name must follow", "chi)"),
        ("poisson(weighting=chi, alpha=-1)", "alpha must be a number from 0 to 1", "alpha=-1)"),
        ("poisson(alpha=laplace(1))", "alpha of poisson cannot be an expression", "laplace(1))"),
        ("multinomial(smoothing=3)", "smoothing of multinomial is an expression", "smoothing=3)"),
        ("poisson(1) x", "the expression ends before this", "x"),
        ("", "a name is missing", ""),
        ("(1)", "a name must stand here", "(1)"),
        ("knn(k='5)", "this string does not end", "'5)"),
        ("knn(k=" + "9" * 500 + ")", "too many digits", "9" * 30),
        ("multinomial(" * 30, "nested more than 16 deep", "multinomial(multinomial(multin"),
        (
            "multinomial(smoothing=semantic(translation=no.translation))",
            "there is no file 'no.translation'. The command 'tally translate learn'",
            "translation=no.translation))"[:30],
        ),
    ],
)
def test_an_error_shows_the_place_and_the_reason(text, reason, place):
    with pytest.raises(ExpressionError) as problem:
        build_estimator(text)
    assert reason in str(problem.value)
    assert place_of(problem) == place
    assert isinstance(problem.value, SettingsError)


def test_texts_have_a_limit():
    with pytest.raises(ExpressionError, match="at most 10,000 characters"):
        parse_expression("a" * (MAX_LENGTH + 1))


def test_strings_and_lists_are_values():
    call = parse_expression("""x("a, b", 'c\\'d', [1, [true, none], .5], e=-2e3, f=a-b.c)""")
    assert call.positional == ("a, b", "c'd", [1, [True, None], 0.5])
    assert call.named == {"e": -2000.0, "f": "a-b.c"}


@pytest.mark.parametrize(
    "estimator",
    [MultinomialNB(prior={"sea": 1.0}), TextClassifier(), MultinomialNB(prior_beta=float("inf"))],
    ids=["mapping", "other class", "infinite"],
)
def test_what_cannot_be_written_is_refused(estimator):
    with pytest.raises(ExpressionError, match="cannot be written"):
        format_estimator(estimator)


def test_a_registered_learner_can_have_parameters():
    register(Learner("own", "a learner of the user", MultinomialNB))
    try:
        learner, model = build_model("own(tf=log)")
        assert learner.name == "own"
        assert model.tf == "log"
        with pytest.raises(ExpressionError, match="unexpected keyword argument 'tg'"):
            build_model("own(tg=log)")
        with pytest.raises(ExpressionError, match="name the parameters"):
            build_model("own(1)")
    finally:
        unregister("own")
    with pytest.raises(UnknownNameError, match="there is no model 'own'"):
        build_model("own")
    with pytest.raises(ExpressionError, match="there is no model 'own'"):
        build_model("own(tf=log)")


@pytest.mark.parametrize(
    ("text", "category", "found"),
    [
        ("", "selector", ["ig", "chi", "mi", "prr", "df", "ts", "l1"]),
        ("multi", "model", ["multinomial"]),
        ("knn(", "model", ["knn(k=", "knn(weighting=", "knn(weights="]),
        ("poisson(1, we", "model", ["poisson(1, weighting=", "poisson(1, weight_power="]),
        ("multinomial(smoothing=la", "model", ["multinomial(smoothing=laplace"]),
        ("multinomial(smoothing=laplace(", "model", ["multinomial(smoothing=laplace(epsilon="]),
        ("multinomial(smoothing=laplace(1), no", "model", [
            "multinomial(smoothing=laplace(1), normalize=",
            "multinomial(smoothing=laplace(1), norm_length=",
        ]),
        ("nothing(", "model", []),
    ],
)  # fmt: skip
def test_completion_knows_names_and_parameters(text, category, found):
    assert complete_expression(text, category) == found


def test_completion_does_not_import_numpy():
    script = (
        "import sys; from tallytext.classifier.expressions import complete_expression;"
        "complete_expression('multinomial(smoothing='); sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def table_row(kind):
    """The row of a kind in docs/expressions.md."""
    names = " or ".join(f"`{name}`" for name in (kind.name, *kind.other_names))
    shown = []
    for name in kind.parameters:
        aliases = [alias for alias, own in kind.aliases.items() if own == name]
        default = kind.defaults.get(name)
        value = str(default).lower() if isinstance(default, bool) else default
        words = " or ".join(f"`{each}`" for each in (name, *aliases))
        shown.append(words if default is None else f"{words} (`{value}`)")
    return f"| {names} | `{kind.class_name}` | {', '.join(shown) or '-'} |"


def test_the_page_lists_every_name_with_its_parameters():
    page = (Path(__file__).parents[2] / "docs" / "expressions.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert rows == [table_row(kind) for kind in KINDS]
