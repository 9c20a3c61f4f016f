"""isrproof events: the parsed events of logs as a table of Parquet files, to be audited and queried again."""

from __future__ import annotations

from dataclasses import asdict

import click

from ...specs.errors import IsrproofError
from ..arguments import FilePath, jobs_option
from ..failure import fail, say, say_json


@click.command(name="events")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--out",
    required=True,
    type=FilePath(file_okay=False),
    metavar="TABLE",
    help="The folder of the table.",
)
@click.option("--append", is_flag=True, help="Add the files that are new, and the new lines of files that grew.")
@click.option("--each", is_flag=True, help="Every PATH is a separate cluster (default: all PATHs are one cluster).")
@click.option(
    "--cluster-from",
    metavar="PATTERN",
    help="Name the cluster of a file by its path: 'logs/{cluster}/...'. A * stands for any one folder.",
)
@click.option("--layout", metavar="PATTERN", help="The log4j pattern of the files, as for `isrproof audit`.")
@click.option("--input", "envelope", metavar="ENVELOPE[/LAYOUT]", help="The envelope, as for `isrproof audit`.")
@jobs_option("Number of processes that parse files.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    paths: tuple[str, ...],
    out: str,
    append: bool,
    each: bool,
    cluster_from: str | None,
    layout: str | None,
    envelope: str | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Parse logs once: write their events, and the files of metadata logs, as a table into a new folder.

    `isrproof audit TABLE` then gives the same report as from the logs, without parsing them. The events are Parquet
    files by cluster and day, which Spark, DuckDB and pandas read (docs/event-table.md). --append parses only files
    that are new, and knows again files that were rotated, compressed or moved.

    Exit 0: the table is complete. 2: misuse, or nothing could be read or written; a table that was there is unchanged.
    """
    from ..audit.engine import must_have_columns

    try:
        if each and cluster_from is not None:
            raise IsrproofError("--each and --cluster-from both name the clusters; give one.")
        must_have_columns("isrproof events")
        from ..audit.stored.writing import Input, folder_of, write_events

        asked = Input(paths, each, cluster_from, layout, envelope)
        written = write_events(folder_of(out), asked, append=append, jobs=jobs)
    except (IsrproofError, OSError) as error:
        fail(error, as_json=as_json)
    if as_json:
        say_json({"table": out, **asdict(written)})
        return
    share = f", {written.text / written.parquet:.0f} times smaller than the text" if written.parquet else ""
    say(
        f"{out}: {written.files} files, {written.parquet / 1e6:.1f} MB{share}\n"
        f"  this time: {written.new} new, {written.grown} that grew, {written.known} known"
        f" ({written.renamed} under another name), {written.metadata} files of metadata logs\n"
        f"  audit it: isrproof audit {out}"
    )
