"""Proofs as text and as JSON."""

from __future__ import annotations

from typing import Any

from ...model.sorts import Settings
from ...model.step import State
from ...model.text import show
from ..explore.report import path_lines, plain, step_json
from ..explore.trace import Path
from ..explore.why import why
from .cti import Cti
from .induction import Answered
from .run import Decided, Fallen, Proof


def text_report(proof: Proof) -> str:
    """Verdict first, then each property, what stands in the way, and what is trusted."""
    kept = _settings(proof.kept)
    lines = [f"{proof.model.name}{kept}: {proof.verdict}  ({_count(proof.asked, 'question')}, {proof.seconds:.1f} s)"]
    for each in proof.properties:
        lines += ["", *property_lines(each)]
    if proof.no_proof_decides:
        lines += ["", "No proof decides these, but `isrproof explore` does, in an instance:"]
        lines += [f"  {each.name} ({each.kind}): {each.statement}" for each in proof.no_proof_decides]
    if proof.fallen:
        lines += ["", "Lemmas that are not inductive here:"]
        for lost in proof.fallen:
            lines += _fallen_lines(lost)
    lines += ["", "Trusted:", *(f"  - {each}" for each in proof.trusted)]
    return "\n".join(lines)


def property_lines(each: Decided) -> list[str]:
    """The verdict on a property, and what speaks for it."""
    lines = [f"{each.prop.name}: {each.verdict} for {each.scope}  ({each.seconds:.2f} s)", f"  {each.prop.statement}"]
    if each.verdict == "holds":
        rests = f"; rests on {', '.join(each.rests_on)}" if each.rests_on else ""
        if each.questions:
            lines.append(f"  {_count(len(each.questions), 'question')} about it{rests}")
    if each.reason:
        lines.append(f"  {each.reason}")
    if each.path is not None:
        lines += ["   1. initial state", *path_lines(each.path)]
        lines += [f"  {line}" for line in why(each.prop, each.path)]
    elif each.cti is not None:
        lines += _cti_lines(each.cti)
    return lines


def _fallen_lines(lost: Fallen) -> list[str]:
    lines = [f"  {lost.lemma.name}: {lost.answer.question.action or 'the initial state'} ({lost.answer.reason})"]
    if lost.answer.cti is not None:
        lines.append(f"    fails: {lost.answer.cti.fails}")
    return lines


def _cti_lines(cti: Cti) -> list[str]:
    """The states before and after, and the clause that fails."""
    lines = [f"  counterexample to induction in {cti.path.instance.name} (perhaps unreachable):", "    before:"]
    before = state_lines(cti.path, 0)
    lines += [f"      {each}" for each in before]
    if cti.path.steps:
        lines += ["    then:", *(f"    {each}" for each in path_lines(cti.path)), "    after (other fields unchanged):"]
        lines += [f"      {each}" for each in state_lines(cti.path, -1) if each not in before]
    return [*lines, f"    fails: {cti.fails}"]


def state_lines(path: Path, index: int) -> list[str]:
    """A state, one field a line."""
    fields = path.instance.model.fields
    return [f"{each.name} = {show(value, each.sort)}" for each, value in zip(fields, path.states[index], strict=True)]


def _settings(kept: Settings) -> str:
    return f"({', '.join(f'{name}={value}' for name, value in kept.items())})" if kept else ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def json_report(proof: Proof) -> dict[str, Any]:
    """One object: verdict, properties, lemmas, what is trusted, seconds."""
    lost = {each.lemma.name for each in proof.fallen}
    return {
        "model": proof.model.name,
        "settings": dict(proof.kept),
        "verdict": proof.verdict,
        "properties": [property_json(each) for each in proof.properties],
        "lemmas": [
            {
                "name": each.name,
                "statement": each.statement,
                "stands": each.name not in lost,
            }
            for each in proof.lemmas
        ],
        "fallen": [_fallen_json(each) for each in proof.fallen],
        "questions": [question_json(each) for each in proof.answers.values()],
        "no_proof_decides": [each.name for each in proof.no_proof_decides],
        "trusted": list(proof.trusted),
        "seconds": round(proof.seconds, 3),
        "solver_seconds": round(proof.solver_seconds, 3),
    }


def _fallen_json(lost: Fallen) -> dict[str, Any]:
    answer = lost.answer
    found = {
        "name": lost.lemma.name,
        "question": answer.question.name,
        "action": answer.question.action,
        "outcome": answer.outcome,
        "reason": answer.reason,
    }
    return found if answer.cti is None else {**found, "cti": cti_json(answer.cti)}


def property_json(each: Decided) -> dict[str, Any]:
    """One property: its verdict, questions, lemmas below it, and evidence."""
    found: dict[str, Any] = {
        "name": each.prop.name,
        "verdict": each.verdict,
        "for": each.scope,
        "queries": len(each.questions),
        "rests_on": list(each.rests_on),
        "seconds": round(each.seconds, 3),
    }
    if each.reason:
        found["reason"] = each.reason
    if each.path is not None:
        found["length"] = each.path.length
        found["steps"] = [step_json(each.path, step) for step in each.path.steps]
    elif each.cti is not None:
        found["cti"] = cti_json(each.cti)
    return found


def question_json(each: Answered) -> dict[str, Any]:
    """A question and its answer."""
    return {
        "name": each.question.name,
        "outcome": each.outcome,
        "hypotheses": list(each.hypotheses),
        "seconds": round(each.seconds, 3),
    }


def cti_json(cti: Cti) -> dict[str, Any]:
    """A counterexample to induction: the state before, the step, the clause that fails."""
    instance = cti.path.instance

    def shown(state: State) -> dict[str, Any]:
        pairs = zip(instance.model.fields, state, strict=True)
        return {each.name: plain(value, each.sort, instance.settings) for each, value in pairs}

    return {
        "instance": instance.name,
        "before": shown(cti.path.states[0]),
        "after": shown(cti.path.states[-1]),
        "steps": [step_json(cti.path, step) for step in cti.path.steps],
        "fails": cti.fails,
    }
