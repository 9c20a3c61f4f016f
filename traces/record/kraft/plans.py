"""Plans that `isrproof whatif` is asked about, and what is then done to a real cluster: scenarios `whatif-*`.

The timeline gets a row `plan` with the options of the command and the offset of the last committed record, and a row
`planned` with the offset at the end. `python -m lab.whatif` compares what the metadata log has between them with what
was predicted of the state before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import RecordError
from .story import READY_SECONDS, Story

Assignment = Mapping[int, Sequence[int]]
_BACK_SECONDS = 120.0
_PAUSE_SECONDS = 1.0
"""Time that followers get to fetch from a new topic's leaders."""
_FORGET_SECONDS = 15.0
"""Time after which brokers do not answer from what they knew before the quorum was lost, and sessions have ended."""
_COMMITS_SECONDS = 4.0
"""Time in which a quorum commits: it writes a NoOp twice a second."""


@dataclass(frozen=True)
class Topic:
    """A topic that a plan is about; it is deleted afterwards."""

    assignment: Assignment
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class PlayedPlan:
    """A plan, and the deeds that carry it out, with the faults that it allows."""

    name: str
    kind: str
    options: Mapping[str, Any]
    """Options of `isrproof whatif`; `reassign` is the content of the file."""
    topics: Mapping[str, Topic]
    deeds: tuple[str, ...]
    """Names of `_DEEDS`, each with the nodes that it is done to."""
    before: tuple[str, ...] = ()
    """Deeds before the plan begins."""


def play(plans: Sequence[PlayedPlan]) -> Callable[[Story], None]:
    """Return a scenario's story: one plan after the other, each in a cluster that is whole again."""

    def run(story: Story) -> None:
        for each in plans:
            _play(story, each)

    run.__doc__ = "Plans, one after the other: " + ", ".join(each.name for each in plans)
    return run


def _play(story: Story, plan: PlayedPlan) -> None:
    for name, topic in plan.topics.items():
        answer = story.create(name, topic.assignment, **topic.settings)
        if answer != "ok":
            raise RecordError(f"Topic {name} of plan {plan.name} was not created: {answer}")
    story.sleep(_PAUSE_SECONDS)
    for deed in plan.before:
        _do(story, deed, plan)
    options = dict(plan.options)
    story.note("plan", name=plan.name, about=plan.kind, options=options, offset=_committed(story))
    for deed in plan.deeds:
        _do(story, deed, plan)
    story.partitions()
    held = _commits(story)
    if not held:
        _whole(story)
        story.sleep(_FORGET_SECONDS)
        _whole(story)
    story.note("planned", name=plan.name, offset=_committed(story), quorum="ok" if held else "lost")
    _whole(story)
    _restore_voters(story, plan)
    for name in plan.topics:
        story.ask("delete", name)


def _do(story: Story, deed: str, plan: PlayedPlan) -> None:
    verb, *nodes = deed.split()
    _DEEDS[verb](story, plan, [int(each) for each in nodes])


def _fenced(story: Story, plan: PlayedPlan, nodes: Sequence[int]) -> None:
    """Wait until brokers are fenced."""
    _until(lambda: not {str(each) for each in nodes} & set(story.cluster.ask("brokers").split()), f"{nodes} fenced")


def _back(story: Story, plan: PlayedPlan, nodes: Sequence[int]) -> None:
    """Wait until brokers are unfenced, and in sync wherever they can be: in the ISR of what has a leader."""
    story.wait_for(*nodes)
    _until(lambda: _in_sync(story, nodes), f"brokers {nodes} in sync")


def _in_sync(story: Story, nodes: Sequence[int]) -> bool:
    seen = story.partitions()
    return bool(seen) and all(
        each in isr for leader, isr, replicas in seen.values() for each in nodes if each in replicas and leader >= 0
    )


def _until(done: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _BACK_SECONDS
    while not done():
        if time.monotonic() > deadline:
            raise RecordError(f"Not within {_BACK_SECONDS:.0f} s: {what}")
        time.sleep(0.5)


def _restart(story: Story, plan: PlayedPlan, nodes: Sequence[int]) -> None:
    """Stop brokers as an operator does, each when those before it are back."""
    for each in nodes:
        if each in story.cluster.running:
            story.terminate(each)
        story.start(each)
        _back(story, plan, [each])


def _reassign(story: Story, plan: PlayedPlan, nodes: Sequence[int]) -> None:
    for row in plan.options["reassign"]["partitions"]:
        answer = story.reassign(row["topic"], row["partition"], row["replicas"])
        if answer != "ok":
            raise RecordError(f"The reassignment of plan {plan.name} was refused: {answer}")


def _voters(story: Story, plan: PlayedPlan, nodes: Sequence[int]) -> None:
    """Remove the voter, or add the one, that the plan names."""
    for name, ask in (("remove_voter", story.vote_out), ("add_voter", story.vote_in)):
        if name in plan.options:
            answer = ask(plan.options[name])
            if answer != "ok":
                raise RecordError(f"Plan {plan.name}: {name} was refused: {answer}")
    story.sleep(2)


def _restore_voters(story: Story, plan: PlayedPlan) -> None:
    for name, ask in (("remove_voter", story.vote_in), ("add_voter", story.vote_out)):
        if name in plan.options:
            _until(lambda: ask(plan.options[name]) == "ok", f"voters as before {plan.name}")  # noqa: B023 - called at once


def _follower_dies(story: Story, plan: PlayedPlan, nodes: Sequence[int]) -> None:
    """Kill one of these nodes that does not lead the quorum, and wait until it is fenced.

    A controller that joined later must not lead: of 4.1.1 one that has not got the founders' first snapshot takes
    kraft.version for 0, and refuses to remove voters.
    """
    leader = story.leader()
    node = next(each for each in nodes if each != leader)
    story.kill(node)
    _fenced(story, plan, [node])


def _each(act: Callable[[Story, int], object]) -> Callable[[Story, PlayedPlan, Sequence[int]], None]:
    def run(story: Story, plan: PlayedPlan, nodes: Sequence[int]) -> None:
        for node in nodes:
            act(story, node)

    return run


_DEEDS: Mapping[str, Callable[[Story, PlayedPlan, Sequence[int]], None]] = {
    "kill": _each(Story.kill),
    "term": _each(Story.terminate),
    "start": _each(Story.start),
    "pause": _each(Story.pause),
    "resume": _each(Story.resume),
    "sleep": _each(Story.sleep),
    "fenced": _fenced,
    "back": _back,
    "restart": _restart,
    "reassign": _reassign,
    "voters": _voters,
    "follower-dies": _follower_dies,
}


def _high_watermark(story: Story) -> int | None:
    """Return the next offset to be committed; None if no active controller answers."""
    answer = story.cluster.ask("quorum")
    story.timeline.append({"t": round(time.time(), 3), "kind": "quorum", "answer": answer})
    words = answer.split()
    return int(words[2]) if len(words) == 3 and words[2].isdigit() else None


def _committed(story: Story) -> int:
    """Return the offset of the last committed record."""
    deadline = time.monotonic() + READY_SECONDS
    while (found := _high_watermark(story)) is None:
        if time.monotonic() > deadline:
            raise RecordError("No active controller answers.")
        time.sleep(1)
    return found - 1


def _commits(story: Story) -> bool:
    """Check whether the quorum commits records: it has a leader that answers, and the high watermark rises."""
    for _ in range(3):  # an election may go on
        before = _high_watermark(story)
        if before is not None:
            time.sleep(_COMMITS_SECONDS)
            after = _high_watermark(story)
            if after is not None and after > before:
                return True
    return False


def _whole(story: Story) -> None:
    """Start what is down, and wait until it is in sync."""
    for node in sorted(story.paused):
        story.resume(node)
    story.start(*(node for node in story.cluster.layout.nodes if node not in story.cluster.running))
    _until(lambda: _committed(story) >= 0, "an active controller")
    _back(story, PlayedPlan("", "", {}, {}, ()), story.cluster.layout.brokers)


def _plan_of(topic: str, replicas: Sequence[int]) -> Mapping[str, Any]:
    rows = [{"topic": topic, "partition": 0, "replicas": [*replicas]}]
    return {"version": 1, "partitions": rows}


_THREE = {0: [1, 2, 3], 1: [2, 3, 4], 2: [3, 4, 5]}
_TWO = {0: [1, 2], 1: [2, 3]}
_STRICT = {"min_insync_replicas": 2}
_UNCLEAN = {"unclean_leader_election_enable": "true"}
_OVER = ("start 2", "back 2")

BROKERS = (
    PlayedPlan(
        *("fail-1-safe", "fail one", {"fail": ["1"]}, {"t": Topic(_THREE, _STRICT), "u": Topic(_TWO)}),
        ("kill 2", "fenced 2", *_OVER),
    ),
    PlayedPlan(
        "fail-1-unsafe",
        "fail one",
        {"fail": ["1"]},
        {"one": Topic({0: [2]}), "strict": Topic(_TWO, _STRICT)},
        ("kill 2", "fenced 2", "sleep 1", *_OVER),
    ),
    PlayedPlan(
        *("fail-2-safe", "fail two", {"fail": ["2"]}, {"t": Topic(_THREE)}),
        ("kill 2", "fenced 2", "kill 3", "fenced 3", *_OVER, "start 3", "back 3"),
    ),
    PlayedPlan(
        "fail-2-unsafe",
        "fail two",
        {"fail": ["node:1", "node:2"]},
        {"two": Topic(_TWO), "unclean": Topic({0: [1, 2], 1: [2, 1]}, _UNCLEAN), "t": Topic(_THREE, _STRICT)},
        ("kill 1", "fenced 1", "kill 2", "fenced 2", "start 1", "back 1", "sleep 8", *_OVER),
    ),
    PlayedPlan(
        *("rack-safe", "rack away", {"fail": ["rack:a"]}, {"t": Topic({0: [1, 3, 5], 1: [2, 4, 5]}, _STRICT)}),
        ("kill 1 2", "fenced 1 2", "start 1 2", "back 1 2"),
    ),
    PlayedPlan(
        "rack-unsafe",
        "rack away",
        {"fail": ["rack:a"]},
        {"two": Topic({0: [1, 2], 1: [1, 3]}), "strict": Topic({0: [1, 2, 3]}, _STRICT)},
        ("kill 1", "sleep 2", "kill 2", "fenced 1 2", "sleep 1", "start 1 2", "back 1 2"),
    ),
    PlayedPlan(
        "restart-safe",
        "rolling restart",
        {"restart": "5,1,2"},
        {"two": Topic({0: [1, 5], 1: [2, 5]}), "t": Topic({0: [1, 3, 4]}, _STRICT)},
        ("restart 5 1 2",),
        ("kill 5", "fenced 5"),
    ),
    PlayedPlan(
        "restart-unsafe",
        "rolling restart",
        {"restart": "1,2,5"},
        {"two": Topic({0: [1, 5], 1: [2, 5]}), "t": Topic({0: [1, 3, 4]}, _STRICT)},
        ("restart 1 2 5",),
        ("kill 5", "fenced 5"),
    ),
    PlayedPlan(
        "reassign-safe",
        "reassignment with a death",
        {"reassign": _plan_of("move", [3, 4]), "fail": ["1"]},
        {"move": Topic({0: [1, 2]})},
        ("pause 3", "reassign", "kill 3", "fenced 3", "start 3", "back 3"),
    ),
    PlayedPlan(
        "reassign-source-safe",
        "reassignment with a death",
        {"reassign": _plan_of("move", [1, 3, 4]), "fail": ["node:2"]},
        {"move": Topic({0: [1, 2, 3]}, _STRICT)},
        ("pause 4", "reassign", "kill 2", "resume 4", "fenced 2", "back 4", *_OVER),
    ),
    PlayedPlan(
        "reassign-unsafe",
        "reassignment with a death",
        {"reassign": _plan_of("move", [3]), "fail": ["1"]},
        {"move": Topic({0: [1]})},
        ("pause 3", "reassign", "kill 1", "resume 3", "fenced 1", "sleep 1", "start 1", "back 1 3"),
    ),
)
"""Plans for five brokers in three racks, with one controller."""

_ALL_THREE = {0: [1, 2, 3], 1: [2, 3, 1]}
QUORUM = (
    PlayedPlan(
        *("quorum-fail-1-safe", "fail one", {"fail": ["1"]}, {"t": Topic(_ALL_THREE, _STRICT)}),
        ("kill 1", "fenced 1"),
    ),
    PlayedPlan(
        *("quorum-fail-2-unsafe", "fail two", {"fail": ["2"]}, {"t": Topic(_ALL_THREE)}),
        ("kill 1 2", "sleep 6"),
    ),
)
"""Plans for three nodes that are brokers and voters."""
VOTERS = (
    PlayedPlan(*("add-safe", "voters", {"add_voter": 4}, {"t": Topic(_ALL_THREE, _STRICT)}), ("voters",)),
    PlayedPlan(
        *("remove-fail-unsafe", "voters", {"remove_voter": 3, "fail": ["node:1"]}, {"t": Topic(_ALL_THREE)}),
        ("voters", "kill 1", "sleep 6"),
    ),
    PlayedPlan(*("remove-safe", "voters", {"remove_voter": 3}, {"t": Topic(_ALL_THREE, _STRICT)}), ("voters",)),
    PlayedPlan(
        *("add-fail-1-safe", "voters", {"add_voter": 4, "fail": ["1"]}, {"t": Topic(_ALL_THREE, _STRICT)}),
        ("voters", "follower-dies 1 2 3"),
    ),
)
"""Plans for a quorum whose voters change: three nodes that are brokers and voters, and a controller that is none."""
