"""The tables against Kafka's own source, where a clone with its release tags is at hand.

ISRPROOF_KAFKA_SOURCE=path/to/kafka pytest tests/specs/test_kafka_source.py
"""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache

import pytest
from isrproof.specs import toml
from isrproof.specs.behaviours import BEHAVIOURS, Behaviour
from isrproof.specs.lines import _LEADING, FOLDER
from isrproof.specs.lines.classes import packages
from isrproof.specs.machines import machine
from isrproof.specs.releases import RELEASES, Release, release, span

from tests.citations import CLASS, FILE, cites

SOURCE = os.environ.get("ISRPROOF_KAFKA_SOURCE", "")
if not SOURCE:
    pytest.skip("ISRPROOF_KAFKA_SOURCE names no clone of Kafka", allow_module_level=True)

TABLES = {"replica": "ReplicaStateMachine", "partition": "PartitionStateMachine"}
OBJECT = re.compile(r"case object (\w+) extends \w+State \{\s*val state: Byte = (\d)")
PREVIOUS = re.compile(OBJECT.pattern + r"\s*val validPreviousStates: Set\[\w+\] = Set\(([^)]*)\)")
ASSERTED = re.compile(r"assertValidPreviousStates\([^)]*?List\(([^)]*)\),\s*(\w+)\)")


def git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", SOURCE, *arguments], capture_output=True, text=True, check=False).stdout


@cache
def tags() -> frozenset[str]:
    return frozenset(git("tag").split())


@cache
def containing(commit: str) -> frozenset[str]:
    return frozenset(git("tag", "--contains", commit).split())


def known_tags(row: Release) -> list[str]:
    return [tag for tag in row.tags if tag in tags()]


@pytest.mark.parametrize("name", sorted(TABLES))
@pytest.mark.parametrize("row", [row for row in RELEASES if row.mask & span("<=3.9")], ids=lambda row: row.name)
def test_states_codes_and_previous_states_are_those_of_the_source(row: Release, name: str) -> None:
    for tag in known_tags(row):
        text = git("show", f"refs/tags/{tag}:core/src/main/scala/kafka/controller/{TABLES[name]}.scala")
        codes = {state: int(code) for state, code in OBJECT.findall(text)}
        lists = {state: previous for state, _, previous in PREVIOUS.findall(text)} or asserted(text)
        table = machine(name)
        assert {state.name: state.code_in(row) for state in table.states_in(row)} == codes, tag
        printed = {state: tuple(re.findall(r"\w+", previous)) for state, previous in lists.items()}
        assert {state.name: table.previous(state.name, row) for state in table.states_in(row)} == printed, tag


def asserted(text: str) -> dict[str, str]:
    """Up to 0.10 the sets are arguments of a call inside the case of their target."""
    lists = {}
    for call in ASSERTED.finditer(text):
        target = call[2]
        if target == "targetState":
            target = re.findall(r"case (\w+) =>", text[: call.start()])[-1]
        lists[target] = call[1]
    return lists


@pytest.mark.parametrize("row", [row for row in RELEASES if row.mask & span("<=3.9")], ids=lambda row: row.name)
def test_levels_are_those_of_the_source(row: Release) -> None:
    for tag in known_tags(row):
        shipped = re.search(
            r"^log4j\.logger\.state\.change\.logger=(\w+)",
            git("show", f"refs/tags/{tag}:config/log4j.properties"),
            re.MULTILINE,
        )
        assert shipped
        assert shipped[1] == row.state_change_level, tag
        text = git("show", f"refs/tags/{tag}:core/src/main/scala/kafka/controller/PartitionStateMachine.scala")
        lines = re.findall(
            r"stateChangeLog(?:ger)?\.(trace|info)\(\s*s?\"(?:Changed|Controller %d epoch %d changed)", text
        )
        assert {line.upper() for line in lines} == {move.level for move in machine("partition").moves(row)}, tag


@pytest.mark.parametrize("row", [row for row in RELEASES if row.mask & span("<=1.0")], ids=lambda row: row.name)
def test_an_untrue_from_state_is_read_after_the_move_or_not_at_all(row: Release) -> None:
    for tag in known_tags(row):
        text = git("show", f"refs/tags/{tag}:core/src/main/scala/kafka/controller/PartitionStateMachine.scala")
        moved = text.partition("partitionState.put(topicAndPartition, OnlinePartition)")[2].partition("case Offline")[0]
        assert "with leader" in moved
        late = "partitionState(topicAndPartition), leader" in moved
        fixed = "changed partition %s state from Online to Offline" in text
        untrue = bool(BEHAVIOURS["untrue from-state"].releases & row.mask)
        assert (late, fixed) == (untrue, untrue), tag


NO_COMMIT = ("KIP-595",)
"""Changes of more commits than can be named: 2.8 had a preview."""


def _ends_within(behaviour: Behaviour) -> bool:
    """Return True if the clone has one of the releases in which a change is there, or a bug no longer is."""
    own = [row.index for row in RELEASES if behaviour.releases & row.mask]
    first = own[0] if behaviour.kind == "change" else own[-1] + 1
    return any(known_tags(row) for row in RELEASES if row.index >= first)


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=lambda behaviour: behaviour.id)
def test_the_commits_of_a_behaviour_are_where_its_releases_say(behaviour: Behaviour) -> None:
    commits = re.findall(r"\b[0-9a-f]{11}\b", behaviour.source)
    if not commits:
        assert behaviour.unfixed or behaviour.id in NO_COMMIT or not _ends_within(behaviour)
        return
    with_commit = {tag for commit in commits for tag in containing(commit)}
    for row in RELEASES:
        for tag in known_tags(row):
            has = bool(behaviour.releases & row.mask)
            if behaviour.kind == "change" or has:
                assert (tag in with_commit) == (has == (behaviour.kind == "change")), tag
    for fixed in behaviour.fixed_in:
        assert fixed in with_commit or fixed not in tags()
        assert release(fixed).tags[0] == fixed


DECLARED = re.compile(r"\b(?:class|object|trait|interface|enum) (\w+)[^.,'\w]")
NOT_OF_SERVERS = (
    "connect",
    "streams",
    "tools",
    "trogdor",
    "shell",
    "generator",
    "examples",
    "jmh-benchmarks",
    "test-common",
)
"""Modules whose classes write to no log of a broker or a controller."""


@cache
def branches() -> frozenset[str]:
    return frozenset(git("for-each-ref", "--format=%(refname:short)", "refs/heads").split())


def source_of(row: Release) -> str | None:
    """The newest state of a release that the clone has: a tag, or the branch of a release that has one row."""
    known = known_tags(row)
    if known:
        return f"refs/tags/{known[-1]}"
    return f"refs/heads/{row.name}" if row.name in branches() else None


@cache
def declared(source: str) -> dict[str, set[str]]:
    """By class of the table the packages that declare one of that name."""
    pattern = rf"(class|object|trait|interface|enum) ({'|'.join(packages())})\b"
    found: dict[str, set[str]] = {}
    for line in git("grep", "-E", pattern, source, "--", "*.java", "*.scala").splitlines():
        path, _, text = line[len(source) + 1 :].partition(":")
        place = re.search(r"src/main/(?:java|scala)/(.*)/[^/]*$", path)
        if place is not None and not path.startswith(NOT_OF_SERVERS):
            for name in DECLARED.findall(f"{text}\n"):
                found.setdefault(name, set()).add(place[1].replace("/", "."))
    return found


@pytest.mark.parametrize("row", RELEASES, ids=lambda row: row.name)
def test_classes_live_where_the_table_says(row: Release) -> None:
    source = source_of(row)
    if source is None:
        pytest.skip(f"the clone has no state of {row.name}")
    for name, own in packages().items():
        for package, mask in own:
            there = package in declared(source).get(name, ())
            assert there or not mask & row.mask, f"{name} is not in {package}"
        if not any(mask & row.mask for _, mask in own):
            assert not {package for package, _ in own} & declared(source).get(name, set()), f"{name} is there, too"


NUMBERED = ("version-printed",)
"""Rows whose wordings have the number of the release: AppInfoParser prints what is in kafka-version.properties."""
FILES = re.compile(
    r"/(?:Partition|RaftReplicaManager|ReplicaManager|Replica|AbstractFetcher\w+|ReplicaFetcher\w+|RemoteLeaderEndPoint"
    r"|LogManager|Log|UnifiedLog|LeaderEpochFileCache|KafkaApis|KafkaServer|BrokerServer|ZkUtils|KafkaZkClient|TierStateMachine"
    r"|BrokerLifecycleManager|MetadataCache|ZkMetadataCache)\.(?:scala|java)$"
)
"""Classes whose lines the tables of brokers' lines have."""
ELSEWHERE = ("preRegister", "Transition from", "BrokerEndPoint", "TruncationState", "EpochEntry")
"""Words that no message has: of log4j, or of what a value is printed as."""
VALUES = re.compile(
    r"\{[^{}]*\}|[{}\[\]()]|New: |(?:the |any )?follower's|(?<=to )the follower(?= for)|(?<=or )follower(?= is)"
)
"""Interruptions of a message: slots, brackets and words that a value prints."""


@cache
def texts(tag: str) -> str:
    """The source of a tag that prints what brokers do, its literals whole: neither wrapped nor joined by +."""
    files = [
        name for name in git("ls-tree", "-r", "--name-only", tag).split() if FILES.search(name) and "src/main" in name
    ]
    whole = "\n".join(git("show", f"refs/tags/{tag}:{name}") for name in files)
    whole = re.sub(r"//[^\n\"]*\n", "\n", whole)
    whole = re.sub(r'"\s*\)?\s*(?:\.format\([^)]*\)\s*)?\+\s*[sf]?"', "", whole)
    return re.sub(r"\s*\n\s*\|", "", whole)


def said(text: str) -> str:
    """The longest words of a wording that stand together."""
    leading = _LEADING.match(text)
    sentence = text[leading.end() :] if leading and text.startswith(("{", "[")) else text
    pieces = [piece for piece in VALUES.split(sentence) if not any(word in piece for word in ELSEWHERE)]
    return max(pieces, key=len, default="")


@pytest.mark.parametrize("row", [row for row in RELEASES if row.mask & span("<=3.8")], ids=lambda row: row.name)
def test_brokers_say_so_in_the_releases_of_each_wording(row: Release) -> None:
    """One tag of a row that says so will do: rows are not split for a wording."""
    missing = []
    for name in ("broker", "broker-log"):
        for line in toml.read(FOLDER / f"{name}.toml")["line"]:
            for variant in line["variant"] if line["id"] not in NUMBERED else ():
                words = said(variant["text"])
                if span(variant["releases"]) & row.mask and not any(words in texts(tag) for tag in known_tags(row)):
                    missing.append((line["id"], words))
    assert missing == []


def test_methods_that_models_cite_are_in_the_source() -> None:
    """Each method that a citation names is in its file, on the branch of some release.

    A class inside another file is not looked for.
    """
    texts: dict[str, str] = {}
    lines = [".".join(row.name.split(".")[:2]) for row in RELEASES]
    for ref in [f"refs/heads/{line}" for line in dict.fromkeys((*lines[::4], lines[-1]))]:
        for path in git("ls-tree", "-r", "--name-only", ref).splitlines():
            name, _, ending = path.rpartition("/")[2].rpartition(".")
            if ending in ("scala", "java") and "/src/main/" in path and name in CITED:
                texts[name] = texts.get(name, "") + git("show", f"{ref}:{path}")
    missing = {(name, method) for name, methods in CITED.items() for method in methods if name in texts}
    missing = {(name, method) for name, method in missing if not re.search(rf"\b{method}\b", texts[name])}
    assert not missing
    assert len(texts) > 10


def cited() -> dict[str, set[str]]:
    """The methods that models cite, by class."""
    found: dict[str, set[str]] = {}
    for _, text in cites():
        methods, _, file = text.rpartition(" in ")
        if methods and (match := FILE.fullmatch(file)):
            found.setdefault(match["name"], set()).update(re.findall(r"\b[a-z]\w+", methods))
        elif (of_class := CLASS.match(text)) and of_class["method"]:
            found.setdefault(of_class["name"], set()).add(of_class["method"])
    return found


CITED = cited()
