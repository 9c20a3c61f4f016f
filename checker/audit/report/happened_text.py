"""The things that happened, in words: a line each in the order of time, alike ones of several partitions as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ..findings.happened import Happened
from .shown import and_more, count, partition_name, plain, printed

LINES = 10
"""The most lines without `verbose`."""
_IN_HEADLINE = 2
_NAMED = 3


@dataclass(frozen=True)
class Line:
    """Entries of one kind that differ only in their partition, in order."""

    entries: tuple[Happened, ...]

    @property
    def first(self) -> Happened:
        return self.entries[0]

    @property
    def trouble(self) -> bool:
        return any(each.trouble for each in self.entries)

    @property
    def when(self) -> str:
        """Return the time of the first, as printed; empty where lines have no times."""
        return "" if self.first.since is None else printed(self.first.since)

    @property
    def sentence(self) -> str:
        """Return a sentence: what happened to whom, how long or how often, and why; of partitions with reasons of their
        own, why to the first."""
        first = self.first
        text = f"{self._subject()} {self._predicate()}{self._spell()}"
        if first.reason is None:
            return text
        if len({each.reason for each in self.entries}) == 1:
            return f"{text}: {first.reason}"
        return f"{text}: {partition_name(first.topic or '?', first.partition or 0)}: {first.reason}"

    @property
    def where(self) -> str:
        return str(self.first.places[0]) if self.first.places else ""

    @property
    def todo(self) -> str | None:
        return self.first.word.todo if self.trouble else None

    @property
    def why(self) -> str | None:
        """Return the command that explains the worst of trouble; None where there is none."""
        worst = max(self.entries, key=lambda each: each.longest or 0)
        return worst.why

    def _subject(self) -> str:
        first, subject = self.first, self.first.word.subject
        if subject == "partition":
            own = [each for each in self.entries if each.topic is not None]
            names = list(dict.fromkeys(partition_name(each.topic or "?", each.partition or 0) for each in own))
            named = (
                "partitions"
                if not names
                else names[0]
                if len(names) == 1
                else f"{count(len(names), 'partition')} ({and_more(names, _NAMED)})"
            )
            return named if first.node is None else f"{named} on node {first.node}"
        if subject == "topic":
            return "a topic" if first.topic is None else f"topic {first.topic}"
        if subject == "node" or (subject == "controller" and first.node is not None):
            return "a node" if first.node is None else f"node {first.node}"
        if subject == "quorum":
            return "the metadata quorum" if first.node is None or first.what == "quorum-led" else f"node {first.node}"
        return {"log": "this log", "migration": "the migration"}.get(subject, f"a {subject}")

    def _predicate(self) -> str:
        word, first = self.first.word, self.first
        several = len({(each.topic, each.partition) for each in self.entries}) > 1
        sentence = word.sentence
        if several and sentence.startswith("was "):
            sentence = f"were {sentence[4:]}"
        if several:
            sentence = sentence.replace(" its ", " their ")
        if first.what == "quorum-led":
            sentence += f" by {first.node}"
        if first.epoch is not None and word.subject in ("quorum", "controller"):
            sentence += f" in epoch {first.epoch}"
        return sentence

    def _spell(self) -> str:
        times = sum(each.count for each in self.entries)
        often = f", {times} times" if times > len(self.entries) else ""
        lengths = [each.longest for each in self.entries if each.longest is not None]
        longest = max(lengths, default=None)
        if self.first.moment:
            return f"{often} at the moment that a tool shows" + (f", for {_seconds(longest)}" if longest else "")
        if self.first.lasts and often:
            return f"{often}, the last to the end of the log"
        if self.first.lasts:
            return f"{often} to the end of the log" + (f" ({_seconds(longest)} at least)" if longest else "")
        if not self.first.word.spell:
            until = max((each.until for each in self.entries if each.until is not None), default=None)
            return often if until is None or until == self.first.since else f"{often} until {printed(until)}"
        if not longest:
            return often
        return (
            f"{often} for {_seconds(longest)}"
            if not often and len(lengths) == 1
            else (f"{often}, for {_seconds(longest)} at most")
        )


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f} s" if milliseconds < 60_000 else f"{milliseconds / 60_000:.1f} min"


def lines(entries: Sequence[Happened]) -> list[Line]:
    """Return the lines of all entries, in the order of time."""
    groups: dict[tuple[object, ...], list[Happened]] = defaultdict(list)
    for each in entries:
        of_partition = each.word.subject == "partition"
        apart = () if of_partition else (each.since, each.topic, each.reason, each.epoch)
        groups[(each.what, each.node, each.trouble, each.lasts, each.moment, *apart)].append(each)
    return [Line(tuple(own)) for own in groups.values()]


def chosen(every: Sequence[Line], most: int) -> list[Line]:
    """Return at most so many lines, trouble before others, in the order of time."""
    kept = sorted(range(len(every)), key=lambda at: (not every[at].trouble, at))[:most]
    return [every[at] for at in sorted(kept)]


def happened_text(entries: Sequence[Happened], *, verbose: bool) -> str:
    """Return a paragraph: trouble is marked; without `verbose` the first lines, trouble first."""
    every = lines(entries)
    kept = every if verbose else chosen(every, LINES)
    if not kept:
        return ""
    text = ["what happened"]
    for line in kept:
        text.append(f"{'!' if line.trouble else ' '} {line.when + '  ' if line.when else ''}{plain(line.sentence)}")
        text[-1] += f"  {plain(line.where)}" if line.where else ""
    if len(kept) < len(every):
        text.append(f"  and {count(len(every) - len(kept), 'other thing')}; --verbose shows all")
    return "\n".join(text)


def in_headline(entries: Sequence[Happened]) -> str:
    """Return the first things that are trouble, as the first line of a report has them; empty if nothing is."""
    trouble = [line for line in lines(entries) if line.trouble]
    if not trouble:
        return ""
    worst = sorted(trouble, key=lambda line: not line.first.lasts)[:_IN_HEADLINE]
    found = "; ".join(plain(in_short(line)) for line in worst)
    more = len(trouble) - len(worst)
    return f"troubled: {found}" + (f"; and {count(more, 'other trouble')}" if more else "")


def in_short(line: Line) -> str:
    """Return a sentence with its time and without its reason."""
    text, _, _ = line.sentence.partition(": ")
    return (
        f"{text} from {line.when}"
        if line.when and not line.first.lasts
        else f"{text}, since {line.when}"
        if line.when
        else text
    )
