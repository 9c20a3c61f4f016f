"""What Java loads to start Spark, kept for the next start: it takes two thirds of the time then.

Java's class data sharing (JEP 350): a run writes the classes that it loaded to a file when it ends, later ones map that
file. It is of one Java and one class path, so it is kept in the virtual environment that has PySpark, and goes with it.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

MAKE = "-XX:ArchiveClassesAtExit="
USE = "-XX:SharedArchiveFile="
_SILENT = "-Xlog:disable"  # an archive that does not fit is not used, which needs no warning


def archive_options(home: Path, *, make: bool = True) -> str:
    """The options with which the Java of `home` uses the archive, or makes it; none where there can be none.

    The archive is made under another name; who starts Java renames it when Java has ended. It takes some seconds: who
    has much to do does not `make` it.
    """
    folder = Path(sys.prefix) / "share" / "isrproof"
    archive = folder / f"spark-{_fingerprint(home)}.jsa"
    extends = home / "lib" / "server" / "classes.jsa"
    if sys.prefix == sys.base_prefix or not extends.is_file() or " " in str(archive):
        return ""
    if archive.is_file():
        return f"{_SILENT} {USE}{archive}"
    if not make:
        return ""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    return f"{_SILENT} {MAKE}{archive}" if os.access(folder, os.W_OK) else ""


def _fingerprint(home: Path) -> str:
    import pyspark

    release = home / "release"
    told = release.read_bytes() if release.is_file() else b""
    return hashlib.sha256(f"{home} {pyspark.__version__} {pyspark.__file__} ".encode() + told).hexdigest()[:12]
