"""Each driver names a volume's source as its own documentation does."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from bedplate.components.storage.drivers import DRIVERS, AnyDriver, provisioner
from bedplate.components.storage.lustre import LustreServers, source
from bedplate.components.storage.request import VolumeRequest
from tests.stack_files import known

DRIVER: TypeAdapter[AnyDriver] = TypeAdapter(AnyDriver)
SERVERS = {"mgs": ["10.3.3.200", "10.3.3.201"], "name": "exafs"}

# The section, and what the documentation of the driver wants in a persistent volume for directory `data`.
SOURCES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "fsx": (
        {"id": "fs-0199e5a63bd90f796", "dnsName": "fs-0199.fsx.us-east-1.amazonaws.com", "mountName": "fsx"},
        {
            "volumeHandle": "fs-0199e5a63bd90f796:team.datasets",
            "volumeAttributes": {"dnsname": "fs-0199.fsx.us-east-1.amazonaws.com", "mountname": "fsx"},
        },
    ),
    "gcp-lustre": (
        {"instance": "project/us-central1-a/one", "ip": "10.90.1.4", "name": "lfs"},
        {
            "volumeHandle": "project/us-central1-a/one:team.datasets",
            "volumeAttributes": {"ip": "10.90.1.4", "filesystem": "lfs"},
        },
    ),
    "exascaler": (
        SERVERS,
        {
            "volumeHandle": "main:10.3.3.200@tcp;10.3.3.201@tcp;/exafs:/exa/main:/data",
            "volumeAttributes": {"createStaticDir": "true"},
        },
    ),
    "hpe-lustre": (SERVERS, {"volumeHandle": "10.3.3.200@tcp:10.3.3.201@tcp:/exafs/data", "fsType": "lustre"}),
    "azure-lustre": (
        {"mgsIp": "10.1.0.4"},
        {"volumeHandle": "team.datasets", "volumeAttributes": {"mgs-ip-address": "10.1.0.4", "sub-dir": "data"}},
    ),
    "oci-lustre": (
        {"mgs": "10.0.2.6", "name": "lustrefs"},
        {
            "volumeHandle": "10.0.2.6@tcp:/lustrefs/data",
            "fsType": "lustre",
            "volumeAttributes": {"setupLnet": "true"},
        },
    ),
    "custom": (
        {"handle": "a-volume", "attributes": {"mgs": "10.0.0.1@tcp"}},
        {"volumeHandle": "a-volume", "volumeAttributes": {"mgs": "10.0.0.1@tcp"}},
    ),
}
NAMES = {
    "fsx": "fsx.csi.aws.com",
    "gcp-lustre": "lustre.csi.storage.gke.io",
    "exascaler": "exa.csi.ddn.com",
    "hpe-lustre": "lustre-csi.hpe.com",
    "azure-lustre": "azurelustre.csi.azure.com",
    "oci-lustre": "lustre.csi.oraclecloud.com",
    "custom": "lustre.csi.io",
}


def driver(kind: str) -> AnyDriver:
    named = {"driver": "lustre.csi.io"} if kind == "custom" else {}
    return DRIVER.validate_python({"kind": kind, "fileSystems": {"main": SOURCES[kind][0]}, **named})


def request(directory: str = "data") -> VolumeRequest:
    return VolumeRequest("datasets", "team", "main", directory, known("onprem-h100-roce"))


def test_every_driver_is_in_these_tests() -> None:
    assert set(DRIVERS) == set(SOURCES) == set(NAMES)


@pytest.mark.parametrize("kind", SOURCES)
def test_a_volumes_source_is_what_the_driver_documents(kind: str) -> None:
    assert DRIVERS[kind].csi(driver(kind), request()) == SOURCES[kind][1]


@pytest.mark.parametrize("kind", SOURCES)
def test_a_driver_has_the_name_of_its_csidriver_object(kind: str) -> None:
    assert provisioner(driver(kind)) == NAMES[kind]


@pytest.mark.parametrize("kind", sorted(set(SOURCES) - {"custom"}))
def test_two_volumes_of_one_file_system_are_two_to_the_kubelet(kind: str) -> None:
    """Else a pod with both never starts up to Kubernetes 1.34 (kubernetes/kubernetes#91556)."""
    other = VolumeRequest("checkpoints", "team", "main", "checkpoints", known("onprem-h100-roce"))
    handles = {DRIVERS[kind].csi(driver(kind), one)["volumeHandle"] for one in (request(), other)}
    assert len(handles) == 2


@pytest.mark.parametrize(("kind", "end"), [("hpe-lustre", ":/exafs"), ("oci-lustre", ":/lustrefs")])
def test_a_whole_file_system_leaves_no_slash_behind(kind: str, end: str) -> None:
    assert DRIVERS[kind].csi(driver(kind), request(""))["volumeHandle"].endswith(end)


@pytest.mark.parametrize(
    ("stack", "lnet", "expected"),
    [
        ("onprem-h100-ib", None, "10.0.0.1@o2ib:/ai"),
        ("onprem-h100-ib", "tcp", "10.0.0.1@tcp:/ai"),
        ("onprem-h100-roce", None, "10.0.0.1@tcp:/ai"),
        ("onprem-h100-roce", "o2ib", "10.0.0.1@o2ib:/ai"),
        ("inference-l40s", None, "10.0.0.1@tcp:/ai"),
    ],
)
def test_the_lustre_network_follows_the_fabric_unless_the_site_says(
    stack: str, lnet: str | None, expected: str
) -> None:
    servers = LustreServers.model_validate({"mgs": ["10.0.0.1"], "name": "ai", "lnet": lnet})
    assert source(servers, known(stack)) == expected
