"""What the tests of CONTRIBUTING.md add: small things that are like real ones."""

from __future__ import annotations

RULE = '''
"""A broker begins to lead from an offset below 0.

Why it matters
    No log has such an offset: what the broker prints of its log cannot be trusted.

How it is seen
    On the line itself.

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
