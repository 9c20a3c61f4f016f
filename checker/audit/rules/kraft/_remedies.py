"""Remedies for findings in the metadata log; most rules share one of these."""

from __future__ import annotations

from ..remedy import KEEP_LOGS, TOPIC, Remedy, until_copies_agree

KEEP_METADATA = "Copy __cluster_metadata-0 of every node before anything else is done."
_QUORUM = "kafka-metadata-quorum.sh --bootstrap-server BROKER:9092 describe --status"
_FEATURES = "kafka-features.sh --bootstrap-server BROKER:9092 describe"
_BROKERS = "kafka-broker-api-versions.sh --bootstrap-server BROKER:9092"
_ELECT = "kafka-leader-election.sh --bootstrap-server BROKER:9092 --election-type preferred --topic TOPIC --partition N"

PARTITION_STATE = Remedy(
    workaround=f"{KEEP_LOGS} Then let a leader be elected ({_ELECT}): the controller then writes a new state.",
    verify=TOPIC,
    look_for="a leader that is in Isr, and an Isr within Replicas",
)
RECORDS_MAY_BE_LOST = until_copies_agree(
    f"{KEEP_LOGS} Records that only the skipped replicas have are lost to the others."
)
REASSIGNMENT = Remedy(
    workaround="Reassign the partition to the replicas that it should have (kafka-reassign-partitions.sh). Do not"
    " wipe a broker that had a replica before all are in sync.",
    verify=TOPIC,
    look_for="the requested Replicas, all of them in Isr",
)
COPY_OF_METADATA = Remedy(
    workaround=f"{KEEP_METADATA} A node whose copy differs from all others gets a correct one if it is started with an"
    " empty metadata folder: one node at a time, and only while all others are up.",
    verify=_QUORUM,
    look_for="one leader, all voters, and a MaxFollowerLag of 0",
)
QUORUM_STATE = Remedy(
    workaround=f"{KEEP_METADATA} Do not change the voters until all of them are up and follow one leader.",
    verify=_QUORUM,
    look_for="one leader, all voters, and a MaxFollowerLag of 0",
)
REGISTRATION = Remedy(
    workaround="Restart the broker: it registers again, and gets a new epoch.",
    verify=_BROKERS,
    look_for="an answer from the broker",
)
DIRECTORIES = Remedy(
    workaround="Give each disk a directory.id of its own in its meta.properties (a copied disk has another's), then"
    " restart the broker: it registers its directories and assigns its replicas to them.",
    verify="kafka-log-dirs.sh --bootstrap-server BROKER:9092 --describe --topic-list TOPIC",
    look_for="each replica in a directory of its own broker",
)
LEVEL = Remedy(
    workaround="Set the level that the cluster was formatted for (kafka-features.sh upgrade --release-version, or"
    " --metadata in earlier releases), when all nodes run that release.",
    verify=_FEATURES,
    look_for="the requested metadata.version, finalized",
)
TOPIC_ANEW = Remedy(
    workaround=f"{KEEP_METADATA} A topic that was created wrongly cannot be repaired: copy its records to"
    " a new topic and delete it.",
    verify=TOPIC,
    look_for="a TopicId that no earlier topic had, and partitions from 0 on",
)
