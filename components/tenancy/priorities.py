"""PriorityClasses: what gives way to what when the cluster is full."""

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.section import Section

PRIORITY_CLASSES = {"inference": 125, "training": 50, "best-effort": 25}
"""Most urgent first. The values mean something to KAI: from 100 on a pod is never preempted (KAI priority
documentation)."""
DESCRIPTIONS = {
    "inference": "Serves users; training gives way to it.",
    "training": "Training jobs; the default of teams.",
    "best-effort": "Runs on what is left, never preempts anyone, and goes first.",
}

IMMUTABLE = ("preemptionPolicy", "value")
"""The API server refuses another (kubernetes/kubernetes@v1.35.0, pkg/apis/scheduling/validation/validation.go), and
the provider does not know (pulumi/pulumi-kubernetes@v4.34.2, provider/pkg/provider/diff.go). Pods keep what they have;
one that comes between the delete and the create is refused, and its controller makes it again."""


class Priorities(Component[Section], token="bedplate:tenancy:Priorities"):
    """Makes the classes; none is the cluster's default, so that system pods keep their place."""

    def _declare(self, args: Args[Section], _: pulumi.ResourceOptions) -> None:
        for title in args.facts.priority_classes:
            k8s.scheduling.v1.PriorityClass(
                title,
                metadata={"name": title},
                value=PRIORITY_CLASSES[title],
                preemption_policy=preempts(title, args.facts),
                description=DESCRIPTIONS[title],
                opts=pulumi.ResourceOptions(
                    parent=self, delete_before_replace=True, replace_on_changes=list(IMMUTABLE)
                ),
            )


def preempts(title: str, facts: Facts) -> str:
    """Kueue alone preempts where it is the queue: by its count, a job as a whole, and blind to this field.

    The cluster's own scheduler would evict a pod of any team for one of a higher class, whoever may use that node
    (kubernetes-sigs/kueue@v0.19.2, pkg/util/priority/priority.go, reads the value alone).
    """
    return "Never" if title == "best-effort" or facts.scheduler.kind == "kueue" else "PreemptLowerPriority"
