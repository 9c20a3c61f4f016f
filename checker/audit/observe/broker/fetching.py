"""Fetching by a follower: after it began to follow, and after it gave a partition up."""

from __future__ import annotations

from .....model.expr import either, field
from .....model.sorts import Bool, Int
from ...fields import ends_from, kind, lived_until, offset, releases, sorts
from ...lines import (
    BECOME_BEGUN,
    BELOW_HIGH_WATERMARK,
    FETCH_FAILED,
    FETCH_FENCED,
    FETCHERS_ADDED,
    FOLLOWS,
    HIGH_WATERMARK_FELL,
    LOG_TRUNCATED,
    REPLICA_DELETED,
    REPLICA_STOPPED,
    SKIPPED,
    is_line,
)
from ...table.encoding import Flag, in_releases
from ...table.protocol import Column, Table
from ..compared import LINE, LINE_BEFORE, earlier
from ..observation import Names, Observation
from .hosted import HOSTED, HOSTED_LINES, KEPT, MERGED
from .taken import PRINTED_IN_TURN, STARTS, same_request

fetchers, followed = field("fetchers", Int(0)), field("followed", Bool)
fenced, resumed, printed_below = field("fenced", Bool), field("resumed", Flag), field("printed_below", Bool)
goes_on = field("goes_on", Bool)
SOON = 60_000
"""Milliseconds within which a controller sends a new leader epoch to all brokers: it waits 30 seconds for an answer."""
_TAKEN_OR_STOPPED = (*STARTS, *BECOME_BEGUN, *FETCHERS_ADDED, *REPLICA_STOPPED, *REPLICA_DELETED)
_announced = (
    is_line(LOG_TRUNCATED)
    & either(*(field("before_row", HOSTED["row"]).eq(row) for row in BELOW_HIGH_WATERMARK))
    & field("before_offset", Int()).eq(offset)
)
"""A truncation right after the line that warns of it."""
_told = field("after_told", Flag)


def _turns(lines: Table, key: Names, order: Names) -> Table:
    """Return where a broker begins a role in a partition, by the line that its release prints for every role.

    A broker that shuts down adds no fetchers.
    """
    begun = is_line(BECOME_BEGUN) & same_request & releases.subset_of(in_releases("<=2.5"))
    own = lines.of_lines((*STARTS, *BECOME_BEGUN, *FETCHERS_ADDED, *SKIPPED))
    asked = own.derive(begun=begun, to_follow=is_line(BECOME_BEGUN) & kind.eq("become-follower"))
    marked = asked.derive(
        takes=is_line(PRINTED_IN_TURN) | field("begun", Flag),
        follows=(is_line(FOLLOWS) | field("to_follow", Flag)) & (field("clock", Int()) < ends_from),
    )
    excuses = is_line((*FETCHERS_ADDED, *SKIPPED))
    counted = marked.along(key, order, fetchers=Column("so_far", where=excuses)).where(field("takes", Bool))
    found = counted.along(key, order, followed=Column("previous", "follows"), **earlier("fetchers", *LINE))
    return found.present("followed").where(followed)


def _failed(lines: Table, key: Names, order: Names) -> Table:
    """Return where a follower gives a partition up, and the lines before and after in the same process."""
    own = lines.of_lines((*_TAKEN_OR_STOPPED, *FETCH_FAILED, *FETCH_FENCED))
    ends = own.grouped(key, last_start=Column("max", "clock", is_line(_TAKEN_OR_STOPPED)))
    counted_refusals = own.along(key, order, refusals=Column("so_far", where=is_line(FETCH_FENCED)), **earlier(*LINE))
    failed = counted_refusals.of_lines(FETCH_FAILED).attached(ends, key, ("last_start",))
    return failed.derive(
        fenced=field("refusals", Int()) > 0,
        resumed=field("clock", Int()) <= field("last_start", Int()),
        goes_on=field("clock", Int()) + SOON < lived_until,
    )


def _below(lines: Table, key: Names, order: Names) -> Table:
    """Return lines that print by how much a log is truncated below its high watermark.

    From 2.8 to 3.4.0 a follower's high watermark is raised before its log is truncated, so it can fall with nothing
    lost (KAFKA-14704). Since 4.2 both lines report one truncation (KAFKA-19474): the warning counts, not the fall after
    it.
    """
    own = lines.of_lines((*LOG_TRUNCATED, *BELOW_HIGH_WATERMARK, *HIGH_WATERMARK_FELL)).present("offset")
    was_cut = own.along(key, order, **earlier("offset", "row", *LINE)).derive(
        cut=is_line(LOG_TRUNCATED), sure=releases.subset_of(in_releases(">=3.4.1")), warned=_announced
    )
    previous = was_cut.along(key, order, after_cut=Column("previous", "cut"), after_told=Column("previous", "warned"))
    same = field("before_offset", Int()).eq(offset) & field("after_cut", Bool) & field("sure", Bool) & ~_told
    printed = previous.of_lines((*BELOW_HIGH_WATERMARK, *HIGH_WATERMARK_FELL)).present("high_watermark")
    return printed.derive(fell=same).derive(printed_below=is_line(BELOW_HIGH_WATERMARK) | field("fell", Flag))


TURNS = Observation(
    "turns",
    made_from=HOSTED_LINES,
    lines=(*STARTS, *BECOME_BEGUN, *FETCHERS_ADDED, *SKIPPED),
    columns={**HOSTED, **LINE_BEFORE, **sorts(fetchers, followed), "before_fetchers": Int(0)},
    make=_turns,
    key=KEPT,
    order=MERGED,
)
"""Lines in which a broker begins a role after it had followed.

`fetchers` counts the fetchers added, or explicitly skipped, up to each.
"""

FETCHES_FAILED = Observation(
    "fetches_failed",
    made_from=HOSTED_LINES,
    lines=(*_TAKEN_OR_STOPPED, *FETCH_FAILED, *FETCH_FENCED),
    columns={**HOSTED, **LINE_BEFORE, **sorts(fenced, resumed, goes_on)},
    make=_failed,
    key=KEPT,
    order=MERGED,
)
"""Lines in which a follower gives a partition up.

`fenced`: its leader refused its leader epoch before; `resumed`: it leads or follows the partition again later, or stops
or deletes the replica, in the same process; `goes_on`: that process writes lines more than a minute later.
"""

CUTS_BELOW = Observation(
    "cuts_below",
    made_from=HOSTED_LINES,
    lines=(*LOG_TRUNCATED, *BELOW_HIGH_WATERMARK, *HIGH_WATERMARK_FELL),
    columns={
        **HOSTED,
        **LINE_BEFORE,
        **sorts(printed_below),
        "before_offset": offset.sort,
        "before_row": HOSTED["row"],
    },
    make=_below,
    key=KEPT,
    order=MERGED,
)
"""Lines that print a falling high watermark; `printed_below`: because the log is truncated below it."""
