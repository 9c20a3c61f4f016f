"""Proofs without lemmas: a property is k-inductive in an instance, or a short path breaks it.

Everything is written out, so the solver decides, but for the instance only. It shows the use of lemmas: a protocol's
promises are seldom k-inductive for a small k, and the explorer (`isrproof explore`) searches its instances much faster.
The tables of the controller are proved so: for them, a small k is enough.

>>> from isrproof.checker.prove.bounded import prove_bounded
>>> proof = prove_bounded("kip320", ["HighWatermarkMonotone"], {"replicas": 2}, depth=2)
>>> proof.verdict, proof["HighWatermarkMonotone"].reason
('holds', '1-inductive')
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from ...model.catalogue import model as model_named
from ...model.expr import Op, free
from ...model.property import Property
from ...model.protocol import Instance, Model
from ...model.script import script_of
from ...model.sorts import Settings
from ..explore.result import Verdict
from ..explore.trace import Path
from . import smt, trust
from .paths import k_induction, shortest_counterexample
from .run import Decided, Proof, overall


@dataclass(frozen=True)
class Bounded:
    """The verdict on a property in an instance."""

    verdict: Verdict
    k: int
    """If it holds: the property is k-inductive, and no path of k states from the start breaks it."""
    queries: int
    """The number of questions to the solver."""
    seconds: float
    reason: str
    """The reason that it holds, or that this is unknown."""
    path: Path | None = None


def decide(instance: Instance, prop: Property, depth: int, timeout: float) -> Bounded:
    """k-induction with k up to `depth`, and the paths of up to k states (or `depth`) from the initial state.

    Args:
        timeout: seconds for each of the two.
    """
    step = k_induction(instance, prop, depth, timeout)
    base = shortest_counterexample(instance, prop, step.k if step.holds else depth, timeout)
    seconds, queries = step.seconds + base.seconds, step.k + base.depth
    if base.path is not None:
        return Bounded("violated", step.k, queries, seconds, "", base.path)
    if step.holds and base.complete:
        return Bounded("holds", step.k, queries, seconds, f"{step.k}-inductive")
    searched = f"no counterexample of up to {base.depth} states" + ("" if base.complete else f" in {timeout:g} s")
    return Bounded("unknown", step.k, queries, seconds, f"{step.reason or f'{step.k}-inductive'}; {searched}")


def prove_bounded(
    model: Model | str,
    properties: Iterable[str] | None = None,
    settings: Settings | None = None,
    *,
    depth: int,
    timeout: float = 30.0,
) -> Proof:
    """Decide properties of an instance without any lemma.

    Args:
        properties: by name; all that are promised if None.
        settings: of the instance; what is not given has its default.
        depth: the most states of a path.
        timeout: seconds for the induction, and for the search, of each property.

    Raises:
        ModelError: unknown names, a setting that is too small.
    """
    started = time.perf_counter()
    chosen = model_named(model) if isinstance(model, str) else model
    script = script_of(chosen)
    plain, watching = chosen.instance(**(settings or {})), script.model.instance(**(settings or {}))
    names = {each.name for each in chosen.fields}
    decided = []
    for goal in trust.goals_of(script, properties):
        read = {str(leaf.data) for leaf in free(goal.condition) if leaf.op in (Op.FIELD, Op.AFTER)}
        instance = plain if read <= names else watching
        found = decide(instance, goal, depth, timeout)
        decided.append(Decided(goal, found.verdict, plain.name, (), (), found.seconds, found.reason, found.path))
    return Proof(
        model=chosen,
        kept=plain.settings,
        verdict=overall(each.verdict for each in decided),
        properties=tuple(decided),
        lemmas=(),
        fallen=(),
        asked=len(decided),
        no_proof_decides=() if properties is not None else tuple(trust.no_proof_decides(script)),
        answers={},
        trusted=(
            f"{smt.version()}: its answer 'unsat' is trusted",
            "the Z3 reading and the k-induction of checker/prove; tests compare the reading with the reference",
            "this instance only: its settings and limits apply",
        ),
        seconds=time.perf_counter() - started,
        solver_seconds=sum(each.seconds for each in decided),
    )
