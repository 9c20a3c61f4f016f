"""A follower sleeps for longer than a replica may lag, but not until its session ends, again and again.

Its leader shrinks the ISR and expands it again, with records under way; no leader changes.
"""

from __future__ import annotations

import time

from ..story import Story
from . import Scenario

FLAPS = 3


def run(story: Story) -> None:
    story.start(1, 2, 3)
    story.create_topic("all", {0: [1, 3], 1: [2, 3, 1]})
    story.create_topic("one", {0: [2, 3]})
    story.create_topic("idle", {0: [1, 3]})
    story.wait_for_isr("all", "one", "idle")
    story.produce("one", "1")
    story.produce("all", "all")
    time.sleep(2)
    for _ in range(FLAPS):
        story.pause(3)
        story.wait_for_isr_of("all", 0, 1)
        story.wait_for_isr_of("all", 1, 1, 2)
        story.wait_for_isr_of("one", 0, 2)
        time.sleep(1)
        story.resume(3)
        story.wait_for_isr("all", "one", "idle")
        time.sleep(1)
    story.silence("one", "all")
    story.settle()


scenario = Scenario(
    "isr-flap",
    "a follower that falls behind and catches up, three times",
    (1, 2, 3),
    run,
    settings={"replica.lag.time.max.ms": "3000", "zookeeper.session.timeout.ms": "12000"},
    traffic=True,
)
