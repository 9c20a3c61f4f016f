"""The process that Spark forks its Python workers of this machine from: what all of them need is imported once.

Spark runs it in place of pyspark.daemon (setting `spark.python.daemon.module`). The workers of a cluster have a Python
of their own, and none of this.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from typing import Any

from pyspark import daemon

from .audit.spark_ready import get_ready


def working(worker: Callable[..., int], *given: Any) -> int:
    """Run a worker until Spark is done with it; return its exit code.

    Spark may have ended before the worker has: an interrupt ends it at once. The daemon would print a stack trace.
    """
    try:
        return worker(*given)
    except ConnectionError:
        return 1


if __name__ == "__main__":
    get_ready()
    gc.freeze()  # workers look for garbage after each task, and these objects never are: a tenth of a second for each
    daemon.worker = partial(working, daemon.worker)
    daemon.manager()
