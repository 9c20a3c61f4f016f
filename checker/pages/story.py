"""docs/story.md: KAFKA-3143 as the model finds it, beside a cluster that did it."""

from __future__ import annotations

from ...model.cluster.cluster import CLUSTER
from ...traces.events.event import Event
from ...traces.events.parse import parse_line
from ...traces.place import Place
from ..conformance import read, sequence, simulate
from ..conformance.evidence import Evidence
from ..conformance.lines import PlacedEvent
from ..conformance.names import numbered
from ..diagram.sequence import SequenceDrawing
from . import ROOT, picture

PATH = "docs/story.md"
NEXT = "[What a controller and its brokers do](zookeeper.md), or [models](models.md) that show other bugs"
RELEASE, PROPERTY = "2.0.0", "LeaderAliveOrNone"
RECORDING, PARTITION = "traces/recorded/failover-on-leader-2.0.0-kill", ("t", 0)


def write() -> str:
    """Return the two diagrams, side by side, and the commands that draw them."""
    of_model, of_cluster = drawings()
    return "\n".join(
        [
            "# A leader that is dead: KAFKA-3143",
            "",
            "This page shows KAFKA-3143 twice: as the model finds it, and in a recorded cluster.",
            "Up to 2.2 a controller that takes over does not move the replicas of dead brokers. So a broker that led a",
            "partition and died as the controller remains its leader: the new controller only tries to elect another,",
            "and fails if no member of the ISR is left.",
            "",
            f"On the left is the shortest run in which the model of Kafka {RELEASE} breaks `{PROPERTY}`. On the",
            "right is one partition of a cluster of that release. Two of its brokers were killed, and the second was",
            "leader and controller. Both end in the same step: the election fails, and the controller is ready. An",
            "audit flags this step (KR401) in both logs.",
            "",
            "```",
            f"isrproof simulate cluster --release {RELEASE} --property {PROPERTY} --level TRACE --out story",
            "isrproof sequence story",
            f"isrproof sequence {RECORDING} --partition {PARTITION[0]}-{PARTITION[1]}",
            "```",
            "",
            '<table class="side-by-side" markdown><tr><th>the model</th><th>a cluster</th></tr>',
            "<tr markdown><td markdown>",
            "",
            *picture(of_model),
            "",
            "</td><td markdown>",
            "",
            *picture(of_cluster),
            "",
            "</td></tr></table>",
            "",
            "From 2.3 on the model has no such run: the controller moves these replicas before it elects leaders.",
            "",
            "`python -m isrproof.checker.pages` writes this page: change the model, not this page.",
            "",
        ]
    )


def drawings() -> tuple[SequenceDrawing, SequenceDrawing]:
    """Return the run of the model and the recorded cluster."""
    return (
        sequence.without_times(_of_model(), "The shortest run of the model"),
        sequence.without_times(read.read([str(ROOT / RECORDING)]), "A recorded cluster", PARTITION),
    )


def _of_model() -> Evidence:
    """The log of the shortest run, as it is read again."""
    instance = CLUSTER.model(RELEASE).instance()
    run = simulate.counterexample(instance, PROPERTY)
    assert run is not None, "the matrix finds it"
    log = simulate.log_of(instance, run, CLUSTER.release(RELEASE), "TRACE", numbered(3, 1))
    seen = [
        PlacedEvent(Place(file, number), event)
        for file, lines in sorted(log.files.items())
        for number, line in enumerate(lines, 1)
        if isinstance(event := parse_line(line), Event)
    ]
    return Evidence(seen, sum(map(len, log.files.values())))
