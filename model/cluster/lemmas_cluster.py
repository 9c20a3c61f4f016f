"""The lemmas for a cluster that has some parts: those of every cluster, and each part's own.

Each part gives the terms of the common lemmas in its own way (`Terms`): the brokers that may lead, what is left alone.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from ..expr import Expr, false, set_of, true, var
from ..property import Property
from ..protocol import Model
from ..script import Lemmas
from . import (
    lemmas_control,
    lemmas_deletion,
    lemmas_directories,
    lemmas_isr,
    lemmas_reassign,
    lemmas_settled,
    lemmas_shutdown,
)
from .lemmas_requests import on_the_way
from .lemmas_settled import IS_CURRENT, KNOWS, Terms
from .state import (
    Broker,
    c,
    controller,
    controller_epoch,
    epoch,
    hosted,
    live,
    marked,
    offline_dirs,
    origin,
    p,
    phase,
    proposed,
    queued,
    registered,
    shutting,
    to_delete,
    znode,
)

_broker = var("directory_of", Broker)


def _terms(fields: Set[Expr]) -> Terms:
    working = live[c]
    if offline_dirs in fields:
        working = working.minus(set_of(_broker, offline_dirs[c][_broker].contains(p)))
    terms = Terms(
        online=working.minus(shutting[c]) if shutting in fields else working,
        working=working,
        left_alone=to_delete[c].contains(p) if queued in fields else false,
        partly=~marked[c].is_empty() if marked in fields else false,
        knows=IS_CURRENT if queued in fields else KNOWS,
    )
    if origin not in fields:
        return terms
    return replace(
        terms,
        to_move=lemmas_reassign.DEAD_TO_MOVE,
        is_replica=lemmas_reassign.HAS,
        unsettled=lemmas_reassign.UNSETTLED,
    )


def lemmas(fields: Set[Expr]) -> tuple[Property, ...]:
    """The lemmas for a model with these fields."""
    terms = _terms(fields)
    of_all = [*lemmas_control.LEMMAS, lemmas_control.znode_is_of_a_topic(IS_CURRENT if queued in fields else true)]
    if origin not in fields:
        of_all.append(lemmas_control.ISR_IS_OF_REPLICAS)
    of_parts: list[Property] = []
    if shutting in fields:
        of_parts += lemmas_shutdown.lemmas(terms.left_alone)
    if queued in fields:
        of_parts += lemmas_deletion.lemmas(terms.online)
    if offline_dirs in fields:
        of_parts += lemmas_directories.lemmas(on_the_way(fields) if hosted in fields else None)
    if proposed in fields and origin not in fields:
        of_parts += lemmas_isr.lemmas(on_the_way(fields))
    if origin in fields:
        of_parts += lemmas_reassign.LEMMAS
    return (*of_all, *of_parts, *lemmas_settled.lemmas(terms))


def _as_it_is(model: Model) -> Model:
    """Return the model unchanged: no lemma asks for history."""
    return model


SCRIPT = Lemmas(
    frozenset({registered, controller, controller_epoch, phase, epoch, znode}),
    lemmas,
    _as_it_is,
    lambda model: (),
    {},
)
