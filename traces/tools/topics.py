"""Output of kafka-topics --describe: the leader, the replicas and the ISR of partitions.

Source: kafka.admin.TopicCommand and org.apache.kafka.tools.TopicCommand, printDescription.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .names import listing

TOOL = "kafka-topics --describe"
_TOPIC = re.compile(
    r"Topic: ?(?P<topic>\S{1,249})\s(?:(?!PartitionCount:).)*PartitionCount: ?[0-9]{1,9}\s"
    r"(?:(?!Configs:).)*(?:Configs: ?(?P<configs>.*))?"
)
_PARTITION = re.compile(
    r"Topic: ?(?P<topic>\S+)\s+Partition: ?(?P<partition>[0-9]{1,9})\s+Leader: ?(?P<leader>none|-?[0-9]{1,9})\s+"
    r"Replicas: ?(?P<replicas>[0-9,]*)\s+Isr: ?(?P<isr>[0-9,]*)(?P<rest>(?:\s.*)?)"
)
_ELR = re.compile(r"(?<!LastKnown)Elr: ?(?P<elr>[0-9,]*)")
_LAST_KNOWN = re.compile(r"LastKnownElr: ?(?P<elr>[0-9,]*)")
_MIN_ISR = re.compile(r"min\.insync\.replicas=([0-9]{1,9})")


@dataclass(frozen=True)
class Partition:
    """A line about a partition."""

    topic: str
    partition: int
    leader: int | None
    """None: it has no leader."""
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...] = ()
    last_known_elr: tuple[int, ...] = ()
    min_isr: int | None = None
    """The topic's setting, if a line shows that it has one of its own."""

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


@dataclass
class Reader:
    """The partitions that lines show, and the settings of topics that came before."""

    partitions: list[Partition] = field(default_factory=list)
    _min_isr: dict[str, int] = field(default_factory=dict)

    def takes(self, line: str) -> bool:
        """Return True if a line is of this output, after reading it."""
        line = line.strip()
        found = _PARTITION.fullmatch(line)
        if found is not None:
            self.partitions.append(_partition(found, self._min_isr))
            return True
        head = _TOPIC.fullmatch(line)
        own = None if head is None else _MIN_ISR.search(head["configs"] or "")
        if head is not None and own is not None:
            self._min_isr[head["topic"]] = int(own[1])
        return head is not None

    def words(self) -> Iterator[str]:
        """Yield what the output shows."""
        if self.partitions:
            yield "; ".join([f"{_counted(self.partitions)} at one moment", *_troubles(self.partitions)])


def _partition(found: re.Match[str], min_isr: Mapping[str, int]) -> Partition:
    leader = -1 if found["leader"] == "none" else int(found["leader"])
    elr, last = _ELR.search(found["rest"]), _LAST_KNOWN.search(found["rest"])
    return Partition(
        found["topic"],
        int(found["partition"]),
        None if leader < 0 else leader,
        _ids(found["replicas"]),
        _ids(found["isr"]),
        _ids(elr["elr"] if elr else ""),
        _ids(last["elr"] if last else ""),
        min_isr.get(found["topic"]),
    )


def _ids(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(",") if each)


def _counted(partitions: Sequence[Partition]) -> str:
    return f"{len(partitions)} partition{'s' * (len(partitions) != 1)}"


def _troubles(partitions: Sequence[Partition]) -> Iterator[str]:
    """Yield what is wrong with partitions, or that nothing is."""
    offline = [each for each in partitions if each.leader is None]
    lacking = [each for each in partitions if each.leader is not None and set(each.isr) < set(each.replicas)]
    below = [each for each in partitions if each.min_isr is not None and len(each.isr) < each.min_isr]
    outside = [each for each in partitions if each.leader is not None and each.leader not in each.isr]
    if offline:
        yield f"without a leader: {listing(_offline(each) for each in offline)}"
    if lacking:
        yield f"under-replicated: {listing(f'{each} ({_isr(each)} of {_shown(each.replicas)})' for each in lacking)}"
    if below:
        yield f"under min ISR: {listing(f'{each} ({len(each.isr)} of {each.min_isr})' for each in below)}"
    if outside:
        yield f"led from outside the ISR: {listing(f'{each} (by {each.leader}, {_isr(each)})' for each in outside)}"
    if not (offline or lacking or below or outside):
        yield "each has a leader and all of its replicas in the ISR"


def _isr(each: Partition) -> str:
    return f"ISR {_shown(each.isr)}"


def _offline(each: Partition) -> str:
    """Return a partition without a leader, and the brokers that may lead it again."""
    able = each.isr or each.elr
    if able:
        return f"{each} (of {_shown(able)} one must come back)"
    last = f", last known {_shown(each.last_known_elr)}" if each.last_known_elr else ""
    return f"{each} (nobody is in its ISR{last})"


def _shown(ids: Iterable[int]) -> str:
    return ", ".join(map(str, ids)) or "nobody"
