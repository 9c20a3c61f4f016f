"""Lines in which a controller changes a broker's registration, beside the records of a metadata log.

A controller replays its proposals at once and appends them in the same order (QuorumController.ControllerWriteEvent):
where a later record of its epoch is committed, everything that it proposed before is committed, too. A line names no
offset; so lines are counted, by broker and by its new state, and compared with the number of such records in the epoch.

A standby replays only committed records: a fencing that it prints is a record of the log. The line has the epoch that
the broker was registered with, so the record is between that registration and the next one, whenever it was printed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ...lines import BROKER_CHANGES_PRINTED, FENCINGS_PRINTED
from ...table.protocol import Row, Table
from ..metadata.chronicle import SURELY_LATER, Chronicle
from .turns import Turn, Turns, last_turn

LINES = (*BROKER_CHANGES_PRINTED, *FENCINGS_PRINTED)
CHANGES = "registration_changes_beside_log"
_COLUMNS = ("file", "line", "ts", "row", "releases", "controller", "replica", "detail")
_FENCED = re.compile(r"\bfenced=(-?1)\b")
_BROKER_EPOCH = re.compile(r"\bbrokerEpoch=([0-9]{1,18})\b")
_IN_SHUTDOWN = re.compile(r"\binControlledShutdown=1\b")
NEAR = 3_000
"""The most milliseconds between such a line and its record."""
_AT_ONCE, _LONG_ELECTION = 1_000, 60_000
"""The milliseconds between them where lines have lost theirs, and until a leader learns that its first record is
committed.
"""
Key = tuple[int, str]
"""A broker, and its new state by a record: "fence", "unfence" or "shutdown"."""


def printed(events: Table) -> list[Row]:
    """Return the lines about registrations of brokers, which are few; a look."""
    return [{name: row.get(name) for name in _COLUMNS} for row in events.of_lines(LINES).rows()]


def beside_log(
    rows: Iterable[Row],
    turns: Turns,
    chronicles: Mapping[int, Chronicle],
    clusters: Mapping[int, int],
    files: Collection[int],
) -> Iterator[Row]:
    """Yield the lines that an active controller wrote surely before another committed record of its epoch, and surely
    after the first; and fencings that a standby printed.

    `fits`: the epoch has such a record of that time. A standby's fencings are of registrations that are over in the
    log, and have no epoch; `fits`: the log has a fencing of that registration.

    Args:
        files: those in the order of writing, of clusters all of whose files are.
    """
    lines_in: dict[tuple[int, int, Turn], dict[Key, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in sorted(rows, key=lambda each: (each["file"], each["line"])):
        key, began = _key(row), last_turn(turns, row["file"], row["controller"], row["line"])
        if key is None or began is None or row["file"] not in files:
            continue
        if began.epoch is None and (chronicle := chronicles.get(clusters[row["file"]])) is not None:
            for one in _of_standby(row, key, chronicle):
                yield one | {"cluster": clusters[row["file"]], "node": row["controller"]}
        if None not in (*began, row["ts"]):
            same = lines_in[row["file"], row["controller"], began][key]
            if all((each["ts"], each["row"]) != (row["ts"], row["row"]) for each in same):  # otherwise it is a copy
                same.append(row)
    for (file, node, (_, ts, epoch)), lines in lines_in.items():
        cluster = clusters[file]
        chronicle = chronicles.get(cluster)
        if chronicle is None or epoch is None or ts is None or chronicle.broken or chronicle.mixed:
            continue
        if chronicle.leaders.get(epoch, (None,))[0] == node and epoch in chronicle.spans:
            for row in _of_reign(_one_wording(lines), ts, chronicle, epoch):
                yield row | {"cluster": cluster, "node": node, "controller_epoch": epoch}


def _of_standby(row: Row, key: Key, chronicle: Chronicle) -> Iterator[Row]:
    """Yield a fencing that a standby printed, if the log is complete from its registration to the next one."""
    broker, kind = key
    found = _BROKER_EPOCH.search(row["detail"] or "")
    if kind != "fence" or found is None or not chronicle.from_start or chronicle.broken or chronicle.mixed:
        return
    epoch, epochs = int(found[1]), chronicle.brokers.get(broker, set())
    next_epoch = min((each for each in epochs if each > epoch), default=None)
    if epoch not in epochs or next_epoch is None or next_epoch >= chronicle.end:
        return
    fencings = [each for own in chronicle.handled.values() for each in own if (each.broker, each.kind) == key]
    count = sum(epoch <= each.at.offset <= next_epoch for each in fencings)
    yield row | {"broker": broker, "detail": kind, "count": count, "fits": count > 0, "controller_epoch": None}


def _key(row: Row) -> Key | None:
    broker, detail = row["replica"], row["detail"] or ""
    if broker is None:
        return None
    if row["row"] in FENCINGS_PRINTED:
        return broker, "fence"
    fenced = _FENCED.search(detail)
    if fenced is not None:
        return broker, "fence" if fenced[1] == "1" else "unfence"
    return (broker, "shutdown") if _IN_SHUTDOWN.search(detail) else None


def _one_wording(lines: Mapping[Key, list[Row]]) -> dict[Key, list[Row]]:
    """Return lines of one wording: an event may have two lines; if there are lines that print the record, these."""
    own = {key: [row for row in rows if row["row"] in BROKER_CHANGES_PRINTED] for key, rows in lines.items()}
    return own if any(own.values()) else dict(lines)


def _of_reign(lines: Mapping[Key, Sequence[Row]], began: int, chronicle: Chronicle, epoch: int) -> Iterator[Row]:
    """Yield the lines of a reign that began at a time, beside its records."""
    there: dict[Key, list[int]] = defaultdict(list)
    for each in sorted(chronicle.handled.get(epoch, ()), key=lambda each: each.at.offset):
        there[each.broker, each.kind].append(each.at.ts)
    first, last = chronicle.spans[epoch]
    later = _clock(lines, there, began - first)
    for (broker, kind), rows in lines.items():
        left = there[broker, kind]
        count = len(left)
        for row in rows:
            then = row["ts"] - later
            one = min(left, key=lambda ts: abs(ts - then), default=None)
            fits = one is not None and abs(one - then) <= NEAR
            if fits and one is not None:
                left.remove(one)
            if first + NEAR < then and then + SURELY_LATER < last:
                yield row | {"broker": broker, "detail": kind, "count": count, "fits": fits}


def _clock(lines: Mapping[Key, Sequence[Row]], there: Mapping[Key, Sequence[int]], most: int) -> int:
    """Return the delay of the lines' times after those of the records.

    One clock made both, but lines may be in local time: the delay is the one with which most lines have a record.
    `most` is the delay at the beginning of the reign, whose line is printed when its record is committed.
    """
    apart = [row["ts"] - ts for key, rows in lines.items() for row in rows for ts in there.get(key, ())]
    near = [each for each in apart if most - _LONG_ELECTION <= each <= most + _AT_ONCE]
    together = Counter(each // _AT_ONCE for each in near)
    best = max(together, key=lambda each: (together[each] + together[each - 1], each), default=None)
    return most if best is None else max(each for each in near if each // _AT_ONCE == best)
