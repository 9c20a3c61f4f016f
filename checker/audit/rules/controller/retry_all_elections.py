"""One call elected the same leader of a partition twice.

Why it matters
    When the election of one partition meets a version conflict, the controller repeats the elections of every partition
    in the call. Each repetition writes: leader epochs and versions grow for nothing, and every follower truncates and
    fetches again. With many partitions this prolongs an incident.

How it is seen
    Two elections of one partition with the same leader and ISR, the second from OnlinePartition, and no LeaderAndIsr
    request about it between them: requests are sent at the end of the call. The lines are printed at the end, too, so
    both show the state that the last election wrote, and the leader epoch has grown by more than one. Two consecutive
    versions without a request between them are also reported.

What would make it certain
    Proof that both elections are of one call. controller.log prints why a call is made, for instance "Starting
    preferred replica leader election for partitions ...", or "Shutting down broker N" for a controlled shutdown. If it
    is complete, and has no line of another call between the two elections, nobody requested the second.

Releases
    1.1 to 2.3, fixed in 2.4.0 (no issue number; commit 121308cc7a2). A preferred election that a user requests twice
    can look the same, so the finding is suspicious.
"""

from __future__ import annotations

from .....model.expr import ite
from .....specs.behaviours import behaviour
from .....specs.releases import names
from ...fields import from_state, gap, isr, leader, seen_level
from ...observe.compared import next_version, was
from ...observe.controller.elections import printed_again, sent_between
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import HELD, SUSPICIOUS
from ._words import state, where

_same_again = from_state("partition").eq("OnlinePartition") & leader.eq(was(leader)) & isr.eq(was(isr)) & next_version

RULE = Rule(
    code="KR303",
    name="retry-all-elections",
    observation="repeated_elections",
    # Only TRACE logs requests one by one.
    applies=seen_level.eq("TRACE") & ~gap,
    verdict=ite((_same_again | printed_again) & ~sent_between, SUSPICIOUS, HELD),
    message=lambda row: f"{where(row)} was elected twice in one call, with the same outcome",
    expected=lambda row: f"one election: version {row['before_partition_epoch']}",
    got=lambda row: f"{state(row)}, version {row['partition_epoch']}",
    releases=names(behaviour("retry-all elections").releases),
    bug="retry-all elections",
    remedy=Remedy(
        workaround="Nothing needs to be done: epochs grow for nothing, but no record is lost. Electing fewer"
        " partitions at a time keeps the growth small.",
        verify=STATE,
        look_for="a leader_epoch that no longer grows",
    ),
)
