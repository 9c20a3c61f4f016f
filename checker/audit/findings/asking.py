"""The question to `isrproof why` about something that happened, as a command to copy."""

from __future__ import annotations

import re

OF_PARTITION = (
    *("offline", "unclean-election", "records-lost", "under-min-isr", "election-failed", "under-replicated"),
    "isr-shrunk",
)
OF_NODE = (
    *("process-lost", "process-failed", "directory-failed", "registration-refused", "session-expired", "fenced"),
    *("process-stopped", "broker-unreachable", "controller-unreachable", "voter-unreachable"),
)
OF_TOPIC = ("deletion-stuck", "reassignment-stuck", "reassignment-running", *OF_PARTITION)
OF_QUORUM = ("quorum-without-leader", "controller-active")
"""Kinds that `isrproof why` is asked about, the worst first."""
WHILE_THEY_LAST = frozenset({"reassignment-running"})
"""Kinds among them that are no trouble once they are over."""
SAFE = re.compile(r"[A-Za-z0-9._][A-Za-z0-9._-]*")
"""Names of topics that Kafka allows: no shell takes one apart, and no program takes one for an option."""


def question(what: str, node: int | None, topic: str | None, partition: int | None, since: int | None) -> str | None:
    """Return the command that explains something that happened; None where there is none, or a shell would not take
    its name.

    Args:
        what: a name of the vocabulary (specs/happenings.toml).
        since: when it began, in milliseconds as printed.
    """
    subject = _subject(what, node, topic, partition)
    if subject is None:
        return None
    at = "" if since is None else f" --at {since}"
    return f"isrproof why LOGS {subject}{at}"


def _subject(what: str, node: int | None, topic: str | None, partition: int | None) -> str | None:
    named = topic is not None and SAFE.fullmatch(topic) is not None
    if partition is not None and what in OF_PARTITION:
        return f"--partition {topic}-{partition}" if named else None
    if topic is not None and what in OF_TOPIC and what not in WHILE_THEY_LAST:
        return f"--topic {topic}" if named else None
    if node is not None and what in OF_NODE:
        return f"--node {node}"
    return "--quorum" if what in OF_QUORUM else None
