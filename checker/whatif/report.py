"""An answer as text, JSON or Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ..audit.report.shown import printed
from .answer import KINDS, MAY_LOSE, OFFLINE, UNDER_MIN_ISR, WITHOUT_ELIGIBLE, Answer
from .plan import Key
from .story import Story, StoryStep

_IN_WORDS = {
    MAY_LOSE: "may lose acknowledged records",
    WITHOUT_ELIGIBLE: "can lose the last eligible leader",
    OFFLINE: "can go offline",
    UNDER_MIN_ISR: "can fall below min.insync.replicas: writes with acks=all are refused",
}
_NOW = {
    WITHOUT_ELIGIBLE: "without an eligible leader",
    OFFLINE: "offline",
    UNDER_MIN_ISR: "below min.insync.replicas",
}
_TOPICS = 10
"""The most topics that the text lists."""


def json_of(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON; its names are fixed."""
    return {
        "verdict": answer.verdict,
        "plan": str(answer.plan),
        **{kind: _keys(answer.found[kind]) for kind in KINDS},
        "already": {kind: _keys(answer.already[kind]) for kind in _NOW},
        "quorum": answer.quorum.verdict,
        "voters": list(answer.quorum.voters),
        "path": None if answer.path is None else _path(answer.path),
        "order": None if answer.order is None else list(answer.order.brokers) if answer.order.safe else [],
        "instead": list(answer.instead),
        "assumes": list(answer.assumes),
        "left_out": list(answer.left_out),
        "release": answer.release,
        "offset": answer.offset,
        "time": answer.time,
        "partitions": answer.partitions,
        "shapes": answer.shapes,
        "states": answer.states,
    }


def _keys(keys: Sequence[Key]) -> list[dict[str, Any]]:
    return [{"topic": topic, "partition": number} for topic, number in keys]


def _path(path: Story) -> dict[str, Any]:
    steps = [
        {
            "action": each.action,
            "broker": each.broker,
            "text": each.text,
            "leader": each.leader,
            "isr": list(each.isr),
            "elr": list(each.elr),
            "records": list(each.records),
        }
        for each in path.steps
    ]
    return {"topic": path.topic, "partition": path.partition, "brokers": list(path.brokers), "steps": steps}


def text(answer: Answer) -> str:
    """Return an answer as text."""
    return "\n".join(_lines(answer))


def _lines(answer: Answer) -> Iterator[str]:
    yield f"{answer.verdict}: {answer.plan}"
    yield f"  {searched_in_words(answer)}"
    for line in found_in_words(answer):
        yield f"  {line}"
    for title, rows in _sections(answer):
        yield ""
        yield title
        yield from (f"  {row}" for row in rows)


def markdown(answer: Answer) -> str:
    """Return an answer as Markdown."""
    lines = [f"### What if: {answer.verdict}", "", f"{_sentence(str(answer.plan))}", "", searched_in_words(answer), ""]
    lines += [f"- {each}" for each in found_in_words(answer)]
    for title, rows in _sections(answer):
        fenced = title.startswith("The shortest")
        lines += ["", f"#### {title.rstrip(':')}", ""]
        lines += ["```", *rows, "```"] if fenced else [f"- {each}" for each in rows]
    return "\n".join(lines)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def searched_in_words(answer: Answer) -> str:
    """Return the state that an answer is about, and how much was searched."""
    since = printed(answer.time) if answer.offset is None else f"offset {answer.offset} ({printed(answer.time)})"
    return (
        f"as Kafka {answer.release} behaves, from {since} on; "
        f"{answer.partitions:,} partitions in {answer.shapes:,} shapes, {answer.states:,} states"
    )


def found_in_words(answer: Answer) -> Iterator[str]:
    """Yield what a plan can do, and what is so before."""
    for kind in KINDS:
        if answer.found[kind]:
            yield f"{_count(answer.found[kind])} {_IN_WORDS[kind]}"
    if not any(answer.found.values()) and answer.verdict != "unknown":
        yield "no partition goes offline, falls below min.insync.replicas or may lose records"
    for kind, words in _NOW.items():
        if answer.already[kind]:
            yield f"{_count(answer.already[kind])} {words} before the plan begins: {_some(answer.already[kind])}"
    quorum = answer.quorum
    if quorum.verdict == "lost":
        yield f"the metadata quorum is lost: {len(quorum.down)} of voters {_ids(quorum.voters)} may be down at once"
    elif quorum.verdict == "ok":
        yield f"the metadata quorum holds: voters {_ids(quorum.voters)}; {quorum.spare} more of them may fail"
    if answer.order is not None and answer.order.safe and answer.plan.any_order:
        yield f"a safe order: {_ids(answer.order.brokers)}"
    elif answer.order is not None and not answer.order.safe:
        done = answer.order.brokers[: len(answer.order.brokers) - len(answer.order.blocked)]
        after = f" after {_ids(done)}" if done else ""
        yield f"no safe order:{after} none of {_ids(answer.order.blocked)} can be restarted"


def _count(keys: Sequence[Key]) -> str:
    return f"{len(keys):,} partition{'s' if len(keys) != 1 else ''}"


def _ids(brokers: Sequence[int]) -> str:
    return ", ".join(map(str, brokers)) or "none"


def _some(keys: Sequence[Key]) -> str:
    named = ", ".join(f"{topic}-{number}" for topic, number in keys[:3])
    return f"{named}, ..." if len(keys) > 3 else named


def _sections(answer: Answer) -> Iterator[tuple[str, Sequence[str]]]:
    path = path_in_words(answer)
    for number, section in enumerate(other_sections(answer)):
        if number == bool(any(answer.found.values())) and path is not None:
            yield path
        yield section


def path_in_words(answer: Answer) -> tuple[str, tuple[str, ...]] | None:
    """Return the shortest way to the worst: a title, and its steps with their records; None if there is none."""
    path = answer.path
    if path is None:
        return None
    title = f"The shortest way to the worst, for {path.topic}-{path.partition} (brokers {_ids(path.brokers)}):"
    return title, tuple(line for number, each in enumerate(path.steps, 1) for line in _step(number, each))


def other_sections(answer: Answer) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the other parts of an answer: a title, and lines."""
    if any(answer.found.values()):
        yield "By topic, the worst first:", list(_topics(answer))
    for title, rows in (
        ("What to do instead:", answer.instead),
        ("It assumes:", answer.assumes),
        ("Left out, so not known:", answer.left_out),
    ):
        if rows:
            yield title, rows


def _step(number: int, step: StoryStep) -> Iterator[str]:
    leader = "no leader" if step.leader is None else f"leader {step.leader}"
    elr = f", ELR [{_list(step.elr)}]" if step.elr else ""
    yield f"{number}. {step.text} Then: {leader}, ISR [{_list(step.isr)}]{elr}."
    yield from (f"     {each}" for each in step.records)


def _list(brokers: Sequence[int]) -> str:
    return ", ".join(map(str, brokers))


def _topics(answer: Answer) -> Iterator[str]:
    """Yield a line for each topic, the worst first: by the gravest kind, then by how many partitions."""
    counts: dict[str, Counter[str]] = {}
    for kind in KINDS:
        for topic, _ in answer.found[kind]:
            counts.setdefault(topic, Counter())[kind] += 1
    ranked = sorted(counts, key=lambda topic: (*(-counts[topic][kind] for kind in KINDS), topic))
    for topic in ranked[:_TOPICS]:
        yield f"{topic}: " + ", ".join(f"{n} {_SHORT[kind]}" for kind in KINDS if (n := counts[topic][kind]))
    if len(ranked) > _TOPICS:
        yield f"and {len(ranked) - _TOPICS} more topics (--json has all)"


_SHORT = {
    MAY_LOSE: "may lose records",
    WITHOUT_ELIGIBLE: "without eligible leader",
    OFFLINE: "offline",
    UNDER_MIN_ISR: "below min.insync.replicas",
}
