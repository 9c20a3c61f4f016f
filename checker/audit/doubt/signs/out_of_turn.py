"""Requests of one controller that do not come in the order of their numbers: a file was sorted, or two were joined."""

from __future__ import annotations

from ...history.doubts import OUT_OF_TURN
from ...sources.requests.handled import out_of_turn
from ..sign import Sign

SIGN = Sign(
    "out-of-turn",
    "requests of one controller do not come in the order of their numbers",
    OUT_OF_TURN,
    lambda evidence: out_of_turn(evidence.requests),
)
