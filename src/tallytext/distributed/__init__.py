"""Tallies counted in many places at once, by Dask or Spark: equal to those counted in one."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallytext.distributed.dask_answering import dask_predict
    from tallytext.distributed.dask_counting import dask_tally
    from tallytext.distributed.dask_judging import dask_evaluate
    from tallytext.distributed.files import Files
    from tallytext.distributed.spark_answering import spark_evaluate, spark_predict
    from tallytext.distributed.spark_counting import spark_tally

__all__ = [
    "Files",
    "dask_evaluate",
    "dask_predict",
    "dask_tally",
    "spark_evaluate",
    "spark_predict",
    "spark_tally",
]

# Imported when first asked for, as in the package itself.
_HOMES = {
    "Files": "tallytext.distributed.files",
    "dask_evaluate": "tallytext.distributed.dask_judging",
    "dask_predict": "tallytext.distributed.dask_answering",
    "dask_tally": "tallytext.distributed.dask_counting",
    "spark_evaluate": "tallytext.distributed.spark_answering",
    "spark_predict": "tallytext.distributed.spark_answering",
    "spark_tally": "tallytext.distributed.spark_counting",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'tallytext.distributed' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
