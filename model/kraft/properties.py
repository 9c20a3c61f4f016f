"""The controller's promises about a partition, and properties that show that a model of it is alive."""

from __future__ import annotations

from ..expr import after, both, exists, forall, ite, none, set_of, setting, some
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
from .registrations import may_be_cordoned
from .state import (
    MIN_ISR,
    NO_BROKERS,
    Broker,
    adding,
    alone,
    b,
    cordoned,
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
from .views import (
    ADDED_IN_SYNC,
    ELECTED_ACTIVE,
    ELECTED_TRUSTED,
    JOINS_ACTIVE,
    LOGGED,
    REASSIGNED_IN_SYNC,
    UNCLEAN_MARKED,
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
_was_eligible = both(isr.is_empty(), elr.contains(after(leader)))


def logged(eligible: bool) -> Projection:
    """The model's partition, as its log shows it; `eligible`: the model has eligible leader replicas."""
    return Projection(
        LOGGED,
        {AnyBroker: Broker},
        {
            "leader": ite(leader < 0, none(Broker), some(leader)),
            "isr": isr,
            "replicas": members(place),
            "adding": adding,
            "removing": removing,
            "elr": elr if eligible else NO_BROKERS,
            "last_known": alone(last_known) if eligible else NO_BROKERS,
            "recovering": recovering,
            "inactive": set_of(b, ~is_active(b)),
        },
        given=is_there(),
    )


JOINS_AS_MEANT = Property(
    "JoinsAsMeant",
    "A replica that enters the ISR at its leader's request is the process that the leader meant.",
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
    "An inactive broker is in no ISR, except as the last member of a partition without a leader.",
    forall(
        r,
        (isr.contains(r) & ~is_active(r)).implies(both(leader < 0, isr.size() <= 1)),
    ),
    cites=("KAFKA-12733",),
)
REASSIGNMENT_SOUND = Property(
    "ReassignmentIsSound",
    "Replicas that are added or removed are replicas, and none is both.",
    adding.union(removing).subset_of(members(place)) & ~adding.intersects(removing),
)
_in_sync = isr.minus(removing)
REASSIGNMENT_NOT_BLOCKED = Property(
    "ReassignmentEndsOnceAdded",
    "A reassignment that adds no fewer replicas than it removes does not go on once all that it adds are in the ISR.",
    ~both(
        ~adding.union(removing).is_empty(),
        ~_in_sync.is_empty(),
        adding.subset_of(_in_sync),
        removing.size() <= adding.size(),
    ),
    cites=("KAFKA-19975",),
)
EPOCH_WITH_REASON = Property(
    "EpochHasReason",
    "The leader epoch grows only with another leader, or when a replica is removed.",
    both(after(leader_epoch).ne(leader_epoch), after(leader).eq(leader)).implies(
        ~members(place).subset_of(after(members(place)))
    ),
    "step",
    cites=("KAFKA-15021", "KAFKA-15109"),
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


NONE_WHERE_CORDONED = Property(
    "NoReplicaWhereCordoned",
    "No broker gets a replica while all its log directories are cordoned.",
    ~after(members(place)).minus(members(place)).intersects(cordoned),
    "step",
    cites=("KIP-1066", "KAFKA-20832"),
)
ELR_APART = Property("ElrApartFromIsr", "No replica is both in the ISR and eligible.", ~isr.intersects(elr))
ELR_SMALL = Property(
    "ElrOnlyWhileSmall",
    "After a change, replicas are eligible only while the ISR is smaller than min.insync.replicas.",
    (setting(MIN_ISR) <= isr.size()).implies(elr.is_empty()),
)
ELR_KEPT = Property(
    "EligibleIsKept",
    (
        "An eligible replica that stays alive remains eligible until it or enough others are in the ISR, or "
        "an election is unclean."
    ),
    forall(
        r,
        both(
            both(elr.contains(r), is_active(r), after(is_active(r))),
            both(~after(isr.contains(r)), after(isr).size() < setting(MIN_ISR), ~after(recovering)),
        ).implies(after(elr.contains(r))),
    ),
    "step",
    cites=("KIP-966",),
)
ELECTS = Property("AnotherIsElected", "A leader that leaves is replaced.", _elected & (leader >= 0), "sometimes")
RETURNS = Property(
    "LeaderlessIsLed", "A partition without a leader gets one.", _elected & (leader < 0) & is_there(), "sometimes"
)
JOINS = Property("IsrGrows", "A replica enters the ISR.", is_there() & ~after(isr).subset_of(isr), "sometimes")
UNCLEANLY = Property("UncleanElected", "A leader is elected uncleanly.", recovering, "sometimes")
FROM_ELR = Property("EligibleElected", "An eligible replica is elected.", _elected & _was_eligible, "sometimes")
LAST_KNOWN = Property(
    "LastKnownElected",
    "The last known leader is elected.",
    both(_elected, after(leader).eq(last_known), isr.is_empty(), after(recovering)),
    "sometimes",
)
REASSIGNED = Property(
    "ReassignmentEnds", "A replica is removed for good.", ~removing.is_empty() & after(removing).is_empty(), "sometimes"
)


def _kept(chosen: Chosen) -> Property:
    return Property(
        "LeaderIsKept",
        "A leader that can go on is replaced only by the first replica.",
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


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """Return the controller's promises that a model with these parts can break, even those that a release breaks."""
    of_view = [
        *(LEADER_IN_ISR, ISR_WITHIN_REPLICAS, LEADER_EPOCH_NEVER_FALLS, PARTITION_EPOCH_NEVER_FALLS),
        *(ONE_LEADER_PER_EPOCH, ONE_STATE_PER_PARTITION_EPOCH, EPOCH_STEP, NEW_LEADER_NEW_EPOCH),
    ]
    in_log = logged(chosen.has(ELR)).of
    found = [in_log(ELECTED_ACTIVE), in_log(JOINS_ACTIVE), JOINS_AS_MEANT, FENCED_OUT, EPOCH_WITH_REASON]
    found += [_leaderless(chosen), _kept(chosen)]
    found += [] if {UNCLEAN, UNCLEAN_ASKED} & chosen.parts else [in_log(ELECTED_TRUSTED)]
    found += [ELECTS, RETURNS, JOINS]
    if chosen.has(ELR):
        found += [ELR_APART, ELR_SMALL, ELR_KEPT, FROM_ELR, LAST_KNOWN]
    else:
        of_view.append(ISR_NOT_EMPTY)
    if chosen.has(ELR) or {UNCLEAN, UNCLEAN_ASKED} & chosen.parts:
        found += [in_log(UNCLEAN_MARKED), RECOVERING_ALONE, UNCLEANLY]
    elif REASSIGNMENT not in chosen.parts:
        of_view.append(LEADER_FROM_ISR)
    found += [NONE_WHERE_CORDONED] if may_be_cordoned(chosen) else []
    if REASSIGNMENT in chosen.parts:
        promised = ADDED_IN_SYNC if chosen.has("KAFKA-19975") else REASSIGNED_IN_SYNC
        found += [in_log(promised), REASSIGNMENT_SOUND, REASSIGNED]
        if not chosen.has(ELR) and not {UNCLEAN, UNCLEAN_ASKED} & chosen.parts:
            found.append(REASSIGNMENT_NOT_BLOCKED)  # who is elected from outside the ISR comes after the question
    return (*(PARTITION_IN_LOG.of(each) for each in of_view), *found)
