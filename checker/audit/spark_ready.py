"""What an audit on Spark needs wherever it runs Python, imported and compiled before it is asked for.

The driver does so while Java starts, and the process that workers are forked from before it forks any.
"""

from __future__ import annotations

from ...traces.events.frequent import frequent
from ...traces.events.parse import compile_patterns
from .catalogue import observations
from .rules.catalogue import rules


def get_ready() -> None:
    import pandas  # noqa: F401  PySpark's way with Arrow imports it

    from . import pipeline  # noqa: F401  the looks of the audit
    from .files import worker  # noqa: F401

    compile_patterns()
    frequent()
    observations()
    rules()
