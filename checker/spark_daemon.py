"""The process that Spark forks its Python workers of this machine from: what all of them need is imported once.

Spark runs it in place of pyspark.daemon (setting `spark.python.daemon.module`). The workers of a cluster have a Python
of their own, and none of this.
"""

from __future__ import annotations

import pandas  # noqa: F401  PySpark's way with Arrow imports it
from pyspark.daemon import manager

from ..traces.events.parse import parse_line
from ..traces.spark.extract import beginnings
from .audit import pipeline  # noqa: F401  the looks of the audit
from .audit.files import worker  # noqa: F401
from .audit.observe.catalogue import observations
from .audit.rules.catalogue import rules

if __name__ == "__main__":
    parse_line("[2020-01-01 00:00:00,000] INFO Ready (kafka.Ready)")  # compiles the reference parser's patterns
    beginnings()
    observations()
    rules()
    manager()
