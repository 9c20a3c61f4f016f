"""Classes of Kafka that log, with the packages in which releases have them. Data: classes.toml.

A logger has the name of its class, which moves from package to package and keeps its words. A line names the class; a
logger of such a class in any other package of Kafka is read as that class, so that a move loses no line.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from .. import toml
from ..errors import TableError, unknown
from ..releases import span

FILE = toml.FOLDER / "lines" / "classes.toml"
OF_KAFKA = ("kafka.", "org.apache.kafka.")
"""Beginnings of the names of Kafka's packages: the same class name elsewhere is somebody else's."""


@cache
def packages() -> Mapping[str, tuple[tuple[str, int], ...]]:
    """Return the packages of each class, oldest first, each with the bitmask of the releases that have it there.

    Raises:
        TableError: a package is none of Kafka's, or a class is in none.
    """
    content = toml.read(FILE)
    toml.check_keys(content, FILE.name, ("package",))
    found = {}
    for name, row in content["package"].items():
        if not row or not all(f"{package}.".startswith(OF_KAFKA) for package in row):
            raise TableError(f"{FILE.name}, {name}: expected packages of Kafka, got {', '.join(row) or 'none'}")
        found[name] = tuple((package, span(releases)) for package, releases in row.items())
    return found


def loggers(name: str, releases: int) -> tuple[tuple[str, int], ...]:
    """The names that a logger has in a set of releases, each with its bitmask: those of a class, nested ones
    (`Outer$Inner`) too, or the name itself where it has a dot.

    Raises:
        UnknownNameError: no class has the name.
    """
    if "." in name:
        return ((name, releases),)
    own = packages().get(outer(name))
    if own is None:
        raise unknown("class", outer(name), packages())
    return tuple((f"{package}.{name}", mask & releases) for package, mask in own if mask & releases)


@lru_cache(maxsize=4096)
def known_name(logger: str) -> str:
    """The name by which the table has a logger: of a class of Kafka's that has moved to an unknown package, the one in
    its newest package that is known."""
    package, _, name = logger.rpartition(".")
    own = packages().get(outer(name))
    if own is None or not logger.startswith(OF_KAFKA) or any(package == known for known, _ in own):
        return logger
    return f"{own[-1][0]}.{name}"


def outer(name: str) -> str:
    """The class that a nested one is in; Scala's objects end with a dollar sign."""
    return name.partition("$")[0]
