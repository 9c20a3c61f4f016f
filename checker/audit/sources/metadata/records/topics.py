"""Records about topics."""

from __future__ import annotations

from collections.abc import Mapping

from ..chronicle import Happened
from ..columns import TOPICS
from ..fold import Fold, Handler
from ..rows import At
from ..state import Data


def _topic(fold: Fold, data: Data, at: At) -> None:
    state, name, topic = fold.state, data["name"], data["topicId"]
    columns = {"topic": name, "fresh": topic not in state.ever, "free": name not in state.ids, "contiguous": True}
    fold.show(TOPICS, at, columns)
    state.names[topic], state.ids[name] = name, topic
    if fold.course is not None:
        fold.course.created(name, state, at)
    if fold.chronicle is not None:
        fold.chronicle.named(name, topic)
    state.ever.add(topic)
    state.partitions.setdefault(topic, {})


def _remove_topic(fold: Fold, data: Data, at: At) -> None:
    topic = data["topicId"]
    if fold.state.whole and topic not in fold.state.names:
        fold.missing(at, topic)
    if fold.chronicle is not None:
        fold.chronicle.gone(topic, fold.state.partitions.get(topic, {}).values(), Happened.of(at))
    if fold.conditions is not None:
        fold.conditions.gone(topic, at.ts)
    if fold.course is not None:
        there = fold.state.partitions.get(topic, {}).values()
        fold.course.deleted(str(fold.state.names.get(topic, topic)), there, at)
    fold.state.remove(topic)


HANDLERS: Mapping[str, Handler] = {
    "TOPIC_RECORD": _topic,
    "REMOVE_TOPIC_RECORD": _remove_topic,
}
