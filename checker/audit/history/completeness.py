"""The completeness of a life in the log: the logged level, and the epoch since which everything is available.

`known_since` of an epoch is the first of the epochs up to it since which everything is available: everything that
controllers create, elect and delete. A tenure is *whole* if it is in one stream and one block, is not lossy, its level
logs creations and elections, and no line casts doubt on its being of one life. An epoch continues the previous one if
it is whole and was seen from its start. A whole epoch that was not seen from its start can begin what is known. For one
that is not whole, `known_since` is the epoch plus one: the next is the first that can begin it. So missing lines of the
epochs `known_since`..epoch can explain nothing that these epochs show.
"""

from __future__ import annotations

import functools
import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ....specs.behaviours import behaviour
from ....specs.machines import LEVELS
from ....specs.releases import ALL
from ..files.file import UNKNOWN_LEVEL
from .layout import Arrangement
from .local_histories import LocalHistory
from .statements import Run, RunKey, TenureKey, by_tenure
from .tenures import JoinedLife, Tenure

BRIEF = 1_000
"""The length in milliseconds up to which a tenure may log nothing below ERROR though its level is lower."""
_SILENT_START = behaviour("KAFKA-3143").releases


def logged_levels(
    history: LocalHistory, tenures: Mapping[TenureKey, Tenure], layout: Arrangement
) -> dict[TenureKey, int]:
    """Return the lowest level logged in each tenure of a local history, as an index into LEVELS.

    Levels change with a restart, by an upgrade to 2.6 or by hand, so a tenure's own lines show its level. A tenure that
    is too short to show it has the level of the whole local history: up to 2.2 a failover may log an ERROR and nothing
    else. Other tenures of the life also show whether it may be up to 2.2: otherwise it is an ERROR whose other lines
    are missing.
    """
    whole = min((layout.files[run.file].level for run in history.runs), default=UNKNOWN_LEVEL)
    runs = by_tenure(history.runs)
    one_release = _common(tenures, runs) != 0
    of_life = _common(tenures, tenures)  # 0 where brokers were upgraded
    levels: dict[TenureKey, int] = {}
    for key, own in runs.items():
        may_be_silent = tenures[key].releases & (of_life or ALL) & _SILENT_START != 0
        silent = one_release and may_be_silent and _brief(own)
        levels[key] = whole if silent else min(run.level for run in own)
    return levels


def _common(tenures: Mapping[TenureKey, Tenure], keys: Iterable[TenureKey]) -> int:
    """Return the releases that all of these tenures may have, as a mask."""
    return functools.reduce(operator.and_, (tenures[key].releases for key in keys), ALL)


def _brief(runs: Sequence[Run]) -> bool:
    times = [ts for run in runs for ts in (run.first_ts, run.last_ts) if ts is not None]
    return not times or max(times) - min(times) <= BRIEF


class _Seen(NamedTuple):
    """One stream's view of one tenure: whether it is whole there, and whether it was seen from its start."""

    whole: bool
    started: bool


def known_since(life: JoinedLife, levels: Sequence[Mapping[TenureKey, int]], layout: Arrangement) -> dict[int, int]:
    """Return by epoch of a life the first epoch since which everything is available; `levels` are those of each
    member.
    """
    doubted = _doubted(life.members, layout)
    seen: dict[int, list[_Seen]] = defaultdict(list)
    for history, level in zip(life.members, levels, strict=True):
        for key, runs in by_tenure(_read(history, life.tenures, layout)).items():
            shown = _creations_shown(level[key], life.tenures[key].releases)
            whole = shown and not any(run.key in doubted for run in runs) and _contiguous(runs, layout)
            seen[key.epoch].append(_Seen(whole, any(run in history.started for run in runs)))
    since: dict[int, int] = {}
    for epoch in sorted({run.epoch for history in life.members for run in history.runs}):
        since[epoch] = _since(epoch, seen[epoch], since.get(epoch - 1))
    return since


def _since(epoch: int, seen: Sequence[_Seen], since_before: int | None) -> int:
    """Return `known_since` of an epoch; `since_before` is that of the epoch before, if the log shows that one."""
    if len(seen) != 1 or not seen[0].whole:
        return epoch + 1
    if seen[0].started and since_before is not None:
        return since_before
    return epoch


def _read(history: LocalHistory, tenures: Mapping[TenureKey, Tenure], layout: Arrangement) -> Iterator[Run]:
    """Yield the runs of a local history that can show all of a tenure: no copies, no overlaps, no logs of brokers
    alone.
    """
    for run in history.runs:
        order, stream = tenures[run.tenure].order, layout.stream(run)
        if layout.files[run.file].machines and stream in order.streams and stream not in order.overlapping:
            yield run


def _doubted(members: Sequence[LocalHistory], layout: Arrangement) -> set[RunKey]:
    """Return the runs that may be of two lives though they have one epoch.

    If something shows that there may be two, these are all runs in which a foreign epoch is reported.
    """
    runs = [run for history in members for run in history.runs if layout.foreign[run.key]]
    if not any(each.before_creation(run, layout.repeated) for run in runs for each in layout.foreign[run.key]):
        return set()
    return {run.key for run in runs}


def _contiguous(runs: Sequence[Run], layout: Arrangement) -> bool:
    """Return whether no line is missing between and in runs of one stream."""
    blocks = {layout.positions[run.file].block(line) for run in runs for line in (run.first, run.last)}
    return len(blocks) == 1 and not any(layout.lossy(run) or layout.is_less_logged(run.file, run.first) for run in runs)


def _creations_shown(level: int, releases: int) -> bool:
    """Return whether the level logs the controller's creations and elections: TRACE, since 2.6 (KAFKA-8470) INFO
    too.
    """
    at_info = level <= LEVELS.index("INFO") and releases & ~behaviour("KAFKA-8470").releases == 0
    return level == LEVELS.index("TRACE") or at_info
