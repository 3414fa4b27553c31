"""Queues: who may use how much of what, what comes first, and which nodes a quota stands for."""

from collections.abc import Mapping

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.amounts import less, share
from bedplate.review.rules.rule import OBJECT, Kind, Rule, evicts, loses, nothing, refused

KUEUE = "Kueue docs: ClusterQueue"
VOLCANO = "Volcano docs: Queue, and the capacity and proportion plugins"
FLAVORS = "Kueue docs: ResourceFlavor"
IMMUTABLE = "kubernetes-sigs/kueue apis/kueue/v1beta2, validation rules of the CRDs"
TYPES = "kubernetes-sigs/kueue apis/kueue/v1beta2/clusterqueue_types.go"


def cohort(change: Change, field: Field) -> Judgement:
    """Who leaves one borrows nothing more; who joins one lends, and must be able to take back."""
    if field.old:
        return loses(f"it borrows from {field.old} no more, and what it has borrowed is taken back", TYPES)
    reclaim = change.resource.spec.get("preemption", {}).get("reclaimWithinCohort", "Never")
    if reclaim == "Never":
        return loses("others may borrow what it leaves unused, and it cannot take it back (reclaimWithinCohort)", TYPES)
    return nothing("its own quota stays, and it takes back what it lends", TYPES)


def selector(change: Change, _: Field) -> Judgement:
    """Which namespaces may use the queue: an empty selector means all of them, an absent one means none."""
    if change.resource.spec.get("namespaceSelector") == {}:
        return nothing("every namespace may use it now", TYPES)
    return loses("jobs of namespaces that it no longer selects are not admitted", TYPES)


def stopped(_: Change, field: Field) -> Judgement:
    """Hold admits nothing more; HoldAndDrain evicts what runs, too."""
    if field.new in (None, "None"):
        return nothing("it admits again", TYPES)
    if field.new == "HoldAndDrain":
        return loses("all that it has admitted is evicted, and nothing is admitted any more", TYPES)
    return loses("nothing is admitted any more; what runs goes on", TYPES)


def checked(_: Change, field: Field) -> Judgement:
    """A check more must say yes before a job starts, of jobs that are admitted, too."""
    source = "Kueue docs: admission checks; kubernetes-sigs/kueue pkg/workload/admissionchecks.go"
    if field.new is None:
        return nothing("one check less is waited for", source)
    return evicts("jobs wait for another check, and a job that it refuses is evicted", source)


QUOTAS = "resourceGroups[].flavors[].resources[]"
CLUSTER_QUEUE = Kind(
    nothing("a new queue: nobody waits in it yet", KUEUE),
    loses("what waits in it is never admitted; it goes when what runs has ended", KUEUE),
    {
        **OBJECT,
        f"spec.{QUOTAS}.nominalQuota": share(KUEUE),
        f"spec.{QUOTAS}.{{borrowingLimit,lendingLimit}}": share(KUEUE, limit=True),
        "spec.resourceGroups[].coveredResources[]": less("resourceGroups[].coveredResources[]", KUEUE),
        f"spec.{{resourceGroups[].flavors[],{QUOTAS}}}.name": less("the flavor or resource", KUEUE),
        "spec.resourceGroups[].flavors": nothing("jobs that come later try the flavors in another order", FLAVORS),
        "spec.{cohortName,cohort,parentName,parent}": cohort,
        "spec.namespaceSelector.*": selector,
        "spec.stopPolicy": stopped,
        "spec.preemption.*": evicts(
            "who may take back from whom changes: borrowed GPUs may be reclaimed", "Kueue docs: preemption"
        ),
        "spec.fairSharing.weight": evicts(
            "who may take back from whom changes: borrowed GPUs may be reclaimed", "Kueue docs: fair sharing"
        ),
        "spec.flavorFungibility.{whenCanBorrow,whenCanPreempt,preference}": evicts(
            "a job may preempt in the first flavor where it tried the next, or the other way round",
            "Kueue docs: ClusterQueue, FlavorFungibility",
        ),
        "spec.queueingStrategy": nothing("only the order of what waits changes", KUEUE),
        "spec.admissionChecksStrategy.admissionChecks[].{name,onFlavors[]}": checked,
    },
)
"""Of a Cohort, too: its quotas and its parent mean the same."""


def reserved(_: Change, field: Field) -> Judgement:
    """What nobody else may use: less of it is a loss for the queue, more of it for all others."""
    return loses(f"what is reserved changes ({field.old} → {field.new}): others may use the rest alone", VOLCANO)


QUEUE = Kind(
    nothing("a new queue: nobody waits in it yet", VOLCANO),
    loses("what waits in it is never scheduled; it goes when what runs has ended", VOLCANO),
    {
        **OBJECT,
        "spec.capability.*": share(VOLCANO, limit=True),
        "spec.deserved.*": share(VOLCANO),
        "spec.guarantee.*": reserved,
        "spec.parent": loses("another queue's bounds hold for it now", "Volcano docs: hierarchical queues"),
        "spec.{reclaimable,weight,priority}": evicts(
            "who may take back from whom changes: borrowed GPUs may be reclaimed", VOLCANO
        ),
    },
)

LOCAL_QUEUE = Kind(
    nothing("what is admitted stays admitted", KUEUE),
    loses("the namespace's jobs are admitted by no queue, or another", KUEUE),
    {
        **OBJECT,
        "spec.clusterQueue": refused("a LocalQueue never leads elsewhere: delete it first", IMMUTABLE),
        "spec.stopPolicy": stopped,
    },
)

_FIXED = refused("Kueue lets nobody change it: end the jobs, delete the queues that use it, and then it", IMMUTABLE)
_REQUESTED = nothing("only requests that are made later are made from it", "Kueue docs: ProvisioningRequest")
_LATER = nothing("only workloads that are admitted later see it", FLAVORS)


def flavor(fields: Mapping[str, Judgement]) -> Kind:
    """Which nodes a quota stands for."""
    created = nothing("no quota stands for it yet", FLAVORS)
    return Kind(created, loses("queues that name it admit nothing", FLAVORS), {**OBJECT, **fields})


RULES: Mapping[str, Rule] = {
    "ClusterQueue": CLUSTER_QUEUE,
    "Cohort": CLUSTER_QUEUE,
    "Queue": QUEUE,
    "LocalQueue": LOCAL_QUEUE,
    "ResourceFlavor": flavor(
        {
            # Of a flavor that names a topology, and every one of this stack does.
            "spec.{nodeLabels.*,tolerations[].*,topologyName}": _FIXED,
            "spec.nodeTaints[].{key,value,effect}": _LATER,
        }
    ),
    "Topology": flavor({"spec.levels[].nodeLabel": _FIXED}),
    "AdmissionCheck": flavor(
        {"spec.controllerName": _FIXED, "spec.parameters.{apiGroup,kind,name}": _LATER},
    ),
    "HyperNode": flavor(
        {
            "spec.{tier,tierName}": nothing("only pods that are placed later see it", "Volcano docs: HyperNode"),
            "spec.members[].{type,selector.exactMatch.name,selector.labelMatch.matchLabels.*}": nothing(
                "only pods that are placed later see it", "Volcano docs: HyperNode"
            ),
        }
    ),
    "ProvisioningRequestConfig": flavor(
        {
            "spec.{provisioningClassName,managedResources[],parameters.*,podSetMergePolicy}": _REQUESTED,
            "spec.podSetUpdates.nodeSelector[].{key,valueFromProvisioningClassDetail}": _REQUESTED,
        }
    ),
}
