"""5.2.6: terms that a penalty leaves, for penalties from hard to soft."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import RidgeClassifier
from sklearn.svm import LinearSVC

from experiments.aggarwal.corpora import TITLES, Documents, documents_of, right, split_of
from experiments.aggarwal.event_models import ranked_terms
from experiments.aggarwal.events import multinomial
from experiments.aggarwal.wording import listed
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import L1Selector, SmartWeighting

HEADING = "Terms that an L1 penalty leaves (5.2.6)"
ABOUT = """The book minimises squared error plus λ Σ|w| (5.10) and drops the terms whose weight is
zero. It has no figures. Here each class against the rest is +1 against −1, documents are weighted
by ltc (logarithm of the count, idf, unit length), an intercept is not penalised, and a term is kept
if any class keeps it; λ falls from half to a hundredth of the smallest λ that makes all weights
zero. The same is done with logistic loss instead of squares. For each λ the tables have the number
of terms, the training and test accuracy of the penalised model, and the accuracy of two other
classifiers on these terms, compared with the same number of terms by information gain and by the
largest χ²: multinomial naive Bayes (5.21) on counts, and a linear support vector machine on ltc
weights. Corpora: a sample of 3,000 training and 3,000 test documents each of 20 Newsgroups and of
AG News; words of two training documents or more. No λ is chosen: the whole path is shown.

There are three more checks. How does the model behave for λ down to a thousandth of the largest?
(For both losses; only the model itself is run there.) Does the model refitted without the dropped
terms, at a twentieth, make the same predictions? And how many weights does an L2 penalty, λ = 1,
set to zero?"""

SHARES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
SOFTER = (0.005, 0.002, 0.001)
LOSSES = {"squared": "squared error", "logistic": "logistic loss"}
# liblinear has one random generator for all threads: with two of them no run is like another.
THREADS = {"squared": None, "logistic": 1}
FILTERS = {"l1": "L1", "ig": "information gain", "chi": "χ²"}


def measure(work: Workplace) -> dict[str, Any]:
    corpora = ["ag_news"] if work.quick else ["newsgroups", "ag_news"]
    found: dict[str, Any] = {}
    for name in work.track(corpora):
        documents = documents_of(work, split_of(work, name, 3000, 3000), min_df=2)
        found[name] = _measured(documents, SHARES[:3] if work.quick else SHARES)
    return {"corpora": found}


def _measured(documents: Documents, shares: tuple[float, ...]) -> dict[str, Any]:
    weighted = weighed(documents)
    ranked = {order: ranked_terms(documents, order) for order in ("ig", "chi")}
    found: dict[str, Any] = {"n_terms": documents.X.shape[1], "shares": shares}
    ridge = RidgeClassifier(alpha=1.0).fit(weighted.X, weighted.y)
    found["l2_zeros"] = float((ridge.coef_ == 0).mean())
    found["all"] = classifiers(documents, weighted, np.arange(documents.X.shape[1]))
    for loss in LOSSES:
        points = [_point(documents, weighted, ranked, s) for s in _path(documents, loss, shares)]
        found[loss] = {name: [point[name] for point in points] for name in points[0]}
    softer = (0.1,) if len(shares) < len(SHARES) else SOFTER
    found["softer"] = {"shares": softer} | {
        loss: _beyond(documents, weighted, loss, softer) for loss in LOSSES
    }
    found["again"] = {loss: _agreement(weighted, loss) for loss in LOSSES}
    return found


def _beyond(
    documents: Documents, weighted: Documents, loss: str, shares: tuple[float, ...]
) -> dict[str, Any]:
    points = [_of_model(selector, weighted) for selector in _path(documents, loss, shares)]
    return {name: [point[name] for point in points] for name in points[0]}


def weighed(documents: Documents) -> Documents:
    """Return documents with weights ltc, by the training documents' frequencies."""
    smart = SmartWeighting("ltc").fit(documents.X)
    X, Z = smart.transform(documents.X), smart.transform(documents.Z)
    return documents._replace(X=X.tocsr(), Z=Z.tocsr())


def _path(documents: Documents, loss: str, shares: tuple[float, ...]) -> Iterator[L1Selector]:
    largest = _largest(documents, loss)
    for share in shares:
        selector = L1Selector(loss, l1_lambda=share * largest, tol=1e-3, n_jobs=THREADS[loss])
        yield selector.fit(documents.X, documents.y)


def _largest(documents: Documents, loss: str, weighting: str | None = "ltc") -> float:
    """Return the least penalty that makes all weights zero, by solving with a huge one."""
    huge = L1Selector(loss, l1_lambda=1e12, weighting=weighting)
    return float(huge.fit(documents.X, documents.y).l1_lambda_max_)


def _point(
    documents: Documents, weighted: Documents, ranked: dict[str, Any], selector: L1Selector
) -> dict[str, Any]:
    kept = np.flatnonzero(selector.get_support())
    lexicons = {"l1": kept} | {order: terms[: len(kept)] for order, terms in ranked.items()}
    found = _of_model(selector, weighted)
    for name, terms in lexicons.items():
        each = classifiers(documents, weighted, terms)
        found |= {f"{name}_{classifier}": value for classifier, value in each.items()}
    return found


def _of_model(selector: L1Selector, weighted: Documents) -> dict[str, Any]:
    """Return what the penalty leaves of the model, and how it does."""
    return {
        "lambda": selector.l1_lambda_,
        "terms": int(selector.get_support().sum()),
        "zeros": round(1 - selector.coef_.nnz / np.prod(selector.coef_.shape), 6),
        "learned": right(_said(selector, weighted.X), weighted.y),
        "test": right(_said(selector, weighted.Z), weighted.z),
    }


def classifiers(documents: Documents, weighted: Documents, terms: Any) -> dict[str, float]:
    """Return what naive Bayes and a support vector machine get right with some terms."""
    return {
        "bayes": documents.terms(terms).accuracy(multinomial()),
        "svm": weighted.terms(terms).accuracy(LinearSVC(random_state=0)),
    }


def _said(selector: L1Selector, X: Any) -> Any:
    return selector.classes_[decided(selector, X).argmax(axis=1)]


def decided(selector: L1Selector, X: Any) -> Any:
    """Return what the penalised model gives each class, documents by classes."""
    return np.asarray((X @ selector.coef_.T).todense()) + selector.intercept_


def _agreement(weighted: Documents, loss: str) -> float:
    """Solve, drop terms, solve again; return how many test documents get the same class."""
    penalty = 0.05 * _largest(weighted, loss, None)
    how = {"l1_lambda": penalty, "weighting": None, "n_jobs": THREADS[loss]}
    first, second = L1Selector(loss, **how), L1Selector(loss, **how)
    kept = np.flatnonzero(first.fit(weighted.X, weighted.y).get_support())
    small = weighted.terms(kept)
    second.fit(small.X, small.y)
    return right(_said(first, weighted.Z), _said(second, small.Z))


def show(found: Record) -> Iterable[str | Table | Figure]:
    for name, corpus in found.corpora.items():
        yield _table(TITLES[name], corpus)
    yield _figure(found)
    yield _softer(found)
    yield _dense(found)
    yield " ".join(_leads(TITLES[name], corpus) for name, corpus in found.corpora.items())
    rows = [
        (
            TITLES[name],
            100 * corpus.l2_zeros,
            100 * max(corpus.squared.zeros),
            100 * min(corpus.squared.zeros),
            *(100 * corpus.again[loss] for loss in LOSSES),
        )
        for name, corpus in found.corpora.items()
    ]
    columns = (
        "",
        "zero, L2",
        "zero, L1, hardest λ",
        "zero, L1, softest λ",
        "same class when solved again, squares",
        "logistic",
    )
    yield Table("Weights that are zero, and what dropping terms changes, in %", columns, rows, 2)


def _softer(found: Record) -> Table:
    """Return how the model does beyond the end of the path, beside its best on the path."""
    rows = []
    for name, corpus in found.corpora.items():
        for loss, title in LOSSES.items():
            beyond = corpus.softer[loss]
            best = max(corpus[loss].test)
            rows.append((f"{TITLES[name]}, {title}, best of the path", None, None, 100 * best))
            for at, share in enumerate(corpus.softer.shares):
                head = f"{TITLES[name]}, {title}, λ {share:g}"
                shares = 100 * beyond.learned[at], 100 * beyond.test[at]
                rows.append((head, beyond.terms[at], *shares))
    columns = ("", "terms", "L1 model, learned", "L1 model, test")
    return Table("Beyond the path: accuracy in %", columns, rows, 1)


def _dense(found: Record) -> str:
    """Return the models of which not nine in ten weights are zero."""
    models = [
        (f"{TITLES[name]}, {title}, λ {share:g} ({100 * zeros:.1f} %)", zeros)
        for name, corpus in found.corpora.items()
        for loss, title in LOSSES.items()
        for share, zeros in zip(corpus.shares, corpus[loss].zeros, strict=True)
    ]
    dense = [title for title, zeros in models if zeros <= 0.9]
    return (
        f"Of {len(models)} models not more than nine in ten weights are zero in: {listed(dense)}."
    )


def _leads(title: str, corpus: Record) -> str:
    leads = {}
    for classifier in ("svm", "bayes"):
        filters = zip(
            *(_both(corpus, f"{name}_{classifier}") for name in ("l1", "ig", "chi")), strict=True
        )
        leads[classifier] = 100 * float(np.mean([l1 - max(ig, chi) for l1, ig, chi in filters]))
    return (
        f"{title}: in the mean of all λ and both losses, terms of the L1 penalty are "
        f"{leads['svm']:+.1f} points from the better of the filters for the support vector machine "
        f"and {leads['bayes']:+.1f} for naive Bayes."
    )


def _both(corpus: Record, key: str) -> list[float]:
    return [value for loss in LOSSES for value in corpus[loss][key]]


def _table(title: str, corpus: Record) -> Table:
    rows = []
    for loss, name in LOSSES.items():
        path = corpus[loss]
        for at, share in enumerate(corpus.shares):
            values = [100 * path[key][at] for key in ("learned", "test", *_KEYS)]
            rows.append((f"{name}, λ {share:g}", path.terms[at], *values))
    whole = [100 * corpus["all"][key.split("_")[1]] for key in _KEYS]
    rows.append(("all terms", corpus.n_terms, None, None, *whole))
    heads = [f"{kind}: {FILTERS[key]}" for kind in ("Bayes", "SVM") for key in FILTERS]
    columns = ("", "terms", "L1 model, learned", "L1 model, test", *heads)
    return Table(f"{title}: accuracy in %, λ as a share of the largest", columns, rows, 1)


_KEYS = [f"{name}_{classifier}" for classifier in ("bayes", "svm") for name in FILTERS]


def _figure(found: Record) -> Figure:
    drawn, plots = panels(2 * len(found.corpora), across=2, width=4.6, height=2.8)
    pairs = [(name, loss) for name in found.corpora for loss in LOSSES]
    for plot, (name, loss) in zip(plots, pairs, strict=True):
        path = found.corpora[name][loss]
        lines = {
            "L1 model, learned": path.learned,
            "L1 model, test": path.test,
            **{f"SVM, {title}": path[f"{key}_svm"] for key, title in FILTERS.items()},
            **{f"Bayes, {title}": path[f"{key}_bayes"] for key, title in FILTERS.items()},
        }
        scaled = {title: [100 * value for value in values] for title, values in lines.items()}
        title = f"{TITLES[name]}, {LOSSES[loss]}"
        draw_lines(plot, path.terms, scaled, title=title, x_label="terms kept", log_x=True)
        plot.set_ylabel("accuracy, %")
    legend_below(drawn, plots)
    about = "Accuracy over the number of terms that penalties from hard to soft leave."
    return Figure("aggarwal-l1", about, drawn)
