"""Scenarios that provoke known bugs of Kafka, named by their issue, on releases with and without the fix."""

from __future__ import annotations

import shutil

from .cluster import Setting
from .story import Story

FLUSHED = (Setting("log.flush.scheduler.interval.ms", "10"),)
"""A setting with which logs are flushed all the time, if their topic asks for it."""
_SNAPSHOT_SECONDS = 35.0
"""More than the time between two snapshots of a node."""
_READS_METADATA = "Finished waiting for the controller metadata publishers to be installed"
"""The line before a controller begins to register (startup in ControllerServer.scala)."""
_TIMED_OUT = "channel manager timed out before sending the request"
_PAUSE_SECONDS = 9.0
_TRIES = 6
_TOPIC_ID = "partition.metadata"
_MOVES = 10
_SESSION_SECONDS = 7.0
"""A broker that starts within its old session is refused until that has ended."""
_FLUSHER_SECONDS = 30.0
"""The time after its start at which a broker begins to flush logs (InitialTaskDelayMs in LogManager.scala)."""


def lost_topic_id(story: Story) -> None:
    """A stopped broker loses the partition.metadata of a replica, as a power loss may do (KAFKA-16814).

    In 3.7.0 it does not start, until the replica's folder is moved away. Later releases take the replica for a stray
    (KAFKA-21022), and fetch it again; earlier ones write the file anew.
    """
    broker = 2
    story.create("lost", {0: [1, 2], 1: [2, 3]}, min_insync_replicas=1)
    story.produce("lost", [0, 1])
    story.sleep(4)
    story.terminate(broker)
    folder = story.cluster.disks(broker)[0] / "lost-0"
    (folder / _TOPIC_ID).unlink()
    story.note("file lost", node=broker, file=f"{folder.name}/{_TOPIC_ID}")
    story.start(broker)
    if not story.comes_up(broker):
        shutil.move(folder, story.cluster.home(broker) / folder.name)
        story.note("folder moved away", node=broker, folder=folder.name)
        story.start(broker)
        story.wait_for(broker)
    story.sleep(8)
    story.partitions()


def moved_while_flushed(story: Story) -> None:
    """A broker's replicas move between two directories, to and fro, while they are written and flushed (KAFKA-19571).

    Before 4.0.2, 4.1.2 and 4.2.0 the log that was moved is closed, and a flush that begins then takes its directory
    offline. The broker is restarted, as its disk is sound. The first directory, which has the metadata log, is not one
    of the two.
    """
    broker, numbers = 2, range(32)
    one, other = story.cluster.disks(broker)[1:]
    story.create("moved", {number: [3, broker] for number in numbers})
    story.sleep(2)
    story.move("moved", numbers, broker, one)
    story.sleep(_FLUSHER_SECONDS)
    story.ask("config", "moved", "flush.ms=1")
    story.produce("moved", numbers)
    story.sleep(3)
    for number in range(_MOVES):
        if story.move("moved", numbers, broker, one if number % 2 else other) != "ok":
            break
        story.sleep(3)
    story.partitions()
    story.terminate(broker)
    story.sleep(_SESSION_SECONDS)
    story.start(broker)
    story.wait_for(broker)
    story.sleep(5)
    story.partitions()


def waits_for_the_dead(story: Story) -> None:
    """Replicas are added, and replaced, while one that stays is dead and does not come back (KAFKA-19975).

    From 3.8 to 4.2 both reassignments wait for it for ever, though the added replicas are in sync. A third one, whose
    added replica is the dead one, waits in every release.
    """
    dead = 2
    story.create("waits", {0: [1, dead], 1: [dead, 1], 2: [3, 1]})
    story.sleep(3)
    story.kill(dead)
    story.sleep(8)
    story.reassign("waits", 0, [1, dead, 3])
    story.reassign("waits", 1, [dead, 3])
    story.reassign("waits", 2, [3, 1, dead])
    story.sleep(12)
    story.partitions()


def deleted_and_cleared(story: Story) -> None:
    """A broker sleeps while a topic is deleted and the default of min.insync.replicas changes (KAFKA-19383).

    It then applies the deletion and the ClearElr record in one delta. In 4.0.0 its metadata has the topic again, and so
    has its next snapshot.
    """
    sleeper = 3
    story.create("kept", {0: [1, 2, sleeper]})
    story.create("gone", {0: [1, 2], 1: [2, 1]})
    story.sleep(4)
    story.pause(sleeper)
    story.ask("delete", "gone")
    story.ask("config", "*", "min.insync.replicas=2")
    story.sleep(1)
    story.resume(sleeper)
    story.sleep(_SNAPSHOT_SECONDS)
    story.partitions()


def unanswered_registration(story: Story) -> None:
    """The other controllers are paused as one begins to register, for longer than its request may wait (KAFKA-20247).

    Before 4.2.1 and 4.3.0 it sends no other request in its life. It is the start of a node that decides whether the
    pause comes in time, so it is tried again.
    """
    story.create("t", {0: [1, 2, 3]})
    story.sleep(3)
    for _ in range(_TRIES):
        leader = story.leader()
        node, *others = sorted(story.cluster.layout.controllers, key=lambda each: each == leader)
        story.terminate(node)
        story.starts_to(node, _READS_METADATA)
        for other in others:
            story.pause(other)
        story.sleep(_PAUSE_SECONDS)
        for other in others:
            story.resume(other)
        story.sleep(8)
        if _TIMED_OUT in (story.cluster.home(node) / "server.log").read_text(encoding="utf-8"):
            story.note("registration timed out", node=node)
            break
    story.create("after", {0: [2, 3, 1]})
    story.sleep(10)
    story.partitions()
