"""What a member takes by naming it alone: rails, identities on the fabric, devices of the runtime, shares, places."""

import json
from typing import Any

from tests.cluster.attacks import GPUS, HOME, QUEUE, batch, container, job_set, labelled, pod
from tests.cluster.attacks_by_scheduler import NETWORKS, Attack, joined, joined_by_a_job, service

RAIL = f"{HOME}-rail-0"
WITH_GPUS = "go with GPUs"
ALONE = "name and interface alone"
TWICE = "name each once"


def beside_gpus(value: str) -> dict[str, Any]:
    """A pod with GPUs that waits in its queue, on these networks."""
    one = pod("a", containers=[container(**GPUS)])
    return labelled(one, annotations={NETWORKS: value}, labels=QUEUE)


def element(**more: Any) -> dict[str, Any]:
    """A pod with GPUs that says more of a network than its name."""
    return beside_gpus(json.dumps([{"name": RAIL, **more}]))


def variable(name: str) -> dict[str, Any]:
    return pod("a", containers=[container(env=[{"name": name, "value": "enabled"}])])


def tolerating(**one: Any) -> dict[str, Any]:
    return pod("a", tolerations=[one])


def annotated(key: str) -> dict[str, Any]:
    return labelled(pod("a"), annotations={key: "nvidia.com/gpu=all"})


RAILS: dict[str, Attack] = {
    "a rail without GPUs": (joined(RAIL), WITH_GPUS),
    "a rail without GPUs by its whole name": (joined(f" {HOME}/{RAIL}@net1"), WITH_GPUS),
    "a rail without GPUs in JSON": (joined(json.dumps([{"name": RAIL, "interface": "net1"}])), WITH_GPUS),
    "a rail without GPUs for a Job": (joined_by_a_job(f"x,{RAIL}"), WITH_GPUS),
    "a rail again and again": (beside_gpus(f"{RAIL}@a,{RAIL}@b"), TWICE),
    "a rail again in JSON": (beside_gpus(json.dumps([{"name": RAIL}, {"interface": "b", "name": RAIL}])), TWICE),
    "an InfiniBand identity": (element(**{"infiniband-guid": "02:00:00:00:00:00:00:01"}), ALONE),
    "an InfiniBand identity by the plug-in": (element(**{"cni-args": {"guid": "02:00:00:00:00:00:00:01"}}), ALONE),
    "another pool of addresses": (element(**{"cni-args": {"poolNames": ["other"]}}), ALONE),
    "an address": (element(ips=["10.64.0.9/24"]), ALONE),
    "a MAC": (element(mac="02:00:00:00:00:01"), ALONE),
    "a port of the node by the plug-in": (element(portMappings=[{"hostPort": 22, "containerPort": 22}]), ALONE),
    "a default route by a rail": (element(**{"default-route": ["10.64.0.1"]}), ALONE),
    "a network by the old key": (joined(RAIL, key="kubernetes.v1.cni.cncf.io/networks"), "is not read here"),
}
RUNTIME: dict[str, Attack] = {
    "all GPUs by CDI": (annotated("cdi.k8s.io/mine"), "An annotation that hands out"),
    "a device by NRI": (annotated("devices.nri.io/container.main"), "An annotation that hands out"),
    "a device by CRI-O": (annotated("io.kubernetes.cri-o.Devices"), "An annotation that hands out"),
    "an address by Calico": (annotated("cni.projectcalico.org/ipAddrs"), "An annotation that hands out"),
    "every RDMA device": (variable("NVIDIA_MOFED"), "hand out devices"),
    "every GPU's IMEX channel": (variable("NVIDIA_IMEX_CHANNELS"), "hand out devices"),
    "every taint": (tolerating(operator="Exists"), "name the key"),
    "the control plane": (tolerating(key="node-role.kubernetes.io/control-plane", operator="Exists"), "name the key"),
    "cordoned nodes for a JobSet": (
        job_set("a", tolerations=[{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]),
        "name the key",
    ),
    "a profile of the node that confines nothing": (
        pod("a", securityContext={"appArmorProfile": {"type": "Localhost", "localhostProfile": "runc"}}),
        "AppArmor's profiles",
    ),
    "any share by a driver": (
        pod("a", volumes=[{"name": "s", "csi": {"driver": "nfs.csi.k8s.io", "volumeAttributes": {"share": "/"}}}]),
        "may be of any share",
    ),
}
SITE: dict[str, Attack] = {
    "a load balancer": (service(type="LoadBalancer"), "exceeded quota"),
    "a port of every node": (service(type="NodePort"), "exceeded quota"),
    "an address of the site's": (service(loadBalancerIP="10.9.8.7"), "addresses and names of the site"),
    "a name of the site's": (
        labelled(service(), annotations={"external-dns.alpha.kubernetes.io/hostname": "login.example.com"}),
        "addresses and names of the site",
    ),
}
BY_NAME = {**RAILS, **RUNTIME, **SITE}

TAKEN: dict[str, dict[str, Any]] = {
    "rails beside GPUs": beside_gpus(f"{HOME}/{RAIL}@net1,{HOME}/{HOME}-rail-1@net2"),
    "a rail beside GPUs in JSON": element(interface="net1"),
    "an interface that has a rail's name": beside_gpus(f"{RAIL}@{RAIL}"),
    "a network of the site's without GPUs": joined("storage@net1"),
    "a network whose name begins as a rail's": joined(f"{RAIL}0"),
    "no network": joined("[]"),
    "the pool's taint": pod("a", tolerations=[{"key": "nvidia.com/gpu", "operator": "Exists"}]),
    "a node that is lost": pod("a", tolerations=[{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}]),
    "the runtime's AppArmor": pod("a", securityContext={"appArmorProfile": {"type": "RuntimeDefault"}}),
    "secrets by a driver": pod("a", volumes=[{"name": "s", "csi": {"driver": "secrets-store.csi.k8s.io"}}]),
    "GPUs by a variable that asks for none": variable("NVIDIA_DRIVER_CAPABILITIES"),
    "a Service": service(),
    "a Job on the site's network": batch("a"),
}
