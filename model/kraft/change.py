"""One change of a partition: PartitionChangeBuilder, as conditions on the elected leader and as the new state.

A handler says what it wants: an ISR, perhaps other replicas, who may lead. `change` says who can be elected then
(`guard`, over the parameter `to`: the leader afterwards), and what stands in the partition afterwards (`updates`).
Source: org.apache.kafka.controller.PartitionChangeBuilder, PartitionReassignmentReplicas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..action import Clause, waived
from ..expr import Expr, both, const, either, exists, false, forall, ite, set_of, setting, true, var
from ..family import Chosen
from ..sorts import Bool
from .state import (
    MIN_ISR,
    NO_BROKERS,
    NOBODY,
    UNFENCED,
    Leader,
    Registration,
    adding,
    alone,
    each,
    elr,
    first_of,
    is_there,
    isr,
    last_known,
    leader,
    leader_epoch,
    members,
    offline,
    partition_epoch,
    place,
    r,
    recovering,
    registration,
    removing,
    to,
    without_gaps,
)

UNCLEAN, UNCLEAN_ASKED, REASSIGNMENT = "unclean leaders", "unclean elections", "reassignment"
"""Parts of the model."""
ELR, DIRECTORIES = "KIP-966", "KIP-858"
_NOBODY = const(NOBODY, Leader)
ends = var("ends", Bool)
Acceptable = Callable[[Expr], Expr]
Guard = dict[str, Expr | Clause]


def is_active(who: Expr) -> Expr:
    """A broker is unfenced, and not in controlled shutdown."""
    return registration[who].eq(const(UNFENCED, Registration))


def has_directory(chosen: Chosen, who: Expr) -> Expr:
    """The directory of a broker's replica has not failed."""
    return ~offline.contains(who) if chosen.has(DIRECTORIES) else true


def may_lead(chosen: Chosen, who: Expr) -> Expr:
    """LeaderAcceptor: a broker is active, and the directory of its replica has not failed."""
    return is_active(who) & has_directory(chosen, who)


@dataclass(frozen=True)
class Wanted:
    """A change that a handler asks for; whatever it does not name stays as it is.

    * `acceptable`: the brokers that may lead, as far as registrations go. `unclean`: the election may be unclean;
      `preferred`: it is for the first replica. `stopped`: brokers that lost what they had not written to disk.
    * `directory`: it assigns a replica's directory, which by itself makes it a change.
    """

    acceptable: Acceptable
    isr: Expr = isr
    place: Expr = place
    adding: Expr = adding
    removing: Expr = removing
    recovering: Expr = recovering
    preferred: bool = False
    unclean: bool = False
    directory: bool = False
    stopped: Expr = field(default=NO_BROKERS)


@dataclass(frozen=True)
class Change:
    """Conditions on the leader afterwards, by what they say; and the partition's fields afterwards."""

    guard: Mapping[str, Expr | Clause]
    updates: Mapping[Expr, Expr]

    def _where(self, looked_at: Expr, stays: Expr) -> Change:
        """The change of a partition that a handler looks at; another one stays as it is."""
        guard: Guard = {
            label: Clause("", looked_at.implies(each.condition), each.waiver)
            if isinstance(each, Clause)
            else looked_at.implies(each)
            for label, each in self.guard.items()
        }
        guard["a partition that the handler does not look at keeps its leader"] = waived(
            looked_at | stays, "otherwise one step would have several names"
        )
        return Change(guard, {each: ite(looked_at, after, each) for each, after in self.updates.items()})


@dataclass(frozen=True)
class _Candidates:
    """The brokers of the wanted replicas, ISR and ELR that can lead."""

    chosen: Chosen
    wanted: Wanted
    replicas: Expr
    place: Expr
    isr: Expr
    elr: Expr

    def trusted(self, who: Expr) -> Expr:
        """A broker has all that was committed: it is in the ISR, or eligible where nobody is."""
        in_isr = self.isr.contains(who)
        if not self.chosen.has(ELR):
            return in_isr
        return in_isr | (self.isr.is_empty() & self.elr.contains(who))

    def valid(self, who: Expr) -> Expr:
        return self.trusted(who) & self.wanted.acceptable(who)

    @property
    def all(self) -> Expr:
        one = each("can", self.replicas, self.valid(r))
        return set_of(one, self.replicas.contains(one) & self.valid(one))

    @property
    def unclean(self) -> Expr:
        """Replicas that may lead, whatever they have."""
        if not self.wanted.unclean:
            return NO_BROKERS
        one = each("may", self.replicas, self.wanted.acceptable(r))
        return set_of(one, self.replicas.contains(one) & self.wanted.acceptable(one))

    @property
    def only_known(self) -> Expr:
        """Nobody is in the ISR or eligible, but the last leader is known."""
        if not self.chosen.has(ELR):
            return false
        return both(self.isr.is_empty(), self.elr.is_empty(), last_known >= 0)

    @property
    def last_known(self) -> Expr:
        """The last known leader can lead; with KAFKA-19522 whatever it is."""
        able = true if self.chosen.has("KAFKA-19522") else self.wanted.acceptable(last_known)
        return self.only_known & able if self.chosen.has(ELR) else false


def change(chosen: Chosen, wanted: Wanted, looked_at: Expr = true) -> Change:
    """The one record that the builder writes, or none; of a partition that is there, and that the handler looks at."""
    gone = ite(ends, wanted.removing, NO_BROKERS) if REASSIGNMENT in chosen.parts else NO_BROKERS
    stay = members(wanted.place).minus(gone)
    aimed = wanted.isr.minus(gone)
    eligible = _eligible(chosen, wanted, aimed)
    candidates = _Candidates(chosen, wanted, stay, wanted.place, aimed, eligible)
    elected = to.ne(leader)
    some = elected & (to >= 0)
    unclean = some & ~candidates.trusted(to)
    from_elr = some & eligible.contains(to) if chosen.has(ELR) else false
    aimed = ite(unclean | from_elr, alone(to), aimed)
    written = aimed if chosen.has(ELR) else ite(aimed.is_empty(), isr, aimed)
    updates: dict[Expr, Expr] = {
        isr: written,
        leader: to,
        recovering: _recovering(chosen, wanted, unclean),
    }
    if REASSIGNMENT in chosen.parts:
        updates[place] = ite(ends, without_gaps(wanted.place, stay), wanted.place)
        updates[adding] = ite(ends, NO_BROKERS, wanted.adding)
        updates[removing] = ite(ends, NO_BROKERS, wanted.removing)
    if chosen.has(ELR):
        updates[elr] = ite(unclean, NO_BROKERS, ite(from_elr, eligible.minus(aimed), eligible))
        updates[last_known] = _last_known(chosen, written, elected)
    named = either(elected, ~members(place).subset_of(stay), _epoch_for_shrink(chosen, aimed, written))
    changed = true if wanted.directory else either(named, *(after.ne(before) for before, after in updates.items()))
    updates[leader_epoch] = ite(named, leader_epoch + 1, leader_epoch)
    updates[partition_epoch] = ite(changed, partition_epoch + 1, partition_epoch)
    guard = {**(_end(chosen, wanted) if REASSIGNMENT in chosen.parts else {}), **_election(candidates)}
    stays = both(to.eq(leader), ~ends) if REASSIGNMENT in chosen.parts else to.eq(leader)
    return Change(guard, updates)._where(is_there() & looked_at, stays)


def asked(chosen: Chosen) -> tuple[Expr, ...]:
    """The parameters of a change: the leader afterwards, and whether a reassignment ends."""
    return (to, ends) if REASSIGNMENT in chosen.parts else (to,)


def _end(chosen: Chosen, wanted: Wanted) -> Guard:
    """Return the guard of an ISR that ends a reassignment: removed brokers are no replicas any more."""
    going_on = ~wanted.adding.union(wanted.removing).is_empty()
    staying = members(wanted.place).minus(wanted.removing)
    in_sync = wanted.isr.minus(wanted.removing)
    needed, label = _needed(chosen, wanted, staying)
    can = both(~in_sync.is_empty(), ~staying.is_empty(), needed.subset_of(in_sync))
    return {
        "a reassignment that ends goes on": waived(ends.implies(going_on), "otherwise nothing ends"),
        label: (ends & going_on).implies(can),
        "a reassignment ends as soon as it can": waived((going_on & can).implies(ends), "later would also be correct"),
    }


def _needed(chosen: Chosen, wanted: Wanted, staying: Expr) -> tuple[Expr, str]:
    """Return the brokers that must be in the ISR for a reassignment to end, and the label of that clause."""
    everybody = "a reassignment ends when all replicas that stay are in the ISR"
    if chosen.has("KAFKA-15665"):
        return wanted.adding, everybody
    if not chosen.has("KAFKA-19975"):
        return staying, everybody
    fewer = wanted.adding.size() < wanted.removing.size()
    return (
        wanted.adding.union(ite(fewer, staying, NO_BROKERS)),
        ("a reassignment ends when all replicas that it adds are in the ISR, or all that stay if it removes more"),
    )


def _eligible(chosen: Chosen, wanted: Wanted, aimed: Expr) -> Expr:
    """The ELR: brokers that left the ISR since it is too small, except those that lost what they had in memory."""
    if not chosen.has(ELR):
        return NO_BROKERS
    return ite(setting(MIN_ISR) <= aimed.size(), NO_BROKERS, elr.union(isr).minus(aimed).minus(wanted.stopped))


def _recovering(chosen: Chosen, wanted: Wanted, unclean: Expr) -> Expr:
    if not chosen.has("KIP-704"):
        return wanted.recovering
    return ite(wanted.recovering.eq(recovering), recovering | unclean, wanted.recovering)


def _last_known(chosen: Chosen, written: Expr, elected: Expr) -> Expr:
    """The last known leader: noted when the last member leaves the ISR, and forgotten when a broker leads."""
    if chosen.has("last known leader of the leaderless"):
        leaves = elected & (to < 0) & (last_known < 0)
    else:
        leaves = written.is_empty() & written.ne(isr) & last_known.ne(leader)
    return ite(leaves, leader, ite(to >= 0, _NOBODY, last_known))


def _epoch_for_shrink(chosen: Chosen, aimed: Expr, written: Expr) -> Expr:
    """The leader epoch grows as the ISR shrinks."""
    if chosen.has("KAFKA-15109"):
        return false
    return ~isr.subset_of(aimed if chosen.has("KAFKA-16624") else written)


def _election(one: _Candidates) -> Guard:
    """Return the guard of the next leader, `to`: the candidates of `electLeader`, in its order."""
    wanted, candidates, unclean = one.wanted, one.all, one.unclean
    keeps = (leader >= 0) & one.valid(leader)
    somebody = to >= 0
    last = to.eq(last_known) & one.only_known if one.chosen.has(ELR) else false
    moved = somebody & to.ne(leader)
    other = each("other", candidates, one.place)
    guard: Guard = {}
    if wanted.preferred:
        best = each("best", one.replicas, one.place, one.valid(r))
        best = exists(best, first_of(best, one.replicas, one.place) & one.valid(best))
        guard["a leader goes on unless the preferred replica can lead"] = waived(
            (keeps & ~best).implies(to.eq(leader)), "it only costs an epoch to elect another one"
        )
        guard["the preferred replica is elected if it can lead"] = waived(
            best.implies(first_of(to, one.replicas, one.place)), "any member of the ISR would be correct"
        )
    else:
        guard["a leader that can go on is kept"] = keeps.implies(to.eq(leader))
    guard |= {
        "the elected replica is active": moved.implies(
            wanted.acceptable(to) | last if one.chosen.has("KAFKA-19522") else wanted.acceptable(to)
        ),
        "the elected replica is in the ISR, or else eligible, the last known leader, or unclean": moved.implies(
            either(one.trusted(to), last, unclean.contains(to))
        ),
        "the first replica that can lead is elected": waived(
            (moved & one.trusted(to)).implies(
                forall(other, candidates.contains(other).implies(one.place[to] <= one.place[other]))
            ),
            "any of them would be correct",
        ),
        "a partition has no leader only if no replica can lead": (~somebody).implies(
            both(candidates.is_empty(), ~one.last_known, unclean.is_empty())
        ),
        "a leader that cannot go on is not kept": (somebody & to.eq(leader) & ~keeps).implies(
            both(candidates.is_empty(), ~one.last_known, first_of(to, unclean, one.place))
        ),
    }
    if wanted.unclean:
        without_trust = moved & ~one.trusted(to)
        guard |= {
            "an election is unclean only if no other replica can lead": without_trust.implies(candidates.is_empty()),
            "the last known leader precedes any other unclean one": waived(
                (without_trust & one.last_known).implies(last), "each of them may lose records"
            ),
            "the first replica that can lead uncleanly is elected": waived(
                (without_trust & ~last).implies(first_of(to, unclean, one.place)), "each of them may lose records"
            ),
        }
    return guard
