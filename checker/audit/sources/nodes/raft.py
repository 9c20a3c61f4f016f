"""Nodes' lines about the metadata quorum, each with the line that it is compared with.

A node's raft state is on its disk, so its epoch never falls, not even across starts, unless its disk was formatted
again: then another life of the cluster may have begun (`one_life` is False), and epochs of the two cannot be compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from ...files.file import LogFile
from ...lines import ACTIVE, CLUSTER_PRINTED, LEADER_PRINTED, OF_QUORUM, RENOUNCED
from ...table.protocol import Row, Table
from ..metadata.chronicle import Chronicle

LINES = (*OF_QUORUM, *ACTIVE, *RENOUNCED, *LEADER_PRINTED, *CLUSTER_PRINTED)
STATES, LEADERS, VOTES = "quorum_states", "quorum_leaders", "quorum_votes"
WATERMARKS, EPOCH_STARTS = "quorum_high_watermarks", "quorum_epoch_starts"
COLUMNS = (
    *("row", "file", "line", "ts", "level", "releases", "speaker", "controller", "leader", "offset", "high_watermark"),
    *("raft_epoch", "raft_state", "from_raft_state", "from_raft_epoch", "voted", "detail", "replicas"),
)
STATE = "raft-state"
_OPENED, _FALLS = "raft-log-opened", "raft-high-watermark-falls"
_DELETED = "raft-log-deleted"
DOWN = "Down"
Printed = tuple[str, Row]


def of_quorum(events: Table) -> list[Row]:
    """Return the lines about the quorum, which are few; a look. The rest of a previous state is in the column `was`."""
    rows = ({name: row.get(name) for name in COLUMNS} for row in events.of_lines(LINES).rows())
    return [row | {"was": row["detail"], "detail": None} if row["row"] == STATE else row for row in rows]


def walked(rows: Iterable[Row], files: Mapping[int, LogFile]) -> list[Row]:
    """Return the lines in the order of their files, with the `node` that writes each, its `process` and `quorum_life`.

    A process begins where a node opens its log, or comes from no state. A life begins where the epoch of a node's new
    process is below the previous one, unless the node says that it has just deleted its copy of the log.
    """
    found: list[Row] = []
    by_file: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row["file"] in files:
            by_file[row["file"]].append(row)
    for file in sorted(by_file):
        process = 0
        last: dict[int, tuple[int, int]] = {}
        lives: dict[int, int] = defaultdict(int)
        for row in sorted(by_file[file], key=lambda each: each["line"]):
            if row["row"] == _DELETED:
                last.clear()
            node = row["controller"] if row["speaker"] is None else row["speaker"]
            process += row["row"] == _OPENED or row["from_raft_state"] == "null"
            epoch = row["raft_epoch"]
            if node is not None and epoch is not None:
                before, known = last.get(node, (process, epoch))
                lives[node] += before != process and epoch < known
                last[node] = process, epoch
            cluster = files[file].cluster
            life = lives[node] if node is not None else 0
            found.append(row | {"node": node, "process": process, "quorum_life": life, "cluster": cluster})
    return found


def leading(lines: Iterable[Row]) -> dict[int, int]:
    """Return for each epoch the only node that says that it leads it."""
    nodes: dict[int, set[int]] = defaultdict(set)
    for row in lines:
        if _leads(row) and row["node"] is not None:
            nodes[row["raft_epoch"]].add(row["node"])
    return {epoch: min(own) for epoch, own in nodes.items() if len(own) == 1}


def _leads(row: Row) -> bool:
    """Return whether a node says that it leads."""
    return row["row"] in ACTIVE or (row["row"] == STATE and row["raft_state"] == "Leader")


def several_lives(lines: Sequence[Row]) -> set[int]:
    """Return the clusters whose lines may be of several lives: disks were formatted again, or several ids are named."""
    several = {cluster for cluster, ids in ids_named(lines).items() if len(ids) > 1}
    return several | {row["cluster"] for row in lines if row["quorum_life"]} | {*_begun_anew(lines)}


def ids_named(lines: Iterable[Row]) -> dict[int, set[str]]:
    """Return by cluster the ids that its lines name."""
    named: dict[int, set[str]] = defaultdict(set)
    for row in lines:
        if row["detail"] is not None:
            named[row["cluster"]].add(row["detail"])
    return named


def out_of_order(lines: Iterable[Row], files: Mapping[int, LogFile]) -> set[int]:
    """Return the files with such lines whose times go back: parts of them may be of other lives, or of another
    cluster.
    """
    return {row["file"] for row in lines if files[row["file"]].goes_back}


def _begun_anew(lines: Iterable[Row]) -> Iterator[int]:
    """Yield the clusters in which a file of a node begins in an earlier epoch than an earlier file ended."""
    spans: dict[tuple[int, int], dict[int, tuple[Row, Row]]] = defaultdict(dict)
    for row in lines:
        key = row["cluster"], row["node"]
        if row["row"] == _DELETED:
            spans[key].clear()
        if row["row"] == STATE and row["node"] is not None and row["ts"] is not None:
            first, _ = spans[key].get(row["file"], (row, row))
            spans[key][row["file"]] = first, row
    for (cluster, _), own in spans.items():
        for (_, last), (first, _) in permutations(own.values(), 2):
            if last["ts"] < first["ts"] and first["raft_epoch"] < last["raft_epoch"]:
                yield cluster


def begun_unseen(lines: Iterable[Row]) -> set[int]:
    """Return the files that lack the line with which a node opened its log, or have it elsewhere.

    A node is in epoch 0 only if its disk has no quorum-state yet (QuorumState.initialize), so its process has just
    started: where a line does not print the previous state (up to 3.4), nothing else leads there;
    QuorumState.transitionToUnattached accepts only a later epoch.
    """
    found = set()
    last: dict[tuple[int, int | None], tuple[int, int]] = {}
    for row in lines:
        if row["row"] != STATE:
            continue
        before, epoch = last.get((row["file"], row["node"]), (row["process"], 0))
        last[row["file"], row["node"]] = row["process"], row["raft_epoch"]
        begins = row["raft_epoch"] == 0 and row["from_raft_state"] is None
        if begins and before == row["process"] and epoch > 0:
            found.add(row["file"])
    return found


def raft_rows(
    lines: Sequence[Row],
    files: Mapping[int, LogFile],
    chronicles: Mapping[int, Chronicle],
    others: frozenset[int] = frozenset(),
) -> Iterator[Printed]:
    """Yield the rows of all observations of the quorum.

    Args:
        others: the clusters that have lines of another one, as far as known.
    """
    doubtful = several_lives(lines) | others | {files[index].cluster for index in out_of_order(lines, files)}
    without_start = begun_unseen(lines)
    compared = [
        row
        | {
            "one_life": row["cluster"] not in doubtful,
            "lossy": row["cluster"] in others or row["file"] in without_start or _lossy(files[row["file"]]),
        }
        for row in lines
    ]
    yield from ((STATES, row) for row in _states(compared))
    yield from ((LEADERS, row) for row in _leaders(compared, chronicles))
    yield from ((VOTES, row) for row in _votes(compared))
    yield from ((WATERMARKS, row) for row in _watermarks(compared))
    yield from ((EPOCH_STARTS, row) for row in _epoch_starts(compared, chronicles))


def _lossy(file: LogFile) -> bool:
    return file.lossy is not None or file.goes_back or bool(file.broken)


def _before(row: Row, before: Row, *names: str) -> dict[str, Any]:
    there = {f"before_{name}": before[name] for name in ("file", "line", *names)}
    return there | {"in_order": _in_order(before, row)}


def _in_order(before: Row, row: Row) -> bool:
    """Return whether a line was certainly written after another one: within a millisecond nothing shows it."""
    return before["ts"] is not None and row["ts"] is not None and before["ts"] < row["ts"]


def _states(lines: Iterable[Row]) -> Iterator[Row]:
    last: dict[tuple[int, int], Row] = {}
    for row in lines:
        if row["row"] != STATE or row["node"] is None:
            continue
        key = row["file"], row["node"]
        before = last.get(key)
        last[key] = row
        shown = row | {"controller_epoch": row["raft_epoch"], "to_state": row["raft_state"]}
        same = before is not None and before["process"] == row["process"]
        if before is not None and same:
            shown |= _before(row, before, "raft_epoch")
        printed, epoch = row["from_raft_state"], row["from_raft_epoch"]
        shown["from_printed"] = printed is not None
        if printed is not None:
            shown["from_state"] = DOWN if printed == "null" else printed.removesuffix("State")
        elif before is not None and same and shown["in_order"] and not row["lossy"]:
            shown["from_state"] = before["raft_state"]
        shown["falls"] = epoch is not None and row["raft_epoch"] < epoch
        above = None if before is None or epoch is None else (before["raft_state"], before["raft_epoch"])
        shown["follows"] = above is None or above == (shown["from_state"], epoch)
        yield shown


def claimed(lines: Iterable[Row]) -> Iterator[Row]:
    """Yield lines that name the leader of an epoch."""
    for row in lines:
        if _leads(row):
            yield row | {"leader": row["node"]}
        elif row["row"] in LEADER_PRINTED or (row["row"] == STATE and row["raft_state"] == "Follower"):
            yield row


def _leaders(lines: Iterable[Row], chronicles: Mapping[int, Chronicle]) -> Iterator[Row]:
    """Yield each claim beside the record of its epoch; without one, beside the first of the most frequent claim."""
    claims = [(row, (row["cluster"], row["raft_epoch"])) for row in claimed(lines)]
    printed: dict[tuple[int, int], dict[int | None, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row, key in claims:
        printed[key][row["leader"]].append(row)
    first = {key: max(of.values(), key=len)[0] for key, of in printed.items()}
    for row, key in claims:
        chronicle = chronicles.get(row["cluster"])
        record = None if chronicle is None else chronicle.leaders.get(row["raft_epoch"])
        other = first[key]
        shown = row | {"controller_epoch": row["raft_epoch"], "one_life": row["one_life"] and row["leader"] is not None}
        if record is not None:
            yield shown | {"other_leader": record[0], "before_file": record[1], "before_offset": record[2]}
        elif other is row:
            yield shown | {"other_leader": row["leader"]}
        else:
            yield shown | {"other_leader": other["leader"], "before_file": other["file"], "before_line": other["line"]}


def _votes(lines: Iterable[Row]) -> Iterator[Row]:
    first: dict[tuple[int, int, int], Row] = {}
    for row in lines:
        voted = row["node"] if row["row"] == STATE and row["raft_state"] == "Candidate" else row["voted"]
        if voted is None or row["node"] is None:
            continue
        shown = row | {"voted": voted, "controller_epoch": row["raft_epoch"]}
        before = first.setdefault((row["cluster"], row["node"], row["raft_epoch"]), shown)
        yield shown | ({} if before is shown else _before(row, before, "voted"))


def _watermarks(lines: Iterable[Row]) -> Iterator[Row]:
    last: dict[tuple[int, int, int], Row] = {}
    for row in lines:
        if row["high_watermark"] is None or row["node"] is None:
            continue
        shown = row | {"controller_epoch": row["raft_epoch"], "voters_shown": row["row"] == _FALLS}
        if row["row"] == _FALLS:
            yield shown | {"before_high_watermark": row["offset"], "in_order": True}
            continue
        key = row["file"], row["node"], row["raft_epoch"]
        before = last.get(key)
        last[key] = row
        yield shown | ({} if before is None else _before(row, before, "high_watermark"))


def _epoch_starts(lines: Iterable[Row], chronicles: Mapping[int, Chronicle]) -> Iterator[Row]:
    for row in lines:
        chronicle = chronicles.get(row["cluster"])
        if chronicle is None or row["row"] != STATE or row["raft_state"] != "Leader":
            continue
        record = chronicle.leaders.get(row["raft_epoch"])
        if record is not None and record[0] == row["node"]:
            shown = row | {"controller_epoch": row["raft_epoch"], "known_offset": record[2]}
            yield shown | {"before_file": record[1], "before_offset": record[2]}
