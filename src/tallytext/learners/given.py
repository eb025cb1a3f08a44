"""Models that users bring along, as learners."""

from __future__ import annotations

from typing import Any

from tallytext.learners.learner import Learner


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
    from tallytext.bayes.model import NaiveBayes
    from tallytext.trained import TrainedClassifier

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
