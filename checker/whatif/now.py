"""The state at the end of a metadata log, or at an offset or a time of it, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...specs.errors import IsrproofError
from ...traces.metadata.files import MetadataFile, must_be_found
from ..audit.files.metadata import copies
from ..audit.options import Options
from ..audit.sources.metadata.apply import apply
from ..audit.sources.metadata.beginnings import after_gap, first, snapshots
from ..audit.sources.metadata.fold import Fold
from ..audit.sources.metadata.quorum import Joined, Quorum, joined, quorums
from ..audit.sources.metadata.seen import Collected
from ..audit.sources.metadata.state import Cluster


class NotKnownError(Exception):
    """The log does not show the state: the answer is *unknown*."""


@dataclass(frozen=True)
class Now:
    """The cluster as it is, or was."""

    fold: Fold
    """The log up to the last record."""
    offset: int
    """The offset of the last record."""
    time: int
    """The time of the last record, in milliseconds."""
    voters: frozenset[int]
    """The voters of the quorum; empty if nothing names them."""
    assumes: tuple[str, ...]
    """Assumptions about what no file shows."""
    left_out: tuple[str, ...]
    """The contents that this program does not know."""

    @property
    def state(self) -> Cluster:
        return self.fold.state


def at_of(text: str | None) -> tuple[int | None, int | None]:
    """Return the offset, or the time in milliseconds, that `--at` names.

    Raises:
        IsrproofError: it names neither.
    """
    if text is None:
        return None, None
    if text.isascii() and text.isdigit():
        return int(text), None
    return None, Options.of(since=text).since


def now(paths: Sequence[str], at: str | None = None) -> Now:
    """Return the state at the end of a metadata log, in files and folders, or at an offset or a time.

    Raises:
        IsrproofError: there is no metadata log, or there are several; it does not reach back, or up to, `at`.
        NotKnownError: the log does not show the state.
    """
    return now_of(must_be_found(paths), at)


def now_of(files: Sequence[MetadataFile], at: str | None = None) -> Now:
    """Return the same for files with records; raises as `now` does."""
    offset, time = at_of(at)
    logs = quorums(copies(files))
    if len(logs) != 1:
        got = f"the logs of {len(logs)} clusters" if logs else "neither segments nor snapshots of one"
        raise IsrproofError(
            f"expected the metadata log of one cluster, got {got}; pass the folders of its nodes (__cluster_metadata-0)"
        )
    quorum = logs[0]
    fold, last, seen = _folded(quorum, offset, time)
    if last is None:
        raise IsrproofError(f"--at {at}: the log has nothing up to there; it begins at offset {quorum.start}")
    if offset is not None and last[0] < offset:
        raise IsrproofError(f"--at {offset}: the log ends at offset {last[0]}")
    if fold.in_transaction:
        raise NotKnownError(
            f"at offset {last[0]} a metadata transaction is open, so that the state there is not known; give more of "
            "the log, or an earlier offset with --at"
        )
    if not fold.state.whole:
        raise NotKnownError(
            "no snapshot shows the state before the first record; add the .checkpoint files of __cluster_metadata-0"
        )
    voters = frozenset(fold.state.voters or fold.quorum or quorum.voters)
    assumes = (*_assumed(quorum, last[0], voters, seen), *(seen.notes if at is None else ()))
    return Now(fold, *last, voters, assumes, tuple(fold.unsure.in_words()) if fold.unsure else ())


def _folded(quorum: Quorum, offset: int | None, time: int | None) -> tuple[Fold, tuple[int, int] | None, Collected]:
    """Return the log, applied up to an offset or a time, and the offset and time of its last record."""
    seen, waiting = Collected(), snapshots(quorum)
    fold, start = first(quorum, 0, waiting, seen)
    last = (start - 1, 0) if start and (offset is None or start <= offset + 1) and time is None else None
    _only_state(fold)
    for each in joined(quorum, []):
        if (offset is not None and each.frame.offset > offset) or (time is not None and each.time > time):
            break
        if each.gap:
            fold, start = after_gap(quorum, 0, waiting, each.frame.offset, seen)
            _only_state(fold)
        if each.frame.last < start:
            continue
        if each.found is not None or not fold.idles_at(each.frame.offset, each.frame.epoch):
            _apply(fold, each, start, offset)
        end = each.frame.last if offset is None else min(each.frame.last, offset)
        last = end, each.time
    return fold, last, seen


def _only_state(fold: Fold) -> None:
    """Collect nothing but the state."""
    fold.conditions = fold.course = fold.known = None


def _apply(fold: Fold, each: Joined, start: int, offset: int | None) -> None:
    fold.begins(each.frame.offset)
    for record in each.records:
        if record.offset >= start and (offset is None or record.offset <= offset) and not fold.idles(record):
            apply(fold, record, each.segment, each.committed)
    fold.ends()


def _assumed(quorum: Quorum, last: int, voters: frozenset[int], seen: Collected) -> Iterator[str]:
    if last >= quorum.committed:
        yield f"the records from offset {quorum.committed} on are committed: these copies do not show it"
    nodes = {each.copy.node for each in quorum.copies}
    absent = sorted(each for each in voters if str(each) not in nodes)
    if absent:
        names = ", ".join(map(str, absent))
        yield f"no record follows offset {last}: the copies of voters {names} are not here, and may go on"
    for each in quorum.copies:
        epoch = each.copy.remembered.epoch
        if epoch is not None and epoch > quorum.chain.epoch:
            yield (
                f"node {each.copy.node} knows of epoch {epoch}, but the log ends in epoch {quorum.chain.epoch}: it is"
                " behind, and the cluster may be another by now"
            )
