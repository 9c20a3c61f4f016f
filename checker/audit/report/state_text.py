"""The state of the cluster as text: a few lines for each condition, the longest spells first; the rest is counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..findings.metadata import MetadataLog
from ..findings.state import LAST_SHOWN, LASTS, OVER, ClusterState, Condition, ConditionCount, StoppedMove
from ..observe.controller.conditions import OFFLINE
from .shown import and_more, count, partition_name, printed

_NAMED = 3


def state_text(state: ClusterState, *, checked: bool) -> str:
    """Return a paragraph. It is separate from the verdict: everything in it may be legal.

    Args:
        checked: whether any line of a controller was read; otherwise nothing is known.
    """
    lines = condition_lines(state.counts, state.conditions, migrated=state.migrated)
    lines += [line for move in state.stopped for line in _stopped(move)]
    if checked and not lines:
        lines.append("  controllers print no partition that is offline or under-replicated, and no refused move")
    return "\n".join([_head(state), *lines, *not_known(state)])


def not_known(state: ClusterState) -> list[str]:
    return [f"  not known: {why}" for why in state.unknown]


def _head(state: ClusterState) -> str:
    if not state.migrated:
        return "state of the cluster, as far as these lines show it"
    when = "" if state.until is None else f" at {printed(state.until)} UTC"
    return (
        f"state of the cluster before KRaft took it over from ZooKeeper{when}, as far as lines of ZooKeeper mode show"
        " it; the metadata log has the rest"
    )


def condition_lines(
    counts: Iterable[ConditionCount], conditions: Sequence[Condition], *, migrated: bool = False
) -> list[str]:
    """Return some lines for each condition that occurred.

    Args:
        migrated: whether KRaft took over what these show.
    """
    return [line for each in counts for line in _condition(each, conditions, migrated)]


def in_short(state: ClusterState, logs: Sequence[MetadataLog] = ()) -> str:
    """Return the part of the state that the first line shows beside the verdict; empty if there is nothing.

    Args:
        logs: the cluster's metadata logs: if there are any, they have all changes of partitions, and lines do not.
    """
    found = [
        f"{count(how_many, 'partition')} {each.condition} {when}"
        for each in ([own for log in logs for own in log.counts] if logs else state.counts)
        for how_many, when in ((each.lasting, "at the end"), (each.last_shown, "when last shown"))
        if how_many
    ]
    failed = sum(move.count for move in state.stopped if _is_election(move))
    return ", ".join([*found, count(failed, "failed election")] if failed else found)


def _is_election(move: StoppedMove) -> bool:
    return move.machine == "partition" and move.target == "OnlinePartition" and not move.refused


def _condition(of: ConditionCount, conditions: Iterable[Condition], migrated: bool) -> Iterator[str]:
    own = [each for each in conditions if each.condition == of.condition]
    for end, how_many, when in (
        (LASTS, of.lasting, "at the end of these lines" if migrated else "at the end"),
        (LAST_SHOWN, of.last_shown, "when last shown before KRaft took over" if migrated else "when last shown"),
    ):
        if how_many:
            shown = [f"{_name(each)} since {_time(each.since)}" for each in own if each.end == end]
            yield f"  {of.condition} {when}: {count(how_many, 'partition')}: {_listed(shown, how_many)}"
    over = [each for each in own if each.end == OVER][:_NAMED]
    if over:
        partitions, times = count(of.partitions, "partition"), count(of.spells, "time")
        yield f"  {of.condition} at any time: {partitions}, {times}; the longest:"
        for each in over:
            yield f"    {_name(each)} from {_time(each.since)}, {_length(each)}, until {_UNTIL[each.by or '']}"


def _name(condition: Condition) -> str:
    name = partition_name(condition.topic, condition.partition)
    name += f", life {condition.life}" if condition.life > 1 else ""
    if condition.condition == OFFLINE:
        leader = condition.leader
        return (
            f"{name} ({'leader not shown' if leader is None else 'leaderless' if leader < 0 else f'leader {leader}'})"
        )
    isr, replicas = (list(each or ()) for each in (condition.isr, condition.replicas))
    return f"{name} (ISR {isr} of {replicas})"


_UNTIL = {
    "elected": "an election",
    "taken over": "the next controller",
    "complete": "its ISR had all replicas",
    "deleted": "its deletion",
}
"""The phrase for the event that ended a condition."""


def _listed(shown: Sequence[str], of: int) -> str:
    more = of - min(len(shown), _NAMED)
    return and_more(shown[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _time(ts: int | None) -> str:
    return "a line without a time" if ts is None else printed(ts)


def _length(condition: Condition) -> str:
    if condition.since is None or condition.until is None:
        return "for a time not shown"
    return f"for {max(condition.until - condition.since, 0) / 1000:.3f} s"


def _stopped(move: StoppedMove) -> Iterator[str]:
    what = "failed elections" if _is_election(move) else "refused moves" if move.refused else "failed moves"
    pair = f"{move.machine} from {move.source} to {move.target}"
    times = dict.fromkeys(printed(ts) for ts in (move.first, move.last) if ts is not None)
    when = f", {' to '.join(times)}" if times else ""
    why = "no throwable says why" if move.why is None else move.why.rstrip(".")
    yield f"  {what}: {move.count}, {pair}, {count(move.partitions, 'partition')}{when}: {why}"
