"""Reading the data files that lie beside this module, which may be in a zip archive (Spark's workers get one)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any

from .errors import TableError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FOLDER = resources.files(__package__)
_ENDING = ".toml"


def files(folder: Traversable) -> dict[str, Traversable]:
    """The data files of a folder by their names without the ending, in the order of the names."""
    found = {path.name.removesuffix(_ENDING): path for path in folder.iterdir() if path.name.endswith(_ENDING)}
    return dict(sorted(found.items()))


def read(path: Traversable) -> dict[str, Any]:
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
