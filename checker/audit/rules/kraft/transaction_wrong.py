"""A metadata transaction begins inside another, ends without one, or is left open by a new controller.

Why it matters
    The records between begin and end take effect together or not at all. Where begins and ends do not pair, nodes
    disagree about what happened.

How it is seen
    Begin, end and abort alternate. A controller that finds an open transaction of an earlier epoch aborts it before
    anything else.

Releases
    3.6 and later, from metadata.version 13 (3.6-IV1) on.
"""

from __future__ import annotations

from .....model.expr import both
from ...sources.metadata.columns import ends, is_open, left_open
from ..rule import Rule
from ._remedies import QUORUM_STATE
from ._words import broken_unless

RULE = Rule(
    code="KR517",
    name="transaction-unpaired",
    observation="metadata_transactions",
    kind="quorum",
    verdict=broken_unless(both(is_open.eq(ends), ~left_open)),
    message=lambda row: "the begin and end of a metadata transaction do not pair",
    expected=lambda row: (
        "the end of the transaction that an earlier controller left open" if row["left_open"] else "begin, then end"
    ),
    got=lambda row: row["record"] + (", inside a transaction" if row["open"] else ", outside a transaction"),
    issues=("KAFKA-14305",),
    remedy=QUORUM_STATE,
)
