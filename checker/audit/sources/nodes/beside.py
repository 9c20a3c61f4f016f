"""Lines that print a partition's state, or a broker's epoch, compared with the records of the metadata log.

Every broker and every controller applies the same committed records, so their lines about a partition at a partition
epoch agree with the log; they may skip epochs, and lag. An active controller prints its proposals, which it may take
back. Lines that the log cannot decide (before its first available record, another cluster's topics) are ignored. Where
lines of another cluster are present, a line without a topic id may be one of these.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from ...lines import (
    FOLLOWS,
    LEADS,
    OF_ZOOKEEPER,
    PRINTED_BY_LEADERS,
    REGISTERED,
    REGISTRATIONS_PRINTED,
    STATE_TAKEN,
    STATES_TAKEN,
)
from ...table.protocol import Row, Table
from ..metadata.chronicle import Chronicle, Registration, differing

LINES = (*STATES_TAKEN, *REGISTRATIONS_PRINTED, *REGISTERED)
APPLIED = (*LEADS, *FOLLOWS, *STATE_TAKEN)
"""Lines that a broker writes as it applies the metadata log, in its order."""
_LINE = ("file", "line", "ts", "row", "releases", "topic", "partition")
_STATE = ("topic_id", "partition_epoch", "leader", "leader_epoch", "isr")
LATE = 10_000
"""Milliseconds after a line within which its record was written: a log that continues longer has it."""
_CHANGED = re.compile(r"(?:^|, )(isr|leader|leaderEpoch): (\[[0-9, ]*\]|-?[0-9]+) -> (\[[0-9, ]*\]|-?[0-9]+)(?=, |$)")


def beside(chronicles: Mapping[int, Chronicle], clusters: Mapping[int, int], events: Table) -> list[Row]:
    """Return lines that do not fit the log, and the number that do; a look.

    Rows have a `what`: "fits" (the number of lines of a file and row of the line table), "late" (the least time between
    record and line, for a node in a file), "applied" (the last line of a broker in a file that shows a committed
    record), "aside" (the number of lines not compared), "odd" (a line that the log does not confirm: `state` is
    "differs" or "ahead"), "stranger" (a topic with an id, or a name, that the log does not have, with its first time
    and its first line).
    """
    fits: Counter[tuple[int, str]] = Counter()
    aside: Counter[tuple[int, str]] = Counter()
    late: dict[tuple[int, int], int] = {}
    applied: dict[tuple[int, int], tuple[int, int]] = {}
    strangers: dict[tuple[int, str], tuple[int, int]] = {}
    found: list[Row] = []
    for row in events.of_lines(LINES).rows():
        file, kind = row["file"], row["row"]
        chronicle = chronicles.get(clusters.get(file, -1))
        if chronicle is None:
            continue
        state, there, shown = _beside(chronicle, row)
        if state == "fits":
            fits[file, kind] += 1
            if there is not None and there.ts is not None and row.get("ts") is not None:
                later, key = row["ts"] - there.ts, (file, shown["node"])
                late[key] = min(late.get(key, later), later)
                if applied_offset(chronicle, row) is not None:
                    applied[key] = max(applied.get(key, (-1, 0)), (row["line"], row["ts"]))
        elif state in ("differs", "ahead"):
            found.append({"what": "odd", "state": state, **shown, **_place(there)})
        else:
            aside[file, kind] += 1
            if state == "foreign" and (row.get("topic_id") is not None or row["topic"] not in chronicle.ids):
                key = file, row["topic"]
                ts, line = strangers.get(key, (row["ts"] or 0, row["line"]))
                strangers[key] = min(ts, row["ts"] or 0), min(line, row["line"])
    return [
        *found,
        *({"what": "fits", "file": file, "row": kind, "n": n} for (file, kind), n in sorted(fits.items())),
        *({"what": "late", "file": file, "node": node, "n": n} for (file, node), n in sorted(late.items())),
        *(
            {"what": "applied", "file": file, "node": node, "line": line, "ts": ts}
            for (file, node), (line, ts) in sorted(applied.items())
        ),
        *({"what": "aside", "file": file, "row": kind, "n": n} for (file, kind), n in sorted(aside.items())),
        *(
            {"what": "stranger", "file": file, "topic": topic, "ts": ts, "line": line}
            for (file, topic), (ts, line) in sorted(strangers.items())
        ),
    ]


def _beside(chronicle: Chronicle, row: Row) -> tuple[str, Registration | None, Row]:
    """Return the log's result for a line, the registration there, and the columns of the line as they are compared."""
    shown: dict[str, Any] = {
        name: row.get(name) for name in ("file", "line", "ts", "row", "releases", "topic", "partition")
    }
    if row["row"] in REGISTERED:
        broker, epoch = row["speaker"], row["broker_epoch"]
        shown |= {"node": broker, "epoch": epoch, "surely": chronicle.has_all_of(epoch)}
        known = chronicle.brokers.get(broker, set())
        later = epoch >= chronicle.start and not chronicle.broken
        return ("fits" if epoch in known else "ahead" if later else "before"), None, shown
    shown |= {
        "node": row.get("speaker"),
        "partition_epoch": row.get("partition_epoch"),
        "topic_id": row.get("topic_id"),
    }
    shown |= {name: row.get(name) for name in ("leader", "leader_epoch", "isr")}
    if row["row"] in PRINTED_BY_LEADERS:
        shown["leader"] = row.get("speaker")
    if row["row"] in REGISTRATIONS_PRINTED:
        shown["node"] = row.get("controller")
        shown |= changed(row.get("detail") or "")
    if None in (row.get("topic"), row.get("partition"), shown["partition_epoch"]):
        return "before", None, shown
    if row["row"] in OF_ZOOKEEPER and not chronicle.mixed:
        return "foreign", None, shown
    state, there = chronicle.beside(shown)
    if there is not None and state == "differs":
        shown["differs"] = differing(shown, there)
    return state, there, shown


def applied_offset(chronicle: Chronicle, row: Row) -> int | None:
    """Return the offset of the record whose state a broker has adopted, if the log certainly has it."""
    if row["row"] not in APPLIED:
        return None
    if None in (row.get("topic"), row.get("partition"), row.get("partition_epoch"), row.get("topic_id")):
        return None
    leader = row.get("speaker") if row["row"] in PRINTED_BY_LEADERS else row.get("leader")
    state, there = chronicle.beside(row | {"leader": leader})
    return there.offset if state == "fits" and there is not None and there.committed else None


def changed(detail: str) -> dict[str, Any]:
    """Return the new values in a controller's difference of two registrations: "isr: [2] -> [1], leader: -1 -> 1"."""
    names = {"isr": "isr", "leader": "leader", "leaderEpoch": "leader_epoch"}
    found: dict[str, Any] = {}
    for match in _CHANGED.finditer(detail):
        text = match[3]
        found[names[match[1]]] = [int(n) for n in re.findall("[0-9]+", text)] if text[0] == "[" else int(text)
    return found


def _place(there: Registration | None) -> Row:
    if there is None or there.offset < 0:
        return {}
    return {"before_file": there.file, "before_offset": there.offset, "known_leader": there.leader} | {
        "known_leader_epoch": there.leader_epoch,
        "known_isr": list(there.isr),
    }


def last_applied(rows: Iterable[Row], ordered: Container[int]) -> dict[tuple[int, int], tuple[int, int]]:
    """Return by file and broker the number and the time of its last line that shows a committed record."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for row in rows:
        if row["what"] == "applied" and row["file"] in ordered:
            key = row["file"], row["node"]
            found[key] = max(found.get(key, (-1, 0)), (row["line"], row["ts"]))
    return found


def shown_later(row: Row, applied: Mapping[tuple[int, int], tuple[int, int]]) -> bool:
    """Return whether the broker shows a committed record after a line.

    It applies records in order, also across processes: what it had applied at the line is before that record.
    """
    line, ts = applied.get((row["file"], row["node"]), (-1, 0))
    return row["ts"] is not None and row["line"] < line and bool(row["ts"] < ts)


def of_others(rows: Iterable[Row], chronicles: Mapping[int, Chronicle], clusters: Mapping[int, int]) -> Iterator[int]:
    """Yield the clusters that have lines of another one among theirs.

    Such lines name topics that a complete log does not have, or of which a later line shows a record. Topics may also
    be created after the log was copied: that, together with a registration that the log does not have, shows it, as do
    several such registrations.
    """
    rows = list(rows)
    signs: dict[int, set[tuple[int, int] | None]] = defaultdict(set)
    applied: dict[int, int] = defaultdict(int)
    for row in rows:
        if row["what"] == "applied":
            applied[row["file"]] = max(applied[row["file"]], row["line"])
    for row in rows:
        cluster = clusters[row["file"]]
        log = chronicles[cluster]
        if row["what"] == "stranger" and _is_of_none(row, log.complete_since()):
            signs[cluster].add(None)
            if row["ts"] + LATE < log.last or row["line"] < applied[row["file"]]:
                yield cluster
        elif row["what"] == "odd" and row.get("surely", False):
            signs[cluster].add((row["node"], row["epoch"]))
    yield from (cluster for cluster, own in signs.items() if len(own) > 1)


def _is_of_none(row: Row, since: int | None) -> bool:
    """Return whether a topic was not merely deleted before the log is complete, long enough before a line first names
    it.
    """
    return since is not None and (since == 0 or row["ts"] > since + LATE)


def clocks(rows: Iterable[Row], clusters: Mapping[int, int]) -> dict[tuple[int, int], int]:
    """Return by cluster and node the least delay of its times after those of the records that it shows."""
    found: dict[tuple[int, int], int] = {}
    for row in rows:
        if row["what"] == "late":
            key = clusters[row["file"]], row["node"]
            found[key] = min(found.get(key, row["n"]), row["n"])
    return found


def odd(
    rows: Iterable[Row],
    chronicles: Mapping[int, Chronicle],
    clusters: Mapping[int, int],
    ordered: Container[int],
    others: Container[int],
) -> Iterator[Row]:
    """Yield the lines that do not fit, as rows of the observation.

    `covered`: the log continues beyond the line, by its time, by the offset that it names, or by a later line of the
    broker, which applies records in order; `settled`: and beyond what the node itself wrote then; `foreign`: lines of
    another cluster are present, and this one names no topic id.

    Args:
        ordered: the files whose lines are in the order of writing.
        others: the clusters that have lines which none of their nodes writes.
    """
    rows = list(rows)
    applied = last_applied(rows, ordered)
    strange: dict[int, dict[str, int]] = defaultdict(dict)
    for row in rows:
        if row["what"] == "stranger":
            own = strange[clusters[row["file"]]]
            own[row["topic"]] = min(own.get(row["topic"], row["ts"]), row["ts"])
    later = clocks(rows, clusters)
    for row in rows:
        if row["what"] != "odd":
            continue
        cluster = clusters[row["file"]]
        nameless = row.get("topic") is not None and row.get("topic_id") is None
        if nameless and row["topic"] in strange[cluster]:
            continue
        behind = later.get((cluster, row["node"]))
        ends = chronicles[cluster].last
        then = None if behind is None or row.get("ts") is None else row["ts"] - behind
        by_time = then is not None and then + LATE < ends
        by_line = row["row"] in APPLIED and shown_later(row, applied)
        covered = by_time or by_line or row.get("surely", False)
        stays = then is not None and chronicles[cluster].settled(row["node"], then)
        # Topics are also created after the log was copied.
        until = max(ends, row["ts"] or 0)
        among = nameless and min(strange[cluster].values(), default=until + 1) <= until
        foreign = among or (cluster in others and row.get("topic_id") is None)
        shown = {"cluster": cluster, "covered": covered, "settled": stays, "differs": row.get("differs", [])}
        yield row | shown | {"foreign": foreign}
