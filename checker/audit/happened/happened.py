"""Something that happened to a cluster, and how several of a kind are one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ....specs.happenings import Happening, happenings
from ....traces.place import Place

MOST = 10_000
"""The most entries of a cluster that are reported, trouble first; all are counted."""
_PLACES = 3
"""The most places of an entry: its first, its longest and its last."""

_BY_EPOCH = ("quorum", "controller")
"""Subjects of which what happens in another epoch is another thing; so is another unclean election."""
