"""A plan as an environment: of the model's steps those that can be taken within it, in its order, so often.

Fields of the plan stand beside the state. Those that no step writes say what is planned, so that one program serves
all partitions. Nothing is added to what a step does to the partition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...model.action import Action, Clause, Update, update
from ...model.expr import Expr, both, either, field, fill, forall, ite, setting, substitute
from ...model.kraft.change import is_active
from ...model.kraft.registrations import clean, is_one_of
from ...model.kraft.state import (
    BROKERS,
    MIN_ISR,
    NOBODY,
    NOTHING_ASKED,
    UNREGISTERED,
    Brokers,
    Places,
    b,
    isr,
    leader,
    leader_epoch,
    members,
    offline,
    partition_epoch,
    place,
    r,
    request,
)
from ...model.property import Property
from ...model.protocol import Field, Model, starts
from ...model.sorts import Bound, Int, Value

may_fail, failed = field("may_fail", Brokers), field("failed", Brokers)
spare = field("spare", Int(0, Bound(BROKERS)))
turn = field("turn", Places)
todo, stopping, up = field("todo", Brokers), field("stopping", Brokers), field("up", Brokers)
disks = field("disks", Brokers)
least = field("least", Int(1, Bound(BROKERS, 1)))
PLANNED = (
    starts(least, 1, "the effective min.insync.replicas; one more than there are brokers: no ISR is enough"),
    starts(may_fail, frozenset(), "the brokers that the plan names as failing"),
    starts(spare, 0, "the number of further brokers that may fail"),
    starts(failed, frozenset(), "the brokers that have failed, each once"),
    starts(turn, fill(Places, NOBODY), "the place of each broker in the order of restarts; -1: it is not restarted"),
    starts(todo, frozenset(), "the brokers that are still to be restarted"),
    starts(stopping, frozenset(), "the brokers that were asked to stop, and have not registered since"),
    starts(up, frozenset(), "the brokers whose process runs, as far as the controller can see"),
    starts(disks, frozenset(), "the brokers on which the directory of the replica may fail"),
)
"""The fields of a plan."""
_STEPS = frozenset(
    {
        *("Register", "Unfence", "Fence", "ShutDown", "LoseDirectory", "Ask", "AlterPartition", "Forget"),
        *("ElectPreferred", "ElectUnclean", "Reassign"),
    }
)
"""The steps of an environment: nobody creates a partition, cancels, unregisters or cordons a broker."""


def environment(model: Model, *, epochs: bool = False) -> Model:
    """Return the model with what a plan allows; its fields start where the log and the plan say.

    Args:
        epochs: they are counted, though that makes no difference (`_without_epochs`).
    """
    taken = [_of_topic(_within(each)) for each in model.actions if each.name in _STEPS]
    return replace(
        model,
        name=f"{model.name} within a plan",
        settings=tuple(each for each in model.settings if each != MIN_ISR),
        fields=(*model.fields, *PLANNED),
        actions=tuple(taken if epochs else map(_without_epochs, taken)),
        properties=(),
        projections=(),
    )


def started(model: Model, values: Mapping[str, Value]) -> Model:
    """Return the model with other values to start with."""
    fields = (starts(each.expr, values[each.name], each.meaning) for each in model.fields)
    return replace(model, fields=tuple[Field, ...](fields))


def in_environment(prop: Property) -> Property:
    """Return a property of the model as one of its environment."""
    return replace(prop, condition=substitute(prop.condition, _LEAST))


def _of_topic(action: Action) -> Action:
    """Return a step that reads min.insync.replicas from the state: topics differ in it."""
    return replace(
        action,
        guard=tuple(replace(each, condition=substitute(each.condition, _LEAST)) for each in action.guard),
        updates=tuple(Update(each.field, substitute(each.value, _LEAST)) for each in action.updates),
        limits=tuple(replace(each, condition=substitute(each.condition, _LEAST)) for each in action.limits),
    )


def _without_epochs(action: Action) -> Action:
    """Return a step that counts no epochs, and drops the request that it makes stale.

    An epoch is compared only with that of a request, and a stale request is refused as if it had been lost: states that
    differ in nothing else allow the same.
    """
    made = {each.field: each.value for each in action.updates}
    after = made.pop(partition_epoch, partition_epoch)
    made.pop(leader_epoch, None)
    if after is not partition_epoch:
        stays = made.get(request, request)
        made[request] = stays if stays is NOTHING_ASKED else ite(after.ne(partition_epoch), NOTHING_ASKED, stays)
    return replace(action, updates=tuple(Update(*each) for each in made.items()), limits=())


def _within(action: Action) -> Action:
    return _limited(action, *_LIMITS[action.name]) if action.name in _LIMITS else action


def _limited(action: Action, guard: Mapping[str, Expr], updates: Mapping[Expr, Expr]) -> Action:
    """Return the action with more clauses, of those parameters that it has, and more updates."""
    clauses = [
        Clause(label, condition) for label, condition in guard.items() if clean in action.params or label != _CLEAN
    ]
    more = tuple(update(target, value) for target, value in updates.items())
    return replace(action, guard=(*clauses, *action.guard), updates=(*action.updates, *more))


def _back(who: Expr) -> Expr:
    """A broker is back: it is active, and in the ISR if it is a replica."""
    return is_active(who) & either(isr.contains(who), ~members(place).contains(who))


_earlier = forall(
    r,
    (turn[r] >= 0).implies(
        both(
            (turn[r] < turn[b]).implies(both(~todo.contains(r), _back(r))),
            both(turn[r].eq(turn[b]), r.ne(b), ~todo.contains(r)).implies(_back(r)),
        )
    ),
)
_LEAST = {setting(MIN_ISR): least}
_planned = either(may_fail.contains(b), stopping.contains(b))
_CLEAN = "a broker that was asked to stop has stopped cleanly"
_LIMITS: Mapping[str, tuple[Mapping[str, Expr], Mapping[Expr, Expr]]] = {
    "Fence": (
        {
            "its process runs": up.contains(b),
            "it was asked to stop, or may fail": either(
                stopping.contains(b), ~failed.contains(b) & either(may_fail.contains(b), spare > 0)
            ),
        },
        {
            up: up.remove(b),
            failed: ite(stopping.contains(b), failed, failed.insert(b)),
            spare: ite(_planned, spare, spare - 1),
        },
    ),
    "Register": (
        {
            "its process does not run": ~up.contains(b),
            "it is registered": ~is_one_of(b, UNREGISTERED),
            _CLEAN: (stopping.contains(b) & ~failed.contains(b)).implies(clean),
        },
        {up: up.insert(b), stopping: stopping.remove(b)},
    ),
    "Unfence": (
        {"it was not asked to stop": ~stopping.contains(b)},
        {up: up.insert(b)},
    ),
    "ShutDown": (
        {
            "it is to be restarted": todo.contains(b) & up.contains(b),
            "those before it are back": _earlier,
        },
        {todo: todo.remove(b), stopping: stopping.insert(b)},
    ),
    "LoseDirectory": (
        {"the directory may fail": both(disks.contains(b), ~offline.contains(b), up.contains(b))},
        {},
    ),
    "Ask": (
        {
            "the leader runs, and is asked for by a process that runs": both(up.contains(b), ~stopping.contains(b)),
            "it joins, or the leader has recovered": either(b.eq(leader), ~isr.contains(b)),
        },
        {},
    ),
}
"""More clauses of an action, and more updates: the plan."""
