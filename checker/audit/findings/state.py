"""The state of a cluster, as far as its logs show it: separate from the findings, and not a verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from ....specs.lines import rows as line_rows
from ....traces.place import Place
from ..files.file import LogFile
from ..history.histories import Histories
from ..lines import REFUSED, STOPPED, TOPIC_DELETED
from ..observe.controller.conditions import OFFLINE, UNDER_REPLICATED, ConditionSpan, spells
from ..observe.narrow import Narrow
from ..observe.order import NEAR
from ..sources.metadata.conditions import Conditions
from ..table.protocol import Column, Row, Table
from .refusals import Refusal, refused

SPELLS = 10_000
"""The most spells of one condition and cluster that are shown, first lasting ones, then the longest; all are
counted.
"""
LASTS, LAST_SHOWN, OVER = "lasts", "last shown", "over"


@dataclass(frozen=True)
class Condition:
    """A time in which a partition was offline, or under-replicated (observe/controller/conditions.py defines both).

    `leader`, `isr` and `replicas` are the last printed values in that time.
    """

    condition: str
    topic: str
    partition: int
    life: int
    leader: int | None
    isr: tuple[int, ...] | None
    replicas: tuple[int, ...] | None
    place: Place
    """The first line that shows the condition."""
    since: int | None
    """The time of that line, in milliseconds as printed."""
    until: int | None
    """The time of the line that shows the end, if one does."""
    by: str | None
    """The event on the line that shows the end, if one does."""
    end: str
    """over, lasts (to the end of the log), or "last shown" (no line shows its end, and not every end shows)."""


@dataclass(frozen=True)
class ConditionCount:
    """The spells of one condition."""

    condition: str
    spells: int = 0
    """The number of times that the condition occurred."""
    partitions: int = 0
    """The number of partitions that had it."""
    lasting: int = 0
    """The number of partitions that have it at the end."""
    last_shown: int = 0
    """The number of partitions that had it when last shown."""
    longest: int = 0
    """The length of the longest that is over, in milliseconds."""


@dataclass(frozen=True)
class StoppedMove:
    """The number of times that a move of a state machine was refused (by Kafka's own guard), or failed."""

    machine: str
    source: str | None
    target: str | None
    refused: bool
    cause: str | None
    """The row of the line table that the throwable matches; None: the log has none."""
    why: str | None
    """The meaning of that row."""
    count: int
    partitions: int
    first: int | None
    last: int | None


@dataclass(frozen=True)
class ClusterState:
    """The state of one cluster."""

    counts: tuple[ConditionCount, ...] = ()
    conditions: tuple[Condition, ...] = ()
    """May be fewer than `counts` has."""
    stopped: tuple[StoppedMove, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    """Brokers' refusals (refusals.py)."""
    unknown: tuple[str, ...] = ()
    """Reasons why the state may differ from what is shown."""
    migrated: bool = False
    """True if KRaft has taken the partitions over from ZooKeeper: its metadata log has the rest, and these lines last
    show the time before.
    """
    until: int | None = None
    """The time of the takeover in milliseconds, UTC as all times of records (times of lines are as printed). None if no
    record shows it, as in 3.4, whose migrations write none as they end (MigrationWriteOperation, completeMigration).
    """


# ---- Near the data


@dataclass(frozen=True)
class Ends:
    """Facts about tenures that decide whether a spell is over."""

    last: frozenset[int]
    """Tenures after which no other is known, nor another life."""
    whole: frozenset[int]
    """Tenures of which no line is missing."""
    started: frozenset[int]
    """Tenures that are seen from their start."""
    clusters: Mapping[int, int]
    """The clusters of the files."""

    @staticmethod
    def of(histories: Histories, files: Sequence[LogFile]) -> Ends:
        # Of several lives the log need not show which is the last.
        lives = Counter(life.cluster for life in histories.lives)
        epochs = {life.life: max(life.epochs, default=0) for life in histories.lives if lives[life.cluster] == 1}
        # Above TRACE the deletion of a partition prints no line.
        traced = frozenset(span.tenure for span in histories.spans if span.seen_level == "TRACE")
        return Ends(
            frozenset(span.tenure for span in histories.spans if span.epoch >= epochs.get(span.life, span.epoch + 1)),
            traced - {span.tenure for span in histories.spans if span.lossy},
            frozenset(span.tenure for span in histories.spans if span.start_seen),
            {file.index: file.cluster for file in files},
        )


def conditions(events: Table, placed: Table, views: Table, ends: Ends, narrow: Narrow) -> tuple[list[Row], list[Row]]:
    """Return how many spells there are, and the first of them in the report's order; a look.

    Args:
        placed: the same events, each in its tenure; `views`: the partition views that are made from them.
    """
    columns = ("file", "line", "ts", "controller", "topic")
    deleted = events.of_lines(TOPIC_DELETED).present("controller").select(*columns).rows()
    deletions = [row | {"cluster": ends.clusters[row["file"]]} for row in deleted]
    found = [row for row in (_row(spell, ends) for spell in spells(placed, views, deletions)) if _wanted(row, narrow)]
    return _counted(found), first_in_order(found)


def _row(spell: ConditionSpan, ends: Ends) -> Row:
    begin, shown, end = spell.begin, spell.shown, spell.end
    if spell.by == "taken over" and end is not None and not {end["tenure"]} <= ends.started & ends.whole:
        end = None  # earlier lines may be missing
    known = spell.condition == OFFLINE and shown["tenure"] in ends.last & ends.whole
    return {
        "cluster": begin["cluster"],
        "condition": spell.condition,
        **{name: begin[name] for name in ("topic", "partition", "life", "file", "line")},
        **{name: shown.get(name) for name in ("leader", "isr", "replicas")},
        "since": begin["ts"],
        "until": None if end is None else end["ts"],
        "by": None if end is None else spell.by,
        "end": OVER if end is not None else LASTS if known and spell.end is None else LAST_SHOWN,
    }


def _wanted(row: Row, narrow: Narrow) -> bool:
    return narrow.overlaps(row["topic"], row["partition"], row["since"], row["until"])


def _counted(found: Sequence[Row]) -> list[Row]:
    kinds = defaultdict(list)
    for row in found:
        kinds[row["cluster"], row["condition"]].append(row)
    return [
        {
            "cluster": cluster,
            "condition": condition,
            "spells": len(own),
            "partitions": _partitions(own),
            "lasting": _partitions(row for row in own if row["end"] == LASTS),
            "last_shown": _partitions(row for row in own if row["end"] == LAST_SHOWN),
            "longest": max(map(_length, own)),
        }
        for (cluster, condition), own in kinds.items()
    ]


def _partitions(rows: Iterable[Row]) -> int:
    return len({(row["topic"], row["partition"]) for row in rows})


def _length(row: Row) -> int:
    return max(row["until"] - row["since"], 0) if row["until"] is not None and row["since"] is not None else 0


def first_in_order(found: Iterable[Row]) -> list[Row]:
    """Return the first spells of each condition and cluster: lasting ones, then the longest."""
    kinds = defaultdict(list)
    for row in found:
        kinds[row["cluster"], row["condition"]].append(row)
    return [row for _, own in sorted(kinds.items()) for row in sorted(own, key=_in_order)[:SPELLS]]


def _in_order(row: Row) -> tuple[object, ...]:
    length = row["since"] or 0 if row["end"] != OVER else -_length(row)
    names = (row["topic"], row["partition"], row["life"], row["file"], row["line"])
    return ((LASTS, LAST_SHOWN, OVER).index(row["end"]), length, *names)


def stopped_moves(stopped: Table) -> list[Row]:
    """Return how often each move was stopped, and why; one row per partition; a look."""
    key = ("cluster", "row", "from_state", "to_state", "thrown")
    ends = {"first": Column("min", "ts"), "last": Column("max", "ts")}
    by_partition = stopped.grouped((*key, *NEAR), n=Column("count"), **ends)
    return by_partition.grouped(
        key, n=Column("sum", "n"), partitions=Column("count"), first=Column("min", "first"), last=Column("max", "last")
    ).rows()


# ---- Of a metadata log


def of_metadata(
    found: Conditions, files: Mapping[int, LogFile]
) -> tuple[tuple[ConditionCount, ...], tuple[Condition, ...]]:
    """Return how many partitions the records show in each condition, and the spells: lasting ones first."""
    counts, shown = [], []
    for condition, own in found.counted.items():
        lasting = found.lasting(condition)
        named = {(each.topic, each.partition) for each in lasting}
        sure = {(each.topic, each.partition) for each in lasting if each.sure}
        longest = found.over(condition)
        counts.append(
            ConditionCount(
                condition,
                spells=own.over + len(lasting),
                partitions=len(named.union(own.partitions.values())),
                lasting=len(sure),
                last_shown=len(named - sure),
                longest=max((each.length for each in longest), default=0),
            )
        )
        of_condition = [
            Condition(
                condition,
                each.topic,
                each.partition,
                life=1,
                leader=each.leader,
                isr=each.isr,
                replicas=each.replicas,
                place=Place(files[each.file].path, offset=each.offset),
                since=each.since,
                until=each.until,
                by=each.by,
                end=OVER if each.by is not None else LASTS if each.sure else LAST_SHOWN,
            )
            for each in (*lasting, *longest)
        ]
        shown += sorted(of_condition, key=_first)[:SPELLS]
    return tuple(counts), tuple(shown)


def _first(each: Condition) -> tuple[object, ...]:
    length = 0 if each.until is None or each.since is None else each.until - each.since
    order = -length if each.end == OVER else each.since or 0
    return (LASTS, LAST_SHOWN, OVER).index(each.end), order, each.topic, each.partition, each.place.offset or 0


# ---- Of all partitions


def states(
    counted: Sequence[Row],
    deleted: Sequence[Row],
    stopped: Sequence[Row],
    refusals: Sequence[Row],
    files: Mapping[int, LogFile],
) -> dict[int, ClusterState]:
    """Return states by cluster, from the rows of `conditions`, `stopped_moves` and `refusals` over tables without a
    partition in common.
    """
    clusters = sorted({file.cluster for file in files.values()})
    return {
        cluster: ClusterState(
            tuple(_count(condition, _of(counted, cluster)) for condition in (OFFLINE, UNDER_REPLICATED)),
            tuple(_condition(row, files) for row in first_in_order(_of(deleted, cluster))),
            tuple(_stopped(_of(stopped, cluster))),
            refused(_of(refusals, cluster), files),
        )
        for cluster in clusters
    }


def _of(rows: Iterable[Row], cluster: int) -> list[Row]:
    return [row for row in rows if row["cluster"] == cluster]


def _count(condition: str, rows: Iterable[Row]) -> ConditionCount:
    own = [row for row in rows if row["condition"] == condition]
    added = {name: sum(row[name] for row in own) for name in ("spells", "partitions", "lasting", "last_shown")}
    return ConditionCount(condition, **added, longest=max((row["longest"] for row in own), default=0))


def _condition(row: Row, files: Mapping[int, LogFile]) -> Condition:
    values = {each.name: row[each.name] for each in fields(Condition) if each.name != "place"}
    return Condition(**values, place=files[row["file"]].place(row["line"]))


def _stopped(rows: Iterable[Row]) -> list[StoppedMove]:
    kinds = defaultdict(list)
    for row in rows:
        machine = next(name for name, lines in STOPPED.items() if row["row"] in lines)
        kinds[machine, row["from_state"], row["to_state"], row["thrown"]].append(row)
    found = [
        StoppedMove(
            machine,
            source,
            target,
            refused=cause in REFUSED,
            cause=cause,
            why=None if cause is None else line_rows()[cause].meaning,
            count=sum(row["n"] for row in own),
            partitions=sum(row["partitions"] for row in own),
            first=min((row["first"] for row in own if row["first"] is not None), default=None),
            last=max((row["last"] for row in own if row["last"] is not None), default=None),
        )
        for (machine, source, target, cause), own in kinds.items()
    ]
    return sorted(found, key=lambda each: (each.machine, -each.count, str((each.source, each.target, each.cause))))
