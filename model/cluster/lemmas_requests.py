"""Terms in which lemmas refer to requests on the way, of any kind."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import cast

from ..expr import Expr, mapped, record, var
from ..sorts import Int, RecordSort, SeqSort
from .state import CHANNEL, NO_BROKERS, NO_PARTITIONS, NO_ZNODE, Partition, b, e

at = var("at", Int(0, CHANNEL))
_SAYS_NOTHING = {
    "kind": "LeaderAndIsr",
    "broker_epoch": 0,
    "states": mapped(var("of", Partition), NO_ZNODE),
    "new": NO_PARTITIONS,
    "live": NO_BROKERS,
    "deleted": NO_PARTITIONS,
}


@dataclass(frozen=True)
class OnTheWay:
    """The requests on the way; `queue`: the field of a model that has them."""

    queue: Expr

    def request(self, broker: Expr, tenure: Expr) -> Expr:
        """The request number `at` of a tenure on its way to a broker; one that says nothing where there are fewer."""
        sort = self._sort()
        nothing = record(sort, **{name: _SAYS_NOTHING[name] for name, _ in sort.fields})
        return self.queue[broker][tenure].at(at).get(nothing)

    def _sort(self) -> RecordSort:
        one = self.queue[b][e].sort
        return cast(RecordSort, cast(SeqSort, one).element)

    def there_is(self, broker: Expr, tenure: Expr) -> Expr:
        """Check that such a request exists."""
        return at < self.queue[broker][tenure].length()


def on_the_way(fields: Set[Expr]) -> OnTheWay:
    """Return the requests on the way in a model with these fields, which has requests."""
    return OnTheWay(next(each for each in fields if each.data == "channel"))
