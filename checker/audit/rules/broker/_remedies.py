"""Remedies that several rules on brokers share."""

from __future__ import annotations

from ..remedy import KEEP_LOGS, MOVE_CONTROLLER, TOPIC, Remedy

LEADERS_ANEW = f"{KEEP_LOGS} Restart the broker: it then learns the leaders of its partitions again."
CONTROLLER_ANEW = Remedy(
    workaround=f"{KEEP_LOGS} {MOVE_CONTROLLER}", verify=TOPIC, look_for="the leader that the broker follows or is"
)
