"""One case: a recording, damaged; what an audit says of it, beside what it says of the recording itself."""

from __future__ import annotations

import json
import random
import resource
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.forms import FORMS, AuditRun, write
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.report.model import Report
from isrproof.specs.errors import IsrproofError

from lab.mangled.harness import Case as Mangled
from lab.mangled.harness import illegal, outcome_of, told
from tests.fuzz.kinds import KINDS
from tests.fuzz.subjects import ENVELOPE, IN_ENVELOPES, TEXT, Files, names, subject, written

MOST_SECONDS, MOST_TIMES = 10.0, 20
"""The CPU time that a case may take: so many seconds, and so many times that of the clean recording."""
MOST_MEMORY = 400 << 20
"""The bytes by which a case may enlarge the process."""
_ENDLESS = 300
"""The seconds after which a case hangs."""
_COMPARED = 8
"""Every case of so many is read by both engines."""
_FORMS = ("text", "sarif", "junit", "github", "csv", "ndjson", "html")


@dataclass(frozen=True)
class Case:
    """A case, and all that is needed to make it again."""

    kind: str
    """The name of the kind of damage."""
    seed: int
    """The seed of the run."""
    number: int
    """The number of the case among those of its kind."""
    every: bool
    """Subjects are of all recordings, else of small ones."""

    def dice(self) -> random.Random:
        return random.Random(f"{self.kind} {self.seed} {self.number}")

    def subject(self) -> str:
        return self.dice().choice(names(KINDS[self.kind].sort, self.every))

    def files(self) -> Files:
        """Return the damaged files."""
        dice = self.dice()
        dice.random()
        found = KINDS[self.kind].damage(subject(KINDS[self.kind].sort, self.subject()), dice)
        return {path: data for path, data in found.items() if data}

    def command(self) -> str:
        every = " --every" if self.every else ""
        return f"python -m tests.fuzz --only '{self.kind}' --seed {self.seed} --first {self.number} --cases 1{every}"


@dataclass(frozen=True)
class Result:
    """The result of a case."""

    case: Case
    """The case."""
    wrong: str | None
    """The promise that was broken; None if all held."""
    seconds: float
    """CPU time."""


class EndlessError(BaseException):
    """A case that hangs: nothing of the program may catch this."""


def tried(case: Case, keep: Path) -> Result:
    """Run a case; the files of one that fails are kept in a folder of `keep`."""
    kind = KINDS[case.kind]
    clean, usual = _clean(kind.sort, case.subject())
    files = case.files()
    before, began = _memory(), time.process_time()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "input"
        folder.mkdir()
        written(files, folder)
        began = time.process_time()
        wrong = _judged(case, folder, files, clean)
        seconds = time.process_time() - began
    if wrong is None and seconds > MOST_SECONDS + MOST_TIMES * usual:
        wrong = f"took {seconds:.0f} s of CPU"
    if wrong is None and _memory() - before > MOST_MEMORY:
        wrong = f"took {(_memory() - before) >> 20} MB more"
    if wrong is not None:
        written(files, keep / f"{case.kind.replace(' ', '-').replace(':', '')}-{case.seed}-{case.number}")
    return Result(case, wrong, seconds)


def _judged(case: Case, folder: Path, files: Files, clean: Report) -> str | None:
    kind = KINDS[case.kind]
    try:
        with _limited():
            report, said = _audited(folder, "python")
            if report is None:
                return _is_misuse(said)
            made = AuditRun([str(folder)], [report], False, False, ("illegal",), {})
            write(case.dice().choice([form for form in _FORMS if form in FORMS]), made)
            if case.number % _COMPARED == 0:
                other, _ = _audited(folder, "columns")
                if other is None or as_json(other) != as_json(report):
                    return "the engines disagree"
    except EndlessError:
        return f"hangs: no end after {_ENDLESS} s"
    except Exception as error:
        return f"defect: {type(error).__name__}: {error}"
    if not kind.promised:
        return None
    lines = frozenset(line for data in files.values() for line in data.decode("utf-8", "replace").splitlines())
    found = outcome_of(Mangled(case.subject(), (), 0), illegal(clean), told(clean), report, lines)
    known = {(each.rule, each.entity) for each in illegal(clean)}
    if kind.sort == ENVELOPE:  # some envelopes hide what the log itself shows
        known |= {(each.rule, each.entity) for each in illegal(_clean(TEXT, IN_ENVELOPES.name)[0])}
    # The finding of a line that is damaged in a part that its rule does not read: another text, but the same finding.
    kept = {each[:3] for each in found.gone}
    # Beside text, a finding names a place in another form of the same line.
    gained = [
        each
        for each in found.gained
        if each[:3] not in kept and (kind.sort == TEXT or (each.rule, each.entity) not in known)
    ]
    if gained:
        return f"illegal gained: {', '.join(f'{each.rule} {each.entity}' for each in gained)}"
    if found.lost and not found.told:
        return f"lost quietly: {', '.join(f'{each.rule} {each.entity}' for each in found.lost)}"
    return None


def _audited(folder: Path, engine: str) -> tuple[Report | None, str]:
    try:
        (report,) = audit([str(folder)], Options(engine=engine, timeline=True))
    except (IsrproofError, OSError) as error:
        return None, str(error)
    json.dumps(as_json(report))
    return report, ""


def _is_misuse(said: str) -> str | None:
    return said if "defect of isrproof" in said else None


@cache
def _clean(sort: str, name: str) -> tuple[Report, float]:
    """Return the report of a subject that is not damaged, and its CPU time."""
    with tempfile.TemporaryDirectory() as folder:
        written(subject(sort, name), Path(folder))
        began = time.process_time()
        report, said = _audited(Path(folder), "python")
        assert report is not None, said
        return report, time.process_time() - began


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@contextmanager
def _limited() -> Iterator[None]:
    def endless(number: int, frame: FrameType | None) -> None:
        raise EndlessError

    before = signal.signal(signal.SIGALRM, endless)
    signal.alarm(_ENDLESS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
