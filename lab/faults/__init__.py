"""Faults: a recording of a legal cluster with one thing made wrong, so that the audit's correct findings are known.

A kind of fault is a function from a recording to all the faults of that kind that can be planted in it; they are listed
in `KINDS`. Each fault knows the line that first shows it, and, if the log cannot show it, the reason. Nothing here asks
the audit: the machine tables (specs/machines) and the lines around a line decide what a log shows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from . import controllers, moves, views
from .recording import Edit, Fault, Recording, can_be_written, load, write

__all__ = ["KINDS", "Edit", "Fault", "Recording", "load", "some", "write"]

Kind = Callable[[Recording], Iterator[Fault]]

KINDS: Mapping[str, Kind] = {
    "wrong replica from-state": moves.wrong_replica_from,
    "wrong partition from-state": moves.wrong_partition_from,
    "illegal to-state": moves.illegal_to,
    "dropped replica move": moves.dropped_replica_move,
    "dropped partition move": moves.dropped_partition_move,
    "leader outside the ISR": views.leader_outside_isr,
    "empty ISR": views.empty_isr,
    "stranger in the ISR": views.stranger_in_isr,
    "leader epoch falls in the znode": views.epoch_falls_in_znode,
    "leader epoch falls in a request": views.epoch_falls_in_request,
    "leader epoch jumps": views.epoch_jumps,
    "two leaders in one epoch": views.two_leaders,
    "two states in one version": views.two_states,
    "unclean leader with a bigger ISR": views.unclean_with_bigger_isr,
    "ISR grows by the controller": views.isr_grows,
    "election without leader": views.nobody_elected,
    "election printed twice": views.elected_twice,
    "controller epoch falls": controllers.epoch_falls,
    "interleaved controllers": controllers.interleaved,
    "dropped offline pass": controllers.dropped_offline_pass,
    "leader after the deletion mark": controllers.leader_after_deletion_mark,
}


def some(recording: Recording, kind: str, count: int, seed: int) -> list[Fault]:
    """Return at most `count` faults of a kind, chosen by the seed; the same seed chooses the same. A fault that the
    release cannot print is left out: up to 0.11 a line may read as one of 0.8, which prints the from-state after it was
    changed."""
    possible = list(KINDS[kind](recording))
    chosen = random.Random(f"{seed} {recording.name} {kind}").sample(range(len(possible)), min(count, len(possible)))
    return [possible[index] for index in sorted(chosen) if can_be_written(recording, possible[index])]
