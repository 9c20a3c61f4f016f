"""Records about the cluster as a whole: configurations, features, migration from ZooKeeper, blocks of producer ids."""

from __future__ import annotations

from collections.abc import Mapping

from ......specs.metadata.levels import NAME, changes_between
from ..columns import LEVELS, PRODUCER_IDS
from ..fold import Fold, Handler
from ..rows import At
from ..state import Data
from ..unsure import level_of


def _config(fold: Fold, data: Data, at: At) -> None:
    fold.state.configure(data)


def _feature(fold: Fold, data: Data, at: At) -> None:
    level = level_of(data)
    fold.unsure.feature(data["name"], level)
    if data["name"] == NAME:
        _change_level(fold, level, at)
    if level:
        fold.state.features[data["name"]] = level
    else:
        fold.state.features.pop(data["name"], None)


def _change_level(fold: Fold, to_level: int, at: At) -> None:
    """Report a record that sets metadata.version to another level."""
    earlier = fold.earlier(at, ("levels", 0))
    if fold.state.whole or NAME in fold.state.features:
        crossed = changes_between(to_level, fold.state.level)
        fold.show(LEVELS, at, earlier | {"to_level": to_level, "crossed": list(crossed)})


def _remove_feature(fold: Fold, data: Data, at: At) -> None:
    fold.state.features.pop(data["name"], None)


def _migration(fold: Fold, data: Data, at: At) -> None:
    fold.state.migration = data["zkMigrationState"]
    if fold.chronicle is not None and fold.state.migration:
        fold.chronicle.mixed = True


def _producer_ids(fold: Fold, data: Data, at: At) -> None:
    before, after = fold.state.producer_ids, data["nextProducerId"]
    fold.state.producer_ids = after
    if fold.course is not None and data["brokerEpoch"] < 0:
        fold.course.ids_migrated(data["brokerId"], after, at)
    earlier = fold.earlier(at, ("producer ids", 0))
    if before is not None:
        fold.show(PRODUCER_IDS, at, earlier | {"next": after, "before_next": before})


HANDLERS: Mapping[str, Handler] = {
    "CONFIG_RECORD": _config,
    "FEATURE_LEVEL_RECORD": _feature,
    "REMOVE_FEATURE_LEVEL_RECORD": _remove_feature,
    "ZK_MIGRATION_STATE_RECORD": _migration,
    "PRODUCER_IDS_RECORD": _producer_ids,
}
