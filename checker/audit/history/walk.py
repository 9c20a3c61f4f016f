"""The walk along one stream: it finds the local histories in it, and the changes of epoch.

The walk looks at the statements of a stream in the order of their first lines. A new local history begins

* with evidence of a new life: `claims.wipes` found a wipe at that line; or epoch 1 is claimed, partitions are created
  under it, and the controller claimed a later epoch before or another controller had epoch 1;
* without such evidence, at a contradiction: a controller's epoch falls, or an epoch has another controller.

Three kinds of run change neither the epoch that a controller has nor the local history:

* a controller that has resigned prints epoch 0;
* a run that was written before the one above it, in the middle of another, was inserted there by whoever made the file;
* so was one that was written before the one above it and within the time of another of the same epoch: it repeats that
  one.

Wherever a controller claims another epoch than before, an `EpochChange` is recorded for the rules to judge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ..files.file import LogFile
from .local_histories import LocalHistory
from .statements import BrokerReport, Run, Statement, TenureKey
from .streams import Position
from .stretches import Stretches

_MOMENT = 1_000
"""Milliseconds within which no broker is stopped, started, and controller of a wiped cluster."""


@dataclass(frozen=True)
class EpochChange:
    """A change of the epoch that a controller claims, in one stream."""

    cluster: int
    file: int
    line: int
    ts: int | None
    """The time in milliseconds."""
    controller: int
    controller_epoch: int
    before_controller_epoch: int
    new_life: bool
    """True if there is the evidence that a new life needs."""
    taken_back: bool
    """True if the previous epoch comes back later, though nothing shows that the cluster was wiped in between, or that
    lines of another are present.
    """


def walk(
    stream: Sequence[LogFile],
    statements: Mapping[int, Sequence[Statement]],
    positions: Mapping[int, Position],
    *,
    mixed: bool = False,
) -> tuple[list[LocalHistory], list[EpochChange]]:
    """Return the local histories of one stream, and the changes of epoch in it; both in the order of the stream.

    Args:
        statements: by the index of a file.
        positions: by the index of a file.
        mixed: whether lines of other clusters are present: then no epoch is known to be taken back.
    """
    walked = _Walk(stream[0], mixed=mixed)
    for file in stream:
        ordered = sorted(statements[file.index], key=lambda each: (each.first, each.epoch))
        for i in range(len(ordered)):
            walked.look_at(_Here(file, positions[file.index], ordered, i))
    return [history for history in walked.histories if history.controllers], walked.changes


@dataclass(frozen=True)
class _Here:
    """One statement of a file; `statements` are all of the file, and `index` is the current one."""

    file: LogFile
    position: Position
    statements: Sequence[Statement]
    index: int

    @property
    def statement(self) -> Statement:
        return self.statements[self.index]

    def earlier(self) -> Iterator[Run]:
        """The runs of the statement's controller before it."""
        return _of_controller(self.statement.controller, self.statements[: self.index])

    def later(self) -> Iterator[Run]:
        """The runs of the statement's controller after it."""
        return _of_controller(self.statement.controller, self.statements[self.index + 1 :])


@dataclass
class _Walk:
    """The state of the walk along a stream."""

    file: LogFile
    mixed: bool = False
    histories: list[LocalHistory] = field(default_factory=list)
    changes: list[EpochChange] = field(default_factory=list)
    claimed: dict[int, int] = field(default_factory=dict)
    """The epoch that each controller claimed last in the current local history."""
    latest: dict[int, Run] = field(default_factory=dict)
    """Each controller's latest run, in whichever local history."""
    stretches: dict[TenureKey, Stretches] = field(default_factory=lambda: defaultdict(Stretches))
    """The times of the runs of each tenure in the current local history."""

    def __post_init__(self) -> None:
        self.begin("first lines")

    @property
    def current(self) -> LocalHistory:
        return self.histories[-1]

    def begin(self, why: str) -> None:
        """Begin a new local history."""
        self.histories.append(LocalHistory(self.file.cluster, self.file.directory, self.file.stream, why))
        self.claimed = {}
        self.stretches.clear()

    def add(self, run: Run) -> None:
        """Add a run to the current local history."""
        self.current.runs.append(run)
        if run.first_ts is not None and run.last_ts is not None:
            self.stretches[run.tenure].add(run.first_ts, run.last_ts)

    def look_at(self, here: _Here) -> None:
        """Advance one statement and distinguish the cases."""
        statement = here.statement
        if isinstance(statement, BrokerReport):
            self.broker_reports(statement, here)
        elif statement.epoch == 0:
            self.resigned_controller(statement, here)
        elif self.is_inserted(statement, here):
            self.displaced_run(replace(statement, inserted=True))
        elif self.is_repeated(statement):
            self.displaced_run(statement)
        else:
            self.controller_claims(statement, here)

    def broker_reports(self, report: BrokerReport, here: _Here) -> None:
        if self.current.contradicts(report):
            self.begin("another controller for the same epoch")
        self.record(report, here)

    def resigned_controller(self, run: Run, here: _Here) -> None:
        """Handle a controller that has resigned and forgotten its epoch.

        It does nothing more under its epoch: later lines with the epoch are about brokers' answers.
        """
        before = self.claimed.get(run.controller)
        if before is not None and _acts_again(before, run, here):
            self.record_change(run, before, taken_back=True)

    def is_inserted(self, run: Run, here: _Here) -> bool:
        """Return whether a run was written before the one above it, which continues after it."""
        if run.controller not in self.claimed or run.controller not in self.latest:
            return False
        latest = self.latest[run.controller]
        return _older(run, latest) and _goes_on(latest, here)

    def is_repeated(self, run: Run) -> bool:
        """Return whether a run was written before the one above it, and within the time of one of its own epoch."""
        if not _older(run, self.latest.get(run.controller)) or run.first_ts is None or run.last_ts is None:
            return False
        return run.tenure in self.stretches and self.stretches[run.tenure].hold(run.first_ts, run.last_ts)

    def displaced_run(self, run: Run) -> None:
        """Handle a run that is read with the others of its epoch, and claims nothing about what came before or after
        it.
        """
        if not self.current.contradicts(run):
            self.add(run)
            self.current.controllers.setdefault(run.epoch, run.controller)
            self.current.files.add(run.file)

    def controller_claims(self, run: Run, here: _Here) -> None:
        before = self.claimed.get(run.controller)
        latest = self.latest.get(run.controller)
        in_order = not _older(run, latest)
        self.latest[run.controller] = run
        fell = before is not None and run.epoch < before and in_order
        new_life = self.is_new_life(run, fell)
        if before is not None and before != run.epoch and in_order:
            taken_back = fell and not new_life and _taken_back(before, run, here, moment=_follows(run, latest))
            self.record_change(run, before, new_life, taken_back)
        if new_life:
            self.begin("epoch 1 again, topics created anew")
        elif fell or self.current.contradicts(run):
            self.begin("the controller epochs contradict")
        self.claim(run, here)

    def is_new_life(self, run: Run, fell: bool) -> bool:
        """Return whether there is evidence that the cluster was wiped before a run."""
        created = run.epoch == 1 and run.created > 0
        return run.wiped or (created and (fell or self.current.contradicts(run)))

    def claim(self, run: Run, here: _Here) -> None:
        """Add the run to the current local history.

        Its tenure begins with it if an earlier epoch was stated before, with no line missing in between.
        """
        history = self.current
        block = here.position.block(run.first)
        if any(epoch < run.epoch and last == block for epoch, last in history.last_blocks.items()):
            history.started.add(run)
        self.add(run)
        self.claimed[run.controller] = run.epoch
        self.record(run, here)

    def record(self, statement: Statement, here: _Here) -> None:
        """Record the statement in the current local history."""
        history = self.current
        history.controllers[statement.epoch] = statement.controller
        history.last_blocks[statement.epoch] = here.position.block(statement.last)
        history.files.add(here.file.index)

    def record_change(self, run: Run, before: int, new_life: bool = False, taken_back: bool = False) -> None:
        self.changes.append(
            EpochChange(
                cluster=self.file.cluster,
                file=run.file,
                line=run.first,
                ts=run.first_ts,
                controller=run.controller,
                controller_epoch=run.epoch,
                before_controller_epoch=before,
                new_life=new_life,
                taken_back=taken_back and not self.mixed,
            )
        )


def _of_controller(controller: int, statements: Sequence[Statement]) -> Iterator[Run]:
    return (each for each in statements if isinstance(each, Run) and each.controller == controller)


def _older(run: Run, before: Run | None) -> bool:
    """Return whether no line of a run was written after the first of one that is above it in its stream."""
    if before is None or before.first_ts is None or run.last_ts is None:
        return False
    return run.last_ts <= before.first_ts


def _follows(run: Run, before: Run | None) -> bool:
    """Return whether a run begins so soon after the one above it that its broker cannot have been restarted in
    between.
    """
    if before is None or before.last_ts is None or run.first_ts is None:
        return False
    return 0 <= run.first_ts - before.last_ts < _MOMENT


def _acts_again(epoch: int, run: Run, here: _Here) -> bool:
    """Return whether the controller of a run does something under `epoch` after it."""
    return any(each.epoch == epoch and each.acts and not _older(each, run) for each in here.later())


def _goes_on(run: Run, here: _Here) -> bool:
    """Return whether a run continues after others of its controller that were written before it."""
    following = next((each for each in here.later() if not _older(each, run)), None)
    if following is None or following.first_ts is None or run.last_ts is None:
        return False
    return following.epoch == run.epoch and run.last_ts <= following.first_ts


def _falls(epoch: int, run: Run, here: _Here) -> int:
    """Return how often the controller of a run falls from `epoch` to the run's, in its file."""
    own = [each.epoch for each in _of_controller(run.controller, here.statements)]
    return sum(pair == (epoch, run.epoch) for pair in pairwise(own))


def _taken_back(epoch: int, run: Run, here: _Here, *, moment: bool) -> bool:
    """Return whether the controller of a run that fell from `epoch` has it again, and no wipe can lie between.

    A wipe can lie between if epoch 1 is stated after the controller's last line above the run, or if the controller
    creates a partition before it has the epoch again; but not within a moment. A controller that repeatedly falls from
    the one to the other is two controllers: of clusters whose lines are in one file.
    """
    if _falls(epoch, run, here) > 1:
        return False
    above = max((each.last for each in here.earlier()), default=0)
    if not moment and any(each.epoch == 1 and each.last > above for each in here.statements):
        return False
    decisive = next((each for each in (run, *here.later()) if each.epoch == epoch or each.created), None)
    return decisive is not None and decisive.epoch == epoch
