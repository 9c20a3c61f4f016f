"""A metadata log of any length: topics that come and go, partitions whose leaders and ISRs change, idle records."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from isrproof.traces.cases import FOLDER
from isrproof.traces.metadata.reader import uuid_text
from isrproof.traces.metadata.text import log_bytes
from isrproof.traces.metadata.writer import Message, batch

TOPICS = 500
_SEGMENT_BYTES = 64 << 20


def generate(folder: Path, records: int, seed: int = 0) -> int:
    """Write a node's log with about `records` records; return its bytes. Half of the records are NoOps, as in real
    logs."""
    folder.mkdir(parents=True, exist_ok=True)
    beginning = (FOLDER / "three-brokers.jsonl").read_text(encoding="utf-8").splitlines()
    offset, written = len(beginning), 0
    file = (folder / f"{0:020d}.log").open("wb")
    file.write(log_bytes(beginning))
    for messages in _batches(records - offset, random.Random(seed)):
        if file.tell() > _SEGMENT_BYTES:
            written += file.tell()
            file.close()
            file = (folder / f"{offset:020d}.log").open("wb")
        file.write(batch(messages, offset, 1, 1_700_000_000_000 + offset))
        offset += len(messages)
    written += file.tell()
    file.close()
    return written


def _batches(records: int, dice: random.Random) -> Iterator[list[Message]]:
    partitions: list[tuple[str, list[int], int]] = []
    noop: Message = ("NO_OP_RECORD", 0, {})
    made = 0
    for number in range(TOPICS):
        topic = uuid_text(dice.randbytes(16))
        data = {"topicId": topic, "replicas": [1, 2, 3], "isr": [1, 2, 3], "leader": 1, "partitionId": 0}
        data |= {"removingReplicas": [], "addingReplicas": [], "leaderEpoch": 0, "partitionEpoch": 0, "directories": []}
        yield [("TOPIC_RECORD", 0, {"name": f"t{number}", "topicId": topic}), ("PARTITION_RECORD", 1, data)]
        partitions.append((topic, [1, 2, 3], 1))
        made += 2
    while made < records:
        changes: list[Message] = []
        for _ in range(dice.randrange(1, 4)):
            at = dice.randrange(TOPICS)
            topic, isr, leader = partitions[at]
            others = [each for each in (1, 2, 3) if each != leader]
            data = {"partitionId": 0, "topicId": topic}
            if len(isr) == 3 and dice.random() < 0.5:  # a leader leaves the ISR of no partition while it is active
                leader = data["leader"] = dice.choice(others)
            else:
                isr = data["isr"] = [1, 2, 3] if len(isr) < 3 else sorted([leader, dice.choice(others)])
            partitions[at] = topic, isr, leader
            changes.append(("PARTITION_CHANGE_RECORD", 1, data))
        yield changes
        for _ in changes:
            yield [noop]
        made += 2 * len(changes)
