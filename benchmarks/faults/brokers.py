"""Plants faults in what brokers write of their replicas: `python -m benchmarks.faults.brokers`.

A fault is one line of a recording, changed so that it tells what no broker does, or one line more. It is found if the
audit has a new finding that is illegal, suspicious or refused, found at its line if such a finding names that line,
and illegal if one of these is. It is decidable where the log goes on so that it shows: each kind says by which line.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import sys
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options

RECORDED = Path(__file__).parents[2] / "traces" / "recorded"
GOAL = 0.95
_IDS = "[0-9,]+"
Match = re.Match[str]


@dataclass(frozen=True)
class Kind:
    """A line that matches becomes what `change` makes of it, or is left alone (None). `meaning` is the fault.

    `after`: a pattern; `change` also gets the last line above that matches it, of the same partition (group `tp`).
    `earlier`, `later`, `never`, `not_seen_before`: patterns; the same process writes such a line of the partition
    before it, afterwards, or none afterwards, or none before; a group of the line that is changed may stand in them, as
    `{name}`. `seen_before`: any broker wrote such a line of the partition before it. `process`: the log shows where
    processes start, and none does since the line above. Where that is not so the fault is not decidable.
    """

    name: str
    pattern: str
    change: Callable[..., str | None]
    meaning: str
    after: str = ""
    earlier: str = ""
    seen_before: str = ""
    later: str = ""
    never: str = ""
    not_seen_before: str = ""
    process: bool = False


def _number(name: str, by: Callable[[Match], int | None]) -> Callable[[Match], str | None]:
    """Another number in the group `name`."""

    def change(match: Match) -> str | None:
        new = by(match)
        if new is None:
            return None
        return match.string[: match.start(name)] + str(new) + match.string[match.end(name) :]

    return change


def _text(name: str, by: Callable[[Match], str | None]) -> Callable[[Match], str | None]:
    def change(match: Match) -> str | None:
        new = by(match)
        return None if new is None else match.string[: match.start(name)] + new + match.string[match.end(name) :]

    return change


def _int(match: Match, name: str) -> int:
    return int(match[name])


_START = (
    r"(?:Leader|Follower(?!.*Previous leader \S+ and)) \S+ (?:with topic id \S+ )?"
    r"starts at leader epoch (?P<epoch>\d+) from offset (?P<offset>\d+)"
    r"(?: with partition epoch \d+,?)?(?: and)?(?: with)? high watermark (?P<hw>\d+)"
)
_KNOWN = _START + r".*[Pp]revious leader epoch was (?P<previous>\d+)\."
"""Of a partition that the broker has already. (Followers since 3.6 print the new epoch.)"""
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
    """A leader that begins at offset 1, though more than a few records are there."""
    if _int(match, "hw") < _int(match, "offset") // 2:
        return None
    line = match.string
    return f"{line[: match.start('offset')]}1{match['between']}high watermark 1{line[match.end('hw') :]}"


def _committed(match: Match, above: Match) -> str | None:
    return _number("offset", lambda _: 1)(match) if _int(above, "hw") > 1 else None


def _below(name: str) -> Callable[[Match, Match], str | None]:
    """A number below that of the line above, where it has not begun anew in between."""

    def change(match: Match, above: Match) -> str | None:
        was, now = int(above[name]), int(match[name])
        return None if was == 0 or now < was else _number(name, lambda _: was - 1)(match)

    return change


def _version_below(match: Match, above: Match) -> str | None:
    return _below("version")(match, above) if above["epoch"] == match["epoch"] else None


_TIME = 25
"""Letters of a line that are its time."""
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
_COUNTED = r"Add (?P<count>\d+) partitions and deleted .* (?P<tp>sent by controller \d+ epoch (?!1 )\d+ )"
"""Of a tenure whose start is there: not the first."""
_OTHER_COUNT = r"Add (?!{count} )\d+ partitions and deleted .* (?P<tp>sent by controller \d+ epoch \d+ )"
"""Requests in a row with one count are one: what comes after the last of them, nobody knows."""
_REFUSED_IN_3 = r"Leader (?P<tp>\S+) with topic id Some\((?P<id>\S+)\) starts at leader epoch"
_TAKEN_AGAIN = r"(?:become-\w+ transition for partition|\] (?:Leader|Follower)) (?P<tp>\S+)"
_REMOVED_ONE = r"Removed fetcher for partitions (?:Hash)?Set\((?P<tp>[^, )]+)\)"
_ADDS = r"Added fetcher .*[( ](?P<tp>\S+-\d+) -> "
_PRINTS_WATERMARK = _TAKES + r" \d+ from offset \d+ with .*high watermark \d+"
_PROCESS = "INFO starting (kafka.server.KafkaServer)"


def _follows(match: Match) -> str:
    """The same start, of a follower."""
    versioned = f"with partition epoch {match['version']} and" if match["version"] else "with"
    current = " Current leader is 99." if match["version"] else ""
    start = f"starts at leader epoch {match['epoch']} from offset {match['offset']} {versioned}"
    text = f"Follower {match['tp']} {start} high watermark {match['hw']}.{current}"
    broker = re.search(r"\[Broker id=\d+\]", match.string)
    assert broker is not None
    head = f"{match.string[:_TIME]} INFO {broker[0]}"
    return f"{head} {text} Previous leader epoch was {match['previous']}. (state.change.logger)"


def _by_fetcher(text: str, level: str = "WARN") -> Callable[[Match], str]:
    """What a fetcher of the partition says, in place of the line."""

    def change(match: Match) -> str:
        fetcher = f"[ReplicaFetcher replicaId={_fetching(match)}, leaderId=99, fetcherId=0]"
        rendered = f"{fetcher} {text.format(tp=match['tp'])} (kafka.server.ReplicaFetcherThread)"
        return f"{match.string[:_TIME]} {level} {rendered}"

    return change


def _fetching(match: Match) -> str:
    """The broker that adds or removes a fetcher."""
    broker = re.search(r"Manager on broker (\d+)\]", match.string)
    assert broker is not None
    return broker[1]


def _shrinks(match: Match) -> str:
    """An ISR that shrinks to the broker itself, in place of the line."""
    broker = _fetching(match)
    partition = f"[Partition {match['tp']} broker={broker}] Shrinking ISR from {broker},99 to {broker}"
    ends = "Leader: (highWatermark: 1, endOffset: 1). Out of sync replicas: (brokerId: 99, endOffset: 0)"
    return f"{match.string[:_TIME]} INFO {partition}. {ends}. (kafka.cluster.Partition)"


def _cut_by_leader(match: Match) -> str:
    log = "Log" if match["bracket"] or "version updated to [" in match.string else "UnifiedLog"
    cut = f"[{log} partition={match['tp']}, dir=/d] Truncating to offset 1 (kafka.log.{log})"
    return f"{match.string[:_TIME]} INFO {cut}"


def _id_refused(match: Match) -> str:
    broker = re.search(r"\[Broker id=\d+\]", match.string)
    assert broker is not None
    differs = f"Topic ID in memory: AAAAAAAAAAAAAAAAAAAAAQ does not match the topic ID for partition {match['tp']}"
    return f"{match.string[:_TIME]} ERROR {broker[0]} {differs} received: {match['id']}. (state.change.logger)"


def _id_below(match: Match, above: Match) -> str | None:
    was, now = int(above["id"]), int(match["id"])
    return _number("id", lambda _: was - 1)(match) if 3 < was < now else None


def _without(ids: str, one: str) -> str | None:
    left = [each for each in ids.split(",") if each != one]
    return ",".join(left) if left else None


KINDS: tuple[Kind, ...] = (
    Kind("epoch repeats", _KNOWN, _number("epoch", lambda m: _int(m, "previous")), "it takes the epoch that it has"),
    Kind(
        "epoch falls",
        _KNOWN,
        _number("epoch", lambda m: _int(m, "previous") - 1 if _int(m, "previous") else None),
        "it takes an epoch below the one that it has",
    ),
    Kind("leader's epoch repeats", _LEADS_25, _number("epoch", lambda m: _int(m, "previous")), "the same, up to 2.5"),
    Kind("previous differs", _KNOWN, _number("previous", lambda m: _int(m, "previous") + 1), "another epoch before"),
    Kind("watermark above end", _START, _number("hw", lambda m: _int(m, "offset") + 1), "more committed than there is"),
    Kind(
        "watermark above leader's end", _SHRINKS_HW, _number("hw", lambda m: _int(m, "end") + 1), "more than there is"
    ),
    Kind("shrinks from another set", _SHRINKS, _text("old", lambda m: m["old"] + ",99"), "another ISR before"),
    Kind("expands from another set", _EXPANDS, _text("old", lambda m: "99"), "another ISR before"),
    Kind("shrinks to no less", _SHRINKS, _text("new", lambda m: m["old"]), "no member leaves"),
    Kind("shrinks to others", _SHRINKS, _text("new", lambda m: m["new"] + ",99"), "a member comes"),
    Kind("expands by two", _EXPANDS, _text("new", lambda m: m["new"] + ",99"), "two members come"),
    Kind("expands by none", _EXPANDS, _text("new", lambda m: m["old"]), "no member comes"),
    Kind("leader leaves", _SHRINKS, _text("new", lambda m: _without(m["old"], m["self"])), "it is not in its ISR"),
    Kind("version repeats", _WRITTEN, _number("version", lambda m: _int(m, "version") - 1), "a version again"),
    Kind(
        "version falls",
        _WRITTEN,
        _number("version", lambda m: 0 if _int(m, "version") > 1 else None),
        "a version falls",
    ),
    Kind("fetches from another", _FETCH, _number("leader", lambda m: 77), "a fetcher to another broker"),
    Kind(
        "fetches in a later epoch", _FETCH_EPOCH, _number("epoch", lambda m: _int(m, "epoch") + 1), "an epoch to come"
    ),
    Kind(
        "fetches in an earlier epoch",
        _FETCH_EPOCH,
        _number("epoch", lambda m: _int(m, "epoch") - 1 if _int(m, "epoch") else None),
        "an epoch that is over",
    ),
    Kind(
        "other role",
        _BEGUN,
        _text("kind", lambda m: None if "with leader" in m.string else "follower"),
        "it follows, and is the leader",
    ),
    Kind(
        "another leader is asked for",
        _RECEIVED,
        _number("leader", lambda m: 77 if m["leader"] == m["self"] else None),
        "it leads for another",
    ),
    Kind("not among the replicas", _RECEIVED, _text("replicas", lambda m: "77"), "it has no replica"),
    Kind(
        "refuses a newer epoch", _REFUSED, _number("asked", lambda m: _int(m, "epoch") + 1), "a new request is refused"
    ),
    Kind(
        "refuses for another epoch", _REFUSED, _number("epoch", lambda m: _int(m, "epoch") + 3), "it has another epoch"
    ),
    Kind(
        "cut elsewhere",
        r"Truncating partition \S+ .*local high watermark (?P<hw>\d+)",
        _number("hw", lambda m: _int(m, "hw") + 1),
        "another high watermark",
    ),
    Kind("another broker leads", _LEADS, _number("self", lambda m: 77), "one that was not elected leads"),
    Kind(
        "leads with another ISR",
        _LEADS + r".* ISR \[(?P<isr>[0-9,]+)\]",
        _text("isr", lambda m: m["self"] + ",99"),
        "an ISR that no controller wrote",
    ),
    Kind("follows another", r"Current leader is (?P<leader>\d+)\.", _number("leader", lambda m: 77), "another leader"),
    Kind("received another ISR", _STATE, _text("isr", lambda m: "99"), "it was not sent"),
    Kind("received another version", _SENT_VERSION, _number("version", lambda m: _int(m, "version") + 50), "not sent"),
    Kind(
        "begins in an older version",
        _STARTS_IN,
        _number("version", lambda m: 0 if _int(m, "epoch") and _int(m, "version") else None),
        "a version of before the election",
    ),
    Kind(
        "begins in a version to come",
        _STARTS_IN,
        _number("version", lambda m: _int(m, "version") + 50 if m["role"] == "Leader" else None),
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
    Kind("writes another set", _ISR_OF_ZK, _text("isr", lambda m: m["isr"] + ",99"), "it announced another ISR"),
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
    Kind("another count at the end", _ENDED, _number("count", lambda m: _int(m, "count") + 1), "one is passed over"),
    Kind(
        "another count of metadata",
        _COUNTED,
        _number("count", lambda m: _int(m, "count") + 1000),
        "more is taken",
        later=_OTHER_COUNT,
    ),
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
    Kind("fetches from itself", _FETCH, _text("leader", _fetching), "it has no leader"),
    Kind(
        "follows itself",
        r"\[Broker id=(?P<self>\d+)\] Follower .*Current leader is (?P<leader>\d+)\.",
        _text("leader", lambda m: m["self"]),
        "it has no leader",
    ),
    Kind("forgets its epoch", _KNOWN, _number("previous", lambda m: -1), "it had an epoch"),
    Kind(
        "caches an epoch to come",
        _CACHED,
        _number("epoch", lambda m: _int(m, "epoch") + 7),
        "an epoch of nobody",
        later=_CACHED,
    ),
    Kind(
        "caches another leader",
        _CACHED_STATE,
        _number("leader", lambda m: 77),
        "it was not sent",
        seen_before=_METADATA_SENT,
    ),
    Kind(
        "caches another ISR",
        _CACHED_STATE,
        _text("isr", lambda m: m["isr"] + ", 99"),
        "it was not sent",
        seen_before=_METADATA_SENT,
    ),
    Kind(
        "caches what another wrote",
        _CACHED_STATE,
        _number("writer", lambda m: _int(m, "writer") + 5),
        "it was not sent",
        seen_before=_METADATA_SENT,
    ),
    Kind("received what another wrote", _WRITER, _number("writer", lambda m: _int(m, "writer") + 5), "not sent"),
    Kind("leader cuts its log", _WRITES, _cut_by_leader, "records are cut off by a leader"),
    Kind(
        "log end falls",
        _KNOWN,
        _number(
            "offset", lambda m: _int(m, "hw") - 1 if _int(m, "hw") and _int(m, "hw") == _int(m, "offset") else None
        ),
        "records are gone",
    ),
)
"""One line each; that of a log's end shows as a high watermark above it as well."""


@dataclass(frozen=True)
class Outcome:
    kind: str
    recording: str
    file: str
    line: int
    decidable: bool
    found: bool
    at_line: bool
    illegal: bool


def outcomes(recording: Path, each: int, seed: int) -> Iterator[Outcome]:
    """What the audit finds of `each` faults of each kind, planted one by one."""
    texts = _texts(recording)
    if not texts:
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in texts.items():
            _write(root / path.relative_to(recording), text)
        known = _findings(root)
        wrong = {place for _, _, places in known for place in places}
        for kind in KINDS:
            places = [
                each for each in _places(kind, texts) if (str(each[0].relative_to(recording)), each[1]) not in wrong
            ]
            chosen = random.Random(f"{seed} {kind.name}").sample(places, min(each, len(places)))
            for path, number, changed, decidable in chosen:
                name = path.relative_to(recording)
                lines = texts[path].split("\n")
                lines[number - 1] = changed
                _write(root / name, "\n".join(lines))
                fresh = _findings(root) - known
                here = {finding for finding in fresh if (str(name), number) in finding[2]}
                illegal = any(verdict == "illegal" for _, verdict, _ in here)
                shown = decidable, bool(fresh), bool(here), illegal
                yield Outcome(kind.name, recording.name, str(name), number, *shown)
                _write(root / name, texts[path])


def with_faults(recording: Path, seed: int) -> dict[Path, str]:
    """The texts of a recording with a fault of each kind in it, no two in one line."""
    texts = _texts(recording)
    lines = {path: text.split("\n") for path, text in texts.items()}
    taken: set[tuple[Path, int]] = set()
    for kind in KINDS:
        free = [(path, number, new) for path, number, new, _ in _places(kind, texts) if (path, number) not in taken]
        if free:
            path, number, changed = random.Random(f"{seed} {kind.name}").choice(free)
            lines[path][number - 1] = changed
            taken.add((path, number))
    return {path: "\n".join(own) for path, own in lines.items()}


def _texts(recording: Path) -> dict[Path, str]:
    """Its logs, by their paths; that of one that is compressed without its ending."""
    found = {path: path.read_text(encoding="utf-8") for path in recording.rglob("*.log")}
    packed = recording.rglob("*.log.gz")
    found |= {path.with_suffix(""): gzip.decompress(path.read_bytes()).decode() for path in packed}
    return dict(sorted(found.items()))


def _places(kind: Kind, texts: dict[Path, str]) -> Iterator[tuple[Path, int, str, bool]]:
    """File, line, what becomes of it, and whether the log goes on so that it shows."""
    rest = {folder: _by_time(texts, {folder}) for folder in {path.parent for path in texts}}
    everyone = _by_time(texts, set(rest)) if kind.seen_before else []
    pattern, after = re.compile(kind.pattern), re.compile(kind.after)
    for path, text in texts.items():
        above: dict[str, Match] = {}
        for number, line in enumerate(text.split("\n"), start=1):
            match = pattern.search(line)
            changed, before_it = kind.change(match) if match and not kind.after else None, None
            if match and kind.after and match["tp"] in above:
                before_it = above[match["tp"]]
                changed = kind.change(match, before_it)
            if kind.after and (before := after.search(line)):
                above[before["tp"]] = before
            if match and changed is not None and changed != line:
                since = before_it.string[:_TIME] if before_it else line[:_TIME]
                yield path, number, changed, _shows(kind, match, since, rest[path.parent], everyone)


def _by_time(texts: dict[Path, str], folders: set[Path]) -> list[str]:
    """The dated lines of brokers, by their times."""
    own = [line for path, text in texts.items() if path.parent in folders for line in text.split("\n")]
    return sorted((line for line in own if line.startswith("[2")), key=_time)


def _time(line: str) -> str:
    return line[:_TIME]


def _shows(kind: Kind, match: Match, since: str, lines: list[str], everyone: list[str]) -> bool:
    """Whether the process has gone on since a time, and what it and others write is as the kind asks.

    `lines` are those of the broker, `everyone` those of all brokers.
    """
    at = _time(match.string)
    starts = [_time(line) for line in lines if _PROCESS in line] if kind.process else []
    if kind.process and (not starts or any(since <= start <= at for start in starts)):
        return False
    before = [*takewhile(_goes_on, reversed(lines[: bisect_left(lines, at, key=_time)]))]
    after = lines[bisect_right(lines, at, key=_time) :]
    asked = (
        (kind.earlier, True, before),
        (kind.not_seen_before, False, before),
        (kind.seen_before, True, everyone[: bisect_left(everyone, at, key=_time)]),
        (kind.later, True, takewhile(_goes_on, after)),
        (kind.never, False, takewhile(_goes_on, after)),
    )
    return all(_comes(pattern, match, within) == wanted for pattern, wanted, within in asked if pattern)


def _goes_on(line: str) -> bool:
    return _PROCESS not in line


def _comes(pattern: str, match: Match, lines: Iterable[str]) -> bool:
    """Whether one of the lines matches, of the same partition."""
    wanted = re.compile(pattern.format_map(match.groupdict()))
    return any(found["tp"] == match["tp"] for line in lines for found in wanted.finditer(line))


_Finding = tuple[str, str, frozenset[tuple[str, int]]]


def _findings(root: Path) -> set[_Finding]:
    """Rule, verdict and lines of what is illegal, suspicious or refused."""
    (report,) = audit([str(root)], Options(engine="python"))
    return {
        (
            finding.rule,
            finding.verdict,
            frozenset((str(Path(e.place.file).relative_to(root)), e.place.line or 0) for e in finding.evidence),
        )
        for finding in report.findings
        if finding.verdict in ("illegal", "suspicious", "refused")
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def table(made: Sequence[Outcome]) -> list[str]:
    lines = ["| kind | planted | decidable | found | at its line | illegal |", "|---|---|---|---|---|---|"]
    for name in [*(kind.name for kind in KINDS), "all"]:
        own = [one for one in made if name in (one.kind, "all")]
        shown = [one for one in own if one.decidable]
        counts = [sum(getattr(one, what) for one in shown) for what in ("decidable", "found", "at_line", "illegal")]
        counts.insert(0, len(own))
        lines.append(f"| {name} | " + " | ".join(map(str, counts)) + " |")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", nargs="*", help="names of recordings; all, if none is named")
    parser.add_argument("--each", type=int, default=1, help="faults of a kind in a recording")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="list what was not found at its line")
    options = parser.parse_args()
    names = options.recordings or sorted(path.name for path in RECORDED.iterdir() if path.is_dir())
    made = [one for name in names for one in outcomes(RECORDED / name, options.each, options.seed)]
    print("\n".join(table(made)))
    if options.missed:
        print("\n".join(str(one) for one in made if one.decidable and not one.at_line))
    decidable = [one for one in made if one.decidable]
    found = [one for one in decidable if one.found]
    good = len(found) >= GOAL * len(decidable) and sum(one.at_line for one in found) >= GOAL * len(found)
    return 0 if good and found else 1


if __name__ == "__main__":
    sys.exit(main())
