"""The scenarios: one module each, with a `Scenario` called `scenario`; the list below is read from the modules."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..errors import RecordError
from ..story import Story


@dataclass(frozen=True)
class Scenario:
    """The actions on a cluster. `run` finds ZooKeeper up and no broker started."""

    name: str
    summary: str
    brokers: tuple[int, ...]
    run: Callable[[Story], None]
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of the brokers."""
    disks: int = 1
    """Number of log directories of each broker."""
    traffic: bool = False
    """Producers write records, and the manifest lists what became of them."""


def names() -> list[str]:
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))


def find(name: str) -> Scenario:
    """Return the scenario with that name; RecordError names the nearest one otherwise."""
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1, cutoff=0.4)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise RecordError(f"There is no scenario {name!r}.{hint} There are: {', '.join(names())}.")
    found = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").scenario
    if not isinstance(found, Scenario):
        raise TypeError(f"{name}: `scenario` is not a Scenario")
    return found
