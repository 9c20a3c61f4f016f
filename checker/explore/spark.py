"""A search on Spark, for models that do not fit one machine: the same generated code, with levels in a folder.

States are spread over buckets by what they are (`buckets.py`). A level is a row for each bucket: its new states. It
comes of the level before: workers expand the states there, Spark brings what they find to its bucket, and what an
earlier level has is left out, exactly, as in memory. So a worker holds one bucket at a time, and a search that was
stopped goes on from its last level that is whole.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from ...specs.errors import IsrproofError
from ..spark_session import session, spark_failures
from .buckets import ACCOUNT, BUCKETS, SCHEMA, BucketRow, batch, buckets, entered, expanded, found_from, row
from .program import Program
from .search import EVERYWHERE, Ends, Found, Hit, Progress, Search
from .source import stored
from .symmetry import Orbits

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

_AT_ONCE = "spark.sql.execution.arrow.maxRecordsPerBatch"
"""The number of rows that Spark sends to Python at once; a row is a bucket, so a few of them are much."""

LevelDone = Callable[[int, int, float], None]
"""A callback for each level: its number from 1, its states, and the seconds it took (0: the folder has it)."""


@contextmanager
def spark_engine(
    master: str, folder: str | None = None, done: LevelDone | None = None
) -> Iterator[Callable[[Program], SparkSearch]]:
    """Yield the engine with which `explore_instance` searches on Spark.

    Args:
        folder: for the levels, which is kept; None: a temporary one, where all of Spark is on this machine.

    Raises:
        IsrproofError: Spark cannot start, or fails; a cluster is given no folder.
    """
    if folder is None and not master.startswith("local"):
        raise IsrproofError(f"{master} needs a folder that all its machines can read and write: --checkpoint FOLDER")
    with ExitStack() as stack, spark_failures():
        spark = session(master, memory="1g", brief=True)
        if folder is None:  # in a folder that vanishes even if this process is killed
            own = spark.sparkContext.getConf().get("spark.local.dir")
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="isrproof-", dir=own))
        levels = folder
        at_once = str(spark.conf.get(_AT_ONCE))
        spark.conf.set(_AT_ONCE, "8")
        try:
            yield lambda program: SparkSearch(program, spark, levels, done)
        finally:
            spark.conf.set(_AT_ONCE, at_once)


class SparkSearch:
    """One run over a program, as `Search` is, with its levels in a folder that all of Spark's machines see."""

    def __init__(self, program: Program, spark: SparkSession, folder: str, done: LevelDone | None = None) -> None:
        self.program, self.spark, self.folder = program, spark, folder.rstrip("/")
        self.done = done or (lambda level, states, seconds: None)
        self._came: dict[int, tuple[int, int]] = {}

    def run(
        self,
        initial: int,
        ends: Ends = EVERYWHERE,
        orbits: Orbits | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """Search from a packed initial state; see `Search.run`. Limits are looked at between levels.

        Raises:
            IsrproofError: the folder holds another search.
        """
        limits, started = ends.limits, time.monotonic()
        found = Found(generated=1, taken=[0] * len(self.program.moves))
        work = pickle.dumps((self.program, orbits is not None))
        states, found.searched = self._begin(initial, orbits)
        self.done(1, states, 0)
        while states and found.stopped is None:
            found.depth += 1
            found.levels.append(states)
            since = time.monotonic()
            there = self._whole(found.depth + 1)
            if not there:
                self._make(found.depth + 1, work)
            states, searched, counts = self._read(found.depth + 1)
            self.done(found.depth + 1, states, 0 if there else time.monotonic() - since)
            _count(found, json.loads(counts))
            if limits.depth is not None and found.depth >= limits.depth and states:
                found.stopped, states, searched = f"depth {limits.depth}", 0, 0
            found.searched += searched
            if found.stopped is None:
                found.stopped = limits.reached(found.searched, time.monotonic() - started)
            if found.stopped is None and states:
                found.stopped = ends.after_level(self.program, found)
        found.distinct = sum(found.levels) + states
        self._find_parents(found)
        return found

    def trail(self, state: int) -> list[tuple[int, int]]:
        """Return the search's way to a state that it reports: packed states after the initial one, with their moves."""
        steps = []
        while state in self._came:
            parent, move = self._came[state]
            steps.append((state, move))
            state = parent
        return steps[::-1]

    def packed(self, state: int) -> int:
        """A state, which is known by its packed integer here."""
        return state

    def after(self, state: int, move: int) -> int:
        """The packed state after a step."""
        return Search(self.program).after(state, move)

    def _path(self, level: int) -> str:
        return f"{self.folder}/level={level:05}"

    def _rows(self, *levels: int) -> DataFrame:
        return self.spark.read.schema(SCHEMA).parquet(*map(self._path, levels))

    def _whole(self, level: int) -> bool:
        """Check whether the folder has all rows of a level."""
        from pyspark.errors import AnalysisException

        try:
            return self._rows(level).count() == BUCKETS + 1
        except AnalysisException:  # there is no such folder
            return False

    def _read(self, level: int) -> tuple[int, int, str]:
        """Return the number of states of a level, the number of them that are searched, and its counts."""
        rows = self._rows(level).select("bucket", "states", "searched", "counts").collect()
        counts = next(row["counts"] for row in rows if row["bucket"] == ACCOUNT)
        return sum(row["states"] for row in rows), sum(row["searched"] for row in rows), counts

    def _begin(self, initial: int, orbits: Orbits | None) -> tuple[int, int]:
        """Write the first level, if the folder has none; return the number of its states, and of those searched."""
        name = f"{self.program.instance.name} ({_fingerprint(self.program, initial, orbits is not None)})"
        if not self._whole(1):
            words = self.program.packing.words(initial)
            if orbits is not None:
                words = orbits.representatives(words)
            own, none = int(buckets(words)[0]), [word[:0] for word in words]
            rows = [row(at, words if at == own else none, orbits) for at in range(BUCKETS)]
            self._write(1, self.spark.createDataFrame([*rows, BucketRow(ACCOUNT, 0, 0, b"", b"", b"", name)], SCHEMA))
        states, searched, counts = self._read(1)
        if counts != name:
            raise IsrproofError(
                f"expected levels of {name} in {self.folder}, or an empty folder; got levels of {counts}. A search "
                "resumes only with the same model, settings, properties and symmetry; use another folder for "
                "another search"
            )
        return states, searched

    def _write(self, level: int, rows: DataFrame) -> None:
        rows.write.mode("overwrite").parquet(self._path(level))

    def _make(self, level: int, work: bytes) -> None:
        """Write a level: the states found from the one before, without those of all earlier ones."""
        from pyspark.sql import functions as F  # noqa: N812

        def expand(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            held = (words for each in batches for words in each.column("words").to_pylist())
            for each in expanded(work, level - 1, held):
                yield batch([each])

        def enter(key: tuple[Any, ...], candidates: pa.Table, earlier: pa.Table) -> pa.Table:
            import pyarrow as pa

            rows = (BucketRow(**each) for each in candidates.to_pylist())
            new = entered(work, key[0].as_py(), rows, earlier.column("words").to_pylist())
            return pa.Table.from_batches([batch([new])])

        states = F.col("bucket") != ACCOUNT
        candidates = self._rows(level - 1).where(states).select("words").mapInArrow(expand, SCHEMA)
        earlier = self._rows(*range(1, level)).where(states).select("bucket", "words")
        both = candidates.groupBy("bucket").cogroup(earlier.groupBy("bucket"))
        self._write(level, both.applyInArrow(enter, SCHEMA))

    def _find_parents(self, found: Found) -> None:
        """Walk back from all reported states at once: one look at each level."""
        from pyspark.sql import functions as F  # noqa: N812

        wanted = {hit.state for hit in (*found.hits.values(), found.overflow) if hit is not None}
        if found.first_deadlock is not None:
            wanted.add(found.first_deadlock)
        program = self.program
        for level in range(found.depth, 1, -1):
            sought = frozenset(wanted)

            def look(batches: Iterable[pa.RecordBatch], sought: frozenset[int] = sought) -> Iterator[pa.RecordBatch]:
                import pyarrow as pa

                for each in batches:
                    for held in each.to_pylist():
                        for state, parent, move in found_from(program, BucketRow(**held), sought):
                            yield pa.RecordBatch.from_pydict(
                                {"state": [str(state)], "parent": [str(parent)], "move": [move]}
                            )

            kept = {int(at) for at in buckets(program.packing.words(*sought))}
            rows = self._rows(level).where(F.col("bucket").isin(kept))
            for each in rows.mapInArrow(look, "state string, parent string, move long").collect():
                self._came[int(each["state"])] = int(each["parent"]), each["move"]
                wanted.discard(int(each["state"]))
                wanted.add(int(each["parent"]))


def _count(found: Found, accounts: Sequence[Mapping[str, Any]]) -> None:
    """Add the workers' counts of a level; of first places the smallest packed state is kept."""
    for each in accounts:
        found.taken = [mine + more for mine, more in zip(found.taken, each["taken"], strict=True)]
        found.generated += each["generated"]
        found.deadlocks += each["deadlocks"]
        found.at_bound += each["at_bound"]
        for hit in (Hit(*values) for values in each["hits"]):
            found.hits[hit.prop] = min((hit, found.hits.get(hit.prop, hit)), key=_order)
    dead = [each["dead"] for each in accounts if each["dead"] is not None]
    if found.first_deadlock is None and dead:
        found.first_deadlock = min(dead)
    outside = [each["overflow"] for each in accounts if each["overflow"] is not None]
    if found.overflow is None and outside:
        state, move = min(outside)
        found.overflow = Hit(-1, state, move, found.depth + 1)


def _order(hit: Hit) -> tuple[int, int, int]:
    return hit.length, hit.state, -1 if hit.move is None else hit.move


def _fingerprint(program: Program, initial: int, symmetric: bool) -> str:
    """Return a key of the search: what is stored of a state, how it steps, and what is watched."""
    s = program.scalars
    cells = [(cell.byte, cell.shift, cell.bits, cell.lo) for cell in program.packing.cells]
    moves = [
        (move.action.name, move.guard, move.ways, [(cell.index, node) for cell, node in stored(program, move.writes)])
        for move in program.moves
    ]
    watches = [each.name for each in program.properties]
    content = repr((s.ops, s.args, cells, moves, watches, initial, symmetric, BUCKETS))
    return hashlib.sha256(content.encode()).hexdigest()[:12]
