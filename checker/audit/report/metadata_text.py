"""A metadata log in a few lines: its copies, what is committed, its levels and its leaders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..findings.metadata import BrokerChange, MetadataLog
from .model import RecordsReport
from .shown import and_more, count, plain, printed
from .state_text import condition_lines

_SHOWN = 8


def records_text(records: RecordsReport) -> str:
    """How many records were read."""
    every = records.decoded + records.control + records.unknown
    return (
        f"{count(every, 'record')}: {records.decoded} decoded, {records.control} control, {records.unknown} unknown,"
        f" {records.uncommitted} not known to be committed"
    )


def metadata_text(logs: Sequence[MetadataLog]) -> Iterator[str]:
    """A paragraph for each log."""
    for log in logs:
        nodes = [plain(node) for node in log.nodes if node]
        whose = f"node{'s' * (len(nodes) > 1)} {', '.join(nodes)}" if nodes else "a node that no file names"
        offsets = f"offsets {log.begins} to {log.ends - 1}" if log.ends > log.begins else "no segment with records"
        lines = [f"metadata log of {whose}: {offsets}, committed before {log.committed} ({log.because})"]
        levels = ", ".join(f"{each.name} from offset {each.offset} on" for each in log.levels[-_SHOWN:])
        lines += [f"  metadata.version {levels}"] if levels else []
        last = list(log.leaders.items())[-_SHOWN:]
        reigns = ", ".join(f"{epoch} led by {leader}" for epoch, leader in last)
        lines += [f"  {count(len(log.leaders), 'raft epoch')}: {reigns}"] if last else []
        migration = ", ".join(f"{each.state} from offset {each.offset} on" for each in log.migration)
        lines += [f"  migration from ZooKeeper: {migration}"] if migration else []
        lines += [f"  {line}" for line in _brokers(log.brokers)] if log.brokers else []
        lines += condition_lines(log.counts, log.conditions) or [
            "  no partition is shown to be offline or under-replicated"
        ]
        yield "\n".join(lines)


def _brokers(changes: Sequence[BrokerChange]) -> Iterator[str]:
    """What brokers are at the end, and the last changes of it."""
    at_end: dict[str, list[int]] = {}
    for broker, state in sorted({each.broker: each.state for each in changes}.items()):
        at_end.setdefault(state, []).append(broker)
    states = "; ".join(f"{state} {and_more(list(map(str, brokers)))}" for state, brokers in at_end.items())
    yield f"brokers at the end: {states}; {count(len(changes), 'change')} of registrations, the last:"
    epochs: dict[int, int] = {}
    for at, each in enumerate(changes):
        again = each.broker in epochs and each.epoch != epochs[each.broker]
        epochs[each.broker] = each.epoch
        if at >= len(changes) - _SHOWN:
            time = "" if each.ts is None else f"{printed(each.ts)}  "
            yield f"  {time}broker {each.broker} {each.state}{', registered anew' * again} (offset {each.offset})"
