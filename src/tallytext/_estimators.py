"""Base classes of the estimators, which do without scikit-learn until it is imported.

Importing scikit-learn takes ten times as long as predicting one text. The base classes here have
the few methods that loading and using a model needs. When ``sklearn.base`` is imported, by
whomever, they become subclasses of scikit-learn's classes of the same names, and so does every
estimator: ``isinstance(model, sklearn.base.BaseEstimator)`` is true whenever it can be asked.

The bases change by assigning to ``__bases__``, before the import of ``sklearn.base`` returns. An
import hook does this, and removes itself. Methods of scikit-learn that are called before, such as
``score``, import it.
"""

from __future__ import annotations

import inspect
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import wraps
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        MetaEstimatorMixin,
        OneToOneFeatureMixin,
        TransformerMixin,
    )

__all__ = [
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "MetaEstimatorMixin",
    "OneToOneFeatureMixin",
    "TransformerMixin",
    "check_is_fitted",
    "clone",
    "join_sklearn",
]

_BASE = "sklearn.base"
_lock = threading.RLock()
_created: list[tuple[weakref.ref[type], dict[str, Any]]] = []
"""The estimators that were defined before scikit-learn was imported, in order, each with the
keywords of its class statement."""


def clone(estimator: Any, *, safe: bool = True) -> Any:
    """Return an unfitted estimator with the same parameters, as scikit-learn's ``clone`` does."""
    if isinstance(estimator, _LightEstimator):
        return _clone_light(estimator)
    from sklearn.base import clone as sklearn_clone

    return sklearn_clone(estimator, safe=safe)


def _clone_light(value: Any) -> Any:
    """Clone an estimator or a parameter while scikit-learn is not imported."""
    if hasattr(value, "__sklearn_clone__") and not isinstance(value, type):
        return value.__sklearn_clone__()
    if isinstance(value, _LightEstimator):
        parameters = value.get_params(deep=False).items()
        return type(value)(**{name: _clone_light(given) for name, given in parameters})
    if type(value) is dict:
        return {key: _clone_light(given) for key, given in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(_clone_light(given) for given in value)
    return deepcopy(value)


def check_is_fitted(estimator: Any) -> None:
    """Raise scikit-learn's NotFittedError if an estimator has not been fitted."""
    if hasattr(estimator, "__sklearn_is_fitted__"):
        fitted = estimator.__sklearn_is_fitted__()
    else:
        fitted = any(name.endswith("_") and not name.startswith("__") for name in vars(estimator))
    if not fitted:
        from sklearn.utils.validation import check_is_fitted as sklearn_check

        sklearn_check(estimator)


class _Light:
    """The base of all base classes until scikit-learn is imported."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        # Not passed on: object takes no keywords, and scikit-learn's classes get them later.
        super().__init_subclass__()
        if cls.__module__ == __name__:
            return
        with _lock:
            _created.append((weakref.ref(cls), keywords))
            joined = BaseEstimator.__bases__ != (_LightEstimator,)
        if joined:  # by another thread, while this class was being made
            _set_up_created()


def _from_sklearn(base: str, name: str) -> Callable[..., Any]:
    """Return a method that imports scikit-learn and calls its method of the same name."""

    def method(self: Any, *args: Any, **keywords: Any) -> Any:
        import_module(_BASE)
        # Not self.name, which may be the method of a subclass that has called this one.
        return getattr(super(globals()[base], self), name)(*args, **keywords)

    method.__name__, method.__qualname__ = name, f"{base}.{name}"
    return method


class _LightEstimator(_Light):
    """Parameters and pickling, as in scikit-learn's BaseEstimator."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        if cls.__init__ is object.__init__:
            return []
        parameters = [*inspect.signature(cls.__init__).parameters.values()][1:]
        return sorted(each.name for each in parameters if each.kind != each.VAR_KEYWORD)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with ``deep``, also those of estimators among them."""
        found: dict[str, Any] = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found |= {f"{name}__{key}": inner for key, inner in value.get_params().items()}
            found[name] = value
        return found

    def set_params(self, **parameters: Any) -> Any:
        """Set parameters of this estimator; ``name__inner`` sets one of an estimator among them."""
        if not parameters.keys() <= {*self._get_param_names()}:
            import_module(_BASE)
            return super(BaseEstimator, self).set_params(**parameters)  # type: ignore[misc]
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @property
    def _repr_html_(self) -> Any:
        import_module(_BASE)
        return super(BaseEstimator, self)._repr_html_  # type: ignore[misc]

    get_metadata_routing = _from_sklearn("BaseEstimator", "get_metadata_routing")
    __repr__ = _from_sklearn("BaseEstimator", "__repr__")
    __dir__ = _from_sklearn("BaseEstimator", "__dir__")
    __sklearn_tags__ = _from_sklearn("BaseEstimator", "__sklearn_tags__")
    _repr_mimebundle_ = _from_sklearn("BaseEstimator", "_repr_mimebundle_")


class _LightClassifier(_Light):
    __sklearn_tags__ = _from_sklearn("ClassifierMixin", "__sklearn_tags__")
    score = _from_sklearn("ClassifierMixin", "score")


class _LightTransformer(_Light):
    __sklearn_tags__ = _from_sklearn("TransformerMixin", "__sklearn_tags__")
    fit_transform = _from_sklearn("TransformerMixin", "fit_transform")

    @property
    def set_output(self) -> Any:
        # scikit-learn has it for some transformers only, which hasattr has to see.
        import_module(_BASE)
        return super(TransformerMixin, self).set_output  # type: ignore[misc]


class _LightPrefixedNames(_Light):
    get_feature_names_out = _from_sklearn(
        "ClassNamePrefixFeaturesOutMixin", "get_feature_names_out"
    )


class _LightSameNames(_Light):
    get_feature_names_out = _from_sklearn("OneToOneFeatureMixin", "get_feature_names_out")


class _LightMetaEstimator(_Light):
    pass


if not TYPE_CHECKING:

    class BaseEstimator(_LightEstimator):
        """Base class of estimators."""

    class ClassifierMixin(_LightClassifier):
        """Mixin of classifiers."""

    class TransformerMixin(_LightTransformer):
        """Mixin of transformers."""

    class ClassNamePrefixFeaturesOutMixin(_LightPrefixedNames):
        """Mixin of transformers that name their output after their class."""

    class OneToOneFeatureMixin(_LightSameNames):
        """Mixin of transformers that keep the names of their input."""

    class MetaEstimatorMixin(_LightMetaEstimator):
        """Mixin of estimators that wrap another one."""


_STAND_INS = (
    BaseEstimator,
    ClassifierMixin,
    TransformerMixin,
    ClassNamePrefixFeaturesOutMixin,
    OneToOneFeatureMixin,
    MetaEstimatorMixin,
)


def join_sklearn(base: ModuleType) -> None:
    """Make scikit-learn's classes the bases of ours, and set up the estimators defined so far.

    Parameters
    ----------
    base : module
        ``sklearn.base``.
    """
    with _lock:
        for each in _STAND_INS:
            each.__bases__ = (getattr(base, each.__name__),)
    _set_up_created()


def _set_up_created() -> None:
    # scikit-learn adds methods to each class when it is defined: to base classes first.
    with _lock:
        while _created:
            reference, keywords = _created.pop(0)
            cls: Any = reference()
            if cls is not None:
                super(cls, cls).__init_subclass__(**keywords)


class _JoiningFinder:
    """Finds ``sklearn.base`` as the other finders do, and joins it when it has been executed."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _BASE:
            return None
        for finder in [each for each in sys.meta_path if each is not self]:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                _join_after_execution(spec.loader)
                return spec
        return None


def _join_after_execution(loader: Any) -> None:
    execute = loader.exec_module

    @wraps(execute)
    def execute_and_join(module: ModuleType) -> None:
        execute(module)
        join_sklearn(module)
        del loader.exec_module
        if _finder in sys.meta_path:
            sys.meta_path.remove(_finder)

    loader.exec_module = execute_and_join


_finder = _JoiningFinder()
sys.meta_path.insert(0, _finder)
if _BASE in sys.modules:
    sys.meta_path.remove(_finder)
    join_sklearn(import_module(_BASE))
