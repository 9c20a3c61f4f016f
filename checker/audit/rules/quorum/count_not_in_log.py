"""A controller reports a number of changes that the metadata log does not have.

Why it matters
    When a broker joins or leaves, the controller changes all its partitions at once. If some of these changes are not
    in the log, those partitions keep a leader or an ISR that is gone.

How it is seen
    A controller that fences, unfences, unregisters or shuts down a broker prints how many partitions it changes. The
    log has the broker's record, and next to it that many changes of its partitions: before it if the broker leaves,
    after it if the broker is unfenced or asks to shut down. The line names no offset; it is compared with such a record
    within two seconds, by the times that the controller's other lines have beside theirs. A leader may have requested
    some changes at the same time, so the number lies between two bounds; the same holds where a log begins later and no
    snapshot shows what came before. Nothing is reported where the log has no such record at that time, or where the
    controller was no longer active afterwards and nothing that it wrote later is committed: it may have taken its
    proposal back. The line and the record are matched by time, so the finding is suspicious.

What a log cannot show
    Counts of other handlers (a broker that registers again, directories that fail) are not compared.

What would make it certain
    DEBUG for org.apache.kafka.controller: the controller then prints each change with topic id and partition epoch, so
    it is not matched by time. KR537 is illegal where the metadata log has another state at that epoch. A count alone
    names no record, in any release.

Releases
    All with KRaft, since 3.0; only where the metadata log is available, and the controller prints partitions, too.
"""

from __future__ import annotations

from .....model.expr import ite
from ...sources.nodes.columns import fits, proposed
from ...table.protocol import Row
from ..kraft._remedies import PARTITION_STATE
from ..rule import Rule
from ..verdicts import HELD, SILENT, SUSPICIOUS


def _known(row: Row) -> str:
    some = str(row["most"]) if row["least"] == row["most"] else f"{row['least']} to {row['most']}"
    return f"{some} changed partition{'s' * (row['most'] != 1)} beside the record of broker {row['broker']}"


RULE = Rule(
    code="KR547",
    name="count-of-changes-not-in-metadata-log",
    compares=True,
    observation="changes_printed_beside_log",
    kind="controller",
    verdict=ite(fits, HELD, ite(proposed, SILENT, SUSPICIOUS)),
    message=lambda row: f"controller {row['node']} says in {row['detail']} that it changes {row['count']} partitions",
    expected=_known,
    got=lambda row: f"{row['count']} partition{'s' * (row['count'] != 1)}",
    issues=("KIP-631",),
    remedy=PARTITION_STATE,
)
