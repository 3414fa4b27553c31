"""Jobs, the service mesh, and names that become Services."""

import re

from bedplate.policies.facts import Facts
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import V1, Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import text, whole

INJECT = "sidecar.istio.io/inject"
SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


@rule("TRN-519", ADVISORY, on=Stack)
def no_sidecar(stack: Stack) -> Complaints:
    """A namespace with injection gives every pod Istio's proxy unless the pod refuses it."""
    for workload in stack.workloads if stack.named("Namespace") else ():
        space = stack.namespace(workload.resource.namespace)
        injected = space is not None and space.labels.get("istio-injection") == "enabled"
        for pod in workload.pods if workload.finite else ():
            wish = text(pod.labels.get(INJECT)) or text(pod.annotations.get(INJECT))
            if pod.marks_known and not pod.partial and (wish == "true" or (injected and wish != "false")):
                yield Complaint(f"{pod.role or 'pod'} gets Istio's proxy", about=workload.resource)


@rule("TRN-520", MANDATORY, on=Workload)
def name_of_a_service(workload: Workload, _: Facts) -> Complaints:
    """Object names may begin with a digit and have dots; Services' may not."""
    name = workload.resource.metadata.get("name")
    plain = whole(name) and "$" not in text(name) and "{" not in text(name)
    if workload.resource.kind in V1 and text(name) and plain and not SERVICE_NAME.fullmatch(text(name)):
        yield f"the name is {text(name)}"
