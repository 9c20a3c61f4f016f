"""A broker ignores a request to delete a replica because the leader epoch is the same.

Why it matters
    The replica stays on disk, takes space, and comes back with old records if the partition is ever assigned to the
    broker again.

How it is seen
    On the line itself: a request to stop and delete a replica is ignored because its leader epoch matches the broker's.
    A cancelled reassignment leaves this behind. Without deletion the line is harmless: the request arrived twice.

What would make it certain
    Nothing has to: the line is Kafka's own, and the request was certainly refused, which is never illegal. Whether the
    replica is stray is shown by the partition's assignment: it lacks the broker.

Releases
    2.6 to 3.4.0 (KAFKA-13972). Later releases carry out such a request.
"""

from __future__ import annotations

from .....model.expr import ite
from ...fields import delete
from ..remedy import TOPIC, Remedy
from ..rule import Rule
from ..verdicts import HELD, REFUSED
from ._words import where

RULE = Rule(
    code="KR624",
    name="stray-replica-kept",
    observation="not_stopped",
    kind="replica",
    verdict=ite(delete, REFUSED, HELD),
    message=lambda row: (
        f"{where(row)} is not deleted: the request has the broker's own leader epoch {row['leader_epoch']}"
    ),
    expected=lambda row: "the replica is stopped, and its log deleted",
    got=lambda row: "the request is ignored",
    bug="KAFKA-13972",
    issues=("KAFKA-13972",),
    releases=">=2.6",
    remedy=Remedy(
        workaround="If the broker is no longer a replica, stop it and delete the partition's folder on it.",
        verify=TOPIC,
        look_for="replicas without that broker",
    ),
)
