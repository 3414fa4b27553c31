"""`docs/platforms.md`: every platform, node image and driver owner that a profile can name, and who brings what there.

Made from the tables that the plan itself uses; `make schema` writes it. What is not on the page is refused.
"""

from collections.abc import Iterator

from bedplate.catalog.support import RELEASES, of_release
from bedplate.components.facts import Ownership
from bedplate.components.platforms import PLATFORMS
from bedplate.folders import PROJECT
from bedplate.stacks.hardware.platforms import OWNERSHIP

PAGE_FILE = PROJECT / "docs" / "platforms.md"
HEAD = """# Platforms

What a profile may combine, and who then brings what. This page is made from the code (`make schema`); any other
combination of `platform`, `nodeOs` and `driverOwner` is refused, with those that exist.

| platform | `nodeOs` | `driverOwner` | driver | container toolkit | GPUs are advertised by | fabrics |
|---|---|---|---|---|---|---|
"""
NOTES = """
## What is special

* **rke2, k3s.** They find the container toolkit by themselves and register the runtime `nvidia`; the operator is told
  their containerd's socket and nothing else. It restarts the node's agent once. k3s keeps CNI plug-ins and networks
  below `/var/lib/rancher/k3s`: the Network Operator is told, `multus` and `whereabouts` are refused.
* **Talos.** Driver and toolkit are system extensions, kernel modules belong to the image: no DOCA-OFED of the operator,
  no SR-IOV operator (it needs a shell). Load the modules in the machine configuration. GPU Operator 26.3.1 or later.
  It lacks the CNI plug-ins macvlan and host-device: rails need `networkOperator`, or `existing.multus` where you install them with Multus.
* **OpenShift.** NFD, GPU Operator and Network Operator come from OperatorHub; Multus, Whereabouts and Prometheus with
  the cluster: their sections are refused. Write `existingDevicePlugin: true` and name the fabric's devices in
  `fabric.existingDevices` (SR-IOV resources are `openshift.io/…` there); `pools-ready` proves that the nodes have them.
  Teams with the fabric get a SecurityContextConstraints that allows IPC_LOCK and nothing else.
* **EKS Bottlerocket, GKE, OKE.** The image, the cloud or its add-on advertises the GPUs unless told not to.
* **AKS.** `driverOwner: cloud` is the driver alone: the GPU Operator, or a plugin of the site's, advertises the GPUs.

## See also

[Hosts, switches and BIOS](hosts.md), [GPU Operator](gpu-operator.md), [network](network.md), [profile](profile.md).
"""


RELEASED = """
## Kubernetes and systems of each release

What the projects themselves name. A release on a Kubernetes outside its bounds for the platform and `nodeOs` is
refused, with one that goes; a platform or system that is not in its row has the bounds of those that are: nobody has
said that it was tried there.

| chart | release | Kubernetes | distributions | systems |
|---|---|---|---|---|
"""


def page() -> str:
    """The page."""
    return HEAD + "".join(_rows()) + RELEASED + "".join(_releases()) + NOTES


def _releases() -> Iterator[str]:
    """OpenShift has numbers of its own, and its operators come by its catalogue."""
    for name, line in RELEASES:
        rows = [row for row in of_release(name, line) if row.distribution != "openshift"]
        last = max((row.newest or 0 for row in rows), default=0)
        bounds = f"1.{min(row.oldest for row in rows)} to {f'1.{last}' if last else 'any later'}"
        systems: dict[str, dict[str, None]] = {}
        for row in rows:
            systems.setdefault(row.system, {}).update(dict.fromkeys(row.versions))
        where = ", ".join(dict.fromkeys(row.distribution for row in rows))
        on = ", ".join(" ".join((system, *versions)) for system, versions in systems.items())
        yield f"| {name} | {line[0]}.{line[1]} | {bounds} | {where} | {on} |\n"


def _rows() -> Iterator[str]:
    for (platform, image, owner), owned in OWNERSHIP.items():
        fabrics = ", ".join(sorted(PLATFORMS[platform].fabrics - {"none"}))
        cells = (platform, image, owner, _driver(platform, owner), _toolkit(platform, owned), _plugin(platform, owned))
        yield f"| {' | '.join(cells)} | {fabrics} |\n"


def _driver(platform: str, owner: str) -> str:
    if PLATFORMS[platform].own_operators:
        return "the GPU Operator of OperatorHub"
    return {"operator": "GPU Operator", "image": "the node image", "cloud": "the cloud"}[owner]


def _toolkit(platform: str, owned: Ownership) -> str:
    if PLATFORMS[platform].own_operators:
        return "the GPU Operator of OperatorHub"
    return "GPU Operator" if owned.toolkit else "the node image"


def _plugin(platform: str, owned: Ownership) -> str:
    if PLATFORMS[platform].own_operators:
        return "the GPU Operator of OperatorHub"
    if not owned.device_plugin:
        return "the node image"
    return "the cloud, or GPU Operator" if PLATFORMS[platform].gpu_plugin else "GPU Operator"


def write() -> None:
    """Write the page."""
    PAGE_FILE.write_text(page(), encoding="utf-8")
