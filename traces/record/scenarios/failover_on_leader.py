"""Replicas on brokers 1 and 2; controller is 2. Stop 1, then 2, the last of the ISR, together with the controllership.

KAFKA-3143: up to 2.2 the new controller leaves the dead leader in ZooKeeper; from 2.3.0 on it writes leader -1.
"""

from __future__ import annotations

from ..story import Story
from . import Scenario
from .failover_elsewhere import stop_both


def run(story: Story) -> None:
    story.start(2, 1, 3, 4)
    stop_both(story)


scenario = Scenario("failover-on-leader", "stop the replicas 1, 2 of a partition; controller is 2", (1, 2, 3, 4), run)
