"""Planted faults: each kind changes a few lines of a partition that is otherwise idle then, and must give certain
findings.

Every kind ends with the partition in a state from which legal lines can continue: a fault gives the findings that are
named here and no others.
"""

from __future__ import annotations

from collections.abc import Callable

from .lines import ids
from .state import Partition
from .tenure import Cluster, Tenure

Kind = Callable[[Tenure, Partition], None]
_DELETED = -2


def _elect(t: Tenure, p: Partition) -> None:
    """Elect another leader legally: offline, then another member of the ISR; with the requests."""
    t.went(p, "OnlinePartition", "OfflinePartition")
    p.write(_others(p)[-1], p.isr)
    t.elected(p)
    t.send([p])


def _request(t: Tenure, p: Partition) -> int:
    """Send the requests; return the number of the line; this broker caches them."""
    number = t.request_of(p)
    if p.leader != _DELETED:
        t.cache([p])
    return number


def _others(p: Partition) -> list[int]:
    return [replica for replica in p.isr if replica != p.leader]


def illegal_replica_move(t: Tenure, p: Partition) -> None:
    replica = p.replicas[-1]
    t.plant("KR101", t.moved(p, replica, "OnlineReplica", "NewReplica"))
    t.moved(p, replica, "NewReplica", "OnlineReplica")


def illegal_partition_move(t: Tenure, p: Partition) -> None:
    t.plant("KR102", t.went(p, "OnlinePartition", "NonExistentPartition"))


def wrong_replica_state(t: Tenure, p: Partition) -> None:
    t.plant("KR103", t.moved(p, p.replicas[0], "OfflineReplica", "OnlineReplica"))


def offline_line_dropped(t: Tenure, p: Partition) -> None:
    _elect(t, p)
    p.write(_others(p)[-1], p.isr)
    t.plant("KR104", t.elected(p))
    t.send([p])


def leader_outside_isr(t: Tenure, p: Partition) -> None:
    leader, *rest = p.isr
    t.went(p, "OnlinePartition", "OfflinePartition")
    p.write(leader, rest)
    t.plant("KR201", t.elected(p))
    _elect(t, p)


def empty_isr(t: Tenure, p: Partition) -> None:
    leader, isr = p.leader, p.isr
    p.write(-1, ())
    t.plant("KR202", _request(t, p))
    p.write(leader, isr, versions=2)
    _request(t, p)


def stranger_in_isr(t: Tenure, p: Partition) -> None:
    """A topic of its own: in a partition just created, an ISR outside the assignment has no excuse."""
    stranger = next(broker for broker in t.cluster.live if broker not in p.replicas)
    new = Partition(f"{p.topic}-copy", p.number, p.replicas, p.leader, ids(*p.replicas, stranger))
    t.created(new)
    t.plant("KR203", t.elected(new, "NewPartition"))
    new.write(new.leader, new.replicas, epochs=0)
    _request(t, new)


def unclean_leader_in_company(t: Tenure, p: Partition) -> None:
    outside = _others(p)[0]
    rest = [replica for replica in p.isr if replica != outside]
    p.write(p.leader, rest, epochs=0)
    _request(t, p)
    t.went(p, "OnlinePartition", "OfflinePartition")
    p.write(outside, (outside, rest[0]))
    t.plant("KR204", t.elected(p))
    t.send([p])


def epoch_falls(t: Tenure, p: Partition) -> None:
    before = p.leader
    _elect(t, p)
    leader, epoch = p.leader, p.leader_epoch
    t.went(p, "OnlinePartition", "OfflinePartition")
    p.write(before, p.isr, epochs=-1)
    number = t.elected(p)
    t.plant("KR205", number)
    t.plant("KR206", number)
    p.leader_epoch = epoch
    p.write(leader, p.isr, versions=2)
    _request(t, p)


def epoch_jumps(t: Tenure, p: Partition) -> None:
    t.went(p, "OnlinePartition", "OfflinePartition")
    p.write(_others(p)[-1], p.isr, epochs=2)
    t.plant("KR206", t.elected(p))
    t.send([p])


def two_leaders(t: Tenure, p: Partition) -> None:
    p.write(_others(p)[-1], p.isr, epochs=0)
    t.plant("KR207", _request(t, p))
    _elect(t, p)


def two_states(t: Tenure, p: Partition) -> None:
    isr, left_out = p.isr, _others(p)[0]
    p.isr = ids(*(replica for replica in isr if replica != left_out))
    t.plant("KR208", _request(t, p))
    p.isr = isr
    _elect(t, p)


def old_epoch_sent(t: Tenure, p: Partition) -> None:
    leader, epoch, version = p.leader, p.leader_epoch, p.version
    _elect(t, p)
    now = (p.leader, p.leader_epoch, p.version)
    p.leader, p.leader_epoch, p.version = leader, epoch, version
    t.plant("KR402", t.asked(p, p.replicas[0]))
    p.leader, p.leader_epoch, p.version = now


def back_from_deletion(t: Tenure, p: Partition) -> None:
    leader, p.leader = p.leader, _DELETED
    _request(t, p)
    p.leader = leader
    t.plant("KR403", _request(t, p))


KINDS: tuple[Kind, ...] = (
    illegal_replica_move,
    illegal_partition_move,
    wrong_replica_state,
    offline_line_dropped,
    leader_outside_isr,
    empty_isr,
    stranger_in_isr,
    unclean_leader_in_company,
    epoch_falls,
    epoch_jumps,
    two_leaders,
    two_states,
    old_epoch_sent,
    back_from_deletion,
)


def plant(t: Tenure, times: int) -> None:
    """Plant every kind, `times` times, on partitions of their own with all replicas in the ISR and a living leader."""
    whole = [p for p in t.cluster.partitions if len(p.isr) == len(p.replicas) == 3 and not t.cluster.dead & {*p.isr}]
    victims = iter(t.cluster.random.sample(whole, times * len(KINDS)))
    t.lines_per_millisecond = 1  # with one time, their order of writing would be unknown
    for _ in range(times):
        for kind in KINDS:
            kind(t, next(victims))


def leaderless_unnoticed(c: Cluster) -> list[Partition]:
    """Leave a partition to the next controller with a dead leader (KAFKA-3143): its only replica died."""
    alone = [p for p in c.partitions if {*p.replicas} <= c.dead]
    return c.random.sample(alone, min(1, len(alone)))
