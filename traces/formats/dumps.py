"""Recognition of what is no log, but the output of a tool: of kafka-dump-log, or of one that shows a state.

Source: kafka.tools.DumpLogSegments: a line for each batch (`baseOffset: ...`) and one for each record (`offset: ...`,
now behind `| `), which with --cluster-metadata-decoder ends with the record as JSON (`payload: {"type": ...`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..tools.outputs import output

OF_METADATA = (
    "kafka-dump-log printed these lines of KRaft's metadata log, but those of its batches (baseOffset: ...), which show"
    " their epochs, are missing: give its whole output, the file that was dumped (NNNNNNNNNNNNNNNNNNNN.log,"
    " OFFSET-EPOCH.checkpoint), or better the folder __cluster_metadata-0 of every node"
)
OF_A_TOPIC = (
    "kafka-dump-log printed these lines of a segment: expected the text logs of brokers or, in KRaft mode, the folder"
    " __cluster_metadata-0; records of topics are not audited"
)
_STATE = "a tool of Kafka's printed this, the state at one moment, and no log: "
_LINE = re.compile(r"(?:\| )?(?:baseO|o)ffset: [0-9]+ .*\b(?:CreateTime|LogAppendTime|position|key[sS]ize): ?")
_MESSAGE = re.compile(r' payload: ?\{"type": ?"[A-Z_]+", ?"version": ?[0-9]+| controlType: [A-Z_]+\(')


def dump(texts: Sequence[str]) -> str | None:
    """Return the problem with a file that begins with these lines, none of them blank; None if most of them are not of
    a dump."""
    found = sum(_LINE.match(text) is not None for text in texts)
    if not found or found * 2 < len(texts):
        return None
    return OF_METADATA if any(_MESSAGE.search(text) for text in texts) else OF_A_TOPIC


def state(texts: Sequence[str]) -> str | None:
    """Return the problem with a file that begins with these lines, and what they show, if a tool printed most of them
    that shows the state of a cluster; None for any other file."""
    shown = output(texts)
    return None if shown is None else _STATE + shown


def is_state(problem: str | None) -> bool:
    """Return True if this is the problem with the output of a tool that shows a state."""
    return problem is not None and problem.startswith(_STATE)


def is_output(problem: str | None) -> bool:
    """Return True if this is the problem with the output of a tool."""
    return problem in (OF_METADATA, OF_A_TOPIC) or is_state(problem)
