"""KRaft nodes' lines as rows of observations: about the metadata quorum, and beside the metadata log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ...files.log import Log, Read
from ...lines import OF_ZOOKEEPER, REGISTERED, REGISTRATIONS_PRINTED
from ...table.protocol import Row
from ..metadata.chronicle import Chronicle
from ..source import Shown, Source
from . import beside, effects, raft, registrations, unclean
from .columns import BROKER_EPOCHS, BROKER_STATES, CONTROLLER_STATES
from .others import of_others
from .turns import Turns, last_turn, turns

Chronicles = Mapping[int, Sequence[tuple[str | None, Chronicle]]]
"""By cluster its metadata logs: the cluster id of each, and the effects of its records on partitions."""
MIGRATED = (
    "a migration from ZooKeeper is in the metadata log: only lines that name a topic id are compared with it, and no"
    " counts of deletions"
)
"""The reason: brokers' counts include what ZooKeeper sent them, and a topic of the same name may have existed
before.
"""

OTHERS = (
    "lines of another cluster are among these: compared with the metadata log, lines without a topic id are suspicious"
    " at most, and lines about the quorum are not compared"
)

DISORDERED = "its times go back: lines about the quorum are not compared"


def hold_against(read: Read) -> bool:
    """Return whether there are lines that a metadata log, if available, is compared with."""
    return bool(_having(read, (*raft.LINES, *beside.LINES, *effects.LINES, *registrations.LINES)))


def _having(read: Read, lines: Sequence[str]) -> list[int]:
    """Return the files with such lines."""
    wanted = frozenset(lines)
    known = {file.index for file in read.files}
    return [fact.index for fact in read.facts if fact.index in known and not wanted.isdisjoint(fact.rows)]


@dataclass
class Nodes(Source):
    """Rows of nodes' lines."""

    others: frozenset[int] = frozenset()
    """The clusters that have lines of another one."""
    printed: Sequence[Row] = ()
    """The lines about the quorum, as `raft.walked` returns them."""


def observed(log: Log, read: Read, logs: Chronicles, mixed: Collection[int]) -> Nodes:
    """Return the rows of nodes' lines.

    Args:
        logs: the metadata logs that lines are compared with.
        mixed: the clusters whose lines one cluster cannot have written (doubt/signs/wordings.py).
    """
    found = Nodes()
    files = {file.index: file for file in read.files}
    speaking = _having(read, raft.LINES)
    found.printed = raft_lines = raft.walked(log.over_lines(raft.of_quorum, speaking) if speaking else (), files)
    chronicles = _compared(logs, raft_lines, found)
    for cluster, chronicle in chronicles.items():
        chronicle.led |= raft.leading(row for row in raft_lines if row["cluster"] == cluster)
    clusters = {file.index: file.cluster for file in files.values()}
    held = (
        log.over_lines(partial(beside.beside, chronicles, clusters), _having(read, beside.LINES)) if chronicles else ()
    )
    others = frozenset({*_others(read, chronicles, clusters, held), *mixed, *of_others(raft_lines, chronicles)})
    found.others = others
    compared = {*chronicles, *(row["cluster"] for row in raft_lines)}
    found.notes += [(cluster, OTHERS) for cluster in sorted(others & compared)]
    found.notes += [
        (clusters[index], f"{files[index].path}: {DISORDERED}")
        for index in sorted(raft.out_of_order(raft_lines, files))
        if clusters[index] not in others
    ]
    found.extend(raft.raft_rows(raft_lines, files, chronicles, others))
    changing = _having(read, unclean.LINES)
    changes = log.over_lines(unclean.of_changes, changing) if changing else ()
    found.add(unclean.ELECTIONS, unclean.elections(changes, clusters))
    if chronicles:
        _beside(log, read, chronicles, clusters, raft_lines, held, others, found)
    return found


def _others(
    read: Read,
    chronicles: Mapping[int, Chronicle],
    clusters: Mapping[int, int],
    held: Iterable[Row],
) -> set[int]:
    """Return the clusters that have lines of another one."""
    zookeeper = {clusters[file] for file in _having(read, OF_ZOOKEEPER)}
    found = {cluster for cluster in zookeeper if cluster in chronicles and not chronicles[cluster].mixed}
    return found | {*beside.of_others(held, chronicles, clusters)}


def _beside(
    log: Log,
    read: Read,
    chronicles: Mapping[int, Chronicle],
    clusters: Mapping[int, int],
    raft_lines: Sequence[Row],
    held: Sequence[Row],
    others: Container[int],
    found: Source,
) -> None:
    """Add the lines that are compared with the metadata log: about a partition or a broker, and counts."""
    ordered = {file.index for file in read.files if not file.goes_back}
    by_node = turns(raft_lines)
    proposed = partial(_may_be_taken_back, by_node)
    found.extend(_odd(held, chronicles, clusters, proposed, ordered, others))
    _count_fits(held, clusters, found)
    counted = log.over_lines(partial(effects.effects, chronicles, clusters), _having(read, effects.LINES))
    later, applied = beside.clocks(held, clusters), beside.last_applied(held, ordered)
    found.extend(effects.beside_log(counted, chronicles, clusters, later, applied, proposed, ordered, others))
    changing = _having(read, registrations.LINES)
    printed = log.over_lines(registrations.printed, changing) if changing else ()
    own = {file for file in ordered if clusters[file] not in others}
    found.add(registrations.CHANGES, registrations.beside_log(printed, by_node, chronicles, clusters, own))


def _compared(logs: Chronicles, raft_lines: Iterable[Row], shown: Source) -> dict[int, Chronicle]:
    """Return the metadata logs that lines are compared with: of clusters with one log, where no line names another
    id.
    """
    ids = raft.ids_named(raft_lines)
    found = {}
    for cluster, own in logs.items():
        if len(own) != 1:
            shown.notes.append((cluster, "several metadata logs: lines of text are compared with none of them"))
            continue
        name, chronicle = own[0]
        if ids.get(cluster, set()) - ({name} if name is not None else ids.get(cluster, set())):
            shown.notes.append(
                (cluster, f"controllers name another cluster than {name}: its metadata log is not compared with lines")
            )
        else:
            if chronicle.mixed:
                shown.notes.append((cluster, MIGRATED))
            found[cluster] = chronicle
    return found


def _observed(row: str) -> str:
    """Return the observation of a line beside the log."""
    if row in REGISTERED:
        return BROKER_EPOCHS.name
    return CONTROLLER_STATES.name if row in REGISTRATIONS_PRINTED else BROKER_STATES.name


def _odd(
    found: Sequence[Row],
    chronicles: Mapping[int, Chronicle],
    clusters: Mapping[int, int],
    proposed: Callable[[Row], bool],
    ordered: Container[int],
    others: Container[int],
) -> Iterator[Shown]:
    """Yield rows of lines that the log does not confirm."""
    for row in beside.odd(found, chronicles, clusters, ordered, others):
        name = _observed(row["row"])
        unsettled = name == CONTROLLER_STATES.name and not row["settled"]
        yield name, row | {"fits": False, "proposed": unsettled and proposed(row)}


def _may_be_taken_back(of: Turns, row: Row) -> bool:
    """Return whether a controller may have been active at a line: a killed one writes no line about what is taken
    back.
    """
    turn = last_turn(of, row["file"], row["node"], row["line"])
    return turn is None or turn.epoch is not None


def _count_fits(found: Iterable[Row], clusters: Mapping[int, int], shown: Source) -> None:
    """Count lines that fit, of any partition; they are not carried."""
    aside: Counter[int] = Counter()
    for row in found:
        if row["what"] == "fits":
            shown.fit[clusters[row["file"]], _observed(row["row"])] += row["n"]
        elif row["what"] == "aside":
            aside[clusters[row["file"]]] += row["n"]
    for cluster, n in sorted(aside.items()):
        shown.notes.append((cluster, f"{n} lines are about things that this metadata log does not have: not compared"))
