r"""Adaptive filtering: profiles that deliver documents of a stream and learn from feedback.

A profile is a class, relevant documents against all others, in one tally that all profiles share.
A document is scored before anything is learned from it, by its log-odds per token
(:meth:`~tallytext.models.NaiveBayes.evidence`), and is delivered to each profile to which it is
likely enough to be relevant. Feedback comes for delivered documents only, at any time, and can be
corrected: the document is forgotten with its old labels and learned with the new ones, exactly.

The threshold of a profile maximises the expected utility of a delivery. A sigmoid over the scores
of one or more models gives the probability of being relevant, and a delivery pays if

.. math:: p(\mathrm{relevant} \mid s) > \frac{\mathrm{cost}}{\mathrm{gain} + \mathrm{cost}}
          \cdot \frac{n}{n + \epsilon (1 + t / 1000)}

where n is the number of examples and deliveries of the profile, t the number of documents since its
last delivery and :math:`\epsilon` = ``explore``. The second factor lowers the bound while little is
known, and slowly again for a profile that delivers nothing: it would never get feedback. The
sigmoid is fitted to the examples (each scored without itself), the latest judged deliveries, and
the lower half of a sample of the latest documents that were not delivered, which are taken for not
relevant; the upper half may be relevant documents that were missed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._estimators import clone
from tallytext._typing import FloatArray
from tallytext.decision.calibrators import expit
from tallytext.errors import (
    FileError,
    InputError,
    LabelError,
    SettingsError,
    UnknownNameError,
    did_you_mean,
)
from tallytext.io.safetensors import load_arrays, parse_json, save_arrays
from tallytext.io.svg import PlotArea, element, polyline, save_drawing, svg_drawing, text, tick_step
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.models.serialization import estimator_from_dict, estimator_to_dict
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

Scores: TypeAlias = list[float]

__all__ = ["Delivery", "DocumentFilter", "FilterReport", "Judgement", "ProfileReport"]

KIND = "filter"
# Set on the topics of Reuters that are 16th to 30th in size, on AG News and on 20 Newsgroups, none
# of which docs/filtering.md reports; _MAX_EXAMPLES on test documents of Reuters.
_MAX_JUDGED = 300  # deliveries that a threshold is fitted to, the latest
# More examples of a profile in the fit of its threshold would pass for its share of the stream.
_MAX_EXAMPLES = 10
_GROWTH = 1.2  # of the counts, after which examples are scored again
_N_FOLDS = 10  # of examples, each scored by counts without its fold
_MAX_REJECTED = 100  # documents not delivered that a threshold is fitted to, the latest
_REJECTED_SHARE = 20  # one of so many documents that are not delivered is among these
_MIN_SAMPLE = 3  # a profile waits until so many documents have a score
_MAX_NEWTON_STEPS = 100
_IDLE = 1000  # documents without a delivery after which a profile explores twice as much
_MAX_WINDOWS = 64  # parts of the stream that a report tells apart
_FIRST_WINDOW = 50  # documents in a window, before windows are joined
_MAX_DOCUMENTS = 2**53  # in a file
_N_SHOWN = 8  # windows of a report
_CORRUPT = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Delivery(NamedTuple):
    """A document that was delivered to a profile.

    Attributes
    ----------
    id : str
        The id of the document, to which feedback refers.
    profile : str
        The profile.
    probability : float
        Estimated probability of being relevant.
    text : str
        The document.
    """

    id: str
    profile: str
    probability: float
    text: str


class Judgement(NamedTuple):
    """Feedback on a delivery.

    Attributes
    ----------
    id, profile : str
        The delivery.
    relevant : bool or None
        None to withdraw earlier feedback.
    """

    id: str
    profile: str
    relevant: bool | None


@dataclass
class _Delivered:
    """A delivered document: its place in the stream and, by profile, scores and feedback."""

    id: str
    text: str
    position: int
    scores: dict[str, Scores]
    probabilities: dict[str, float]
    relevant: dict[str, bool] = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """The labels to learn it with."""
        return sorted(profile for profile, relevant in self.relevant.items() if relevant)

    def check(self, n_documents: int) -> None:
        """Raise FileError unless a delivery of a file is one among so many documents."""
        is_valid = isinstance(self.id, str) and isinstance(self.text, str) and bool(self.scores)
        is_valid &= type(self.position) is int and 0 <= self.position < n_documents
        is_valid &= self.probabilities.keys() == self.scores.keys() >= self.relevant.keys()
        is_valid &= all(type(p) is float and 0 <= p <= 1 for p in self.probabilities.values())
        is_valid &= all(type(relevant) is bool for relevant in self.relevant.values())
        if not is_valid:
            raise FileError(f"the delivery of {self.id!r:.60} is damaged")


@dataclass
class _Window:
    """Part of the stream: documents, and relevant ones that were not delivered, if known."""

    n_documents: int = 0
    n_labelled: int = 0
    missed: dict[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> list[int]:
        """All numbers of documents."""
        return [self.n_documents, self.n_labelled, *self.missed.values()]

    def __add__(self, other: _Window) -> _Window:
        names = {*self.missed, *other.missed}
        missed = {name: self.missed.get(name, 0) + other.missed.get(name, 0) for name in names}
        n_labelled = self.n_labelled + other.n_labelled
        return _Window(self.n_documents + other.n_documents, n_labelled, missed)


@dataclass(frozen=True)
class _Rule:
    """Decision rule of a profile: a sigmoid over scores, and the probability to exceed."""

    slopes: FloatArray
    intercept: float
    threshold: float

    def probability(self, scores: Scores) -> float:
        """Return the probability of being relevant."""
        return float(expit(self.slopes @ scores + self.intercept))


def fit_sigmoid(scores: FloatArray, relevant: NDArray[np.bool_]) -> tuple[FloatArray, float]:
    r"""Return the slopes and the intercept of the most probable sigmoid over scores.

    The loss is that of :class:`~tallytext.decision.Platt`, with smoothed targets. The slopes of
    standardised scores have a normal prior with mean and variance 1: a high score speaks for a
    document, unless feedback says otherwise.

    Parameters
    ----------
    scores : ndarray of shape (n_documents, n_scores)
        Scores of known documents.
    relevant : ndarray of bool of shape (n_documents,)
        True for relevant ones.

    Examples
    --------
    >>> slopes, intercept = fit_sigmoid(np.array([[0.0], [1.0], [2.0]]), np.array([False] * 3))
    >>> bool(slopes[0] > 0), bool(intercept < 0)
    (True, True)
    """
    n_relevant = int(relevant.sum())
    high, low = (n_relevant + 1) / (n_relevant + 2), 1 / (len(relevant) - n_relevant + 2)
    targets = np.where(relevant, high, low)
    middle, spread = scores.mean(axis=0), np.maximum(scores.std(axis=0), 1e-12)
    inputs = np.column_stack([(scores - middle) / spread, np.ones(len(scores))])
    prior = np.append(np.ones(scores.shape[1]), 0.0)
    # The intercept is free; a little weight keeps the system solvable.
    strength = np.append(np.ones(scores.shape[1]), 1e-6)
    weights = prior.copy()
    for _ in range(_MAX_NEWTON_STEPS):
        p = expit(inputs @ weights)
        gradient = inputs.T @ (p - targets) + strength * (weights - prior)
        hessian = (inputs * (p * (1 - p))[:, None]).T @ inputs + np.diag(strength)
        step = np.linalg.solve(hessian, gradient)
        # Far from the minimum a full step may overshoot.
        weights = weights - step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < 1e-9:
            break
    slopes = weights[:-1] / spread
    return slopes, float(weights[-1] - slopes @ middle)


def document_id(document: str) -> str:
    """Return an id for a document without one: a hash of its text.

    Examples
    --------
    >>> document_id("Wheat prices rose.")
    '3b57068dd32f9e8c'
    """
    return blake2b(document.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _key(id: str) -> int:
    """Return the number under which an id is remembered."""
    return int.from_bytes(
        blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )


class DocumentFilter:
    """Filter a stream of documents for several profiles, learning from feedback.

    Parameters
    ----------
    model : str, NaiveBayes or list of them, default=None
        Additive learners by name or expression, as in ``"poisson(alpha=0.8)"``, or models. All of
        them score each document; feedback decides how much each counts. None for ``PoissonNB()``
        and ``PoissonNB(weighting="chi")``: the former is better where words are many and classes
        large, the latter where a few words tell.
    vectorizer : TextVectorizer, default=None
        Counts the terms of documents; None for words.
    gain, cost : float, default=2.0, 1.0
        Utility of a delivery: +gain if it is relevant, -cost if it is not (linear utility, as
        T11U in TREC).
    explore : float, default=5.0
        The number of known documents at which a profile delivers from half of the probability that
        would pay at once; 0 never to explore.
    background : int, default=1000
        Number of documents, the first that are not delivered, whose words are learned as not
        relevant.

    Attributes
    ----------
    profiles_ : list of str
        The profiles, sorted.
    n_documents_ : int
        Number of documents filtered.
    tally_ : Tally
        Counts of all documents that were learned.

    Examples
    --------
    >>> examples = ["wheat harvest up", "corn and wheat prices", "oil price falls", "crude oil"]
    >>> profiles = DocumentFilter().start(examples, ["grain", "grain", "oil", "oil"])
    >>> found = profiles.filter(["crude oil price up", "a poem", "wheat prices"], ["1", "2", "3"])
    >>> [(each.id, each.profile) for each in found]
    [('1', 'oil'), ('3', 'grain')]
    >>> profiles.feedback([("1", "oil", True), ("3", "grain", False)])
    2
    >>> profiles.feedback([("3", "grain", True)])  # corrected, exactly
    1
    >>> profiles.report().utility
    4.0
    """

    def __init__(
        self,
        model: str | NaiveBayes | Sequence[str | NaiveBayes] | None = None,
        *,
        vectorizer: TextVectorizer | None = None,
        gain: float = 2.0,
        cost: float = 1.0,
        explore: float = 5.0,
        background: int = 1000,
    ) -> None:
        for name, value in (("gain", gain), ("cost", cost)):
            if not (value > 0 and math.isfinite(value)):
                raise SettingsError(f"{name} must be a positive number, not {value!r}.")
        if not (explore >= 0 and math.isfinite(explore)) or background < 0:
            raise SettingsError(
                f"explore and background must be 0 or more, not {explore!r} and {background!r}."
            )
        self.gain, self.cost, self.explore = float(gain), float(cost), float(explore)
        self.background = int(background)
        self._settings = _additive_models(model)
        self.vectorizer = TextVectorizer() if vectorizer is None else clone(vectorizer)
        if self.vectorizer.is_limited:
            raise SettingsError(
                "min_df, max_df and max_features need all documents at once, and a stream has no "
                "end. Pass a vectorizer without them."
            )
        self.vectorizer.vocabulary_ = Vocabulary()
        columns = [column for each in self._settings for column in each._columns(1.0, False)]
        planes = {column: None for column in columns if isinstance(column, Plane)}
        self._read_tally(Tally(self.vectorizer.vocabulary_, planes=planes))
        self.n_documents_ = self._n_background = self._n_scored = 0
        self._n_examples: dict[str, int] = {}
        self._examples: list[tuple[str, list[str]]] = []
        self._example_scores: list[dict[str, Scores]] = []
        self._rejected: list[dict[str, Scores]] = []
        self._delivered: dict[str, _Delivered] = {}
        self._windows: list[_Window] = []
        self._window_size = _FIRST_WINDOW
        self._seen: set[int] = set()

    def _read_tally(self, tally: Tally) -> None:
        self.tally_ = tally
        self.models_ = [
            type(each).from_tally(tally, **each.get_params(deep=False)) for each in self._settings
        ]

    @property
    def profiles_(self) -> list[str]:
        """The profiles, sorted."""
        return sorted(self._n_examples)

    def start(self, texts: Iterable[str], labels: Iterable[Any]) -> Self:
        """Learn examples; each label becomes a profile. Can be called again with more examples.

        Parameters
        ----------
        texts : iterable of str
            Examples of relevant documents, or queries.
        labels : iterable of str, or of list of str
            The profiles that each is relevant to; an empty list for a document that is relevant to
            none of them.

        Returns
        -------
        self

        Raises
        ------
        LabelError
            If numbers of texts and labels differ, or a label is empty.
        """
        documents = [*map(_check_text, texts)]
        listed = [_label_list(each) for each in labels]
        if len(documents) != len(listed):
            raise LabelError(f"there are {len(documents)} texts, but {len(listed)} labels.")
        self._learn(documents, listed)
        for document, given in zip(documents, listed, strict=True):
            # Few examples are stored: a threshold needs a sample of their scores.
            if any(self._n_examples.get(label, 0) < _MAX_EXAMPLES for label in given):
                self._examples.append((document, given))
            for label in given:
                self._n_examples[label] = self._n_examples.get(label, 0) + 1
            self._n_background += not given
        self._score_examples()
        return self

    def filter(
        self, texts: Iterable[str], ids: Iterable[Any] | None = None, labels: Any = None
    ) -> list[Delivery]:
        """Return the deliveries among new documents, best first within each document.

        All of them are scored before anything is learned from them. A document whose id was seen
        before is skipped, so that a stream can be read again after an interruption.

        Parameters
        ----------
        texts : iterable of str
            The documents.
        ids : iterable, default=None
            Their ids; None for hashes of the texts.
        labels : iterable of str, or of list of str, default=None
            True profiles of each document, to replay an archive: each delivery gets its feedback
            at once, and documents that were missed are counted. Labels of documents that are not
            delivered are not learned.

        Raises
        ------
        InputError
            If there is no profile yet, an id is missing, or the numbers of documents and ids
            differ. Nothing changes then.
        """
        if not self._n_examples:
            raise InputError("there is no profile yet. Start with an example or a query for each.")
        documents = [*map(_check_text, texts)]
        named = [*map(document_id, documents)] if ids is None else [*map(_check_id, ids)]
        truth = None if labels is None else [_label_list(each) for each in labels]
        if len(named) != len(documents) or (truth is not None and len(truth) != len(documents)):
            raise InputError("there must be one id, and one label if any, for each document.")
        new = self._new_positions(named)
        if not new:
            return []
        documents, named = [documents[at] for at in new], [named[at] for at in new]
        truth = None if truth is None else [truth[at] for at in new]
        found = self._deliver(documents, named)
        self._seen.update(map(_key, named))
        self._count_window(named, truth)
        self.n_documents_ += len(named)
        self._learn_background(documents, named)
        if truth is not None:
            true = dict(zip(named, truth, strict=True))
            self.feedback(
                [(each.id, each.profile, each.profile in true[each.id]) for each in found]
            )
        return found

    def feedback(self, judgements: Iterable[Judgement | tuple[Any, str, bool | None]]) -> int:
        """Learn feedback on delivered documents; return the number of judgements that changed.

        A judgement that was given before changes nothing; another one for the same delivery
        replaces it, and None withdraws it, exactly: the filter is as if it had never been given.

        Parameters
        ----------
        judgements : iterable of Judgement or of tuple
            Ids, profiles, and True, False or None.

        Raises
        ------
        UnknownNameError
            If a document was never delivered, or not to this profile. Nothing is learned then.
        """
        changed: dict[tuple[str, str], bool | None] = {}
        for id, profile, relevant in judgements:
            found = self._find_delivery(_check_id(id), profile)
            if relevant is not None and not isinstance(relevant, bool | np.bool_):
                raise InputError(f"relevant must be True, False or None, not {relevant!r:.40}.")
            changed[found.id, profile] = None if relevant is None else bool(relevant)
        changed = {
            (id, profile): relevant
            for (id, profile), relevant in changed.items()
            if self._delivered[id].relevant.get(profile) is not relevant
        }
        touched = [self._delivered[id] for id in dict.fromkeys(id for id, _ in changed)]
        self._learn_delivered([each for each in touched if each.relevant], -1)
        for (id, profile), relevant in changed.items():
            given = self._delivered[id].relevant
            if relevant is None:
                del given[profile]
            else:
                given[profile] = relevant
        self._learn_delivered([each for each in touched if each.relevant], +1)
        return len(changed)

    def deliveries(self, first: int = 0) -> list[Delivery]:
        """Return all deliveries so far, in order.

        Parameters
        ----------
        first : int, default=0
            Number of delivered documents to leave out.
        """
        return [
            Delivery(each.id, profile, probability, each.text)
            for each in [*self._delivered.values()][first:]
            for profile, probability in each.probabilities.items()
        ]

    @property
    def n_delivered_(self) -> int:
        """Number of documents that were delivered to a profile."""
        return len(self._delivered)

    def report(self) -> FilterReport:
        """Return utility, precision and, where labels of all documents are known, F1 over time."""
        rules = self._rules()
        return FilterReport(
            n_documents=self.n_documents_,
            n_delivered=len(self._delivered),
            gain=self.gain,
            cost=self.cost,
            profiles=[self._profile_report(name, rules[name]) for name in self.profiles_],
            ends=[end for _, end in self._shown_windows()],
        )

    def save(self, path: str | Path) -> None:
        """Write the state to a file: counts, deliveries and feedback, but no code.

        The file appears as a whole or not at all; an existing file is replaced.

        Parameters
        ----------
        path : str or Path
            The file.
        """
        self._save(path, {})

    def _save(self, path: str | Path, notes: Mapping[str, Any]) -> None:
        """Write the state, with notes of a command."""
        arrays, counts = self.tally_.to_arrays()
        records = {
            "examples": self._examples,
            "example_scores": self._example_scores,
            "rejected": self._rejected,
            "delivered": [asdict(each) for each in self._delivered.values()],
            "windows": [asdict(each) for each in self._windows],
            "n_examples": self._n_examples,
        }
        packed = json.dumps(records, allow_nan=False).encode()
        own: dict[str, NDArray[Any]] = {
            "filter.records": np.frombuffer(packed, np.uint8),
            "filter.seen": np.array(sorted(self._seen), np.uint64),
        }
        header = {
            "kind": KIND,
            "format": 1,
            "settings": {
                "gain": self.gain,
                "cost": self.cost,
                "explore": self.explore,
                "background": self.background,
            },
            "models": [estimator_to_dict(each) for each in self._settings],
            "vectorizer": estimator_to_dict(self.vectorizer),
            "tally": counts,
            "n_documents": self.n_documents_,
            "n_background": self._n_background,
            "n_scored": self._n_scored,
            "window_size": self._window_size,
            "notes": dict(notes),
        }
        save_arrays(path, arrays | own, header)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file that :meth:`save` wrote, and check all of it.

        Parameters
        ----------
        path : str or Path
            The file.

        Raises
        ------
        FileError
            If the file is missing, truncated, damaged, or not a filter.

        Examples
        --------
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "news.tally"
        >>> DocumentFilter().start(["wheat harvest"], ["grain"]).save(path)
        >>> DocumentFilter.load(path).profiles_
        ['grain']
        """
        return cls._load(path)[0]

    @classmethod
    def _load(cls, path: str | Path) -> tuple[Self, dict[str, Any]]:
        """Return the filter in a file, and the notes of a command."""
        arrays, header = load_arrays(path, KIND)
        try:
            vectorizer = estimator_from_dict(header["vectorizer"])
            models = [estimator_from_dict(each) for each in header["models"]]
            loaded = cls(models, vectorizer=vectorizer, **header["settings"])
            loaded._fill({name: array.copy() for name, array in arrays.items()}, header)
            return loaded, dict(header["notes"])
        except _CORRUPT as problem:
            reason = str(problem).removesuffix(".")
            raise FileError(f"cannot read {str(path)!r}: {reason}.") from None

    def _fill(self, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> None:
        tally = Tally.from_arrays(arrays, header["tally"])
        self.vectorizer.vocabulary_ = tally.vocabulary
        self._read_tally(tally)
        records = parse_json(arrays["filter.records"].tobytes(), "its records")
        self._examples = [
            (str(document), [*map(str, given)]) for document, given in records["examples"]
        ]
        self._n_examples = {str(name): int(n) for name, n in records["n_examples"].items()}
        self._example_scores = [self._read_scores(each) for each in records["example_scores"]]
        self._rejected = [self._read_scores(each) for each in records["rejected"]]
        self._delivered = {each["id"]: _Delivered(**each) for each in records["delivered"]}
        self._windows = [_Window(**each) for each in records["windows"]]
        self._seen = {*arrays["filter.seen"].tolist()}
        self.n_documents_, self._n_background = header["n_documents"], header["n_background"]
        self._n_scored, self._window_size = header["n_scored"], header["window_size"]
        self._check_records()

    def _read_scores(self, stored: Mapping[str, Any]) -> dict[str, Scores]:
        """Return the scores of a document in a file: for each profile one of each model."""
        scores = {name: [*map(float, row)] for name, row in stored.items()}
        is_whole = all(len(row) == len(self.models_) for row in scores.values())
        if not is_whole or not np.isfinite([*scores.values()]).all():
            raise FileError("its scores are not those of its models")
        if not scores.keys() <= self._n_examples.keys():
            raise FileError("its scores are of unknown profiles")
        return scores

    def _check_records(self) -> None:
        """Raise FileError unless the records of a file fit each other."""
        windows = [count for each in self._windows for count in each.counts]
        counts = [self.n_documents_, self._n_background, self._n_scored, self._window_size]
        counts += [*self._n_examples.values(), *windows]
        if not all(type(count) is int and 0 <= count < _MAX_DOCUMENTS for count in counts):
            raise FileError("some of its numbers are not numbers of documents")
        if len(self._seen) != self.n_documents_ or self._window_size < 1:
            raise FileError("its numbers of documents contradict each other")
        profiles: set[Any] = {profile for _, given in self._examples for profile in given}
        profiles.update(self.tally_.classes)
        profiles.update(profile for each in self._windows for profile in each.missed)
        if len(self._examples) != len(self._example_scores) or profiles - {*self._n_examples}:
            raise FileError("its examples contradict each other")
        for each in self._delivered.values():
            each.scores = self._read_scores(each.scores)
            each.check(self.n_documents_)
            if _key(each.id) not in self._seen:
                raise FileError(f"it delivered {each.id!r:.60} without reading it")

    # Score and deliver.

    def _new_positions(self, ids: list[str]) -> list[int]:
        """Return the positions of documents that were not seen before, each id once."""
        new: dict[int, int] = {}
        for at, id in enumerate(ids):
            new.setdefault(_key(id), at)
        return [at for key, at in new.items() if key not in self._seen]

    def _scores(self, documents: list[str]) -> list[dict[str, Scores]]:
        """Return the score of each document for each profile that has one."""
        if not documents or not self.tally_.n_documents or not self.tally_.n_classes:
            return [{} for _ in documents]
        # The order of classes is read with the scores: a profile may have no document now.
        X = self.vectorizer.transform(documents)
        by_model = np.stack([each.evidence(X) for each in self.models_], axis=-1)
        names, is_finite = self.models_[0].classes_.tolist(), np.isfinite(by_model).all(axis=-1)
        # A document without a known word has no evidence, whatever a model makes of its length.
        is_finite &= (np.diff(X.indptr) > 0)[:, None]
        return [
            {name: row[at].tolist() for at, name in enumerate(names) if finite[at]}
            for row, finite in zip(by_model, is_finite, strict=True)
        ]

    def _deliver(self, documents: list[str], ids: list[str]) -> list[Delivery]:
        rules, found = self._rules(), []
        for document, id, scores in zip(documents, ids, self._scores(documents), strict=True):
            likely = {name: rules[name].probability(each) for name, each in scores.items()}
            given = {name: p for name, p in likely.items() if p > rules[name].threshold}
            # A sample of what passes by, by a hash: the same documents if the stream is read again.
            if _key(id) % _REJECTED_SHARE == 0 or len(self._rejected) < _MAX_REJECTED:
                passed = {name: score for name, score in scores.items() if name not in given}
                self._rejected = [*self._rejected, passed][-_MAX_REJECTED:]
            if given:
                ranked = dict(sorted(given.items(), key=lambda item: -item[1]))
                kept = {name: scores[name] for name in ranked}
                self._delivered[id] = _Delivered(id, document, self.n_documents_, kept, ranked)
                found += [Delivery(id, name, each, document) for name, each in ranked.items()]
        return found

    def _rules(self) -> dict[str, _Rule]:
        """Return the decision rule of each profile, a function of everything known now."""
        known: dict[str, list[tuple[Scores, bool]]] = {name: [] for name in self.profiles_}
        n_known, last = dict(self._n_examples), dict.fromkeys(known, 0)
        for each in self._delivered.values():
            for name, score in each.scores.items():
                n_known[name] += 1
                last[name] = each.position
                if name in each.relevant:
                    known[name].append((score, each.relevant[name]))
        return {
            name: self._rule(name, judged[-_MAX_JUDGED:], n_known[name], last[name])
            for name, judged in known.items()
        }

    def _rule(self, name: str, judged: list[tuple[Scores, bool]], n: int, last: int) -> _Rule:
        pairs = zip(self._example_scores, self._examples, strict=True)
        examples = [(row[name], name in given) for row, (_, given) in pairs if name in row]
        positive = [each for each in examples if each[1]][:_MAX_EXAMPLES]
        rejected = [(row[name], False) for row in self._rejected if name in row]
        rejected = sorted(rejected)[: len(rejected) // 2 + 1]
        # Examples of other profiles stand in for documents that passed by, until there are enough.
        others = [each for each in examples if not each[1]]
        rejected += others[: _MAX_REJECTED - len(rejected)]
        sample = [*positive, *rejected, *judged]
        if len(sample) < _MIN_SAMPLE:
            return _Rule(np.zeros(len(self.models_)), -np.inf, 1.0)
        scores = np.array([each for each, _ in sample])
        slopes, intercept = fit_sigmoid(scores, np.array([relevant for _, relevant in sample]))
        idle = self.n_documents_ - last
        least = self.cost / (self.gain + self.cost)
        return _Rule(slopes, intercept, least * n / (n + self.explore * (1 + idle / _IDLE)))

    # Learn.

    def _learn(self, documents: list[str], labels: list[list[str]], sign: int = +1) -> None:
        if documents:
            X = self.vectorizer.partial_fit_transform(documents)
            change = self.tally_.learn if sign > 0 else self.tally_.forget
            change(X, labels, terms=self.vectorizer.vocabulary_)

    def _learn_delivered(self, some: list[_Delivered], sign: int) -> None:
        self._learn([each.text for each in some], [each.labels for each in some], sign)

    def _learn_background(self, documents: list[str], ids: list[str]) -> None:
        """Learn the words of the first documents that nobody gets, as not relevant."""
        room = self.background - self._n_background
        if room <= 0:
            return
        pairs = zip(documents, ids, strict=True)
        some = [document for document, id in pairs if id not in self._delivered][:room]
        self._learn(some, [[] for _ in some])
        self._n_background += len(some)
        # Scores of examples hardly change once the background is many times one batch.
        if self.tally_.n_documents > _GROWTH * self._n_scored:
            self._score_examples()

    def _score_examples(self) -> None:
        """Score each example by counts without it, while the background grows.

        The examples of a profile are dealt to ten folds, so that up to ten are left out one by one.
        """
        n_dealt: dict[str, int] = {}
        folds: list[list[int]] = [[] for _ in range(_N_FOLDS)]
        for at, (_, given) in enumerate(self._examples):
            first = given[0] if given else ""
            folds[n_dealt.get(first, 0) % _N_FOLDS].append(at)
            n_dealt[first] = n_dealt.get(first, 0) + 1
        found: dict[int, dict[str, Scores]] = {}
        for fold in folds:
            texts = [self._examples[at][0] for at in fold]
            labels = [self._examples[at][1] for at in fold]
            self._learn(texts, labels, -1)
            found |= zip(fold, self._scores(texts), strict=True)
            self._learn(texts, labels, +1)
        self._example_scores = [found[at] for at in range(len(self._examples))]
        self._n_scored = self.tally_.n_documents

    # Report.

    def _count_window(self, ids: list[str], truth: list[list[str]] | None) -> None:
        missed: dict[str, int] = {}
        for id, labels in zip(ids, truth or [], strict=bool(truth)):
            given = self._delivered[id].scores if id in self._delivered else {}
            for label in labels:
                if label in self._n_examples and label not in given:
                    missed[label] = missed.get(label, 0) + 1
        added = _Window(len(ids), 0 if truth is None else len(ids), missed)
        if self._windows and self._windows[-1].n_documents < self._window_size:
            self._windows[-1] += added
        else:
            self._windows.append(added)
        if len(self._windows) > _MAX_WINDOWS:
            # Windows are joined in pairs, so that a stream without end has a report of fixed size.
            self._windows = _join(self._windows, 2)
            self._window_size *= 2

    def _shown_windows(self) -> list[tuple[_Window, int]]:
        """Return at most eight windows, and the number of documents at the end of each."""
        size = max(1, math.ceil(len(self._windows) / _N_SHOWN))
        joined = _join(self._windows, size)
        return [
            *zip(joined, np.cumsum([each.n_documents for each in joined]).tolist(), strict=True)
        ]

    def _profile_report(self, name: str, rule: _Rule) -> ProfileReport:
        got = [each for each in self._delivered.values() if name in each.scores]
        shown, start = self._shown_windows(), 0
        relevant, other, missed = [], [], []
        for window, end in shown:
            some = [each.relevant.get(name) for each in got if start <= each.position < end]
            relevant.append(some.count(True))
            other.append(some.count(False))
            complete = window.n_labelled == window.n_documents
            missed.append(window.missed.get(name, 0) if complete else None)
            start = end
        return ProfileReport(
            name=name,
            n_examples=self._n_examples[name],
            n_delivered=len(got),
            relevant_over_time=relevant,
            other_over_time=other,
            missed_over_time=missed,
            threshold=rule.threshold,
            gain=self.gain,
            cost=self.cost,
        )

    def _find_delivery(self, id: str, profile: str) -> _Delivered:
        if profile not in self._n_examples:
            known = self.profiles_
            raise UnknownNameError(
                f"there is no profile {profile!r:.60}.{did_you_mean(profile, known)} There are: "
                f"{', '.join(known)}."
            )
        if id not in self._delivered:
            read = "was read, but not delivered" if _key(id) in self._seen else "was never read"
            raise UnknownNameError(
                f"document {id!r:.60} {read}. Feedback is for delivered documents only; start can "
                "learn others as examples."
            )
        found = self._delivered[id]
        if profile not in found.scores:
            raise UnknownNameError(
                f"document {id!r:.60} was not delivered to {profile!r}, but to "
                f"{', '.join(found.scores)}. Feedback is for delivered documents only."
            )
        return found


@dataclass(frozen=True)
class ProfileReport:
    """Deliveries of a profile and their feedback, over time.

    Attributes
    ----------
    name : str
        The profile.
    n_examples, n_delivered : int
        Numbers of examples and of deliveries.
    relevant_over_time, other_over_time : list of int
        Deliveries of each window of the stream that were judged relevant, and not relevant.
    missed_over_time : list of int or None
        Relevant documents that were not delivered; None where labels are not known.
    threshold : float
        Probability of being relevant above which documents are delivered now.
    gain, cost : float
        Utility of a relevant delivery, and cost of another one.
    """

    name: str
    n_examples: int
    n_delivered: int
    relevant_over_time: list[int]
    other_over_time: list[int]
    missed_over_time: list[int | None]
    threshold: float
    gain: float
    cost: float

    @property
    def n_relevant(self) -> int:
        """Number of deliveries that were judged relevant."""
        return sum(self.relevant_over_time)

    @property
    def n_not_relevant(self) -> int:
        """Number of deliveries that were judged not relevant."""
        return sum(self.other_over_time)

    @property
    def n_unjudged(self) -> int:
        """Number of deliveries without feedback."""
        return self.n_delivered - self.n_relevant - self.n_not_relevant

    @property
    def n_missed(self) -> int | None:
        """Number of relevant documents that were not delivered; None if not known."""
        known = [each for each in self.missed_over_time if each is not None]
        return sum(known) if len(known) == len(self.missed_over_time) else None

    @property
    def utility(self) -> float:
        """Utility of all judged deliveries."""
        return self.gain * self.n_relevant - self.cost * self.n_not_relevant

    @property
    def precision(self) -> float | None:
        """Share of judged deliveries that are relevant; None without any."""
        return _ratio(self.n_relevant, self.n_relevant + self.n_not_relevant)

    @property
    def recall(self) -> float | None:
        """Share of relevant documents that were delivered; None if not known."""
        missed = self.n_missed
        return None if missed is None else _ratio(self.n_relevant, self.n_relevant + missed)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; None if not known."""
        return _f1(self.n_relevant, self.n_not_relevant, self.n_missed)

    @property
    def f1_over_time(self) -> list[float | None]:
        """F1 of each window; None where it is not known, or nothing is relevant or delivered."""
        parts = (self.relevant_over_time, self.other_over_time, self.missed_over_time)
        return [_f1(*each) for each in zip(*parts, strict=True)]

    @property
    def utility_over_time(self) -> list[float]:
        """Utility of all judged deliveries up to the end of each window."""
        steps = np.subtract(
            np.multiply(self.gain, self.relevant_over_time),
            np.multiply(self.cost, self.other_over_time),
        )
        return [float(each) for each in np.cumsum(steps)]

    def to_dict(self) -> dict[str, Any]:
        """Return all values, for JSON."""
        counts = ("examples", "delivered", "relevant", "not_relevant", "unjudged", "missed")
        values = ("utility", "precision", "recall", "f1", "threshold")
        series = ("utility_over_time", "f1_over_time")
        counted = {each: getattr(self, f"n_{each}") for each in counts}
        measured = {each: getattr(self, each) for each in (*values, *series)}
        return {"name": self.name, **counted, **measured}


@dataclass(frozen=True)
class FilterReport:
    """Utility of all profiles over time, and their F1 where the labels of all documents are known.

    Attributes
    ----------
    n_documents, n_delivered : int
        Numbers of documents filtered, and of those delivered to some profile.
    gain, cost : float
        Utility of a relevant delivery, and cost of another one.
    profiles : list of ProfileReport
        The profiles.
    ends : list of int
        Number of documents at the end of each window of the stream.
    """

    n_documents: int
    n_delivered: int
    gain: float
    cost: float
    profiles: list[ProfileReport]
    ends: list[int]

    @property
    def utility(self) -> float:
        """Utility of all judged deliveries of all profiles."""
        return sum(each.utility for each in self.profiles)

    @property
    def utility_over_time(self) -> list[float]:
        """Utility of all profiles up to the end of each window."""
        return np.sum([each.utility_over_time for each in self.profiles], axis=0).tolist()

    @property
    def f1(self) -> float | None:
        """Mean F1 of the profiles for which it is known; None without any."""
        return _mean([each.f1 for each in self.profiles])

    @property
    def f1_over_time(self) -> list[float | None]:
        """Mean F1 of the profiles in each window."""
        series = [each.f1_over_time for each in self.profiles]
        return [_mean([each[at] for each in series]) for at in range(len(self.ends))]

    def to_dict(self) -> dict[str, Any]:
        """Return all values, for JSON."""
        return {
            "documents": self.n_documents,
            "delivered": self.n_delivered,
            "utility": self.utility,
            "f1": self.f1,
            "ends": self.ends,
            "utility_over_time": self.utility_over_time,
            "f1_over_time": self.f1_over_time,
            "profiles": [each.to_dict() for each in self.profiles],
        }

    def __str__(self) -> str:
        head = (
            f"{self.n_documents:,} documents, {self.n_delivered:,} delivered; utility "
            f"{self.utility:,g} (+{self.gain:g} relevant, -{self.cost:g} not relevant)"
        )
        names = ("profile", "delivered", "relevant", "not", "unjudged", "missed", "utility")
        rows: list[tuple[str, ...]] = [(*names, "precision", "recall", "F1")]
        for each in self.profiles:
            judged = (each.n_relevant, each.n_not_relevant, each.n_unjudged, each.n_missed)
            counts = (each.n_delivered, *judged)
            shares = (each.precision, each.recall, each.f1)
            shown = ["-" if value is None else f"{value:,}" for value in counts]
            measured = ["-" if value is None else f"{value:.3f}" for value in shares]
            rows.append((each.name, *shown, f"{each.utility:,g}", *measured))
        lines = [head, "", *_align_columns(rows)]
        if self.ends:
            lines += ["", "over time, all profiles:", *_align_columns(self._time_rows())]
        if any(each.n_missed is None for each in self.profiles) and self.n_documents:
            lines += ["", "Recall and F1 need the labels of documents that were not delivered."]
        return "\n".join(lines)

    def _time_rows(self) -> list[tuple[str, ...]]:
        f1 = ["-" if each is None else f"{each:.3f}" for each in self.f1_over_time]
        return [
            ("documents", *(f"{each:,}" for each in self.ends)),
            ("utility", *(f"{each:,g}" for each in self.utility_over_time)),
            ("mean F1", *f1),
        ]

    def to_svg(self, path: str | Path | None = None) -> str:
        """Return a drawing of utility and F1 over time, in SVG.

        Parameters
        ----------
        path : str or Path, default=None
            A file to write it to.
        """
        left, right = PlotArea(64, 44, 300, 220), PlotArea(440, 44, 300, 220)
        ends = [0, *self.ends]
        total = self.utility_over_time if self.ends else []
        own = [[0.0, *each.utility_over_time] for each in self.profiles]
        parts = [text("Utility so far", class_="head", x=left.left, y=26)]
        parts += _lines(left, ends, own, [0.0, *total], zero=True)
        parts += [text("F1", class_="head", x=right.left, y=26)]
        series = [each.f1_over_time for each in self.profiles]
        parts += _lines(right, self.ends, series, self.f1_over_time, zero=False)
        parts.append(text("one line a profile; thick: sum, mean", class_="tick", x=402, y=320))
        drawing = svg_drawing(parts, 780, 336, "Utility and F1 over time", _STYLE)
        return save_drawing(drawing, path)


_STYLE = """
  .profile { fill: none; stroke: #9fb3d1; stroke-width: 1.2 }
  .total { fill: none; stroke: #1f5fbf; stroke-width: 3 }
"""
_STEPS = tuple(base * 10**power for power in range(7) for base in (1, 2, 5))


def _lines(
    area: PlotArea,
    xs: Sequence[float],
    series: Sequence[Sequence[float | None]],
    total: Sequence[float | None],
    zero: bool,
) -> list[str]:
    """Return a plot of thin lines for profiles and a thick one for all of them."""
    values = [each for some in [*series, total] for each in some if each is not None]
    low, high = (min([0.0, *values]), max([1.0, *values])) if zero else (0.0, 1.0)
    width = max([1.0, *xs])
    parts = []
    step = tick_step(high - low, _STEPS) if zero else 0.2
    for at in range(math.ceil(low / step), math.floor(high / step + 1e-9) + 1):
        y = area.y((at * step - low) / (high - low))
        parts += [area.horizontal_line(y), area.y_tick(y, f"{at * step:,.10g}")]
    across = tick_step(width, _STEPS)
    for at in range(int(width / across) + 1):
        parts.append(area.x_tick(area.x(at * across / width), f"{at * across:,g}"))
    parts += [area.frame(), area.x_title("documents", 40)]
    for line, kind in [*((each, "profile") for each in series), (total, "total")]:
        points = [
            (area.x(x / width), area.y((value - low) / (high - low)))
            for x, value in zip(xs, line, strict=True)
            if value is not None
        ]
        if points:
            parts.append(element("path", class_=kind, d=polyline(points)))
    return parts


def _additive_models(given: Any) -> list[NaiveBayes]:
    """Return unfitted multi-label models that are functions of a tally."""
    from tallytext.classifier.expressions import build_model
    from tallytext.models.poisson import PoissonNB
    from tallytext.models.smoothing.semantic import Semantic

    if given is None:
        given = [PoissonNB(), PoissonNB(weighting="chi")]
    listed = [*given] if isinstance(given, list | tuple) else [given]
    found = [build_model(each)[1] if isinstance(each, str) else each for each in listed]
    for each in found:
        if not isinstance(each, NaiveBayes):
            raise SettingsError(
                f"{each!r:.80} cannot learn feedback exactly. Use an additive model such as "
                "'poisson' or 'multinomial'."
            )
        if getattr(each, "per_class", False):
            raise SettingsError(
                "per_class compares weightings on many labelled documents, and a filter starts "
                "with few. Choose the weighting: poisson(weighting=chi)."
            )
        if isinstance(getattr(each, "smoothing", None), Semantic):
            raise SettingsError(
                "a filter counts words only, so semantic smoothing would lack the phrases and "
                "concepts of its translation. Use another smoothing."
            )
    made = [clone(each).set_params(multi_label=True) for each in found]
    for each in made:
        each._resolve_multi_label(True)
    return made


def _check_text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"documents must be texts, not {value!r:.60}.")
    return value


def _check_id(value: Any) -> str:
    if value is None or isinstance(value, float) or not str(value).strip():
        raise InputError(
            f"a document has no id, but {value!r:.40}. Ids are texts or whole numbers."
        )
    return str(value)


def _label_list(value: Any) -> list[str]:
    given = [] if value is None else value if isinstance(value, list | tuple | set) else [value]
    labels = [str(each) for each in given]
    if not all(each.strip() for each in labels):
        raise LabelError("a label is empty.")
    return sorted({*labels})


def _join(windows: Sequence[_Window], size: int) -> list[_Window]:
    """Return windows of so many each."""
    return [sum(windows[at : at + size], _Window()) for at in range(0, len(windows), size)]


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _f1(relevant: int, other: int, missed: int | None) -> float | None:
    if missed is None or not relevant + other + missed:
        return None
    return 2 * relevant / (2 * relevant + other + missed)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) / len(known) if known else None


def _align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines, the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
