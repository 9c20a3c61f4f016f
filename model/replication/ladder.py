"""The rungs of the ladder: the base and the behaviours that history put on it, one after the other."""

from __future__ import annotations

from ..protocol import Model
from .base import EMPTY_ISR, REPLICATION
from .kip101 import KIP_101
from .kip279 import KIP_279
from .kip320 import KIP_320
from .kip320_first_try import KIP_320_FIRST_TRY

TRUNCATE_TO_HW = REPLICATION.with_behaviours(
    EMPTY_ISR,
    name="truncate-to-hw",
    statement="Before KIP-101: followers truncate to their high watermark (up to 0.10.2).",
)
KIP101 = TRUNCATE_TO_HW.with_behaviours(
    KIP_101, name="kip101", statement="KIP-101: followers truncate by leader epoch (0.11 to 1.1)."
)
KIP279 = KIP101.with_behaviours(
    KIP_279, name="kip279", statement="KIP-279: followers truncate to the last record in common (2.0)."
)
KIP320_FIRST_TRY = KIP279.with_behaviours(
    KIP_320_FIRST_TRY,
    name="kip320-first-try",
    statement="The first attempt at KIP-320: fenced by the epochs of records (never released).",
)
KIP320 = KIP279.with_behaviours(
    KIP_320, name="kip320", statement="KIP-320: everything is fenced by the leader epoch (2.1 and later)."
)

LADDER: tuple[Model, ...] = (TRUNCATE_TO_HW, KIP101, KIP279, KIP320_FIRST_TRY, KIP320)
