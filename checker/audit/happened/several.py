"""Lines that say what happened to several nodes, topics or partitions at once, and lines that say so only sometimes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..sources.nodes.unclean import read
from ..table.protocol import Row
from .in_words import listed

# What may go on for long begins at one place only, or ends soon: a long line takes time by its length.
_REPLICA = re.compile(r"\[Topic=([^,\]]{1,249}),Partition=([0-9]+),Replica=([0-9]+)\]( -> ReplicaDeletionIneligible)?")
_ANSWERED = re.compile(r"(?<![^ (),])([^ (),]{1,270})-([0-9]+) -> ([A-Z_]+)")
_OLD_PARTITION = re.compile(r"\[([^\[\], ]+),([0-9]+)\]")
_PARTITION = re.compile(r"(?<![^ (),\[\]])([^ (),\[\]]{1,270})-([0-9]+)")
_LEADER = re.compile(
    r"\[([^\[\], ]{1,249}),([0-9]+)\] -> "
    r"\(Leader:(-?[0-9]+),ISR:([0-9,]*),LeaderEpoch:([0-9]+),ControllerEpoch:[0-9]+\)"
)
_CREATED = re.compile(r"CreatableTopic\(name='([^']{1,249})'(?:(?!CreatableTopic\().)*?\): ([A-Z_]+)(?=$|[ ,(])")
_DELETED = re.compile(r"name: ([^,}]{1,249}), result: SUCCESS")
_KEY = re.compile(r"id=([0-9]+)")
_LEADER_EPOCH = re.compile(r"leaderEpoch: -?[0-9]+ -> ([0-9]+)")
_CHANGED = re.compile(r"(partitionId|replicas|removingReplicas|addingReplicas)=(null|[0-9]+|\[[0-9, ]*\])")
_MIN_ISR = re.compile(r"\bmin\.insync\.replicas=([0-9]{1,9})")
_BEHIND = re.compile(
    r"(?P<lag>[0-9]{1,18}) (?P<fetched>-?[0-9]{1,18}(?: ?ms ago)?) (?P<caught_up>-?[0-9]{1,18}(?: ?ms ago)?)"
)
_ASSIGNED = ("addingReplicas", "removingReplicas", "replicas")
ENDED = "ended"
"""The text of a line about a reassignment that is over."""

Said = dict[str, Any]
"""The columns of a line about one node, topic or partition, and what it says as a text."""


def several(row: Row) -> Iterator[Said]:
    """Yield what a line says of each that it is about; nothing if it does not say that anything happened."""
    return _SEVERAL.get(row["row"], _one)(row)


def _one(row: Row) -> Iterator[Said]:
    yield {}


def _no_answer(row: Row) -> Iterator[Said]:
    for voter in row.get("replicas") or ():
        yield {"node": voter, "said": "votes"}


def _directory(row: Row) -> Iterator[Said]:
    yield {"said": row.get("dir")}


def _not_fetching(row: Row) -> Iterator[Said]:
    """Yield the voters that did not fetch from their leader; without all voters nobody knows who they are."""
    fetching = {int(id) for id in re.findall(_KEY if row.get("replicas") else r"[0-9]+", row.get("detail") or "")}
    silent = {*(row.get("replicas") or ())} - fetching - {row.get("speaker")}
    for voter in sorted(silent):
        yield {"node": voter, "said": "fetches"}
    if not silent:
        yield {"node": None, "said": "fetches"}


def _connection(row: Row) -> Iterator[Said]:
    yield {"said": f"authentication failed: {row.get('detail')}" if row.get("detail") else "connections"}


def _vote_refused(row: Row) -> Iterator[Said]:
    yield {"offset": row.get("log_end_offset"), "epoch": row.get("written_by_epoch")}


def _other_directory(row: Row) -> Iterator[Said]:
    said = f"{row.get('speaker')} has another directory id than the candidate knows: formatted anew, or named wrongly"
    yield {"said": said}


def _rejected_by(row: Row) -> Iterator[Said]:
    rejecting = row.get("replicas") or ()
    if rejecting:
        yield {"said": f"refused by {listed(rejecting)}"}


def _timed_out(row: Row) -> Iterator[Said]:
    yield {"said": row.get("kind")}


def _voters(row: Row) -> Iterator[Said]:
    yield {"replicas": tuple(sorted(row.get("replicas") or ())), "offset": row.get("offset")}


def _in_names(row: Row) -> Iterator[Said]:
    """Yield the topics of a list of names."""
    for topic in _names(row.get("detail") or ""):
        yield {"topic": topic, "said": row.get("error")}


def _names(text: str) -> list[str]:
    """Return the topics of `a,b`, `Set(a, b)` or `/admin/delete_topics/a`."""
    inner = re.sub(r"^[A-Za-z]+\((.*)\)$", r"\1", text.strip()).replace("/admin/delete_topics/", "")
    return [name for name in re.split(r", ?", inner) if name]


def _disabled(row: Row) -> Iterator[Said]:
    for topic in _names(row.get("detail") or ""):
        yield {"topic": topic, "said": "delete.topic.enable is false: the controller drops the request"}


def _new_topics(row: Row) -> Iterator[Said]:
    names, _, _ = (row.get("detail") or "").partition("], deleted topics:")
    for topic in _names(names):
        yield {"topic": topic}


def _ineligible(row: Row) -> Iterator[Said]:
    for topic, partition, replica, ineligible in _REPLICA.findall(row.get("detail") or ""):
        if ineligible:
            yield {"topic": topic, "partition": int(partition), "node": int(replica), "said": "is not eligible"}


def _dead(row: Row) -> Iterator[Said]:
    for topic, partition, replica, _ in _REPLICA.findall(row.get("detail") or ""):
        yield {"topic": topic, "partition": int(partition), "node": int(replica), "said": "is on a dead broker"}


def _not_deleted(row: Row) -> Iterator[Said]:
    for topic, partition, error in _ANSWERED.findall(row.get("detail") or ""):
        if error != "NONE":
            yield {"topic": topic, "partition": int(partition), "said": f"was not deleted: {error}"}


def _offline(row: Row) -> Iterator[Said]:
    if row.get("delete") is not False:
        yield {
            "said": f"could not be deleted: {row.get('detail')}"
            if row.get("detail")
            else "is in an offline log directory"
        }


def _created(row: Row) -> Iterator[Said]:
    for topic, result in _CREATED.findall(row.get("detail") or ""):
        if result == "SUCCESS":
            yield {"topic": topic}


def _deleted(row: Row) -> Iterator[Said]:
    for topic in _DELETED.findall(row.get("detail") or ""):
        yield {"topic": topic}


def _handled(row: Row) -> Iterator[Said]:
    """Yield a reassignment that begins; from 2.4 on the line comes also when it is over.

    From then on the replicas are all, those to be removed too. Source: ReplicaAssignment.targetReplicas.
    """
    if (
        row.get("replicas") is not None
        and not row.get("adding")
        and not row.get("removing")
        and row.get("adding") is not None
    ):
        yield {"said": ENDED}
    else:
        target = [each for each in row.get("replicas") or () if each not in (row.get("removing") or ())]
        yield {"said": f"to {listed(target)}"}


def _waits(row: Row) -> Iterator[Said]:
    yield {"said": f"to {listed(row.get('replicas') or ())}"}


def _at_start(row: Row) -> Iterator[Said]:
    for topic, partition in _partitions(row.get("detail") or ""):
        yield {"topic": topic, "partition": partition, "said": "it ran before this controller"}


def _removed(row: Row) -> Iterator[Said]:
    if row.get("topic") is not None:
        yield {"said": ENDED}
    for topic, partition in _partitions(row.get("detail") or ""):
        yield {"topic": topic, "partition": partition, "said": ENDED}


def _partitions(text: str) -> list[tuple[str, int]]:
    found = _OLD_PARTITION.findall(text) or _PARTITION.findall(text)
    return [(topic, int(partition)) for topic, partition in found]


def _replayed(row: Row) -> Iterator[Said]:
    """Yield the reassignment that a record begins or ends, if it does either."""
    text, partition = row.get("detail") or "", row.get("partition")
    if partition is not None:  # from 4.3 on the record's fields are read
        text = f"replicas={text}"
    fields = dict(_CHANGED.findall(text))
    adding, removing, replicas = (_ids(fields.get(name, "null")) for name in _ASSIGNED)
    partition = int(fields["partitionId"]) if partition is None else partition
    if adding or removing:
        target = [id for id in replicas or () if id not in (removing or ())]
        yield {"partition": partition, "said": f"to {listed(target)}"}
    elif adding is not None or removing is not None:
        yield {"partition": partition, "said": ENDED}


def _ids(text: str) -> tuple[int, ...] | None:
    return None if text == "null" else tuple(int(id) for id in re.findall("[0-9]+", text))


def _unclean(row: Row) -> Iterator[Said]:
    """Yield an election of a leader that was not in sync: UNCLEAN is printed for other changes, too."""
    found = read(row.get("detail") or "")
    if found["because"]:
        return
    before, epoch = found["before_isr"], _LEADER_EPOCH.search(row.get("detail") or "")
    said = f"{found['leader']} was elected; {f'the ISR was {listed(before)}' if before else 'the ISR was empty'}"
    yield {"node": found["leader"], "epoch": None if epoch is None else int(epoch[1]), "said": said}


def _unclean_failed(row: Row) -> Iterator[Said]:
    if row.get("error"):
        yield {}


def _cached(row: Row) -> Iterator[Said]:
    """Yield the leader and the ISR of each partition of a list."""
    for topic, partition, leader, isr, epoch in _LEADER.findall(row.get("detail") or ""):
        who = f"{leader} led it" if int(leader) >= 0 else "nobody led it"
        shown = listed(int(each) for each in isr.split(",") if each) or "empty"
        said = f"{who}, the ISR was {shown}"
        yield {"topic": topic, "partition": int(partition), "leader_epoch": int(epoch), "said": said}


def _described(row: Row) -> Iterator[Said]:
    """Yield the condition of a partition that a tool shows."""
    leader = row.get("leader")
    lacks = not {*(row.get("replicas") or ())} <= {*(row.get("isr") or ())}
    said = "offline" if leader is None or leader < 0 else "under-replicated" if lacks else "leader-shown"
    yield {"said": said, "replicas": tuple(row.get("isr") or ())}


def _setting(row: Row) -> Iterator[Said]:
    """Yield the min.insync.replicas of a topic that sets it itself."""
    least = _MIN_ISR.search(row.get("detail") or "")
    if least is not None:
        yield {"said": least[1]}


def _in_quorum(row: Row) -> Iterator[Said]:
    """Yield how far a node is behind, as a tool prints it: role, records, last fetch and last time caught up."""
    behind = _BEHIND.fullmatch(row.get("detail") or "")
    if behind is not None:
        yield {"said": f"{row.get('kind')} {behind['lag']} {behind['fetched']} {behind['caught_up']}"}


def _quorum(row: Row) -> Iterator[Said]:
    """Yield whether the quorum has a leader."""
    leads = (row.get("leader") or 0) >= 0
    yield {"said": "quorum-led" if leads else "quorum-without-leader", "node": row.get("leader") if leads else None}


def _running(row: Row) -> Iterator[Said]:
    yield {"said": "is in progress"}


def _phase(row: Row) -> Iterator[Said]:
    """Yield a phase of the metadata log; a controller that starts prints others, as it reads a snapshot."""
    if (row.get("from_state"), row.get("to_state")) in _PHASES:
        yield {"said": f"the metadata log moves from {row.get('from_state')} to {row.get('to_state')}"}


def _driver(row: Row) -> Iterator[Said]:
    yield {"said": f"{row.get('from_state')} to {row.get('to_state')}"}


_PHASES = (("NONE", "PRE_MIGRATION"), ("PRE_MIGRATION", "MIGRATION"), ("MIGRATION", "POST_MIGRATION"))


def _waiting_for(row: Row) -> Iterator[Said]:
    yield {"said": _WAITING[row.get("kind") or ""](row)}


_WAITING: Mapping[str, Callable[[Row], str]] = {
    "controllers": lambda row: f"for controllers: {(row.get('detail') or '').strip()}",
    "brokers": lambda row: f"for brokers {listed(row.get('brokers') or ())} to register with KRaft",
    "none": lambda row: "for brokers: none is registered with KRaft",
    "zookeeper": lambda row: "for brokers: none is registered in ZooKeeper",
}


_SEVERAL: Mapping[str, Callable[[Row], Iterator[Said]]] = {
    "recovery-begins": _directory,
    "recovery-skipped": _directory,
    "raft-votes-missing": _no_answer,
    "raft-majority-silent": _not_fetching,
    "raft-connection-failed": _connection,
    "raft-vote-rejected": _vote_refused,
    "raft-vote-for-another": _other_directory,
    "raft-election-lost": _rejected_by,
    "raft-fetch-timed-out": _timed_out,
    "raft-voters-read": _voters,
    "topics-changed": _new_topics,
    "topics-to-be-deleted": _in_names,
    "topic-deletion-queued": _in_names,
    "topics-ineligible-for-deletion": _in_names,
    "topic-deletion-halted": _in_names,
    "topic-deletion-disabled": _disabled,
    "topic-deletion-answered": _not_deleted,
    "topic-deletion-replicas-dead": _dead,
    "replica-machine-started": _ineligible,
    "stop-replica-while-offline": _offline,
    "kraft-topics-created": _created,
    "kraft-topics-deleted": _deleted,
    "reassignment-handled": _handled,
    "reassignments-at-start": _at_start,
    "reassignment-waits": _waits,
    "reassignment-removed": _removed,
    "assignment-replayed": _replayed,
    "registration-replayed": _replayed,
    "tool-topic": _setting,
    "tool-partition": _described,
    "tool-quorum-leader": _quorum,
    "tool-quorum-node": _in_quorum,
    "tool-reassignment": _running,
    "leader-cache": _cached,
    "registration-changed": _unclean,
    "unclean-election-triggered": _unclean_failed,
    "migration-recorded": _phase,
    "migration-moved": _driver,
    "migration-waits": _waiting_for,
}
"""By row of the line table."""
