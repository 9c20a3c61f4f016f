"""Lines of another cluster, shown by what nodes print beside a metadata log (sources/nodes/others.py)."""

from __future__ import annotations

from ...history.doubts import MIXED
from ..sign import Sign

SIGN = Sign(
    "other-cluster",
    "what nodes print is of two clusters",
    MIXED,
    lambda evidence: (),
)
