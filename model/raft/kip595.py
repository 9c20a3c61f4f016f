"""KIP-595: epoch and vote are on disk (quorum-state) before anybody is answered, so that a restart forgets neither."""

from __future__ import annotations

from ..action import action
from ..protocol import Behaviour
from .base import QUORUM, restarts, voter
from .state import voted

restart = action(
    "Restart",
    "A voter's process dies and starts again, with epoch, vote and log as they are on its disk.",
    voter,
    guard={},
    updates=restarts(voter, voted[voter]),
    cites=("KIP-595", "QuorumState.initialize"),
)

KIP_595 = Behaviour(
    "KIP-595",
    "Epoch and vote are on disk before any request is answered.",
    replaces=(restart,),
    cites=("KIP-595",),
    breaks_without=("OneVotePerEpoch", "OneLeaderPerEpoch"),
)

RAFT = QUORUM.with_behaviours(
    KIP_595, name="raft", statement="KRaft's metadata quorum: elections, votes and the high watermark (3.0 to 3.9)."
)
