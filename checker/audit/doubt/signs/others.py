"""Lines of another cluster, as what nodes print beside a metadata log shows (sources/nodes/others.py)."""

from __future__ import annotations

from ...history.doubts import MIXED
from ..sign import Sign

SIGN = Sign(
    "other-cluster",
    "what nodes print is of two clusters",
    MIXED,
    lambda evidence: (),
)
