"""Records are written while each broker stops once, and while a leader dies that is ahead of its followers.

No committed record is lost, because every election is clean. Records that only the dead leader had were acknowledged
with acks=1 only, and are cut off its log when it is back.
"""

from __future__ import annotations

import time

from ..story import Story
from . import Scenario

AHEAD_SECONDS = 1.5


def run(story: Story) -> None:
    story.start(1, 2, 3)
    story.create_topic("one", {0: [1, 2, 3], 1: [2, 3]})
    story.create_topic("all", {0: [3, 1], 1: [2, 3, 1]})
    story.wait_for_isr("one", "all")
    story.produce("one", "1")
    story.produce("all", "all")
    for broker in (2, 3):
        time.sleep(2)
        story.stop(broker)
        time.sleep(1)
        story.start(broker)
        story.wait_for_isr("one", "all")
    ahead_of_its_followers(story)
    story.elect_preferred(("one", 0), ("all", 1))
    time.sleep(2)
    story.silence("one", "all")
    story.settle()


def ahead_of_its_followers(story: Story) -> None:
    """Make the leader of one-0 write records that its followers do not fetch, then kill it."""
    time.sleep(2)
    leader = story.znodes.state("one", 0)["leader"]
    others = sorted({1, 2, 3} - {leader})
    for broker in others:
        story.pause(broker)
    time.sleep(AHEAD_SECONDS)
    story.kill(leader)
    for broker in others:
        story.resume(broker)
    story.wait_for_leave(leader)
    story.wait_for_leader("one", 0, *others)
    time.sleep(2)
    story.start(leader)
    story.wait_for_isr("one", "all")


scenario = Scenario("traffic", "write records while each broker stops", (1, 2, 3), run, traffic=True)
