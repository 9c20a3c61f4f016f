"""Java processes in their own process groups, none of which outlives the recorder."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from .errors import RecordError


def _dies_with_parent() -> Callable[[], None] | None:
    """Prepare the child before it runs Java (Linux only): the kernel kills it even if the recorder was killed with
    -9."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    pr_set_pdeathsig = 1
    return lambda: prctl(pr_set_pdeathsig, signal.SIGKILL) and None


def start(command: Sequence[str], output: Path) -> subprocess.Popen[bytes]:
    """Start a process as the head of its own group; both output streams are appended to the file."""
    with output.open("ab") as sink:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            cwd=output.parent,
            start_new_session=True,
            preexec_fn=_dies_with_parent(),
        )


def send(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signal the whole group; do nothing if it is gone."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)


def kill_all(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Kill the groups (even paused ones) and wait until they are gone."""
    for process in processes:
        send(process, signal.SIGKILL)
    for process in processes:
        process.wait()


@contextlib.contextmanager
def exit_on_signals() -> Iterator[None]:
    """Make SIGTERM and SIGHUP unwind the stack as Ctrl-C does, so that `finally` stops the cluster."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_GIVEN: set[int] = set()
"""Ports that this process has given out."""


def free_ports(count: int) -> list[int]:
    """Return distinct ports of loopback on which nothing listens, none of which this process was given before: a
    cluster may not have started yet when another one is requested.

    They are below the range from which systems take the ports of outgoing connections, so that none is taken while a
    broker is down.
    """
    found: list[int] = []
    start = 20000 + os.getpid() % 1000 * 10
    for port in (*range(start, 32000), *range(20000, start)):
        if port in _GIVEN:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            _GIVEN.update(found)
            return found
    raise RecordError(f"Needed {count} free ports on 127.0.0.1 between 20000 and 32000, found {len(found)}.")


def listens(port: int) -> bool:
    """Return True if a process accepts connections on the port of 127.0.0.1."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
