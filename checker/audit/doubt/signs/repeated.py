"""Lines that a file has twice, to the millisecond: two appenders wrote it, or parts of it overlap."""

from __future__ import annotations

from ...history.doubts import REPEATED
from ..sign import Sign

SIGN = Sign("repeated", "lines stand there twice", REPEATED, lambda evidence: evidence.repeated)
