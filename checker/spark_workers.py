"""The needs of Spark's workers: this project, which is shipped to them, and what they must have themselves.

A local session's workers are children of this process, and have all that it has. A cluster's have their own Python.
"""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from ..specs.errors import IsrproofError
from ..traces.sources.private import private_folder

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from pyspark.sql import SparkSession

_PACKAGE = __package__.partition(".")[0]
_SHIPPED = ("specs", "model", "traces", "checker", "spark")
_ENDINGS = (".py", ".toml")
_NEEDED = ("numpy", "pyarrow")
FOR_RECORDS = ("google_crc32c",)
"""Libraries that only readers of metadata logs need."""
_FIXED = (1980, 1, 1, 0, 0, 0)
"""The time of the files in the archive: the same project gives the same archive."""


def prepare(spark: SparkSession, *, remote: bool) -> None:
    """Check what the workers of a cluster have, and ship this project to them.

    Args:
        remote: the session is one of Spark Connect.

    Raises:
        IsrproofError: the workers lack something; it says what.
    """
    must_have(spark)
    archive = archived()
    if remote:
        spark.addArtifacts(str(archive), pyfile=True)
    else:
        spark.sparkContext.addPyFile(str(archive))


def must_have(spark: SparkSession, needed: tuple[str, ...] = _NEEDED) -> None:
    """Check that the workers have some libraries.

    Raises:
        IsrproofError: they lack one; it says which.
    """
    from pyspark.sql import functions as F  # noqa: N812

    lacking = F.udf(_lacking(needed), "string", useArrow=False)
    missing = spark.range(1).select(lacking("id").alias("lacking")).collect()[0]["lacking"]
    if missing:
        raise IsrproofError(
            f"Spark's workers need Python {sys.version_info[0]}.{sys.version_info[1]}, {' and '.join(needed)};"
            f" they lack {missing}. Install it there, or point PYSPARK_PYTHON at a Python that has it."
        )


def _lacking(needed: tuple[str, ...]) -> Callable[[int], str]:
    """A function for workers that have nothing of this project yet: one within another travels as code, not by name."""

    def lacking(_: int) -> str:
        import importlib

        found = []
        for name in needed:
            try:
                importlib.import_module(name)
            except Exception as error:  # an installed package may fail in any way
                found.append(name if isinstance(error, ModuleNotFoundError) else f"{name} ({error})"[:200])
        return " and ".join(found)

    return lacking


@cache
def archived() -> Path:
    """This project as a zip archive that Python imports from, in a temporary folder of this process.

    Made once: Spark refuses a second file of one name, and two sessions may share an application.
    """
    folder = Path(private_folder())
    made = folder / "isrproof.zip"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        _put(archive, f"{_PACKAGE}/__init__.py", b"")
        for name in _SHIPPED:
            _add(archive, resources.files(f"{_PACKAGE}.{name}"), f"{_PACKAGE}/{name}")
    named = folder / f"isrproof-{hashlib.sha256(made.read_bytes()).hexdigest()[:12]}.zip"
    os.rename(made, named)
    return named


def _add(archive: zipfile.ZipFile, folder: Traversable, name: str) -> None:
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.is_dir():
            _add(archive, path, f"{name}/{path.name}")
        elif path.name.endswith(_ENDINGS):
            _put(archive, f"{name}/{path.name}", path.read_bytes())


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _FIXED), content, zipfile.ZIP_DEFLATED)
