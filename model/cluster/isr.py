"""Leaders that shrink and expand the ISR: up to 2.6 they write the znode, since 2.7 they ask the controller (KIP-497).

A follower may fall behind at any time, and catch up whenever it runs and follows. A leader with an old state finds out
by the version of the znode: its write fails, and it stays as it is until a request brings a newer state
(docs/zookeeper.md, "How a leader changes its ISR").

Not in the model: the answer of the controller on its way back, so nothing comes in between (KAFKA-12686, KAFKA-12751).
Where a leader throws for a member that it does not find (KAFKA-9672), the partitions that it would look at next are not
looked at either; here they are. Up to 2.3 a new leader may add a member again that it took from the ISR of a request,
and dropped; here it does not.
"""

from __future__ import annotations

from collections.abc import Callable

from ..action import Action, Clause, action, waived
from ..expr import Expr, after, both, either, forall, setting, some, true, var
from ..family import Chosen
from ..property import Property
from ..sorts import Value
from .broker_lines import isr_change, isr_refused, isr_updated
from .effects import FACTORS, PREFERRED, SHUTDOWN, Effects
from .lines import leader_and_isr, prints_line
from .requests import runs
from .state import (
    ASKED,
    ISR_CHANGES,
    NO_BROKERS,
    NOTHING_ASKED,
    REASSIGNMENT,
    Broker,
    b,
    c,
    cached,
    controller,
    epoch,
    hosted,
    isr_changes,
    known,
    listed,
    live,
    p,
    phase,
    proposed,
    r,
    registration,
    shutting,
    topics,
    znode,
)

second = var("second", Broker)
_ALONE = NO_BROKERS.insert(r)
_mine = hosted[b][p].value
_ROOM = {"ISR changes are left": isr_changes < setting(ISR_CHANGES)}


def _shrinks(effects: Effects) -> dict[str, Expr | Clause]:
    """Return the guard of a shrink: from 2.4 to 2.8 a leader throws for a member not among the replicas it was sent."""
    guard: dict[str, Expr | Clause] = {
        "it leads": waived(_leads(), "a follower keeps no ISR"),
        "another is in its ISR": both(b.ne(r), _mine["isr"].contains(r)),
    }
    if REASSIGNMENT in effects.chosen.parts and effects.chosen.has("KAFKA-9672"):
        finds_all = _mine["isr"].remove(b).subset_of(listed[b][p])
        guard["it finds all members"] = waived(finds_all, "the exception does no good")
    return guard


def _expands(effects: Effects) -> dict[str, Expr | Clause]:
    """Return the guard of an expansion.

    Since 2.1 a fetch carries the follower's leader epoch, and is refused if that is not the leader's. A leader adds
    only replicas that it was sent.
    """
    its = hosted[r][p].value
    follows = both(runs(r), its["leader"].eq(some(b)), b.ne(r))
    if effects.chosen.has("KIP-320"):
        follows = both(follows, its["leader_epoch"].eq(_mine["leader_epoch"]))
    told = listed[b][p] if REASSIGNMENT in effects.chosen.parts else effects.replicas(p)
    assigned = both(told.contains(r), ~_mine["isr"].contains(r))
    return {"it leads": _leads(), "a replica outside its ISR follows": both(follows, assigned)}


def _leads() -> Expr:
    return _mine["leader"].eq(some(b))


def _knows() -> Expr:
    """The leader knows the newest version of the znode."""
    return both(znode[p].is_some(), znode[p].value["version"].eq(_mine["version"]))


def _written(isr: Expr) -> dict[Expr, Expr | Value]:
    """A leader's conditional write, with the leader and epochs that it knows; it keeps what it wrote."""
    new = some(_mine.changed(isr=isr, version=_mine["version"] + 1))
    return {znode[p]: new, hosted[b]: hosted[b].put(p, new), isr_changes: isr_changes + 1}


def shrink(effects: Effects) -> Action:
    """Return the action of a shrink: all followers that are behind leave at once, of three replicas maybe two."""
    what, guard, isr = "a follower that is behind leaves the ISR", _shrinks(effects), _mine["isr"].remove(r)
    if FACTORS not in effects.chosen.parts:
        return _by_leader(effects, "ShrinkIsr", what, guard, isr, _ALONE)
    guard["a second one is in its ISR"] = waived(
        both(b.ne(second), _mine["isr"].contains(second)), "it leaves an ISR that it is not in"
    )
    return _by_leader(effects, "ShrinkIsr", what, guard, isr.remove(second), _ALONE.insert(second), second)


def expand(effects: Effects) -> Action:
    what = "a follower that caught up joins the ISR"
    return _by_leader(effects, "ExpandIsr", what, _expands(effects), _mine["isr"].insert(r), _ALONE)


def _by_leader(
    effects: Effects, name: str, what: str, guard: dict[str, Expr | Clause], isr: Expr, who: Expr, *more: Expr
) -> Action:
    row = "isr-shrinks" if name == "ShrinkIsr" else "isr-expands"
    effects.lines.append(isr_change(row, b, p, _mine["isr"], isr, who))
    if effects.chosen.has("KIP-497"):
        return action(
            name,
            f"A leader asks the controller: {what}.",
            b,
            p,
            r,
            *more,
            guard={**guard, "it waits for no answer": waived(proposed[b][p].is_none(), "it would ask anew")},
            limits=_ROOM,
            updates={proposed[b]: proposed[b].put(p, some(isr)), isr_changes: isr_changes + 1},
            cites=("KIP-497", "Partition.scala"),
        )
    version: Expr | Clause = _knows()
    if name == "ExpandIsr" and not {PREFERRED, SHUTDOWN, ASKED} & effects.chosen.parts:
        version = waived(
            _knows(), "its followers know its epoch: only an election that it survives makes the epoch old"
        )
    effects.lines.append(isr_updated(b, p, after(hosted[b][p]).value))
    return action(
        name,
        f"A leader writes the state znode: {what}.",
        b,
        p,
        r,
        *more,
        guard={**guard, "the version is the one that it knows": version},
        limits=_ROOM,
        updates=_written(isr),
        cites=("Partition.scala", "ReplicationUtils.scala"),
    )


def note(effects: Effects) -> Action:
    effects.updates(c, p, true, znode[p])
    return action(
        "NoteIsrChange",
        "The controller is notified of a change of an ISR: it reads the state znode.",
        c,
        p,
        guard={
            "is idle": waived(phase[c].eq("idle"), "a later read sees the same or a newer state"),
            "its cache differs from the znode": waived(cached[c][p].ne(znode[p]), "otherwise nothing changes"),
            "it knows the partition": waived(
                both(topics[c].contains(p), znode[p].is_some()), "no other is notified of"
            ),
        },
        updates={cached[c]: cached[c].put(p, znode[p])},
        cites=("IsrChangeNotification in KafkaController.scala",),
    )


def _asked() -> Expr:
    return proposed[b][p].value


def alter(effects: Effects) -> Action:
    held = znode[p].value
    written = {"isr": _asked(), "version": held["version"] + 1, "controller_epoch": epoch[c], "recovery": "RECOVERED"}
    new = some(held.changed(**written))
    kept = some(_mine.changed(isr=_asked(), version=_mine["version"] + 1))
    effects.lines.append(
        prints_line("alter-partition-written", c, true, topic=p, partition=p, **leader_and_isr(new.value))
    )
    effects.updates(c, p, true, new)
    effects.lines.append(isr_updated(b, p, kept.value))
    guard: dict[str, Expr | Clause] = {
        "is idle": waived(phase[c].eq("idle"), "the thread does one thing at a time"),
        "a leader asks": proposed[b][p].is_some(),
        "the leader is live, in this life": waived(
            both(live[c].contains(b), known[c][b].eq(registration[b])),
            "a broker in its earlier life asks for nothing any more",
        ),
        "the leader epoch is the newest": waived(
            cached[c][p].value["leader_epoch"].eq(_mine["leader_epoch"]), "the version already shows it"
        ),
        "the version is the newest": waived(
            _knows(), "a leader asks for one change at a time: its epoch already shows it"
        ),
    }
    if not effects.chosen.has("KAFKA-14140"):
        guard["all members may be in the ISR"] = _eligible(effects)
    return action(
        "AlterIsr",
        "The controller writes the ISR that a leader asks for, and answers.",
        c,
        b,
        p,
        guard=guard,
        updates={
            znode[p]: new,
            cached[c]: cached[c].put(p, new),
            hosted[b]: hosted[b].put(p, kept),
            proposed[b]: proposed[b].put(p, NOTHING_ASKED),
        },
        cites=("KIP-497", "processAlterPartition in KafkaController.scala"),
    )


def _eligible(effects: Effects) -> Expr:
    return _asked().subset_of(effects.staying_brokers(c))


def refuse(effects: Effects) -> Action:
    effects.lines.append(isr_refused(b, p, _mine["isr"]))
    return action(
        "RefuseAlterIsr",
        "The controller refuses an ISR with a member that is not live or shuts down: the leader keeps the one it has.",
        c,
        b,
        p,
        guard={
            "is idle": waived(phase[c].eq("idle"), "the thread does one thing at a time"),
            "a leader asks": waived(proposed[b][p].is_some(), "otherwise nothing changes"),
            "a member may not be in the ISR": waived(~_eligible(effects), "a refusal is never wrong"),
        },
        updates={proposed[b]: proposed[b].put(p, NOTHING_ASKED)},
        cites=("KAFKA-14140", "processAlterPartition in KafkaController.scala"),
    )


LEAVING_STAYS_OUT = Property(
    "LeavingStaysOut",
    "A broker that is shutting down, as far as the controller knows, does not come back into an ISR.",
    forall(
        c,
        controller.eq(some(c)).implies(
            forall(
                p,
                ~after(znode[p].value["isr"]).minus(znode[p].value["isr"]).intersects(shutting[c])
                | either(znode[p].is_none(), after(znode[p]).is_none()),
            )
        ),
    ),
    "step",
    cites=("KAFKA-14140", "KIP-841"),
)


def writers(chosen: Chosen) -> tuple[Callable[[Effects], Action], ...]:
    """The actions of a release."""
    if not chosen.has("KIP-497"):
        return (shrink, expand, note)
    return (shrink, expand, alter) if chosen.has("KAFKA-14140") else (shrink, expand, alter, refuse)


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """Return the properties that are promised where leaders change ISRs."""
    return (LEAVING_STAYS_OUT,) if chosen.has("KIP-497") and SHUTDOWN in chosen.parts else ()
