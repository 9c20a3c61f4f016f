"""No process outlives the recorder, whichever way it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from isrproof.traces.record import processes

RECORDER = """
import signal, sys, time
from pathlib import Path
from isrproof.traces.record import processes
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background jobs with SIGINT ignored
started = []
try:
    with processes.exit_on_signals():
        output = Path(sys.argv[1])
        started.append(processes.start(["sh", "-c", "sleep 600 & echo $! && wait"], output))
        while not output.read_text().endswith("\\n"):
            time.sleep(0.01)
        print(started[0].pid, output.read_text(), end="", flush=True)
        while True:
            time.sleep(0.02)  # a signal just before a long sleep would not end it
finally:
    processes.kill_all(started)
"""


def alive(pid: int) -> bool:
    """Return True if the process runs; one that waits for its parent to notice its death does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def wait_until_dead(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_orphan(tmp_path: Path, number: signal.Signals) -> None:
    recorder = subprocess.Popen(
        [sys.executable, "-c", RECORDER, str(tmp_path / "output")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert recorder.stdout is not None
    child, grandchild = map(int, recorder.stdout.readline().split())
    assert alive(child)
    assert alive(grandchild)
    recorder.send_signal(number)
    recorder.wait(10)
    recorder.stdout.close()
    assert wait_until_dead(child)
    if number == signal.SIGKILL:
        # The kernel ends the head of the group only; Java starts no processes of its own.
        os.kill(grandchild, signal.SIGKILL)
    assert wait_until_dead(grandchild)


def test_a_paused_process_is_killed(tmp_path: Path) -> None:
    process = processes.start(["sleep", "600"], tmp_path / "output")
    processes.send(process, signal.SIGSTOP)
    processes.kill_all([process])
    assert process.returncode == -signal.SIGKILL
    processes.send(process, signal.SIGTERM)


def test_ports_are_given_out_once() -> None:
    """With two clusters in one recording, as in a migration, neither need listen when the other's ports are looked
    for."""
    assert not {*processes.free_ports(20)} & {*processes.free_ports(20)}


def test_ports_are_free_and_different() -> None:
    ports = processes.free_ports(20)
    assert len(set(ports)) == 20
    assert not any(processes.listens(port) for port in ports)
    with socket.socket() as listener:
        following = ports[-1] + 1  # the next to be looked at
        listener.bind(("127.0.0.1", following))
        listener.listen()
        assert processes.listens(following)
        assert following not in processes.free_ports(20)
