"""Lemmas where leaders change ISRs: brokers know a partition's state as it was written, or an older one."""

from __future__ import annotations

from collections.abc import Callable

from ..expr import Expr, both, forall
from ..property import Property
from .lemmas_requests import OnTheWay, at
from .lemmas_settled import HAS_READ
from .state import (
    assignment,
    b,
    c,
    cached,
    controller_epoch,
    e,
    hosted,
    known,
    live,
    p,
    proposed,
    registered,
    registration,
    replicas,
    znode,
)

_mine = hosted[b][p].value
_leads = both(hosted[b][p].is_some(), _mine["leader"].set().contains(b))


def _of_requests(sent: OnTheWay, holds: Expr) -> Expr:
    return forall(b, forall(e, forall(at, forall(p, sent.there_is(b, e).implies(holds)))))


def _is_proper(entry: Expr) -> Expr:
    """A leader and ISR as a controller or a leader writes them."""
    isr = entry.value["isr"]
    return both(
        znode[p].is_some(),
        entry.value["leader"].set().subset_of(isr),
        ~isr.is_empty(),
        isr.subset_of(replicas(assignment[p])),
        entry.value["controller_epoch"] <= controller_epoch,
    )


def _is_as_written(entry: Expr) -> Expr:
    """No state of a partition is newer than the znode, and one of the same version has the same leader and ISR."""
    held, its = znode[p].value, entry.value
    same = both(its["leader"].eq(held["leader"]), its["isr"].eq(held["isr"]))
    return both(its["version"] <= held["version"], its["version"].eq(held["version"]).implies(same))


def _of_caches(holds: Callable[[Expr], Expr]) -> Expr:
    return forall(c, forall(p, cached[c][p].is_some().implies(holds(cached[c][p]))))


def _of_sent(sent: OnTheWay) -> Callable[[Callable[[Expr], Expr]], Expr]:
    state = sent.request(b, e)["states"][p]
    return lambda holds: _of_requests(sent, state.is_some().implies(holds(state)))


def _of_leaders(holds: Callable[[Expr], Expr]) -> Expr:
    return forall(b, forall(p, _leads.implies(holds(hosted[b][p]))))


_PROPER = "has a leader, if any, in an ISR of replicas, and is from no future controller epoch."
_AS_WRITTEN = "is no newer than the znode; with the same version it has the same leader and ISR."
_is_live = both(live[c].contains(b), known[c][b].eq(registration[b]))


def copies(sent: OnTheWay) -> tuple[Property, ...]:
    """Return the lemmas about copies of a partition's state outside ZooKeeper."""
    return tuple(
        Property(f"{name}{kind}", f"The state of a partition that {what} {says}", of(holds))
        for kind, says, holds in (("IsProper", _PROPER, _is_proper), ("IsAsWritten", _AS_WRITTEN, _is_as_written))
        for name, what, of in (
            ("Kept", "a controller has in its cache", _of_caches),
            ("Sent", "is on the way", _of_sent(sent)),
            ("Told", "a leader knows", _of_leaders),
        )
    )


def who_hosts_is_live(sent: OnTheWay) -> Property:
    its_epoch = sent.request(b, e)["broker_epoch"]
    of_this_life = both(HAS_READ, registered.contains(b), registration[b] <= its_epoch)
    return Property(
        "WhoHostsIsLive",
        "A broker that hosts a partition, or is sent one in this life, is live as far as the controller knows.",
        both(
            forall(c, forall(b, known[c][b] <= registration[b])),
            _of_requests(sent, its_epoch <= registration[b]),
            forall(b, forall(p, hosted[b][p].is_some().implies(registered.contains(b)))),
            forall(c, forall(b, forall(p, both(HAS_READ, hosted[b][p].is_some()).implies(_is_live)))),
            forall(c, _of_requests(sent, of_this_life.implies(_is_live))),
        ),
    )


ASKS_AS_LEADER = Property(
    "AsksAsLeader",
    "A broker that asks for an ISR leads the partition, is in that ISR, and asks for replicas only.",
    forall(
        b,
        forall(
            p,
            proposed[b][p]
            .is_some()
            .implies(
                both(_leads, proposed[b][p].value.contains(b), proposed[b][p].value.subset_of(replicas(assignment[p])))
            ),
        ),
    ),
)


def lemmas(sent: OnTheWay) -> tuple[Property, ...]:
    """Return the lemmas; `sent`: the requests that are on the way."""
    return (*copies(sent), who_hosts_is_live(sent), ASKS_AS_LEADER)
