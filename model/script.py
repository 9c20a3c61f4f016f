"""Which lemmas a proof may use: written beside a model, found by what the model has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .property import Property
from .protocol import Model


@dataclass(frozen=True)
class Script:
    """A model with the ghosts that its lemmas speak about, the lemmas, and goals besides the model's properties.

    `base` is the model as it was before the ghosts. Without lemmas a proof is by plain induction. `spare` tells of
    lemmas that no promise needs why they are kept.
    """

    base: Model
    model: Model
    lemmas: tuple[Property, ...] = ()
    goals: tuple[Property, ...] = ()
    spare: Mapping[str, str] = field(default_factory=dict)


def script_of(model: Model) -> Script:
    """The lemmas for a model: those of replication for a model with replication's fields.

    The *always* properties of any other model are lemmas for one another.
    """
    from .replication import (
        lemmas,
        lemmas_acknowledged,
        lemmas_crash,
        lemmas_kip497,
        lemmas_unclean,
        state,
    )
    from .replication.kip497 import proposed
    from .replication.kip966 import crashes, elr
    from .replication.unclean import kept

    fields = {each.expr for each in model.fields}
    if not {each.expr for each in state.FIELDS} <= fields:
        promised = [each for each in model.properties if each.name not in model.suspended]
        return Script(model, model, tuple(each for each in promised if each.kind == "always"))
    of = {proposed: lemmas_kip497, elr: lemmas_acknowledged, crashes: lemmas_crash, kept: lemmas_unclean}
    written = next((lemmas for has, lemmas in of.items() if has in fields), lemmas)
    watching = written.with_history(model)
    clean = "StrongIsr" not in model.suspended
    goals = (watching.property("NoCommittedRecordLost"), lemmas.HW_AGREEMENT) if clean else ()
    return Script(model, watching, written.LEMMAS, goals, written.SPARE)
