"""The process that Spark forks its Python workers of this machine from: what all of them need is imported once.

Spark runs it in place of pyspark.daemon (setting `spark.python.daemon.module`). The workers of a cluster have a Python
of their own, and none of this.
"""

from __future__ import annotations

import gc

from pyspark.daemon import manager

from .audit.spark_ready import get_ready

if __name__ == "__main__":
    get_ready()
    gc.freeze()  # workers look for garbage after each task, and these objects never are: a tenth of a second for each
    manager()
