"""The steps of an operator, in order: of known bugs, of what happened and lasts, and of findings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from .....specs.bugs import Bug
from .....specs.happenings import STAGES
from .....specs.tools import of_release
from ...findings.asking import SAFE
from ...findings.happened import Happened
from ...rules.remedy import KEEP_LOGS, Remedy
from ..shown import plain
from .what import StepNow

_LAST = len(STAGES)


@dataclass(frozen=True)
class _Placed:
    stage: int
    step: StepNow


def steps(
    known: Iterable[Bug], happened: Sequence[Happened], remedies: Iterable[tuple[str, Remedy]], tag: str | None
) -> tuple[StepNow, ...]:
    """Return what an operator does, in the order of the stages; equal steps are one.

    Args:
        remedies: those of rules with findings that no known bug explains, with the rule's code.
        tag: the release whose tools the cluster has; None: the newest.
    """
    own = [*_of_bugs(known, tag), *_of_happened(happened, tag), *_of_rules(remedies, tag)]
    return tuple(dict.fromkeys(each.step for each in sorted(own, key=lambda each: each.stage)))


def _of_bugs(known: Iterable[Bug], tag: str | None) -> Iterator[_Placed]:
    for bug in known:
        yield _Placed(_stage(bug.stage), _step(f"{bug.issue}: {bug.now}", None, bug.verify, tag))


def _of_happened(happened: Sequence[Happened], tag: str | None) -> Iterator[_Placed]:
    """Yield the steps about trouble that lasts, or that is a moment: a spell that is over needs none."""
    open_ = [each for each in happened if each.trouble and (each.lasts or each.moment or not each.word.spell)]
    for what in dict.fromkeys(each.what for each in open_ if each.issue is None):
        own = [each for each in open_ if each.what == what]
        word = own[0].word
        if word.stage is None or word.todo is None:
            continue
        check = None if word.check is None else _filled(word.check, own)
        run = None if word.run is None else _filled(word.run, own)
        yield _Placed(_stage(word.stage), _step(word.todo, run, check, tag))
        if word.last_resort is not None and word.last_run is not None:
            call = of_release(word.last_run, tag)
            last = StepNow(word.last_resort, call and _filled(call, own), _check(check, tag), loses=True)
            yield _Placed(_LAST, last)


def _of_rules(remedies: Iterable[tuple[str, Remedy]], tag: str | None) -> Iterator[_Placed]:
    for code, remedy in remedies:
        check = f"{remedy.verify} prints {remedy.look_for}"
        yield _Placed(
            _stage("keep" if remedy.workaround.startswith(KEEP_LOGS) else "partition"),
            _step(f"{code}: {remedy.workaround}", None, check, tag),
        )


def _step(do: str, run: str | None, check: str | None, tag: str | None) -> StepNow:
    return StepNow(do, None if run is None else of_release(run, tag), _check(check, tag), loses=False)


def _check(check: str | None, tag: str | None) -> str | None:
    return None if check is None else of_release(check, tag)


def _stage(name: str) -> int:
    return [*STAGES].index(name)


def _filled(command: str, own: Collection[Happened]) -> str:
    """Return a command with the names of the only topic and partition that it is about, where a shell takes them."""
    topics = {each.topic for each in own}
    numbers = {each.partition for each in own}
    (topic,) = topics if len(topics) == 1 else (None,)
    if topic is None or not SAFE.fullmatch(topic):
        return command
    found = re.sub(r"\bTOPIC\b", plain(topic), command)
    (number,) = numbers if len(numbers) == 1 else (None,)
    return found if number is None else re.sub(r"\bN\b", str(number), found)
