"""The entry that a user asks about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ....specs.errors import IsrproofError
from ....traces.limits import NODE
from ..findings.asking import OF_NODE, OF_PARTITION, OF_QUORUM, OF_TOPIC, WHILE_THEY_LAST
from ..findings.happened import Happened
from ..report.shown import and_more, partition_name, printed
from .controllers import previous
from .known import CLOCKS, Known


@dataclass(frozen=True)
class Asked:
    """The subject of a question: one of the four, and a time."""

    partition: tuple[str, int] | None = None
    node: int | None = None
    topic: str | None = None
    quorum: bool = False
    at: int | None = None
    """Milliseconds, as the log prints times."""

    def __post_init__(self) -> None:
        given = sum(each is not None for each in (self.partition, self.node, self.topic)) + self.quorum
        if given != 1:
            raise IsrproofError(f"Expected one of --partition, --node, --topic and --quorum, got {given or 'none'}.")
        if self.node is not None and not 0 <= self.node <= NODE.most:
            raise IsrproofError(f"--node: expected the id of a node, got {self.node}.")

    def is_about(self, each: Happened) -> bool:
        if self.partition is not None:
            return each.what in OF_PARTITION and (each.topic, each.partition) == self.partition
        if self.node is not None:
            return each.what in OF_NODE and each.node == self.node
        if self.topic is not None:
            return (
                each.what in OF_TOPIC and each.topic == self.topic and (each.lasts or each.what not in WHILE_THEY_LAST)
            )
        return each.what in OF_QUORUM

    @property
    def kinds(self) -> Sequence[str]:
        if self.partition is not None:
            return OF_PARTITION
        return OF_NODE if self.node is not None else OF_TOPIC if self.topic is not None else OF_QUORUM

    @property
    def name(self) -> str:
        if self.partition is not None:
            return partition_name(*self.partition)
        if self.topic is not None:
            return f"topic {self.topic}"
        return "the quorum" if self.node is None else f"node {self.node}"


def candidates(asked: Asked, known: Known) -> list[Happened]:
    """Return the entries about the subject, at its time if one is given, in the order of time.

    Raises:
        IsrproofError: nothing happened to it, or not then.
    """
    goings = [sign.gone for sign in known.signs.get(asked.node if asked.node is not None else -1, ()) if sign.gone]
    own = [*(each for each in known.entries if asked.is_about(each)), *goings]
    own = [each for each in dict.fromkeys(own) if each.what != "controller-active" or previous(each, known)]
    if not own:
        raise IsrproofError(
            f"Nothing in these logs happened to {asked.name} that a chain begins with{_nearest(asked, known)}."
        )
    at = asked.at
    then = own if at is None else [each for each in own if _holds(each, at)]
    if not then:
        assert at is not None
        nearest = min(own, key=lambda each: abs((each.since if each.since is not None else at) - at))
        raise IsrproofError(
            f"Nothing happened to {asked.name} at {printed(at)}; nearest: {nearest.what}"
            + ("." if nearest.since is None else f" from {printed(nearest.since)}{_until(nearest)}.")
        )
    return sorted(then, key=lambda each: each.order)


def chosen(asked: Asked, found: Sequence[Happened]) -> Happened:
    """Return the entry that is explained: of the worst kind the longest, or else the last."""
    kind = min((each.what for each in found), key=asked.kinds.index)
    return max((each for each in found if each.what == kind), key=lambda each: (each.longest or 0, each.since or 0))


def _holds(each: Happened, at: int) -> bool:
    if each.since is None:
        return False
    end = each.since if each.until is None else each.until
    return each.since - CLOCKS <= at and (each.lasts or at <= end + CLOCKS)


def _until(each: Happened) -> str:
    return " to the end of the log" if each.lasts else "" if each.until is None else f" to {printed(each.until)}"


def _nearest(asked: Asked, known: Known) -> str:
    """Return the subjects of that kind to which something happened."""
    names = sorted(_names(asked, known.entries), key=lambda name: (_distance(name, asked.name), name))
    return f"; things happened to {and_more(names, 5)}" if names else ""


def _names(asked: Asked, entries: Iterable[Happened]) -> set[str]:
    if asked.partition is not None:
        own = (each for each in entries if each.what in OF_PARTITION and each.topic is not None)
        return {partition_name(each.topic or "", each.partition or 0) for each in own}
    if asked.node is not None:
        return {f"node {each.node}" for each in entries if each.what in OF_NODE and each.node is not None}
    return {f"topic {each.topic}" for each in entries if asked.topic and each.what in OF_TOPIC and each.topic}


def _distance(one: str, other: str) -> int:
    """Return the number of letters after those that two names begin with together."""
    same = next(
        (number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return max(len(one), len(other)) - same
