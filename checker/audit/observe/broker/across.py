"""Brokers' lines about a partition, beside controllers' lines about it: joined by epochs and versions, never by clocks.

For each leader epoch of a partition, the lines of all controllers are taken together, and so are those of all brokers.
Nothing is compared where a partition may have been deleted and created again, which restarts epochs and versions.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import both, const, either, field, ite, some, true
from .....model.sorts import Bool, Int, Sort
from ...fields import (
    broker,
    isr,
    leader,
    leader_epoch,
    partition_epoch,
    releases,
    server_log,
    sorts,
    topic_id,
    written_by_epoch,
)
from ...lines import (
    FETCHERS_ADDED,
    ISR_WRITTEN,
    LEADER_AND_ISR_RECEIVED,
    LEADER_AND_ISR_SENT,
    LEADS,
    LOG_TRUNCATED,
    VIEWS,
    is_line,
)
from ...table.encoding import Flag, in_releases
from ...table.protocol import Column, Table
from ..compared import LINE, LINE_BEFORE, earlier
from ..controller.views import PARTITION_VIEWS, VIEW, without_deletions
from ..observation import Input, Names, Observation
from ..order import IN_ORDER, NEAR
from .high_watermarks import LIFE
from .hosted import HOSTED, HOSTED_LINES, MERGED, copied
from .taken import STARTS, known_epoch
from .topic_ids import NO_ID

ORDER = ("rank", "at", "file")
"""The order: controllers' lines, starts of leaders, brokers' other lines."""
OF_EPOCH = (*LIFE, "leader_epoch")

rank, none = field("rank", Int(0)), const(0, Int(0))
sent_leader, sent_isr, first_isr = (
    field("sent_leader", leader.sort),
    field("sent_isr", isr.sort),
    field("first_isr", isr.sort),
)
"""The leader and ISR that controllers printed last in the leader epoch; and the ISR that they printed first."""
sent_replicas = field("sent_replicas", Bool)
sent_version, most_sent = field("sent_version", Int()), field("most_sent", Int())
"""The least and the greatest version that controllers printed with the leader epoch."""
other_leader, same_topic = field("other_leader", broker.sort), field("same_topic", Flag)
same_sent, writes, leader_shown = field("same_sent", Bool), field("writes", Int(0)), field("leader_shown", Flag)
leads_from = field("leads_from", Int())


def _across(views: Table, hosted: Table) -> Table:
    """Return the lines of both, for partitions that were created once, each with its `rank`."""
    dated = without_deletions(views).derive(rank=none)
    own = hosted.derive(rank=ite(is_line(LEADS), const(1, Int(0)), const(2, Int(0))))
    lines = dated.plus(own).attached(created_again(views, hosted), LIFE, ("again",))
    return lines.absent("again").kept(NEAR, (*LIFE, *ORDER))


def created_again(views: Table, hosted: Table) -> Table:
    """Return by partition whether it may have been deleted, and created again."""
    counted = views.grouped(LIFE, first=Column("min", "incarnation"), last=Column("max", "incarnation"))
    several = counted.where(~field("first", Int()).eq(field("last", Int())))
    deleted = hosted.where(field("deletions", Int()) > 0)
    begun = hosted.of_lines(LEADS).where(leader_epoch.eq(0)).grouped((*LIFE, "journal", "process"), n=Column("count"))
    twice = begun.grouped(LIFE, n=Column("count")).where(field("n", Int()) > 1)
    taken = hosted.of_lines(STARTS).present("leader_epoch")
    reached = taken.along(("journal", *NEAR), ("process", *MERGED), reached=Column("greatest", "leader_epoch"))
    fell = reached.where(leader_epoch < field("reached", Int()))
    found = [each.select(*LIFE) for each in (several, deleted, twice, fell)]
    signs = found[0].plus(found[1]).plus(found[2]).plus(found[3])
    return signs.grouped(LIFE, n=Column("count")).derive(again=true)


ACROSS = Input(
    "controllers and brokers",
    lines=(*PARTITION_VIEWS.lines, *HOSTED_LINES.lines),
    of=(PARTITION_VIEWS, HOSTED_LINES),
    of_inputs=_across,
)


def _leaders(lines: Table, key: Names, order: Names) -> Table:
    """Return the leader that a broker adopted in an epoch, beside the one that controllers printed."""
    views = lines.of_lines(VIEWS).present("leader_epoch").along(key, IN_ORDER, earlier=Column("so_far"))
    own = lines.of_lines(STARTS + FETCHERS_ADDED).present("leader_epoch")
    leads = own.of_lines(LEADS).derive(leader=some(broker))
    dated = views.derive(view=true, first=field("earlier", Int(0)).eq(0))
    marked = dated.plus(leads).plus(own.without_lines(LEADS)).present("leader")
    view = field("view", Flag)
    found = marked.along(
        key,
        order,
        sent_leader=Column("last", "leader", view),
        sent_isr=Column("last", "isr", view),
        first_isr=Column("last", "isr", field("first", Flag)),
        sent_version=Column("last", "partition_epoch", view),
        led=Column("so_far", where=is_line(LEADS)),
        **earlier(*LINE, of=view),
    ).where(~view)
    # A leader that has changed its ISR prints it when it starts again. A line without an ISR agrees with any.
    changed = found.derive(changed=sent_version < partition_epoch)
    same = ~field("changed", Flag) & field("led", Int(0)).eq(0)
    return changed.only_where(same, "isr").filled("isr", "sent_isr").present("sent_leader")


def _received(lines: Table, key: Names, order: Names) -> Table:
    """Return what a broker received, beside what the controller sent in the leader epoch; up to 0.11 without a
    version.
    """
    asked = lines.of_lines(LEADER_AND_ISR_SENT + LEADER_AND_ISR_RECEIVED).present("leader_epoch", "leader")
    is_sent = is_line(LEADER_AND_ISR_SENT)
    counted = (
        asked.along(
            key,
            order,
            sent=Column("so_far", where=is_sent),
            with_version=Column("so_far", where=is_sent & partition_epoch.eq(partition_epoch)),
            with_writer=Column("so_far", where=is_sent & written_by_epoch.eq(written_by_epoch)),
            **earlier(*LINE, of=is_sent),
        )
        .along(
            (*key, "leader"),
            order,
            to_leader=Column("so_far", where=is_sent),
            among=Column("again", "replicas"),
        )
        .along(
            (*key, "leader", "partition_epoch"),
            order,
            in_version=Column("so_far", where=is_sent),
            sent_isr=Column("last", "isr", is_sent),
        )
        .along(
            (*key, "leader", "partition_epoch", "written_by_epoch"),
            order,
            by_writer=Column("so_far", where=is_sent),
        )
    )
    sent, with_version, with_writer, to_leader, in_version, by_writer = (
        field(name, Int(0)) for name in ("sent", "with_version", "with_writer", "to_leader", "in_version", "by_writer")
    )
    found = counted.of_lines(LEADER_AND_ISR_RECEIVED).where(sent > 0)
    same = both(
        to_leader > 0,
        either(with_version.eq(0), in_version > 0),
        either(with_version.eq(0), with_writer.eq(0), by_writer > 0),
    )
    like_sent = either(releases.intersects(in_releases("<=0.11")), field("among", Bool))  # no line prints them there
    return found.derive(same_sent=same, sent_replicas=like_sent).filled("sent_isr", "isr")


def _led(lines: Table, key: Names, order: Names) -> Table:
    """Return each broker that leads, with another one that leads in the same leader epoch."""
    dated = lines.of_lines(LEADS).present("leader_epoch").derive(led=broker)
    found = dated.along(key, order, other_leader=Column("previous", "led"), **earlier(*LINE))
    ids = found.along((*key, "topic_id"), order, alike=Column("so_far"))
    same = ~topic_id.eq(NO_ID) & (field("alike", Int()) > 0)
    return ids.derive(same_topic=same).filled("other_leader", "broker")


def _versions(lines: Table, key: Names, order: Names) -> Table:
    """Return versions in which brokers began to lead or follow, beside those that controllers printed in the leader
    epoch.
    """
    views = lines.of_lines(VIEWS).present("leader_epoch", "partition_epoch", "leader")
    dated = views.grouped(
        key, sent_version=Column("min", "partition_epoch"), most_sent=Column("max", "partition_epoch")
    )
    first = views.along(key, order, earlier=Column("so_far")).where(field("earlier", Int(0)).eq(0))
    places = first.renamed(line="before_line", file="before_file")
    written = lines.of_lines(ISR_WRITTEN).derive(leader_epoch=known_epoch).grouped(key, writes=Column("count"))
    leads = lines.of_lines(LEADS).where(server_log).grouped(key, n=Column("count")).derive(leader_shown=true)
    return (
        lines.of_lines(STARTS)
        .present("leader_epoch", "partition_epoch")
        .attached(dated, key, ("sent_version", "most_sent"))
        .attached(places, key, ("before_line", "before_file"))
        .attached(written, key, ("writes",))
        .attached(leads, key, ("leader_shown",))
        .derive(none=none)
        .filled("writes", "none")
        .present("sent_version")
    )


def _written(lines: Table, key: Names, order: Names) -> Table:
    """Return each ISR that a leader wrote, with the ISR that an earlier line printed for the same version."""
    dated = lines.of_lines((*VIEWS, *LEADS, *ISR_WRITTEN)).present("partition_epoch", "isr")
    return dated.along(key, order, sent_isr=Column("previous", "isr"), **earlier(*LINE)).of_lines(ISR_WRITTEN)


def _changes(lines: Table, key: Names, order: Names) -> Table:
    """Return states that controllers printed, by version, with the number of ISRs that leaders wrote in other
    versions.
    """
    dated = lines.of_lines((*VIEWS, *ISR_WRITTEN)).present("partition_epoch")
    first = dated.along((*key, "partition_epoch"), ORDER, earlier=Column("so_far")).where(
        is_line(VIEWS) | field("earlier", Int(0)).eq(0)
    )
    counted = first.along(key, order, writes=Column("so_far", where=is_line(ISR_WRITTEN)))
    states = counted.of_lines(VIEWS).present("leader_epoch")
    return states.along(key, order, **earlier("leader_epoch", "partition_epoch", "writes", *LINE))


def _cuts(lines: Table, key: Names, order: Names) -> Table:
    """Return truncations in a leader epoch, with the offset at which its leader began."""
    dated = lines.of_lines(LEADS).present("leader_epoch", "offset")
    cut = lines.of_lines(LOG_TRUNCATED).where(~copied).present("offset").derive(leader_epoch=known_epoch)
    is_start = is_line(LEADS)
    found = dated.plus(cut.present("leader_epoch")).along(
        key, order, leads_from=Column("last", "offset", is_start), **earlier(*LINE, of=is_start)
    )
    return found.of_lines(LOG_TRUNCATED).present("leads_from")


_ROW: Mapping[str, Sort] = {**HOSTED, **sorts(rank), **LINE_BEFORE}

LEADERS_TAKEN = Observation(
    "leaders_taken",
    made_from=ACROSS,
    lines=(*VIEWS, *STARTS, *FETCHERS_ADDED),
    columns={**_ROW, **sorts(sent_leader, sent_isr, first_isr)},
    make=_leaders,
    key=OF_EPOCH,
    order=ORDER,
)
"""Lines in which a broker leads, follows or fetches in a leader epoch, each with what controllers printed in that
epoch.
"""

REQUESTS_RECEIVED = Observation(
    "requests_received",
    made_from=ACROSS,
    lines=LEADER_AND_ISR_SENT + LEADER_AND_ISR_RECEIVED,
    columns={**_ROW, **sorts(same_sent, sent_isr, sent_replicas)},
    make=_received,
    key=(*OF_EPOCH, "controller_epoch"),
    order=ORDER,
)
"""Requests that brokers received, in leader epochs for which the same controller sent some.

`same_sent`: one has the same leader and version, and was written by the same controller's epoch; `sent_isr` is the ISR
of the last one with that leader and version.
`sent_replicas`: one of any version has the same replicas, which a reassignment changes within a version. Controllers
print them since 1.0.
"""

LEADERS_IN_EPOCH = Observation(
    "leaders_in_epoch",
    made_from=ACROSS,
    lines=LEADS,
    columns={**_ROW, **sorts(other_leader, same_topic)},
    make=_led,
    key=OF_EPOCH,
    order=ORDER,
)
"""Lines in which brokers lead, each with the broker that leads in the same leader epoch; `same_topic`: both print one
topic id.

`other_leader` is the broker itself, if no other leads in that epoch.
"""

VERSIONS_TAKEN = Observation(
    "versions_taken",
    made_from=ACROSS,
    lines=(*VIEWS, *STARTS, *ISR_WRITTEN),
    columns={**_ROW, **sorts(sent_version, most_sent, writes, leader_shown)},
    make=_versions,
    key=OF_EPOCH,
    order=ORDER,
)
"""Lines in which replicas begin to lead or follow in a version, each with the versions that controllers printed in the
epoch.

`writes` counts the ISRs that were written in that epoch; `leader_shown`: the lines of its leader are available.
"""

ISR_IN_VERSION = Observation(
    "isr_in_version",
    made_from=ACROSS,
    lines=(*VIEWS, *LEADS, *ISR_WRITTEN),
    columns={**_ROW, **sorts(sent_isr)},
    make=_written,
    key=(*LIFE, "partition_epoch"),
    order=ORDER,
)
"""ISRs that leaders wrote, each with what another line prints for the same version."""

CHANGES_BETWEEN = Observation(
    "changes_between",
    made_from=ACROSS,
    lines=(*VIEWS, *ISR_WRITTEN),
    columns={
        **VIEW,
        **LINE_BEFORE,
        **sorts(rank, writes),
        "before_leader_epoch": Int(),
        "before_partition_epoch": partition_epoch.sort,
        "before_writes": Int(0),
    },
    make=_changes,
    key=LIFE,
    order=("partition_epoch", *ORDER),
)
"""States that controllers printed, each with the version before; `writes` counts the ISRs that leaders wrote up to
it.
"""

CUTS_IN_EPOCH = Observation(
    "cuts_in_epoch",
    made_from=ACROSS,
    lines=LEADS + LOG_TRUNCATED,
    columns={**_ROW, **sorts(leads_from)},
    make=_cuts,
    key=OF_EPOCH,
    order=ORDER,
)
"""Truncations by followers, each with the offset at which the leader of that epoch begins."""
