"""Votes of the metadata quorum: voters that did not answer, or refused, and nodes that know no voters, or others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..files.file import LogFile
from ..findings.happened import Happened
from ..sources.nodes.raft import STATE
from ..table.protocol import Row
from .in_words import listed
from .moments import MOMENT, saying
from .views import View, Views

UNREACHABLE, REJECTED, EMPTY, CHANGED = "voter-unreachable", "vote-rejected", "voters-empty", "voters-changed"
_READ = "raft-voters-read"
_APART = 20_000
"""The milliseconds without a sign after which a voter that does not answer is another time."""
_SOON = 5000
"""The milliseconds for which nobody answers a process that has just started, and less than which is not reported."""
_ELECTION = 900
"""The milliseconds that an election takes at least whose missing votes mean something."""
_MISSING = re.compile(r"\b([0-9]+)=(?:UNRECORDED\b|VoterState\(replicaKey=ReplicaKey\([^()]*\), state=UNRECORDED\))")
_ENDS = re.compile(
    r"\b([0-9]+)=ReplicaState\((?:(?!ReplicaState\().)*?endOffset=Optional\[LogOffsetMetadata\(offset=([0-9]+)"
)


@dataclass(frozen=True)
class _Silence:
    """A sign that a voter did not answer another node."""

    ts: int
    last: int
    by: int | None
    what: str
    """The kind of requests that it did not answer."""
    n: int
    at: tuple[int, int]


def votes(
    by_cluster: Mapping[int, Sequence[Views]], lines: Sequence[Row], rows: Sequence[Row], files: Mapping[int, LogFile]
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster what happened to the voters of the quorum.

    Args:
        lines: nodes' lines about the quorum, as `walked` returns them.
        rows: the rows of the first look.
    """
    said: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") != MOMENT or row["file"] not in files or row["ts"] is None:
            continue
        if saying()[row["row"]].happens in (UNREACHABLE, REJECTED, CHANGED):
            said[files[row["file"]].cluster].append(row)
    states: dict[int, list[Row]] = defaultdict(list)
    for row in lines:
        if row["row"] == STATE and row["ts"] is not None and row["node"] is not None:
            states[row["cluster"]].append(row)
    for cluster in sorted({*said, *states}):
        own, lives = said[cluster], by_cluster.get(cluster, ())
        known = lives[-1] if lives else None
        for source in (
            _unreachable(own, states[cluster], known, files),
            _rejected(own, states[cluster], files),
            _voters(own, states[cluster], files),
        ):
            for each in source:
                yield cluster, each


def _unreachable(
    said: Iterable[Row], states: Sequence[Row], known: Views | None, files: Mapping[int, LogFile]
) -> Iterator[Happened]:
    by_voter: dict[int | None, list[_Silence]] = defaultdict(list)
    for row in said:
        if saying()[row["row"]].happens == UNREACHABLE:
            at = row["file"], row["line"]
            by_voter[row["node"]].append(_Silence(row["ts"], row["last_ts"], row["speaker"], row["said"], row["n"], at))
    for silent, silence in _missing_votes(states):
        by_voter[silent].append(silence)
    end = {file.index: file.youngest for file in files.values()}
    for voter, own in sorted(by_voter.items(), key=lambda each: (each[0] is None, each[0] or 0)):
        view = None if known is None or voter is None else known.of.get(voter)
        for spell in _spells(sorted(own, key=lambda each: (each.ts, each.at)), view):
            since, until = spell[0].ts, max(each.last for each in spell)
            if view is not None and _is_off(view, since, until):
                continue
            lasts = _lasts(spell, until, known, end)
            if until - since <= _SOON and not lasts and _goes_on(files[spell[0].at[0]]):
                continue
            yield Happened(
                UNREACHABLE,
                since=since,
                until=None if lasts else until,
                lasts=lasts,
                node=voter,
                reason=_in_words(voter, spell),
                places=(files[spell[0].at[0]].place(spell[0].at[1]),),
            )


def _goes_on(file: LogFile) -> bool:
    """Return whether a file is long enough to show that a silence was over soon; an excerpt is not."""
    return file.oldest is None or file.youngest is None or file.youngest - file.oldest > _SOON


def _missing_votes(states: Sequence[Row]) -> Iterator[tuple[int, _Silence]]:
    """Yield the voters whose votes an election lacked when it was given up, by the state that the candidate left."""
    since: dict[int, int] = {}
    for row in sorted(states, key=lambda row: (row["ts"], row["file"], row["line"])):
        began, since[row["node"]] = since.get(row["node"]), row["ts"]
        if row["from_raft_state"] is None or began is None or row["ts"] - began < _ELECTION:
            continue
        if row["raft_state"] not in ("Leader", "Follower"):
            for voter in _MISSING.findall(row["was"] or ""):
                at = row["file"], row["line"]
                yield int(voter), _Silence(row["ts"], row["ts"], row["node"], "votes", 1, at)


def _is_off(view: View, since: int, until: int) -> bool:
    """Return whether a node was shut down in order, or started later than others: that it does not answer says nothing
    more.
    """
    later = view.seen[0] if view.seen else None
    return view.stopped_by(since + _SOON) or (later is not None and later.starts and later.ts > until - _SOON)


def _spells(own: Sequence[_Silence], view: View | None) -> Iterator[list[_Silence]]:
    """Yield the times in which a voter did not answer, cut where its own lines show that it had a leader."""
    spell: list[_Silence] = []
    last = 0
    for each in own:
        lived = view is not None and any(seen.leader is not None for seen in view.between(last + 1, each.ts))
        if spell and (each.ts - last > _APART or lived):
            yield spell
            spell = []
        last = max(last, each.last) if spell else each.last
        spell.append(each)
    if spell:
        yield spell


def _lasts(spell: Sequence[_Silence], until: int, known: Views | None, end: Mapping[int, int | None]) -> bool:
    """Return whether the log ends before the voter answers, or a leader is found without it.

    Connections that fail say that only where the log ends soon after them: nothing shows that one succeeds.
    """
    by = {each.by for each in spell}
    views = [] if known is None else [view for node, view in known.of.items() if node in by]
    found = any(seen.leader is not None for view in views for seen in view.between(until, None))
    stopped = any(stop >= until for view in views for stop in view.stops)
    if found or stopped:
        return False
    if any(each.what in ("votes", "fetches") for each in spell):
        before = [view.at(until) for view in views]
        return all(each is None or each.leader is None for each in before) and not _begun(views)
    last = max((end.get(each.at[0]) or until for each in spell), default=until)
    return until - spell[0].ts > _SOON and last - until <= _SOON


def _begun(views: Iterable[View]) -> bool:
    """Return whether a process had begun just before the log ends."""
    ends = ((view, view.until) for view in views if view.until is not None)
    return any(seen.starts for view, end in ends for seen in view.between(end - _SOON, end))


def _in_words(voter: int | None, spell: Sequence[_Silence]) -> str:
    asked = sorted({each.by for each in spell if each.by is not None})
    of = "" if not asked else f" node {asked[0]}" if len(asked) == 1 else f" nodes {', '.join(map(str, asked))}"
    counts: dict[str, int] = defaultdict(int)
    for each in spell:
        counts[each.what] += each.n
    parts = [_KINDS[what](of, n) if what in _KINDS else what for what, n in sorted(counts.items(), key=_last_first)]
    return "; ".join(parts)


def _last_first(each: tuple[str, int]) -> tuple[bool, str]:
    """Sort key: connections that failed come last, as they are rarely the cause."""
    return each[0] == "connections", each[0]


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


_KINDS = {
    "votes": lambda of, n: f"did not vote for{of}, {_times(n)}",
    "fetches": lambda of, n: f"did not fetch from the leader,{of}, in time",
    "connections": lambda of, n: f"could not be reached by{of}, {_times(n)}",
}


def _rejected(said: Iterable[Row], states: Sequence[Row], files: Mapping[int, LogFile]) -> Iterator[Happened]:
    """Yield refused votes; the log of a candidate is behind if it ends before that of the voter."""
    ends = [
        (row["ts"], row["from_raft_epoch"], row["node"], int(end))
        for row in states
        if (row["from_raft_state"] or "") == "Leader"
        for node, end in _ENDS.findall(row["was"] or "")
        if int(node) == row["node"]
    ]
    for row in said:
        if saying()[row["row"]].happens != REJECTED:
            continue
        reason = row["said"]
        if row["offset"] is not None:
            reason = f"{row['speaker']} refused it: the candidate's log ends at offset {row['offset']}"
            reason += f" of epoch {row['epoch']}"
            own = [
                end
                for ts, epoch, node, end in ends
                if ts <= row["ts"] and (node, epoch) == (row["speaker"], row["epoch"])
            ]
            if own and own[-1] > row["offset"]:
                reason += f", behind the voter's, which ends at {own[-1]}"
        yield Happened(
            REJECTED,
            since=row["ts"],
            until=row["last_ts"] if row["n"] > 1 else None,
            node=row["node"] if row["node"] is not None else row["speaker"],
            epoch=row["raft_epoch"],
            reason=reason,
            count=row["n"],
            places=(files[row["file"]].place(row["line"]),),
        )


def _voters(said: Iterable[Row], states: Sequence[Row], files: Mapping[int, LogFile]) -> Iterator[Happened]:
    """Yield nodes that know no voters, and changes of the voters, once for the quorum."""
    by_node: dict[int, list[tuple[int, tuple[int, int], tuple[int, ...]]]] = defaultdict(list)
    for row in said:
        if row["row"] == _READ and row["speaker"] is not None:
            by_node[row["speaker"]].append((row["ts"], (row["file"], row["line"]), row["replicas"] or ()))
    for row in states:
        if row["replicas"] is not None:
            shown = tuple(sorted(row["replicas"]))
            by_node[row["node"]].append((row["ts"], (row["file"], row["line"]), shown))
    changes: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, tuple[int, int], int]] = {}
    for node, own in sorted(by_node.items()):
        own.sort()
        empty = next((each for each in own if not each[2]), None)
        filled = [each for each in own if each[2]]
        last = max(files[file].youngest or 0 for file in {at[0] for _, at, _ in own})
        if empty is not None and not filled and last - empty[0] > _SOON:
            place = files[empty[1][0]].place(empty[1][1])
            yield Happened(EMPTY, since=empty[0], node=node, places=(place,))
        for (_, _, before), (ts, at, after) in pairwise(filled):
            if before != after and ((before, after) not in changes or changes[before, after][0] > ts):
                changes[before, after] = ts, at, node
    seen: set[tuple[int, ...]] = set()
    for (before, after), (ts, at, _) in sorted(changes.items(), key=lambda each: each[1][0]):
        seen.add(before)
        if after in seen:
            continue  # a node that starts reads again what its log has
        place = files[at[0]].place(at[1])
        yield Happened(CHANGED, since=ts, reason=f"{listed(before)} became {listed(after)}", places=(place,))
