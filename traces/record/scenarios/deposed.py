"""The controller is paused at the death of a broker, replaced meanwhile, and resumed before its session ends.

KAFKA-6082: up to 2.0 it handles that death with its old epoch, after the new controller did. It gives up the states
that the new one has written (`written by another controller`), and writes the others. From 2.1 on its first write
fails, and it resigns.
"""

from __future__ import annotations

from ..story import Story
from . import Scenario


def run(story: Story) -> None:
    story.start(1, 2, 3, 4)
    story.create_topic("d", {0: [2, 3], 1: [3, 2], 2: [4, 2], 3: [2, 4], 4: [3, 4], 5: [1, 2]})
    story.wait_for_isr("d")
    story.settle()
    story.kill(2)
    story.wait("broker 2 to leave", lambda: 2 not in story.znodes.live(), poll=0.001)
    story.pause(1)
    story.depose_controller()
    story.wait_for_controller()
    # Led by 2 until the new controller has handled it: then, half of the session is still left.
    story.wait("the new controller's election", lambda: story.znodes.state("d", 0)["leader"] != 2, poll=0.01)
    story.resume(1)
    story.settle()
    story.start(2)
    story.settle()
    story.elect_preferred(*(("d", number) for number in range(6)))
    story.settle()


scenario = Scenario("deposed", "pause the controller, elect another, resume it within its session", (1, 2, 3, 4), run)
