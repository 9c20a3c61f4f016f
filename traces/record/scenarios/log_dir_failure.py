"""One of a leader's two log directories fails, and is repaired before the broker starts again.

From 1.0 on (KIP-112) the broker goes on with the other directory, and the controller elects other leaders for the
partitions on the failed one; up to 0.11 it halts.
"""

from __future__ import annotations

import time

from ..story import Story
from . import Scenario

BROKER, DISK = 2, 1


def run(story: Story) -> None:
    story.start(1, 2, 3)
    story.create_topic("one", {0: [2, 3], 1: [2, 1]})
    story.create_topic("all", {0: [2, 1, 3], 1: [2, 3]})
    story.wait_for_isr("one", "all")
    story.produce("one", "1")
    story.produce("all", "all")
    time.sleep(3)
    there = story.fail_disk(BROKER, DISK)
    story.wait(
        f"broker {BROKER} to lead nothing of its failed directory",
        lambda: all((story.znodes.state(*each) or {}).get("leader") != BROKER for each in there),
    )
    time.sleep(3)
    # Up to 0.11 it has halted by itself.
    if BROKER in story.running():
        story.terminate(BROKER)
    story.mend_disk(BROKER, DISK)
    story.start(BROKER)
    story.wait_for_isr("one", "all")
    time.sleep(2)
    story.silence("one", "all")
    story.settle()


scenario = Scenario(
    "log-dir-failure", "a leader loses one of two log directories", (1, 2, 3), run, disks=2, traffic=True
)
