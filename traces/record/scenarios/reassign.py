"""Reassignments: of leaders and followers, then onto a broker that is down, with a controller failover before it is up.

Up to 2.3 the metadata that brokers get may carry an older leader epoch than the requests to the replicas (KAFKA-9212).
From 2.4 on (KIP-455) the new controller asks replicas that are being added for NewReplica again, which is refused.
"""

from __future__ import annotations

from ..story import Story
from . import Scenario


def run(story: Story) -> None:
    story.start(1, 2, 3, 4)
    story.create_topic("move", {0: [1, 2], 1: [2, 3], 2: [3, 1]})
    story.create_topic("stay", {0: [1, 4], 1: [4, 2]})
    story.wait_for_isr("move", "stay")
    for assignment in ({0: [3, 4], 1: [2, 4], 2: [4, 3, 1]}, {0: [4, 3], 1: [4, 2], 2: [1, 2]}):
        story.reassign("move", assignment)
        story.wait_for_reassignment()
        story.wait_for_isr("move")
        story.settle()
    story.elect_preferred(("move", 0), ("move", 1), ("move", 2))
    story.settle()
    onto_a_dead_broker(story)


def onto_a_dead_broker(story: Story) -> None:
    """Stop brokers 1 (the controller) and 3 and start them again; move-1 goes to 3 meanwhile."""
    story.stop(3)
    story.settle()
    story.reassign("move", {1: [2, 3]})
    story.settle()
    story.stop(1)
    story.wait_for_controller(1)
    story.settle()
    story.start(3)
    story.wait_for_reassignment()
    story.settle()
    story.start(1)
    story.wait_for_isr("move", "stay")
    story.settle()


scenario = Scenario("reassign", "move leaders and followers, even onto a broker that is down", (1, 2, 3, 4), run)
