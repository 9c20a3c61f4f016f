"""Lines that one process cannot have written: no release has the wordings of all of them.

A process runs one release. A broker that is upgraded prints one wording, then another. If the first comes back, lines
of other brokers are among its own, unless its process was started twice in between. Between 0.8.0 and 0.8.1 people
ran builds of trunk, which have wordings of both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import permutations

from .....specs import releases
from ...files.file import LogFile
from ...history.doubts import MIXED
from ...history.spans import Span
from ...table.protocol import Row
from ..sign import Sign

_FIRST = releases.span("0.8.0")
_Wordings = dict[int, tuple[int, int, int, int]]
"""By set of releases the first and the last line with such a wording, and their times."""


def mixed_wordings(rows: Iterable[Row], spans: Iterable[Span], files: Mapping[int, LogFile]) -> set[int]:
    """The clusters in which a broker's wordings take turns in a file, or those of one tenure contradict each other.

    Args:
        rows: what `journals.wrote` gave of all pieces.
    """
    found = {span.cluster for span in spans if not span.releases and not _from_trunk(span)}
    starts: dict[tuple[int, str], list[int]] = defaultdict(list)
    wordings: dict[tuple[int, int], _Wordings] = defaultdict(dict)
    for row in rows:
        if row["kind"] == "process" and row["file"] in files:
            file = files[row["file"]]
            starts[file.cluster, file.directory].append(row["ts"])
        if row["kind"] == "wrote" and row["speaker"] is not None and row["first_ts"] is not None:
            own = wordings[row["file"], row["speaker"]]
            one = row["line"], row["last"], row["first_ts"], row["last_ts"]
            own[row["releases"]] = _joined(own.get(row["releases"], one), one)
    for (index, _), own in wordings.items():
        if index in files and files[index].cluster not in found:
            begun = starts[files[index].cluster, files[index].directory]
            if any(_in_turn(own[one], own[other], begun) for one, other in permutations(own, 2) if not one & other):
                found.add(files[index].cluster)
    return found


def _from_trunk(span: Span) -> bool:
    return any(each.releases == _FIRST for each in span.evidence)


def _joined(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    return min(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), max(one[3], other[3])


def _in_turn(one: tuple[int, int, int, int], other: tuple[int, int, int, int], begun: Iterable[int]) -> bool:
    """Return whether a wording comes before and after another one, in the time of at most two processes."""
    first, last, since, until = one
    return first < other[0] < last and sum(since < ts <= until for ts in begun) < 2


SIGN = Sign(
    "wordings-mixed",
    "the wording of a broker's lines goes to that of another release and back",
    MIXED,
    lambda evidence: mixed_wordings(evidence.claims, evidence.spans, evidence.files),
)
