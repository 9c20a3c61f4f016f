"""The text about a metadata log: its copies, what is committed, its levels and its leaders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..findings.metadata import BrokerChange, KnownFault, LevelChange, MetadataLog, MigrationChange, Reign
from .model import RecordsReport
from .shown import and_more, count, plain, printed
from .state_text import condition_lines

_SHOWN = 8
_Change = Reign | LevelChange | BrokerChange | MigrationChange


def records_text(records: RecordsReport) -> str:
    """Return how many records were read."""
    every = records.decoded + records.control + records.unknown + records.partial
    in_part = f", {records.partial} read in part" if records.partial else ""
    return (
        f"{count(every, 'record')}: {records.decoded} decoded, {records.control} control, {records.unknown} unknown"
        f"{in_part}, {records.uncommitted} not known to be committed"
    )


def metadata_text(logs: Sequence[MetadataLog]) -> Iterator[str]:
    """Yield a paragraph for each log."""
    for log in logs:
        nodes = [plain(node) for node in log.nodes if node]
        whose = f"node{'s' * (len(nodes) > 1)} {', '.join(nodes)}" if nodes else "a node that no file names"
        offsets = f"offsets {log.begins} to {log.ends - 1}" if log.ends > log.begins else "no segment with records"
        lines = [f"metadata log of {whose}: {offsets}, committed before {log.committed} ({log.because})"]
        lines += _listed("metadata.version", [(each, each.name) for each in log.levels])
        lines += _listed(count(len(log.reigns), "raft epoch"), [(each, _reign(each)) for each in log.reigns])
        lines += _listed("migration from ZooKeeper", [(each, each.state) for each in log.migration])
        lines += _brokers(log.brokers)
        lines += _known(log.known)
        lines += condition_lines(log.counts, log.conditions) or [
            "  no partition is shown to be offline or under-replicated"
        ]
        yield "\n".join(lines)


def _known(faults: Sequence[KnownFault]) -> list[str]:
    """Return faults that are not findings, one line each."""
    if not faults:
        return []
    shown = [
        f"    {each.issue} ({each.releases}; fixed in {each.fixed_in}): {each.meaning};"
        f" {count(each.records, 'record')}, the first at offset {each.first}"
        for each in faults
    ]
    return ["  known faults of these releases, no findings:", *shown]


def _brokers(changes: Sequence[BrokerChange]) -> list[str]:
    """Return the brokers' states at the end, and the last changes."""
    at_end: dict[str, list[int]] = {}
    for broker, state in sorted({each.broker: each.state for each in changes}.items()):
        at_end.setdefault(state, []).append(broker)
    states = "; ".join(f"{state} {and_more(list(map(str, brokers)))}" for state, brokers in at_end.items())
    head = f"brokers at the end: {states}; {count(len(changes), 'change')} of registrations"
    listed: list[tuple[_Change, str]] = []
    epochs: dict[int, int] = {}
    for each in changes:
        anew = epochs.get(each.broker, each.epoch) != each.epoch
        epochs[each.broker] = each.epoch
        listed.append((each, f"broker {each.broker} {each.state}{', registered again' * anew}"))
    return _listed(head, listed)


def _reign(reign: Reign) -> str:
    last = "" if reign.last is None else f", its last batch at {printed(reign.last)}"
    return f"epoch {reign.epoch} led by {reign.leader}{last}"


def _listed(head: str, changes: Sequence[tuple[_Change, str]]) -> list[str]:
    """Return a heading and the last changes, one line each: when, what, and at which offset."""
    if not changes:
        return []
    left_out = len(changes) - _SHOWN
    shown = [f"    {_when(each)}  {text} (offset {each.offset})" for each, text in changes[-_SHOWN:]]
    return [f"  {head}{f', the last {_SHOWN}' * (left_out > 0)}:", *shown]


def _when(change: _Change) -> str:
    ts = change.first if isinstance(change, Reign) else change.ts
    return f"{'time not in the log':23}" if ts is None else printed(ts)
