"""The family of cluster models: a row per release, and the parts."""

from __future__ import annotations

from ...specs.releases import in_mode, span
from ..family import Chosen, Family, Part
from ..protocol import Model
from . import controller, outside
from .properties import PARTITION_IN_ZOOKEEPER, properties
from .state import FIELDS, SETTINGS

PARTS = (Part("unclean elections", "unclean.leader.election.enable, for all topics"),)
BEHAVIOURS = ("KAFKA-3143", "KAFKA-6650", "KAFKA-8237")


def _build(chosen: Chosen) -> Model:
    return Model(
        CLUSTER.name,
        CLUSTER.statement,
        SETTINGS,
        FIELDS,
        actions=(*controller.actions(chosen), *outside.ACTIONS),
        properties=properties(chosen),
        projections=(PARTITION_IN_ZOOKEEPER,),
    )


CLUSTER = Family(
    "cluster",
    "A cluster in ZooKeeper mode: ZooKeeper, brokers that die and come back, controllers that take over.",
    in_mode("zk") & span(">=1.1"),
    BEHAVIOURS,
    PARTS,
    _build,
)
