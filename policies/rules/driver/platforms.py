"""What distributions and clouds need that a plain kubeadm cluster does not."""

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.release import Release
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import MANDATORY, Complaint, Complaints, rule
from bedplate.policies.rules.driver.owner import GPU_OPERATOR
from bedplate.policies.values import UNKNOWN, dig, text, texts, trees, version, whole

CONTAINERD = {
    "rke2": ("CONTAINERD_SOCKET", "/run/k3s/containerd/containerd.sock"),
    "k3s": ("CONTAINERD_SOCKET", "/run/k3s/containerd/containerd.sock"),
    "k0s": ("CONTAINERD_SOCKET", "/run/k0s/containerd.sock"),
    "microk8s": ("CONTAINERD_SOCKET", "/var/snap/microk8s/common/run/containerd.sock"),
}
"""The variable that points the toolkit to each distribution's own containerd."""


@rule("GPU-106", MANDATORY, on=Release)
def toolkit_finds_containerd(release: Release, facts: Facts) -> Complaints:
    """RKE2, k3s, k0s and MicroK8s keep their containerd in places of their own."""
    variable, socket = CONTAINERD.get(facts.platform or "", ("", ""))
    if release.chart != GPU_OPERATOR or not variable or release.switch("toolkit", "enabled", default=True) is not True:
        return
    env = release.value("toolkit", "env", default=[])
    if whole(env) and not _has(env, variable):
        fix = f"Add {variable}={socket} to toolkit.env"
        yield Complaint(f"toolkit.env does not name {variable} on {facts.platform}", fix)


GKE_INSTALL_DIR = "/home/kubernetes/bin/nvidia"
FILE_CONFIG = "RUNTIME_CONFIG_SOURCE"
FILE_CONFIG_SINCE = (1, 33)


@rule("GPU-119", MANDATORY, on=Stack)
def operator_on_cos(stack: Stack) -> Complaints:
    """On GKE's COS the driver lives in a place of its own and the priority class needs a quota in the namespace."""
    if stack.facts.platform != "gke" or stack.facts.node_os != "cos":
        return
    for release in stack.releases(GPU_OPERATOR):
        env = release.value("toolkit", "env", default=[])
        if version(stack.facts.kubernetes_version) >= FILE_CONFIG_SINCE and whole(env) and not _has(env, FILE_CONFIG):
            what = f"toolkit.env does not name {FILE_CONFIG} on Kubernetes {stack.facts.kubernetes_version}"
            yield Complaint(what, f"Add {FILE_CONFIG}=file to toolkit.env", about=release.resource)
        for path in (("hostPaths", "driverInstallDir"), ("toolkit", "installDir")):
            value = release.value(*path)
            if value is not UNKNOWN and value != GKE_INSTALL_DIR:
                key = ".".join(path)
                yield Complaint(f"{key} is not set for COS", f"Set {key}: {GKE_INSTALL_DIR}", about=release.resource)
        quotas = any(_critical_quota(resource, release) for resource in stack.of("ResourceQuota"))
        if stack.complete and release.namespace and not quotas:
            what = f"namespace {release.namespace} has no ResourceQuota for system-node-critical"
            yield Complaint(what, "Create one with a PriorityClass scope", about=release.resource)


def _has(env: object, name: str) -> bool:
    return any(text(each.get("name")) == name for each in trees(env))


def _critical_quota(quota: Resource, release: Release) -> bool:
    scopes = trees(dig(quota.spec, "scopeSelector", "matchExpressions"))
    values = [value for scope in scopes for value in texts(scope.get("values"))]
    known = whole(quota.spec) and quota.namespace != ""
    return not known or (quota.namespace == release.namespace and "system-node-critical" in values)
