"""A topic from creation to deletion, every broker restarted once, and a deletion that a dead broker holds up.

While it is held up, a third broker restarts twice, once by controlled shutdown and once hard: its replicas are already
ReplicaDeletionSuccessful, so Kafka refuses what it then asks of them. Up to 2.2 a deletion with a dead broker is itself
refused a step (KAFKA-8237).
"""

from __future__ import annotations

from ..story import Story
from . import Scenario


def run(story: Story) -> None:
    story.start(1, 2, 3)
    story.create_topic("life", {0: [1, 2], 1: [2, 3], 2: [3, 1]})
    story.create_topic("gone", {0: [1, 2, 3], 1: [2, 3]})
    story.wait_for_isr("life", "gone")
    story.add_partitions("life", {3: [1, 2, 3]})
    story.wait_for_isr("life")
    for broker in (3, 2, 1):
        story.restart(broker)
        story.wait_for_isr("life", "gone")
        story.settle()
    story.elect_preferred(("life", 0), ("life", 1), ("life", 2), ("life", 3), ("gone", 0), ("gone", 1))
    story.settle()
    held_up_deletion(story)
    story.create_topic("gone", {0: [3, 2]})
    story.wait_for_isr("gone")
    story.delete_topic("gone")
    story.wait_for_delete("gone")
    story.settle()


def held_up_deletion(story: Story) -> None:
    """Delete `gone` while two brokers stop, neither of them the controller."""
    other, dead = sorted({1, 2, 3} - {story.wait_for_controller()})
    story.stop(dead)
    story.settle()
    story.delete_topic("gone")
    story.settle()
    for stop in (story.terminate, story.kill):
        stop(other)
        story.wait_for_leave(other)
        story.settle()
        story.start(other)
        story.settle()
    story.start(dead)
    story.wait_for_delete("gone")
    story.wait_for_isr("life")
    story.settle()


scenario = Scenario("lifecycle", "create, grow, restart each broker, elect, delete with a broker down", (1, 2, 3), run)
