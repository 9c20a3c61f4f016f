"""`isrproof compare`: an audit's timeline beside what ZooKeeper really held."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO

import click

from ...traces.timeline import TimelineRow, timeline_row
from ..failure import fail, say


@click.command()
@click.argument("recording", type=click.Path(path_type=Path, exists=True))
@click.argument("audit_json", type=click.File("r", encoding="utf-8"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(recording: Path, audit_json: IO[str], as_json: bool) -> None:
    """Class each version of each partition's znode in RECORDING as shown by the audit's timeline, or not.

    RECORDING is a folder that `isrproof record` made; AUDIT_JSON is what `isrproof audit RECORDING --timeline --json`
    printed (`-`: standard input). Exit code 0 when no row of the timeline is wrong, 1 when one is.
    """
    from ...specs.errors import IsrproofError
    from ...traces.record.compare import REASONS, compare
    from ...traces.record.manifest import read
    from ..audit.report.json import timeline_row as timeline_json

    try:
        manifest = read(recording)
        rows = _timeline(audit_json)
    except (OSError, ValueError, IsrproofError) as error:
        fail(error, as_json=as_json)
    found = compare(manifest, rows, recording if recording.is_dir() else recording.parent)
    if as_json:
        counts = {"shown": len(found.shown), "hidden": found.reasons, "unexplained": len(found.unexplained)}
        wrong = [{"row": timeline_json(row), "expected": expected} for row, expected in found.wrong]
        missing = [vars(version) for version in found.unexplained]
        say(json.dumps({"recording": recording.name, **counts, "wrong": wrong, "missing": missing}))
    else:
        say(f"{recording.name}: {len(found.shown)} znode versions shown, {len(found.wrong)} rows wrong")
        for reason, count in found.reasons.items():
            if count:
                say(f"  {count} hidden: {REASONS[reason]}")
        for version in found.unexplained:
            name = f"{version.topic}-{version.partition}"
            say(f"  not shown, no reason known: {name} version {version.version}, written by {version.by}")
        for row, expected in found.wrong:
            shown = timeline_json(row)
            said = {key: shown[key] for key in ("partition_epoch", "leader", "isr", "leader_epoch", "controller_epoch")}
            say(f"  wrong: {row.topic}-{row.partition} {said} at {row.place}")
            say(f"    expected {expected}")
    raise SystemExit(1 if found.wrong else 0)


def _timeline(file: IO[str]) -> list[TimelineRow]:
    """The list `timeline` of the audit's object; ValueError says what was found instead."""
    said = json.load(file)
    rows = said.get("timeline") if isinstance(said, dict) else None
    if not isinstance(rows, list):
        raise ValueError(
            f"{file.name} has no `timeline` list: expected what `isrproof audit RECORDING --timeline --json` prints "
            "for one recording."
        )
    return [timeline_row(row) for row in rows]
