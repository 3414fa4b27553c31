"""GPUs in parts: MIG slices, time slicing, and the names of products."""

import re
from collections.abc import Iterator

from bedplate.catalog.gpus import like, of_product
from bedplate.policies.facts import Facts
from bedplate.policies.resources.kueue import flag, parsed
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod, argv, asked
from bedplate.policies.resources.pools import pools_of
from bedplate.policies.resources.release import Release
from bedplate.policies.resources.servers import launches
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.rules.driver.owner import GPU_OPERATOR
from bedplate.policies.values import UNKNOWN, Tree, dig, flatten, text, texts, tree, trees, whole

MIG = re.compile(r"nvidia\.com/mig-(.+)")
PARTS = re.compile(r"nvidia\.com/(gpu\.shared|mig-.+)")
PLUGIN_SETTINGS = re.compile(r"^(sharing|flags):", re.MULTILINE)
"""What a file of the device plugin's settings begins its sections with."""
PRODUCT_LABEL = "nvidia.com/gpu.product"

VGPU = re.compile(r"-\d+[ABCQ](ME)?$")
"""A virtual GPU, `NVIDIA-A10-24Q`: what its profile is called, we have no list of (NVIDIA vGPU documentation)."""
OWN_DEVICE = re.compile(r"(^|[\s;&])CUDA_VISIBLE_DEVICES=\S+\s")
"""A process that is given its own part, so that it meets no other one."""
SUFFIX = re.compile(r"(-SHARED|-MIG-[\w.]+(-SHARED)?)$")


def _slices(pod: Pod) -> list[str]:
    return [found[1] for name in pod.requests(MIG) if (found := MIG.fullmatch(name))]


def _strategies(stack: Stack) -> Iterator[object]:
    """The MIG strategy of each device plugin that the stack shows."""
    for release in stack.releases(GPU_OPERATOR):
        yield release.value("mig", "strategy", default="single")
    for release in stack.releases("nvidia-device-plugin"):
        yield release.value("migStrategy", default="none")
    for pod in stack.pods:
        for container in pod.containers if pod.resource.kind == "DaemonSet" else ():
            if "k8s-device-plugin" in text(container.get("image")) and whole(container):
                yield flag(argv(container), "--mig-strategy") or pod.env.get("MIG_STRATEGY", "none")


def _profiles(facts: Facts) -> set[str] | None:
    """Every slice that the cluster's GPUs can make; None where a product's slices are not known."""
    found: set[str] = set()
    for product in facts.products:
        known = of_product(product)
        if known is None:
            return None
        found.update(name.replace("+", ".") for name in known.mig)
    return found if facts.products else None


@rule("GPU-114", MANDATORY, on=Stack)
def mig_agrees(stack: Stack) -> Complaints:
    """Named slices exist with the mixed strategy only, are made by the MIG manager, and differ by product.

    The strategy is the GPU operator's, or that of the device plugin's own chart or DaemonSet.
    """
    for release in stack.releases(GPU_OPERATOR):
        mixed = release.value("mig", "strategy") == "mixed"
        if mixed and release.switch("migManager", "enabled", default=True) is False:
            yield Complaint("mig.strategy is mixed but migManager.enabled is false", about=release.resource)
    strategies = list(_strategies(stack))
    profiles = _profiles(stack.facts)
    for pod in stack.pods:
        for name in _slices(pod):
            if strategies and "mixed" not in strategies and UNKNOWN not in strategies:
                what = f"asks for a {name} slice but the MIG strategy is {text(strategies[0])}"
                yield Complaint(what, about=pod.resource)
            if profiles is not None and name not in profiles:
                products = ", ".join(sorted(stack.facts.products))
                fix = f"Ask for one of {', '.join(sorted(profiles))}" if profiles else "Ask for whole GPUs"
                yield Complaint(f"asks for a {name} slice, which {products} cannot make", fix, about=pod.resource)


def _parts(container: Tree) -> list[str]:
    """The kinds of parts that one container asks for."""
    return [name for name in asked(container) if PARTS.fullmatch(name)]


def _each_its_own(pod: Pod) -> bool:
    """Whether each process of a pod is given its own part, or may be."""
    known = whole([[container.get("command"), container.get("args")] for container in pod.containers])
    return not known or any(OWN_DEVICE.search(line) for line in pod.lines)


@rule("GPU-115", MANDATORY, also=ADVISORY, on=Workload)
def whole_gpus(workload: Workload, facts: Facts) -> Complaints:
    """Slices and shares serve pods that need one of them.

    Several of one kind may serve processes that do not know of each other, as where each is given its own; two kinds in
    one container never both arrive, since both plugins set the same variable (NVIDIA/k8s-device-plugin#728).
    """
    for pod in workload.gpu_pods:
        if pod.gpus <= 1 and not workload.multi_node:
            continue
        mixed = any(len(_parts(container)) > 1 for container in pod.containers)
        for name, count in pod.requests(PARTS).items():
            what = f"{pod.role or 'a pod'} of a job over several GPUs asks for {count} {name}"
            surely = workload.multi_node or launches(pod) or mixed
            kinds = ", two kinds in one container" if mixed else ""
            if workload.multi_node or mixed or not _each_its_own(pod):
                yield Complaint(what + kinds, severity=None if surely else ADVISORY)
        pools = pools_of(pod, facts)
        if pools and all(pool.time_slicing > 1 for pool in pools):
            yield f"{pod.role or 'a pod'} asks for {pod.gpus} GPUs on pool {pools[0].name}, which is time-sliced"


@rule("GPU-116", ADVISORY, on=(Release, "ConfigMap"))
def honest_time_slicing(view: Release | Resource, _: Facts) -> Complaints:
    """The device plugin renames shared GPUs to nvidia.com/gpu.shared and refuses requests for more than one."""
    data = view.value("devicePlugin", "config", "data") if isinstance(view, Release) else view.at("data")
    for config in flatten(data):
        if "timeSlicing:" in config:
            for key in ("renameByDefault", "failRequestsGreaterThanOne"):
                if not re.search(rf"{key}:\s*true", config):
                    yield f"timeSlicing does not set {key}: true"


SHARED = {"renameByDefault", "failRequestsGreaterThanOne"}
BELOW = ({"timeSlicing"}, {"mps"})


def _misplaced(node: object, above: tuple[str, ...] = ()) -> Iterator[str]:
    """Where settings of sharing stand outside of it."""
    for key, value in tree(node).items():
        if key in SHARED and {*above[-1:]} not in BELOW:
            yield ".".join((*above, key))
        yield from _misplaced(value, (*above, key))


def _configurations(stack: Stack) -> Iterator[tuple[Resource, Tree]]:
    """Settings of the device plugin with what holds them, by name."""
    for each in stack.of("ConfigMap"):
        yield each, tree(each.at("data"))
    for release in stack.releases(GPU_OPERATOR):
        yield release.resource, tree(release.value("devicePlugin", "config", "data"))


@rule("GPU-131", ADVISORY, on=Stack)
def plugin_reads_its_settings(stack: Stack) -> Complaints:
    """What is shared stands below `sharing`, and the plugin reads a file: by --config-file or CONFIG_FILE."""
    for resource, data in _configurations(stack):
        settings = [parsed(each) for each in flatten(data) if PLUGIN_SETTINGS.search(each)]
        for where in (where for each in settings for where in _misplaced(each)):
            yield Complaint(f"{where} stands where the device plugin does not read it", about=resource)
        for pod in stack.pods if settings and resource.kind == "ConfigMap" else ():
            if pod.resource.namespace == resource.namespace and resource.object_name in _as_variables(pod):
                what = f"takes the device plugin's settings of {resource.title} as variables"
                yield Complaint(what, about=pod.resource)


def _as_variables(pod: Pod) -> set[str]:
    """The ConfigMaps that a device plugin gets its variables from."""
    plugins = [each for each in pod.containers if "k8s-device-plugin" in text(each.get("image"))]
    return {text(dig(one, "configMapRef", "name")) for each in plugins for one in trees(each.get("envFrom"))}


def _products(pod: Pod) -> Iterator[str]:
    yield text(tree(pod.spec.get("nodeSelector")).get(PRODUCT_LABEL))
    required = dig(pod.spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    for term in trees(dig(required, "nodeSelectorTerms")):
        for each in trees(term.get("matchExpressions")):
            if each.get("key") == PRODUCT_LABEL and each.get("operator") == "In":
                yield from texts(each.get("values"))


@rule("GPU-124", ADVISORY, also=MANDATORY, on=Pod)
def real_product(pod: Pod, facts: Facts) -> Complaints:
    """A selector names a product as GPU feature discovery spells it, with -SHARED or -MIG-... where that applies.

    Products of families that we have no list of are left alone.
    """
    for value in filter(None, _products(pod)):
        base = SUFFIX.sub("", value)
        family = [] if VGPU.search(base) else [name for gpu in like(base) for name in gpu.products]
        if family and base not in family and base not in facts.products:
            severity = MANDATORY if facts.products else None
            fix = f"Use one of {', '.join(family)}"
            yield Complaint(f"{PRODUCT_LABEL} {value} is no product label", fix, severity)


@rule("GPU-125", MANDATORY, also=ADVISORY, on=Pod)
def host_namespaces(pod: Pod, _: Facts) -> Complaints:
    """`hostUsers: false` does not work with GPUs; `hostIPC` is not needed for NCCL when /dev/shm is a memory volume."""
    if pod.gpus and pod.spec.get("hostUsers") is False:
        yield "hostUsers is false"
    if pod.gpus and pod.spec.get("hostIPC") is True:
        yield Complaint("hostIPC is true", "Mount a memory emptyDir at /dev/shm instead", ADVISORY)
