"""Where the ranks meet."""

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.servers import option
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, dig, integer, text, tree, whole

ENDPOINTS = ("--rdzv_endpoint", "--master_addr", "--rdzv-endpoint", "--master-addr")


def _host(pod: Pod) -> str:
    """The literal host on the command line or in MASTER_ADDR; empty for a variable."""
    hosts = [option(line, *ENDPOINTS) for line in pod.lines] + [text(pod.env.get("MASTER_ADDR"))]
    host = next(filter(None, hosts), "").partition(":")[0]
    return "" if "$" in host else host


def _kubeflow_faults(workload: Workload, pod: Pod) -> Complaints:
    host = _host(pod).partition(".")[0]
    if not host or not whole(workload.resource.at("metadata", "name")):
        return
    if tree(workload.resource.spec.get("elasticPolicy")):
        fix = "Pass no endpoint: the operator sets PET_RDZV_ENDPOINT"
        yield Complaint(f"{pod.role} names the endpoint {host} beside elasticPolicy", fix)
    roles = {each.role.lower() for each in workload.pods}
    name = workload.resource.object_name
    role = host.removeprefix(f"{name}-").rpartition("-")[0]
    if host.startswith(f"{name}-") and role in {"master", "worker"} and role not in roles:
        yield f"{pod.role} meets at {host}, but the job has no {role.capitalize()}"


def _service_faults(stack: Stack, pod: Pod) -> Complaints:
    name = text(pod.spec.get("subdomain"))
    services = [resource for resource in stack.of("Service") if resource.namespace == pod.resource.namespace]
    service = next((each for each in services if each.object_name == name), None)
    if service is None:
        if stack.named("Service"):
            what = f"subdomain {name} has no Service of that name"
            yield Complaint(what, severity=stack.elsewhere, about=pod.resource)
        return
    if not whole(service.at("spec")):
        return
    selector = tree(service.spec.get("selector"))
    automatic = {"job-name", "batch.kubernetes.io/job-name"}
    wrong = [key for key, value in selector.items() if key not in automatic and pod.labels.get(key) != value]
    if wrong and pod.marks_known:
        yield Complaint(f"selects by {wrong[0]}, which the pods of {pod.resource.title} do not have", about=service)
    if service.spec.get("publishNotReadyAddresses") is not True:
        # Only a probe can keep a running pod from being ready; without one, early lookups fail and are tried again.
        probed = any(dig(container, "readinessProbe") is not None for container in pod.containers)
        what = f"does not publish the addresses of pods of {pod.resource.title} before they are ready"
        severity = None if probed else ADVISORY
        yield Complaint(what, "Set publishNotReadyAddresses: true", severity, service)


@rule("TRN-505", MANDATORY, also=ADVISORY, on=Stack)
def rendezvous_resolves(stack: Stack) -> Complaints:
    """PyTorchJobs meet at a replica that they have; Indexed Jobs through the Service that they name as subdomain."""
    for workload in stack.jobs():
        for pod in workload.pods:
            if workload.kind == "PyTorchJob":
                yield from _about(workload.resource, _kubeflow_faults(workload, pod))
            if workload.resource.group == "batch" and text(pod.spec.get("subdomain")) and workload.resource.namespace:
                yield from _service_faults(stack, pod)


def _about(resource: Resource, complaints: Complaints) -> Complaints:
    for each in complaints:
        complaint = each if isinstance(each, Complaint) else Complaint(each)
        yield Complaint(complaint.what, complaint.fix, complaint.severity, resource)


@rule("TRN-506", ADVISORY, on=("PyTorchJob",))
def elastic_without_master(job: Resource, _: Facts) -> Complaints:
    """An elastic job has workers only, and more of them at most than at least."""
    policy = job.spec.get("elasticPolicy")
    if not tree(policy):
        return
    if dig(job.spec, "pytorchReplicaSpecs", "Master") not in (None, UNKNOWN):
        yield "has elasticPolicy and a Master"
    least, most = integer(dig(policy, "minReplicas")), integer(dig(policy, "maxReplicas"))
    if least is not None and least == most:
        yield f"elasticPolicy has the range {least} to {most}"
