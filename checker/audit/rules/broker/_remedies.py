"""What to do about findings on brokers, where several rules say the same."""

from __future__ import annotations

from ..remedy import KEEP_LOGS, MOVE_CONTROLLER, TOPIC, Remedy

LEADERS_ANEW = f"{KEEP_LOGS} Restart the broker: it takes the leaders of its partitions anew."
CONTROLLER_ANEW = Remedy(
    workaround=f"{KEEP_LOGS} {MOVE_CONTROLLER}", verify=TOPIC, look_for="the leader that the broker has"
)
