"""Properties that an operator asks for, and that no controller can promise: a fault may break each of them.

They are those of `model/kraft/at_stake.py`. In ZooKeeper mode a controller needs several steps for what a controller of
KRaft writes in one batch, so they are asked of a cluster that has settled, or in which no broker is left.
"""

from __future__ import annotations

from ..expr import Expr, both, either, forall
from ..family import Chosen
from ..property import Property
from ..views import LEADER_FROM_ISR
from .controller_properties import has_settled, partition_in_zookeeper
from .state import p, registered, znode

_held = znode[p].value


def at_stake(chosen: Chosen, least: Expr) -> tuple[Property, ...]:
    """Return the properties, the gravest first.

    Args:
        least: the effective min.insync.replicas.
    """
    over = either(has_settled(chosen), registered.is_empty())

    def of_all(name: str, statement: str, condition: Expr) -> Property:
        return Property(name, statement, over.implies(forall(p, znode[p].is_some().implies(condition))))

    led = both(_held["leader"].is_some(), _held["leader"].set().subset_of(registered))
    return (
        partition_in_zookeeper(chosen).of(LEADER_FROM_ISR),
        of_all("SomebodyIsEligible", "The ISR has a member: once it is back, it leads.", ~_held["isr"].is_empty()),
        of_all("PartitionIsLed", "A live broker leads the partition.", led),
        of_all("IsrIsEnough", "The ISR has no fewer members than min.insync.replicas.", least <= _held["isr"].size()),
    )
