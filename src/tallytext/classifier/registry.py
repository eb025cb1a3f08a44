"""What a classifier can be made of, and what each of these can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

from tallytext.errors import UnknownNameError, did_you_mean

# ------------------------------------------------------------------------------------------------
# What texts can be made of: sets of terms that are worth a try.


@dataclass(frozen=True)
class Features:
    """A way to make terms of texts.

    Attributes
    ----------
    name : str
        What it is called.
    summary : str
        What terms these are, to go on after "on".
    vectorizer : mapping
        Parameters of a :class:`~tallytext.TextVectorizer`.
    most_words : float or None
        It is tried where documents have this many words at most, on average.
    """

    name: str
    summary: str
    vectorizer: Mapping[str, Any]
    most_words: float | None = None


_ALL = (
    Features("words", "words", {"hangul": "words+bigrams"}),
    Features("all words", "words, short ones too", {"hangul": "words+bigrams", "min_length": 1}),
    Features("pairs", "words and pairs of words", {"ngram_range": (1, 2), "min_length": 1}),
    Features(
        "characters",
        "words, pairs of words and strings of characters",
        {"ngram_range": (1, 2), "min_length": 1, "chars": (2, 4)},
        most_words=80.0,
    ),
)

#: All of them, by name; the fewest terms first.
FEATURES = {each.name: each for each in _ALL}

#: Stands for the terms of a vectorizer that somebody has given.
GIVEN = "given"

Setting: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Learner:
    """A kind of model with settings that are worth a try.

    Attributes
    ----------
    name : str
        What users call it.
    summary : str
        What it is, in one line, for help and documentation.
    make : callable
        From the parameters of a setting to a model that is not fitted yet.
    settings : tuple of mappings
        What is tried, the usual setting first.
    additive : bool
        Whether the model is a function of a tally, so that it can learn, forget and merge.
    multi_label : bool
        Whether documents may have several labels.
    needs_documents : bool
        Whether it is trained on documents, and not on their sums.
    judged_by : {"subtraction", "refitting", "itself"}
        How documents are kept from it: by subtracting them from the tally, by training anew, or by
        the model, which says of its own documents what it would without their labels.
    dense : bool
        Whether it weighs every word for every class, which takes longer where both are many.
    features : tuple of str
        What terms it is tried on, by the names of :mod:`tallytext.classifier.registry`; the usual
        ones first.
    considered : bool
        Whether it is worth a try where the best learner is looked for.
    learns : bool
        Whether a model takes and gives back single documents, though it is no function of a
        tally.
    most_weights : int or None
        How many numbers for pairs of a class and a word, or a class and a document, it may come
        to where the best learner is looked for.
    unlabelled : bool
        Whether it learns from documents without labels, too.

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
    judged_by: Literal["subtraction", "refitting", "itself"] = "subtraction"
    dense: bool = False
    features: tuple[str, ...] = ("words",)
    considered: bool = True
    learns: bool = False
    most_weights: int | None = None
    unlabelled: bool = False

    def __post_init__(self) -> None:
        if not self.settings:
            raise ValueError(f"the learner {self.name!r} has no setting to try.")
        if not self.features or not {*self.features} <= {*FEATURES}:
            raise ValueError(f"{self.name!r}: features are some of {', '.join(FEATURES)}.")
        if self.additive and (self.needs_documents or self.judged_by != "subtraction"):
            raise ValueError(f"{self.name!r}: what is additive is judged by subtraction.")

    @classmethod
    def of_documents(cls, name: str, summary: str, make: Callable[..., Any], **more: Any) -> Self:
        """Return a learner that is trained on documents, and anew for each fold it is judged on.

        Parameters
        ----------
        name : str
            Its name.
        summary : str
            What it is, in half a sentence.
        make : callable
            Makes a model of its settings.
        **more : Any
            Other fields of :class:`Learner`.
        """
        given: dict[str, Any] = {"judged_by": "refitting", **more}
        return cls(name, summary, make, additive=False, needs_documents=True, **given)

    @classmethod
    def of_pools(cls, name: str, summary: str, make: Callable[..., Any], **more: Any) -> Self:
        """Return a learner of documents with one label and without, which judges itself.

        Parameters
        ----------
        name : str
            Its name.
        summary : str
            What it is, in half a sentence.
        make : callable
            Makes a model of its settings.
        **more : Any
            Other fields of :class:`Learner`.
        """
        given: dict[str, Any] = {"judged_by": "itself", "multi_label": False, **more}
        return cls.of_documents(name, summary, make, unlabelled=True, **given)

    def default(self) -> Any:
        """Return a model with the usual setting."""
        return self.make(**self.settings[0])

    def models(self) -> list[Any]:
        """Return a model for each setting that is worth a try."""
        return [self.make(**setting) for setting in self.settings]


# ------------------------------------------------------------------------------------------------
# The one place where learners are known: choice, help and documentation read it.

_LEARNERS: dict[str, Learner] = {}

CHOICES = ("auto", "best")
"""Words that stand for a choice among learners, so that no learner can have them for a name."""


def register(learner: Learner) -> Learner:
    """Make a learner known by its name, in the place of one that had it before.

    Parameters
    ----------
    learner : Learner

    Returns
    -------
    Learner
        The same.
    """
    if learner.name in CHOICES:
        raise ValueError(f"{learner.name!r} stands for a choice among learners.")
    _LEARNERS[learner.name] = learner
    return learner


def unregister(name: str) -> None:
    """Forget a learner.

    Parameters
    ----------
    name : str
        The name it was registered under.
    """
    del _LEARNERS[find_learner(name).name]


def learners(
    *, additive: bool | None = None, multi_label: bool = False, unlabelled: bool = False
) -> list[Learner]:
    """Return the learners that can do what is asked for.

    Parameters
    ----------
    additive : bool, default=None
        Only those that are additive, or only those that are not; None for all.
    multi_label : bool, default=False
        Only those that can give a document several labels.
    unlabelled : bool, default=False
        Only those that learn from documents without labels, too.

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


def find_learner(name: str) -> Learner:
    """Return the learner of a name.

    Parameters
    ----------
    name : str
        The name it was registered under.

    Raises
    ------
    UnknownNameError
        If there is none; names those that there are.
    """
    if name not in _LEARNERS:
        known = [*CHOICES, *_LEARNERS]
        raise UnknownNameError(
            f"there is no model {name!r}.{did_you_mean(name, known)} There are: {', '.join(known)}."
        )
    return _LEARNERS[name]


# ------------------------------------------------------------------------------------------------
# The naive Bayes family as learners: the settings that were worth a try on many corpora.
#
# Models are imported when one is made: help, which lists the learners, is not to wait for them.


def _chi_contrast(**setting: Any) -> Any:
    from tallytext.models.multinomial import MultinomialNB

    return MultinomialNB.chi_contrast(**_smoothed(setting))


def _multinomial(**setting: Any) -> Any:
    from tallytext.models.multinomial import MultinomialNB

    return MultinomialNB(**_smoothed(setting))


def _bernoulli(**setting: Any) -> Any:
    from tallytext.models.bernoulli import BernoulliNB

    return BernoulliNB(**setting)


def _poisson(**setting: Any) -> Any:
    from tallytext.models.poisson import PoissonNB

    return PoissonNB(**setting)


def _smoothed(setting: dict[str, Any]) -> dict[str, Any]:
    """Return a setting in which a kind of smoothing and its number have become a smoothing."""
    if "smoothing" not in setting:
        return setting
    from tallytext import models as smoothing

    kind, *numbers = setting["smoothing"]
    return {**setting, "smoothing": getattr(smoothing, kind)(*numbers)}


register(
    Learner(
        name="chi-contrast",
        summary="each class against the rest, words weighed by chi-square; best with many labels",
        make=_chi_contrast,
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
        summary="each class against the rest, all words alike",
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
        summary="the rest of each class only, as Rennie et al.",
        make=_multinomial,
        settings=tuple(
            {"smoothing": ("Laplace", epsilon), "complement": "only"} for epsilon in (0.3, 1.0)
        ),
    )
)
register(
    Learner(
        name="multinomial",
        summary="bags of words, smoothed by the whole corpus",
        make=_multinomial,
        settings=({"smoothing": ("Background", 0.5)}, {"smoothing": ("AbsoluteDiscount",)}),
    )
)
register(
    Learner(
        name="bernoulli",
        summary="sets of words, where absent words speak too; for short texts",
        make=_bernoulli,
        settings=({"gamma": 0.1},),
    )
)
register(
    Learner(
        name="poisson",
        summary="mean frequencies of words, each document alike; made for several labels",
        make=_poisson,
        settings=({}, {"weighting": "prr"}, {"weighting": "chi"}),
        dense=True,
    )
)


# ------------------------------------------------------------------------------------------------
# Learners that are trained on documents: no functions of counts, and known all the same.
#
# Of these a choice considers the refined naive Bayes model only: the others take longer, and on
# many corpora none of them came out ahead. Where there are documents without labels, it considers
# those besides that learn from them.

# Numbers of four bytes that may lie in memory together: a gigabyte.
_MOST_WEIGHTS = 1 << 28
# Some eleven tables of words by classes are held at a time, which then come to 6 GiB.
_MOST_POOLED = 1 << 26


def _refined(**setting: Any) -> Any:
    from tallytext.models.refined import RefinedNB

    return RefinedNB(**setting)


def _neighbours(**setting: Any) -> Any:
    from tallytext.models.knn import CosineKNN

    return CosineKNN(**setting)


def _least_squares(**setting: Any) -> Any:
    from tallytext.models.llsf import LLSF

    return LLSF(**setting)


def _pooled(**setting: Any) -> Any:
    from tallytext.models.pooled import PooledNB

    return PooledNB(**setting)


def _rotation(**setting: Any) -> Any:
    from tallytext.models.rotation import RotationForest

    return RotationForest(**setting)


register(
    Learner.of_documents(
        name="refined",
        summary="chi-contrast, refined where it errs; the best with many labels",
        make=_refined,
        features=("all words", "pairs", "characters"),
        most_weights=_MOST_WEIGHTS,
    )
)
register(
    Learner.of_documents(
        name="neighbours",
        summary="the labels of the most similar documents, which are kept",
        make=_neighbours,
        considered=False,
        learns=True,
    )
)
register(
    Learner.of_documents(
        name="llsf",
        summary="least squares from words to labels, as Yang and Chute",
        make=_least_squares,
        considered=False,
    )
)
register(
    Learner.of_documents(
        name="rotation",
        summary="decision trees on rotations of the words, as in Aggarwal's book",
        make=_rotation,
        considered=False,
    )
)
register(
    Learner.of_pools(
        name="pooled",
        summary="for few labels: learns from documents without labels, too",
        make=_pooled,
        features=("all words",),
        considered=False,
        most_weights=_MOST_POOLED,
    )
)


# ------------------------------------------------------------------------------------------------
# Models that users bring along, as learners.


def learner_of(model: Any) -> Learner:
    """Return a learner of which a model with its settings is the only one.

    Parameters
    ----------
    model : estimator
        An unfitted model.

    Raises
    ------
    TypeError
        If it is no model that a classifier can be made of.

    Examples
    --------
    >>> from tallytext import BernoulliNB
    >>> learner_of(BernoulliNB()).additive
    True
    """
    from tallytext.models.naive_bayes import NaiveBayes
    from tallytext.models.trained import TrainedClassifier

    kind = type(model)
    if isinstance(model, NaiveBayes):
        return Learner(kind.__name__, "given by its settings", kind)
    if isinstance(model, TrainedClassifier) and hasattr(model, "out_of_sample_scores"):
        return Learner.of_pools(kind.__name__, "given by its settings", kind)
    if isinstance(model, TrainedClassifier):
        learns = hasattr(model, "forget")
        return Learner.of_documents(kind.__name__, "given by its settings", kind, learns=learns)
    is_class = isinstance(model, type)
    helps = f" Make an object of the class: {model.__name__}()." if is_class else ""
    raise TypeError(
        "model must be the name of a learner, or a model of tallytext such as MultinomialNB(), "
        f"not {model!r:.80}.{helps}"
    )
