"""A broker's own view of a partition, as its lines show it: its role, its leader epoch, its ISR.

A state is adopted where a broker says that it leads or follows from here, or, at TRACE, that it begins to: then the
line in which it received the request shows the state. Nothing is adopted from a leader that the broker does not
consider alive.
"""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import Expr, both, const, either, false, field, some, true
from .....model.sorts import Bool, Int, Sort
from .....specs.lines import STATE_CHANGE, rows_with
from ...fields import (
    KIND,
    broker,
    controller,
    controller_epoch,
    correlation_id,
    current_leader_epoch,
    isr,
    kind,
    leader,
    leader_epoch,
    old_isr,
    partition_epoch,
    releases,
    sorts,
)
from ...lines import (
    BECOME_BEGUN,
    BECOME_ENDED,
    EPOCH_REFUSED,
    FOLLOWS,
    ISR_CHANGES,
    ISR_WRITTEN,
    LEADER_AND_ISR_RECEIVED,
    LEADER_UNAVAILABLE,
    LEADS,
    REPLICA_STOPPED,
    STATE_TAKEN,
    is_line,
)
from ...table.encoding import Flag, in_releases
from ...table.protocol import Column, Table
from ..case_when import case_when
from ..observation import Names
from ..placed import level_shown

LINES = (
    *(*LEADER_AND_ISR_RECEIVED, *BECOME_BEGUN, *BECOME_ENDED, *LEADER_UNAVAILABLE, *LEADS, *FOLLOWS),
    *(*STATE_TAKEN, *ISR_CHANGES, *ISR_WRITTEN, *REPLICA_STOPPED),
)
STARTS = (*LEADS, *FOLLOWS)
PRINTED_IN_TURN = tuple(row for row in STARTS if row in rows_with(family=STATE_CHANGE))
"""Lines of leading and following since 2.6: both are printed, in the order in which it is done."""
_OF_REQUEST = (
    *("leader", "leader_epoch", "isr", "partition_epoch", "replicas"),
    *("correlation_id", "controller", "controller_epoch"),
)
PLACE = ("line", "file", "block")
_LEADER, _FOLLOWER = const("become-leader", KIND), const("become-follower", KIND)


def received(value: Expr) -> Expr:
    """Return the value in the last request about the partition that the broker received."""
    return field(f"received_{value.data}", value.sort)


same_request, void = field("same_request", Flag), field("void", Flag)
known_role, settled_role = field("known_role", KIND), field("settled_role", KIND)
known_leader, known_isr, known_old_isr = (
    field("known_leader", leader.sort),
    field("known_isr", isr.sort),
    field("known_old_isr", isr.sort),
)
known_epoch, known_version = field("known_epoch", Int()), field("known_version", Int())
leader_known_in, isr_known_in, version_known_in = (field(f"{n}_known_in", Int()) for n in ("leader", "isr", "version"))
had_epoch, stopped = field("had_epoch", Int()), field("stopped", Bool)
announced, version_sent = field("announced", Bool), field("version_sent", Flag)

TAKEN: Mapping[str, Sort] = {
    **sorts(*(received(value) for value in (leader, leader_epoch, isr, partition_epoch)), same_request),
    "received_replicas": isr.sort,
    **sorts(known_role, settled_role, known_leader, known_epoch, known_isr, known_old_isr, known_version),
    **sorts(leader_known_in, isr_known_in, version_known_in, had_epoch, stopped, announced, version_sent),
    **{f"{of}_{name}": Int(0) for of in ("known", "isr", "received", "had") for name in PLACE},
}
"""The columns that `with_what_is_known` adds.

`received_*`: from the last request about the partition; `same_request`: this line is about it. `known_*`: the broker's
view before the line: role, leader, epoch and version that it adopted last, its ISR and the previous one; `*_known_in`
is the leader epoch of each. `settled_role`: the certain role: a broker that begins to follow still leads until it says
that it has finished. `announced`: the line that shows its ISR says that it is about to write it. `version_sent`: a
controller sent the version, in the leader epoch that the broker had already: in KRaft mode.
`had_epoch`: the leader epoch of the state before the one that it is adopting. `stopped`: it stopped the replica, and
adopted nothing since.

The line that showed the view is `known_line`; `isr_line` that of the ISR, `received_line` that of the request,
`had_line` that of the previous epoch.
"""


_same_epoch = controller_epoch.eq(received(controller_epoch))
_same_controller = both(
    controller.eq(received(controller)), either(~is_line((*BECOME_BEGUN, *BECOME_ENDED, *EPOCH_REFUSED)), _same_epoch)
)
"""Up to 0.10.2 the other lines print the controller epoch of the partition's state instead of the request's."""


def with_requests(lines: Table, key: Names, order: Names) -> Table:
    """Return lines of replicas, in order, with the last received request; `void`: it is not accepted.

    Each controller counts its requests from 0, and again when it regains a broker: correlation ids repeat, and above
    TRACE only some requests are logged. A request is the same only if its controller is, too, and only while TRACE is
    shown: what is refused is printed at higher levels.
    """
    arrives = is_line(LEADER_AND_ISR_RECEIVED)
    before = {f"received_{name}": Column("last", name, arrives) for name in (*_OF_REQUEST, *PLACE)}
    asked = lines.along(key, order, **before, requests=Column("so_far", where=arrives))
    of_request = (*key, "requests")
    refused = asked.of_lines(LEADER_UNAVAILABLE).grouped(of_request, refusals=Column("count"))
    return asked.attached(refused, of_request, ("refusals",)).derive(
        void=field("refusals", Int()) > 0,
        same_request=both(correlation_id.eq(received(correlation_id)), _same_controller, level_shown),
    )


_begins = both(is_line(BECOME_BEGUN), same_request, ~void)
_ends = both(is_line(BECOME_ENDED), same_request, ~void)
_only_ends = _ends & releases.intersects(in_releases("<=2.5"))
"""Since 2.6 every role is printed in turn, so a request without such a line was not accepted."""
_newer = both(is_line(STATE_TAKEN), current_leader_epoch.eq(leader_epoch))
"""A newer state of the same leader epoch is adopted. (A refused one prints the version that the broker has.)"""


def with_what_is_taken(lines: Table) -> Table:
    """Return lines with what each adopts, in columns `took_*`."""
    leads, follows, changes, written = map(is_line, (LEADS, FOLLOWS, ISR_CHANGES, ISR_WRITTEN))
    begun = both(leads, isr.eq(isr)), isr
    asked = _begins, received(isr)
    return case_when(
        lines,
        took_role=[(leads, _LEADER), (follows, _FOLLOWER), (_begins, kind)],
        took_epoch=[(leads | follows, leader_epoch), (_begins, received(leader_epoch))],
        took_leader=[(leads, some(broker)), (follows, leader), (_begins, received(leader))],
        took_isr=[begun, asked, (_newer, isr), (changes | written, isr)],
        took_old_isr=[begun, asked, (_newer, isr), (changes, old_isr), (written, isr)],
        took_version=[
            (leads | follows | written, partition_epoch),
            (_begins, received(partition_epoch)),
            (_newer, partition_epoch),
        ],
        leader_in=[
            (leads, leader_epoch),
            (both(follows, leader.eq(leader)), leader_epoch),
            (_begins, received(leader_epoch)),
        ],
        sent_version=[(leads | follows | written, false), (_begins, false), (_newer, true)],
        announces=[(true, changes)],
        isr_in=[(begun[0], leader_epoch), (_begins, received(leader_epoch))],
        version_in=[
            (both(leads | follows, partition_epoch.eq(partition_epoch)), leader_epoch),
            (_begins, received(leader_epoch)),
        ],
        now_had=[(is_line(PRINTED_IN_TURN), leader_epoch), (_only_ends, received(leader_epoch))],
        now_settled=[
            (leads, _LEADER),
            (follows, _FOLLOWER),
            (both(_begins, kind.eq("become-leader")), _LEADER),
            (both(_ends, kind.eq("become-follower")), _FOLLOWER),
        ],
        now_stopped=[(is_line(REPLICA_STOPPED), true), (either(leads, follows, _begins), false)],
    )


_HAS = field("now_had", Int()).eq(field("now_had", Int()))
_TOOK = field("took_epoch", Int()).eq(field("took_epoch", Int()))
_TOOK_ISR = field("took_isr", isr.sort).eq(field("took_isr", isr.sort))


def with_what_is_known(lines: Table, key: Names, order: Names) -> Table:
    """Return lines with the broker's view before the line."""
    return lines.along(
        key,
        order,
        known_role=Column("last", "took_role"),
        known_epoch=Column("last", "took_epoch"),
        known_leader=Column("last", "took_leader"),
        known_isr=Column("last", "took_isr"),
        known_old_isr=Column("last", "took_old_isr"),
        known_version=Column("last", "took_version"),
        version_sent=Column("last", "sent_version"),
        leader_known_in=Column("last", "leader_in"),
        isr_known_in=Column("last", "isr_in"),
        version_known_in=Column("last", "version_in"),
        settled_role=Column("last", "now_settled"),
        announced=Column("last", "announces", _TOOK_ISR),
        had_epoch=Column("last", "now_had"),
        **{f"known_{name}": Column("last", name, _TOOK) for name in PLACE},
        **{f"isr_{name}": Column("last", name, _TOOK_ISR) for name in PLACE},
        **{f"had_{name}": Column("last", name, _HAS) for name in PLACE},
    )
