"""Folders for temporary files of this process, which vanish with it, whatever ends it."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from contextlib import suppress

PROCESSES = "processes"
"""The file of a private folder that lists processes, a number a line. They are killed with this one, where /proc shows
that their commands name the folder: a Java that starts and finds its folder gone would stay for ever."""
_WHEN_WE_ARE_GONE = f"""
cat >/dev/null
while read -r number; do
    grep -qaF -e "$1" "/proc/$number/cmdline" && kill -9 "$number"
done <"$1/{PROCESSES}"
for turn in 1 2 3 4 5 6 7 8 9 10; do rm -rf -- "$1" && exit; sleep 1; done
"""
"""The script of a small process that waits for the end of its input. It tries again while others, such as Java, still
write there."""
_WAITING: list[subprocess.Popen[bytes]] = []
"""The small processes; their input ends with this one."""


def private_folder() -> str:
    """Return the path of a new folder that no other user can read; it is removed when this process ends.

    Raises:
        OSError: there is no room for temporary files.
    """
    try:
        made = tempfile.mkdtemp(prefix="isrproof-")
    except OSError as error:
        reason = error.strerror or error
        raise OSError(f"expected a folder for temporary files, got none ({reason}); set TMPDIR") from error
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    with suppress(OSError):  # no shell here: only kill -9 leaves the folder then
        waiting = subprocess.Popen(
            ["/bin/sh", "-c", _WHEN_WE_ARE_GONE, "sh", made],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # what kills this process and its group leaves it
        )
        _WAITING.append(waiting)
    return made
