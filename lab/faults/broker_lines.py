"""Kinds of faults that show on a line alone, or beside the line before it: dropped, cut, refused or ended replicas."""

from __future__ import annotations

from .broker_kind import TIME, Kind, Match, integer, number, text

_IDS = "[0-9,]+"
_SHRINKS = rf"\[Partition (?P<tp>\S+) broker=\d+\] Shrinking ISR from {_IDS} to {_IDS}\. Leader: "
_OF_LEADER = r"\(highWatermark: (?P<hw>\d+), endOffset: (?P<end>\d+)\)\. "
_LAGS = r"Out of sync replicas: \(brokerId: (?P<lagging>\d+), endOffset: (?P<own>-?\d+)"
_EXPANDS = rf"\[Partition (?P<tp>\S+) broker=\d+\] Expanding ISR from (?P<old>{_IDS}) to (?P<new>{_IDS})"
_TAKES_TO_LEAD = r"starting the become-leader transition for partition (?P<tp>\S+)"
_TAKES_TO_FOLLOW = r"starting the become-follower transition for partition (?P<tp>\S+) with leader (?P<leader>\d+)"
_HAS_FOLLOWED = r"for the become-follower transition for partition (?P<tp>\S+)(?P<named> with leader (?P<leader>\d+))"
_TAKES = (
    r"TRACE (?P<broker>\[Broker id=(?P<self>\d+)\]) Handling LeaderAndIsr request correlationId (?P<id>\d+) from "
    r"controller (?P<controller>\d+) epoch (?P<epoch>\d+) starting the become-\w+ transition for partition (?P<tp>\S+)"
)
_ADDS_METADATA = (
    r"INFO (?P<broker>\[Broker id=\d+\]) Add \d+ partitions and deleted \d+ partitions from metadata cache .* sent by "
    r"controller (?P<controller>\d+) epoch (?P<epoch>\d+) with correlation id (?P<id>\d+)"
)
_OFFLINE = (
    r"WARN (?P<broker>\[Broker id=\d+\]) Ignoring LeaderAndIsr request from controller (?P<controller>\d+) with "
    r"correlation id (?P<id>\d+) epoch (?P<epoch>\d+) for partition (?P<tp>\S+) as the local replica for the partition "
    r"is in an offline"
)
_FAILED = r"stopped fetcher for partitions \S*?(?P<tp>[A-Za-z_]+-\d+)(?:,\S*)? and stopped moving"
_ANNOUNCES = r"Truncating partition (?P<tp>\S+) (?:with|to local)"
_CUTS = r"Log partition=(?P<tp>[^,]+),.*Truncating to (?:offset )?(?P<offset>\d+)"
_CUT_TO = r"Log partition=(?P<tp>[^,]+),.*Truncating to offset \d+"
_NEEDS_NO_CUT = r"Truncating to (?P<offset>\d+) has no effect as the largest offset in the log is (?P<last>-?\d+)"
_LOADED = r"Log loaded for partition (?P<tp>\S+) with initial high watermark (?P<hw>\d+)"
_PRINTS_END = r"(?:Leader|Follower|Partition) (?P<tp>\S+) .*starts at leader epoch \d+ from offset"
_FETCHES = (
    r"\[ReplicaFetcherManager .*Added fetcher .*for partitions \w+\((?P<tp>\S+) -> "
    r"(?:\(offset=|InitialFetchState\([^>]*,)(?P<offset>\d+)(?:, leaderEpoch=\d+)?\)\)"
)
_LEADS_WITH = r"\[Broker id=(?P<self>\d+)\] Leader (?P<tp>\S+) .* ISR \[(?P<isr>[0-9,]+)\]"
_LEADS_FIRST = r"\[Partition (?P<tp>\S+) broker=.*[Pp]revious [Ll]eader [Ee]poch was:? (?P<previous>-1)"
_LEADS_IN = r"\[Partition (?P<tp>\S+) broker=\d+\] \S+ starts at [Ll]eader [Ee]poch (?P<epoch>\d+) from offset"
_BEGINS = r"Handling LeaderAndIsr request correlationId (?P<id>\d+) from .* starting the become"
_DELETED = r"Finished handling stop replica \(delete=true\) for partition (?P<tp>\S+)"
_FAR = 100_000
"""More offsets than any recording has."""


def _other_cut(match: Match, above: Match) -> str | None:
    """Return another offset than the one that was announced just before."""
    just_before = above.string[: TIME - 6] == match.string[: TIME - 6]
    return number("offset", lambda _: integer(match, "offset") + 3)(match) if just_before else None


def _watermark_before(match: Match, above: Match) -> str | None:
    return number("hw", lambda _: integer(above, "hw") - 1)(match) if integer(above, "hw") else None


def _as_leader(match: Match) -> str:
    line = match.string[: match.start("named")] + match.string[match.end("named") :]
    return line.replace("become-follower", "become-leader")


def _not_assigned(match: Match) -> str:
    return (
        f"{match.string[:TIME]} WARN {match['broker']} Ignoring LeaderAndIsr request from controller"
        f" {match['controller']} with correlation id {match['id']} epoch {match['epoch']} for partition {match['tp']}"
        f" as itself is not in assigned replica list {match['self']},99 (state.change.logger)"
    )


def _old_controller(match: Match) -> str:
    return (
        f"{match.string[:TIME]} WARN {match['broker']} Received update metadata request with correlation id"
        f" {match['id']} from an old controller {match['controller']} with epoch {match['epoch']}. Latest known"
        f" controller epoch is {match['epoch']} (state.change.logger)"
    )


def _served(match: Match) -> str:
    return (
        f"{match.string[:TIME]} TRACE {match['broker']} Handling LeaderAndIsr request correlationId {match['id']} from"
        f" controller {match['controller']} epoch {match['epoch']} starting the become-leader transition for partition"
        f" {match['tp']} (state.change.logger)"
    )


LINES: tuple[Kind, ...] = (
    Kind("another replica lags", _SHRINKS + _OF_LEADER + _LAGS, number("lagging", lambda m: 99), "it drops another"),
    Kind(
        "a dropped replica has more",
        _SHRINKS + _OF_LEADER + _LAGS,
        number("own", lambda m: integer(m, "end") + 5),
        "it is longer than its leader",
    ),
    Kind(
        "watermark falls",
        _SHRINKS + _OF_LEADER,
        _watermark_before,
        "less is committed than when it began to lead",
        after=r"\[Partition (?P<tp>\S+) broker=\d+\] \S+ starts at leader epoch .*high watermark (?P<hw>\d+)",
        process=True,
    ),
    Kind(
        "a stranger joins",
        _EXPANDS,
        text("new", lambda m: m["old"] + ",99"),
        "a broker without a replica joins",
        earlier=_TAKES_TO_LEAD,
    ),
    Kind("begins to follow another", _TAKES_TO_FOLLOW, number("leader", lambda m: 99), "it follows another leader"),
    Kind("has followed another", _HAS_FOLLOWED, number("leader", lambda m: 99), "it follows another leader"),
    Kind("ends as leader", _HAS_FOLLOWED, _as_leader, "it leads what it began to follow"),
    Kind("cut unlike announced", _CUTS, _other_cut, "its log is cut elsewhere", after=_ANNOUNCES),
    Kind("no cut of a longer log", _NEEDS_NO_CUT, number("last", lambda m: integer(m, "offset")), "it has to be cut"),
    Kind(
        "loaded beyond its end",
        _LOADED,
        number("hw", lambda m: integer(m, "hw") + _FAR),
        "more is committed than there is",
        later=_PRINTS_END,
        never=_CUT_TO,
    ),
    Kind(
        "fetches beyond its end",
        _FETCHES,
        number("offset", lambda m: integer(m, "offset") + _FAR),
        "it leaves records out",
        later=_PRINTS_END,
        never=_CUT_TO,
    ),
    Kind("refuses its own replica", _TAKES, _not_assigned, "it is one of the replicas"),
    Kind("refuses the same controller", _ADDS_METADATA, _old_controller, "it is no older one"),
    Kind("serves a failed directory", _OFFLINE, _served, "it cannot read its log", earlier=_FAILED),
    Kind("leads outside its ISR", _LEADS_WITH, text("isr", lambda m: "99"), "it is not in sync with itself"),
    Kind(
        "leads in an epoch to come",
        _LEADS_IN,
        number("epoch", lambda m: integer(m, "epoch") + 1),
        "nobody made it leader in that epoch",
        earlier=_TAKES_TO_LEAD,
        never=_TAKES_TO_LEAD,
    ),
    Kind(
        "begins what did not come",
        _BEGINS,
        number("id", lambda m: integer(m, "id") + 5000),
        "it received no such request",
    ),
    Kind(
        "remembers a deleted replica",
        _LEADS_FIRST,
        number("previous", lambda m: 3),
        "its epoch was forgotten",
        earlier=_DELETED,
        process=True,
    ),
)
"""Up to 2.5 brokers print their Leader lines to server.log, since 2.6 to state-change.log."""
