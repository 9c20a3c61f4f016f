"""Lines that say what happened (`happens` in specs/lines): counted near the data, read again for their reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from ....specs.happenings import happenings
from ....specs.lines import Row as LineRow
from ....specs.lines import rows as line_rows
from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row, Table
from .several import several
from .writers import Writers

MOMENT = "moment"
"""The kind of a row of the look."""
_ALONE, _OF_PARTITION = 20, 1
"""The most lines of one kind and node in a piece that are kept apart, about none or one partition; the rest counts."""
APART = 60_000
"""The milliseconds of silence after which lines of one kind and node are about something new."""
_MOST = 1_000
"""The most lines of one kind and node in a piece that are kept apart for that."""
_FEW = {"controller-without-leader": 100_000}
"""The most that are kept apart of lines that are as few as states of the quorum."""
OF_PROCESSES = ("process-started", "process-ready", "process-stopped", "process-failed")
"""Begins and ends of processes, which processes.py puts together."""
_ABOUT = ("topic", "partition", "raft_epoch", "controller_epoch", "leader_epoch")
_SAID = ("said", "replicas", "offset", "epoch")
"""The columns that several.py adds to a line."""
ELSEWHERE = frozenset(
    (
        *OF_PROCESSES,
        *("quorum-without-leader", "voter-unreachable", "vote-rejected", "voters-empty", "voters-changed"),
        *("created", "deletion-running", "deleted", "deletion-stuck", "reassignment-running", "reassignment-ended"),
        *("unclean-election", "migration-phase", "migration-waiting"),
    )
)
"""Happenings that modules of their own put together from several lines."""
_ROWS_ELSEWHERE = ("controller-resigned",)
"""Rows of which the same holds."""


@cache
def saying() -> Mapping[str, LineRow]:
    """Return the rows of the line table that say what happened."""
    return {name: row for name, row in line_rows().items() if row.happens is not None}


@cache
def _is_of_partitions(row: str) -> bool:
    """Return whether a line is about the partition, or the topic, that it names."""
    return happenings()[saying()[row].happens or ""].subject in ("partition", "topic")


def is_of_process(row: Row) -> bool:
    """Return whether a line is about the begin or the end of a process (processes.py)."""
    return saying()[row["row"]].happens in OF_PROCESSES


def moments(events: Table) -> list[Row]:
    """Return the lines that say what happened, the first of each kind apart; a look at consecutive lines."""
    rows = saying()
    found: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    met: set[tuple[int, int]] = set()
    for event in sorted(events.of_lines(tuple(rows)).rows(), key=lambda row: (row["file"], row["line"])):
        if any(event.get(name) != value for name, value in rows[event["row"]].happens_where):
            continue
        if not _is_of_partitions(event["row"]):
            if (event["file"], event["line"]) in met:
                continue  # the line lists partitions: it is one event of each
            met.add((event["file"], event["line"]))
        for each in several(event):
            _count(event, each, found)
    return [row for own in found.values() for row in own]


def _count(event: Row, said: Row, found: dict[tuple[object, ...], list[Row]]) -> None:
    """Add what a line says of one node, topic or partition."""
    node = said.get("node", event.get(saying()[event["row"]].node))
    speaker = event.get("speaker")
    speaker = event.get("controller") if speaker is None else speaker
    own_about = event if _is_of_partitions(event["row"]) else event | {"topic": None, "partition": None}
    about = {name: said.get(name, own_about.get(name)) for name in _ABOUT} | {name: said.get(name) for name in _SAID}
    kinds = (about[name] for name in ("topic", "partition", *_SAID))
    own = found[(event["file"], event["row"], node, speaker, *kinds)]
    most = _OF_PARTITION if about["partition"] is not None else _FEW.get(event["row"], _ALONE)
    if len(own) <= most or _apart(own, event["ts"]):
        shown = {name: event[name] for name in ("file", "line", "ts", "row")} | about
        shown |= {name: event.get(name) for name in ("offset", "high_watermark") if about.get(name) is None}
        own.append(shown | {"kind": MOMENT, "node": node, "speaker": speaker, "n": 1, "last": event["ts"]})
    else:
        own[-1]["n"] += 1
        own[-1]["last"] = event["ts"]


def _is_elsewhere(row: str) -> bool:
    return row in _ROWS_ELSEWHERE or saying()[row].happens in ELSEWHERE


def _apart(own: list[Row], ts: int | None) -> bool:
    """Return whether a line comes so long after the last of its kind that it is about something new."""
    last = own[-1]["last"]
    return len(own) < _MOST and ts is not None and last is not None and ts - last > APART


def said(rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster what these lines say, without the reasons, which are read again (reasons.py)."""
    for row in rows:
        if row.get("kind") != MOMENT or row["file"] not in files or _is_elsewhere(row["row"]):
            continue
        file, line = files[row["file"]], saying()[row["row"]]
        assert line.happens is not None
        node = row["node"]
        if node is None and line.node in ("speaker", "controller"):
            node = row["speaker"] if row["speaker"] is not None else writers.of(row["file"])
        named = happenings()[line.happens].subject != "node"  # a node's directory fails once, with all its partitions
        epochs = [row[name] for name in ("leader_epoch", "raft_epoch", "controller_epoch") if row[name] is not None]
        yield (
            file.cluster,
            Happened(
                line.happens,
                since=row["ts"],
                until=row["last"] if row["n"] > 1 else None,
                node=node,
                topic=row["topic"] if named else None,
                partition=row["partition"] if named else None,
                epoch=epochs[0] if epochs else None,
                count=row["n"],
                places=(file.place(row["line"]),),
                at=(row["file"], row["line"]),
            ),
        )
