"""The leader is alone in the ISR when it dies; a follower that lacks its last records is elected.

Broker 1 is the controller and has no replica. Broker 3 sleeps until the leader (broker 2) is alone in the ISR and
commits more records; it wakes up after the leader is dead, before its own session ends. The last record of `quiet` is
written some seconds before the leader dies, so that the high watermark on its disk is the last one.
"""

from __future__ import annotations

import time

from ..story import Story
from . import Scenario

ALONE_SECONDS = 1.5
CHECKPOINT_SECONDS = 2.5
"""Longer than the brokers wait between two checkpoints of high watermarks."""


def run(story: Story) -> None:
    story.start(1, 2, 3)
    story.create_topic("all", {0: [2, 3]})
    story.create_topic("one", {0: [2, 3]})
    story.create_topic("quiet", {0: [2, 3]})
    story.wait_for_isr("all", "one", "quiet")
    story.produce("one", "1")
    story.produce("all", "all")
    story.produce("quiet", "all")
    time.sleep(3)
    story.pause(3)
    for topic in ("all", "one", "quiet"):
        story.wait_for_isr_of(topic, 0, 2)
    time.sleep(ALONE_SECONDS)
    story.silence("quiet")
    time.sleep(CHECKPOINT_SECONDS)
    story.kill(2)
    story.resume(3)
    for topic in ("all", "one", "quiet"):
        story.wait_for_leader(topic, 0, 3)
    time.sleep(2)
    story.start(2)
    story.wait_for_isr("all", "one", "quiet")
    time.sleep(2)
    story.silence("all", "one")
    story.settle()


scenario = Scenario(
    "unclean",
    "kill the only member of the ISR, elect one that is behind",
    (1, 2, 3),
    run,
    settings={
        "unclean.leader.election.enable": "true",
        "replica.lag.time.max.ms": "4000",
        # Broker 3 must outlive its pause: up to 6 s until the ISR has shrunk, then the leader's time alone.
        "zookeeper.session.timeout.ms": "14000",
    },
    traffic=True,
)
