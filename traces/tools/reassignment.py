"""Output of kafka-reassign-partitions --verify: which reassignments are complete.

Source: kafka.admin.ReassignPartitionsCommand and org.apache.kafka.tools.reassign, partitionReassignmentStatesToString.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from .names import listing

TOOL = "kafka-reassign-partitions --verify"
_NAMED = r"(?:(?P<name>\S+-[0-9]{1,9})|\[(?P<topic>[^,\s]+), ?(?P<partition>[0-9]{1,9})\])"
_STATE = re.compile(
    rf"Reassignment of (?:partition|replica) {_NAMED}(?: on broker [0-9]+)? "
    r"(?:is )?(?P<state>complete|completed|completed successfully|still in progress|failed)\.?"
)
_OTHER = re.compile(rf"There is no active reassignment of partition {_NAMED}, but replica set is (?P<state>.*)\.?")
_HEADS = re.compile(r"Status of partition reassignment: ?|(?:Clearing|Removing) .*throttles? on .*")


@dataclass
class Reader:
    """The partitions that lines name, by the state of their reassignment."""

    partitions: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def takes(self, line: str) -> bool:
        """Return True if a line is of this output, after reading it."""
        line = line.strip()
        found = _STATE.fullmatch(line)
        state = None if found is None else "complete" if found["state"].startswith("complete") else found["state"]
        if found is None:
            found = _OTHER.fullmatch(line)
            state = None if found is None else "of other replicas than asked for, and not in progress"
        if found is not None and state is not None:
            self.partitions[state].append(found["name"] or f"{found['topic']}-{found['partition']}")
        return found is not None or _HEADS.fullmatch(line) is not None

    def words(self) -> Iterator[str]:
        """Yield what the output shows."""
        shown = [f"{len(names)} {state} ({listing(names)})" for state, names in self.partitions.items()]
        if shown:
            yield "; ".join(shown)
