"""A broker's lines about what it does with one partition, in the order of its journal."""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import Expr, both, either, field, ite
from .....model.sorts import Bool, Int, Sort
from .....specs.lines import STATE_CHANGE, rows_with
from ...fields import (
    JOURNAL,
    READ,
    SPAN,
    block,
    delete,
    gap,
    leader_epoch,
    lossy,
    previous_leader_epoch,
    process_known,
    releases,
    sorts,
    ts,
    whole,
)
from ...files.file import JITTER
from ...lines import (
    APPEND_REFUSED,
    BELOW_HIGH_WATERMARK,
    EPOCH_REFUSED,
    EXITS_FOR_TRUNCATION,
    FETCH_FAILED,
    FETCH_FENCED,
    FETCH_OFFSET_RESET,
    FETCHERS_ADDED,
    HIGH_WATERMARK_FELL,
    HOSTS,
    ISR_CHANGES,
    ISR_WRITE_FAILED,
    ISR_WRITTEN,
    LOG_CREATED,
    LOG_LOADED,
    LOG_OPENED,
    NOT_ASSIGNED,
    OFFLINE,
    REPLICA_DELETED,
    REPLICA_STOPPED,
    SKIPPED,
    STOP_RECEIVED,
    STOP_REFUSED,
    STOP_WHILE_OFFLINE,
    TO_HIGH_WATERMARK,
    TO_LEADER,
    TOPIC_ID_REFUSED,
    TRUNCATED,
    is_line,
    line,
)
from ...table.encoding import Flag, in_releases
from ...table.protocol import Column, Table
from ..compared import earlier, earlier_sorts, was
from ..observation import Input, Names
from ..order import NEAR
from ..placed import at
from . import taken
from .taken import PLACE, TAKEN, with_requests, with_what_is_known, with_what_is_taken

REPLICA = ("journal", "process", *NEAR)
"""A replica in one process of its broker."""
KEPT = (*REPLICA, "deletions")
"""A replica in one process, up to its deletion."""
STAY = (*KEPT, "stay")
"""The same, from where the broker says that it knows nothing of it yet."""
LOG = ("journal", *NEAR, "log")
"""A replica's log from its creation to its deletion, over all processes."""
MERGED = ("clock", "at", "file")
"""The order of a journal's lines about one partition."""
_LOADED = ("log-loaded",)
"""The last of the lines with which a replica is loaded, since 2.4."""
_IN_STATE_CHANGE = rows_with(speaker="broker", family=STATE_CHANGE)
NO_EPOCH = -1
"""The leader epoch that a broker prints before the first."""

clock, fresh, remembers = field("clock", Int()), field("fresh", Bool), field("remembers", Flag)
not_above = field("not_above", Flag)
copied = field("copied", Bool)
HOSTED: Mapping[str, Sort] = {
    **READ,
    **SPAN,
    **JOURNAL,
    **sorts(at, clock, field("deletions", Int(0)), field("stay", Int(0)), fresh, remembers, not_above),
    **sorts(field("log", Int(0)), field("gone", Bool), copied),
    **TAKEN,
}
"""The columns of a line in a journal that is about one partition.

`clock` is the line's time, or that of an earlier line of its file and partition, if that is later. `deletions` counts
the deletions of the replica in its process, `stay` the times that the broker knew nothing of it. `fresh`: it knows
nothing on this line; `remembers`: the line prints a leader epoch that the broker had before; `not_above`: its own is
not larger. `gone`: it deletes the replica.
`log` counts the deletions and creations of the log. `copied`: the broker created the log again while it had it, so one
is a copy in another log directory, and the lines of both look alike.
"""
OF_LOG = (*LOG_LOADED, *ISR_CHANGES, *ISR_WRITTEN, *TRUNCATED, *FETCHERS_ADDED)
"""Lines about a replica's log, its high watermark, or a leader's ISR."""
LINES = (
    *(*taken.LINES, *OF_LOG, *LOG_CREATED, *LOG_OPENED, *TO_HIGH_WATERMARK, *TO_LEADER),
    *(*HOSTS, *REPLICA_DELETED, *EPOCH_REFUSED, *STOP_RECEIVED, *SKIPPED),
    *(*FETCH_FAILED, *FETCH_FENCED, *FETCH_OFFSET_RESET, *BELOW_HIGH_WATERMARK, *HIGH_WATERMARK_FELL),
    *(*ISR_WRITE_FAILED, *STOP_REFUSED, *TOPIC_ID_REFUSED, *EXITS_FOR_TRUNCATION, *APPEND_REFUSED),
    *(*NOT_ASSIGNED, *OFFLINE, *STOP_WHILE_OFFLINE),
)


def hosted(events: Table) -> Table:
    """Return lines of journals about partitions, merged over the files of a broker."""
    own = events.present("journal", *NEAR).of_lines(LINES)
    ordered = _timed(own).kept(NEAR, (*REPLICA, *MERGED))
    known = ordered.derive(
        none=previous_leader_epoch.eq(NO_EPOCH),
        remembers=previous_leader_epoch > NO_EPOCH,
        not_above=leader_epoch <= previous_leader_epoch,
    )
    marked = known.derive(
        gone=is_line(REPLICA_DELETED) | (is_line((*REPLICA_STOPPED, *STOP_RECEIVED)) & delete),
        fresh=is_line(HOSTS) | field("none", Flag),
    )
    counted = with_what_is_taken(with_requests(marked, REPLICA, MERGED)).along(
        REPLICA,
        MERGED,
        deletions=Column("so_far", "gone"),
        known_new=Column("so_far", "fresh"),
        stopped=Column("last", "now_stopped"),
    )
    renewed = (
        _with_copies(counted)
        .derive(renewed=field("gone", Bool) | is_line(LOG_CREATED))
        .along(("journal", *NEAR), MERGED, log=Column("so_far", "renewed"))
    )
    stays = renewed.derive(stay=ite(fresh, field("known_new", Int()) + 1, field("known_new", Int())))
    return with_what_is_known(stays.kept(NEAR, (*KEPT, *MERGED)), KEPT, MERGED).select(*HOSTED)


def _with_copies(lines: Table) -> Table:
    """Add `copied`: since KIP-113 the log of a replica that moves to another directory is created, and loaded, beside
    it.

    Up to 2.3 logs of other brokers are loaded too.
    """
    since_2_4 = releases.subset_of(in_releases(">=2.4"))
    counted = lines.along(
        KEPT,
        MERGED,
        created=Column("so_far", where=is_line(LOG_CREATED)),
        loaded=Column("so_far", where=is_line(_LOADED)),
    )
    again = either(
        is_line(LOG_CREATED) & (field("created", Int()) > 0),
        is_line((*LOG_CREATED, *_LOADED)) & since_2_4 & (field("loaded", Int()) > 0),
    )
    copies = counted.derive(again=again).along(KEPT, MERGED, copies=Column("so_far", "again"))
    return copies.derive(copied=field("copies", Int()) > 0)


def _timed(lines: Table) -> Table:
    """Add `clock`, which never falls along a file; a line of the replica below later ones also makes it `lossy`.

    Its file was then joined in another order: lines that belong between two may be elsewhere.
    """
    later = lines.along(("journal", "file", *NEAR), ("line",), reached=Column("greatest", "ts")).filled("reached", "ts")
    reached = field("reached", Int())
    timed = later.derive(clock=ite(reached < ts, ts, reached))
    of_replica = ("journal", *NEAR)
    displaced = timed.where(ts + JITTER < reached).grouped(of_replica, displaced=Column("count"))
    found = timed.attached(displaced, of_replica, ("displaced",)).derive(moved=field("displaced", Int()) > 0)
    return found.derive(lossy=lossy | field("moved", Flag))


HOSTED_LINES = Input("brokers' lines about their replicas", LINES, hosted, excuses=("order", "renewal"))

_CARRIED = ("block", "line", "file", "clock")
gap_in_journal = either(lossy, both(~block.eq(was(block)), ~whole))
"""True if lines may be missing since the row before, which is of the same journal."""


def followed(table: Table, key: Names, order: Names, *names: str, of: Expr | None = None) -> Table:
    """Return each row with `names` of an earlier row (see `earlier`), and whether lines may be missing between the
    two.
    """
    return table.along(key, order, **earlier(*names, *_CARRIED, of=of)).derive(gap=gap_in_journal)


def in_order() -> Expr:
    """Return whether a row surely comes after another: they are of one log, or its time is later.

    Lines of state-change.log and server.log stand in any order within a millisecond. `before_clock` and `before_row`
    are the other's.
    """
    of_state_change, was_of_state_change = is_line(_IN_STATE_CHANGE), was_line(_IN_STATE_CHANGE)
    return either(of_state_change.eq(was_of_state_change), was(clock) < clock)


def was_line(rows: tuple[str, ...]) -> Expr:
    """Return whether the row before is one of these of the line table."""
    return either(*(was(line).eq(row) for row in rows))


def followed_sorts(*names: str) -> dict[str, Sort]:
    """Return the sorts of the columns that `followed` adds."""
    return earlier_sorts(HOSTED, *names, *_CARRIED) | sorts(gap)


unknown_since = either(lossy, ~process_known, ~whole)
"""True if lines may be missing before a row, or its process may have restarted."""
_unknown_between = either(lossy, ~process_known, both(~block.eq(was(block)), ~whole))


def against(table: Table, of: str) -> Table:
    """Return each row with the line that showed `known`, `isr`, `received` or `had` (TAKEN) as the line before, and
    `gap`.
    """
    before = {f"before_{name}": field(f"{of}_{name}", Int(0)) for name in PLACE}
    return table.present(f"{of}_line").derive(**before).derive(gap=_unknown_between)


AGAINST: Mapping[str, Sort] = {**HOSTED, **{f"before_{name}": Int(0) for name in PLACE}, **sorts(gap)}
"""The columns of the result of `against`."""
