"""One class after the other against the rest, for penalties that become smaller and smaller."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from tallytext.bayes.held_out import stratified_folds
from tallytext.linear.l1_solvers import SOLVERS, Effort, Fitted, Solver
from tallytext.progress import progress_bar
from tallytext.smoothing.base import Numbers

# When so many penalties in a row were worse than the best, the smaller ones are not tried.
_PATIENCE = 5


@dataclass(frozen=True)
class Questions:
    """Of each class: which documents have it.

    Attributes
    ----------
    solvers : list of Solver
    threads : int
    """

    solvers: list[Solver]
    threads: int

    @classmethod
    def of(cls, X: Any, signs: Numbers, loss: str, effort: Effort, threads: int) -> Self:
        """Ask for each column of signs, +1 for documents of the class and -1 for the others."""
        columns, solver = sparse.csc_array(X), SOLVERS[loss]
        at_once = threads if solver.threads_agree else 1
        return cls([solver(columns, y, effort) for y in signs.T], at_once)

    def largest(self) -> float:
        """Return the penalty from which no class needs a word."""
        return max(solver.largest() for solver in self.solvers)

    def solve(self, penalty: float) -> list[Fitted]:
        """Return the best weights of all classes."""
        work = (delayed(solver.solve)(penalty) for solver in self.solvers)
        return list(Parallel(n_jobs=self.threads, prefer="threads")(work))

    def objectives(self, found: list[Fitted], penalty: float) -> Numbers:
        """Return what each class made as small as could be."""
        each = zip(self.solvers, found, strict=True)
        return np.array([solver.objective(fitted, penalty) for solver, fitted in each])


def penalties(largest: float, n: int) -> Numbers:
    """Return penalties from the largest that matters down to a thousandth of it.

    Examples
    --------
    >>> penalties(6.0, 4).round(3)
    array([6.   , 0.6  , 0.06 , 0.006])
    """
    return largest * np.logspace(0, -3, n)


@dataclass(frozen=True)
class CrossValidation:
    """Penalties judged on documents that were left out.

    Attributes
    ----------
    folds : ndarray of int of shape (n_documents,)
    loss : str
    effort : Effort
    threads : int
    verbose : bool or None
    """

    folds: NDArray[np.intp]
    loss: str
    effort: Effort
    threads: int
    verbose: bool | None

    @classmethod
    def dealt(
        cls, signs: Numbers, cv: int, loss: str, effort: Effort, threads: int, verbose: bool | None
    ) -> Self:
        """Deal documents so that each class is spread over the folds."""
        seed = effort.random_state if isinstance(effort.random_state, int) else 0
        folds = stratified_folds(signs > 0, min(cv, len(signs)), seed)
        return cls(folds, loss, effort, threads, verbose)

    def losses(self, X: sparse.csr_array[Any], signs: Numbers, tried: Numbers) -> Numbers:
        """Return the mean loss of a document for each penalty, infinite for those not tried."""
        found = np.full(len(tried), np.inf)
        parts = [self._part(X, signs, fold) for fold in range(int(self.folds.max()) + 1)]
        with progress_bar("penalties", len(tried), self.verbose) as step:
            for at, penalty in enumerate(tried.tolist()):
                lost = [self._lost(questions, held, penalty) for questions, held in parts]
                found[at] = sum(lost) / len(signs)
                step()
                if at - int(found.argmin()) >= _PATIENCE:
                    break
        return found

    def _part(
        self, X: sparse.csr_array[Any], signs: Numbers, fold: int
    ) -> tuple[Questions, tuple[Any, Numbers]]:
        rest, held = np.flatnonzero(self.folds != fold), np.flatnonzero(self.folds == fold)
        questions = Questions.of(X[rest], signs[rest], self.loss, self.effort, self.threads)
        return questions, (X[held], signs[held])

    def _lost(self, questions: Questions, held: tuple[Any, Numbers], penalty: float) -> float:
        X, signs = held
        loss = SOLVERS[self.loss].loss
        fitted = questions.solve(penalty)
        return sum(loss(each(X), y) for each, y in zip(fitted, signs.T, strict=True))


@contextmanager
def patiently() -> Iterator[None]:
    """Let penalties on the way be solved as far as they were."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
