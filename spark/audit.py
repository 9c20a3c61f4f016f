"""A job that audits logs and writes the tables: `python -m isrproof.spark.audit`, or this file with spark-submit."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click
from isrproof.checker.audit.command import exit_code
from isrproof.checker.audit.options import FAIL_ON, TROUBLE
from isrproof.checker.audit.report.forms import AuditRun, write
from isrproof.checker.failure import fail
from isrproof.checker.spark_session import session, spark_failures
from isrproof.spark.audited import audit_logs
from isrproof.specs.errors import IsrproofError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TABLES = ("findings", "happened", "partitions", "coverage")
"""In the order of writing: where coverage is, all are."""
_STARTED = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE")
"""Variables of the environment that spark-submit sets, or a user of Spark Connect."""


def _session() -> SparkSession:
    """Return the session of the job; one of this machine, if no cluster started the job."""
    if not any(name in os.environ for name in _STARTED):
        return session()
    from pyspark.sql import SparkSession

    return SparkSession.builder.appName("isrproof").getOrCreate()


@click.command(name="audit")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--out", help="Write the tables into folders of this folder, on any file system.")
@click.option("--format", "form", default="parquet", show_default=True, help="The format of the tables, such as delta.")
@click.option(
    "--mode",
    type=click.Choice(["errorifexists", "append", "overwrite"]),
    default="errorifexists",
    show_default=True,
    help="What to do with tables that are there.",
)
@click.option("--each", is_flag=True, help="Audit every PATH as a separate cluster.")
@click.option("--release", default="auto", show_default=True, help="The release that ran.")
@click.option("--lossy", is_flag=True, help="Any line may be missing, so a missing line proves nothing.")
@click.option("--layout", metavar="PATTERN", help="The log4j pattern of the files.")
@click.option("--input", metavar="ENVELOPE[/LAYOUT]", help="The envelope of the files.")
@click.option("--partition", metavar="TOPIC-N", help="Report only this partition.")
@click.option("--since", metavar="TIME", help="Report from this time on.")
@click.option("--until", metavar="TIME", help="Report up to this time.")
@click.option("--fail-on", type=click.Choice((*FAIL_ON, TROUBLE)), default="illegal", show_default=True)
def command(
    paths: tuple[str, ...], out: str | None, form: str, mode: str, fail_on: str, **options: str | bool | None
) -> None:
    """Audit logs on Spark, print the report, and write its tables. The exit codes are those of `isrproof audit`."""
    try:
        made = audit_logs(_session(), paths, **options)
        if out is not None:
            with spark_failures():
                for table in _TABLES:
                    getattr(made, table).write.format(form).mode(mode).save(f"{out.rstrip('/')}/{table}")
    except (IsrproofError, OSError) as error:
        fail(error, as_json=False)
    reports = list(made.reports.values())
    click.echo(write("text", AuditRun(list(paths), reports, each=bool(options["each"]))))
    codes = {exit_code(report, fail_on) for report in reports}
    sys.exit(next(code for code in (1, 3, 0) if code in codes))


if __name__ == "__main__":
    command()
