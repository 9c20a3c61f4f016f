"""A leader sleeps beyond its session while the controller moves on, and wakes up believing that it leads.

Meanwhile others are elected in its place, /controller is deleted so that another epoch begins, a topic is created and
another is deleted. Up to 2.7 the sleeper then tries to shrink an ISR that is no longer its own (`Cached zkVersion`).
"""

from __future__ import annotations

import time

from ..story import Story
from . import Scenario


def run(story: Story) -> None:
    story.start(1, 2, 3)
    story.create_topic("one", {0: [3, 1], 1: [2, 3]})
    story.create_topic("all", {0: [3, 2, 1]})
    story.create_topic("gone", {0: [3, 1]})
    story.wait_for_isr("one", "all", "gone")
    story.produce("one", "1")
    story.produce("all", "all")
    time.sleep(2)
    story.pause(3)
    story.wait_for_leave(3)
    story.wait_for_leader("all", 0, 1, 2)
    story.depose_controller()
    story.wait_for_controller()
    story.create_topic("later", {0: [1, 2]})
    story.delete_topic("gone")
    story.wait_for_isr("later")
    time.sleep(2)
    story.resume(3)
    story.wait("broker 3 to be back", lambda: 3 in story.znodes.live())
    story.wait_for_isr("one", "all", "later")
    story.wait_for_delete("gone")
    time.sleep(2)
    story.silence("one", "all")
    story.settle()


scenario = Scenario(
    "stale-broker",
    "a leader that sleeps while the controller moves on",
    (1, 2, 3),
    run,
    settings={"replica.lag.time.max.ms": "3000"},
    traffic=True,
)
