"""The parts of a cluster's story that no file shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unread:
    """The parts of a cluster's story that no file shows, by the nodes whose server.log would show them."""

    nodes: tuple[int, ...] = ()
    """Nodes of which no such file was read."""
    begins: tuple[tuple[int, int], ...] = ()
    """Nodes whose lines begin after they lived, and when."""
    ends: tuple[tuple[int, int], ...] = ()
    """Nodes that lived after their lines end, and when these end."""
    open: tuple[tuple[str, int], ...] = ()
    """Partitions of which no line shows that they recovered, and whose leader is one of `nodes`."""
