"""The cluster's own network as the cluster tells it: held against the profile, and written down as a section."""

import json
from typing import Any

import pytest

from bedplate.cluster.errors import ClusterError
from bedplate.live.discover.draft import draft
from bedplate.live.examine import examine, observe
from bedplate.live.finding import Finding
from bedplate.live.kinds import CONFIG_MAP
from bedplate.live.network import network
from bedplate.stacks.load import load
from tests.live_cluster import settled, workload
from tests.stack_files import document, graph_of
from tests.unit.live.test_from_cluster import cluster, observed

ROCE, L40S = "onprem-h100-roce", "inference-l40s"
CONFIGZ = "/proxy/configz"


def config_map(name: str, **data: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def kubelets(*servers: str, domain: str = "cluster.local") -> dict[str, Any]:
    return config_map("kubelet-config", kubelet=json.dumps({"clusterDNS": servers, "clusterDomain": domain}))


def said(stack: str, *objects: dict[str, Any], own: dict[str, Any] | None = None) -> list[Finding]:
    one = document(stack)
    one["clusterNetwork"] = one["clusterNetwork"] | (own or {})
    desired, here = settled(graph_of(one), load(one))
    for each in objects:
        here.add(each)
    return examine(desired, observe(desired, here.get))


def test_cilium_that_takes_multus_away_is_named_where_pods_attach_rails() -> None:
    taking = config_map("cilium-config", **{"cni-exclusive": "true"})
    [found] = said(ROCE, taking)
    assert (found.check, found.where) == ("networks", "ConfigMap kube-system/cilium-config")
    assert "cni.exclusive=false" in found.what
    assert "without rails" in found.why
    assert said(L40S, taking) == []  # no rails
    assert said(ROCE, config_map("cilium-config", **{"cni-exclusive": "false"})) == []


@pytest.mark.parametrize(
    ("options", "opened"),
    [
        ({"httpPutResponseHopLimit": 2, "httpTokens": "required"}, 1),
        ({"httpPutResponseHopLimit": 1, "httpTokens": "optional"}, 1),
        ({"httpPutResponseHopLimit": 1, "httpTokens": "required"}, 0),
        ({"httpPutResponseHopLimit": 2, "httpEndpoint": "disabled"}, 0),
        ({}, 0),
    ],
)
def test_karpenters_nodes_whose_metadata_service_answers_pods_are_named(options: dict[str, Any], opened: int) -> None:
    spec = {"metadataOptions": options} if options else {}
    nodes = {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "gpu"}, "spec": spec}
    found = said("eks-p5", nodes)
    assert [(one.check, one.where) for one in found] == [("teams", "EC2NodeClass gpu")] * opened


def test_a_name_server_that_no_policy_opens_is_named() -> None:
    [found] = said(ROCE, kubelets("192.168.20.53"))
    assert (found.where, "192.168.20.53" in found.what) == ("clusterNetwork.nameServers", True)
    assert said(ROCE, kubelets("192.168.20.53"), own={"nameServers": ["192.168.20.53"]}) == []


@pytest.mark.parametrize("usual", ["169.254.25.10", "169.254.20.10"])
def test_a_cache_at_a_link_local_address_is_nothing_to_say(usual: str) -> None:
    assert said(ROCE, kubelets(usual)) == []


def test_the_address_of_a_service_stands_for_its_pods() -> None:
    metadata = {"name": "kube-dns", "namespace": "kube-system"}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"clusterIP": "172.31.0.10"}}
    named = {"nameServers": ["169.254.20.10"]}
    assert said(ROCE, kubelets("172.31.0.10"), service, own=named) == []
    assert len(said(ROCE, kubelets("172.31.0.10"), own=named)) == 1


def test_a_cluster_that_is_called_otherwise_is_named() -> None:
    [found] = said(ROCE, kubelets("169.254.20.10", domain="k8s.example.com"))
    assert (found.where, "k8s.example.com" in found.what) == ("clusterNetwork.domain", True)


def test_one_kubelet_tells_where_there_is_no_config_map_for_all() -> None:
    here = cluster()

    def get(path: str) -> str:
        if path.endswith(CONFIGZ):
            return json.dumps({"kubeletconfig": {"clusterDNS": ["10.9.0.53"], "clusterDomain": "k8s.example.com"}})
        return here.get(path)

    own = draft(network(get, observed(here)), "prod", "prod").profile["clusterNetwork"]
    assert own == {"nameServers": ["10.9.0.53"], "domain": "k8s.example.com"}


def test_what_may_not_be_read_costs_nothing_else() -> None:
    here = cluster()
    here.forbidden.add(CONFIG_MAP)

    def get(path: str) -> str:
        if path.endswith(CONFIGZ):
            raise ClusterError("Error from server (Forbidden): cannot get resource nodes/proxy")
        return here.get(path)

    looked = network(get, observed(here))
    assert looked.hidden == {}
    found = draft(looked, "prod", "prod")
    assert "clusterNetwork" not in found.profile
    assert any(line.startswith("clusterNetwork.{cni, podCidr, serviceCidr, nodeCidrs}") for line in found.unseen)


def told(*objects: dict[str, Any]) -> dict[str, Any]:
    here = cluster(*objects)
    return draft(network(here.get, observed(here)), "prod", "prod").profile.get("clusterNetwork", {})


KUBEADM = config_map(
    "kubeadm-config",
    ClusterConfiguration="networking: {podSubnet: '10.233.64.0/18,fd85::/64', serviceSubnet: 10.233.0.0/18}",
)


def test_the_section_of_a_cluster_of_kubespray_can_be_planned() -> None:
    here = cluster(KUBEADM, kubelets("169.254.25.10"), workload("DaemonSet", "kube-system", "calico-node"))
    profile = draft(network(here.get, observed(here)), "prod", "prod").profile
    assert profile["clusterNetwork"] == {
        "cni": {"kind": "calico"},
        "podCidr": "10.233.64.0/18",
        "podCidr6": "fd85::/64",
        "serviceCidr": "10.233.0.0/18",
    }
    assert load(profile).cluster_network.pod_cidr


def test_cilium_says_whether_it_is_alone_and_where_its_pods_are() -> None:
    agent = workload("DaemonSet", "kube-system", "cilium")
    said = {"cni-exclusive": "false", "cluster-pool-ipv4-cidr": "10.0.0.0/12"}
    assert told(agent, config_map("cilium-config", **said)) == {
        "cni": {"kind": "cilium", "exclusive": False},
        "podCidr": "10.0.0.0/12",
    }
    assert told(agent) == {"cni": {"kind": "cilium"}}


def test_openshift_and_the_api_servers_own_objects_tell_too() -> None:
    head = {"apiVersion": "config.openshift.io/v1", "kind": "Network", "metadata": {"name": "cluster"}}
    spec = {"clusterNetwork": [{"cidr": "10.128.0.0/14"}], "serviceNetwork": ["172.30.0.0/16"]}
    assert told({**head, "spec": spec}) == {"podCidr": "10.128.0.0/14", "serviceCidr": "172.30.0.0/16"}
    ranges = {"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR", "metadata": {"name": "kubernetes"}}
    assert told({**ranges, "spec": {"cidrs": ["10.96.0.0/16", "fd00::/112"]}}) == {
        "serviceCidr": "10.96.0.0/16",
        "serviceCidr6": "fd00::/112",
    }


@pytest.mark.parametrize("name", ["aws-node", "azure-cns", "anetd"])
def test_a_clouds_own_plug_in_comes_before_what_stands_beside_it(name: str) -> None:
    both = [workload("DaemonSet", "kube-system", each) for each in (name, "cilium", "calico-node")]
    assert told(*both)["cni"] == {"kind": "cloud"}


def test_a_document_that_is_none_is_left_out() -> None:
    broken = config_map("kubeadm-config", ClusterConfiguration="{networking: [")
    odd = config_map("kubelet-config", kubelet="clusterDNS: [nowhere, 169.254.25.10]")
    assert told(broken, odd) == {}
