"""A broker does not delete a replica that the controller tells it to delete, since the leader epoch is the same.

Why it matters
    The replica stays on its disk, takes room, and comes to life again with old records if the partition is ever
    assigned to the broker anew.

How it is seen
    On the line itself: a request to stop and delete a replica is ignored since its leader epoch matches the broker's.
    It is what a cancelled reassignment leaves behind. Without deletion the line is harmless: the request came twice.

Releases
    2.6 to 3.4.0 (KAFKA-13972): later, a broker does what such a request says.
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
        f"{where(row)} is not deleted: the request has leader epoch {row['leader_epoch']}, as the broker has"
    ),
    expected=lambda row: "the replica is stopped, and its log deleted",
    got=lambda row: "the request is ignored",
    bug="KAFKA-13972",
    issues=("KAFKA-13972",),
    releases=">=2.6",
    remedy=Remedy(
        workaround="Delete the partition's folder on that broker while it is stopped, if it is no replica any more.",
        verify=TOPIC,
        look_for="replicas without that broker",
    ),
)
