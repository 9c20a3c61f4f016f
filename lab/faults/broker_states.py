"""Kinds of faults in the states that brokers take: leaders, epochs, versions, ISRs, high watermarks, requests."""

from __future__ import annotations

import re
from collections.abc import Callable

from .broker_kind import TIME, Kind, Match, integer, number, text

_IDS = "[0-9,]+"
_START = (
    r"(?:Leader|Follower(?!.*Previous leader \S+ and)) \S+ (?:with topic id \S+ )?"
    r"starts at leader epoch (?P<epoch>\d+) from offset (?P<offset>\d+)"
    r"(?: with partition epoch \d+,?)?(?: and)?(?: with)? high watermark (?P<hw>\d+)"
)
_KNOWN = _START + r".*[Pp]revious leader epoch was (?P<previous>\d+)\."
"""Lines about a partition that the broker already has. (Followers since 3.6 print the new epoch.)"""
_LEADS_25 = (
    r"starts at [Ll]eader [Ee]poch (?P<epoch>\d+) from offset \d+.*Previous [Ll]eader [Ee]poch was:? (?P<previous>\d+)"
)
_SHRINKS = rf"\[Partition \S+ broker=(?P<self>\d+)\] Shrinking ISR from (?P<old>{_IDS}) to (?P<new>{_IDS})"
_SHRINKS_HW = _SHRINKS + r"\. Leader: \(highWatermark: (?P<hw>\d+), endOffset: (?P<end>\d+)\)"
_EXPANDS = rf"\[Partition \S+ broker=(?P<self>\d+)\] Expanding ISR from (?P<old>{_IDS}) to (?P<new>{_IDS})"
_WRITTEN = r"ISR updated to \[?[0-9, ]+\]? .*version updated to \[?(?P<version>\d+)"
_FETCH = r"Added fetcher to broker (?:.*InitialFetchState\(.*?BrokerEndPoint\(id=|BrokerEndPoint\(id=|)(?P<leader>\d+)"
_FETCH_EPOCH = r"Added fetcher to broker .* -> \(offset=(?P<offset>\d+), leaderEpoch=(?P<epoch>\d+)\)"
_RECEIVED = (
    r"\[Broker id=(?P<self>\d+)\] Received LeaderAndIsr request .*leader=(?P<leader>-?\d+), leaderEpoch=(?P<epoch>\d+)"
    r".*replicas=\[?(?P<replicas>[0-9]+(?:, ?[0-9]+)*)"
)
_BEGUN = r"starting the become-(?P<kind>leader|follower) transition"
_REFUSED = (
    r"its associated leader epoch (?P<asked>\d+) is (?:smaller|not higher) than the current leader epoch (?P<epoch>\d+)"
)


_STARTS = r"\[Broker id=(?P<self>\d+)\] (?P<role>Leader|Follower) (?P<tp>\S+) .*starts at leader epoch (?P<epoch>\d+)"
_STARTS_IN = _STARTS + r" from offset (?P<offset>\d+) with partition epoch (?P<version>\d+)"
_LEADS = r"\[Broker id=(?P<self>\d+)\] Leader (?P<tp>\S+) .*starts at leader epoch (?P<epoch>\d+) from offset"
_LEADS_AT = (
    r"\[Broker id=\d+\] Leader (?P<tp>\S+) .*starts at leader epoch (?P<epoch>[1-9]\d*) from offset (?P<offset>\d\d+)"
    r"(?P<between> with.*)high watermark (?P<hw>\d+)"
)
_COMMITTED = r"(?:\] (?:Leader|Follower)|\[Partition) (?P<tp>\S+) .*high ?[wW]atermark:? (?:[2-9]|\d\d)"
"""A high watermark above the offset 1."""
_STATE = r"Received LeaderAndIsr request .*leader=\d+, leaderEpoch=\d+, isr=\[?(?P<isr>[0-9, ]+)\]?, .*"
_SENT_VERSION = _STATE + r"(?:zkVersion|partitionEpoch)=(?P<version>\d+)"
_CACHED = (
    r"Cached leader info .*leaderEpoch=(?P<epoch>\d+), isr=\S.*zkVersion=(?P<version>\d+).* for partition (?P<tp>\S+)"
)
_CACHED_STATE = (
    r"Cached leader info \S*State\(.*controllerEpoch=(?P<writer>\d+), leader=(?P<leader>\d+),"
    r" leaderEpoch=(?P<epoch>\d+), isr=\[?(?P<isr>[0-9]+(?:, ?[0-9]+)*)"
    r".* for partition (?P<tp>\S+) .* epoch (?P<by>\d+) with"
)
_METADATA_SENT = r"epoch={by}\] Sending UpdateMetadata .*leaderEpoch={epoch}, .* for partition (?P<tp>\S+)"
_WRITER = r"Received LeaderAndIsr request .*controllerEpoch=(?P<writer>\d+), leader=\d+, "
_TAKEN = (
    r"Handling LeaderAndIsr request correlationId \d+ from controller \d+ epoch (?P<epoch>\d+) .*partition (?P<tp>\S+)"
)
_CUT = r"\[UnifiedLog partition=(?P<tp>[^,]+),.*Truncating to offset (?P<offset>\d+)"
_LOADED = r"Log loaded for partition (?P<tp>\S+) with initial high watermark (?P<hw>\d+)"


def _lacking(match: Match) -> str | None:
    """Return the line of a leader that begins at offset 1, though more than a few records are there."""
    if integer(match, "hw") < integer(match, "offset") // 2:
        return None
    line = match.string
    return f"{line[: match.start('offset')]}1{match['between']}high watermark 1{line[match.end('hw') :]}"


def _committed(match: Match, above: Match) -> str | None:
    return number("offset", lambda _: 1)(match) if integer(above, "hw") > 1 else None


def _below(name: str) -> Callable[[Match, Match], str | None]:
    """Return a number below that of the line above, unless it has begun again in between."""

    def change(match: Match, above: Match) -> str | None:
        was, now = int(above[name]), int(match[name])
        return None if was == 0 or now < was else number(name, lambda _: was - 1)(match)

    return change


def _version_below(match: Match, above: Match) -> str | None:
    return _below("version")(match, above) if above["epoch"] == match["epoch"] else None


_LEADS_33 = (
    r"\[Broker id=\d+\] Leader (?P<tp>\S+) (?:with topic id \S+ )?starts at leader epoch (?P<epoch>\d+) from offset "
    r"(?P<offset>\d+) with (?:partition epoch (?P<version>\d+), )?high watermark (?P<hw>\d+),? ISR \[(?P<isr>[0-9,]+)\]"
    r".*\. Previous leader epoch was (?P<previous>-?\d+)\."
)
_TAKES = r"\[Broker id=\d+\] (?:Leader|Follower) (?P<tp>\S+) .*starts at leader epoch"
_GOES_ON = _TAKES + r" .*[Pp]revious leader epoch was \d+\."
_FETCHES_ONE = (
    r"Added fetcher to broker (?:BrokerEndPoint\(id=)?(?P<leader>\d+).* for partitions \w+\((?P<tp>\S+) -> [^>]+$"
)
_WRITES = r"\[Partition (?P<tp>\S+) broker=\d+\] ISR updated to (?P<bracket>\[?)(?P<isr>[0-9, ]+)"
_ISR_OF_ZK = r"ISR updated to \[(?P<isr>[0-9, ]+)\] and zkVersion"
_ASKED = r"Handling LeaderAndIsr request correlationId (?P<id>\d+) from (?P<tp>controller \d+) for \d+ partitions"
_ENDED = r"Finished LeaderAndIsr request .* for (?P<count>\d+) partitions"
_ADDED = r"(?P<tp>Add) \d+ partitions and deleted .* sent by controller \d+ epoch (?P<epoch>\d+)"
_REFUSED_IN_3 = r"Leader (?P<tp>\S+) with topic id Some\((?P<id>\S+)\) starts at leader epoch"
_TAKEN_AGAIN = r"(?:become-\w+ transition for partition|\] (?:Leader|Follower)) (?P<tp>\S+)"
_REMOVED_ONE = r"Removed fetcher for partitions (?:Hash)?Set\((?P<tp>[^, )]+)\)"
_ADDS = r"Added fetcher .*[( ](?P<tp>\S+-\d+) -> "
_PRINTS_WATERMARK = _TAKES + r" \d+ from offset \d+ with .*high watermark \d+"


def _follows(match: Match) -> str:
    """Return the same start, of a follower."""
    versioned = f"with partition epoch {match['version']} and" if match["version"] else "with"
    current = " Current leader is 99." if match["version"] else ""
    start = f"starts at leader epoch {match['epoch']} from offset {match['offset']} {versioned}"
    text = f"Follower {match['tp']} {start} high watermark {match['hw']}.{current}"
    broker = re.search(r"\[Broker id=\d+\]", match.string)
    assert broker is not None
    head = f"{match.string[:TIME]} INFO {broker[0]}"
    return f"{head} {text} Previous leader epoch was {match['previous']}. (state.change.logger)"


def _by_fetcher(text: str, level: str = "WARN") -> Callable[[Match], str]:
    """Return the line of a fetcher of the partition, in place of the line."""

    def change(match: Match) -> str:
        fetcher = f"[ReplicaFetcher replicaId={_fetching(match)}, leaderId=99, fetcherId=0]"
        rendered = f"{fetcher} {text.format(tp=match['tp'])} (kafka.server.ReplicaFetcherThread)"
        return f"{match.string[:TIME]} {level} {rendered}"

    return change


def _fetching(match: Match) -> str:
    """Return the broker that adds or removes a fetcher."""
    broker = re.search(r"Manager on broker (\d+)\]", match.string)
    assert broker is not None
    return broker[1]


def _shrinks(match: Match) -> str:
    """Return an ISR that shrinks to the broker itself, in place of the line."""
    broker = _fetching(match)
    partition = f"[Partition {match['tp']} broker={broker}] Shrinking ISR from {broker},99 to {broker}"
    ends = "Leader: (highWatermark: 1, endOffset: 1). Out of sync replicas: (brokerId: 99, endOffset: 0)"
    return f"{match.string[:TIME]} INFO {partition}. {ends}. (kafka.cluster.Partition)"


def _cut_by_leader(match: Match) -> str:
    log = "Log" if match["bracket"] or "version updated to [" in match.string else "UnifiedLog"
    cut = f"[{log} partition={match['tp']}, dir=/d] Truncating to offset 1 (kafka.log.{log})"
    return f"{match.string[:TIME]} INFO {cut}"


def _id_refused(match: Match) -> str:
    broker = re.search(r"\[Broker id=\d+\]", match.string)
    assert broker is not None
    differs = f"Topic ID in memory: AAAAAAAAAAAAAAAAAAAAAQ does not match the topic ID for partition {match['tp']}"
    return f"{match.string[:TIME]} ERROR {broker[0]} {differs} received: {match['id']}. (state.change.logger)"


def _id_below(match: Match, above: Match) -> str | None:
    was, now = int(above["id"]), int(match["id"])
    return number("id", lambda _: was - 1)(match) if 3 < was < now else None


def _without(ids: str, one: str) -> str | None:
    left = [each for each in ids.split(",") if each != one]
    return ",".join(left) if left else None


STATES: tuple[Kind, ...] = (
    Kind("epoch repeats", _KNOWN, number("epoch", lambda m: integer(m, "previous")), "it takes the epoch that it has"),
    Kind(
        "epoch falls",
        _KNOWN,
        number("epoch", lambda m: integer(m, "previous") - 1 if integer(m, "previous") else None),
        "it takes an epoch below the one that it has",
    ),
    Kind("leader's epoch repeats", _LEADS_25, number("epoch", lambda m: integer(m, "previous")), "the same, up to 2.5"),
    Kind("previous differs", _KNOWN, number("previous", lambda m: integer(m, "previous") + 1), "another epoch before"),
    Kind(
        "watermark above end", _START, number("hw", lambda m: integer(m, "offset") + 1), "more committed than there is"
    ),
    Kind(
        "watermark above leader's end", _SHRINKS_HW, number("hw", lambda m: integer(m, "end") + 1), "more than there is"
    ),
    Kind("shrinks from another set", _SHRINKS, text("old", lambda m: m["old"] + ",99"), "another ISR before"),
    Kind("expands from another set", _EXPANDS, text("old", lambda m: "99"), "another ISR before"),
    Kind("shrinks to no less", _SHRINKS, text("new", lambda m: m["old"]), "no member leaves"),
    Kind("shrinks to others", _SHRINKS, text("new", lambda m: m["new"] + ",99"), "a member comes"),
    Kind("expands by two", _EXPANDS, text("new", lambda m: m["new"] + ",99"), "two members come"),
    Kind("expands by none", _EXPANDS, text("new", lambda m: m["old"]), "no member comes"),
    Kind("leader leaves", _SHRINKS, text("new", lambda m: _without(m["old"], m["self"])), "it is not in its ISR"),
    Kind("version repeats", _WRITTEN, number("version", lambda m: integer(m, "version") - 1), "a version again"),
    Kind(
        "version falls",
        _WRITTEN,
        number("version", lambda m: 0 if integer(m, "version") > 1 else None),
        "a version falls",
    ),
    Kind("fetches from another", _FETCH, number("leader", lambda m: 77), "a fetcher to another broker"),
    Kind(
        "fetches in a later epoch", _FETCH_EPOCH, number("epoch", lambda m: integer(m, "epoch") + 1), "an epoch to come"
    ),
    Kind(
        "fetches in an earlier epoch",
        _FETCH_EPOCH,
        number("epoch", lambda m: integer(m, "epoch") - 1 if integer(m, "epoch") else None),
        "an epoch that is over",
    ),
    Kind(
        "other role",
        _BEGUN,
        text("kind", lambda m: None if "with leader" in m.string else "follower"),
        "it follows, and is the leader",
    ),
    Kind(
        "another leader is asked for",
        _RECEIVED,
        number("leader", lambda m: 77 if m["leader"] == m["self"] else None),
        "it leads for another",
    ),
    Kind("not among the replicas", _RECEIVED, text("replicas", lambda m: "77"), "it has no replica"),
    Kind(
        "refuses a newer epoch",
        _REFUSED,
        number("asked", lambda m: integer(m, "epoch") + 1),
        "a new request is refused",
    ),
    Kind(
        "refuses for another epoch",
        _REFUSED,
        number("epoch", lambda m: integer(m, "epoch") + 3),
        "it has another epoch",
    ),
    Kind(
        "cut elsewhere",
        r"Truncating partition \S+ .*local high watermark (?P<hw>\d+)",
        number("hw", lambda m: integer(m, "hw") + 1),
        "another high watermark",
    ),
    Kind("another broker leads", _LEADS, number("self", lambda m: 77), "one that was not elected leads"),
    Kind(
        "leads with another ISR",
        _LEADS + r".* ISR \[(?P<isr>[0-9,]+)\]",
        text("isr", lambda m: m["self"] + ",99"),
        "an ISR that no controller wrote",
    ),
    Kind("follows another", r"Current leader is (?P<leader>\d+)\.", number("leader", lambda m: 77), "another leader"),
    Kind("received another ISR", _STATE, text("isr", lambda m: "99"), "it was not sent"),
    Kind(
        "received another version", _SENT_VERSION, number("version", lambda m: integer(m, "version") + 50), "not sent"
    ),
    Kind(
        "begins in an older version",
        _STARTS_IN,
        number("version", lambda m: 0 if integer(m, "epoch") and integer(m, "version") else None),
        "a version of before the election",
    ),
    Kind(
        "begins in a version to come",
        _STARTS_IN,
        number("version", lambda m: integer(m, "version") + 50 if m["role"] == "Leader" else None),
        "a version that nobody wrote",
    ),
    Kind("cache goes back", _CACHED, _below("epoch"), "an older leader epoch is cached", after=_CACHED, process=True),
    Kind(
        "cached version goes back", _CACHED, _version_below, "an older version is cached", after=_CACHED, process=True
    ),
    Kind("takes an older controller", _TAKEN, _below("epoch"), "a controller that is deposed", after=_TAKEN),
    Kind("leader lacks records", _LEADS_AT, _lacking, "committed records are gone", seen_before=_COMMITTED),
    Kind(
        "cuts committed records",
        _CUT,
        _committed,
        "committed records are cut off",
        after=_LOADED,
    ),
    Kind("writes another set", _ISR_OF_ZK, text("isr", lambda m: m["isr"] + ",99"), "it announced another ISR"),
    Kind("follows and does not fetch", _LEADS_33, _follows, "no fetcher is added", later=_GOES_ON, process=True),
    Kind(
        "gives up for good",
        _FETCHES_ONE,
        _by_fetcher("Partition {tp} marked as failed"),
        "a partition is given up, and not taken again",
        never=_TAKEN_AGAIN,
        not_seen_before=r"Partition (?P<tp>\S+) has an (?:older|newer) epoch",
    ),
    Kind("another topic id", _REFUSED_IN_3, _id_refused, "the log is of another topic"),
    Kind("another count at the end", _ENDED, number("count", lambda m: integer(m, "count") + 1), "one is passed over"),
    Kind("correlation id goes back", _ASKED, _id_below, "a request comes late", after=_ASKED),
    Kind(
        "metadata of an older controller",
        _ADDED,
        _below("epoch"),
        "a controller that is deposed",
        after=_ADDED,
        process=True,
    ),
    Kind(
        "watermark below log start",
        _REMOVED_ONE,
        _by_fetcher("Reset fetch offset for partition {tp} from 1 to current leader's start offset 9999999"),
        "a log begins anew above its high watermark",
        earlier=_ADDS,
        later=_PRINTS_WATERMARK,
    ),
    Kind("a follower changes its ISR", _FETCHES_ONE, _shrinks, "it does not lead"),
    Kind("fetches from itself", _FETCH, text("leader", _fetching), "it has no leader"),
    Kind(
        "follows itself",
        r"\[Broker id=(?P<self>\d+)\] Follower .*Current leader is (?P<leader>\d+)\.",
        text("leader", lambda m: m["self"]),
        "it has no leader",
    ),
    Kind("forgets its epoch", _KNOWN, number("previous", lambda m: -1), "it had an epoch"),
    Kind(
        "caches an epoch to come",
        _CACHED,
        number("epoch", lambda m: integer(m, "epoch") + 7),
        "an epoch of nobody",
        later=_CACHED,
    ),
    Kind(
        "caches another leader",
        _CACHED_STATE,
        number("leader", lambda m: 77),
        "it was not sent",
        seen_before=_METADATA_SENT,
    ),
    Kind(
        "caches another ISR",
        _CACHED_STATE,
        text("isr", lambda m: m["isr"] + ", 99"),
        "it was not sent",
        seen_before=_METADATA_SENT,
    ),
    Kind(
        "caches what another wrote",
        _CACHED_STATE,
        number("writer", lambda m: integer(m, "writer") + 5),
        "it was not sent",
        seen_before=_METADATA_SENT,
    ),
    Kind("received what another wrote", _WRITER, number("writer", lambda m: integer(m, "writer") + 5), "not sent"),
    Kind("leader cuts its log", _WRITES, _cut_by_leader, "records are cut off by a leader"),
    Kind(
        "log end falls",
        _KNOWN,
        number(
            "offset",
            lambda m: integer(m, "hw") - 1 if integer(m, "hw") and integer(m, "hw") == integer(m, "offset") else None,
        ),
        "records are gone",
    ),
)
"""One line each; a wrong log end shows as a high watermark above it as well."""
