"""Predicting does without scikit-learn, and with scikit-learn every estimator is one of its own."""

import json
import re
import subprocess
import sys

import pytest

TEXTS = ["win money now", "free prize money", "lunch at noon", "the report of the meeting"] * 5
LABELS = ["spam", "spam", "ham", "ham"] * 5

HEAVY = {"sklearn", "pandas", "pyarrow", "scipy.stats", "joblib"}

MODELS = {
    "default": 'TextClassifier(model="auto")',
    "refined": 'TextClassifier(model="refined")',
    "multinomial": 'TextClassifier(model="multinomial")',
}

ESTIMATORS = """
import tallytext
names = ["TextClassifier", "TextVectorizer", "MultinomialNB", "RefinedNB", "PooledNB", "LLSF",
         "CosineKNN", "RotationForest", "TermSelector", "L1Selector", "SmartWeighting",
         "FisherFeatures", "Calibrated"]
classes = [getattr(tallytext, name) for name in names]
class Own(tallytext.TextClassifier):
    def score(self, X, y, sample_weight=None):
        return 2 * super().score(X, y, sample_weight)
classes.append(Own)
"""

# What scikit-learn makes of each class, for both orders of import.
DESCRIBE = """
import inspect, json
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.utils import get_tags
found = {}
for cls in classes:
    model = cls(tallytext.MultinomialNB()) if cls.__name__ == "Calibrated" else cls()
    assert isinstance(model, BaseEstimator) and issubclass(cls, BaseEstimator)
    assert isinstance(clone(model), cls)
    requests = {name: str(inspect.signature(getattr(cls, name)))
                for name in dir(cls) if name.startswith("set_") and name.endswith("_request")}
    found[cls.__name__] = [
        isinstance(model, ClassifierMixin), isinstance(model, TransformerMixin), requests,
        repr(model), str(get_tags(model)), hasattr(model, "set_output"),
        sorted(getattr(cls, "_sklearn_auto_wrap_output_keys", ())),
        [base.__name__ for base in cls.__mro__],
        hasattr(vars(cls).get("transform"), "__wrapped__"),
    ]
print(json.dumps(found))
"""


def run(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def modules_of(*command):
    """The modules that a command imports."""
    program = [sys.executable, "-X", "importtime", "-m", "tallytext", *map(str, command)]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"^import time:[ \d]+\|[ \d]+\| +(\S+)$", done.stderr, re.MULTILINE))


@pytest.fixture(scope="module", params=MODELS)
def model_file(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / f"{request.param}.tally"
    code = f"from tallytext import TextClassifier; {MODELS[request.param]}"
    run(f"import sys; {code}.fit({TEXTS}, {LABELS}).save(sys.argv[1])", path)
    return path


@pytest.mark.parametrize("command", ["predict", "explain", "info", "learn"])
def test_commands_on_one_text_import_neither_scikit_learn_nor_pandas_nor_pyarrow(
    model_file, command, tmp_path
):
    text = tmp_path / "one.jsonl"
    text.write_text(json.dumps({"text": "win a prize", "label": "spam"}) + "\n")
    copy = tmp_path / "copy.tally"
    copy.write_bytes(model_file.read_bytes())
    arguments = {"predict": [text], "explain": ["win a prize"], "info": [], "learn": [text]}
    modules = modules_of(command, copy, *arguments[command])
    assert "tallytext.classifier.model_file" in modules
    assert modules & HEAVY == set()


def test_every_estimator_is_one_of_scikit_learn_in_either_order_of_import():
    assert run(f"{ESTIMATORS}\n{DESCRIBE}") == run(f"import sklearn\n{ESTIMATORS}\n{DESCRIBE}")


def test_importing_the_estimators_does_not_import_scikit_learn():
    assert run(f"{ESTIMATORS}\nimport sys; print('sklearn' in sys.modules)") == "False\n"


def test_a_model_that_is_made_before_scikit_learn_is_imported_is_an_estimator_afterwards():
    run(f"""
import pickle
from tallytext import TextClassifier
early = TextClassifier(model="multinomial").fit({TEXTS}, {LABELS})
loaded = pickle.loads(pickle.dumps(early))
import sklearn.base
from sklearn.pipeline import make_pipeline
assert isinstance(early, sklearn.base.ClassifierMixin)
assert sklearn.base.is_classifier(loaded)
assert make_pipeline(loaded).predict({TEXTS}).tolist() == {LABELS}
""")


@pytest.mark.parametrize(
    "use",
    [
        "repr(model)",
        "model._repr_html_()",
        "model._repr_mimebundle_()",
        "model.score(TEXTS, LABELS)",
        "model.get_metadata_routing()",
        "model.__sklearn_tags__()",
        "model.set_params(model='poisson')",
        "sorted(model.get_params())",
        "'set_fit_request' in dir(model)",
        "vars(selector.set_output(transform='default'))",
        "selector.fit_transform([[2, 1, 0], [0, 1, 2]], ['X', 'Y']).tolist()",
        "hasattr(TextVectorizer(), 'set_output')",
        "nested.set_params(estimator__weight_power=0.5)",
    ],
)
def test_methods_of_scikit_learn_give_the_same_before_it_is_imported(use):
    body = f"""
from tallytext import Calibrated, MultinomialNB, TermSelector, TextClassifier, TextVectorizer
TEXTS, LABELS = {TEXTS}, {LABELS}
model = TextClassifier(model="multinomial")
if "score" in {use!r}:
    model.fit(TEXTS, LABELS)
selector, nested = TermSelector(k=1), Calibrated(MultinomialNB())
import re
print(re.sub("0x[0-9a-f]+|-id-[0-9]+", "", str({use})))
"""
    assert run(body) == run(f"import sklearn.base\n{body}")


def test_an_unfitted_model_raises_the_error_of_scikit_learn():
    out = run("""
from tallytext import TextClassifier, TextVectorizer
for use in (lambda: TextClassifier().predict(["a"]), lambda: TextVectorizer().transform(["a"])):
    try:
        use()
    except Exception as problem:
        from sklearn.exceptions import NotFittedError
        print(type(problem) is NotFittedError)
""")
    assert out == "True\nTrue\n"


def test_the_import_hook_removes_itself():
    run("""
import sys
before = [*sys.meta_path]
import tallytext._estimators
assert len(sys.meta_path) == len(before) + 1
import sklearn
assert sys.meta_path == before
""")
