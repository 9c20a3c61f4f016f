"""Additions that the tests of CONTRIBUTING.md make: small ones that are like real ones."""

from __future__ import annotations

RULE = '''
"""A broker begins to lead from an offset below 0.

Why it matters
    No log has such an offset: what the broker prints of its log cannot be trusted.

How it is seen
    On the line itself.

What would make it certain
    The files of the log: no line prints them.

Releases
    Since 2.6, which print the offset.
"""

from __future__ import annotations

from .....model.expr import field
from .....model.sorts import Int
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import SUSPICIOUS
from ._words import where

RULE = Rule(
    code="CODE",
    name="leads-from-below-zero",
    observation="isr_lines",
    kind="replica",
    applies=field("offset", Int()) < 0,
    verdict=SUSPICIOUS,
    message=lambda row: f"{where(row)} leads from offset {row['offset']}",
    expected=lambda row: "an offset of 0 or more",
    got=lambda row: f"{row['offset']}",
    remedy=until_copies_agree(KEEP_LOGS),
)
'''
LEADS = (
    "[2020-09-01 10:00:10,000] INFO [Broker id=1] Leader t-0 starts at leader epoch 5 from offset {offset} with high "
    "watermark {offset} ISR [1,2] addingReplicas [] removingReplicas []. Previous leader epoch was 4. "
    "(state.change.logger)"
)
CASE = f"""
# CODE leads-from-below-zero

The line is one of state-change.log.

## Firing: the offset is below 0

```log state-change.log
{LEADS.format(offset=-2)}  <== suspicious
```

## Silent: the log is empty

```log state-change.log
{LEADS.format(offset=0)}
```
"""
OBSERVATION = '''
"""Replicas that a broker deletes."""

from __future__ import annotations

from .....model.expr import field
from .....model.sorts import Int
from ...fields import sorts
from ...lines import REPLICA_DELETED
from ...table.protocol import Table
from ..observation import Names, Observation
from .hosted import HOSTED, HOSTED_LINES

twice = field("twice", Int())


def _deleted(lines: Table, *_: Names) -> Table:
    return lines.of_lines(REPLICA_DELETED).derive(twice=field("deletions", Int(0)) + 1)


REPLICAS_DELETED = Observation(
    "replicas_deleted",
    made_from=HOSTED_LINES,
    lines=REPLICA_DELETED,
    columns={**HOSTED, **sorts(twice)},
    make=_deleted,
)
"""Where a broker deletes a replica."""
'''
ENVELOPE = """
[[envelope]]
id = "planted"
meaning = "a shipper that nobody knows"
source = "the shipper's manual"
line = '<(?P<label>[a-z0-9-]{1,63}) {time}> (?P<text>.*)'
order = "written"
example = '<kafka-1 2026-03-14T09:26:53.589793238Z> LINE'
"""
RECORD = """[[record]]
key = 70
name = "Planted"
since = ["4.4"]
fields = [
    { name = "brokerId", type = "int32" },
]

"""
PROPERTY = """
ACTING_EPOCHS_ARE_WRITTEN = Property(
    "ActingEpochsAreWritten",
    "No controller acts in an epoch above the one in ZooKeeper.",
    forall(c, phase[c].ne("none").implies(epoch[c] <= controller_epoch)),
    cites=("kafka.controller.KafkaController",),
)


def properties("""
