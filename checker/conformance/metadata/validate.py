"""Whether a metadata log is a path of the model `kraft`: record by record, for each partition by itself.

The state in which a record was written is known, so each record is one question: is there a step of the model that
writes it? What a record is written under (release, metadata.version, features) says which model is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ....model.kraft.state import FENCED, NOBODY
from ....specs.errors import IsrproofError
from ....specs.metadata.levels import level_name
from ....specs.releases import names
from ....traces.metadata.batches import Batch, Record
from ....traces.metadata.files import found_in, must_be_found
from ....traces.place import Place
from ...audit.files.metadata import Segment, copies
from ...audit.history.quorum import Quorum, joined, quorums
from ...audit.observe.kraft.fold import Fold
from ...audit.observe.kraft.shown import Seen, after_gap, first, snapshots
from ...audit.observe.kraft.state import Partition
from .contexts import Chosen, Context, context, relations
from .projection import PARTITION, Projection, brokers_of, registration
from .relation import Objection, State, Step
from .steps import Registered, created, of_broker, of_change, registered

_PARTITION, _CHANGE = "PARTITION_RECORD", "PARTITION_CHANGE_RECORD"


@dataclass(frozen=True)
class Verdict:
    """What was found.

    * `verdict`: accepted, rejected or unknown. `place`: of a rejection, the first record that no step writes.
    * `guard`: the clause that forbids the step that comes nearest. `reason`: in words.
    * `matched`, `compared`: of so many records so many fit. `others`: records that nothing is said about.
    * `level`, `releases`: what the record was written under, or the last one.
    """

    verdict: str
    matched: int = 0
    compared: int = 0
    others: int = 0
    place: Place | None = None
    guard: str | None = None
    reason: str = ""
    level: str = ""
    releases: str = ""
    left_out: tuple[str, ...] = ()


class Question(NamedTuple):
    """Whether a step leads from a state to another one, as far as some fields of it tell."""

    step: Step
    state: State
    after: State


_NO_STEP = Objection("no step", "the model has none that writes such a record", written=True)


def _question(
    projection: Projection,
    around: State,
    before: Partition | None,
    after: Partition,
    step: Step,
    to_directories: bool = False,
) -> Question:
    """`to_directories`: the record names directories, which are no part of the model: it may change nothing else."""
    state = {**around, **projection.partition(before), "offline": projection.offline(before)}
    told = projection.partition(after, before)
    names = PARTITION if to_directories else (*PARTITION, "partition_epoch")
    return Question(step, state, {name: told[name] for name in names})


@dataclass
class _Run:
    """The way along one log."""

    quorum: Quorum
    chosen: Chosen
    matched: int = 0
    compared: int = 0
    others: int = 0
    context: Context | None = None
    rejected: Verdict | None = None
    earlier: dict[tuple[str, int], list[Partition]] = field(default_factory=dict)
    batch: list[Registered] = field(default_factory=list)

    def along(self) -> None:
        """Goes along the log, to the first record that no step writes."""
        seen, waiting = Seen(), snapshots(self.quorum)
        fold, start = first(self.quorum, 0, waiting, seen)
        for each in joined(self.quorum, []):
            if each.gap:
                fold, start = after_gap(self.quorum, 0, waiting, each.batch.offset, seen)
            fold.begins(each.batch.offset)
            self._begins(each.batch)
            for record in each.batch.records:
                if record.offset < start or fold.idles(record):
                    continue
                if not each.committed:
                    self.others += 1
                    continue
                self._record(fold, record, each.segment)
                if self.rejected is not None:
                    return
            for _ in fold.ends():
                pass

    def _begins(self, batch: Batch) -> None:
        found = (registered(each.type, each.data, each.offset) for each in batch.records if each.data is not None)
        self.batch = [each for each in found if each is not None]
        self.earlier = {}

    def _record(self, fold: Fold, record: Record, segment: Segment) -> None:
        data: dict[str, Any] = dict(record.data or {})
        one = next((each for each in self.batch if each.offset == record.offset), None)
        if record.type in (_PARTITION, _CHANGE) and record.data is not None:
            self._partition(fold, record, segment, data)
        elif one is not None:
            self._registration(fold, record, segment, one)
        else:
            _apply(fold, record, segment)
            self.others += 1

    def _partition(self, fold: Fold, record: Record, segment: Segment, data: dict[str, Any]) -> None:
        topic, number = data["topicId"], data["partitionId"]
        before = _of(fold, topic, number)
        least = None if before is None else fold.state.min_isr(before)  # Kafka asks for it before it writes
        _apply(fold, record, segment)
        after = _of(fold, topic, number)
        if after is None or after is before or (before is None) != (record.type == _PARTITION):
            self.others += 1  # of a transaction that is open, or of a topic that is not known
            return
        state = fold.state
        at = self.context = context(fold, topic)
        bases = [*self.earlier.get((topic, number), ()), *([before] if before is not None else [])]
        self.earlier[topic, number] = bases
        said = f"{state.names.get(topic, topic)}-{number}"
        ids = tuple(sorted(brokers_of(before, after, *bases)))
        projection = Projection(ids, state)
        around = projection.brokers(least)
        if before is None:
            found = self._objections(at, [_question(projection, around, None, after, created(projection, after))])
        else:
            questions = [
                _question(projection, around, base, made, step, "directories" in data)
                for base, made in ((base, base.merged(data)) for base in reversed(bases))
                for step in of_change(projection, base, made, self.batch, record.offset)
            ]
            found = self._objections(at, questions)
        self._judged(found, record, segment, said)

    def _objections(self, at: Context, questions: Sequence[Question]) -> list[Objection]:
        """What forbids the step that comes nearest, of all models that may hold; nothing if one fits."""
        for relation in relations(at, self.chosen):
            for each in questions:
                if relation.has(each.step) and not relation.objections(each.step, each.state, each.after, 1):
                    return []
        tried = [
            relation.objections(each.step, each.state, each.after)
            for relation in relations(at, self.chosen)
            for each in questions
            if relation.has(each.step)
        ]
        return min(tried, key=lambda found: (sum(each.written for each in found), len(found)), default=[_NO_STEP])

    def _registration(self, fold: Fold, record: Record, segment: Segment, one: Registered) -> None:
        state = fold.state
        before = state.brokers.get(one.broker)
        known = state.whole or before is not None
        was, incarnation = registration(before), None if before is None else before.incarnation
        _apply(fold, record, segment)
        after = state.brokers.get(one.broker)
        if not known or one.step == "LoseDirectory":
            self.others += 1
            return
        at = self.context = context(fold, "")._replace(unclean=False)  # of no topic
        if one.step == "Register" and after is not None and after.incarnation == incarnation:
            fits = registration(after) in (was, FENCED)
            objections = [] if fits else [Objection("Register", "the same process keeps what it was", written=True)]
        else:
            objections = self._of_broker(at, one, was, registration(after), fold)
        self._judged(objections, record, segment, f"broker {one.broker}")

    def _of_broker(self, at: Context, one: Registered, was: str, now: str, fold: Fold) -> list[Objection]:
        projection = Projection((one.broker,), fold.state)
        state = projection.brokers(None) | projection.partition(None)
        state |= {"registration": (was,), "offline": frozenset()}
        after = {"registration": (now,)}
        return self._objections(at, [Question(step, state, after) for step in of_broker(one.step, 0, NOBODY)])

    def _judged(self, objections: Sequence[Objection], record: Record, segment: Segment, about: str) -> None:
        self.compared += 1
        if not objections:
            self.matched += 1
            return
        place = Place(segment.path, offset=record.offset)
        clauses = [each for each in objections if not each.written] or list(objections)
        why = "; ".join(dict.fromkeys(str(each) for each in objections))
        self.rejected = Verdict("rejected", place=place, guard=str(clauses[0]), reason=f"{about}: {why}")


def _of(fold: Fold, topic: str, number: int) -> Partition | None:
    return fold.state.partitions.get(topic, {}).get(number)


def _apply(fold: Fold, record: Record, segment: Segment) -> None:
    for _ in fold.record(record, segment, True):
        pass


def validate(paths: Sequence[str], chosen: Chosen) -> Verdict:
    """Whether the metadata log in files and folders is a path of the model.

    Raises:
        IsrproofError: there is no metadata log, or there are logs of several clusters.
    """
    must_be_found(paths)
    logs = quorums(copies(found_in(paths)))
    if len(logs) != 1:
        raise IsrproofError(f"expected the metadata log of one cluster, got {len(logs)}; give the folders of one")
    run = _Run(logs[0], chosen)
    run.along()
    found = run.rejected or Verdict("accepted" if run.compared else "unknown", reason="" if run.compared else NOTHING)
    at = run.context
    return _with(found, run, "" if at is None else level_name(at.level), "" if at is None else names(at.releases))


NOTHING = "no committed record changes a broker or a partition"


def _with(found: Verdict, run: _Run, level: str, releases: str) -> Verdict:
    return replace(found, matched=run.matched, compared=run.compared, others=run.others, level=level, releases=releases)
