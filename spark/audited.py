"""The audit on a user's session, and its report as DataFrames: what the command line prints as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..checker.audit.command import audit as reports_of
from ..checker.audit.options import Options
from ..checker.audit.report.model import Report
from .notebook import in_frame
from .sessions import auditing
from .tables import tables

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Audit:
    """An audit that ran on a session."""

    spark: SparkSession
    reports: Mapping[str, Report]
    """The report of each cluster: by its PATH with `each`, else the only one, by an empty text."""

    @property
    def report(self) -> Report:
        """The first report."""
        return next(iter(self.reports.values()))

    def _repr_html_(self) -> str:
        """Return the page of the reports, for a notebook."""
        return in_frame(self.reports)

    @cached_property
    def findings(self) -> DataFrame:
        return self._table("findings")

    @cached_property
    def happened(self) -> DataFrame:
        return self._table("happened")

    @cached_property
    def partitions(self) -> DataFrame:
        return self._table("partitions")

    @cached_property
    def coverage(self) -> DataFrame:
        return self._table("coverage")

    def _table(self, name: str) -> DataFrame:
        import pyarrow as pa

        batch = batch_from(name, self.reports)
        return self.spark.createDataFrame(pa.Table.from_batches([batch]), tables()[name].ddl)


_OF_REPORT: Mapping[str, Callable[[Report], Sequence[object]]] = {
    "findings": lambda report: report.findings,
    "happened": lambda report: report.happened,
    "partitions": lambda report: report.timeline or (),
    "coverage": lambda report: report.files,
}
OF_REPORT = frozenset(_OF_REPORT)
"""The tables that a report has."""


def batch_from(name: str, reports: Mapping[str, Report]) -> pa.RecordBatch:
    """Return the rows of a table from the reports of clusters."""
    from .arrow import as_row, batch_of, schema_of, valid

    table = tables()[name]
    rows = [
        as_row(each, table.columns) | {"cluster": valid(cluster)}
        for cluster, report in reports.items()
        for each in _OF_REPORT[name](report)
    ]
    return batch_of(schema_of(table), rows)


def audit_logs(spark: SparkSession, paths: str | Sequence[str], **options: Any) -> Audit:
    """Audit logs on a session, as `isrproof audit` does.

    Args:
        paths: files, folders, globs or archives; each may be on any file system of the session.
        options: those of `isrproof audit` that say what is audited: release, each, lossy, layout, input, partition,
            since, until.

    Raises:
        IsrproofError: as the command prints it, or Spark failed.
    """
    given = [paths] if isinstance(paths, str) else list(paths)
    defaults: dict[str, Any] = {"timeline": True, "engine": "spark"}
    asked = Options.of(**defaults | options)
    with auditing(spark, f"isrproof audit of {', '.join(given):.200}"):
        made = reports_of(given, asked)
    return Audit(spark, dict(zip(given if asked.each else [""], made, strict=True)))


def findings(spark: SparkSession, paths: str | Sequence[str], **options: Any) -> DataFrame:
    """Return the findings of an audit; see `audit_logs`."""
    return audit_logs(spark, paths, **options).findings


def happened(spark: SparkSession, paths: str | Sequence[str], **options: Any) -> DataFrame:
    """Return what happened to the cluster by an audit; see `audit_logs`."""
    return audit_logs(spark, paths, **options).happened


def partitions(spark: SparkSession, paths: str | Sequence[str], **options: Any) -> DataFrame:
    """Return the states of partitions by an audit; see `audit_logs`."""
    return audit_logs(spark, paths, **options).partitions


def coverage(spark: SparkSession, paths: str | Sequence[str], **options: Any) -> DataFrame:
    """Return the files that an audit read; see `audit_logs`."""
    return audit_logs(spark, paths, **options).coverage
