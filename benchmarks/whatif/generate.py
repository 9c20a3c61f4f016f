"""The metadata log of a large cluster: brokers in racks, topics of some kinds, a few replicas that are not in sync."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from isrproof.traces.metadata.reader import uuid_text
from isrproof.traces.metadata.writer import Message, batch

_PER_TOPIC = 50
_LEVEL = 29
"""metadata.version 4.3-IV0."""
_TIME = 1_700_000_000_000
_PREFERRED = 0.9
"""The part of the partitions that their first replica leads, if it is in sync."""
_KINDS = ((3, 2, "false"), (3, 2, "false"), (3, 1, "false"), (3, 2, "true"), (2, 1, "false"))
"""Kinds of topics: replicas, min.insync.replicas, unclean.leader.election.enable."""


def generate(folder: Path, partitions: int, brokers: int, racks: int = 3, behind: float = 0.01, seed: int = 0) -> int:
    """Write a node's log; return its bytes. A controller that is no broker leads the quorum of three.

    Args:
        behind: the part of the partitions with a replica that is not in sync.
    """
    folder.mkdir(parents=True, exist_ok=True)
    offset = written = 0
    with (folder / f"{0:020d}.log").open("wb") as file:
        for messages, control in _batches(partitions, brokers, racks, behind, random.Random(seed)):
            raw = batch(messages, offset, 1, _TIME + offset, control=control)
            offset += len(messages)
            written += file.write(raw)
    return written


def _batches(
    partitions: int, brokers: int, racks: int, behind: float, dice: random.Random
) -> Iterator[tuple[list[Message], bool]]:
    voters = [{"voterId": 1000 + each, "votingDirectories": []} for each in range(3)]
    yield [("LEADER_CHANGE", 0, {"version": 0, "leaderId": 1000, "voters": voters, "grantingVoters": voters})], True
    levels = {"metadata.version": _LEVEL, "eligible.leader.replicas.version": 1}
    yield [("FEATURE_LEVEL_RECORD", 0, {"name": name, "featureLevel": level}) for name, level in levels.items()], False
    yield [_config(4, "", "min.insync.replicas", "1")], False
    for broker in range(brokers):
        yield [("REGISTER_BROKER_RECORD", 3, _registration(broker, f"rack-{broker % racks}", dice))], False
        change = {"brokerId": broker, "brokerEpoch": broker, "fenced": -1, "inControlledShutdown": 0}
        yield [("BROKER_REGISTRATION_CHANGE_RECORD", 0, change)], False
    by_rack = [[each for each in range(brokers) if each % racks == rack] for rack in range(racks)]
    for number in range((partitions + _PER_TOPIC - 1) // _PER_TOPIC):
        count = min(_PER_TOPIC, partitions - number * _PER_TOPIC)
        yield list(_topic(number, count, by_rack, behind, dice)), False


def _registration(broker: int, rack: str, dice: random.Random) -> dict[str, object]:
    newest = {"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": _LEVEL}
    return {
        "brokerId": broker,
        "isMigratingZkBroker": False,
        "incarnationId": uuid_text(dice.randbytes(16)),
        "brokerEpoch": broker,
        "endPoints": [],
        "features": [newest],
        "rack": rack,
        "fenced": True,
        "inControlledShutdown": False,
        "logDirs": [],
    }


def _config(kind: int, name: str, setting: str, value: str) -> Message:
    return "CONFIG_RECORD", 0, {"resourceType": kind, "resourceName": name, "name": setting, "value": value}


def _topic(number: int, count: int, by_rack: list[list[int]], behind: float, dice: random.Random) -> Iterator[Message]:
    topic, name = uuid_text(dice.randbytes(16)), f"t{number}"
    replication, min_isr, unclean = _KINDS[number % len(_KINDS)]
    yield "TOPIC_RECORD", 0, {"name": name, "topicId": topic}
    yield _config(2, name, "min.insync.replicas", str(min_isr))
    yield _config(2, name, "unclean.leader.election.enable", unclean)
    for partition in range(count):
        racks = dice.sample(by_rack, replication)
        replicas = [dice.choice(rack) for rack in racks]
        gone = dice.choice(replicas) if dice.random() < behind else None
        isr = [each for each in replicas if each != gone]
        leader = isr[0] if dice.random() < _PREFERRED else dice.choice(isr)
        yield (
            "PARTITION_RECORD",
            2,
            {
                "partitionId": partition,
                "topicId": topic,
                "replicas": replicas,
                "isr": isr,
                "removingReplicas": [],
                "addingReplicas": [],
                "leader": leader,
                "leaderEpoch": 0,
                "partitionEpoch": 0,
                "directories": [uuid_text(bytes(15) + b"\1")] * replication,
            },
        )
