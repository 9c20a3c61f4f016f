"""A broker has an epoch that it never registered with.

Why it matters
    Controllers recognise a stale incarnation by the broker epoch: with a wrong one a broker is refused, or counted in
    an ISR that it is not in.

How it is seen
    The broker prints the epoch that the controller gave it; the metadata log has a RegisterBroker record of that broker
    with it. The epoch is the offset of that record or of its batch, or one less. It is judged only where the log has
    that offset, or continues for ten seconds beyond the line's time.

Releases
    All with KRaft, since 3.0; only where the metadata log is available.
"""

from __future__ import annotations

from ..kraft._remedies import REGISTRATION
from ..rule import Rule
from ._words import in_the_log

RULE = Rule(
    code="KR539",
    name="broker-epoch-not-in-metadata-log",
    observation="broker_epochs_beside_log",
    kind="broker",
    verdict=in_the_log,
    message=lambda row: f"broker {row['node']} is registered with broker epoch {row['epoch']}",
    expected=lambda row: f"an epoch of a RegisterBroker record of broker {row['node']}",
    got=lambda row: f"broker epoch {row['epoch']}",
    issues=("KIP-631",),
    remedy=REGISTRATION,
)
