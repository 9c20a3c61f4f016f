"""Modules that an audit on Spark needs wherever it runs Python, imported and compiled in advance.

The driver does this while Java starts, and the process that workers are forked from does it before it forks any.
"""

from __future__ import annotations

from ...traces.events.frequent import frequent
from ...traces.events.parse import compile_patterns
from .catalogue import observations
from .rules.catalogue import rules


def get_ready() -> None:
    import pandas  # noqa: F401  PySpark imports it for Arrow

    from . import pipeline  # noqa: F401  the looks of the audit
    from .files import worker  # noqa: F401

    compile_patterns()
    frequent()
    observations()
    rules()
