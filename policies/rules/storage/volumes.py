"""Drivers that exist, addresses that fit the fabric, classes that are there."""

import re
from decimal import Decimal
from pathlib import Path

from bedplate.components.platforms import CLOUDS
from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pools import BLOCKING, untolerated
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, flatten, is_map, quantity, text, version, whole

KNOWN = frozenset(Path(__file__).with_name("drivers.txt").read_text(encoding="utf-8").split())
"""Names under which CSI drivers and provisioners of public projects and clouds register: their READMEs; of GPU clouds
crusoecloud/crusoe-csi-driver internal/common, nebius/nebius-solutions-library."""
KNOWN_FAMILIES = re.compile(r"kubernetes\.io/.+|(.+\.)?(rbd|cephfs)\.csi\.ceph\.com|cluster\.local/.+|.*\.local-path")
FICTION = {"lustre.csi.io", "lustre.csi.k8s.io", "weka.csi.io"}
"""Names of tutorials, under which no driver registers."""
LUSTRE = re.compile(r"@(tcp|o2ib)\d*")
SECONDS_PER_INTERVAL = Decimal("0.1")
CSI_CHARTS = {"aws-fsx-csi-driver": ("node", "tolerations")}
AGENT_TAINT = "agent-not-ready"
EKS_WITHOUT_DEFAULT = (1, 30)
DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"


@rule("STO-701", MANDATORY, also=ADVISORY, on=Stack)
def known_driver(stack: Stack) -> Complaints:
    """A volume or class names a driver of a public project, or one whose CSIDriver the stack installs."""
    installed = {each.object_name for each in stack.of("CSIDriver")}
    if not stack.named("CSIDriver"):
        return
    for resource in stack.of("PersistentVolume", "StorageClass"):
        path = ("spec", "csi", "driver") if resource.kind == "PersistentVolume" else ("provisioner",)
        name = text(resource.at(*path))
        if name and name not in KNOWN | installed and not KNOWN_FAMILIES.fullmatch(name):
            what = f"no driver that we know is called {name}"
            yield Complaint(what, severity=None if name in FICTION else ADVISORY, about=resource)


@rule("STO-702", ADVISORY, on=("PersistentVolume",))
def lustre_network(volume: Resource, facts: Facts) -> Complaints:
    """The LNet suffix of a static volume fits the fabric that the servers are on."""
    cloud = facts.platform in CLOUDS
    addresses = [volume.at("spec", "csi", key) for key in ("volumeHandle", "volumeAttributes")]
    kinds = sorted({found[1] for line in flatten(addresses) for found in LUSTRE.finditer(line)})
    for kind in kinds:
        if kind == "o2ib" and cloud:
            yield f"the address is @o2ib on {facts.platform}"
        if kind == "tcp" and facts.platform and not cloud and facts.fabric == "infiniband":
            yield "the address is @tcp on an InfiniBand fabric"


@rule("STO-703", ADVISORY, on=Stack)
def startup_taints(stack: Stack) -> Complaints:
    """A node plugin runs on nodes that wait for it."""
    for release in stack.releases(*CSI_CHARTS):
        path = CSI_CHARTS[release.chart]
        tolerations = release.value(*path, default=[{"operator": "Exists", "effect": "NoExecute"}])
        if release.switch("node", "tolerateAllTaints", default=True) is not False or not whole(tolerations):
            continue
        for pool in stack.facts.pools:
            for taint in untolerated(pool, tolerations):
                if AGENT_TAINT in taint.key and taint.effect in BLOCKING:
                    what = f"{'.'.join(path)} does not tolerate {taint.key}:{taint.effect} of pool {pool.name}"
                    yield Complaint(what, about=release.resource)


SIZE = "bedplate.dev/checkpoint-size"
INTERVAL = "bedplate.dev/checkpoint-interval-seconds"
BANDWIDTH = "bedplate.dev/storage-bandwidth"


@rule("STO-704", ADVISORY, on=("PersistentVolumeClaim",))
def checkpoint_bandwidth(claim: Resource, _: Facts) -> Complaints:
    """Judged where a claim is annotated with checkpoint size, interval and bandwidth (bedplate.dev/...)."""
    size, interval, rate = (quantity(claim.annotations.get(key)) for key in (SIZE, INTERVAL, BANDWIDTH))
    if size and interval and rate and size / rate > SECONDS_PER_INTERVAL * interval:
        yield f"a checkpoint takes {size / rate:.0f} s of an interval of {interval:.0f} s"


@rule("STO-705", ADVISORY, on=Stack)
def default_class(stack: Stack) -> Complaints:
    """EKS makes no default class since 1.30."""
    recent = version(stack.facts.kubernetes_version) >= EKS_WITHOUT_DEFAULT
    defaults = [
        resource
        for resource in stack.of("StorageClass")
        if resource.annotations.get(DEFAULT_CLASS) in ("true", UNKNOWN)
    ]
    if stack.facts.platform != "eks" or not recent or defaults or not stack.complete:
        return
    for each in stack.of("PersistentVolumeClaim"):
        if each.spec.get("storageClassName") is None and whole(each.at("spec")):
            yield Complaint("has no storageClassName and EKS has no default class", about=each)


@rule("STO-706", MANDATORY, on=Stack)
def namespace_allows_folders(stack: Stack) -> Complaints:
    """The baseline and restricted levels both forbid hostPath."""
    for pod in stack.pods:
        folders = [name for name, volume in pod.volumes.items() if is_map(volume.get("hostPath"))]
        if folders and (level := stack.strict(pod.resource.namespace)):
            what = f"mounts a folder of the node ({', '.join(folders)}) in namespace {pod.resource.namespace}: {level}"
            yield Complaint(what, about=pod.resource)
