"""Distributed counting and prediction with Dask and Spark, bit-identical to a single machine."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.distributed.dask import dask_evaluate, dask_predict, dask_tally
    from tallytext.distributed.files import Files
    from tallytext.distributed.spark import spark_evaluate, spark_predict, spark_tally

__all__ = [
    "Files",
    "dask_evaluate",
    "dask_predict",
    "dask_tally",
    "spark_evaluate",
    "spark_predict",
    "spark_tally",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "dask": ["dask_evaluate", "dask_predict", "dask_tally"],
        "files": ["Files"],
        "spark": ["spark_evaluate", "spark_predict", "spark_tally"],
    },
)
