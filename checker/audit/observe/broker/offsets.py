"""Lines in which a broker prints the end of its log, or up to where records are committed."""

from __future__ import annotations

from .....model.expr import const, either, false, field, ite, true
from .....model.sorts import Bool, Int
from .....model.views import REPLICA
from ...fields import (
    high_watermark,
    kind,
    last_offset,
    leader_epoch,
    log_end_offset,
    offset,
    previous_leader_epoch,
    releases,
    sorts,
)
from ...lines import (
    BECOME_BEGUN,
    FETCH_OFFSET_RESET,
    FETCHERS_ADDED,
    FOLLOWS,
    ISR_SHRINKS,
    LEADER_AND_ISR_RECEIVED,
    LEADS,
    LOG_CREATED,
    LOG_LOADED,
    LOG_TRUNCATED,
    NOTHING_TRUNCATED,
    TO_HIGH_WATERMARK,
    is_line,
)
from ...table.encoding import Flag, in_releases
from ...table.protocol import Column, Table
from ..case_when import case_when
from ..compared import earlier, was
from ..observation import Names, Observation
from .hosted import (
    AGAINST,
    HOSTED,
    HOSTED_LINES,
    KEPT,
    LOG,
    MERGED,
    NO_EPOCH,
    STAY,
    against,
    copied,
    followed,
    followed_sorts,
    in_order,
)
from .taken import STARTS, known_epoch

end, epoch = field("end", Int()), field("epoch", Int())
"""The end of the log; the leader epoch in which the line is written."""
leads = REPLICA["leads"]
added_before, added_next = field("added_before", Int()), field("added_next", Int())
"""The first offset of the last fetcher, and of the next one; that of the other, if one has no line."""
both_added = field("both_added", Flag)
printed_high_watermark, starts_at = field("printed_high_watermark", Int()), field("starts_at", Int())
"""The high watermark that a line prints or fetches from; the offset at which the log started again before."""
_ENDS = (*STARTS, *ISR_SHRINKS)
PRINTED_ENDS = (*_ENDS, *NOTHING_TRUNCATED, *FETCH_OFFSET_RESET)
"""Lines that print where a log ends."""
_OF_ENDS = (*PRINTED_ENDS, *LOG_TRUNCATED, *FETCHERS_ADDED, *LOG_LOADED)
_most = field("most", Int())
_prints_hw = high_watermark.eq(high_watermark)


def _with_ends(lines: Table) -> Table:
    return case_when(
        lines,
        end=[(is_line(STARTS), offset), (is_line(ISR_SHRINKS), log_end_offset)],
    )


def _high_watermarks(lines: Table, *_: Names) -> Table:
    return _with_ends(lines.of_lines(_ENDS)).present("high_watermark", "end")


def _in_one_epoch(lines: Table, key: Names, order: Names) -> Table:
    own = lines.of_lines(LEADS + ISR_SHRINKS).present("high_watermark")
    of_epoch = case_when(own, epoch=[(is_line(LEADS), leader_epoch), (is_line(ISR_SHRINKS), known_epoch)])
    views = of_epoch.present("epoch").derive(leads=true, leader_epoch=epoch)
    return followed(views, key, order, "leads", "leader_epoch", "high_watermark", "row")


def _logs(lines: Table, key: Names, order: Names) -> Table:
    """Return each line that prints the end of a log, with the line that printed the farthest end since the last
    truncation.

    The high watermark with which a log is loaded, and an offset to fetch from, are not beyond the log's end. A log that
    is copied prints the same lines. Lost records stay lost: later ends are compared with what was printed since.
    """
    cuts = is_line(LOG_TRUNCATED)
    own = case_when(
        lines.of_lines(_OF_ENDS).where(either(cuts, is_line(_ENDS), ~copied)),
        end=[
            (is_line((*STARTS, *LOG_TRUNCATED, *FETCHERS_ADDED)), offset),
            (is_line((*ISR_SHRINKS, *FETCH_OFFSET_RESET)), log_end_offset),
            (is_line(NOTHING_TRUNCATED), last_offset + 1),
            (is_line(LOG_LOADED), high_watermark),
        ],
    ).present("end")
    counted = own.along(key, order, cuts=Column("so_far", where=cuts))
    since = counted.derive(since=ite(cuts, field("cuts", Int(0)) + 1, field("cuts", Int(0))), none=const(-1, Int()))
    farthest = since.along((*key, "since"), order, most=Column("greatest", "end")).filled("most", "none")
    falls = farthest.derive(fails=is_line(PRINTED_ENDS) & (end < _most))
    eras = falls.along((*key, "since"), order, era=Column("so_far", "fails"))
    of_era = (*key, "since", "era")
    reached = (
        eras.along(of_era, order, most=Column("greatest", "end")).filled("most", "none").derive(farther=_most < end)
    )
    found = followed(reached, of_era, order, "end", "row", of=field("farther", Bool))
    return found.of_lines(PRINTED_ENDS).present("before_end").where(in_order())


def _fetches(lines: Table, key: Names, order: Names) -> Table:
    own = lines.of_lines(FOLLOWS + FETCHERS_ADDED)
    asked = followed(own, key, order, "high_watermark", "leader_epoch", of=is_line(FOLLOWS) & _prints_hw)
    return asked.of_lines(FETCHERS_ADDED).present("offset", "leader_epoch")


def _first_fetches(lines: Table, key: Names, order: Names) -> Table:
    """Return first fetches; nothing appends to a log from where its broker follows, unless a fetcher of an earlier
    epoch remains.
    """
    own = lines.of_lines(STARTS + FETCHERS_ADDED).derive(started=leader_epoch)
    led = own.along(key, order, led_in=Column("last", "started", is_line(LEADS)))
    first = led.derive(starts=previous_leader_epoch.eq(NO_EPOCH), led=previous_leader_epoch.eq(field("led_in", Int())))
    stands = first.derive(log_stands=is_line(FOLLOWS) & either(field("starts", Flag), field("led", Flag)))
    begun = followed(stands, key, order, "offset", "leader_epoch", "log_stands")
    return begun.of_lines(FETCHERS_ADDED).where(field("before_log_stands", Bool)).present("offset", "leader_epoch")


def _to_high_watermark(lines: Table, key: Names, order: Names) -> Table:
    """Return truncations to the high watermark; the fetcher's thread writes its line possibly before the one that added
    it.
    """
    adds = is_line(FETCHERS_ADDED)
    own = lines.of_lines(FETCHERS_ADDED + TO_HIGH_WATERMARK).along(key, order, added=Column("so_far", where=adds))
    of_addition = own.of_lines(FETCHERS_ADDED).grouped((*key, "added"), added_next=Column("max", "offset"))
    cuts = followed(own, key, order, "offset", of=adds).of_lines(TO_HIGH_WATERMARK)
    found = cuts.attached(of_addition, (*key, "added"), ("added_next",))
    found = found.derive(
        added_before=was(offset), both_added=either(was(offset) <= added_next, added_next <= was(offset)), none=false
    )
    both = found.filled("added_before", "added_next").filled("added_next", "added_before")
    return both.filled("gap", "none")


def _of_begun_logs(lines: Table, key: Names, order: Names) -> Table:
    """Return lines that print the own high watermark, after the log was dropped and restarted at its leader's start.

    From 1.1 to 2.7 a follower fetches from its high watermark. A log that is truncated later may start below.
    """
    cut = is_line((*LOG_TRUNCATED, *FETCH_OFFSET_RESET))
    own = lines.of_lines((*FETCH_OFFSET_RESET, *LOG_TRUNCATED, *_ENDS, *FETCHERS_ADDED))
    begins = is_line(FETCH_OFFSET_RESET) & kind.eq("start")
    marked = own.derive(begins=begins)
    found = marked.along(
        key,
        order,
        starts_at=Column("last", "offset", cut),
        begun=Column("last", "begins", cut),
        **earlier("line", "file", of=cut),
    ).where(field("begun", Bool))
    fetches = is_line(FETCHERS_ADDED) & releases.subset_of(in_releases("1.1-2.7"))
    return case_when(found, printed_high_watermark=[(is_line(_ENDS), high_watermark), (fetches, offset)]).present(
        "printed_high_watermark"
    )


def _new_logs(lines: Table, key: Names, order: Names) -> Table:
    own = lines.of_lines(LOG_CREATED + LOG_LOADED).where(~copied).derive(new=is_line(LOG_CREATED))
    found = followed(own, key, order, "new").of_lines(LOG_LOADED)
    return found.where(field("before_new", Bool)).present("high_watermark")


def _cuts_by_role(lines: Table, *_: Names) -> Table:
    return against(lines.of_lines(LOG_TRUNCATED).where(~copied), "known")


HIGH_WATERMARKS = Observation(
    "high_watermarks",
    made_from=HOSTED_LINES,
    lines=_ENDS,
    columns={**HOSTED, **sorts(end)},
    make=_high_watermarks,
)
"""Lines that print a high watermark, and where the log ends."""

HIGH_WATERMARKS_OF_LEADER = Observation(
    "high_watermarks_of_leader",
    made_from=HOSTED_LINES,
    lines=LEADS + ISR_SHRINKS,
    columns={**HOSTED, **sorts(epoch, leads, was(leads)), **followed_sorts("leader_epoch", "high_watermark", "row")},
    make=_in_one_epoch,
    key=(*STAY, "epoch"),
    order=MERGED,
)
"""High watermarks that a leader prints in one leader epoch, each with the one before."""

LOG_ENDS = Observation(
    "log_ends",
    made_from=HOSTED_LINES,
    lines=_OF_ENDS,
    columns={
        **HOSTED,
        **sorts(end),
        **followed_sorts("row"),
        "before_end": Int(),
    },
    make=_logs,
    key=LOG,
    order=MERGED,
)
"""Ends of a log, each with the farthest end that it is known to have reached since it was created, or truncated."""

FETCH_OFFSETS = Observation(
    "fetch_offsets",
    made_from=HOSTED_LINES,
    lines=FETCHERS_ADDED,
    columns={**HOSTED, **followed_sorts("high_watermark", "leader_epoch")},
    make=_fetches,
    key=KEPT,
    order=MERGED,
    between=FETCHERS_ADDED + LOG_TRUNCATED,
)
"""The first offsets of a follower's fetchers, each with the line with which it began to follow."""

FIRST_FETCHES = Observation(
    "first_fetches",
    made_from=HOSTED_LINES,
    lines=STARTS + FETCHERS_ADDED,
    columns={**HOSTED, **followed_sorts("offset", "leader_epoch")},
    make=_first_fetches,
    key=KEPT,
    order=MERGED,
    between=STARTS + FETCHERS_ADDED + LOG_TRUNCATED,
)
"""The first offsets of a follower that led before, or was started, each with the line with which it follows."""

TRUNCATIONS_TO_HIGH_WATERMARK = Observation(
    "truncations_to_high_watermark",
    made_from=HOSTED_LINES,
    lines=FETCHERS_ADDED + TO_HIGH_WATERMARK,
    columns={**HOSTED, **followed_sorts("offset"), **sorts(added_before, added_next, both_added)},
    make=_to_high_watermark,
    key=KEPT,
    order=MERGED,
    between=(*STARTS, *LEADER_AND_ISR_RECEIVED, *BECOME_BEGUN, *FETCHERS_ADDED, *TO_HIGH_WATERMARK),
)
"""Truncations to the own high watermark, each with the lines before and after it about where the follower was to fetch
from.

`both_added`: both are available.
"""

HIGH_WATERMARKS_OF_BEGUN_LOGS = Observation(
    "high_watermarks_of_begun_logs",
    made_from=HOSTED_LINES,
    lines=(*FETCH_OFFSET_RESET, *LOG_TRUNCATED, *_ENDS, *FETCHERS_ADDED),
    columns={**HOSTED, **sorts(printed_high_watermark, starts_at), "before_line": Int(0), "before_file": Int(0)},
    make=_of_begun_logs,
    key=KEPT,
    order=MERGED,
)
"""Lines that print a high watermark of a log that was dropped and restarted, each with the line that prints its new
start.
"""

NEW_LOGS = Observation(
    "new_logs",
    made_from=HOSTED_LINES,
    lines=LOG_CREATED + LOG_LOADED,
    columns={**HOSTED, **followed_sorts()},
    make=_new_logs,
    key=KEPT,
    order=MERGED,
    between=LOG_CREATED + LOG_LOADED,
)
"""Loads of logs that were created just before, each with the line that says so."""

CUTS_BY_ROLE = Observation(
    "cuts_by_role",
    made_from=HOSTED_LINES,
    lines=LOG_TRUNCATED,
    columns=AGAINST,
    make=_cuts_by_role,
    key=KEPT,
    order=MERGED,
)
"""Truncations, each with the line that shows the broker's role."""
