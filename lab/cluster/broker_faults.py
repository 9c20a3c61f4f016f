"""Planted faults in brokers' lines: each kind changes a few lines of a partition that is otherwise idle then.

The controller raises the leader epoch, as after a preferred election, and the brokers take it except for the planted
fault. A fault gives the findings that are named here and no others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .brokers import Broker
from .lines import ids
from .state import Fault, Log, Partition
from .tenure import Tenure

Kind = Callable[[Tenure, Partition], None]


def received_other_isr(t: Tenure, p: Partition) -> None:
    follower = _asked_for_next_epoch(t, p)
    other = replace(p, isr=ids(p.leader))
    asked = follower.request(t.time, t.controller, t.epoch)
    _plant(t, follower.state_change, "KR635", follower.receives(asked, other))


def received_other_version(t: Tenure, p: Partition) -> None:
    follower = _asked_for_next_epoch(t, p)
    other = replace(p, version=p.version + 9)
    asked = follower.request(t.time, t.controller, t.epoch)
    _plant(t, follower.state_change, "KR635", follower.receives(asked, other))


def caches_other_leader(t: Tenure, p: Partition) -> None:
    _elected(t, p)
    follower = t.cluster.logged[_followers(p)[0]]
    other = replace(p, leader=_followers(p)[-1])
    asked = follower.request(t.time, t.controller, t.epoch)
    _plant(t, follower.state_change, "KR646", follower.caches(asked, [other], lambda _: ids()))


def fetches_from_another(t: Tenure, p: Partition) -> None:
    _elected(t, p)
    follower = t.cluster.logged[_followers(p)[0]]
    number = follower.fetches(t.time, p, _followers(p)[-1])
    _plant(t, follower.server, "KR610", number)
    _plant(t, follower.server, "KR634", number)


def leads_again(t: Tenure, p: Partition) -> None:
    _elected(t, p)
    leader = t.cluster.logged[p.leader]
    _plant(t, leader.server, "KR601", leader.leads(t.time, p, p.leader_epoch))


def committed_above_end(t: Tenure, p: Partition) -> None:
    _asked_for_next_epoch(t, p)
    leader = t.cluster.logged[p.leader]
    leader.takes(leader.request(t.time, t.controller, t.epoch), [p], above=1)
    _plant(t, leader.server, "KR612", leader.server.count)


def two_leaders(t: Tenure, p: Partition) -> None:
    _elected(t, p)
    leader, other = t.cluster.logged[p.leader].server, t.cluster.logged[_followers(p)[0]]
    began = leader.count
    number = other.leads(t.time, p, p.leader_epoch - 1)
    _plant(t, other.server, "KR632", number)
    later, log = max((began, leader), (number, other.server), key=lambda each: (each[0], str(each[1].path)))
    _plant(t, log, "KR631", later)


def expands_from_another_set(t: Tenure, p: Partition) -> None:
    _elected(t, p)
    leader = t.cluster.logged[p.leader]
    p.version += 1
    _plant(t, leader.server, "KR604", leader.expands(t.time, p, ids(*p.isr[1:])))


def version_falls(t: Tenure, p: Partition) -> None:
    isr = p.isr
    p.isr = ids(*(each for each in isr if each != _followers(p)[0]))
    _elected(t, p)
    leader, old = t.cluster.logged[p.leader], p.isr
    p.write(p.leader, isr, epochs=0)
    leader.expands(t.time, p, old)
    t.tick()
    number = leader.writes(t.time, replace(p, isr=old, version=p.version - 1))
    _plant(t, leader.server, "KR607", number)
    _plant(t, leader.server, "KR627", number)


KINDS: tuple[Kind, ...] = (
    received_other_isr,
    received_other_version,
    caches_other_leader,
    fetches_from_another,
    leads_again,
    committed_above_end,
    two_leaders,
    expands_from_another_set,
    version_falls,
)


def plant_in_brokers(t: Tenure, times: int) -> None:
    """Plant every kind, `times` times, on partitions of their own with all replicas in the ISR, on brokers that
    write."""
    if not times:
        return
    written = {*t.cluster.logged} - t.cluster.dead
    whole = [p for p in t.cluster.partitions if len(p.isr) == len(p.replicas) == 3 and {*p.replicas} <= written]
    victims = iter(t.cluster.random.sample(whole, times * len(KINDS)))
    t.lines_per_millisecond = 1
    for _ in range(times):
        for kind in KINDS:
            kind(t, next(victims))
            t.tick()


def _followers(p: Partition) -> list[int]:
    return [replica for replica in p.replicas if replica != p.leader]


def _elected(t: Tenure, p: Partition) -> None:
    """Elect the leader again; all brokers take it."""
    p.write(p.leader, p.isr)
    t.elected(p, "OnlinePartition")
    t.send([p])
    t.tick()


def _asked_for_next_epoch(t: Tenure, p: Partition) -> Broker:
    """Elect the leader again and send the requests; the first follower has yet to take its own."""
    p.write(p.leader, p.isr)
    t.elected(p, "OnlinePartition")
    for broker in p.replicas:
        t.asked(p, broker)
    t.tick()
    return t.cluster.logged[_followers(p)[0]]


def _plant(t: Tenure, log: Log, rule: str, number: int) -> None:
    t.cluster.faults.append(Fault(str(log.path.relative_to(t.cluster.folder)), number, rule))
