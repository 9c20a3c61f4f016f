"""What the controller promises of a partition, and how one sees that a model of it is alive."""

from __future__ import annotations

from ..expr import Expr, after, both, either, exists, false, forall, ite, none, setting, some
from ..family import Chosen
from ..property import Property
from ..views import (
    EPOCH_STEP,
    ISR_NOT_EMPTY,
    ISR_WITHIN_REPLICAS,
    LEADER_EPOCH_NEVER_FALLS,
    LEADER_FROM_ISR,
    LEADER_IN_ISR,
    NEW_LEADER_NEW_EPOCH,
    ONE_LEADER_PER_EPOCH,
    ONE_STATE_PER_PARTITION_EPOCH,
    PARTITION,
    PARTITION_EPOCH_NEVER_FALLS,
    Projection,
)
from ..views import Broker as AnyBroker
from .change import ELR, REASSIGNMENT, UNCLEAN, UNCLEAN_ASKED, is_active, may_lead
from .state import (
    MIN_ISR,
    Broker,
    adding,
    elr,
    first_of,
    is_there,
    isr,
    last_known,
    leader,
    leader_epoch,
    members,
    partition_epoch,
    place,
    r,
    recovering,
    removing,
    request,
)

PARTITION_IN_LOG = Projection(
    PARTITION,
    {AnyBroker: Broker},
    {
        "leader": ite(leader < 0, none(Broker), some(leader)),
        "isr": isr,
        "replicas": members(place),
        "leader_epoch": leader_epoch,
        "partition_epoch": partition_epoch,
    },
    given=is_there(),
)
_elected = both(is_there(), after(leader).ne(leader), after(leader) >= 0)
_ends = both(~adding.union(removing).is_empty(), after(adding.union(removing)).is_empty())
_caught_up = after(isr).contains(after(leader)) & (after(isr).intersects(isr) | _ends)
"""Who leads entered the ISR in the same record: its leader vouches for it, who may be gone as a reassignment ends."""
_was_eligible = both(isr.is_empty(), elr.contains(after(leader)))


def _active(who: Expr) -> Expr:
    return after(is_active(who))


ELECTED_ACTIVE = Property(
    "ElectedIsActive",
    "Who is elected is unfenced, and not in controlled shutdown.",
    _elected.implies(exists(r, r.eq(after(leader)) & _active(r))),
    "step",
    cites=("KAFKA-13916", "KAFKA-19522"),
)
JOINS_ACTIVE = Property(
    "JoinsActive",
    "Who enters the ISR is unfenced, and not in controlled shutdown.",
    is_there().implies(forall(r, (after(isr).contains(r) & ~isr.contains(r)).implies(_active(r)))),
    "step",
    cites=("KIP-841",),
)
JOINS_AS_MEANT = Property(
    "JoinsAsMeant",
    "Who enters the ISR at its leader's request is the process that the leader meant.",
    request.is_some().implies(
        forall(
            r,
            (
                both(after(isr).contains(r), ~isr.contains(r), after(request).is_none())
                & request.value["isr"].contains(r)
            ).implies(~request.value["outdated"].contains(r)),
        )
    ),
    "step",
    cites=("KIP-903",),
)
FENCED_OUT = Property(
    "FencedLeavesIsr",
    "Who is not active is in no ISR, but as the last one of a partition that nobody leads.",
    forall(
        r,
        (isr.contains(r) & ~is_active(r)).implies(both(leader < 0, isr.size() <= 1)),
    ),
    cites=("KAFKA-12733",),
)
REASSIGNED_IN_SYNC = Property(
    "ReassignmentEndsInSync",
    "A reassignment ends when all replicas that it leaves are in the ISR.",
    both(
        _ends,
        after(members(place)).eq(members(place).minus(removing)),
        ~after(members(place)).eq(members(place).minus(adding)) | adding.is_empty(),
    ).implies(either(after(members(place)).subset_of(after(isr)), after(recovering))),
    "step",
    cites=("KAFKA-15665",),
)
REASSIGNMENT_SOUND = Property(
    "ReassignmentIsSound",
    "Replicas that are added or removed are replicas, and none is both.",
    adding.union(removing).subset_of(members(place)) & ~adding.intersects(removing),
)
EPOCH_WITH_REASON = Property(
    "EpochHasReason",
    "The leader epoch grows only with another leader, or as a replica goes.",
    both(after(leader_epoch).ne(leader_epoch), after(leader).eq(leader)).implies(
        ~members(place).subset_of(after(members(place)))
    ),
    "step",
    cites=("KAFKA-15021", "KAFKA-15109"),
)


def _unclean_marked(chosen: Chosen) -> Property:
    trusted = isr.union(elr) if chosen.has(ELR) else isr
    marked = both(after(isr).size() <= 1, after(recovering))
    return Property(
        "UncleanIsMarked",
        "Who is elected without being in the ISR or eligible is alone in the ISR, and marked as recovering.",
        _elected.implies(either(trusted.contains(after(leader)), _caught_up, marked)),
        "step",
        cites=("KIP-704", "KIP-966"),
    )


RECOVERING_ALONE = Property(
    "RecoveringIsAlone", "A leader that has not recovered is alone in the ISR.", recovering.implies(isr.size() <= 1)
)


def _leaderless(chosen: Chosen) -> Property:
    return Property(
        "LedWhileSomebodyCan",
        "A partition has a leader as long as a member of its ISR can lead.",
        (is_there() & exists(r, isr.contains(r) & may_lead(chosen, r))).implies(leader >= 0),
    )


ELR_APART = Property("ElrApartFromIsr", "Nobody is both in the ISR and eligible.", ~isr.intersects(elr))
ELR_SMALL = Property(
    "ElrOnlyWhileSmall",
    "After a change, replicas are eligible only while the ISR is smaller than min.insync.replicas.",
    (setting(MIN_ISR) <= isr.size()).implies(elr.is_empty()),
)
ELECTS = Property("AnotherIsElected", "A leader that goes is replaced.", _elected & (leader >= 0), "sometimes")
RETURNS = Property(
    "LeaderlessIsLed", "A partition that nobody leads gets a leader.", _elected & (leader < 0) & is_there(), "sometimes"
)
JOINS = Property("IsrGrows", "A replica enters the ISR.", is_there() & ~after(isr).subset_of(isr), "sometimes")
UNCLEANLY = Property("UncleanElected", "Somebody is elected uncleanly.", recovering, "sometimes")
FROM_ELR = Property("EligibleElected", "An eligible replica is elected.", _elected & _was_eligible, "sometimes")
LAST_KNOWN = Property(
    "LastKnownElected",
    "The last known leader is elected.",
    both(_elected, after(leader).eq(last_known), isr.is_empty(), after(recovering)),
    "sometimes",
)
REASSIGNED = Property(
    "ReassignmentEnds", "A replica goes for good.", ~removing.is_empty() & after(removing).is_empty(), "sometimes"
)


def _kept(chosen: Chosen) -> Property:
    return Property(
        "LeaderIsKept",
        "A leader that can go on is replaced by the first replica only.",
        (_elected & (leader >= 0)).implies(
            forall(
                r,
                r.eq(leader).implies(
                    ~after(isr.contains(r) & may_lead(chosen, r))
                    | first_of(after(leader), after(members(place)), after(place))
                ),
            )
        ),
        "step",
    )


def _trusted(chosen: Chosen) -> Property:
    """Of models without unclean elections that somebody allows or asks for."""
    known = isr.union(elr) if chosen.has(ELR) else isr
    last = after(leader).eq(last_known) if chosen.has(ELR) else false
    return Property(
        "ElectedIsTrusted",
        "Who is elected was in the ISR, eligible, or the last known leader; or a reassignment made way for it.",
        _elected.implies(either(known.contains(after(leader)), last, _caught_up)),
        "step",
    )


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """What the controller promises, of what a model with these parts can break; a release may break it all the same."""
    of_view = [
        *(LEADER_IN_ISR, ISR_WITHIN_REPLICAS, LEADER_EPOCH_NEVER_FALLS, PARTITION_EPOCH_NEVER_FALLS),
        *(ONE_LEADER_PER_EPOCH, ONE_STATE_PER_PARTITION_EPOCH, EPOCH_STEP, NEW_LEADER_NEW_EPOCH),
    ]
    found = [ELECTED_ACTIVE, JOINS_ACTIVE, JOINS_AS_MEANT, FENCED_OUT, EPOCH_WITH_REASON, _leaderless(chosen)]
    found += [_kept(chosen), *(() if {UNCLEAN, UNCLEAN_ASKED} & chosen.parts else (_trusted(chosen),))]
    found += [ELECTS, RETURNS, JOINS]
    if chosen.has(ELR):
        found += [ELR_APART, ELR_SMALL, FROM_ELR, LAST_KNOWN]
    else:
        of_view.append(ISR_NOT_EMPTY)
    if chosen.has(ELR) or {UNCLEAN, UNCLEAN_ASKED} & chosen.parts:
        found += [_unclean_marked(chosen), RECOVERING_ALONE, UNCLEANLY]
    elif REASSIGNMENT not in chosen.parts:
        of_view.append(LEADER_FROM_ISR)
    if REASSIGNMENT in chosen.parts:
        found += [REASSIGNED_IN_SYNC, REASSIGNMENT_SOUND, REASSIGNED]
    return (*(PARTITION_IN_LOG.of(each) for each in of_view), *found)
