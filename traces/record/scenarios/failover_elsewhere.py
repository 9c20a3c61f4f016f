"""Replicas on brokers 1 and 2; controller is 3, which lives on. Stop 1, then 2, the last of the ISR.

Every release ends with leader -1 and the ISR [2] (up to 1.0 with unclean election: empty).
"""

from __future__ import annotations

from ..story import Story
from . import Scenario


def stop_both(story: Story) -> None:
    """Stop both replicas of two partitions, and none of a third."""
    story.create_topic("t", {0: [1, 2], 1: [2, 1], 2: [3, 4]})
    story.wait_for_isr("t")
    story.settle()
    for broker in (1, 2):
        story.stop(broker)
        story.wait_for_controller(broker)
        story.settle()


def run(story: Story) -> None:
    story.start(3, 1, 2, 4)
    stop_both(story)


scenario = Scenario("failover-elsewhere", "stop the replicas 1, 2 of a partition; controller is 3", (1, 2, 3, 4), run)
