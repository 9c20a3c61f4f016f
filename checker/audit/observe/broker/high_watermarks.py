"""High watermarks that brokers print, compared with the starts of later leaders and with truncations.

Records below a high watermark are committed. A printed high watermark was reached in the broker's leader epoch at that
time, or in an earlier one; when a log is loaded, in one of the earlier processes. So brokers are ordered by leader
epochs, never by their clocks. Nothing is compared where a partition may have been deleted and created again, which
restarts epochs and offsets.
"""

from __future__ import annotations

from .....model.expr import Expr, both, const, either, false, field, ite, true
from .....model.sorts import Bool, Int
from ...fields import (
    broker,
    high_watermark,
    isr,
    leader_epoch,
    lossy,
    offset,
    partition_epoch,
    releases,
    server_log,
    sorts,
    whole,
)
from ...lines import (
    FETCHERS_ADDED,
    FOLLOWS,
    ISR_CHANGES,
    ISR_EXPANDS,
    ISR_SHRINKS,
    ISR_WRITE_FAILED,
    ISR_WRITTEN,
    LEADER_AND_ISR_RECEIVED,
    LEADS,
    LOG_LOADED,
    LOG_OPENED,
    LOG_TRUNCATED,
    TRUNCATED,
    is_line,
)
from ...table.encoding import Flag, in_releases
from ...table.protocol import Column, Table
from ..case_when import case_when
from ..observation import Names, Observation
from ..order import NEAR
from .hosted import HOSTED, HOSTED_LINES, KEPT, MERGED, copied
from .taken import STARTS, received

LIFE = ("cluster", "life", *NEAR)
"""A partition, over all brokers."""
_BROKERS = ("journal", *NEAR)
_IN_TIME = ("process", *MERGED)
_LINES = (
    *(*STARTS, *LOG_LOADED, *LOG_OPENED, *ISR_CHANGES, *ISR_WRITTEN, *ISR_WRITE_FAILED),
    *(*TRUNCATED, *FETCHERS_ADDED, *LEADER_AND_ISR_RECEIVED),
)

_BY_EPOCH = ("epoch", "rank", *MERGED)
"""The order of a partition's lines over all brokers: a leader's start before the records committed in its epoch."""

epoch, created_again = field("epoch", Int()), field("created_again", Flag)
last_isr, last_isr_epoch = field("last_isr", isr.sort), field("last_isr_epoch", Int())
version, last_version = field("version", Int()), field("last_version", Int())
last_isr_of_version = field("last_isr_of_version", isr.sort)
elected_from_isr = field("elected_from_isr", Flag)
_reached, _led = field("reached", Int()), field("led", Flag)
_was_in_isr = both(
    (last_isr_epoch + 1).eq(leader_epoch) & last_isr.contains(broker),
    (last_version + 1).eq(version) & last_isr_of_version.contains(broker),
)
"""The election wrote the next version, so no change of the ISR is missing before it."""
_most, _rank = field("most", Int()), field("rank", Int())
alone = field("alone", Flag)
"""True if the offset is committed because its broker had led, alone in the ISR, when its process ended."""
_CARRIED = ("high_watermark", "epoch", "row", "broker", "file", "line", "alone")


def _only(table: Table, condition: Expr, **columns: str) -> Table:
    """Return the table with new columns that have the value of another where the condition is true, else none."""
    present = {name: field(of, Int()) for name, of in columns.items()}
    return table.derive(**present).only_where(condition, *columns)


def _printed(lines: Table) -> Table:
    """Return lines with their high watermark, and the latest leader `epoch` in which it was reached.

    Up to 2.0 an adopted epoch shows only in requests at TRACE, up to 2.5 also in fetchers, since 2.6 in the lines with
    which a broker begins to lead or follow.
    """
    until_2_5 = releases.intersects(in_releases("<=2.5"))
    shows_epoch = either(
        is_line(STARTS) & ~releases.subset_of(in_releases("<=2.0")),
        is_line((*FETCHERS_ADDED, *LEADER_AND_ISR_RECEIVED)) & until_2_5,
    )
    printed = _only(lines.of_lines(_LINES), shows_epoch, printed_epoch="leader_epoch")
    ends = printed.grouped((*_BROKERS, "process"), most=Column("max", "printed_epoch"))
    past = ends.along(_BROKERS, ("process",), past=Column("greatest", "most"))
    reached = (
        printed.derive(leads=is_line(LEADS))
        .along(
            _BROKERS,
            _IN_TIME,
            reached=Column("greatest", "printed_epoch"),
            led=Column("last", "leads", is_line(STARTS)),
        )
        .attached(past, (*_BROKERS, "process"), ("past",))
    )
    return _with_high_watermarks(_with_epochs(reached))


def _with_epochs(printed: Table) -> Table:
    own, loaded = is_line(LEADS), is_line(LOG_LOADED)
    known = both(whole, ~lossy)
    found = _only(printed, own, epoch="leader_epoch")
    found = _only(found, loaded & known, of_past="past").filled("epoch", "of_past")
    return _only(found, ~own & ~loaded & known, of_reached="reached").filled("epoch", "of_reached")


def _with_versions(printed: Table) -> Table:
    """Add the `version` that a leader begins with, as printed or as in the request, or that it has written."""
    asked = is_line(LEADS) & received(leader_epoch).eq(leader_epoch)
    found = _only(printed, asked, asked_version="received_partition_epoch")
    return found.derive(version=partition_epoch).filled("version", "asked_version")


def _with_high_watermarks(printed: Table) -> Table:
    """Add high watermarks: fetchers begin at the follower's from 1.1 to 2.7, and up to 0.10.

    Up to 0.10 a fetcher begins at the end of the log, which was just truncated to the high watermark
    (ReplicaManager.makeFollowers). From 2.8 to 3.4.0 a follower's own may be too high: it is raised before the log is
    truncated (KAFKA-14704).
    """
    at_high_watermark = [releases.subset_of(in_releases(span)) for span in ("<=0.10", "1.1-2.7")]
    fetches = is_line(FETCHERS_ADDED) & either(*at_high_watermark)
    found = _only(printed, fetches, fetched_from="offset").filled("high_watermark", "fetched_from")
    of_follower = is_line((*LOG_LOADED, *FOLLOWS)) & ~_led
    return found.only_where(~(of_follower & releases.intersects(in_releases("2.8-3.4.0"))), "high_watermark")


def _lives(lines: Table, printed: Table) -> Table:
    """Return by partition whether it may have been created more than once."""
    once = printed.of_lines(LEADS).where(leader_epoch.eq(0)).grouped((*LIFE, "broker", "ts"), n=Column("count"))
    twice = once.grouped(LIFE, n=Column("count")).where(field("n", Int()) > 1)
    # Up to 2.3 the line is also printed for replicas of other brokers.
    loads = lines.of_lines(LOG_LOADED).present("high_watermark").where(releases.subset_of(in_releases(">=2.4")))
    several = loads.grouped((*LIFE, "journal", "process"), n=Column("count")).where(field("n", Int()) > 1)
    fell = printed.of_lines(STARTS).where(field("printed_epoch", Int()) < _reached)
    deleted = printed.where(field("deletions", Int()) > 0)
    found = [each.select(*LIFE) for each in (twice, several, fell, deleted)]
    signs = found[0].plus(found[1]).plus(found[2]).plus(found[3])
    return signs.grouped(LIFE, n=Column("count")).derive(created_again=true)


def _carried(rows: Table, key: Names, order: Names) -> Table:
    """Add `_CARRIED` of the earlier row with the greatest high watermark, in columns `before_*`."""
    rows = rows.along(key, order, most=Column("greatest", "claimed")).derive(none=const(-1, Int()))
    higher = rows.filled("most", "none").derive(higher=_most < field("claimed", Int()))
    carried = {f"before_{name}": Column("last", name, field("higher", Flag)) for name in _CARRIED}
    return higher.along(key, order, **carried)


def _ends_of_the_last_in_isr(printed: Table) -> Table:
    """Return lines that print the end of a log that its broker wrote alone: all of it is committed.

    A leader that is alone in the ISR has committed what it appends (Partition.appendRecordsToLeader raises the high
    watermark at once). The log qualifies if its broker led at the end of the previous process, and the last ISR that it
    printed there has no other member (up to 2.3 the line precedes the write, which may fail). When the broker comes
    back, it prints where its log ends: since 2.6 as it begins to follow, from 1.1 to 2.5 as it opens the log, and from
    0.11 to 1.0 a fetcher begins there. A replica that was just catching up may have held the high watermark back (up to
    2.6 within the allowed lag, since 2.7 while it was about to join the ISR): then the last records are not committed.
    """
    announced = is_line(ISR_SHRINKS) & releases.subset_of(in_releases("<=2.3"))
    shows_isr = is_line((*LEADS, *ISR_WRITTEN, *ISR_EXPANDS, *ISR_WRITE_FAILED)) | announced
    by_itself = both(isr.size().eq(1), isr.contains(broker))
    marked = case_when(printed, by_itself=[(by_itself, true), (true, false)]).derive(ran=field("process", Int()))
    before = marked.along(
        _BROKERS,
        _IN_TIME,
        was_alone=Column("last", "by_itself", shows_isr),
        of_process=Column("last", "ran", is_line(STARTS)),
    )
    until_1_0 = releases.subset_of(in_releases("0.11-1.0"))
    ends = either(is_line((*FOLLOWS, *LOG_OPENED)), is_line(FETCHERS_ADDED) & until_1_0)
    came_back = both(field("was_alone", Bool), _led, field("of_process", Int()) < field("process", Int()))
    back = before.where(both(ends, came_back, whole, ~lossy)).present("past")
    found = back.only_where(~is_line(LOG_OPENED), "offset").filled("offset", "log_end_offset").present("offset")
    return found.derive(epoch=field("past", Int()), high_watermark=offset, alone=true)


def _isrs(lines: Table) -> Table:
    """Return lines that show the ISR. Only server.log shows how the ISR changed after a leader began."""
    shown = lines.of_lines((*LEADS, *ISR_SHRINKS, *ISR_WRITTEN)).present("isr")
    return shown.where(both(server_log, whole, ~lossy))


def _of_one_leader(isrs: Table) -> Table:
    """Return ISRs without leader epochs in which two brokers print one: only clocks could order these."""
    term = (*LIFE, "epoch")
    brokers = isrs.grouped((*term, "broker"), n=Column("count")).grouped(term, n=Column("count"))
    several = brokers.where(field("n", Int()) > 1).derive(several=true)
    return isrs.attached(several, term, ("several",)).absent("several")


def _leader_starts(lines: Table, key: Names, order: Names) -> Table:
    printed = _with_versions(_printed(lines))
    ran = printed.derive(shows_epoch=field("printed_epoch", Int()) >= 0).along(
        (*_BROKERS, "process"), MERGED, printed_before=Column("so_far", "shows_epoch")
    )
    starts = ran.of_lines(LEADS).present("offset").derive(rank=const(0, Int()))
    later = printed.present("epoch").derive(rank=const(1, Int()))
    last = _ends_of_the_last_in_isr(printed).derive(rank=const(1, Int()))
    claims = later.present("high_watermark").plus(last).derive(claimed=high_watermark)
    isrs = _of_one_leader(_isrs(later))
    isrs = isrs.derive(shown_isr=isr, shown_epoch=epoch, isr_of_version=isr, shown_version=version)
    isrs = isrs.only_where(version.eq(version), "isr_of_version")
    rows = (
        starts.plus(claims)
        .plus(isrs)
        .along(
            key,
            _BY_EPOCH,
            most=Column("greatest", "claimed"),
            last_isr=Column("last", "shown_isr"),
            last_isr_epoch=Column("last", "shown_epoch"),
            last_isr_of_version=Column("last", "isr_of_version"),
            last_version=Column("last", "shown_version"),
        )
    )
    # Records gone with one leader stay gone: later leaders are compared with what was committed since.
    failing = rows.derive(fails=_rank.eq(0) & (offset < _most))
    eras = failing.along(key, _BY_EPOCH, era=Column("so_far", "fails"))
    found = _carried(eras, (*key, "era"), _BY_EPOCH).where(_rank.eq(0))
    ran_before = field("printed_before", Int()) > 0
    elected = found.derive(elected_from_isr=_was_in_isr & ran_before)
    return elected.attached(_lives(lines, printed), LIFE, ("created_again",))


def _truncations(lines: Table, key: Names, order: Names) -> Table:
    """Return truncations; a log that is loaded again, or was truncated, has another high watermark.

    Up to 2.3 a load is several consecutive lines, also for replicas of other brokers.
    """
    printed = _printed(lines.without_lines(LOG_OPENED)).derive(load=is_line(LOG_LOADED))
    marked = printed.along(key, order, goes_on=Column("previous", "load"))
    begins = marked.derive(begins=field("load", Bool) & ~field("goes_on", Flag), claimed=high_watermark)
    counted = begins.along(
        key, order, cuts=Column("so_far", where=is_line(LOG_TRUNCATED)), loaded=Column("so_far", "begins")
    ).derive(loads=ite(field("begins", Bool), field("loaded", Int()) + 1, field("loaded", Int())))
    return _carried(counted, (*key, "cuts", "loads"), order).of_lines(TRUNCATED).where(~copied).present("offset")


_BEFORE = {f"before_{name}": {**HOSTED, **sorts(epoch, alone)}[name] for name in _CARRIED}

LEADER_STARTS = Observation(
    "leader_starts",
    made_from=HOSTED_LINES,
    lines=_LINES,
    columns={
        **HOSTED,
        **_BEFORE,
        **sorts(epoch, last_isr, last_isr_epoch, elected_from_isr, created_again),
    },
    make=_leader_starts,
    key=LIFE,
)
"""Starts of leaders, each with the line that printed the greatest high watermark of earlier leader epochs.

`epoch` is the leader epoch; `before_epoch` the latest in which that high watermark was reached. `before_alone`: it is
the end of the log of a leader that was alone in the ISR. `last_isr` is the last ISR that the previous leaders printed,
in `last_isr_epoch`. `elected_from_isr`: that was the epoch just before, and the version just before, the ISR contains
the new leader, and its process had printed lines about the partition before. `created_again`: epochs and offsets may
have restarted.
"""

TRUNCATIONS = Observation(
    "truncations",
    made_from=HOSTED_LINES,
    lines=_LINES,
    columns={**HOSTED, **_BEFORE},
    make=_truncations,
    key=KEPT,
    order=MERGED,
)
"""Truncations, or lines that one is not needed, each with the line of its process that printed the greatest high
watermark.
"""
