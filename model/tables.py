"""The tables of specs/machines as models of the language: one entity, one action per target state.

What the tables say of one entity is a whole model, small as it is: it is explored and proved like the protocols. What
a controller or broker does with many entities at once is not in it.
"""

from __future__ import annotations

from ..specs.machines import Machine, machine
from ..specs.releases import Release
from .action import Action, action
from .expr import Expr, after, const, field
from .property import Property
from .protocol import Model, starts
from .sorts import Enum, SetOf


def state_of(table: Machine, release: Release) -> Expr:
    """The field that holds the entity's state, an enum of the states of that release."""
    kind = "".join(word.capitalize() for word in table.name.split("-"))
    return field("state", Enum(f"{kind}State", tuple(each.name for each in table.states_in(release))))


def table_model(name: str, release: Release | str | None = None) -> Model:
    """The table of a release as a model.

    Raises:
        UnknownNameError: no such machine or release.
        IsrproofError: the release has no such machine.
    """
    table = machine(name)
    row = table.release(release)
    state = state_of(table, row)
    states = [each.name for each in table.states_in(row)]
    return Model(
        f"{name}-{row.name}",
        f"{table.title}: the valid moves of Kafka {row.name}.",
        settings=(),
        fields=(starts(state, table.unknown_is, f"the state of one entity, unknown to a {table.keeper} at first"),),
        actions=tuple(_enters(table, row, state, each) for each in states),
        properties=tuple(_met(state, each) for each in states if table.previous(each, row)),
    )


def _enters(table: Machine, release: Release, state: Expr, target: str) -> Action:
    previous = const(frozenset(table.previous(target, release)), SetOf(state.sort))
    return action(
        f"To{target}",
        f"The entity becomes {target}.",
        guard={"from a valid previous state": previous.contains(state)},
        updates={state: const(target, state.sort)},
        cites=(table.source,),
    )


def _met(state: Expr, name: str) -> Property:
    return Property(f"Meets{name}", f"The state {name} can be entered.", after(state).eq(name), "sometimes")
