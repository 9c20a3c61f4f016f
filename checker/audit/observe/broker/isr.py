"""Lines in which a leader changes its ISR, or has changed it."""

from __future__ import annotations

from .....model.expr import both, field, ite, some
from .....model.sorts import Int
from ...fields import broker, isr, leader, leader_epoch, of_zookeeper, old_isr, sorts, takes_shown
from ...lines import ISR_CHANGES, ISR_SHRINKS, ISR_WRITTEN, LEADS, is_line
from ...table.encoding import Flag
from ...table.protocol import Column, Table
from ..case_when import case_when
from ..observation import Names, Observation
from .hosted import AGAINST, HOSTED, HOSTED_LINES, KEPT, MERGED, against
from .taken import known_epoch, known_isr, known_version, received, settled_role, version_known_in, version_sent

version_certain = field("version_certain", Flag)
"""True if the version before is known, and nobody else writes one in the same leader epoch."""
version_before = field("version_before", Int())
"""The version before, or its lower bound: each leader epoch is written in a version of its own, from 0."""
version_printed = field("version_printed", Flag)
"""True if a line printed the version before, and not only the leader epoch that is below it."""
by_follower = field("by_follower", Flag)
"""True if the broker is a follower according to its own lines: then lines are missing, or not where they were
written.
"""
follows_known = field("follows_known", Flag)
"""True if the change was written in the version after the known one: then no other change lies between."""
joined, assigned = field("joined", isr.sort), field("assigned", isr.sort)
"""The replicas that a change adds to an ISR; the partition's replicas in the request that the broker accepted."""
_CHANGES = field("changes", Int())


def _as_they_are(lines: Table, *_: Names) -> Table:
    return lines.of_lines(ISR_CHANGES + ISR_WRITTEN + LEADS).present("isr").derive(leader=some(broker))


def _by_role(lines: Table, *_: Names) -> Table:
    return against(lines.of_lines(ISR_CHANGES + ISR_WRITTEN), "known").derive(leader=some(broker))


def _by_isr(lines: Table, *_: Names) -> Table:
    found = _with_written_version(against(lines.of_lines(ISR_CHANGES + ISR_WRITTEN), "isr"))
    certain = both(takes_shown, of_zookeeper, version_known_in.eq(known_epoch), ~version_sent)
    follows = both(
        of_zookeeper, version_known_in.eq(known_epoch), field("written_version", Int()).eq(known_version + 1)
    )
    versions = found.derive(
        version_certain=certain, follows_known=follows, version_before=known_version, least=known_epoch
    )
    versions = versions.filled("version_before", "least").filled("least", "version_before")
    least = field("least", Int())
    versions = versions.derive(version_before=ite(version_before < least, least, version_before))
    return versions.derive(
        version_printed=version_before.eq(known_version), by_follower=settled_role.eq("become-follower")
    )


def _with_written_version(lines: Table) -> Table:
    """Add the version in which each change of an ISR was written, if a line prints it before the next change."""
    changes = is_line(ISR_CHANGES)
    counted = lines.along(KEPT, MERGED, changes=Column("so_far", where=changes))
    numbered = counted.derive(change=ite(changes, _CHANGES + 1, _CHANGES))
    written = numbered.of_lines(ISR_WRITTEN).grouped(
        (*KEPT, "change"), written_version=Column("min", "partition_epoch")
    )
    return numbered.attached(written, (*KEPT, "change"), ("written_version",))


def _joins(lines: Table, *_: Names) -> Table:
    """Return changes of an ISR for which the request with the partition's replicas is available: at TRACE."""
    own = against(lines.of_lines(ISR_CHANGES + ISR_WRITTEN), "received").where(received(leader_epoch).eq(known_epoch))
    added = case_when(
        own.derive(assigned=field("received_replicas", isr.sort)),
        joined=[(is_line(ISR_CHANGES), isr.minus(old_isr)), (is_line(ISR_WRITTEN), isr.minus(known_isr))],
    )
    return added.present("joined", "assigned")


def _dropped(lines: Table, *_: Names) -> Table:
    return lines.of_lines(ISR_SHRINKS).present("lagging").derive(dropped=old_isr.minus(isr))


ISR_BY_ROLE = Observation(
    "isr_by_role",
    made_from=HOSTED_LINES,
    lines=ISR_CHANGES + ISR_WRITTEN,
    columns={**AGAINST, leader.data: leader.sort},
    make=_by_role,
    key=KEPT,
    order=MERGED,
)
"""Changes of an ISR, each with the line that shows the broker's role; `leader` is the broker itself."""

ISR_LINES = Observation(
    "isr_lines",
    made_from=HOSTED_LINES,
    lines=ISR_CHANGES + ISR_WRITTEN + LEADS,
    columns={**HOSTED, leader.data: leader.sort},
    make=_as_they_are,
)
"""Changes of an ISR, and ISRs with which a leader begins; `leader` is the broker itself."""

ISR_BY_ISR = Observation(
    "isr_by_isr",
    made_from=HOSTED_LINES,
    lines=ISR_CHANGES + ISR_WRITTEN,
    columns={
        **AGAINST,
        **sorts(version_certain, version_before, version_printed, version_sent, follows_known, by_follower),
    },
    make=_by_isr,
    key=KEPT,
    order=MERGED,
)
"""Changes of an ISR, each with the line that shows the ISR before."""

ISR_JOINED = Observation(
    "isr_joined",
    made_from=HOSTED_LINES,
    lines=ISR_CHANGES + ISR_WRITTEN,
    columns={**AGAINST, **sorts(joined, assigned)},
    make=_joins,
    key=KEPT,
    order=MERGED,
)
"""Changes of an ISR, each with the request that names the partition's replicas, of the same leader epoch."""

REPLICAS_DROPPED = Observation(
    "replicas_dropped",
    made_from=HOSTED_LINES,
    lines=ISR_SHRINKS,
    columns={**HOSTED, "dropped": isr.sort},
    make=_dropped,
)
"""Shrinking ISRs, with the replicas that leave; `lagging` are those that the line lists."""
