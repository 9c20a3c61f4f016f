"""Reading the data files that lie beside this module."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .errors import TableError

FOLDER = Path(__file__).parent


def read(path: Path) -> dict[str, Any]:
    """The content of a TOML file; a syntax error names the file."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise TableError(f"{path.name} is no TOML: {error}") from error


def check_keys(row: Mapping[str, Any], where: str, required: Iterable[str], optional: Iterable[str] = ()) -> None:
    """A misspelt key must not pass as an absent one."""
    needed, allowed = set(required), {*required, *optional}
    if missing := needed - set(row):
        raise TableError(f"{where}: {', '.join(sorted(missing))} missing")
    if extra := set(row) - allowed:
        raise TableError(f"{where}: unknown key {', '.join(sorted(extra))}; known are {', '.join(sorted(allowed))}")
