"""The lines about one partition, and the order in which they were written."""

from __future__ import annotations

PARTITION = ("life", "topic", "partition")
OF_TENURE = (*PARTITION, "controller_epoch")
"""A partition in one tenure: in a life, an epoch has one controller (history/histories.py)."""
PLACE = ("at", "file")
"""The order of a tenure's lines. Two copies of one log number their lines alike: then the file decides."""
IN_ORDER = ("controller_epoch", *PLACE)
NEAR = ("topic", "partition")
"""The part of every key of observations of partitions; the rest of the order of lines follows from life, epoch and
place.
"""
