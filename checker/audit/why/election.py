"""The reasons why no election of a partition was possible: the clauses of the model's guard that fail."""

from __future__ import annotations

from ....model.cluster.effects import Effects
from ....model.cluster.state import c, p
from ....model.evaluate import name_of
from ....model.kraft.state import to
from ..findings.happened import Happened
from ..happened.in_words import listed
from . import kraft, zookeeper
from .guards import Refused, asks, evaluated
from .known import Known
from .nodes import DIRECTORY
from .partitions import ACTIVE, gone_of, isr_then, key_of

CLEAN, ANY = "ElectPreferred", "ElectUnclean"
"""The steps of model kraft that elect a leader of a partition without one."""


def not_elected(entry: Happened, known: Known) -> Refused:
    """Return why no replica of a partition could be elected when its leader was taken away."""
    place = entry.places[0] if entry.places else None
    if place is None or entry.since is None:
        return Refused()
    return _by_records(entry, known) if place.offset is not None else _by_lines(entry, known)


def _by_records(entry: Happened, known: Known) -> Refused:
    """Return for each replica why it could not be elected, in the state of the record; nothing where none shows it."""
    shown = known.condition(entry)
    place, since = entry.places[0], entry.since or 0
    if shown is None or not shown.replicas:
        return Refused()
    _, here = known.before(key_of(entry), place, since)
    needed = known.needed.get((*key_of(entry), place.offset or 0))
    if here is None or needed is None:
        return Refused()
    ids = shown.replicas
    states = [known.registered(node, since) for node in ids]
    env = kraft.state(
        len(ids),
        {
            "registration": tuple(states),
            "place": tuple(range(len(ids))),
            "isr": kraft.indices(ids, here.isr or ()),
            "elr": kraft.indices(ids, needed.elr),
            "offline": kraft.indices(ids, needed.diskless),
            "last_known": next((ids.index(node) for node in needed.last_known if node in ids), -1),
            "ends": False,
        },
    )
    about = f"ISR {listed(here.isr or ()) or 'empty'}" + (f", ELR {listed(needed.elr)}" if needed.elr else "")
    said = []
    for number, (node, state) in enumerate(zip(ids, states, strict=True)):
        chosen = {**env, name_of(to): number}
        failing = evaluated(kraft.guard(len(ids), CLEAN), chosen).fails
        unclean = not evaluated(kraft.guard(len(ids), ANY), chosen).fails
        if failing:
            text = f"{node} could not be elected ({state}; {about}): {asks('kraft', failing)}"
            said.append(text + (": an unclean election could make it the leader" if unclean else ""))
    return Refused(tuple(said))


def _by_lines(entry: Happened, known: Known) -> Refused:
    """Return why a controller of ZooKeeper mode could elect nobody, by the lists of live brokers that it printed."""
    then, shown, since = isr_then(entry, known), known.condition(entry), entry.since or 0
    if then is None or not known.live:
        return Refused()
    isr, row, _ = then
    replicas = (shown.replicas if shown is not None else None) or ()
    live = known.listed(since)
    failed = [each.node for each in (gone_of(node, since, known) for node in isr) if each and each.what == DIRECTORY]
    epochs = [each.epoch or 0 for each in known.of_kind(ACTIVE) if (each.since or 0) <= since]
    named = zookeeper.Named.of(isr, replicas, live.brokers if live is not None else ())
    env = named.state(
        live,
        isr=isr,
        # Only three replicas have room in the model: those that may lead come first.
        replicas=sorted(replicas or isr, key=lambda each: (each not in isr, live is None or each not in live.brokers)),
        offline=[node for node in failed if node is not None],
        written_by=row.controller_epoch,
        epoch=max(epochs, default=None),
    )
    effects = Effects(zookeeper.chosen())
    found = evaluated(effects.electable(c, p), env)
    if not found.fails:
        what = f"whether a member of the ISR {listed(isr)} was alive"
        return Refused(unknown=zookeeper.would_tell(found.lacks & {"live"}, what))
    able = effects.first(p, effects.online_brokers(c, p))
    unclean = named.broker(able, env) if replicas and live is not None else None
    values = [f"ISR {listed(isr)}", *zookeeper.printed_live(live)]
    values += [f"a directory of {node} failed" for node in failed]
    text = f"no leader could be elected ({'; '.join(values)}): {asks('cluster', found.fails)}"
    return Refused((text + (f": an unclean election could make {unclean} the leader" if unclean is not None else ""),))
