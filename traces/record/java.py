"""The Java runtime that runs the cluster."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from .errors import RecordError

JVM = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC", "-Djava.awt.headless=true")
"""Options of every process: it starts fast, is small, and writes its logs in UTC."""


@dataclass(frozen=True)
class Java:
    """A `java` command and its version: `17.0.15`, major 17 (of `1.8.0_292`: 8)."""

    command: str
    version: str

    @property
    def major(self) -> int:
        parts = self.version.replace("_", ".").split(".")
        return int(parts[1] if parts[0] == "1" else parts[0])


def find_java() -> Java:
    """Return the Java of JAVA_HOME, or else of PATH; RecordError if there is none, or it is older than 8."""
    home = os.environ.get("JAVA_HOME")
    command = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")
    if command is None:
        where = f"JAVA_HOME ({home}) has no bin/java" if home else "`java` is not on PATH and JAVA_HOME is not set"
        raise RecordError(f"A cluster needs Java 8 or newer (tried with 17), but {where}.")
    output = subprocess.run([command, "-version"], capture_output=True, text=True, errors="replace").stderr
    match = re.search(r'version "(\d+[0-9._]*)', output)
    if match is None:
        raise RecordError(f"`{command} -version` did not print a version; it printed: {output.strip()[:200]!r}")
    java = Java(command, match[1])
    if java.major < 8:
        raise RecordError(f"A cluster needs Java 8 or newer, but {command} is {java.version}.")
    return java
