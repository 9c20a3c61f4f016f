"""A controller tells of another number of changes than the metadata log has.

Why it matters
    As a broker comes or goes, the controller changes all its partitions at once. If some of these changes are not in
    the log, these partitions keep a leader or an ISR that is gone.

How it is seen
    A controller that fences, unfences, unregisters or shuts down a broker prints how many partitions it changes. The
    log has the broker's record, and beside it that many changes of its partitions: before it if the broker goes, after
    it if the broker is let in or asks to be let go. The line names no offset; it is held against such a record of
    within two seconds, by the times that the controller's other lines have beside theirs. A leader may have asked for
    some changes at the same time, so the number lies between two bounds; so it does where a log begins later and no
    snapshot tells what was before. Where the log has no such record at that
    time, or the controller was active no longer afterwards and nothing that it wrote later is committed, what it
    proposed may have been taken back: nothing is said. Since the line and the record are brought together by
    their times, it is suspicious.

What a log cannot show
    Counts of other handlers (a broker that registers anew, directories that fail) are not compared.

Releases
    All with KRaft, since 3.0; only where the metadata log is there, and the controller prints partitions, too.
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
