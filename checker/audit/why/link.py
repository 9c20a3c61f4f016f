"""Links: inferences from something that happened to what explains it, and the chain that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ....traces.place import Place
from ..findings.happened import Happened
from .known import Known

MOST = 12
"""The most links of a chain: each goes back in time, so only an error of ours makes it longer."""


@dataclass(frozen=True)
class Because:
    """An entry that may explain another, and what shows that it does."""

    entry: Happened
    values: Mapping[str, str] = field(default_factory=dict)
    """The values of the link's sentence."""
    places: tuple[Place, ...] = ()
    """The lines or records that connect the two, beside those of both."""


@dataclass(frozen=True)
class Link:
    """An inference with a rule: entries of one kind are explained by entries of others."""

    name: str
    of: str
    """The kind of entry that it explains: a word of the vocabulary of happenings."""
    by: tuple[str, ...]
    """The kinds of entries that explain it."""
    find: Callable[[Happened, Known], Sequence[Because]]
    """Returns the entries that explain one: none, the only one, or several of which the log does not show which."""
    sentence: str
    """The reason why the one explains the other, with values of `Because` in braces."""


@dataclass(frozen=True)
class Explained:
    """An entry of a chain, and why the next one explains it."""

    entry: Happened
    says: str = ""
    """The reason why the next entry explains this one; empty for the last."""
    link: str = ""
    """The name of the link to the next entry; empty for the last."""
    places: tuple[Place, ...] = ()
    """The places that connect it with the next entry."""


@dataclass(frozen=True)
class Chain:
    """The entries from what was asked to what nothing before explains."""

    entries: tuple[Explained, ...]
    cause: Happened | None
    """The last entry; None if the log does not show what explains it, and something must."""
    unknown: tuple[str, ...] = ()
    """The facts that are not known, and which file would show it."""


def chain(
    entry: Happened,
    known: Known,
    links: Sequence[Link],
    ending: Callable[[Happened, Known], tuple[bool, str | None]],
) -> Chain:
    """Follow links backwards from an entry.

    Args:
        ending: returns whether an entry that nothing explains is a cause, and what is not known there.
    """
    entries: list[Explained] = []
    met: set[Happened] = set()
    while len(entries) < MOST and entry not in met:
        met.add(entry)
        link, found = _explained(entry, known, links)
        if link is None or len(found) != 1:
            return _ended(entries, entry, known, found, ending)
        because = found[0]
        says = link.sentence.format_map(because.values)
        entries.append(Explained(entry, says, link.name, because.places))
        entry = because.entry
    raise AssertionError(f"the links go round: {[each.link for each in entries]}")


def _explained(entry: Happened, known: Known, links: Sequence[Link]) -> tuple[Link | None, Sequence[Because]]:
    """Return the first link that explains an entry, and the entries that do."""
    for link in links:
        if link.of == entry.what:
            found = link.find(entry, known)
            if found:
                assert all(each.entry.what in link.by for each in found), link.name
                return link, found
    return None, ()


def _ended(
    entries: Sequence[Explained],
    entry: Happened,
    known: Known,
    several: Sequence[Because],
    ending: Callable[[Happened, Known], tuple[bool, str | None]],
) -> Chain:
    whole = (*entries, Explained(entry))
    if several:
        return Chain(whole, None, (_which(several),))
    is_cause, text = ending(entry, known)
    return Chain(whole, entry if is_cause else None, () if text is None else (text,))


def _which(several: Sequence[Because]) -> str:
    """Return what is not known where several entries may explain one."""
    shown = ", ".join(
        f"{each.entry.what} {each.entry.places[0] if each.entry.places else ''}".strip() for each in several
    )
    nodes = sorted({each.entry.node for each in several if each.entry.node is not None})
    if len(nodes) > 1:
        return f"which of nodes {', '.join(map(str, nodes))} went last ({shown}): their server.log would show it"
    return f"which of these it was: {shown}"
