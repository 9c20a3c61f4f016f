"""Output of kafka-metadata-quorum describe, --status and --replication: the leader and the voters of KRaft's quorum.

Source: org.apache.kafka.tools.MetadataQuorumCommand, handleDescribeStatus and handleDescribeReplication.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .names import listing

TOOL = "kafka-metadata-quorum describe"
_STATUS = re.compile(
    r"(?P<name>ClusterId|LeaderId|LeaderEpoch|HighWatermark|MaxFollowerLag|MaxFollowerLagTimeMs|CurrentVoters"
    r"|CurrentObservers):\s+(?P<value>.*)"
)
_HEAD = re.compile(
    r"NodeId\s+(?:DirectoryId\s+)?LogEndOffset\s+Lag\s+LastFetchTimestamp\s+LastCaughtUpTimestamp\s+Status"
)
_NODE = re.compile(
    r"(?P<id>[0-9]{1,9})\s+(?:[A-Za-z0-9_-]{22}\s+)?(?P<end>-?[0-9]{1,18})\s+(?P<lag>-?[0-9]{1,18})"
    r"\s+(?:-?[0-9]{1,18}(?: ?ms ago)?)\s+(?:-?[0-9]{1,18}(?: ?ms ago)?)\s+(?P<role>Leader|Follower|Observer)"
)
_ID = re.compile(r'"id": ?([0-9]{1,9})')
_NUMBER = re.compile("[0-9]{1,9}")


@dataclass(frozen=True)
class Node:
    """A line about a node."""

    id: int
    end: int
    """The end of its log."""
    lag: int
    role: str


@dataclass
class Reader:
    """The status of the quorum and its nodes, as lines show them."""

    status: dict[str, str] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)

    def takes(self, line: str) -> bool:
        """Return True if a line is of this output, after reading it."""
        line = line.strip()
        found = _STATUS.fullmatch(line)
        if found is not None:
            self.status[found["name"]] = found["value"].strip()
            return True
        node = _NODE.fullmatch(line)
        if node is not None:
            self.nodes.append(Node(int(node["id"]), int(node["end"]), int(node["lag"]), node["role"]))
        return node is not None or _HEAD.fullmatch(line) is not None

    def words(self) -> Iterator[str]:
        """Yield what the output shows."""
        if "LeaderId" in self.status:
            yield _status(self.status)
        if self.nodes:
            leader = next((node for node in self.nodes if node.role == "Leader"), None)
            behind = [f"{node.id} ({node.lag})" for node in self.nodes if node.lag > 0]
            ends = "no node leads" if leader is None else f"{leader.id} leads, its log ends at {leader.end}"
            yield f"{ends}; {f'behind: {listing(behind)}' if behind else 'no node is behind'}"


def _status(status: Mapping[str, str]) -> str:
    leads = status["LeaderId"]
    parts = ["no leader" if leads.startswith("-") else f"{leads} leads", f"epoch {status.get('LeaderEpoch', '?')}"]
    if "HighWatermark" in status:
        parts.append(f"high watermark {status['HighWatermark']}")
    if "CurrentVoters" in status:
        voters = status["CurrentVoters"]
        parts.append(f"voters {', '.join(_ID.findall(voters) or _NUMBER.findall(voters)) or 'none'}")
    if "MaxFollowerLag" in status:
        parts.append(f"largest lag {status['MaxFollowerLag']}")
    return ", ".join(parts)
