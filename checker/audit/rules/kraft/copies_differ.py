"""Two nodes have different records at one offset of the metadata log, or a node's log has a gap.

Why it matters
    Offset and epoch identify one record, on every node. If copies differ, brokers and controllers act on different
    states of the cluster, and nothing in Kafka notices it.

How it is seen
    Batches of all copies are compared where their offset and epoch are equal. Within a copy offsets continue without a
    gap and epochs never fall; where they do not, the finding is suspicious, because files may have been copied wrongly.
    No CRC covers offset and epoch: a batch that does not follow from its neighbours, which fit each other, is damaged,
    left out and noted. A batch that other copies have at another offset, or in another epoch, is left out where they
    outweigh the copy, and everywhere if none does; the finding is unknown then, as where only the times in a header
    differ. It is suspicious where a copy with gaps differs from another. Copies may begin at different offsets. Beyond
    the end that all share, a copy may have records of an earlier epoch: those are truncated when the node comes back,
    and are no fault.

Releases
    All with KRaft. A fault of a disk, of whoever copied the files, or of Raft.
"""

from __future__ import annotations

from .....model.expr import ite
from ...sources.metadata.columns import committed, fits, kind, proved
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS, UNKNOWN
from ._remedies import COPY_OF_METADATA

_EXPECTED = {
    "gap": lambda row: f"the offset after {row['before_offset']}'s batch",
    "epoch": lambda row: "an epoch that is not smaller than that of the previous batch",
    "header": lambda row: "the offset and the epoch that other copies have for this batch",
    "time": lambda row: "the times that another copy has for this batch",
    "record": lambda row: "the same bytes in every copy",
}
_GOT = {
    "gap": lambda row: f"offset {row['offset']}",
    "epoch": lambda row: f"epoch {row['controller_epoch']}",
    "header": lambda row: f"offset {row['offset']}, epoch {row['controller_epoch']}",
    "time": lambda row: "other times",
    "record": lambda row: "other bytes",
}
_MESSAGE = {
    "gap": lambda row: f"the metadata log does not continue where it ended: a batch at offset {row['offset']}",
    "epoch": lambda row: f"the epoch of the metadata log falls to {row['controller_epoch']} at offset {row['offset']}",
    "header": lambda row: (
        f"a batch of the metadata log is at offset {row['offset']}, epoch {row['controller_epoch']}, and elsewhere in"
        " other copies"
    ),
    "time": lambda row: f"two copies of the metadata log have other times at offset {row['offset']}",
    "record": lambda row: (
        f"two copies of the metadata log differ at offset {row['offset']}, epoch {row['controller_epoch']}"
    ),
}


def _printed(words: dict, row: Row) -> str:  # type: ignore[type-arg]
    return str(words[row["kind"]](row))


_damaged = kind.eq("header") | kind.eq("time")

RULE = Rule(
    code="KR501",
    name="copies-differ",
    compares=True,
    observation="metadata_copies",
    kind="quorum",
    verdict=ite(fits, HELD, ite(_damaged, UNKNOWN, ite(proved & committed, ILLEGAL, SUSPICIOUS))),
    message=lambda row: _printed(_MESSAGE, row),
    expected=lambda row: _printed(_EXPECTED, row),
    got=lambda row: _printed(_GOT, row),
    remedy=COPY_OF_METADATA,
)
