"""A plugin of pytest: the fixtures `audit_conforms` and `model_holds`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from . import audit_conforms as _audit_conforms
from . import model_holds as _model_holds


@pytest.fixture(scope="session")
def audit_conforms() -> Callable[..., Any]:
    """`audit_conforms(*paths, ...)` fails unless the logs of a Kafka cluster conform; it gives the report."""
    return _audit_conforms


@pytest.fixture(scope="session")
def model_holds() -> Callable[..., Any]:
    """`model_holds(model, properties, ...)` fails unless all of them hold; it gives the exploration."""
    return _model_holds
