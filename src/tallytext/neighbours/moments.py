"""Answers of one moment, though another thread may learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sklearn.utils.validation import check_is_fitted

P = ParamSpec("P")
Answer = TypeVar("Answer")
Method = Callable[Concatenate[Any, P], Answer]


def at_one_moment(method: Method[P, Answer]) -> Method[P, Answer]:
    """Return a method of a model that waits until its documents are all learned or forgotten."""

    @wraps(method)
    def waiting(self: Any, /, *given: P.args, **named: P.kwargs) -> Answer:
        check_is_fitted(self)
        with self.documents_.lock:
            return method(self, *given, **named)

    return waiting
