"""Two brokers register the same log directory.

Why it matters
    A directory's id is in its meta.properties. Where two brokers have the same id, a disk was copied, and a failure of
    one counts as a failure of the other.

How it is seen
    A registration's directories are compared with those of all other registered brokers.

Releases
    3.7 and later, from metadata.version 17 (3.7-IV2) on: the controller refuses such a registration. Below that level,
    registration records have no directories.
"""

from __future__ import annotations

from .....model.expr import both
from .....specs.metadata.levels import DIRECTORIES
from ...sources.metadata.columns import level, registers, shared_directories
from ..rule import Rule
from ._remedies import DIRECTORIES as REMEDY
from ._words import broken_unless, ids

RULE = Rule(
    code="KR526",
    name="directory-of-two-brokers",
    observation="metadata_registrations",
    kind="broker",
    releases=">=3.7",
    applies=both(registers, level >= DIRECTORIES),
    verdict=broken_unless(shared_directories.is_empty()),
    message=lambda row: f"broker {row['broker']} registers a directory of another broker",
    expected=lambda row: "directories that no other broker has",
    got=lambda row: f"directories {ids(row['shared_directories'])}",
    issues=("KIP-858",),
    remedy=REMEDY,
)
