"""Links of partitions: to the replicas that left the ISR, and to the brokers that went."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ....traces.place import Place
from ....traces.timeline import TimelineRow
from ..findings.happened import Happened
from ..happened.in_words import listed
from ..report.shown import printed
from .known import CLOCKS, Known, Partition
from .link import Because, Link
from .nodes import DIRECTORY, GOINGS, end_of

OFFLINE, UNDER_REPLICATED, UNDER_MIN = "offline", "under-replicated", "under-min-isr"
SHRUNK, UNCLEAN, FAILED, LOST = "isr-shrunk", "unclean-election", "election-failed", "records-lost"
REASSIGNING, DELETING, CREATED, ACTIVE = "reassignment-running", "deletion-running", "created", "controller-active"
_ELECTION = 5_000
"""The milliseconds that a controller takes at most to elect a member of the ISR that is there."""
_DISK = 30_000
"""The milliseconds within which a replica leaves the ISR whose directory has failed."""
_SOON = 20_000
"""The milliseconds within which a follower that its leader has dropped loses its session, if its process has ended."""


def key_of(entry: Happened) -> Partition:
    return entry.topic or "", entry.partition if entry.partition is not None else -1


def _place(entry: Happened) -> Place | None:
    return entry.places[0] if entry.places else None


def nobody_leads(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the going of the last member of the ISR; all members must have gone."""
    ts, key = entry.since, key_of(entry)
    then = isr_then(entry, known)
    if ts is None or then is None:
        return ()
    isr, before, stale = then
    gone = [gone_of(member, ts, known) for member in isr]
    went = [each for each in gone if each is not None]
    if len(went) < len(gone):
        return ()
    first = known.since(key, before)
    since = "" if first.ts is None or stale else f" since {printed(first.ts)}"
    values = {"isr": listed(isr), "since": since}
    places = entry.places[:1] if stale else (first.place,)
    return tuple(Because(each, values | {"node": str(each.node)}, places) for each in _last(went, known))


def isr_then(entry: Happened, known: Known) -> tuple[Sequence[int], TimelineRow, bool] | None:
    """Return the ISR as a spell begins, the last state before it, and whether that state is stale; None: not known.

    It is where a leader had changed the ISR, and the controller had not printed that.
    """
    before = _with_isr(entry, known)
    if before is None or _joined(entry, before, known) is not None:
        return None
    shown = known.condition(entry)
    isr = before.isr or ()
    stale = shown is not None and bool(shown.isr) and not {*(shown.isr or ())} <= {*isr}
    stale &= not _ends_unclean(entry, known)
    return (shown.isr or (), before, True) if stale and shown is not None else (isr, before, False)


def _joined(entry: Happened, before: TimelineRow, known: Known) -> int | None:
    """Return the next leader, if it had joined the ISR since its last state was printed.

    Versions count all writes: where they show that none is missing, an election from outside the ISR was unclean.
    """
    after = known.after(key_of(entry), before)
    if after is None or after.leader < 0 or after.leader in (before.isr or ()) or _ends_unclean(entry, known):
        return None
    whole = before.partition_epoch is not None and after.partition_epoch == before.partition_epoch + 1
    return None if whole else after.leader


def _ends_unclean(entry: Happened, known: Known) -> bool:
    """Return whether an unclean election ended a spell: the ISR that it wrote is not that of before."""
    own = [each for each in known.of_kind(UNCLEAN) if key_of(each) == key_of(entry)]
    return any(_near(entry, each.since or 0) for each in own)


def _with_isr(entry: Happened, known: Known) -> TimelineRow | None:
    """Return the last state of a partition with an ISR before an entry."""
    if entry.since is None:
        return None
    before, _ = known.before(key_of(entry), _place(entry), entry.since)
    while before is not None and not before.isr:
        before, _ = known.before(key_of(entry), before.place, entry.since)
    return before


def leader_went(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the going of the leader, where the ISR had, or at once got, a member that was there."""
    before, shown, ts = _with_isr(entry, known), known.condition(entry), entry.since
    if before is None or ts is None or before.leader < 0 or entry.lasts or entry.until is None:
        return ()
    gone = gone_of(before.leader, ts, known)
    joined = _joined(entry, before, known)
    members = (*(before.isr or ()), *((shown.isr if shown else None) or ()), *(() if joined is None else (joined,)))
    able = [member for member in members if known.gone(member, ts) is None]
    if gone is None or not able or entry.until - ts > _ELECTION:
        return ()
    return (Because(gone, {"node": str(before.leader), "others": listed(dict.fromkeys(able))}),)


def being_deleted(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the deletion of a partition's topic: the controller takes its replicas offline first."""
    own = [each for each in known.of_kind(DELETING) if each.topic == entry.topic]
    return tuple(Because(each) for each in own if entry.since is not None and _near(each, entry.since))


def gone_of(node: int, ts: int, known: Known) -> Happened | None:
    """Return what took a replica away from a broker: its going, or the failure of a directory."""
    gone = known.gone(node, ts)
    if gone is not None:
        return gone
    failed = [each for each in known.about(node, DIRECTORY) if 0 <= ts + CLOCKS - (each.since or 0) <= _DISK]
    return failed[-1] if failed else None


def _last(gone: Sequence[Happened], known: Known) -> list[Happened]:
    """Return the last of the goings; of several that were seen at once, that whose process ended last, or all."""
    latest = max(each.since or 0 for each in gone)
    last = [each for each in gone if each.since == latest]
    if len(last) == 1:
        return last
    ends = [end_of(each.node, latest, known) for each in last]
    times = [end.since for end in ends if end is not None and end.since is not None]
    if len(times) < len(last):
        return last
    newest = max(times)
    return [each for each, time in zip(last, times, strict=True) if newest - time <= CLOCKS]


def shrunk(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the change of the ISR with which a spell began."""
    ts, key = entry.since, key_of(entry)
    if ts is None:
        return ()
    before, here = known.before(key, _place(entry), ts)
    if here is None:
        here = before
        before = None if here is None else known.before(key, here.place, ts)[0]
    while here is not None and before is not None and not _left(before, here):
        here = before  # the spell was printed later than it began
        before, _ = known.before(key, here.place, ts)
    if here is None or before is None or here.ts is None or ts - here.ts > CLOCKS:
        return ()
    left = _left(before, here)
    return (Because(_shrink(key, before, here, known), {"left": listed(sorted(left))}),)


def said_shrunk(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the followers that a leader drops in its own lines, with which a spell begins in the same lines."""
    ts, place = entry.since, _place(entry)
    own = [
        each for each in known.of_kind(SHRUNK) if key_of(each) == key_of(entry) and ts is not None
        and place is not None and each.since is not None and 0 <= ts - each.since <= CLOCKS
        and each.count == 1 and each.places and each.places[0].file == place.file
    ]  # fmt: skip
    return tuple(Because(replace(each, node=None)) for each in own[-1:])  # its node is the leader, not who lagged


def created_dead(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the going of the last replica of a partition that was created while all were away."""
    ts, key = entry.since, key_of(entry)
    created = [each for each in known.of_kind(CREATED) if each.topic == entry.topic and ts is not None]
    if ts is None or _with_isr(entry, known) is not None or not any(_at_once(each.since, ts) for each in created):
        return ()
    replicas = known.assigned(key)
    gone = [each for node in replicas if (each := known.gone(node, ts)) is not None]
    if not gone or len(gone) < len(replicas):
        return ()
    return tuple(Because(each, {"node": str(each.node), "replicas": listed(replicas)}) for each in _last(gone, known))


def _at_once(created: int | None, ts: int) -> bool:
    return abs(ts - (created or 0)) <= CLOCKS


def never_there(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the goings of replicas that were away when their partition was created: its first ISR lacks them."""
    ts, key, shown = entry.since, key_of(entry), known.condition(entry)
    if ts is None or shown is None:
        return ()
    before, here = known.before(key, _place(entry), ts)
    first = here or before
    if first is None or first.isr is None or not _is_creation(first, ts, known) or not _at_once(first.ts, ts):
        return ()
    missing = {*(shown.replicas or ())} - {*first.isr}
    gone = [each for node in sorted(missing) if (each := known.gone(node, ts)) is not None]
    return tuple(Because(each, {"node": str(each.node)}) for each in (_last(gone, known) if gone else ()))


def _is_creation(row: TimelineRow, ts: int, known: Known) -> bool:
    """Return whether a state is the one with which a partition begins, printed by the controller that wrote it.

    Epochs and versions begin with 0. A later controller that prints the state again shows no creation.
    """
    later = any(
        row.controller_epoch is not None and (each.epoch or 0) > row.controller_epoch and (each.since or 0) <= ts
        for each in known.of_kind(ACTIVE)
    )
    return row.leader_epoch == 0 and row.partition_epoch == 0 and not later


def being_added(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the reassignment that gave a partition replicas that were not yet in its ISR."""
    own = [each for each in known.of_kind(REASSIGNING) if each.topic == entry.topic]
    return tuple(Because(each) for each in own if entry.since is not None and _holds(each, entry.since))


def _left(before: TimelineRow, here: TimelineRow) -> set[int]:
    return {*(before.isr or ())} - {*(here.isr or ())} if here.isr is not None else set()


def _shrink(key: Partition, before: TimelineRow, here: TimelineRow, known: Known) -> Happened:
    """Return the entry of one change of an ISR; its node is the replica that left, if one did."""
    left = _left(before, here)
    said = [
        each for each in known.entries
        if each.what == SHRUNK and key_of(each) == key and each.since is not None and here.ts is not None
        and abs(each.since - here.ts) <= CLOCKS and each.count == 1 and "behind" in (each.reason or "")
    ]  # fmt: skip
    reason = f"the ISR {listed(before.isr or ())} became {listed(here.isr or ()) or 'empty'}"
    reason += f": {said[0].reason}" if said else ""
    return Happened(
        SHRUNK,
        since=here.ts,
        node=next(iter(left)) if len(left) == 1 else None,
        topic=key[0],
        partition=key[1],
        epoch=here.leader_epoch,
        reason=reason,
        places=(here.place, *(said[0].places[:1] if said else ())),
    )


def follower(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the going of the replicas that left an ISR: before it, or soon after if the leader dropped them."""
    ts, key = entry.since, key_of(entry)
    if ts is None:
        return ()
    before, here = known.before(key, _place(entry), ts)
    if before is None or here is None:
        return ()
    left = _left(before, here)
    gone = [each for each in (gone_of(node, ts, known) or _soon(node, ts, known) for node in sorted(left)) if each]
    return tuple(Because(each, {"node": str(each.node)}) for each in (_last(gone, known) if gone else ()))


def _soon(node: int, ts: int, known: Known) -> Happened | None:
    sign = next((sign for sign in known.signs.get(node, ()) if sign.ts > ts), None)
    return sign.gone if sign is not None and sign.ts - ts <= _SOON else None


def during_offline(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the spell without a leader in which an election failed, or that an unclean election ended."""
    ts = entry.since
    own = [each for each in known.of_kind(OFFLINE) if key_of(each) == key_of(entry)]
    return tuple(Because(each) for each in own if ts is not None and _holds(each, ts))


def _holds(spell: Happened, ts: int) -> bool:
    return (spell.since or 0) <= ts and (spell.lasts or spell.until is None or ts <= spell.until)


def _near(spell: Happened, ts: int) -> bool:
    """Return whether something of another node's log went on at a time, or nearly."""
    return (spell.since or 0) - CLOCKS <= ts and (spell.lasts or spell.until is None or ts <= spell.until + CLOCKS)


def elected(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the unclean election that lost records: the only one of the partition before."""
    own = [each for each in known.of_kind(UNCLEAN) if key_of(each) == key_of(entry)]
    return tuple(Because(each) for each in own if entry.since is not None and (each.since or 0) <= entry.since + CLOCKS)


def dropped(entry: Happened, known: Known) -> bool:
    """Return whether a leader dropped followers that lagged: it says so, or the leader epoch stays as it was."""
    if "behind" in (entry.reason or ""):
        return True
    before, here = known.before(key_of(entry), _place(entry), entry.since or 0)
    if before is None or here is None:
        return False
    return here.place.offset is not None or before.leader_epoch == here.leader_epoch


def reassigned(entry: Happened, known: Known) -> Sequence[Because]:
    """Return the reassignment that took replicas out of an ISR."""
    ts = entry.since
    own = [each for each in known.of_kind(REASSIGNING) if each.topic == entry.topic]
    return tuple(Because(each) for each in own if ts is not None and _near(each, ts))


_ALL: Collection[str] = (*GOINGS, DIRECTORY)
_NOBODY = "nobody could lead: the ISR was {isr}{since}, and {node} was the last of it to go"
LINKS = (
    Link("offline by the ISR's death", OFFLINE, tuple(_ALL), nobody_leads, _NOBODY),
    Link(
        "offline by the leader's death",
        OFFLINE,
        tuple(_ALL),
        leader_went,
        "its leader {node} went; the ISR that was printed next had {others}",
    ),
    Link(
        "offline from its creation",
        OFFLINE,
        GOINGS,
        created_dead,
        "it was created on {replicas} while none of them was there; {node} was the last to go",
    ),
    Link("offline by a deletion", OFFLINE, (DELETING,), being_deleted, "its topic was being deleted"),
    Link("election-failed while offline", FAILED, (OFFLINE,), during_offline, "the partition was offline"),
    Link("unclean-election after offline", UNCLEAN, (OFFLINE,), during_offline, "nobody in sync could lead"),
    Link("unclean-election by the ISR's death", UNCLEAN, tuple(_ALL), nobody_leads, _NOBODY),
    Link("records-lost by election", LOST, (UNCLEAN,), elected, "a replica was elected that lacked them"),
    *(
        Link(f"{of} by a smaller ISR", of, (SHRUNK,), shrunk, "{left} left its ISR")
        for of in (UNDER_REPLICATED, UNDER_MIN)
    ),
    *(
        Link(f"{of} by its leader's words", of, (SHRUNK,), said_shrunk, "its leader dropped them")
        for of in (UNDER_REPLICATED, UNDER_MIN)
    ),
    Link(
        "under-replicated from its creation",
        UNDER_REPLICATED,
        GOINGS,
        never_there,
        "it was created while {node} was gone",
    ),
    Link(
        "under-replicated by a reassignment", UNDER_REPLICATED, (REASSIGNING,), being_added, "replicas were being added"
    ),
    Link("isr-shrunk by a follower's death", SHRUNK, tuple(_ALL), follower, "{node} was gone"),
    Link("isr-shrunk by a reassignment", SHRUNK, (REASSIGNING,), reassigned, "replicas were being moved"),
)
