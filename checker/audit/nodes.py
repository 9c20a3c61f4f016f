"""The audit of what nodes of a KRaft cluster print: of the metadata quorum, and beside the metadata log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from .files.file import LogFile
from .files.log import Log, Read
from .findings.judged import findings
from .findings.metadata import Metadata
from .doubt.signs.wordings import mixed_wordings
from .judge import at_most_unknown, counted, failing, first_failing, judged
from .lines import OF_ZOOKEEPER, REGISTERED, REGISTRATIONS_PRINTED
from .catalogue import observations
from .sources.metadata.chronicle import Chronicle
from .observe.narrow import EVERYTHING, Narrow
from .sources.nodes import beside, effects, raft, registrations, unclean
from .sources.nodes.columns import BROKER_EPOCHS, BROKER_STATES, CONTROLLER_STATES
from .sources.nodes.others import of_others
from .sources.nodes.turns import Turns, last_turn, turns
from .rules.catalogue import rules_on
from .table.protocol import Row, Tables
from .table.rows import PythonTable

MIGRATED = (
    "a migration from ZooKeeper is in the metadata log: lines are held against it where they name a topic id; counts of"
    " deletions are not"
)
"""What brokers count goes back to what ZooKeeper told them, and a topic of the same name may have been there before."""

OTHERS = (
    "lines of another cluster are among these: beside the metadata log what names no topic id is suspicious at most,"
    " and what nodes tell of the quorum is not compared"
)

DISORDERED = "its times go back: what nodes tell of the quorum is not compared"


def hold_against(read: Read) -> bool:
    """Whether any line is there that a metadata log, if it is here too, is held against."""
    return bool(_having(read, (*raft.LINES, *beside.LINES, *effects.LINES, *registrations.LINES)))


def _having(read: Read, lines: Sequence[str]) -> list[int]:
    """The files with such lines."""
    wanted = frozenset(lines)
    known = {file.index for file in read.files}
    return [fact.index for fact in read.facts if fact.index in known and not wanted.isdisjoint(fact.rows)]


def audited_nodes(
    log: Log,
    read: Read,
    metadata: Metadata,
    tables: Tables = PythonTable,
    narrow: Narrow = EVERYTHING,
    newer: frozenset[int] = frozenset(),
) -> frozenset[int]:
    """Judge what nodes print; findings, counts and notes go to those of their metadata logs.

    Args:
        newer: the clusters of which something is not known to this program, such as a newer release.

    Returns:
        the clusters among whose lines are those of another one.
    """
    files = {file.index: file for file in read.files}
    shown = observed(log, read, metadata)
    inputs = {observations()[name].made_from: tables.of_rows(of) for name, of in shown.rows.items()}
    verdicts = {name: narrow.of(of) for name, of in judged(inputs, metadata.defects).items()}
    metadata.counts += at_most_unknown(counted(verdicts), newer)
    places = {**files, **metadata.files}
    fails = at_most_unknown(failing(verdicts), newer)
    metadata.findings += findings(first_failing(fails), places, metadata.defects)
    for (cluster, name), n in sorted(shown.fit.items()) if narrow == EVERYTHING else ():
        held = {rule.code: "held" for rule in rules_on(name)}
        metadata.counts.append({"observation": name, "cluster": cluster, "topic": None, "n": n, **held})
    metadata.notes += shown.notes
    return shown.others


@dataclass
class Shown:
    """What nodes print: rows by observation; how many lines fit their metadata log, by cluster and observation.
    `others` are the clusters among whose lines are those of another one."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    fit: Counter[tuple[int, str]] = field(default_factory=Counter)
    notes: list[tuple[int, str]] = field(default_factory=list)
    others: frozenset[int] = frozenset()


def observed(log: Log, read: Read, metadata: Metadata) -> Shown:
    """The rows of the observations of what nodes print."""
    found = Shown()
    files = {file.index: file for file in read.files}
    speaking = _having(read, raft.LINES)
    raft_lines = raft.walked(log.over_lines(raft.of_quorum, speaking) if speaking else (), files)
    chronicles = _compared(metadata, raft_lines, found)
    for cluster, chronicle in chronicles.items():
        chronicle.led |= raft.leading(row for row in raft_lines if row["cluster"] == cluster)
    clusters = {file.index: file.cluster for file in files.values()}
    held = (
        log.over_lines(partial(beside.beside, chronicles, clusters), _having(read, beside.LINES)) if chronicles else ()
    )
    others = frozenset(_others(read, chronicles, clusters, files, held) | of_others(raft_lines, chronicles))
    found.others = others
    told = {*chronicles, *(row["cluster"] for row in raft_lines)}
    found.notes += [(cluster, OTHERS) for cluster in sorted(others & told)]
    found.notes += [
        (clusters[index], f"{files[index].path}: {DISORDERED}")
        for index in sorted(raft.out_of_order(raft_lines, files))
        if clusters[index] not in others
    ]
    for name, row in raft.raft_rows(raft_lines, files, chronicles, others):
        found.rows.setdefault(name, []).append(row)
    changing = _having(read, unclean.LINES)
    for row in unclean.elections(log.over_lines(unclean.of_changes, changing) if changing else (), clusters):
        found.rows.setdefault(unclean.ELECTIONS, []).append(row)
    if chronicles:
        _beside(log, read, chronicles, clusters, raft_lines, held, others, found)
    return found


def _others(
    read: Read,
    chronicles: Mapping[int, Chronicle],
    clusters: Mapping[int, int],
    files: Mapping[int, LogFile],
    held: Iterable[Row],
) -> set[int]:
    """The clusters among whose lines are those of another one."""
    zookeeper = {clusters[file] for file in _having(read, OF_ZOOKEEPER)}
    found = {cluster for cluster in zookeeper if cluster in chronicles and not chronicles[cluster].mixed}
    return found | {*beside.of_others(held, chronicles, clusters)} | mixed_wordings(read.rows, (), files)


def _beside(
    log: Log,
    read: Read,
    chronicles: Mapping[int, Chronicle],
    clusters: Mapping[int, int],
    raft_lines: Sequence[Row],
    held: Sequence[Row],
    others: Container[int],
    found: Shown,
) -> None:
    """What is held against the metadata log: lines that print a partition or a broker, and lines that count."""
    ordered = {file.index for file in read.files if not file.goes_back}
    by_node = turns(raft_lines)
    proposed = partial(_may_be_taken_back, by_node)
    found.rows |= _odd(held, chronicles, clusters, proposed, ordered, others)
    _count_fits(held, clusters, found)
    counted = log.over_lines(partial(effects.effects, chronicles, clusters), _having(read, effects.LINES))
    later, applied = beside.clocks(held, clusters), beside.last_applied(held, ordered)
    for name, row in effects.beside_log(counted, chronicles, clusters, later, applied, proposed, ordered, others):
        found.rows.setdefault(name, []).append(row)
    changing = _having(read, registrations.LINES)
    told = log.over_lines(registrations.told, changing) if changing else ()
    own = {file for file in ordered if clusters[file] not in others}
    found.rows[registrations.CHANGES] = [*registrations.beside_log(told, by_node, chronicles, clusters, own)]


def _compared(metadata: Metadata, raft_lines: Iterable[Row], shown: Shown) -> dict[int, Chronicle]:
    """The metadata logs that lines are held against: of clusters with one log, of which no line names another id."""
    ids = raft.ids_named(raft_lines)
    found = {}
    for cluster, own in metadata.chronicles.items():
        if len(own) != 1:
            metadata.notes.append((cluster, "several metadata logs: lines of text are held against none of them"))
            continue
        name, chronicle = own[0]
        if ids.get(cluster, set()) - ({name} if name is not None else ids.get(cluster, set())):
            metadata.notes.append(
                (cluster, f"controllers name another cluster than {name}: its metadata log is left aside")
            )
        else:
            if chronicle.mixed:
                metadata.notes.append((cluster, MIGRATED))
            found[cluster] = chronicle
    return found


def _observed(row: str) -> str:
    """The observation that a line beside the log is of."""
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
) -> dict[str, list[Row]]:
    """Rows of lines that the log does not have so."""
    rows: dict[str, list[Row]] = {}
    for row in beside.odd(found, chronicles, clusters, ordered, others):
        name = _observed(row["row"])
        unsettled = name == CONTROLLER_STATES.name and not row["settled"]
        rows.setdefault(name, []).append(row | {"fits": False, "proposed": unsettled and proposed(row)})
    return rows


def _may_be_taken_back(of: Turns, row: Row) -> bool:
    """Whether a controller may have been active at a line: one that is killed writes no line of what is taken back."""
    turn = last_turn(of, row["file"], row["node"], row["line"])
    return turn is None or turn.epoch is not None


def _count_fits(found: Iterable[Row], clusters: Mapping[int, int], shown: Shown) -> None:
    """Lines that fit are held, of whatever partition; they are counted only, not carried."""
    aside: Counter[int] = Counter()
    for row in found:
        if row["what"] == "fits":
            shown.fit[clusters[row["file"]], _observed(row["row"])] += row["n"]
        elif row["what"] == "aside":
            aside[clusters[row["file"]]] += row["n"]
    for cluster, n in sorted(aside.items()):
        shown.notes.append((cluster, f"{n} lines tell of what the metadata log here does not have: not compared"))
