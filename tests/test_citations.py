"""A citation leads somewhere: to a class and method of Kafka, a KIP, a KAFKA issue, or a page and its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from isrproof.specs.behaviours import BEHAVIOURS
from isrproof.specs.lines import rows
from isrproof.specs.lines.classes import packages
from isrproof.specs.machines import machine, machine_names

from tests.citations import CLASS, FILE, ISSUE, PAGE, anchor, cites, headings, of_module, texts
from tests.imports import ROOT

PLACEHOLDERS = {"traces/cases/CODE.md", "CODE.md"}
"""Names in texts about files that each have a name of their own."""
WITHOUT_LINES = {
    *("BrokerChange", "ControlRecordType", "ControllerContext", "IsrChangeNotification"),
    *("PartitionLeaderElectionAlgorithms", "PartitionModifications", "PartitionReassignmentRevert"),
    *(
        "ReplicatedLog",
        "StorageTool",
        "TopicDeletion",
        "TopicDeletionStopReplicaResponseReceived",
    ),
}
"""Classes that are cited and print no line that any table has."""
OWN = {"Admin"}
"""Files of this project that are written in Java."""


@cache
def known() -> frozenset[str]:
    """Classes of Kafka that the tables have: those that log, and those that lines and machines were read from."""
    sources = [row.source for row in rows().values()] + [machine(name).source for name in machine_names()]
    sources += [each.source for each in BEHAVIOURS.values()]
    found = (match["name"] for source in sources for form in (CLASS, FILE) for match in form.finditer(source))
    return frozenset((*packages(), *found))


def page_faults(text: str, where: Path = ROOT) -> Iterator[str]:
    """Pages in a text that do not exist, or lack the heading that is named; numbers after a page lead nowhere."""
    for match in PAGE.finditer(text):
        path = next((each for each in (where.parent / match["path"], ROOT / match["path"]) if each.is_file()), None)
        if match["path"] in PLACEHOLDERS:
            continue
        if path is None:
            yield f"{match['path']} does not exist"
        elif match["heading"] and " ".join(match["heading"].split()) not in headings(path):
            yield f"{match['path']} has no heading {match['heading']!r}"
        elif match["anchor"] and match["anchor"] not in {anchor(each) for each in headings(path)}:
            yield f"{match['path']} has no heading #{match['anchor']}"
        if re.match(r",? \d", text[match.end() :]):
            yield f"{match[0]} {text[match.end() :].split()[0]}: a number names no heading"


def is_citation(text: str) -> bool:
    """Return whether a text has the form of a citation: an issue, or a class of Kafka with its methods."""
    if ISSUE.fullmatch(text):
        return True
    parts = re.split(r", | in ", text.rpartition("/")[2])
    forms = [bool(CLASS.fullmatch(part) or FILE.fullmatch(part)) for part in parts]
    return any(forms) and all(form or re.fullmatch(r"[a-z]\w+", part) for form, part in zip(forms, parts, strict=True))


def test_pages_exist_and_have_the_headings() -> None:
    found = [f"{each.where}: {fault}" for each in texts() for fault in page_faults(each.text, each.path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("As docs/zookeeper.md has it.", 0),
        ('(docs/zookeeper.md, "Elections")', 0),
        ('(docs/zookeeper.md, "Elektions")', 1),
        ("docs/zookeeper.md#topic-deletion", 0),
        ("docs/zookeeper.md#deletion-of-topics", 1),
        ("docs/keeper.md", 1),
        ("(broker.md 2.1)", 2),
        ("docs/zookeeper.md 4.1", 1),
        ('docs/zookeeper.md, "How a replica\n    leaves the ISR"', 0),
    ],
)
def test_a_page_or_heading_that_is_missing_is_found(text: str, faults: int) -> None:
    assert len([*page_faults(text)]) == faults


def test_what_models_cite_is_an_issue_or_a_class() -> None:
    found = [*cites()]
    assert len(found) > 100
    assert [each for each in found if not is_citation(each[1])] == []


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("KIP-320", True),
        ("KAFKA-7128", True),
        ("makeLeader in Partition.scala", True),
        ("onTopicDeletion, startReplicaDeletion in TopicDeletionManager.scala", True),
        ("ReplicationControlManager.electLeader, maybeElectUncleanLeaders", True),
        ("kafka.server.ReplicaManager", True),
        ("core/src/main/scala/kafka/server/DelayedFetch.scala", True),
        ("KIP 320", False),
        ("KAFKA-71280000", False),
        ("INELIGIBLE_REPLICA", False),
        ("min.insync.replicas", False),
        ("broker.md 2.1", False),
        ("S1", False),
    ],
)
def test_forms_of_citations(text: str, is_one: bool) -> None:
    assert is_citation(text) == is_one


def test_every_issue_has_a_number() -> None:
    found = [
        f"{each.where}: {match[0]}"
        for each in texts()
        for match in re.finditer(r"\b(?:KIP|KAFKA)-\w*", each.text)
        if not ISSUE.fullmatch(match[0]) and match[0] not in ("KIP-n", "KAFKA-n")
    ]
    assert not found, "\n".join(found)


def test_classes_are_those_of_the_tables() -> None:
    """A class that no table has is named above: it prints nothing."""
    cited = {match["name"] for _, text in cites() if not ISSUE.fullmatch(text) for match in CLASS.finditer(text)}
    for each in texts():
        if not each.path.is_relative_to(ROOT / "tests"):
            cited |= {match["name"] for match in FILE.finditer(each.text)}
    assert sorted(cited - known() - WITHOUT_LINES - OWN) == []
    assert sorted(WITHOUT_LINES - cited) == []
    assert sorted(WITHOUT_LINES & known()) == []


def test_docstrings_and_comments_are_texts() -> None:
    source = '"""One."""\nlimit = 1  # two\n"""Three."""\ntext = "four"\n'
    assert [*of_module(source)] == [(1, '"""One."""'), (2, "# two"), (3, '"""Three."""')]
