"""Decide whether a metadata log is a path of the model `kraft`: record by record, for each partition by itself.

The state in which a record was written is known, so each record is one question: is there a step of the model that
writes it? The context of a record (release, metadata.version, features) gives the model that is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....specs.errors import IsrproofError
from ....specs.metadata.levels import level_name, running
from ....specs.releases import names
from ....traces.metadata.files import must_be_found
from ....traces.place import Place
from ...audit.files.metadata import copies
from ...audit.sources.metadata.quorum import quorums
from .contexts import Choices
from .projection import as_text
from .relation import Objection
from .run import Walk

LEFT_OUT = (
    "epochs of brokers and directories of replicas: the audit's rules cover these",
    "records in metadata transactions, and ClearElr records",
)
_NOTHING = "no committed record changes a broker or a partition"
_NO_SEGMENT = (
    "no segment has records; a snapshot alone has a state, but no record that led to it; add the .log "
    "files of __cluster_metadata-0"
)
_NO_STATE = (
    "no snapshot shows the state before the first record, so the changes of the records are not known; "
    "add the .checkpoint files of __cluster_metadata-0"
)


@dataclass(frozen=True)
class MetadataValidation:
    """The result of a validation."""

    verdict: str
    """accepted, rejected or unknown."""
    matched: int
    """The number of records that fit, of those `compared`."""
    compared: int
    others: int
    """The number of records that nothing is said about."""
    place: Place | None = None
    """The place of a rejection: the first record that no step writes."""
    guard: str | None = None
    """The clause that forbids the nearest step."""
    reason: str = ""
    """The reason in words, with the partition or broker."""
    level: str = ""
    """metadata.version at the rejected record, or at the last one."""
    release: str = ""
    """The release at that record."""
    offsets: tuple[tuple[int, int], ...] = ()
    """The committed records that were read, by the first and the last offset of each stretch."""
    notes: tuple[str, ...] = ()
    """The parts of the log that were not read."""


def validate(paths: Sequence[str], chosen: Choices = Choices()) -> MetadataValidation:  # noqa: B008
    """Decide whether the metadata log in files and folders is a path of the model.

    Raises:
        IsrproofError: there is no metadata log, there are logs of several clusters, or the release that was chosen
            does not know the log's metadata.version.
    """
    logs = quorums(copies(must_be_found(paths)))
    if len(logs) != 1:
        got = f"the logs of {len(logs)} clusters" if logs else "neither segments nor snapshots"
        raise IsrproofError(f"expected the metadata log of one cluster, got {got}; pass the folders of its nodes")
    run = Walk(logs[0], chosen)
    rejected = run.along()
    if run.at is not None and chosen.release and not running(run.at.level) & chosen.release:
        raise IsrproofError(
            f"expected a log that Kafka {names(chosen.release)} can write, got metadata.version "
            f"{level_name(run.at.level)}; leave out --release, or choose one of {names(running(run.at.level))}"
        )
    found = MetadataValidation(
        "accepted",
        run.matched,
        run.compared,
        run.others,
        level="" if run.level is None else level_name(run.level),
        release="" if run.at is None else names(run.at.releases),
        offsets=tuple(run.looked_at),
        notes=tuple(_notes(run)),
    )
    if rejected is None:
        nothing = _nothing(run)
        reason = "; ".join(_not_looked_at(run)) if run.compared or run.beyond is not None else nothing
        return replace(found, verdict="unknown", reason=reason) if reason else found
    found_out = [_as_text(each, rejected.ids) for each in rejected.objections]
    clause = next((text for text, each in zip(found_out, rejected.objections, strict=True) if not each.written), None)
    reason = f"{rejected.about}: {'; '.join(dict.fromkeys(found_out))}"
    return replace(found, verdict="rejected", place=rejected.place, guard=clause or found_out[0], reason=reason)


def _nothing(run: Walk) -> str:
    """Return why no record was compared."""
    if not run.quorum.chain.stretches:
        return _NO_SEGMENT
    return _NOTHING if run.unknown is None else _NO_STATE


def _not_looked_at(run: Walk) -> Iterator[str]:
    """Yield committed parts that were not compared, so no step may write them: the log is then not accepted."""
    begun = run.looked_at[0][0]
    ends = [min(begun, begun if run.unknown is None else run.unknown) - 1, *(last for _, last in run.looked_at)]
    starts = [*(first for first, _ in run.looked_at), run.quorum.committed]
    holes = [f"{end + 1} to {start - 1}" for end, start in zip(ends, starts, strict=True) if end + 1 < start]
    if holes:
        lost = "known only from a later offset on" if run.unknown is None else "in no snapshot"
        yield (
            f"committed, but not compared: offsets {', '.join(holes)}; the records there, or right before, are in "
            f"no readable file, and their effect is {lost}; all other records fit"
        )
    if run.beyond is not None:
        why = "; ".join(run.seen.unsure.in_words())
        fit = "; all records before it fit" if run.compared else ""
        yield f"nothing is compared from offset {run.beyond} on: {why}{fit}"


def _notes(run: Walk) -> Iterator[str]:
    yield from run.seen.notes
    yield from run.quorum.strangers()
    if run.uncommitted:
        yield f"{run.uncommitted} records at the end are not known to be committed"
    for scanned in run.quorum.copies:
        for segment in (*scanned.copy.segments, *scanned.copy.snapshots):
            if segment.batches.problem is not None:
                yield f"{segment.path}: {segment.batches.problem}"


def _as_text(one: Objection, ids: Sequence[int]) -> str:
    if not one.written:
        return f"{one.action}: {one.clause}"
    name = _NAMES.get(one.clause, one.clause)
    return (
        f"{one.action}: {name} would be {as_text(one.made, one.clause, ids)}, not {as_text(one.there, one.clause, ids)}"
    )


_NAMES = {"place": "replicas", "leader_epoch": "leader epoch", "partition_epoch": "partition epoch"}
