"""The three readings that are compared: Spark's bare count, DuckDB's regex extraction, and the audit.

Each is done in this process, and in its own (`python -m benchmarks.audit.readings READING FOLDER` for the first two): a
process of its own has to start Java, which compiles nothing before it has run it a while.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.finding import Finding
from isrproof.checker.audit.options import Options
from isrproof.checker.spark_session import session

from lab.cluster.state import Fault

# Values of a transition and a request, in one anchored pattern; other lines give empty values.
_PATTERN = (
    r"^\[([0-9-]+ [0-9:,]+)\] ([A-Z]+) \[Controller id=([0-9]+) epoch=([0-9]+)\] "
    r"(?:Changed state of replica ([0-9]+) for partition ([^ ]+) from ([A-Za-z]+) to ([A-Za-z]+)"
    r"|Changed partition ([^ ]+) (?:state )?from ([A-Za-z]+) to ([A-Za-z]+)(.*)"
    r"|Sending ([A-Za-z-]+) (?:LeaderAndIsr )?request [^(]*\(.*leader=(-?[0-9]+), leaderEpoch=([0-9]+)"
    r", isr=\[([0-9, ]*)\], zkVersion=([0-9]+), replicas=\[([0-9, ]*)\].*\) to broker[^ ]* .* for partition ([^ ]+)"
    r") \(state\.change\.logger\)$"
)
_GROUPS = 19
_OF_BROKERS = "KR6"
"""Prefix of the rules about brokers' lines."""


def bare_count(folder: Path) -> int:
    """Make Spark read the text, and nothing else."""
    files = [str(file) for file in sorted(folder.rglob("*.log"))]
    return session().read.text(files).count()


def extraction(folder: Path) -> int:
    """Make DuckDB read the text and extract the groups of one regex; return the number of matching lines."""
    import duckdb

    names = ", ".join(f"'g{i}'" for i in range(_GROUPS))
    lengths = " + ".join(f"length(r.g{i})" for i in range(_GROUPS))
    query = f"""
        select count(*) filter (r.g0 <> ''), sum({lengths}) from (
            select regexp_extract(line, $pattern, [{names}]) as r
            from read_csv($files, columns = {{'line': 'VARCHAR'}}, delim = '\x01', quote = '', escape = '',
                          header = false, auto_detect = false))"""
    row = duckdb.connect().execute(query, {"pattern": _PATTERN, "files": f"{folder}/**/*.log"}).fetchone()
    return 0 if row is None else int(row[0])


def audit_in_process(folder: Path) -> list[Fault]:
    """Run the whole audit through its Python API: reading, parsing, rules, findings."""
    (report,) = audit([str(folder)], Options(jobs=os.cpu_count() or 1))
    return faults_found(folder, report.findings)


def count_process(folder: Path) -> int:
    """Run the bare count as a process, including the start of Python, Java and Spark."""
    return _alone("count", folder)


def extraction_process(folder: Path) -> int:
    """Run DuckDB's extraction as a process."""
    return _alone("extraction", folder)


def _alone(name: str, folder: Path) -> int:
    command = [sys.executable, "-m", "benchmarks.audit.readings", name, str(folder)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def audit_process(folder: Path) -> list[Fault]:
    """Run the whole audit as a user starts it."""
    return _audited_alone(folder)


def audit_process_on_spark(folder: Path) -> list[Fault]:
    """Run the same on Spark, including the start of Java and Spark."""
    return _audited_alone(folder, "--engine", "spark")


def _audited_alone(folder: Path, *options: str) -> list[Fault]:
    run = subprocess.run(
        [str(Path(sys.executable).with_name("isrproof")), "audit", "--json", *options, str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode not in (0, 1):
        raise RuntimeError(f"isrproof audit ended with {run.returncode}: {run.stderr}")
    shown = (
        (each["file"], each["line"], each["rule"], each["caused_by"]) for each in json.loads(run.stdout)["findings"]
    )
    return _faults(folder, shown)


def faults_found(folder: Path, findings: Iterable[Finding]) -> list[Fault]:
    """Return the findings that the writer planted, without the effects of a controller's fault on brokers."""
    return _faults(folder, ((f.file, f.line, f.rule, f.caused_by) for f in findings))


def _faults(folder: Path, findings: Iterable[tuple[str, int, str, Sequence[object]]]) -> list[Fault]:
    return sorted(
        Fault(str(Path(file).relative_to(folder)), line, rule)
        for file, line, rule, caused_by in findings
        if not (caused_by and rule.startswith(_OF_BROKERS))
    )


if __name__ == "__main__":
    print({"count": bare_count, "extraction": extraction}[sys.argv[1]](Path(sys.argv[2])))
