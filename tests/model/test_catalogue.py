"""Models and lemmas are found where they are written."""

from __future__ import annotations

import pytest
from isrproof.model.catalogue import model, models
from isrproof.model.discovery import modules
from isrproof.model.errors import UnknownNameError
from isrproof.model.script import script_of, written

# The names never change, and pages and listings keep this order.
NAMES = [
    *("raft", "raft-voters", "raft-pre-vote"),
    *("truncate-to-hw", "kip101", "kip279", "kip320-first-try", "kip320"),
    *("kip497", "kip497-committed-isr-only", "unclean-election", "unclean-election-keeps-isr"),
    *("last-replica-standing", "kip966", "kip966-without-kafka-15583"),
]
# The module whose lemmas a model gets; the others get those of `lemmas`.
LEMMAS = {
    "raft": "lemmas_raft",
    "raft-pre-vote": "lemmas_raft",
    "raft-voters": "lemmas_voters",
    "kip497": "lemmas_kip497",
    "kip497-committed-isr-only": "lemmas_kip497",
    "unclean-election": "lemmas_unclean",
    "unclean-election-keeps-isr": "lemmas_unclean",
    "last-replica-standing": "lemmas_crash",
    "kip966": "lemmas_acknowledged",
    "kip966-without-kafka-15583": "lemmas_acknowledged",
}


def test_the_models_are_discovered() -> None:
    assert list(models()) == NAMES
    assert all(model(name) is one and one.name == name for name, one in models().items())


def test_an_unknown_model_gets_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match="kip320"):
        model("kip302")


@pytest.mark.parametrize("name", NAMES)
def test_a_model_gets_the_lemmas_of_most_of_its_fields(name: str) -> None:
    (module,) = [each for each in modules(of_lemmas=True) if each.__name__.endswith("." + LEMMAS.get(name, "lemmas"))]
    assert script_of(model(name)).lemmas is module.SCRIPT.lemmas


@pytest.mark.parametrize("name", NAMES)
def test_no_two_lemma_modules_fit_equally_well(name: str) -> None:
    fields = {each.expr for each in model(name).fields}
    fitting = [each.fields for each in written() if each.fields <= fields]
    assert all(each <= max(fitting, key=len) for each in fitting)
