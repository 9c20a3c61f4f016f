"""Lines that report changes of the metadata log: counts of changes, ends of reassignments, and deleted replicas.

A controller counts the partitions that it changes as a broker joins or leaves, and reports the end of a reassignment.
From 4.3 on the latter names the partition epoch; otherwise the record is the one of about that time. Brokers count the
replicas that they delete, and act on topics until they have applied their deletion.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...lines import (
    CHANGES_PRINTED,
    DELETIONS_PRINTED,
    REASSIGNMENT_MOVES_LEADER,
    REASSIGNMENT_PRINTED,
    REGISTERED,
    STRAYS_PRINTED,
)
from ...table.protocol import Row, Table
from ..metadata.chronicle import SURELY_LATER, Chronicle, Registration
from .beside import APPLIED, LATE, applied_offset, shown_later

_SHOWN_BY = (*CHANGES_PRINTED, *REASSIGNMENT_PRINTED, *DELETIONS_PRINTED, *STRAYS_PRINTED)
LINES = (*_SHOWN_BY, *APPLIED, *REGISTERED)
AT_ONCE = 2_000
"""The most milliseconds between the line of a controller and the record that it is about."""
_HANDLERS = {
    "handleBrokerFenced": "fence",
    "handleBrokerUnfenced": "unfence",
    "handleBrokerUnregistered": "unregister",
    "enterControlledShutdown": "shutdown",
}
_STATE = ("partition_epoch", "leader_epoch", "isr")
_HANDLER = re.compile(r"([A-Za-z]+)(?:\[([0-9]+)\])?$")
CHANGES, REASSIGNMENTS = "changes_printed_beside_log", "reassignments_printed_beside_log"
DELETIONS, REMOVED = "deletions_printed_beside_log", "topics_removed_beside_log"
STRAYS = "strays_printed_beside_log"


def effects(chronicles: Mapping[int, Chronicle], clusters: Mapping[int, int], events: Table) -> list[Row]:
    """Return lines that report a count or an end; a look.

    Also, by file and broker, how far the lines show that it has applied the log ("past", where that is beyond a topic's
    deletion), the last lines on topics that are deleted ("gone"), and the first with each state that an earlier line
    shows to be over ("over"); the brokers that name themselves in a file with strays ("speaks"): such a line does not
    name its broker.
    """
    found: list[Row] = []
    removals = {cluster: sorted(at.offset for at in log.removed.values()) for cluster, log in chronicles.items()}
    gone: dict[tuple[int, str, int], Row] = {}
    reached: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    over: dict[tuple[int, str, int, int], Row] = {}
    speaks: set[tuple[int, int]] = set()
    for row in sorted(events.of_lines(LINES).rows(), key=lambda row: (row["file"], row["line"])):
        cluster = clusters.get(row["file"], -1)
        chronicle = chronicles.get(cluster)
        if chronicle is None:
            continue
        if row["row"] in (*APPLIED, *REGISTERED) and row["speaker"] is not None:
            speaks.add((row["file"], row["speaker"]))
        if row["row"] in REGISTERED:
            continue
        if row["row"] in _SHOWN_BY:
            found.append(_shown(row) | {"what": row["row"]})
            continue
        topic, shown = row.get("topic_id"), _shown(row)
        if topic in chronicle.removed:
            gone[row["file"], topic, row["partition"]] = shown | {"what": "gone", "topic_id": topic}
        offset = applied_offset(chronicle, row)
        if topic is None or offset is None or row["ts"] is None:
            continue
        own = reached[row["file"], row["speaker"]]
        if _is_over(chronicle.until(topic, row["partition"], row["partition_epoch"]), row["ts"], own):
            state = {"topic_id": topic, "partition_epoch": row["partition_epoch"]}
            over.setdefault((row["file"], *state.values(), row["partition"]), shown | {"what": "over"} | state)
        before = own[-1][0] if own else -1
        if offset > before:
            own.append((offset, row["ts"]))
        if bisect_left(removals[cluster], offset) > bisect_left(removals[cluster], before):
            found.append(shown | {"what": "past", "offset": offset})
    speaking = [{"what": "speaks", "file": file, "node": node, "ts": None} for file, node in sorted(speaks)]
    return [*found, *speaking, *(gone[key] for key in sorted(gone)), *(over[key] for key in sorted(over))]


def _is_over(until: int | None, ts: int, reached: Sequence[tuple[int, int]]) -> bool:
    """Return whether a line shows a state that was surely over before: a broker had applied the record that ended it.

    Args:
        until: the offset of that record.
        reached: how far earlier lines show that the broker had come, and when: rising offsets.
    """
    if until is None:
        return False
    first = bisect_left(reached, (until, 0))
    return first < len(reached) and reached[first][1] + SURELY_LATER < ts


def _shown(row: Row) -> Row:
    names = ("file", "line", "ts", "row", "releases", "topic", "partition", "count", "detail", "replica")
    shown: dict[str, Any] = {name: row.get(name) for name in (*names, *_STATE)}
    return shown | {"node": row.get("controller") if row.get("speaker") is None else row["speaker"]}


Clocks = Mapping[tuple[int, int], int]
"""By cluster and node, the least delay of its times after those of the records that it shows."""
Applied = Mapping[tuple[int, int], tuple[int, int]]
"""By file and broker, the number and the time of its last line that shows a committed record."""
Rows = Iterator[tuple[str, Row]]


def beside_log(
    rows: Sequence[Row],
    chronicles: Mapping[int, Chronicle],
    clusters: Mapping[int, int],
    later: Clocks,
    applied: Applied,
    proposed: Callable[[Row], bool],
    ordered: Container[int],
    others: Container[int] = (),
) -> Rows:
    """Return the rows of all observations, by their names.

    Args:
        proposed: returns whether a controller may have taken back what it prints on a line.
        ordered: the files whose times do not go back.
        others: the clusters that have lines of another one.
    """
    deleted: dict[tuple[int, int], dict[tuple[int, int], Row]] = defaultdict(dict)
    whole = {cluster for cluster, each in chronicles.items() if each.from_start and not each.mixed}
    for row in _at_records_time(rows, clusters, later):
        cluster, what = row["cluster"], row["what"]
        chronicle = chronicles[cluster]
        if what in CHANGES_PRINTED or what in REASSIGNMENT_PRINTED:
            row |= {"proposed": proposed(row) and not chronicle.settled(row["node"], row["then"])}
            name, made = (CHANGES, _changes) if what in CHANGES_PRINTED else (REASSIGNMENTS, _reassignments)
            yield from ((name, each) for each in made(row, chronicle))
        elif what in STRAYS_PRINTED and cluster in whole:
            yield from ((STRAYS, each) for each in _strays(row, chronicle))
        elif what in DELETIONS_PRINTED and cluster in whole:
            deleted[cluster, row["node"]].setdefault((row["ts"], row["count"]), row)
    for (cluster, node), own in sorted(deleted.items()):
        chronicle = chronicles[cluster]
        left = sorted(at.ts for at in chronicle.left.get(node, ()))
        # A line with a wrong time looks as if it came before the records, like a line of another cluster.
        for each in _deletions(own, left, chronicle.last, applied):
            yield DELETIONS, each | {"doubtful": cluster in others or each["file"] not in ordered}
    of_kraft = [row for row in rows if not chronicles[clusters[row["file"]]].mixed]
    yield from ((REMOVED, each) for each in _removed(of_kraft, chronicles, clusters))


def _at_records_time(rows: Sequence[Row], clusters: Mapping[int, int], later: Clocks) -> Iterator[Row]:
    """Yield the rows with their `cluster`, and the time `then` at which their record would be.

    A line about a stray does not name its broker: if one broker names itself in the file, it is that one.
    """
    speakers: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        if row["what"] == "speaks":
            speakers[row["file"]].add(row["node"])
    for row in rows:
        cluster, alone = clusters[row["file"]], len(speakers[row["file"]]) == 1
        node = min(speakers[row["file"]]) if row["what"] in STRAYS_PRINTED and alone else row["node"]
        behind = later.get((cluster, node))
        if behind is not None and row["ts"] is not None:
            yield row | {"node": node, "cluster": cluster, "then": row["ts"] - behind}


def _changes(row: Row, chronicle: Chronicle) -> Iterator[Row]:
    """Yield a count of changes, beside the log's record of such an event at about that time, by that controller."""
    match = _HANDLER.match(row["detail"] or "")
    kind = _HANDLERS.get(match[1]) if match else None
    if kind is None or match is None:
        return
    broker = None if match[2] is None else int(match[2])
    there = [
        each
        for each in chronicle.handled_by(row["node"], row["then"], AT_ONCE)
        if each.kind == kind and broker in (None, each.broker)
    ]
    if not there:
        return
    fitting = [each for each in there if each.least <= row["count"] <= each.most]
    one = (fitting or there)[0]
    known = {"least": one.least, "most": one.most, "kind": kind, "broker": one.broker, "fits": bool(fitting)}
    yield row | known | {"before_file": one.at.file, "before_offset": one.at.offset}


def _reassignments(row: Row, chronicle: Chronicle) -> Iterator[Row]:
    """Yield the end of a reassignment, beside the record that it is about; `moves_leader`: another replica leads
    since.
    """
    there = _of_time(row, chronicle) if row["partition_epoch"] is None else _of_epoch(row, chronicle)
    if len(there) == 1:
        (one,) = there
        known = {"goes_on": one.reassigning, "moves_leader": row["row"] in REASSIGNMENT_MOVES_LEADER}
        yield row | known | {"before_file": one.file, "before_offset": one.offset}


def _of_epoch(row: Row, chronicle: Chronicle) -> list[Registration]:
    """Return the record of the partition epoch that a line prints, where it has the same state."""
    state, there = chronicle.beside(row)
    return [there] if state == "fits" and there is not None and there.ts is not None else []


def _of_time(row: Row, chronicle: Chronicle) -> list[Registration]:
    """Return the partition's records of about the time of a line."""
    ids = chronicle.ids.get(row["topic"], ())
    return [
        each
        for topic in sorted(ids)
        for each in chronicle.of.get((topic, row["partition"]), [])
        if each.ts is not None and abs(each.ts - row["then"]) <= AT_ONCE
    ]


def _strays(row: Row, chronicle: Chronicle) -> Iterator[Row]:
    """Yield a log that a broker considers stray, beside the record that made it a replica, else the creation of the
    only topic that ever had the name.

    `hosted`: the broker has been a replica since then. Only where the log continues beyond the line: otherwise it may
    lack the record that made the log stray.
    """
    ids = chronicle.ids.get(row["topic"], ()) if row["then"] + SURELY_LATER < chronicle.last else ()
    for topic in ids if len(ids) == 1 else ():
        own = chronicle.of.get((topic, row["partition"]))
        if own and own[0].ts is not None and own[0].ts + LATE < row["then"]:
            since = chronicle.hosts.get((topic, row["partition"]), {}).get(row["node"])
            hosted = since is not None and since.ts + LATE < row["then"]
            there = since if since is not None and hosted else own[0]
            yield row | {"hosted": hosted, "before_file": there.file, "before_offset": there.offset}


def _deletions(own: Mapping[tuple[int, int], Row], left: Sequence[int], ends: int, applied: Applied) -> Iterator[Row]:
    """Yield numbers of replicas that a broker deletes, and the number that it was to delete by then, where the log
    continues beyond the line. Equal lines of one time count once: they may be copies.
    """
    so_far = 0
    for _, row in sorted(own.items()):
        so_far += row["count"]
        if row["then"] + LATE < ends or shown_later(row, applied):
            yield row | {"so_far": so_far, "most": bisect_right(left, row["then"] + LATE)}


def _removed(rows: Iterable[Row], chronicles: Mapping[int, Chronicle], clusters: Mapping[int, int]) -> Iterator[Row]:
    """Yield the last line of each file on each partition of a deleted topic, and the earlier line by which the broker
    had applied the deletion, if there is one.

    `unordered`: in the cluster several states of one partition, or those of several topics, stand after a line by which
    they were over, as happens where a clock was put back and the lines were sorted by time afterwards.
    """
    last: dict[tuple[int, str, int], Row] = {}
    past: dict[tuple[int, int], list[Row]] = defaultdict(list)
    over: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row["what"] == "gone":
            key = row["file"], row["topic_id"], row["partition"]
            if key not in last or last[key]["line"] < row["line"]:
                last[key] = row
        elif row["what"] == "past":
            past[row["file"], row["node"]].append(row)
        elif row["what"] == "over":
            over[clusters[row["file"]]].append(row)
    unordered = {cluster for cluster, own in over.items() if _many(own)}
    for (file, topic, _), row in sorted(last.items()):
        cluster = clusters[file]
        at = chronicles[cluster].removed[topic]
        seen = [
            each
            for each in past[file, row["node"]]
            if each["offset"] > at.offset
            and each["line"] < row["line"]
            and row["ts"] is not None
            and each["ts"] + SURELY_LATER < row["ts"]
        ]
        found = row | {"cluster": cluster, "deleted": bool(seen), "before_file": at.file, "before_offset": at.offset}
        found |= {"unordered": cluster in unordered}
        yield found | ({"applied_line": min(each["line"] for each in seen)} if seen else {})


def _many(rows: Iterable[Row]) -> bool:
    """Return whether states are of several topics, or several of one partition."""
    states: dict[tuple[str, int], set[int]] = defaultdict(set)
    for row in rows:
        states[row["topic_id"], row["partition"]].add(row["partition_epoch"])
    return len({topic for topic, _ in states}) > 1 or any(len(epochs) > 1 for epochs in states.values())
