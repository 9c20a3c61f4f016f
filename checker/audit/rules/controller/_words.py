"""Phrases that several rules share."""

from __future__ import annotations

from collections.abc import Collection

from .....specs.machines import LEVELS, machine
from .....specs.releases import RELEASES, names
from ...fields import states
from ...table.protocol import Row
from ..moves import may_precede


def where(row: Row) -> str:
    """Return the partition of a row, as Kafka prints it."""
    return f"{row['topic']}-{row['partition']}"


def who(name: str, row: Row) -> str:
    return f"replica {row['replica']} of {where(row)}" if name == "replica" else f"partition {where(row)}"


def moved(name: str, row: Row) -> str:
    verb = "moved" if row.get("made") else "was not allowed to move"
    return f"{who(name, row)} {verb} from {row['from_state']} to {row['to_state']}"


def not_allowed(row: Row) -> str:
    if row["verdict"] == "unknown":
        return f"only some of the releases that it may come from ({names(row['releases'])}) allow"
    return "the table does not allow"


def wanted_sources(name: str, row: Row) -> str:
    """Return the valid previous states of the target, in the releases that the line may come from."""
    table, mask = machine(name), row["releases"]
    found = [table.previous(row["to_state"], r) for r in RELEASES if r.mask & mask & table.releases]
    sets = sorted({"{" + ", ".join(previous) + "}" for previous in found})
    return f"{row['to_state']} is entered from {' or '.join(sets)}"


def possible_states(name: str, row: Row) -> str:
    """Return the states that the entity may be in when the line is written."""
    every = states(name).values
    reached = may_precede(name).data[LEVELS.index(row["seen_level"])]
    possible = reached[every.index(row["before"])]
    return "from one of " + ", ".join(state for state, allowed in zip(every, possible, strict=True) if allowed)


def ids(values: list[int]) -> str:
    return "[" + ", ".join(str(value) for value in values) + "]"


def brokers(members: Collection[int]) -> str:
    """Return one or several brokers by their ids, as a phrase."""
    return f"broker{'s' * (len(members) > 1)} {', '.join(map(str, sorted(members)))}"


def state(row: Row, prefix: str = "") -> str:
    """Return leader, ISR and leader epoch as one phrase."""
    isr = row.get(f"{prefix}isr")
    shown = [f"leader {row[f'{prefix}leader']}"]
    if isr is not None:
        shown.append(f"ISR {ids(isr)}")
    if row.get(f"{prefix}leader_epoch") is not None:
        shown.append(f"leader epoch {row[f'{prefix}leader_epoch']}")
    return ", ".join(shown)
