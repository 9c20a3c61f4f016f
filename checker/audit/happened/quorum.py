"""The metadata quorum: who led it, when it had no leader and why, and nodes that alone did not hear of one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....traces.place import Place
from ..files.file import LogFile
from ..findings.happened import Happened
from ..lines import RENOUNCED
from ..sources.nodes.raft import STATE
from ..table.protocol import Row
from .views import LEADER, TIMED_OUT, Seen, View, Views

LED, WITHOUT = "quorum-led", "quorum-without-leader"
SOON = 5000
"""The milliseconds in which a log may end after a start before any leader is found."""
START = 15_000
"""The milliseconds within which nodes that have just started find a leader, where they do: others start later, too."""
_AROUND = 3000
"""The milliseconds around the loss of a leader in which lines about timeouts belong to it."""
_AT_ONCE = 1000
"""The milliseconds within which a log ends too soon after the loss of a leader to say anything."""
_TRIED = 3
"""The epochs without a leader that show that there is none, however short the log is."""
_LEADERLESS = ("Unattached", "Candidate", "Prospective", "Voted")
"""States of a node that knows no leader."""
_MOST = 10
"""The most short times without a leader with an entry of their own; more of them are one entry."""
_COMMITTED = re.compile(r"highWatermark=Optional\[LogOffsetMetadata\(offset=([0-9]+)")


@dataclass(frozen=True)
class _Gap:
    """A time without a leader."""

    first: Seen
    start: int
    end: int | None
    """The time at which the next leader is known; None: none is."""
    stopped: int | None
    """The time at which the last node was shut down in order, before any leader was found."""
    tried: tuple[int, ...]
    """The epochs in which no leader was found."""
    shown_by: tuple[int, ...]
    """The nodes whose lines show these epochs."""


def quorum(
    by_cluster: Mapping[int, Sequence[Views]], rows: Sequence[Row], files: Mapping[int, LogFile]
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the times with and without a leader.

    Args:
        rows: the rows of the first look.
    """
    for cluster, known in sorted(by_cluster.items()):
        end = max((file.youngest for file in files.values() if file.cluster == cluster and file.youngest), default=0)
        timeouts = [row for row in rows if row.get("row") == TIMED_OUT and row.get("said") == "fetch"]
        timeouts = [row for row in timeouts if row["ts"] is not None]
        timeouts = [row for row in timeouts if row["file"] in files and files[row["file"]].cluster == cluster]
        for life in known:
            last = end if life is known[-1] else max(view.until or 0 for view in life.of.values())
            for each in _of_life(life, last, timeouts, files):
                yield cluster, each


def _of_life(known: Views, end: int, timeouts: Sequence[Row], files: Mapping[int, LogFile]) -> Iterator[Happened]:
    epochs = [None, *known.led]
    found = {epoch: _gap(known, epoch, after, end) for epoch, after in zip(epochs, [*epochs[1:], None], strict=False)}
    gaps = sorted((gap for gap in found.values() if gap is not None), key=_start)
    often = len(gaps) > _MOST
    for (epoch, gap), after in zip(found.items(), [*epochs[1:], None], strict=True):
        if gap is not None:
            yield _without(known, gap, epoch, timeouts, files, brief=often)
        if epoch is not None:
            yield _led(known, epoch, after, gap, files)
    yield from _alone(known, gaps, end, files)


def _led(known: Views, epoch: int, after: int | None, gap: _Gap | None, files: Mapping[int, LogFile]) -> Happened:
    since, leader, row = known.led[epoch]
    until = gap.start if gap is not None else None if after is None else known.led[after][0]
    if until is None and after is None:
        until = _left(known, epoch, leader)
    lasts = until is None and after is None
    return Happened(LED, since=since, until=until, lasts=lasts, node=leader, epoch=epoch, places=_place(row, files))


def _left(known: Views, epoch: int, leader: int) -> int | None:
    """Return the time at which a leader leaves its state by its own lines, though nothing shows how it went on."""
    own = known.of[leader].seen if leader in known.of else ()
    return next((each.ts for each in own if _leaves(each, epoch)), None)


def _leaves(each: Seen, epoch: int) -> bool:
    return each.leader is None and ((each.stopping and each.epoch == epoch) or _of_leader(each, epoch))


def _gap(known: Views, epoch: int | None, after: int | None, end: int) -> _Gap | None:
    """Return the time without a leader after that of an epoch, or before the first one.

    It begins as soon as fewer than a majority of the voters have that leader, as far as their lines are there.
    """
    found = None if after is None else known.led[after][0]
    if after is not None and found is None:  # only a later line shows that there was a leader
        return None
    leaving = sorted(_leaving(known, epoch, after, found), key=lambda each: (each.ts, each.at))
    lost = [each for each in leaving if epoch is None or _is_lost(known, epoch, each)]
    if not lost:
        return None
    first, start = lost[0], lost[0].ts
    if first.starts:
        begun = sorted({each.node: each.ts for each in reversed(lost) if each.starts}.values())
        start = begun[known.majority - 1] if len(begun) >= known.majority else start
    stopped = _stopped(known, lost, found)
    again = _begun_again(known, lost, start, found)
    if again is not None:
        first, start = again, again.ts
    until = found if found is not None else stopped
    if until is not None and until <= start:
        return None
    later = [each for each in _after(known, epoch, after, start, found) if each.epoch is not None]
    tried = {each.epoch for each in later if each.epoch is not None}
    tried |= {before for each in lost if (before := _without_before(each)) is not None}
    if until is None and end - start < _AT_ONCE and len(tried) < _TRIED and not any(map(_not_elected, lost)):
        return None
    if first.starts and (end - start <= SOON if until is None else until - start <= START):
        return None
    if found is None and stopped is not None and all(each.stopping or _asked(known, each) for each in lost):
        return None
    return _Gap(first, start, found, stopped, tuple(sorted(tried)), tuple(sorted({each.node for each in later})))


def _without_before(each: Seen) -> int | None:
    """Return the epoch of the state before, if it had no leader either."""
    row = each.row
    before = (row["from_raft_state"] or "").removesuffix("State") if row["row"] == STATE else ""
    return row["from_raft_epoch"] if before in _LEADERLESS else None


def _not_elected(each: Seen) -> bool:
    """Return whether a line is that of a node that stood for election and got no majority in time."""
    return each.row["row"] == TIMED_OUT and each.row.get("said") == "election"


def _begun_again(known: Views, lost: Sequence[Seen], start: int, found: int | None) -> Seen | None:
    """Return the first line of a new process, if all processes without a leader ended soon after they had lost it.

    Nobody knows then how it was in between.
    """
    begun = []
    for each in lost:
        own = known.of[each.node].between(start, found)
        again = next((later for later in own if later.starts and later is not each), None)
        if again is None or max((later.ts for later in own if later.ts < again.ts), default=start) - start > SOON:
            return None
        begun.append(again)
    return min(begun, key=lambda each: each.ts)


def _leaving(known: Views, epoch: int | None, after: int | None, found: int | None) -> Iterator[Seen]:
    """Yield the first line of each node that shows it without a leader, unless it returned to the same one."""
    since = None if epoch is None else known.led[epoch][0]
    for view in known.of.values():
        own = view.between(since, found)
        back = max((at for at, each in enumerate(own) if each.leader is not None and each.epoch == epoch), default=-1)
        for each in own[back + 1 :]:
            later = each.epoch is None or (
                (epoch is None or each.epoch >= epoch) and (not after or each.epoch <= after)
            )
            if each.leader is None and later:
                yield each
                break


def _is_lost(known: Views, epoch: int, each: Seen) -> bool:
    """Return whether the leader is lost when a node leaves: it is the leader itself, or too few remain."""
    leaves = each.node == known.led[epoch][1] and not each.starts
    return leaves or len(known.supports(epoch, each.ts)) < min(known.majority, max(len(known.voters & {*known.of}), 1))


def _stopped(known: Views, lost: Sequence[Seen], found: int | None) -> int | None:
    """Return when the last of the nodes that had lost their leader was shut down, if all were, and none came back."""
    if found is not None:
        return None
    views = [known.of[each.node] for each in lost]
    if not all(view.stops and view.stopped_by(view.until or 0) for view in views):
        return None
    return max(view.stops[-1] for view in views)


def _asked(known: Views, each: Seen) -> bool:
    """Return whether a node lost its leader when so many voters had been shut down in order that none could lead."""
    down = sum(view.stopped_by(each.ts + SOON) for node, view in known.of.items() if node in known.voters)
    return down > len(known.voters) - known.majority


def _after(known: Views, epoch: int | None, after: int | None, start: int, found: int | None) -> Iterator[Seen]:
    """Yield what shows nodes without a leader in a gap, in epochs that no leader had."""
    for view in known.of.values():
        for each in view.between(start, found):
            above = each.epoch is not None and (epoch is None or each.epoch > epoch)
            if above and each.leader is None and each.epoch != after and each.row["row"] not in RENOUNCED:
                yield each


def _without(
    known: Views, gap: _Gap, epoch: int | None, timeouts: Sequence[Row], files: Mapping[int, LogFile], *, brief: bool
) -> Happened:
    if brief and gap.end is not None and gap.end - gap.start <= SOON:
        reason = "elections, each within 5 s"
        return Happened(WITHOUT, since=gap.start, until=gap.end, reason=reason, places=_place(gap.first.row, files))
    parts = [_why(known, gap, epoch, timeouts)]
    if gap.tried:
        first, last = gap.tried[0], gap.tried[-1]
        nodes = f" (shown by nodes {', '.join(map(str, gap.shown_by))})" if len(gap.shown_by) > 1 else ""
        parts.append(f"no leader in epoch{f' {first}' if first == last else f's {first} to {last}'}{nodes}")
    if gap.stopped is not None:
        parts.append("then the nodes were shut down")
    return Happened(
        WITHOUT,
        since=gap.start,
        until=gap.end if gap.end is not None else gap.stopped,
        lasts=gap.end is None and gap.stopped is None,
        epoch=gap.first.epoch,
        reason="; ".join(part for part in parts if part),
        places=_place(gap.first.row, files),
    )


def _why(known: Views, gap: _Gap, epoch: int | None, timeouts: Sequence[Row]) -> str:
    if epoch is None:
        return "the nodes had just started" if gap.first.starts else "no earlier leader is known"
    leader = known.led[epoch][1]
    whole = f"node {leader} led epoch {epoch}"
    own = known.of[leader].between(known.led[epoch][0], gap.end) if leader in known.of else ()
    left = next((each for each in own if each.row["row"] == STATE and _of_leader(each, epoch)), None)
    if left is not None:
        whole += _offsets(left, leader)
        if left.row["raft_state"] == "Resigned":
            whole += "; it resigned" + (" as it was shut down" if left.stopping else "")
    silent = sorted({row["speaker"] for row in timeouts if abs(row["ts"] - gap.start) <= _AROUND} - {leader, None})
    if silent:
        whole += f"; fetches of {', '.join(map(str, silent))} timed out"
    elif gap.first.starts:
        whole += "; the nodes had just started"
    return whole


def _of_leader(each: Seen, epoch: int) -> bool:
    """Return whether a line is that in which a leader leaves its state."""
    return (each.row.get("from_raft_state") or "") == LEADER and each.row["from_raft_epoch"] == epoch


def _offsets(left: Seen, leader: int) -> str:
    """Return how far the leader's log was committed and written when it left."""
    text = left.row["was"] or ""
    committed = _COMMITTED.search(text)
    own = re.search(
        rf"\b{leader}=ReplicaState\((?:nodeId={leader}|replicaKey=ReplicaKey\(id={leader},[^()]*\)), "
        r"endOffset=Optional\[LogOffsetMetadata\(offset=([0-9]+)",
        text,
    )
    shown = [f"offset {committed[1]} committed"] if committed else []
    shown += [f"{own[1]} written"] if own else []
    return f" ({', '.join(shown)})" if shown else ""


def _alone(known: Views, gaps: Sequence[_Gap], end: int, files: Mapping[int, LogFile]) -> Iterator[Happened]:
    """Yield nodes that did not hear of a leader while others had one."""
    for node, view in sorted(known.of.items()):
        for first, until, lasts in _spells(view, end):
            since = None if until - first.ts <= SOON else _beyond(first.ts, gaps)
            if since is None or until - since <= (SOON if lasts else START):
                continue
            by = _others(known, node, since, until)
            if by is not None:
                yield Happened(
                    WITHOUT,
                    since=since,
                    until=None if lasts else until,
                    lasts=lasts,
                    node=node,
                    epoch=first.epoch,
                    reason=f"this node alone: node {by.leader} led epoch {by.epoch} for others",
                    places=_place(first.row, files),
                )


def _spells(view: View, end: int) -> Iterator[tuple[Seen, int, bool]]:
    """Yield the times in which a node knows no leader: the first line, the end, and whether no line shows the end."""
    first: Seen | None = None
    for each in view.seen:
        if first is not None and (each.leader is not None or each.starts or each.stopping):
            yield first, each.ts, False
            first = None
        if each.leader is None and first is None and not each.stopping:
            first = each
    if first is not None:
        stop = next((ts for ts in view.stops if ts > first.ts), None)
        yield first, stop if stop is not None else view.until or end, stop is None


def _beyond(ts: int, gaps: Sequence[_Gap]) -> int | None:
    """Return the time from which a node without a leader is alone with that; None: never."""
    for gap in gaps[max(bisect_right(gaps, ts, key=_start) - 1, 0) :]:
        if gap.start > ts + SOON:
            break
        if gap.end is None:
            return None
        ts = max(ts, gap.end)
    return ts


def _start(gap: _Gap) -> int:
    return gap.start


def _others(known: Views, node: int, since: int, until: int) -> Seen | None:
    """Return what shows that another node had a leader meanwhile."""
    for other, view in sorted(known.of.items()):
        if other == node:
            continue
        at = view.at(since)
        if at is not None and at.leader not in (None, node) and at.epoch is not None and view.follows(at.epoch, since):
            return at
        for each in view.between(since, until - SOON):
            if each.leader not in (None, node):
                return each
    return None


def _place(row: Row, files: Mapping[int, LogFile]) -> tuple[Place, ...]:
    return (files[row["file"]].place(row["line"]),)
