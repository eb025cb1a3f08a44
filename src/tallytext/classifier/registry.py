"""Registry of the learners that a classifier can use, with their settings and abilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import Any, Literal, Self, TypeAlias

from tallytext.errors import UnknownModelError, did_you_mean


@dataclass(frozen=True)
class Features:
    """A kind of terms to count in texts.

    Attributes
    ----------
    name : str
        Key of :data:`FEATURES`.
    summary : str
        Description of the terms, to be read after "on".
    vectorizer : mapping
        Parameters of a :class:`~tallytext.TextVectorizer`.
    max_words : float or None
        Longest documents, in words on average, for which these features are counted.
    """

    name: str
    summary: str
    vectorizer: Mapping[str, Any]
    max_words: float | None = None


_ALL = (
    Features("words", "words", {"hangul": "words+bigrams"}),
    Features("all words", "words, short ones too", {"hangul": "words+bigrams", "min_length": 1}),
    Features(
        "trigrams",
        "words and strings of three characters",
        {"hangul": "words+bigrams", "min_length": 1, "chars": (3, 3)},
        max_words=50.0,
    ),
    Features("pairs", "words and pairs of words", {"ngram_range": (1, 2), "min_length": 1}),
    Features(
        "characters",
        "words, pairs of words and strings of characters",
        {"ngram_range": (1, 2), "min_length": 1, "chars": (2, 4)},
        max_words=80.0,
    ),
)

#: Features by name, those with the fewest terms first.
FEATURES = {each.name: each for each in _ALL}

#: Name of the features of a vectorizer that the user gave.
GIVEN_FEATURES = "given"

Setting: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Learner:
    """A kind of model, its name and the settings that model selection compares.

    Attributes
    ----------
    name : str
        Value of ``TextClassifier(model=...)`` and of ``--model``.
    summary : str
        One line for help texts and documentation.
    title : str
        The name in words, for reports; the name itself if empty.
    make : callable
        Returns an unfitted model, given the parameters of a setting.
    settings : tuple of mappings
        Settings to compare; the default comes first.
    additive : bool
        True if the model is a function of a tally, so that it can learn, forget and merge.
    multi_label : bool
        True if documents may have several labels.
    needs_documents : bool
        True if the model is trained on documents and not on their sums.
    validation : {"subtraction", "refitting", "self"}
        How documents are held out to score the model: subtract them from the tally, refit the
        model without them, or call the model's own ``out_of_sample_scores``.
    dense : bool
        True if every word is weighed for every class, which is slow if both are many.
    features : tuple of str
        Names of the features to compare, keys of ``tallytext.classifier.registry.FEATURES``; the
        default comes first.
    automatic : bool or "multi-label"
        True if ``model="auto"`` compares this learner; "multi-label" if only where documents may
        have several labels.
    incremental : bool
        True if the model can learn and forget single documents although it is not additive.
    max_weights : int or None
        Largest number of weights, for pairs of a class and a word or a document, up to which
        ``model="auto"`` compares this learner.
    unlabelled : bool
        True if it also learns from documents without labels (semi-supervised).

    Examples
    --------
    >>> from tallytext.classifier import find_learner
    >>> find_learner("multinomial").default()
    MultinomialNB(smoothing=Background(alpha=0.5))
    """

    name: str
    summary: str
    make: Callable[..., Any]
    settings: tuple[Setting, ...] = ({},)
    additive: bool = True
    multi_label: bool = True
    needs_documents: bool = False
    validation: Literal["subtraction", "refitting", "self"] = "subtraction"
    dense: bool = False
    features: tuple[str, ...] = ("words",)
    automatic: bool | Literal["multi-label"] = True
    incremental: bool = False
    max_weights: int | None = None
    unlabelled: bool = False
    title: str = ""

    def __post_init__(self) -> None:
        if not self.settings:
            raise ValueError(f"the learner {self.name!r} has no setting: give at least ({{}},).")
        if not self.features or not {*self.features} <= {*FEATURES}:
            raise ValueError(
                f"{self.name!r}: features must be some of {', '.join(FEATURES)}, not "
                f"{self.features!r}."
            )
        if self.additive and (self.needs_documents or self.validation != "subtraction"):
            raise ValueError(
                f"{self.name!r}: an additive learner is validated by subtraction and needs no "
                "documents. Pass additive=False."
            )

    @classmethod
    def document_trained(
        cls, name: str, summary: str, make: Callable[..., Any], **fields: Any
    ) -> Self:
        """Return a learner that is trained on documents and refitted for each fold.

        Parameters
        ----------
        name, summary, make
            As in :class:`Learner`.
        **fields : Any
            Other fields of :class:`Learner`.
        """
        given: dict[str, Any] = {"validation": "refitting", **fields}
        return cls(name, summary, make, additive=False, needs_documents=True, **given)

    @classmethod
    def semi_supervised(
        cls, name: str, summary: str, make: Callable[..., Any], **fields: Any
    ) -> Self:
        """Return a learner that also uses unlabelled documents and cross-validates itself.

        Parameters
        ----------
        name, summary, make
            As in :class:`Learner`.
        **fields : Any
            Other fields of :class:`Learner`.
        """
        given: dict[str, Any] = {"validation": "self", "multi_label": False, **fields}
        return cls.document_trained(name, summary, make, unlabelled=True, **given)

    def default(self) -> Any:
        """Return an unfitted model with the default setting."""
        return self.make(**self.settings[0])

    def models(self) -> list[Any]:
        """Return an unfitted model for each setting."""
        return [self.make(**setting) for setting in self.settings]


# Model selection, help texts, completion and the documentation all read this one mapping.
_LEARNERS: dict[str, Learner] = {}

ModelName: TypeAlias = Literal[
    "auto",
    "best",
    "additive",
    "chi-contrast",
    "contrast",
    "complement",
    "multinomial",
    "bernoulli",
    "poisson",
    "refined",
    "neighbours",
    "llsf",
    "rotation",
    "discriminant",
    "pooled",
]
"""Names for ``TextClassifier(model=...)``: those of the choices and of all learners here."""

CHOICES = ("auto", "best", "additive")
"""Values of ``model=`` that compare learners, so that no learner can have these names."""


def register(learner: Learner) -> Learner:
    """Register a learner under its name, replacing any learner with that name.

    Parameters
    ----------
    learner : Learner

    Returns
    -------
    Learner
        The learner itself.
    """
    if learner.name in CHOICES:
        raise ValueError(f"{learner.name!r} cannot be the name of a learner: it compares learners.")
    _LEARNERS[learner.name] = learner
    return learner


def unregister(name: str) -> None:
    """Remove a learner from the registry.

    Parameters
    ----------
    name : str
        The name it was registered under.
    """
    del _LEARNERS[find_learner(name).name]


def learners(
    *, additive: bool | None = None, multi_label: bool = False, unlabelled: bool = False
) -> list[Learner]:
    """Return the registered learners, filtered by ability.

    Parameters
    ----------
    additive : bool, default=None
        True: only additive learners; False: only others; None: all.
    multi_label : bool, default=False
        True: only learners for documents with several labels.
    unlabelled : bool, default=False
        True: only learners that use documents without labels.

    Examples
    --------
    >>> [learner.name for learner in learners(additive=True)][:2]
    ['chi-contrast', 'contrast']
    """
    return [
        learner
        for learner in _LEARNERS.values()
        if (additive is None or learner.additive == additive)
        and (learner.multi_label or not multi_label)
        and (learner.unlabelled or not unlabelled)
    ]


def is_learner(name: str) -> bool:
    """Return True if a learner is registered under a name."""
    return name in _LEARNERS


def find_learner(name: str) -> Learner:
    """Return the learner with a name.

    Parameters
    ----------
    name : str
        The name it was registered under.

    Raises
    ------
    UnknownModelError
        If there is no such learner; the message lists the names.
    """
    if name not in _LEARNERS:
        known = [*CHOICES, *_LEARNERS]
        raise UnknownModelError(
            f"there is no model {name!r}.{did_you_mean(name, known)} There are: {', '.join(known)}."
        )
    return _LEARNERS[name]


_SMOOTHING_MODULES = {"AbsoluteDiscount": "discounting", "Background": "base", "Laplace": "base"}


def _make_model(path: str, **setting: Any) -> Any:
    """Return an unfitted model of the class at a path below ``tallytext.models``.

    Models are imported when one is made, because the command line lists the learners in its help
    and must start fast.
    """
    module, _, name = path.partition(":")
    if "smoothing" in setting:
        kind, *numbers = setting["smoothing"]
        smoothing = import_module(f"tallytext.models.smoothing.{_SMOOTHING_MODULES[kind]}")
        setting["smoothing"] = getattr(smoothing, kind)(*numbers)
    return attrgetter(name)(import_module(f"tallytext.models.{module}"))(**setting)


_multinomial = partial(_make_model, "multinomial:MultinomialNB")


# The naive Bayes family. The settings are those that did best on many corpora.

register(
    Learner(
        name="chi-contrast",
        summary="each class against its complement, chi-square word weights; best with many labels",
        title="chi-square weighted one-versus-rest naive Bayes",
        make=partial(_make_model, "multinomial:MultinomialNB.chi_contrast"),
        settings=(
            {},
            {"smoothing": ("Laplace", 0.03)},
            {"weight_power": 0.5},
            {"normalize": None, "weight_power": 0.25},
        ),
    )
)
register(
    Learner(
        name="contrast",
        summary="each class against its complement, without word weights",
        title="one-versus-rest naive Bayes",
        make=_multinomial,
        settings=tuple(
            {"smoothing": ("Laplace", epsilon), "complement": True}
            for epsilon in (0.1, 0.3, 1.0, 0.03)
        ),
    )
)
register(
    Learner(
        name="complement",
        summary="the complement of each class only (Rennie et al.)",
        title="complement naive Bayes",
        make=_multinomial,
        settings=tuple(
            {"smoothing": ("Laplace", epsilon), "complement": "only"} for epsilon in (0.3, 1.0)
        ),
    )
)
register(
    Learner(
        name="multinomial",
        summary="bag of words, smoothed by the whole corpus",
        title="multinomial naive Bayes",
        make=_multinomial,
        settings=({"smoothing": ("Background", 0.5)}, {"smoothing": ("AbsoluteDiscount",)}),
    )
)
register(
    Learner(
        name="bernoulli",
        summary="presence and absence of words; for short texts",
        title="Bernoulli naive Bayes",
        make=partial(_make_model, "bernoulli:BernoulliNB"),
        settings=({"gamma": 0.1},),
    )
)
register(
    Learner(
        name="poisson",
        summary="mean word frequencies, documents weighted equally; made for several labels",
        title="Poisson naive Bayes",
        make=partial(_make_model, "poisson:PoissonNB"),
        settings=({}, {"weighting": "prr"}, {"weighting": "chi"}),
        dense=True,
    )
)


# Learners that are trained on documents. "auto" compares those that can learn and forget: the
# refined naive Bayes model and, where documents may have several labels, neighbours. With documents
# without labels, the semi-supervised learners are compared, too.

# Weights of four bytes, in one gigabyte of memory.
_MAX_WEIGHTS = 1 << 28
# Solving for more classes takes minutes.
_MAX_LLSF_WEIGHTS = 1 << 24
# PooledNB holds about eleven tables of words by classes at a time: 6 GiB for this many weights.
_MAX_POOLED_WEIGHTS = 1 << 26


register(
    Learner.document_trained(
        name="refined",
        summary="linear SVM that starts from chi-contrast; the best with many labels",
        title="refined naive Bayes",
        make=partial(_make_model, "refined:RefinedNB"),
        features=("all words", "pairs", "characters"),
        incremental=True,
        max_weights=_MAX_WEIGHTS,
    )
)
register(
    Learner.document_trained(
        name="neighbours",
        summary="k nearest neighbours by cosine; stores the documents",
        title="k nearest neighbours",
        make=partial(_make_model, "knn:CosineKNN"),
        automatic="multi-label",
        incremental=True,
    )
)
register(
    Learner.document_trained(
        name="llsf",
        summary="linear least squares fit from words to labels (Yang and Chute)",
        title="linear least squares fit",
        make=partial(_make_model, "llsf:LLSF"),
        automatic=False,
        max_weights=_MAX_LLSF_WEIGHTS,
    )
)
register(
    Learner.document_trained(
        name="rotation",
        summary="rotation forest: decision trees on rotated features",
        title="rotation forest",
        make=partial(_make_model, "rotation:RotationForest"),
        automatic=False,
    )
)
register(
    Learner.document_trained(
        name="discriminant",
        summary="nearest class mean among Fisher's features of latent semantic analysis",
        title="linear discriminant",
        make=partial(_make_model, "discriminant:LinearDiscriminant"),
        automatic=False,
    )
)
register(
    Learner.semi_supervised(
        name="pooled",
        summary="for few labels: also learns from documents without labels",
        title="pooled naive Bayes",
        make=partial(_make_model, "pooled:PooledNB"),
        features=("all words", "trigrams"),
        automatic=False,
        incremental=True,
        max_weights=_MAX_POOLED_WEIGHTS,
    )
)


def learner_for_model(model: Any) -> Learner:
    """Return an unregistered learner for a model that the user gave.

    Parameters
    ----------
    model : estimator
        An unfitted model.

    Raises
    ------
    TypeError
        If it is not a model of this package.

    Examples
    --------
    >>> from tallytext import BernoulliNB
    >>> learner_for_model(BernoulliNB()).additive
    True
    """
    # Imported here, because listing the learners must not import their models.
    from tallytext.models.base import TrainedClassifier
    from tallytext.models.naive_bayes import NaiveBayes

    kind = type(model)
    if isinstance(model, NaiveBayes):
        return Learner(kind.__name__, "given by its settings", kind)
    incremental = hasattr(model, "forget")
    if isinstance(model, TrainedClassifier) and hasattr(model, "out_of_sample_scores"):
        return Learner.semi_supervised(
            kind.__name__, "given by its settings", kind, incremental=incremental
        )
    if isinstance(model, TrainedClassifier):
        return Learner.document_trained(
            kind.__name__, "given by its settings", kind, incremental=incremental
        )
    remedy = f" Pass an instance: {model.__name__}()." if isinstance(model, type) else ""
    raise TypeError(
        "model must be the name of a learner or a model of tallytext such as MultinomialNB(), "
        f"not {model!r:.80}.{remedy}"
    )
