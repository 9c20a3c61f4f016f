"""What to do about a finding: the same sentences in every report, on a rule's page and in docs/rules.md."""

from __future__ import annotations

from dataclasses import dataclass

MOVE_CONTROLLER = (
    "Make another broker controller (zookeeper-shell.sh HOST:2181 delete /controller): it reads what ZooKeeper holds of"
    " every partition anew."
)
KEEP_LOGS = "Copy the partition's log from every replica before anything else is done: the copies may differ."

TOPIC = "kafka-topics.sh --bootstrap-server BROKER:9092 --describe --topic TOPIC"
BEFORE_2_2 = "before 2.2 with --zookeeper HOST:2181 instead of --bootstrap-server"
"""How older releases call kafka-topics.sh (KIP-377)."""
STATE = "zookeeper-shell.sh HOST:2181 get /brokers/topics/TOPIC/partitions/N/state"
CONTROLLER_EPOCH = "zookeeper-shell.sh HOST:2181 get /controller_epoch"
COPIES = "kafka-replica-verification.sh --broker-list BROKER:9092 --topics-include TOPIC"
BEFORE_3_0 = "before 3.0 with --topic-white-list instead of --topics-include"
"""How older releases call kafka-replica-verification.sh (KAFKA-10589; gone in 4.0: KAFKA-14705)."""
TOPICS = "kafka-topics.sh --bootstrap-server BROKER:9092 --list"


@dataclass(frozen=True)
class Remedy:
    """What to do about a finding.

    Args:
        workaround: what helps now, in sentences.
        verify: the command that tells whether it did; TOPIC, N, HOST, BROKER stand for what it is asked of.
        look_for: what the command prints then.
        older: how older releases call the command, if they do so otherwise.
        upgrade: the release to upgrade to; where the rule knows it as a bug, that bug's own releases say it.
    """

    workaround: str
    verify: str
    look_for: str
    older: str = ""
    upgrade: str = ""


def until_copies_agree(workaround: str) -> Remedy:
    """What helps now, and then the comparison of a partition's copies."""
    return Remedy(workaround, verify=COPIES, look_for="a lag of 0 for every replica", older=BEFORE_3_0)
