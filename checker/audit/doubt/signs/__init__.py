"""Signs of how a log was collected: each module looks for one kind of damage."""

from __future__ import annotations

from ..sign import Sign
from . import (
    beginnings,
    broken,
    contradictions,
    epochs,
    follow_ups,
    late,
    levels,
    names,
    others,
    out_of_turn,
    own_requests,
    repeated,
    wordings,
)

SIGNS: tuple[Sign, ...] = (
    late.SIGN,
    repeated.SIGN,
    out_of_turn.SIGN,
    contradictions.SIGN,
    follow_ups.SIGN,
    own_requests.SIGN,
    levels.SIGN,
    beginnings.SIGN,
    epochs.SIGN,
    names.SIGN,
    names.TWICE,
    broken.SIGN,
    wordings.SIGN,
    others.SIGN,
)
"""All signs."""
