"""Unclean elections, once for each however many controllers print them; controllers that resigned, or are active."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping

from ..files.file import LogFile
from ..findings.brokers import BrokerTimeline
from ..findings.happened import Happened
from ..lines import ACTIVE, RENOUNCED
from ..table.protocol import Row
from .moments import MOMENT, saying
from .writers import Writers

UNCLEAN, CONTROLLER, RESIGNED = "unclean-election", "controller-active", "controller-resigned"
_RESIGNED = "controller-resigned"
"""The row of ZooKeeper mode."""
_ZOOKEEPER = "unclean-leader-selected"


def unclean(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the unclean elections of partitions.

    Args:
        rows: the rows of the first look.
    """
    first: dict[tuple[object, ...], Row] = {}
    own = (row for row in rows if row.get("kind") == MOMENT and row["file"] in files)
    for row in sorted(own, key=lambda row: (row["ts"] is None, row["ts"] or 0, row["file"], row["line"])):
        if saying()[row["row"]].happens == UNCLEAN:
            once = (row["file"], row["line"]) if row["row"] == _ZOOKEEPER else (row["epoch"], row["said"])
            first.setdefault((files[row["file"]].cluster, row["topic"], row["partition"], *once), row)
    for (cluster, *_), row in first.items():
        place = files[row["file"]].place(row["line"])
        at = (row["file"], row["line"]) if row["row"] == _ZOOKEEPER else None
        yield (
            int(str(cluster)),
            Happened(
                UNCLEAN,
                since=row["ts"],
                node=row["node"],
                topic=row["topic"],
                partition=row["partition"],
                epoch=row["epoch"],
                reason=row["said"],
                places=(place,),
                at=at,
            ),
        )


def resigned(
    rows: Iterable[Row],
    files: Mapping[int, LogFile],
    writers: Writers,
    brokers: Mapping[int, BrokerTimeline],
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the controllers of ZooKeeper mode that resigned.

    Each broker prints that it resigned when it shuts down (KafkaController.shutdown): only that counts which was the
    controller, as far as controllers are known.
    """
    for row in rows:
        if row.get("kind") != MOMENT or row["row"] != _RESIGNED or row["file"] not in files:
            continue
        file = files[row["file"]]
        node = row["speaker"] if row["speaker"] is not None else writers.of(row["file"])
        tenures = (
            sorted(brokers[file.cluster].tenures, key=lambda each: each.first or 0) if file.cluster in brokers else ()
        )
        before = [each for each in tenures if row["ts"] is None or (each.first or 0) <= row["ts"]]
        if before and before[-1].controller == node:
            epoch, place = before[-1].controller_epoch, file.place(row["line"])
            yield file.cluster, Happened(RESIGNED, since=row["ts"], node=node, epoch=epoch, places=(place,))


def active(
    lines: Iterable[Row], files: Mapping[int, LogFile], recorded: Container[int]
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the active controllers of KRaft from the lines that they print.

    Args:
        lines: nodes' lines about the quorum, as `walked` returns them.
        recorded: the clusters with a metadata log, whose records name the controllers.
    """
    begun: dict[int, list[Row]] = defaultdict(list)
    ends: dict[tuple[int, int, int], int] = {}
    for row in sorted(lines, key=lambda row: (row["ts"] or 0, row["file"], row["line"])):
        cluster, node, epoch = row["cluster"], row["node"], row["raft_epoch"]
        if cluster in recorded or None in (node, epoch, row["ts"]):
            continue
        if row["row"] in ACTIVE:
            begun[cluster].append(row)
        elif row["row"] in RENOUNCED:
            ends.setdefault((cluster, node, epoch), row["ts"])
        elif row["from_raft_state"] == "Leader":
            ends.setdefault((cluster, node, row["from_raft_epoch"]), row["ts"])
    for cluster, own in sorted(begun.items()):
        once = [*{(row["node"], row["raft_epoch"], row["ts"]): row for row in own}.values()]
        for row, after in zip(once, [*once[1:], None], strict=True):
            until = ends.get((cluster, row["node"], row["raft_epoch"]), None if after is None else after["ts"])
            yield (
                cluster,
                Happened(
                    CONTROLLER,
                    since=row["ts"],
                    until=until,
                    lasts=until is None,
                    node=row["node"],
                    epoch=row["raft_epoch"],
                    places=(files[row["file"]].place(row["line"]),),
                ),
            )
