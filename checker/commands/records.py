"""isrproof records: the contents of KRaft's metadata log, record by record."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ...specs.errors import IsrproofError, unknown
from ..failure import fail, say

if TYPE_CHECKING:
    from ...traces.metadata.batches import Batches, Record


@click.command(name="records")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--type", "types", multiple=True, metavar="TYPE", help="Print only records of this type, such as PARTITION_CHANGE."
)
@click.option("--topic", help="Print only records about this topic, by name or id.")
@click.option("--partition", type=int, metavar="N", help="Print only records about partitions with this number.")
@click.option("--since-offset", type=int, metavar="N", help="Print only records from this offset on.")
@click.option("--format", "form", type=click.Choice(["json", "table"]), default="json", show_default=True)
def command(
    paths: tuple[str, ...],
    types: tuple[str, ...],
    topic: str | None,
    partition: int | None,
    since_offset: int | None,
    form: str,
) -> None:
    """Print the records of KRaft's metadata log: segments, snapshots and bootstrap.checkpoint in PATHs.

    Each line is a JSON object: file, offset, epoch, timestamp, batch (its first offset), type, version, data; types and
    data as Kafka's own dump tool prints them. Data is null if the type is not known, or if the newest known version
    cannot read a newer one; "partial" is true if some part of the record is not known.

    Exit 0: all was read. 2: misuse, or nothing could be read. 3: a file is cut or broken; its whole part was printed.
    """
    from ...traces.metadata.batches import Batches
    from ...traces.metadata.files import must_be_found

    try:
        files = [file.path for file in must_be_found(paths)]
        wanted = _types(types)
        ids = None if topic is None else _ids(files, topic)
    except (IsrproofError, OSError) as error:
        fail(error, as_json=False)
    show = _line if form == "json" else _row
    problems = read = 0
    for path in files:
        batches = Batches(path)
        for record in (record for batch in batches for record in batch.records):
            if (
                (not wanted or record.type in wanted)
                and (since_offset is None or since_offset <= record.offset)
                and (ids is None or _is_about(record, topic, ids))
                and (partition is None or (record.data or {}).get("partitionId") == partition)
            ):
                say(show(path, record))
        counts = batches.counts
        read += counts.decoded
        problems += _warn(path, batches)
    sys.exit(0 if not problems else 3 if read else 2)


def _warn(path: str, batches: Batches) -> bool:
    """Print to stderr what was not read of a file; return whether anything was broken."""
    counts = batches.counts
    for of, what in ((counts.unknown, "not read"), (counts.partial, "read in part")):
        if of:
            kinds = ", ".join(f"{kind} ({n})" for kind, n in sorted(of.items()))
            click.echo(
                f"{path}: {sum(of.values())} records {what}: this version of isrproof does not know {kinds}", err=True
            )
    if batches.problem is not None:
        click.echo(f"{path}: {batches.problem}", err=True)
    return batches.problem is not None


def _types(names: tuple[str, ...]) -> set[str]:
    from ...specs.metadata import types_by_name

    known = set(types_by_name())
    found = set()
    for name in names:
        upper = name.upper()
        matching = {upper, f"{upper}_RECORD"} & known
        if not matching:
            raise unknown("type of records", upper, sorted(known))
        found |= matching
    return found


def _ids(files: list[str], topic: str) -> set[str]:
    """Return the ids that a topic's name ever had; an id stands for itself."""
    from ...traces.metadata.batches import Batches

    return {topic} | {
        record.data["topicId"] for record in _all(files, Batches) if record.data and _names(record, topic)
    }


def _all(files: list[str], batches: type) -> Iterator[Record]:
    return (record for path in files for batch in batches(path) for record in batch.records)


def _names(record: Record, topic: str) -> bool:
    return record.type == "TOPIC_RECORD" and (record.data or {}).get("name") == topic


def _is_about(record: Record, topic: str | None, ids: set[str]) -> bool:
    data = record.data or {}
    if record.type == "CONFIG_RECORD":
        return bool(data["resourceType"] == _TOPIC_CONFIG and data["resourceName"] == topic)
    return bool(data.get("topicId") in ids or _names(record, topic or "") or data.get("topicName") == topic)


_TOPIC_CONFIG = 2
"""The resource type of a topic's configuration."""


def _line(path: str, record: Record) -> str:
    from ...traces.metadata.reader import in_table_order

    return json.dumps(
        {
            "file": path,
            "offset": record.offset,
            "epoch": record.epoch,
            "timestamp": record.timestamp,
            "batch": record.batch,
            "type": record.type,
            "version": record.version,
            "data": None if record.data is None else in_table_order(record.type, record.data),
            **({"partial": True} if record.partial else {}),
        },
        ensure_ascii=False,
    )


def _row(path: str, record: Record) -> str:
    from ...traces.metadata.reader import in_table_order
    from ..audit.report.shown import printed

    when = printed(record.timestamp)
    data = "" if record.data is None else json.dumps(in_table_order(record.type, record.data), ensure_ascii=False)
    return f"{record.offset:>8} {record.epoch:>5} {when:23} {record.type:34} {record.version:>2} {data}  {path}"
