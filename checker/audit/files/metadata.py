"""Copies of KRaft's metadata log: one for each node's folder, with its snapshots and its quorum-state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

from ....traces.limits import NODE
from ....traces.metadata.batches import Batches, Frame
from ....traces.metadata.files import MetadataFile, node_of
from ....traces.sources.archives import there_of
from ....traces.sources.opened import small_text

_CLUSTER = re.compile(r"^cluster\.id=(\S+)\s*$", re.MULTILINE)


@dataclass
class Segment:
    """A file of a copy, and the reading state of it. `index` is its number among the files of an audit."""

    index: int
    path: str
    end: tuple[int, int] | None = None
    batches: Batches = field(init=False)
    damage: dict[str, None] = field(default_factory=dict)
    """Damage that its batches alone do not show, in words."""

    @property
    def problem(self) -> str | None:
        """The reason why it, or a part of it, is not evidence."""
        return "; ".join([*self.damage, *filter(None, [self.batches.problem])]) or None

    def __post_init__(self) -> None:
        self.batches = Batches(self.path, adjoining=True)


class Placed(NamedTuple):
    """A batch of a copy, and the file that contains it."""

    segment: Segment
    frame: Frame


@dataclass(frozen=True)
class Remembered:
    """The content of a quorum-state file."""

    epoch: int | None = None
    """The epoch of the quorum."""
    leader: int | None = None
    """The leader of the epoch; None if there is none."""
    voted: int | None = None
    """The candidate that the node voted for in the epoch; None if there is none."""
    voters: frozenset[int] = frozenset()
    """The voters of a quorum that does not keep them in its log."""


@dataclass(frozen=True)
class MetadataCopy:
    """One node's copy of the log."""

    node: str
    folder: str
    cluster_id: str | None
    """None if no meta.properties has it."""
    segments: tuple[Segment, ...]
    snapshots: tuple[Segment, ...]
    """In the order of their ends."""
    remembered: Remembered = Remembered()
    """Empty where there is no quorum-state."""

    def frames(self) -> Iterator[tuple[Segment, Frame]]:
        """Yield its batches, in the order of its files, each with its file."""
        for segment in self.segments:
            yield from zip(repeat(segment), segment.batches.frames(), strict=False)


def copies(files: Sequence[MetadataFile], first: int = 0) -> list[MetadataCopy]:
    """Return the copies in these files, by folder, and within a folder by node.

    Files are numbered from `first` on. A folder with only snapshots is a copy, too.
    """
    holding = [file for file in files if file.kind in ("segment", "snapshot")]
    found = []
    index = first
    for folder, copy in sorted({(file.folder, file.copy) for file in holding}):
        segments: list[Segment] = []
        snapshots: list[Segment] = []
        own = [file for file in holding if (file.folder, file.copy) == (folder, copy)]
        for file in sorted(own, key=lambda each: (each.end or (0, 0), each.path)):
            (segments if file.kind == "segment" else snapshots).append(Segment(index, file.path, file.end))
            index += 1
        node, remembered = node_of(folder), _remembered(folder)
        if copy:  # the owner of the folder's other files is not known
            node, remembered = str(Path(folder) / copy.rstrip("-_.")), Remembered()
        found.append(MetadataCopy(node, folder, _cluster_id(folder), tuple(segments), tuple(snapshots), remembered))
    return found


def _cluster_id(folder: str) -> str | None:
    for place in (Path(folder), Path(folder).parent):
        match = _CLUSTER.search(small_text(there_of(str(place / "meta.properties"))))
        if match is not None:
            return match[1]
    return None


def _remembered(folder: str) -> Remembered:
    """Return the content of a folder's quorum-state; empty if it cannot be understood."""
    try:
        content = json.loads(small_text(there_of(str(Path(folder) / "quorum-state"))))
        voters = frozenset(map(_voter, content.get("currentVoters") or ()))
        epoch, leader, voted = (_known(content.get(name)) for name in ("leaderEpoch", "leaderId", "votedId"))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return Remembered()
    return Remembered(epoch, leader, voted, voters)


def _known(number: object) -> int | None:
    """Return a number of quorum-state, which uses -1 for none."""
    return number if type(number) is int and 0 <= number < NODE.most else None


def _voter(voter: Mapping[str, object]) -> int:
    """Return the id of a voter.

    Raises:
        ValueError: it has none.
    """
    number = _known(voter["voterId"])
    if number is None:
        raise ValueError(f"voterId {voter['voterId']!r:.20}")
    return number
