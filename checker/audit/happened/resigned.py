"""Controllers that start as the resigned leader of an epoch, and become active in it (KAFKA-17333)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from ..files.file import LogFile
from ..findings.happened import Happened
from ..lines import ACTIVE
from ..sources.nodes.raft import STATE
from ..table.protocol import Row

_BUG = "known-bug"
_REASON = "it starts as the resigned leader of epoch {}, and becomes active in it"
_STARTS, _RESIGNED = "null", "Resigned"


def told_too_early(lines: Iterable[Row], files: Mapping[int, LogFile]) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the lines in which such a controller becomes active: no other state of it comes between.

    Args:
        lines: nodes' lines about the quorum.
    """
    own = sorted((row for row in lines if row["row"] in (STATE, *ACTIVE)), key=lambda row: (row["file"], row["line"]))
    for index, rows in groupby(own, key=lambda row: row["file"]):
        began: Row | None = None
        for row in rows:
            if row["row"] == STATE:
                began = row if _starts_resigned(row) else None
            elif began is not None and (row["node"], row["raft_epoch"]) == (began["node"], began["raft_epoch"]):
                yield (
                    files[index].cluster,
                    Happened(
                        _BUG,
                        since=row["ts"],
                        node=row["node"],
                        epoch=row["raft_epoch"],
                        reason=_REASON.format(row["raft_epoch"]),
                        places=(files[index].place(row["line"]), files[index].place(began["line"])),
                    ),
                )


def _starts_resigned(row: Row) -> bool:
    return bool(row["from_raft_state"] == _STARTS and (row["raft_state"] or "").removesuffix("State") == _RESIGNED)
