"""Properties of brokers: what they accept of requests, and what they know once none is on its way."""

from __future__ import annotations

from ..expr import Expr, after, both, either, exists, forall, some, true
from ..family import Chosen
from ..property import Property
from .controller_properties import is_settled
from .effects import DELETION, PREFERRED, SHUTDOWN, Effects
from .requests import head, is_quiet, runs
from .state import (
    ASKED,
    CACHES,
    DIRECTORIES,
    accepted_epoch,
    alive,
    b,
    c,
    channel,
    e,
    failed,
    hosted,
    hosts,
    metadata,
    p,
    queued,
    r,
    registered,
    registration,
    znode,
)

_lives_on = both(runs(b), after(runs(b)))
_mine, _then = hosted[b][p], after(hosted[b][p])

NO_OLDER_REQUEST = Property(
    "NoOlderRequestAccepted",
    ("A broker accepts no request of a lower controller epoch, and nothing about a partition in a lower leader epoch."),
    forall(
        b,
        _lives_on.implies(
            both(
                accepted_epoch[b] <= after(accepted_epoch[b]),
                forall(
                    p,
                    both(_mine.is_some(), _then.is_some()).implies(
                        _mine.value["leader_epoch"] <= _then.value["leader_epoch"]
                    ),
                ),
            )
        ),
    ),
    "step",
    cites=("kafka.server.ReplicaManager",),
)
ONE_BROKER_LEADS_PER_EPOCH = Property(
    "OneBrokerLeadsPerEpoch",
    "No two running brokers take themselves for the leader of a partition in the same leader epoch.",
    forall(
        p,
        forall(
            b,
            forall(
                r,
                both(b.ne(r), _mine.value["leader"].eq(some(b)), hosted[r][p].value["leader"].eq(some(r))).implies(
                    _mine.value["leader_epoch"].ne(hosted[r][p].value["leader_epoch"])
                ),
            ),
        ),
    ),
    cites=("kafka.server.ReplicaManager",),
)
DEAD_HOST_NOTHING = Property(
    "DeadHostNothing",
    "A broker that does not run hosts nothing: requests reach it in its next life.",
    forall(b, either(runs(b), forall(p, _mine.is_none()))),
    cites=("kafka.server.ReplicaManager",),
)
TWO_BROKERS_LEAD = Property(
    "TwoBrokersLead",
    "For a while, two running brokers take themselves for the leader, in different leader epochs: the model is alive.",
    exists(
        p,
        exists(
            b,
            exists(r, both(b.ne(r), _mine.value["leader"].eq(some(b)), hosted[r][p].value["leader"].eq(some(r)))),
        ),
    ),
    "sometimes",
)


def _no_request_of_an_earlier_life(chosen: Chosen) -> Property:
    queue = channel(chosen.parts)[b][e]
    kept = (hosted, alive, metadata) if CACHES in chosen.parts else (hosted,)
    handled = both(after(queue.length()) < queue.length(), either(*(after(each[b]).ne(each[b]) for each in kept)))
    return Property(
        "NoRequestOfAnEarlierLife",
        "A broker carries out no part of a request that was meant for an earlier life of it.",
        forall(b, forall(e, both(_lives_on, handled).implies(registration[b] <= head(chosen, b, e)["broker_epoch"]))),
        "step",
        cites=("KIP-380", "KAFKA-7235"),
    )


def informed_and_quiet(chosen: Chosen, c: Expr) -> Expr:
    """The controller has settled, and no request is on its way."""
    return both(is_settled(chosen, c), is_quiet(chosen))


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """Return the properties that are promised where requests are on the way."""
    applied = both(
        _mine.is_some(), *(_mine.value[name].eq(znode[p].value[name]) for name in ("leader", "leader_epoch"))
    )
    stays = both(znode[p].is_some(), ~queued.contains(p) if DELETION in chosen.parts else true)
    led = both(stays, znode[p].value["leader"].is_some())
    concerned = both(led, hosts(chosen.parts, p).contains(b), Effects(chosen).online_brokers(c, p).contains(b))
    if DIRECTORIES in chosen.parts:
        concerned = both(concerned, ~failed[b].contains(p))
    is_quiet_and_led = informed_and_quiet(chosen, c)
    leads, named = _mine.value["leader"].eq(some(b)), znode[p].value["leader"].eq(some(b))
    return (
        NO_OLDER_REQUEST,
        _no_request_of_an_earlier_life(chosen),
        ONE_BROKER_LEADS_PER_EPOCH,
        DEAD_HOST_NOTHING,
        Property(
            "LiveReplicaIsTold",
            (
                "Once the controller has settled and no request is on its way, every live replica, except on brokers "
                "that are shutting down, knows the leader and the leader epoch that ZooKeeper has, if any."
            ),
            forall(c, is_quiet_and_led.implies(forall(p, forall(b, concerned.implies(applied))))),
            cites=("KAFKA-7235",),
        ),
        Property(
            "ReplacedLeaderIsTold",
            "Once the controller has settled and no request is on its way, no live broker takes itself for a leader "
            "that ZooKeeper does not name.",
            forall(
                c,
                is_quiet_and_led.implies(
                    forall(p, forall(b, both(stays, registered.contains(b), leads).implies(named)))
                ),
            ),
            cites=("KAFKA-7482", "KAFKA-7235"),
        ),
        *((TWO_BROKERS_LEAD,) if {PREFERRED, SHUTDOWN, ASKED} & chosen.parts else ()),
    )
