"""Requests about partitions that a controller sends to brokers, in the order of sending."""

from __future__ import annotations

from .....model.expr import field
from .....model.sorts import Bool
from ...fields import sorts
from ...lines import LEADER_AND_ISR_SENT, UPDATE_METADATA_SENT, is_line
from ...table.protocol import Table
from ..compared import compared, compared_sorts, earlier, earlier_sorts, gap_in_tenure
from ..observation import Names, Observation
from ..order import PLACE
from .views import INCARNATION_OF_TENURE, PARTITION_VIEWS, VIEW, without_deletions

metadata = field("metadata", Bool)
"""True if a request is UpdateMetadata; otherwise it is LeaderAndIsr."""
_COMPARED = ("leader", "leader_epoch", "line", "file", "block")


def _requests(views: Table, key: Names, order: Names) -> Table:
    return (
        without_deletions(views.of_lines(LEADER_AND_ISR_SENT + UPDATE_METADATA_SENT))
        .along(key, order, **earlier(*_COMPARED, of=is_line(LEADER_AND_ISR_SENT)))
        .derive(metadata=is_line(UPDATE_METADATA_SENT), gap=gap_in_tenure)
    )


def _metadata_sent(views: Table, key: Names, order: Names) -> Table:
    return compared(views.of_lines(UPDATE_METADATA_SENT), key, order, "leader")


REQUESTS = Observation(
    "requests",
    made_from=PARTITION_VIEWS,
    lines=LEADER_AND_ISR_SENT + UPDATE_METADATA_SENT,
    columns={**VIEW, **earlier_sorts(VIEW, *_COMPARED), **sorts(metadata)},
    make=_requests,
    key=INCARNATION_OF_TENURE,
    order=PLACE,
)
"""LeaderAndIsr and UpdateMetadata requests, each with the LeaderAndIsr request before."""

METADATA_SENT = Observation(
    "metadata_sent",
    made_from=PARTITION_VIEWS,
    lines=UPDATE_METADATA_SENT,
    columns={**VIEW, **compared_sorts(VIEW, "leader")},
    make=_metadata_sent,
    key=INCARNATION_OF_TENURE,
    order=PLACE,
)
"""UpdateMetadata requests, marks of deletions included, each with the one before."""
