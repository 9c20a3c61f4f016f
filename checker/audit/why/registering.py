"""The reasons why a broker of KRaft mode could not lead or be in sync: the clauses of its unfencing that fail."""

from __future__ import annotations

from ....model.evaluate import name_of
from ....model.kraft.state import b, to
from ..findings.happened import Happened
from . import kraft
from .guards import Refused, asks, evaluated
from .known import Known
from .nodes import ended

STEP = "Unfence"
"""The step of model kraft by which a broker that has registered takes part. Its step Register refuses nobody."""


def not_registered(entry: Happened, known: Known) -> Refused:
    """Return why a broker was not unfenced, in the state that records show; nothing where its process had ended."""
    if entry.node is None or entry.since is None or not (known.registrations and entry.lasts) or ended(entry, known):
        return Refused()
    state = known.registered(entry.node)
    env = kraft.state(1, {"registration": (state,), name_of(b): 0, name_of(to): -1, "ends": False})
    fails = evaluated(kraft.guard(1, STEP), env).fails
    if fails:
        return Refused((f"node {entry.node} could not be unfenced ({state}): {asks('kraft', fails)}",))
    shows = f"the server.log of node {entry.node}, and of the active controller,"
    return Refused(
        unknown=(f"why node {entry.node} was not unfenced: no clause of model kraft fails; {shows} would show it",)
    )
