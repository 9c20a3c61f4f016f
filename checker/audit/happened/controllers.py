"""Controllers: who was active in which epoch, and which nodes have generated ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..files.file import FileFacts, LogFile
from ..findings.brokers import TenureTimes
from ..findings.happened import Happened
from ..findings.metadata import MetadataLog
from ..lines import OF_KRAFT, OF_ZOOKEEPER
from ..table.protocol import Row

ACTIVE, GENERATED = "controller-active", "id-generated"
_MOST_CHOSEN = 1000
"""The greatest id that an operator chooses: reserved.broker.max.id, at its default."""


def tenures(found: Iterable[TenureTimes]) -> Iterator[Happened]:
    """Yield the controllers of ZooKeeper mode, from the lines that they wrote: the next one ends a tenure."""
    own = sorted(found, key=lambda each: (each.life, each.controller_epoch))
    for each, after in zip(own, [*own[1:], None], strict=False):
        follows = after is not None and after.life == each.life
        yield Happened(
            ACTIVE,
            since=each.first,
            until=after.first if follows and after is not None else None,
            lasts=not follows,
            node=each.controller,
            epoch=each.controller_epoch,
        )


def reigns(log: MetadataLog) -> Iterator[Happened]:
    """Yield the controllers of a metadata log."""
    for each, after in zip(log.reigns, [*log.reigns[1:], None], strict=False):
        yield Happened(
            ACTIVE,
            since=each.first,
            until=None if after is None else after.first,
            lasts=after is None,
            node=each.leader,
            epoch=each.epoch,
            places=log.course.places(each.offset, each.first),
        )


def generated(
    rows: Iterable[Row], files: Mapping[int, LogFile], facts: Iterable[FileFacts]
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the nodes of ZooKeeper mode with ids that nobody chose, each at the first line that names it.

    Args:
        facts: what was counted in each file: where a metadata quorum is, every id was chosen, or was there before.
    """
    of_quorum = {fact.index for fact in facts if not fact.rows.keys().isdisjoint(OF_KRAFT)}
    first: dict[tuple[int, int], Row] = {}
    for row in rows:
        line = {"wrote": "line", "run": "first", "module": "line"}.get(row.get("kind", ""))
        who = row.get("speaker") if row.get("kind") == "wrote" else row.get("controller")
        if line is None or who is None or who <= _MOST_CHOSEN or row["file"] not in files:
            continue
        if row["file"] in of_quorum or (row["kind"] == "wrote" and row["row"] not in OF_ZOOKEEPER):
            continue
        key = files[row["file"]].cluster, who
        here = {"file": row["file"], "line": row[line], "ts": row.get("first_ts")}
        if key not in first or (here["file"], here["line"]) < (first[key]["file"], first[key]["line"]):
            first[key] = here
    for (cluster, who), row in sorted(first.items()):
        place = files[row["file"]].place(row["line"])
        yield cluster, Happened(GENERATED, since=row["ts"], node=who, reason=_before(who), places=(place,))


def _before(who: int) -> str | None:
    """Return the ids that were generated before one: ZooKeeper counts them up."""
    first = _MOST_CHOSEN + 1
    if who == first:
        return None
    return f"{f'id {first} was' if who == first + 1 else f'ids {first} to {who - 1} were'} generated before it"
