"""Moves that a controller asks its replica machine for, and that the table refuses, as history.

Which of them are harmless: docs/zookeeper.md, "Moves that are refused, and harmless".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...specs.machines import machine
from ..action import Action, Update, update
from ..expr import Expr, both, const, either, exists, field, fill, forall, free, mapped, var
from ..family import Chosen, of_table
from ..property import Property
from ..protocol import Ghosts, starts
from ..sorts import Bool, MapOf, SetOf
from .effects import DELETION, SHUTDOWN, RequestedMove
from .state import DIRECTORIES, REASSIGNMENT, ReplicaState, p, r

refused = field("refused", MapOf(ReplicaState, MapOf(ReplicaState, Bool)))
_source, _target = var("source", ReplicaState), var("target", ReplicaState)

OF_DELETION = (
    ("ReplicaDeletionSuccessful", "ReplicaDeletionIneligible", "its broker dies after the replica was deleted"),
    (
        "ReplicaDeletionIneligible",
        "ReplicaDeletionIneligible",
        "an error is answered after the broker's death is known",
    ),
    (
        "OnlineReplica",
        "ReplicaDeletionIneligible",
        "its broker dies while the topic is queued, but its deletion not started",
    ),
    ("ReplicaDeletionSuccessful", "OnlineReplica", "its broker starts after the replica was deleted"),
)
"""Refused pairs that are known, and come of nothing but the order of events. Of a cluster without the part none is."""
OF_REASSIGNMENT = (
    ("OnlineReplica", "NewReplica", "a later controller resumes a reassignment"),
    ("OfflineReplica", "NewReplica", "it does so while the broker that is to get the replica is dead"),
    ("NewReplica", "NewReplica", "a replica's broker restarts while the replica is being added"),
)
OF_DIRECTORIES = (
    ("ReplicaDeletionStarted", "OnlineReplica", "a log directory of its broker fails while it is being deleted"),
)
OF_SHUTDOWNS = (
    ("ReplicaDeletionStarted", "OfflineReplica", "its broker shuts down while it is being deleted"),
    ("ReplicaDeletionSuccessful", "OfflineReplica", "its broker shuts down after the replica was deleted"),
)
"""Up to 2.0 a controlled shutdown does not leave topics alone that are being deleted (KAFKA-6753)."""


def refusals(chosen: Chosen, actions: Iterable[Action], attempts: Mapping[str, tuple[RequestedMove, ...]]) -> Ghosts:
    """The pairs that the last step was refused: from which state, to which."""
    no_8237 = ("OfflineReplica", "ReplicaDeletionIneligible")
    deletes = DELETION in chosen.parts
    deletes_on_shutdown = deletes and SHUTDOWN in chosen.parts and chosen.before("2.1")
    benign = (
        *(OF_DELETION if deletes else ()),
        *(OF_REASSIGNMENT if REASSIGNMENT in chosen.parts else ()),
        *(OF_DIRECTORIES if deletes and DIRECTORIES in chosen.parts else ()),
        *(OF_SHUTDOWNS if deletes_on_shutdown else ()),
    )
    known = [*(pair[:2] for pair in benign), *([no_8237] if deletes else [])]
    properties = (
        Property(
            "OnlyBenignRefusals",
            (
                "The controller asks its replica machine for no move that the table refuses, except moves that the "
                "order of events explains."
            ),
            forall(
                _target,
                forall(
                    _source,
                    refused[_target][_source].implies(
                        either(*(both(_source.eq(one), _target.eq(other)) for one, other in known))
                    ),
                ),
            ),
            cites=("KAFKA-6650",),
        ),
        Property(
            "OfflineIsMarkedIneligible",
            "A deletion that starts with a dead broker may mark its replica, which is offline, ineligible.",
            ~refused_pair(*no_8237),
            cites=("KAFKA-8237",),
        ),
        *(
            Property(
                f"Refuses{one}To{other}",
                f"The move is requested, and refused: {why}.",
                refused_pair(one, other),
                "sometimes",
            )
            for one, other, why in benign
        ),
    )
    return Ghosts(
        "refusals",
        (starts(refused, fill(refused.sort, fill(MapOf(ReplicaState, Bool), False)), "the last step's refused pairs"),),
        {each.name: (_update(chosen, each, attempts[each.name]),) for each in actions},
        properties,
    )


def refused_pair(one: str, other: str) -> Expr:
    """The last step was refused this move."""
    return refused[const(other, ReplicaState)][const(one, ReplicaState)]


def _update(chosen: Chosen, of: Action, attempts: tuple[RequestedMove, ...]) -> Update:
    valid = of_table("replica", chosen)
    pairs = []
    for each in attempts:
        if each.table == "replica":
            invalid = const(
                frozenset({state.name for state in machine("replica").states} - {*valid[each.target]}),
                SetOf(ReplicaState),
            )
            there: Expr = both(each.asked, each.state.eq(_source), invalid.contains(_source))
            for bound in (r, p):
                if bound in free(there) and bound not in of.params:
                    there = exists(bound, there)
            pairs.append(both(_target.eq(each.target), there))
    return update(refused, mapped(_target, mapped(_source, either(*pairs))))
