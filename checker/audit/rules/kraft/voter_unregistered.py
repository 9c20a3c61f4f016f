"""A controller that is a voter of the metadata quorum is unregistered.

Why it matters
    The active controller raises a feature only to a level that all registered controllers support. A voter that is not
    registered is not considered: it may become active without supporting the level.

How it is seen
    An UnregisterController record names a voter, according to the last KRaftVoters record, or, where voters are
    configured, the last LeaderChange. A controller registers again when its process restarts.

Releases
    4.4 and later, from metadata.version 33 (4.4-IV2) on (KIP-1312). Known: KAFKA-20865, in 4.4.0, which does not check
    whether the controller is a voter.
"""

from __future__ import annotations

from .....model.expr import field
from .....model.views import Broker
from ...sources.metadata.columns import voters
from ..rule import Rule
from ._remedies import QUORUM_STATE
from ._words import broken_unless, ids

RULE = Rule(
    code="KR530",
    name="voter-unregistered",
    observation="metadata_controllers",
    kind="broker",
    releases=">=4.4",
    verdict=broken_unless(~voters.contains(field("broker", Broker))),
    message=lambda row: f"controller {row['broker']} is unregistered, but is a voter",
    expected=lambda row: f"a controller that is not among the voters {ids(row['voters'])}",
    got=lambda row: f"controller {row['broker']}",
    issues=("KIP-1312", "KAFKA-20865"),
    bug="KAFKA-20865",
    remedy=QUORUM_STATE,
)
