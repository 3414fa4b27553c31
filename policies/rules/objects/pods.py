"""What a pod template names and what stands beside it: volumes, keys, variables, and annotations in the wrong place."""

import re
from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod, argv
from bedplate.policies.resources.selectors import listed, requirements, selects
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.templates import is_patch
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, dig, text, tree, trees, whole

PLAIN = {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod"}
"""Kinds to whose pods no operator adds a volume."""
VARIABLE = re.compile(r"(?<!\$)\$\(([A-Z_][A-Z0-9_]*)\)")
"""As the kubelet expands them, unless the dollar is doubled."""
OF_SHELL = re.compile(r"(?<![$\\])\$\{?([A-Z_][A-Z0-9_]*)\b")
INJECTED = {
    *("LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX", "JOB_COMPLETION_INDEX", "HOSTNAME", "RANK"),
    *("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "PET_NNODES", "PET_NPROC_PER_NODE", "KUBERNETES_SERVICE_HOST"),
}
"""What LeaderWorkerSet, Kubeflow and Kubernetes set in containers."""
SHELL = re.compile(r"(^|/)(ba|da|z|k)?sh$")
SOURCES = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
FOR_PODS = (
    *("k8s.v1.cni.cncf.io/networks", "v1.multus-cni.io/default-network", "networking.gke.io/interfaces"),
    *("io.kubernetes.cri-o.", "cdi.k8s.io/", "container.apparmor.security.beta.kubernetes.io/", "gke-gcsfuse/"),
    *("cluster-autoscaler.kubernetes.io/safe-to-evict", "karpenter.sh/do-not-disrupt", "sidecar.istio.io/inject"),
)
"""What starts the annotations that CNI plug-ins, runtimes, autoscalers and meshes read, on pods alone."""


def _name(container: Tree) -> str:
    return text(container.get("name"))


@rule("OBJ-906", MANDATORY, also=ADVISORY, on=Pod)
def mounts_have_volumes(pod: Pod, _: Facts) -> Complaints:
    """Claims of a StatefulSet's template are volumes, too; an operator of another kind may add some."""
    claims = {text(dig(each, "metadata", "name")) for each in trees(pod.resource.spec.get("volumeClaimTemplates"))}
    if pod.completed or pod.partial or not whole(pod.resource.at("spec")):
        return
    for container in pod.all_containers:
        for mount in trees(container.get("volumeMounts")):
            name = text(mount.get("name"))
            if name and name not in pod.volumes and name not in claims:
                severity = None if pod.resource.kind in PLAIN else ADVISORY
                yield Complaint(f"container {_name(container)} mounts {name}, which is no volume", severity=severity)


def _asked(pod: Pod) -> Iterator[tuple[str, str, str]]:
    """Kind, name and key of each value that a container takes from elsewhere, and cannot start without."""
    for container in pod.all_containers:
        for entry in trees(container.get("env")):
            for source, kind in SOURCES.items():
                found = tree(dig(entry, "valueFrom", source))
                if text(found.get("key")) and found.get("optional") in (None, False):
                    yield kind, text(found.get("name")), text(found.get("key"))


@rule("OBJ-907", MANDATORY, also=ADVISORY, on=Stack)
def keys_exist(stack: Stack) -> Complaints:
    """Judged where the ConfigMap or Secret stands in the same file: elsewhere another one may be meant.

    One without any key is for somebody to fill.
    """
    for pod in stack.pods:
        for kind, name, key in _asked(pod):
            found = stack.find(kind, name, pod.resource.namespace)
            if found and stack.deployed_together(found, pod.resource) and key not in _keys(found, key):
                severity = None if _keys(found, "") else ADVISORY
                what = f"asks {kind} {name} for the key {key}, which it does not have"
                yield Complaint(what, severity=severity, about=pod.resource)


def _keys(found: Resource, key: str) -> set[str]:
    """The keys of an object; where they are not known, the one that is sought."""
    parts = [found.at(part) for part in ("data", "stringData", "binaryData")]
    return {name for part in parts for name in tree(part)} if whole(parts) else {key}


@rule("OBJ-908", ADVISORY, on=Pod)
def variables_are_set(pod: Pod, _: Facts) -> Complaints:
    """Of a container whose variables are all in sight; a shell would run `$(NAME)` as a command."""
    for container in pod.all_containers if pod.resource.kind in PLAIN else ():
        words = argv(container)
        hidden = container.get("envFrom") not in (None, []) or not whole(container)
        if hidden or (words and SHELL.search(words[0])):
            continue
        names = {text(each.get("name")) for each in trees(container.get("env"))}
        for name in sorted({found for word in words for found in VARIABLE.findall(word)} - names):
            yield f"container {_name(container)} uses $({name}), which nobody sets"


@rule("OBJ-911", ADVISORY, on=Pod)
def shells_read_their_variables(pod: Pod, _: Facts) -> Complaints:
    """The kubelet fills in `$(NAME)` alone. Judged of variables that the container has, where no word is a shell's."""
    for container in pod.all_containers if whole(pod.spec) or pod.completed else ():
        words = argv(container)
        given = {text(each.get("name")) for each in trees(container.get("env"))} | INJECTED
        direct = container.get("command") and not any(SHELL.search(word) or word == "-c" for word in words)
        names = {found for word in words for found in OF_SHELL.findall(word)} & given if direct else ()
        for name in sorted(names):
            yield f"container {_name(container)} has ${name} in its arguments, and no shell to read it"


@rule("OBJ-909", ADVISORY, on=Pod)
def annotations_on_template(pod: Pod, _: Facts) -> Complaints:
    """Of controllers whose pods are made by their template alone."""
    if pod.resource.kind not in PLAIN - {"Pod"}:
        return
    own = tree(pod.metadata.get("annotations"))
    for key in pod.resource.annotations:
        if key.startswith(FOR_PODS) and key not in own and whole(pod.metadata):
            yield f"the annotation {key} stands on the {pod.resource.kind}, not on its pod template"


@rule("OBJ-912", MANDATORY, on=("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"))
def selector_is_of_its_own_pods(controller: Resource, _: Facts) -> Complaints:
    """Of whole objects: a patch has its labels from what it changes."""
    spec = controller.spec
    selector = requirements(spec.get("selector"))
    labels = tree(dig(spec, "template", "metadata", "labels"))
    judged = controller.group == "apps" and not is_patch(controller, tree(dig(spec, "template", "spec")))
    if judged and whole(spec) and not selects(selector, labels):
        yield f"selects {listed(selector, labels)}, which its own pod template does not have"


@rule("OBJ-910", MANDATORY, also=ADVISORY, on=Pod)
def mounts_have_paths_of_their_own(pod: Pod, _: Facts) -> Complaints:
    """No two mounts of a container have one path."""
    for container in pod.all_containers:
        paths = [text(mount.get("mountPath")) for mount in trees(container.get("volumeMounts"))]
        for path in sorted({each for each in paths if each and paths.count(each) > 1}):
            severity = ADVISORY if pod.completed else None
            yield Complaint(f"container {_name(container)} mounts two volumes at {path}", severity=severity)
