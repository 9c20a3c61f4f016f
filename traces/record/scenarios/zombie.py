"""The controller is paused while it handles the death of a broker, loses its session, and wakes up under another one.

KAFKA-6082: up to 2.0 only the version of each znode fences what it still writes; from 2.1 on every write also checks
the controller epoch.
"""

from __future__ import annotations

from ..story import Story
from . import Scenario


def run(story: Story) -> None:
    story.start(1, 2, 3, 4)
    story.create_topic("z", {0: [1, 2], 1: [2, 3], 2: [3, 4], 3: [2, 4, 1], 4: [2, 3]})
    story.wait_for_isr("z")
    story.settle()
    story.kill(2)
    story.wait("broker 2 to leave", lambda: 2 not in story.znodes.live(), poll=0.001)
    story.pause(1)
    story.wait_for_leave(1)
    story.wait_for_controller(1)
    story.settle()
    story.start(2)
    story.create_topic("y", {0: [3, 4], 1: [4, 2]})
    # Not of z: from 2.3 on z-0 has no leader until the zombie, which may be alone in the ISR, is back.
    story.wait_for_isr("y")
    story.settle()
    story.elect_preferred(("z", 1), ("z", 3), ("z", 4))
    story.settle()
    story.resume(1)
    story.wait("broker 1 to be back", lambda: 1 in story.znodes.live())
    story.wait_for_isr("z", "y")
    story.elect_preferred(("z", 0))
    story.settle()


scenario = Scenario("zombie", "pause the controller beyond its session, then resume it", (1, 2, 3, 4), run)
