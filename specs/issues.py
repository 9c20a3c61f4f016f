"""Addresses of Kafka's issues and proposals."""

from __future__ import annotations

_ISSUES = "https://issues.apache.org/jira/browse/"
_PROPOSALS = "https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals"
"""The list of all KIPs: the address of one holds its title."""


def address(name: str) -> str | None:
    """The page of an issue such as KAFKA-3143, the list of proposals for a KIP; None for other names."""
    if name.startswith("KAFKA-"):
        return _ISSUES + name
    return _PROPOSALS if name.startswith("KIP-") else None
