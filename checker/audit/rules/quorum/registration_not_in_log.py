"""A controller fenced, unfenced or shut down a broker, but the metadata log has no such record.

Why it matters
    All other nodes know what the log has: to them the broker is unchanged. A fenced broker that they believe to be
    active is elected, and added to ISRs, while it is not there.

How it is seen
    An active controller prints each change of a registration as it proposes it, and appends its proposals in that
    order. The epoch that it leads has no record that fences, unfences or shuts down this broker within three seconds of
    the line, although the controller wrote another record more than a second after it, which is committed, and its
    first record more than three seconds before. Lines may be in local time: lines that have a record give their
    distance from the records. The finding is suspicious: lines and records are matched by time, and a line may be of
    another cluster.
    A standby applies only committed records. It prints a fencing with the epoch that the broker was registered with:
    the log has the broker's next registration, and no fencing between the two. This needs no times.

What a log cannot show
    What a controller proposed right before it lost the leadership may have been taken back, and its last lines may be
    newer than the copy of the log: nothing is reported about these, nor where a migration is in the log, or where it
    lacks offsets, or the LeaderChange of the epoch. From the lines of standby controllers, only fencings are compared,
    of registrations that the log shows to be over: at a start a standby applies the whole log again.

What would make it certain
    For a standby's fencing, proof that the line is of this cluster: it prints a broker and its epoch, but no cluster.
    For an active controller's line, an offset, which no release prints. At DEBUG, though, the changes of partitions
    beside it print their partition epochs, and KR537 is illegal if the metadata log has other states there.

Releases
    "Replayed BrokerRegistrationChangeRecord modifying the registration" since 3.6
    (ClusterControlManager.replayRegistrationChange); where a controller prints none, "Fencing broker N because its
    session has timed out." of 3.0 to 3.9 (ReplicationControlManager.maybeFenceOneStaleBroker), with fencings only.
"""

from __future__ import annotations

from .....model.expr import ite
from ...sources.nodes.columns import fits
from ...table.protocol import Row
from ..kraft._remedies import REGISTRATION
from ..rule import Rule
from ..verdicts import HELD, SUSPICIOUS

_DONE = {"fence": "fences", "unfence": "unfences", "shutdown": "lets shut down"}


def _got(row: Row) -> str:
    if row["controller_epoch"] is None:
        return "no such record from the broker's registration to its next one"
    return (
        f"{row['count']} such record{'s' * (row['count'] != 1)} in epoch {row['controller_epoch']}, none at that time"
    )


def _message(row: Row) -> str:
    if row["controller_epoch"] is None:
        return f"controller {row['node']} has applied that broker {row['broker']} is fenced, but no record says so"
    return f"controller {row['node']} {_DONE[row['detail']]} broker {row['broker']}, but no record says so"


def _expected(row: Row) -> str:
    if row["controller_epoch"] is None:
        return "such a record, which a standby has applied"
    return f"such a record at that time, in epoch {row['controller_epoch']}"


RULE = Rule(
    code="KR555",
    name="registration-change-not-in-metadata-log",
    observation="registration_changes_beside_log",
    kind="broker",
    verdict=ite(fits, HELD, SUSPICIOUS),
    message=_message,
    expected=_expected,
    got=_got,
    issues=("KIP-631",),
    remedy=REGISTRATION,
)
