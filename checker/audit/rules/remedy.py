"""Remedies for findings: the same sentences in every report, on a rule's page and in docs/rules.md."""

from __future__ import annotations

from dataclasses import dataclass

MOVE_CONTROLLER = (
    "Make another broker controller (zookeeper-shell.sh HOST:2181 delete /controller): the new one reads"
    " the state of every partition from ZooKeeper."
)
KEEP_LOGS = "Copy the partition's log from every replica before you do anything else: the copies may differ."

TOPIC = "kafka-topics.sh --bootstrap-server BROKER:9092 --describe --topic TOPIC"
BEFORE_2_2 = "before 2.2 with --zookeeper HOST:2181 instead of --bootstrap-server"
"""The call of kafka-topics.sh in older releases (KIP-377)."""
STATE = "zookeeper-shell.sh HOST:2181 get /brokers/topics/TOPIC/partitions/N/state"
CONTROLLER_EPOCH = "zookeeper-shell.sh HOST:2181 get /controller_epoch"
COPIES = "kafka-replica-verification.sh --broker-list BROKER:9092 --topics-include TOPIC"
BEFORE_3_0 = "before 3.0 with --topic-white-list instead of --topics-include"
"""The call of kafka-replica-verification.sh in older releases (KAFKA-10589; removed in 4.0: KAFKA-14705)."""
TOPICS = "kafka-topics.sh --bootstrap-server BROKER:9092 --list"


@dataclass(frozen=True)
class Remedy:
    """The remedy for a rule's findings."""

    workaround: str
    """Sentences on what helps now."""
    verify: str
    """A command that shows whether it helped; TOPIC, N, HOST, BROKER stand for its arguments."""
    look_for: str
    """The output that the command then prints."""
    older: str = ""
    """The call of the command in older releases, if it differs."""
    upgrade: str = ""
    """The release to upgrade to; where the rule knows the fault as a bug, that bug's releases decide."""


def until_copies_agree(workaround: str) -> Remedy:
    """Return a remedy: a workaround, then the comparison of a partition's copies."""
    return Remedy(workaround, verify=COPIES, look_for="a lag of 0 for every replica", older=BEFORE_3_0)
