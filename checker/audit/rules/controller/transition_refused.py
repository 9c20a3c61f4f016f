"""Kafka's own guard refused a transition.

Why it matters
    The state did not change, so nothing is broken by the refusal itself. It shows what the controller tried to do and
    could not: some refusals are harmless races, others stop the deletion of a topic for good.

How it is seen
    An ERROR line, followed by the throwable: "... should be in the {...} states before moving to ... Instead it is in
    ...". Later steps of the same chain fail too; look at the first.

What would make it certain
    Nothing has to: the line is Kafka's own, and says which states it wanted and which it found. A refusal breaks no
    guarantee, so it is never illegal. The moves that led there are judged by KR101 to KR104.

Releases
    All. specs/refusals.toml lists the known pairs, when they happen, and which are harmless.
"""

from __future__ import annotations

from .....model.expr import true
from .....specs.refusals import known_refusal
from ...table.protocol import Row
from ..remedy import BEFORE_2_2, MOVE_CONTROLLER, TOPICS, Remedy
from ..rule import Rule
from ..verdicts import REFUSED
from ._words import where


def _machine(row: Row) -> str:
    return "replica" if row.get("replica") is not None else "partition"


def _message(row: Row) -> str:
    who = f"replica {row['replica']} of {where(row)}" if _machine(row) == "replica" else f"partition {where(row)}"
    return _refused(who, row)


def _cause(row: Row) -> str:
    return _refused("replicas" if _machine(row) == "replica" else "partitions", row)


def _refused(who: str, row: Row) -> str:
    text = f"Kafka refused to move {who} from {row['thrown_from_state']} to {row['to_state']}"
    known = known_refusal(row["thrown_from_state"], row["to_state"], row["releases"])
    if known is None:
        return text
    return f"{text}: {known.when}{' (harmless)' if known.harmless else ''}"


RULE = Rule(
    code="KR105",
    name="transition-refused",
    observation="refusals",
    kind="replica",
    applies=true,
    verdict=REFUSED,
    message=_message,
    cause=_cause,
    expected=lambda row: f"from one of {', '.join(row['thrown_valid_states'])}",
    got=lambda row: f"from {row['thrown_from_state']}",
    issues=("KAFKA-8237", "KAFKA-6650"),
    remedy=Remedy(
        workaround="Nothing to do where the finding calls it harmless. A deletion that hangs resumes when all"
        f" brokers with a replica of the topic are up; if it does not resume: {MOVE_CONTROLLER}",
        verify=TOPICS,
        look_for="the topic is not in the list, or is there without 'marked for deletion'",
        older=BEFORE_2_2,
    ),
)
