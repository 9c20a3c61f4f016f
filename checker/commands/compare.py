"""`isrproof compare`: an audit beside the real history of a recorded cluster."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from ...traces.timeline import Lost, lost_row, replica_row, timeline_row
from ..arguments import FilePath
from ..failure import fail, say

if TYPE_CHECKING:
    from ...traces.record.compare import Comparison
    from ...traces.record.compare_happened import HappenedComparison
    from ...traces.record.compare_replicas import LossComparison, ReplicaComparison
    from ...traces.record.kraft.compare import AdminComparison

_T = TypeVar("_T")


@click.command()
@click.argument("recording", type=FilePath(path_type=Path, exists=True))
@click.argument("audit_json", type=click.File("r", encoding="utf-8"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(recording: Path, audit_json: IO[str], as_json: bool) -> None:
    """Compare an audit with the ZooKeeper data, the brokers' disks and the producers of RECORDING.

    The audit's timeline shows each version of each partition's znode, or lacks it. If the recording wrote records,
    `compare` also checks each value that the audit has for a replica (leader, ISR, start of an epoch, high watermark,
    log end), and the offsets that the audit calls lost. In KRaft mode the versions come from Kafka's own dump of the
    metadata log, and `compare` also checks the states that an admin client saw.

    `compare` also holds what happened against the recorder's kills, stops and starts, and against the real failovers,
    unclean elections, shrinks of ISRs and spells without a leader.

    RECORDING is a folder that `isrproof record` made; AUDIT_JSON is the output of `isrproof audit RECORDING --timeline
    --json` (`-`: standard input). Exit code 0 if nothing in the audit is wrong, 1 if something is.
    """
    from ...specs.errors import IsrproofError
    from ...traces.record.compare import compare
    from ...traces.record.compare_happened import compare_happened, zookeeper_facts
    from ...traces.record.compare_replicas import compare_lost, compare_replicas
    from ...traces.record.kraft import compare as kraft
    from ...traces.record.kraft.compare_happened import kraft_facts, taken_over
    from ...traces.record.manifest import read

    try:
        manifest = read(recording)
        content = json.load(audit_json)
        rows = _list(content, "timeline", timeline_row, audit_json.name)
        traffic = "replicas" in manifest
        replicas = _list(content, "replicas", replica_row, audit_json.name) if traffic else []
        lost = list(_lost(content)) if traffic else []
        logs = recording if recording.is_dir() else recording.parent
        admin = versions = None
        if manifest.get("mode") == "kraft":
            found = kraft.compare(logs, manifest, rows)
            admin = kraft.compare_admin(logs, rows, content.get("metadata", ()))
            versions = kraft.versions(logs)
            facts, begins = kraft_facts(logs, manifest), taken_over(logs, manifest)
        else:
            found = compare(manifest, rows, logs)
            facts, begins = zookeeper_facts(logs, manifest, found), None
        happened = compare_happened(facts, _list(content, "happened", dict, audit_json.name), begins)
    except RecursionError:
        fail(f"{audit_json.name}: expected the output of `isrproof audit`, got JSON that is too deep", as_json=as_json)
    except (OSError, ValueError, IsrproofError) as error:
        fail(error, as_json=as_json)
    beside = (compare_replicas(manifest, replicas, logs, versions), compare_lost(manifest, lost)) if traffic else None
    if as_json:
        say(
            json.dumps(
                {"recording": recording.name, **_object(found), **_admin_object(admin), **_beside_object(beside)}
                | {"happened": vars(happened)}
            )
        )
    else:
        for line in (*_text(recording.name, found, admin), *_beside_text(beside), *_happened_text(happened)):
            say(line)
    wrong = found.wrong or (admin and admin.wrong) or (beside is not None and (beside[0].wrong or beside[1].wrong))
    raise SystemExit(1 if wrong or happened.wrong else 0)


def _admin_object(admin: AdminComparison | None) -> dict[str, Any]:
    if admin is None:
        return {}
    wrong = [{"answer": answer, "expected": expected} for answer, expected in admin.wrong]
    shown = {"partitions": admin.partitions, "quorum": admin.quorum, "earlier": admin.earlier}
    return {"admin": {**shown, "wrong": wrong}}


def _object(found: Comparison) -> dict[str, Any]:
    from ..audit.report.json import row_object

    return {
        "shown": len(found.shown),
        "hidden": found.reasons,
        "unexplained": len(found.unexplained),
        "wrong": [{"row": row_object(row), "expected": expected} for row, expected in found.wrong],
        "missing": [vars(version) for version in found.unexplained],
    }


def _text(name: str, found: Comparison, admin: AdminComparison | None) -> Iterator[str]:
    from ...traces.record.compare import REASONS

    what = "znode versions" if admin is None else "partition states of Kafka's dump"
    yield f"{name}: {len(found.shown)} {what} shown, {len(found.wrong)} rows wrong"
    if admin is not None:
        yield (
            (
                f"  {admin.partitions} states of partitions and {admin.quorum} of the quorum agree with the admin "
                f"client, {len(admin.wrong)} do not"
            )
            + (f", {admin.earlier} may be from before the log begins" if admin.earlier else "")
        )
        for answer, expected in admin.wrong:
            yield f"  wrong: {answer}"
            yield f"    the audit has {expected}"
    for reason, count in found.reasons.items():
        if count:
            yield f"  {count} hidden: {REASONS[reason]}"
    for version in found.unexplained:
        partition = f"{version.topic}-{version.partition}"
        by = f"by offset {version.zxid}" if admin is not None else f"written by {version.by}"
        yield f"  not shown, no reason known: {partition} version {version.version}, {by}"
    for row, expected in found.wrong:
        content = {
            key: getattr(row, key) for key in ("partition_epoch", "leader", "isr", "leader_epoch", "controller_epoch")
        }
        yield f"  wrong: {row.topic}-{row.partition} {content} at {row.place}"
        yield f"    expected {expected}"


def _beside_object(beside: tuple[ReplicaComparison, LossComparison] | None) -> dict[str, Any]:
    from ..audit.report.json import row_object

    if beside is None:
        return {}
    replicas, loss = beside
    return {
        "replicas": {
            "right": dict(replicas.right),
            "wrong": [{"row": row_object(row), "expected": expected} for row, expected in replicas.wrong],
        },
        "lost": {
            "shown": loss.shown,
            "not_shown": loss.not_shown,
            "not_acknowledged": loss.not_acknowledged,
            "wrong": [row_object(each) for each in loss.wrong],
        },
    }


def _beside_text(beside: tuple[ReplicaComparison, LossComparison] | None) -> Iterator[str]:
    from ...traces.record.compare_replicas import KINDS

    if beside is None:
        return
    replicas, loss = beside
    for kind, count in replicas.right.items():
        if count:
            yield f"  {count} right: {KINDS[kind]}"
    for row, expected in replicas.wrong:
        yield f"  wrong: {row.topic}-{row.partition} on broker {row.broker} at {row.place}"
        yield f"    expected {expected}"
    if loss.shown or loss.not_shown or loss.not_acknowledged:
        yield (
            f"  {loss.shown} lost acknowledged records are reported, and {loss.not_acknowledged} that were never "
            f"acknowledged; {loss.not_shown} lost with acks=all are missing"
        )
    for each in loss.wrong:
        yield (
            f"  wrong: the audit says that {each.topic}-{each.partition} lacks offsets {each.start} to {each.end - 1}"
        )


def _happened_text(found: HappenedComparison) -> Iterator[str]:
    held = ", ".join(f"{count} {kind}" for kind, count in found.right.items() if count) or "nothing"
    hidden = sum(found.hidden.values())
    yield f"  what happened: {held} are right, {len(found.wrong)} are wrong, {len(found.missed)} are missed" + (
        f"; {hidden} more may be hidden" if hidden else ""
    )
    yield from (f"  wrong: {each}" for each in found.wrong)
    yield from (f"  missed: {each}" for each in found.missed)


def _list(content: Any, name: str, read: Callable[[Any], _T], file: str) -> list[_T]:
    """A list of the audit's object; ValueError says what was found instead."""
    rows = content.get(name) if isinstance(content, Mapping) else None
    if not isinstance(rows, list):
        raise ValueError(
            f"{file} has no `{name}` list: expected the output of `isrproof audit RECORDING --timeline --json` "
            "for one recording."
        )
    return [read(row) for row in rows]


def _lost(content: Any) -> Iterator[Lost]:
    """Yield the losses in the audit's findings."""
    for finding in content.get("findings", ()):
        yield from map(lost_row, finding.get("lost", ()))
