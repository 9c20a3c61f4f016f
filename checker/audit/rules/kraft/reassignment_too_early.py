"""A reassignment ends while a replica of its target is not in the ISR.

Why it matters
    The removed replicas delete their data. If some of the remaining ones are not in sync at that moment, fewer copies
    of acknowledged records are left than the topic's replication factor promises.

How it is seen
    A record empties the lists of a reassignment in progress, and removes the replicas that were to be removed: at that
    moment all replicas are in the ISR. (A cancelled reassignment removes the replicas that were added.) A reassignment
    that adds nobody may end in the record that would begin it: replicas leave, and no list is filled.

Releases
    Up to 3.7 only the added replicas need to be in sync (KAFKA-15665). The same holds again since 4.3 (KAFKA-19975),
    except for a reassignment that adds fewer replicas than it removes, or adds none: it waits for all of its target.
    Where the active controller may be of 4.3 or later, the rule requires no more than that.
"""

from __future__ import annotations

from .....model.expr import both, either
from .....model.kraft.views import ADDED_IN_SYNC, REASSIGNED_IN_SYNC, REASSIGNMENT_COMPLETES
from .....specs.behaviours import behaviour
from ...fields import releases
from ...observe.compared import was
from ...sources.metadata.columns import adding, isr, recovering, removing, replicas
from ...table.protocol import Row
from ..conditions import behaviour_releases, step
from ..rule import Rule
from ._remedies import REASSIGNMENT
from ._words import broken_unless, ids, where

ADDED_SUFFICE = "KAFKA-19975"
_idle = both(was(adding).is_empty(), was(removing).is_empty(), adding.is_empty(), removing.is_empty())
_at_once = both(_idle, replicas.subset_of(was(replicas)), ~was(replicas).subset_of(replicas))
_in_sync = either(replicas.subset_of(isr), recovering)
_ends_in_sync = either(
    step(REASSIGNED_IN_SYNC.condition),
    both(releases.intersects(behaviour_releases(ADDED_SUFFICE)), step(ADDED_IN_SYNC.condition)),
)


def _awaited(row: Row) -> str:
    """Return the replicas that the ISR should have."""
    added = [each for each in row["before_adding"] if each in row["replicas"]]
    fewer = len(row["before_adding"]) < len(row["before_removing"])
    if fewer or not added or not behaviour(ADDED_SUFFICE).releases & row["releases"]:
        return ids(row["replicas"])
    return ids(added)


RULE = Rule(
    code="KR525",
    name="reassignment-ends-too-early",
    observation="metadata_partitions",
    applies=either(step(REASSIGNMENT_COMPLETES), _at_once),
    verdict=broken_unless(both(_ends_in_sync, either(~_at_once, _in_sync))),
    message=lambda row: f"the reassignment of {where(row)} ends though not all of its replicas are in sync",
    expected=lambda row: f"an ISR with all of {_awaited(row)}",
    got=lambda row: f"ISR {ids(row['isr'])}",
    issues=("KAFKA-15665", "KAFKA-19975"),
    bug="KAFKA-15665",
    remedy=REASSIGNMENT,
)
