"""The audit's findings on a planted fault (the package): whether it is found, and which line is named first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.finding import Finding
from isrproof.checker.audit.options import Options

from . import Fault, Recording, write
from .alone import alone

_COUNTED = ("illegal", "suspicious")


@dataclass(frozen=True)
class Outcome:
    """The findings on a fault. `new` are those that are illegal or suspicious and caused by the fault, in the order of
    the report."""

    fault: Fault
    new: tuple[Finding, ...]

    @property
    def first(self) -> Finding | None:
        return self._unexplained[0] if self.new else None

    @property
    def found(self) -> bool:
        return self.first is not None

    @property
    def illegal(self) -> bool:
        """True if a new finding at the fault's line is illegal."""
        return any(finding.verdict == "illegal" and self._at_line(finding) for finding in self.new)

    @property
    def illegal_beside(self) -> bool:
        """True if a new finding at another line is illegal and contradicts the fault's line."""
        place = (self.fault.file, self.fault.line)
        illegal = (finding for finding in self.new if finding.verdict == "illegal")
        return any(place in ((each.place.file, each.place.line) for each in finding.evidence) for finding in illegal)

    @property
    def line_right(self) -> bool:
        """True if the first new finding in the fault's file is at its line; findings in other files are
        consequences."""
        here = next((finding for finding in self._unexplained if finding.file == self.fault.file), None)
        return here is not None and self._at_line(here)

    @property
    def _unexplained(self) -> tuple[Finding, ...]:
        """New findings that no other explains; all, if each has an explanation."""
        return tuple(each for each in self.new if not each.caused_by) or self.new

    def _at_line(self, finding: Finding) -> bool:
        return (finding.file, finding.line) == (self.fault.file, self.fault.line)


class Injection:
    """A recording and the audit of it as it is; each fault is judged by its additional findings.

    With `apart`, planted lines have milliseconds of their own.
    """

    def __init__(self, recording: Recording, *, apart: bool = False) -> None:
        self._recording, self._apart = recording, apart
        self._before = _findings(recording, None)

    def outcome(self, fault: Fault) -> Outcome:
        """Plant the fault and audit the result, in process."""
        known = Counter(_key(finding, _moved(finding, fault)) for finding in self._before)
        new = []
        planted = alone(self._recording, fault) if self._apart else (self._recording, fault)
        for finding in _findings(*planted):
            key = _key(finding, finding.line)
            if known[key]:
                known[key] -= 1
            elif finding.verdict in _COUNTED:
                new.append(finding)
        return Outcome(fault, tuple(new))


def _findings(recording: Recording, fault: Fault | None) -> list[Finding]:
    """Return the findings, with paths as the recording names them."""
    with TemporaryDirectory() as folder:
        write(recording, Path(folder), fault)
        (report,) = audit([folder], Options(engine="python"))
    return [_within(finding, folder) for finding in report.findings]


def _within(finding: Finding, folder: str) -> Finding:
    """Return the finding with paths relative to `folder`."""
    evidence = [
        replace(each, place=replace(each.place, file=Path(each.place.file).relative_to(folder).as_posix()))
        for each in finding.evidence
    ]
    return replace(finding, evidence=tuple(evidence))


def _key(finding: Finding, line: int) -> tuple[object, ...]:
    return finding.rule, finding.verdict, finding.entity, finding.file, line


def _moved(finding: Finding, fault: Fault) -> int:
    """Return the line of a finding in the changed file."""
    above = [edit for edit in fault.edits if edit.file == finding.file and edit.line < finding.line]
    return finding.line + sum(1 if edit.added else -1 if edit.event is None else 0 for edit in above)
