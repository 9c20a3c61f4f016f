"""A broker leads or follows with a replica whose log directory has failed.

Why it matters
    A replica in a failed log directory is offline until the broker is restarted. A broker that serves it all the same
    works on a log that it cannot read or write: acknowledged records may be stored nowhere.

How it is seen
    In the lines of one broker process: a line lists the replicas in a failed directory, or says that a request about a
    partition was refused or failed because the replica is in one. After it, no line shows the broker begin to lead or
    follow with that replica, except after a start, or where the replica was to be deleted: up to 2.0 that makes the
    broker forget it. A missing line of a start explains it, so the finding is suspicious.

What would make it certain
    Proof that the process was not restarted. A start is recognised by "starting" alone, whose line may be missing. It
    also prints "Registered broker N at path ..." and "started" in server.log: if that file has other lines of the time
    between the two, and none of these, three lines would have to be missing.

Releases
    ZooKeeper mode since 1.0 (KIP-112). In KRaft mode a topic that is created again may be hosted elsewhere (3.7).
"""

from __future__ import annotations

from .....model.expr import both
from ...fields import of_zookeeper, process_known
from ...lines import BECOME_BEGUN
from ...observe.broker.offline import offline
from ...table.protocol import Row
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import does, where


def _does(row: Row) -> str:
    return f"begins a request ({row['kind']})" if row["row"] in BECOME_BEGUN else does(row)


RULE = Rule(
    code="KR630",
    name="serves-failed-directory",
    observation="taken_offline",
    kind="replica",
    compares=True,
    applies=both(process_known, of_zookeeper),
    verdict=suspicious_unless(~offline),
    message=lambda row: f"{where(row)} {_does(row)}, though the replica is in a failed log directory",
    expected=lambda row: "a refusal, until the broker starts again",
    got=lambda row: "the broker serves the replica",
    releases=">=1.0",
    issues=("KIP-112",),
    remedy=until_copies_agree(f"{KEEP_LOGS} Repair or replace the directory, and restart the broker."),
)
