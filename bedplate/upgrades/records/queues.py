"""Kueue, whose API went from v1beta1 to v1beta2 over two releases, and Volcano."""

from bedplate.upgrades.records.transition import Transition, Verdict

KUEUE = "kubernetes-sigs/kueue CHANGELOG/CHANGELOG-{}.md, urgent upgrade notes"


def _kueue(old: str, new: str, verdict: Verdict, *steps: str, drains: str = "") -> Transition:
    notes = KUEUE.format(new.rpartition(".")[0])
    return Transition("kueue", old, new, verdict, drains, steps, (notes,))


TRANSITIONS = (
    _kueue(
        "0.13.8",
        "0.14.8",
        Verdict.BLOCKED,
        "save what there is: kubectl get topologies.kueue.x-k8s.io -o yaml, and write v1beta1 for v1alpha1 in it",
        "delete the CRD topologies.kueue.x-k8s.io, and take the finalizers off its objects, which go with it: the API "
        "server refuses to drop a version that it stores",
        "upgrade, and apply what you saved",
        "Trainer must be at 2.1.0 or newer for TrainJobs with a topology",
        drains="jobs with a topology: none is admitted until the topologies are back",
    ),
    _kueue(
        "0.14.8",
        "0.15.8",
        Verdict.MANUAL,
        "v1beta2 comes and v1beta1 is still what is stored: nothing is to be migrated yet",
        "who compares ClusterQueues with what is in git: flavorFungibility's Borrow and Preempt become MayStopSearch",
        "kubeconfigs of MultiKueue that are insecure are refused: put them right first",
        "Dynamic Resource Allocation needs Kubernetes 1.34",
    ),
    _kueue(
        "0.15.8",
        "0.16.9",
        Verdict.MANUAL,
        "v1beta2 is stored from now on: write every object of Kueue's once (a label is enough, or upstream's "
        "hack/migrate-to-v1beta2.sh), then set status.storedVersions of its CRDs to v1beta2",
        "an AdmissionCheck's retryDelayMinutes is not in v1beta2, and goes with the first write",
        "the gate FlavorFungibilityImplicitPreferenceDefault is gone: use spec.flavorFungibility.preference",
        "kubectl's short name wl is gone: kwl",
    ),
    _kueue(
        "0.16.9",
        "0.17.8",
        Verdict.MANUAL,
        "let jobs with a topology end that were made before 0.14: the label kueue.x-k8s.io/tas is read no more",
        "a ResourceFlavor with a topologyName can no longer change its labels, tolerations or topology: make a new one",
    ),
    _kueue(
        "0.17.8",
        "0.18.6",
        Verdict.MANUAL,
        "move jobs out of kube-system and out of Kueue's own namespace: its webhooks look away there",
        "write podSetSliceSize wherever podSetSliceRequiredTopology is",
        "take workloadRef out of pod templates of Workloads that you write yourself: it is dropped",
        "evicted_workloads_once_total: the label detailed_reason is underlying_cause now",
        "the flag --visibility-server-port is gone",
    ),
    _kueue(
        "0.18.6",
        "0.19.2",
        Verdict.MANUAL,
        "waitForPodsReady is on by default, with 30 minutes: a job whose pods need longer is evicted; say otherwise "
        "in managerConfig before",
        "the head pod of Ray counts the autoscaler's and the submitter's sidecar: give the queue 0.5 CPU more for each",
        "clusters in a MultiKueueConfig must differ from each other",
        drains="jobs whose pods are not ready after 30 minutes, unless waitForPodsReady says otherwise",
    ),
    Transition(
        "volcano",
        "1.13.3",
        "1.14.4",
        Verdict.MANUAL,
        "",
        (
            (
                "the schema now refuses queues and priority classes that are no DNS names, numbers below zero and "
                "a job without tasks (`narrower` in --json names each)"
            ),
            "apply the jobs of your repositories with --dry-run=server before",
        ),
        ("volcano-sh/volcano config/crd/volcano/bases at both tags",),
    ),
    Transition(
        "volcano",
        "1.14.4",
        "1.15.1",
        Verdict.MANUAL,
        "",
        (
            (
                "the scheduler looks at claims of Dynamic Resource Allocation by default, as of Kubernetes 1.34: "
                "on an older one set predicate.DynamicResourceAllocationEnable: false"
            ),
            "do not mix gangPreempt and gangReclaim with preempt and reclaim, if you switch them on",
        ),
        ("volcano.sh/blog Volcano-1.15.0-release-en, upgrade notes",),
    ),
)
