"""Lines that say what happened (`happens` in specs/lines): counted near the data, read again for their reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache

from ....specs.happenings import happenings
from ....specs.lines import Row as LineRow
from ....specs.lines import rows as line_rows
from ..files.file import LogFile
from ..findings.happened import Happened
from ..lines import BELOW_HIGH_WATERMARK, PRODUCER_IDS_ACQUIRED
from ..table.protocol import Row, Table
from .several import several
from .writers import Writers

MOMENT = "moment"
"""The kind of a row of the look."""
APART = 60_000
"""The milliseconds of silence after which lines of one kind and node are about something new."""
_OF_NONE, _OF_PARTITION = 1_000, 3
"""The most lines of one kind and node that are kept, about no partition, or about one; the rest is counted."""
_FEW = {"controller-without-leader": 100_000, **dict.fromkeys(BELOW_HIGH_WATERMARK, 1_000)}
"""The same for lines that are few, and of which each says something else."""
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
        *("unclean-election", "migration-phase", "migration-waiting", "registration-unanswered"),
    )
)
"""Happenings that modules of their own put together from several lines."""
TOOLS = ("tool-topic", "tool-partition", "tool-quorum-leader", "tool-quorum-node")
"""Rows of output of tools, which say what they are about by what they show (described.py)."""
OF_RECOVERY = ("recovery-begins", "recovery-skipped", "logs-loaded")
"""Rows of lines about the recovery of a log directory (recoveries.py)."""
_ROWS_ELSEWHERE = ("controller-resigned", *TOOLS, *OF_RECOVERY, *PRODUCER_IDS_ACQUIRED)
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
    key = event["file"], event["row"], node, speaker, *(about[name] for name in ("topic", "partition", *_SAID))
    own = found[key]
    shown = {name: event.get(name) for name in ("file", "line", "ts", "row")} | about
    shown |= {"from_offset": event.get("offset"), "high_watermark": event.get("high_watermark")}
    shown |= {"kind": MOMENT, "node": node, "speaker": speaker, "n": 1, "last_ts": event.get("ts"), "rest": False}
    most = _most(shown)
    if len(own) < most:
        own.append(shown)
    elif len(own) == most:
        own.append(shown | {"rest": True})
    else:
        own[-1] |= {"n": own[-1]["n"] + 1, "last_ts": _later(own[-1]["last_ts"], event.get("ts"))}


def _most(row: Row) -> int:
    return _FEW.get(row["row"], _OF_NONE if row["partition"] is None else _OF_PARTITION)


def _later(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)


def together(rows: Iterable[Row]) -> list[Row]:
    """Return the lines of all pieces of a file: the first of each kind, the last of them with the number of the rest.

    However a file is cut into pieces, these are the same.
    """
    groups: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") == MOMENT:
            said = (str(row[name]) for name in _SAID)
            about = (row["topic"], row["partition"], *said)
            groups[(row["file"], row["row"], row["node"], row["speaker"], *about)].append(row)
    found = [row for own in groups.values() for row in _first(sorted(own, key=lambda row: (row["rest"], row["line"])))]
    return sorted(found, key=lambda row: (row["file"], row["line"], str(row["topic"]), str(row["partition"])))


def _first(rows: Sequence[Row]) -> list[Row]:
    most = _most(rows[0])
    kept, more = list(rows[:most]), rows[most:]
    if more:
        last = kept[-1]["last_ts"]
        for row in more:
            last = _later(last, row["last_ts"])
        kept[-1] = kept[-1] | {"n": kept[-1]["n"] + sum(row["n"] for row in more), "last_ts": last}
    return kept


def _is_elsewhere(row: str) -> bool:
    return row in _ROWS_ELSEWHERE or saying()[row].happens in ELSEWHERE


def by_topic(
    rows: Iterable[Row], files: Mapping[int, LogFile], whats: Collection[str], present: Sequence[str] = ("topic",)
) -> Iterator[tuple[int, str, list[Row]]]:
    """Yield clusters and topics with the lines about a topic that say one of these things, in the order of time.

    Args:
        present: the columns that a line must have.
    """
    found: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") != MOMENT or row["file"] not in files or saying()[row["row"]].happens not in whats:
            continue
        if all(row[name] is not None for name in present):
            found[files[row["file"]].cluster, row["topic"]].append(row)
    for (cluster, topic), own in sorted(found.items()):
        own.sort(key=lambda row: (row["ts"] is None, row["ts"] or 0, row["file"], row["line"]))
        yield cluster, topic, own


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
                until=row["last_ts"] if row["n"] > 1 else None,
                node=node,
                topic=row["topic"] if named else None,
                partition=row["partition"] if named else None,
                epoch=epochs[0] if epochs else None,
                reason=row["said"] if line.reason is None else None,
                count=row["n"],
                places=(file.place(row["line"]),),
                at=(row["file"], row["line"]),
            ),
        )
