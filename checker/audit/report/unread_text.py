"""The parts of a cluster's story that no file shows, in words: a line for each kind, with the files that would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..findings.unread import Unread
from .shown import and_more, count, partition_name, printed

_NAMED = 3


def unread_text(unread: Unread, *, led: bool) -> Iterator[str]:
    """Yield what is not known.

    Args:
        led: whether lines of a controller were read, which print what leaders change late, or not at all.
    """
    if unread.nodes:
        also = "" if not led else f", and how {'it' if len(unread.nodes) == 1 else 'they'} changed ISRs"
        yield f"what {_nodes(unread.nodes)} went through{also}: {_theirs(unread.nodes)}"
    if unread.open:
        names = and_more([partition_name(*each) for each in sorted({*unread.open})], _NAMED)
        several = len({*unread.open})
        whose = "its leader" if several == 1 else "their leaders"
        yield f"whether {count(several, 'partition')} ({names}) recovered: the server.log of {whose} would show it"
    parts = [f"node {node} went through before {printed(ts)}" for node, ts in unread.begins]
    parts += [f"node {node} went through after {printed(ts)}" for node, ts in unread.ends]
    if parts:
        whose = "its" if len(parts) == 1 else "their"
        yield f"what {and_more(parts, _NAMED)}: rotated files of {whose} server.log would show it"


def _nodes(nodes: Sequence[int]) -> str:
    return f"node{'s' * (len(nodes) > 1)} {and_more(list(map(str, nodes)))}"


def _theirs(nodes: Sequence[int]) -> str:
    return "its server.log would show it" if len(nodes) == 1 else "the server.log of each would show it"
