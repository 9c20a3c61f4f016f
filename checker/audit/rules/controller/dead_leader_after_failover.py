"""A new controller leaves a dead broker as leader.

Why it matters
    The partition has no working leader, while ZooKeeper, and every broker and client that asks, still names the dead
    one. Clients keep connecting to a broker that is gone; tools that look for partitions without a leader (leader -1)
    do not find this one.

How it is seen
    The controller that took over found the partition offline, because its leader was not live. It tried to elect a
    leader and failed. By then, a correct controller has moved every replica on a dead broker to OfflineReplica, which
    takes the replica out of the ISR and sets the leader to -1. Here no such line exists for the leader in this epoch;
    or, since 2.3, for any replica. Above TRACE a partition may go offline without a line: there, the election must have
    failed before controller.log says that the controller is ready.

What the common account gets wrong
    It says that after the fix one finds "leader -1, ISR empty". But Kafka 2.0.0 already writes leader -1 and keeps the
    last member in the ISR, [B], when the controller is alive to see the broker die; and so does the fixed start-up
    since 2.3.0. The ISR was empty up to 1.0 with unclean leader election enabled. That was the default up to 0.10.2,
    when the issue was reported.

Releases
    Up to 2.2 every failover does this (KAFKA-3143, also KAFKA-8152 and KAFKA-3096); fixed in 2.3.0. In releases with
    the fix the finding is suspicious, because it rests on lines that are absent, and any log may lack lines. It is also
    suspicious where another controller's lines come from a release with the fix, so that these may, too; and where the
    same controller later takes out a leader that was alive when it started: the line in which the partition went
    offline may then be missing.
"""

from __future__ import annotations

from .....model.expr import either, ite, some
from ...fields import (
    controller,
    from_state,
    known_since,
    life_at_least,
    lossy,
    releases,
    seen_level,
    start_seen,
    to_state,
)
from ...observe.controller.starts import (
    at_start,
    found_alive,
    last_isr,
    last_leader,
    last_leader_in,
    last_lossy,
    last_replicas,
    made_offline,
    moves_before,
)
from ...table.encoding import NO_LEADER
from ...table.protocol import Row
from ..conditions import behaviour_releases, in_releases
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..shown_by import NOTHING_MOVED
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS, UNKNOWN
from ._words import ids, where

_offline_at_start = (
    start_seen
    & at_start
    & moves_before.eq(0)
    & from_state("partition").eq("OfflinePartition")
    & to_state("partition").eq("OnlinePartition")
    # Up to 2.0 a broker may become controller just before it registers: it leads, is not listed, and is alive.
    & last_leader.ne(some(controller))
)
_taken_out = last_leader.set().subset_of(made_offline)
_must_be_taken_out = either(
    releases.subset_of(behaviour_releases("KAFKA-3143")),
    last_leader.set().subset_of(last_replicas),
)
# Without a live member of the ISR some assigned broker is dead, and since 2.3 each of those is moved.
_nobody_moved = (
    made_offline.is_empty() & last_isr.subset_of(last_replicas) & ~releases.intersects(behaviour_releases("KAFKA-3143"))
)
# Moving a replica to OfflineReplica shows: the line replica-moved is at TRACE, offline-replica-removed-from-isr at INFO
# since 2.6 (KAFKA-8470).
_offline_moves_shown = either(
    seen_level.eq("TRACE"),
    (seen_level.eq("DEBUG") | seen_level.eq("INFO")) & releases.subset_of(in_releases(">=2.6")),
)
_everything_seen = (known_since <= last_leader_in) & ~lossy & ~last_lossy & _offline_moves_shown
# A correct controller's moves appear in lines, and some of these may be missing; without the fix there are none to
# miss. Where a tenure may be of either kind, other controllers decide: all brokers of a cluster have one release,
# except during an upgrade.
_may_have_the_bug = releases.intersects(behaviour_releases("KAFKA-3143")) & either(
    life_at_least.intersects(behaviour_releases("KAFKA-3143")),
    releases.subset_of(behaviour_releases("KAFKA-3143")),
)
_known_bug = _may_have_the_bug & ~found_alive


def _message(row: Row) -> str:
    after = f"after controller {row['controller']} took over with epoch {row['controller_epoch']}, {where(row)}"
    if row["last_leader"] == NO_LEADER:
        return f"{after} has no leader and cannot get one, and no replica of it was moved to OfflineReplica"
    return f"{after} keeps broker {row['last_leader']} as leader, which is dead"


def _cause(row: Row) -> str:
    took_over = f"controller {row['controller']} took over with epoch {row['controller_epoch']}"
    if row["last_leader"] == NO_LEADER:
        return f"{took_over} and moved no replica of partitions without a leader to OfflineReplica"
    return f"{took_over} and keeps broker {row['last_leader']} as leader, which is dead"


def _expected(row: Row) -> str:
    if row["last_leader"] == NO_LEADER:
        return "each replica on a dead broker moved to OfflineReplica before the election"
    return f"replica {row['last_leader']} moved to OfflineReplica before the election, and the leader set to -1"


def _got(row: Row) -> str:
    moved = row["made_offline"]
    which = f"replicas {ids(moved)} of it were" if moved else "no replica of it was"
    return (
        f"{which} moved in epoch {row['controller_epoch']}; the leader last printed is {row['last_leader']},"
        f" in epoch {row['last_leader_in']}"
    )


RULE = Rule(
    code="KR401",
    shows=(NOTHING_MOVED,),
    name="dead-leader-after-failover",
    observation="failed_starts",
    applies=_offline_at_start,
    verdict=ite(
        _taken_out & ~_nobody_moved,
        HELD,
        ite(_everything_seen & (_must_be_taken_out | _nobody_moved), ite(_known_bug, ILLEGAL, SUSPICIOUS), UNKNOWN),
    ),
    message=_message,
    cause=_cause,
    expected=_expected,
    got=_got,
    issues=("KAFKA-3143", "KAFKA-8152", "KAFKA-3096"),
    bug="KAFKA-3143",
    remedy=Remedy(
        workaround="Start the dead broker again, or another one that is in the ISR: the controller then elects"
        " a leader. If all of the ISR is lost for good, an unclean election is left"
        " (unclean.leader.election.enable=true on the topic, then a new controller): records that only the lost"
        " replicas have are lost.",
        verify=STATE,
        look_for="a leader that is not -1, and is one of the ids in /brokers/ids",
    ),
)
