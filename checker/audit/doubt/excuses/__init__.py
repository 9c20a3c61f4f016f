"""Excuses of findings: each module has one way in which a log may deceive."""

from __future__ import annotations

from . import creations, order, renewals
from .excuse import Excuse

EXCUSES: tuple[Excuse, ...] = (order.EXCUSE, creations.EXCUSE, renewals.EXCUSE)
"""All excuses, in the order in which they are asked."""
