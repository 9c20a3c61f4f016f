"""Facts that the shape of a machine implies, in words."""

from __future__ import annotations

from collections.abc import Iterable

from ..machines import Facts


def write(facts: Facts) -> str:
    """Reachability, dead ends and cycles of a machine, a paragraph each."""
    lines = [f"{facts.machine} in Kafka {facts.release}", ""]
    lines += ["Reachable, with the fewest moves from an entity that was never seen:"]
    lines += [f"  {facts.distance[state]}  {state}" for state in facts.reachable]
    lines += ["", f"Unreachable: {_listed(facts.unreachable)}"]
    lines += [f"Dead ends (no move to another state): {_listed(facts.dead_ends)}"]
    lines += [f"Entered from themselves: {_listed(facts.self_loops)}"]
    lines += [f"Moves that nothing undoes: {_listed(f'{a} -> {b}' for a, b in facts.one_way)}", ""]
    lines += [f"States that lead to each other ({len(facts.components)} sets):"]
    lines += [f"  {', '.join(part)}" for part in facts.components]
    lines += ["", f"Cycles without a repeated state ({len(facts.cycles)}):"]
    lines += [f"  {' -> '.join((*cycle, cycle[0]))}" for cycle in facts.cycles]
    return "\n".join([*lines, ""])


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items) or "none"
