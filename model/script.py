"""Which lemmas a proof may use: written beside a model, found by what the model has."""

from __future__ import annotations

from dataclasses import dataclass

from .property import Property
from .protocol import Model


@dataclass(frozen=True)
class Script:
    """A model with the ghosts that its lemmas speak about, the lemmas, and goals besides the model's properties.

    `base` is the model as it was before the ghosts. Without lemmas a proof is by plain induction.
    """

    base: Model
    model: Model
    lemmas: tuple[Property, ...] = ()
    goals: tuple[Property, ...] = ()


def script_of(model: Model) -> Script:
    """The lemmas for a model: those of replication for a model with replication's fields, else none."""
    from .replication import lemmas, lemmas_kip497, state
    from .replication.kip497 import proposed

    fields = {each.expr for each in model.fields}
    if proposed in fields:
        return Script(model, lemmas_kip497.with_history(model), lemmas_kip497.LEMMAS, (lemmas.HW_AGREEMENT,))
    if {each.expr for each in state.FIELDS} <= fields:
        return Script(model, lemmas.with_history(model), lemmas.LEMMAS, (lemmas.HW_AGREEMENT,))
    return Script(model, model)
