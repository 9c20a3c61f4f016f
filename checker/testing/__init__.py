"""Assertions for tests of others: a log conforms, a model holds. A failure has the report as its message.

>>> from isrproof.checker.testing import audit_conforms, model_holds
>>> audit_conforms("tests/logs/broker-*/")             # doctest: +SKIP
>>> model_holds("kip320", ["StrongIsr"], replicas=2)   # doctest: +SKIP

With pytest both are fixtures too (plugin.py), and `strategies` has log lines for Hypothesis. Nothing heavy is imported
until one of them is called.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..audit.report.model import Report
    from ..explore.result import Exploration

PathLike = str | os.PathLike[str]


def audit_conforms(
    *paths: PathLike, fail_on: str = "illegal", baseline: PathLike | None = None, **options: Any
) -> Report:
    """The report of the logs of one cluster, which conforms.

    Args:
        paths: files, globs, directories.
        fail_on: illegal, suspicious, refused or unknown; each includes those before it. Or trouble: what is illegal,
            or trouble for the cluster.
        baseline: a JSON or SARIF report, whose findings are none here.
        options: as of `Options.of`: release, lossy, partition, since, until, engine, ...

    Raises:
        AssertionError: the audit's exit code would not be 0: something illegal, not all read, or nothing to check.
        IsrproofError: a path does not exist, or an option is none.
    """
    __tracebackhide__ = True
    from pathlib import Path

    from ..audit.command import audit, exit_code
    from ..audit.options import Options
    from ..audit.report.baseline import only_new, read_baseline
    from ..audit.report.text import as_text

    known = None if baseline is None else read_baseline(Path(baseline))
    (report,) = audit([os.fspath(path) for path in paths], Options.of(fail_on=fail_on, **options))
    if known is not None:
        report = only_new(report, known, os.fspath(baseline or ""))
    if exit_code(report, fail_on):
        raise AssertionError(as_text(report, verbose=True))
    return report


def model_holds(
    model: Any, properties: Sequence[str] | None = None, *, symmetry: bool | None = None, **settings: int
) -> Exploration:
    """The exploration of a model, all of whose properties hold.

    Args:
        model: its name, or the model itself.
        properties: names; None: all that the model promises.
        symmetry: whether of states that differ in the names of brokers only one is searched; None: where that is sound.
        settings: of the instance, such as replicas=3.

    Raises:
        AssertionError: one is violated, or undecided; the message has the path.
        IsrproofError: there is no such model, property or setting.
    """
    __tracebackhide__ = True
    from ..explore.run import assert_holds

    return assert_holds(model, properties, symmetry=symmetry, **settings)
