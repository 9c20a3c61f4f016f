"""Lines that a parser must get over."""

from __future__ import annotations

import random
from collections.abc import Iterator

from isrproof.traces.events.wordings import readers

HOSTILE = [
    "", " ", "\t", "\r", "(", "[", "[1", "[2018-08-03 12:00:00,123]", "[2018-08-03 12:00:00,123] TRACE", "\x01SC1\x010",
    "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed part",
    "[2018-13-45 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed state of replica 1 for partition t-0 from"
    " NewReplica to OnlineReplica (state.change.logger)",
    "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed state of replica 99999999999999999999999 for"
    " partition t-0 from NewReplica to OnlineReplica (state.change.logger)",
    "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed state of replica 1 for partition t--0 from"
    " NewReplica to OnlineReplica (state.change.logger)\r",
    "[2018-08-03 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed partition t-0 from A to OnlinePartition with"
    " state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(,1,,2 3), zkVersion=0) (state.change.logger)",
    # What a frequent wording's pattern matches, and is no line of it: too long a beginning, a separator, no such day.
    *(f"[2018-08-03 12:00:00,123] TRACE [Controller id={id} epoch=1] Changed state of replica 1 for partition {topic}-0"
      " from NewReplica to OnlineReplica (state.change.logger)\r\r"
      for id, topic in (("1" * 200, "t"), ("9" * 19, "t"), (3, "t\x01u"), (3, "t\x02u"), (3, "t\x00\\ru"), (3, '"'))),
    "[yesterday, at half past] TRACE [Controller id=3 epoch=1] Changed state of replica 1 for partition t-0 from"
    " NewReplica to OnlineReplica (state.change.logger)",
    "[2018-02-30 12:00:00,123] TRACE [Controller id=3 epoch=1] Changed state of replica 1 for partition t-0 from"
    " NewReplica to OnlineReplica (state.change.logger)",
    "[2018-08-03 12:00:00,123] TRACE Broker 1 received LeaderAndIsr request (LeaderAndIsrInfo:(Leader:) correlation id"
    " 1 from controller 1 epoch 1 for partition [t,0] (state.change.logger)",
    "kafka1  | [2018-08-03 12:00:00,123] INFO [Controller id=3] Resigned (kafka.controller.KafkaController)",
    "state-change.log:[2018-08-03 12:00:00,123] INFO [Controller id=3] Resigned (kafka.controller.KafkaController)",
    "2018-08-03 12:00:00,123 INFO [Controller id=3] Resigned (kafka.controller.KafkaController) [main]",
    "[2018-08-03 12:00:00,123] [INFO ] [main] [kafka.controller.KafkaController] - [Controller id=3] Resigned",
    "[2018-08-03T12:00:00.123Z] INFO  [Controller id=3] Resigned (kafka.controller.KafkaController)",
    "[2018-08-03 12:00:00] WARN  [Controller id=3] Resigned (kafka.controller.KafkaController)",
    "[2018-08-03 12:00:00,123] INFO Übergrößenträger \u2028 \u0085 (a.b.C)",
    "[2018-08-03 12:00:00,123] INFO [" + "x" * 400 + "] Resigned (kafka.controller.KafkaController)",
    "java.lang.IllegalStateException: nothing that the table knows", "Exception in thread main", "\tat a.b.Error(C:1)",
    "Caused by: java.lang.Exception: (state.change.logger)", "cut tail of a line (state.change.logger)",
]  # fmt: skip


def written() -> Iterator[str]:
    """A line of each wording, dressed, and some of them damaged; the same ones on every run."""
    from isrproof.traces.events.render import filled

    chance = random.Random(7)
    for reader in readers():
        name = reader.row.logger(reader.wording.releases)
        for turn in (0, 1):
            message = filled(reader.wording, turn)
            level = reader.wording.levels[0][0]
            line = f"[2018-08-03 12:00:00,123] {level} {message} ({name})" if name else message
            yield line
            if chance.random() < 0.3:
                at = chance.randrange(len(line))
                yield line[:at] + chance.choice(["", " ", "x", "[", "'"]) + line[at + chance.randrange(3) :]


def endless() -> list[str]:
    """A line of each wording with something very long in it: no pattern may take it to heart, or run out of stack."""
    chance = random.Random(11)
    found = []
    for line in written():
        if line[:1] == "[" and not line.startswith("[2018"):
            continue
        at = chance.randrange(len(line))
        unit = chance.choice(["a", "1,", "1", "[", "List(", " ", ", ", ".a", "Exception: ", line[at : at + 8] or "x"])
        found.append(line[:at] + unit * (10_000 // len(unit)) + line[at:])
    return found
