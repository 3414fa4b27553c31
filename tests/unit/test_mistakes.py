"""Mistakes that people make in a profile, and the one line that each is answered with."""

import contextlib
import io
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.cli import main
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFileError, StackFiles
from tests.stack_files import document

MISTAKES: tuple[tuple[str, object, str], ...] = (
    # The key, what is written there, and the beginning of the line.
    (
        "kubernetesVersion",
        1.3,
        "kubernetesVersion = 1.3: a number where text belongs: YAML reads 1.30 as 1.3; write it in quotes, with every digit",
    ),
    (
        "kubernetesVersion",
        "v1.34.1-x",
        'kubernetesVersion = v1.34.1-x: not a minor version of Kubernetes; write it in quotes and without the patch, such as "1.34"',
    ),
    (
        "gpuOperator",
        True,
        "gpuOperator = True: true or false where a section belongs: a section is switched on by being there; write {} for the defaults, or its keys below it",
    ),
    (
        "gpuOperator",
        "yes",
        "gpuOperator = yes: text where a section belongs; write its keys below it, each with its value",
    ),
    (
        "tenancy.teams",
        [{"name": "research", "group": None}],
        "tenancy.teams[0].group = absent: empty; write it, or remove the key if it may be absent (docs/profile.md)",
    ),
    ("fabric.mtu", "9k", "fabric.mtu = 9k: a unit where only a whole number can stand; write 9000"),
    ("name", "ML Team", "name = ML Team: a name has small letters, digits and dashes, 63 at most; write ml-team"),
    ("name", 5, 'name = 5: a number where text belongs; write it in quotes: "5"'),
    ("pools", "h100", "pools = h100: text where a list belongs; write it as [h100]"),
    (
        "pools",
        {},
        "pools = {}: a section where a list belongs; begin each entry with a dash, with its name as a key: - name: …",
    ),
    ("pools", [], "pools = []: too few: 1 is the least; list at least one"),
    ("pools.1.nodes", "8 nodes", "pools[1].nodes = 8 nodes: a unit where only a whole number can stand; write 8"),
    ("pools.1.nodes", -1, "pools[1].nodes = -1: too small: 0 is the least; correct it (docs/profile.md)"),
    ("pools.1.shape", "dgx-h1000", "pools[1].shape = dgx-h1000: unknown shape; did you mean dgx-h100"),
    (
        "pools.1.shape",
        8,
        "pools[1].shape = 8: a number where a section belongs; write its keys below it, each with its value",
    ),
    (
        "pools.0.shape",
        {"cpus": 16, "memoryGib": "128Gi"},
        "pools[0].shape.memoryGib = 128Gi: a unit where only a whole number can stand; write 128: the key counts GiB",
    ),
    (
        "pools.0.shape",
        {"cpus": "16 cores", "memoryGib": 128},
        "pools[0].shape.cpus = 16 cores: a unit where only a whole number can stand; write 16",
    ),
    (
        "pools.0.shape",
        {"cpus": 16, "memoryGib": 137438953472},
        "pools[0].shape.memoryGib = 137438953472: no node has so much: it seems to be in bytes; write 128: the key counts GiB",
    ),
    (
        "pools.0.shape",
        {"cpus": 16},
        "pools[0].shape.memoryGib = absent: required; add it (docs/profile.md has every key)",
    ),
    ("fabric.rails", "ens1np0", "fabric.rails = ens1np0: text where a list belongs; write it as [ens1np0]"),
    ("fabric.kind", "rocee", "fabric.kind = rocee: not a known kind; did you mean roce?"),
    (
        "fabric.ipam.network",
        "10.64.0.0/33",
        "fabric.ipam.network = 10.64.0.0/33: not an IPv4 network; write one such as 10.64.0.0/16",
    ),
    (
        "fabric.ipam.network",
        "10.64.0.5",
        "fabric.ipam.network = 10.64.0.5: it does not hold 8 subnets of /24; write its prefix, such as /16",
    ),
    ("fabric.mtu", "big", "fabric.mtu = big: text where a whole number belongs; write a number"),
    (
        "fabric.exposure",
        "hostNetwork",
        "fabric.exposure = hostNetwork: such pods are privileged on the node's own network",
    ),
    ("platform", "mainframe", "platform = mainframe: not a choice; use '"),
    ("driverOwner", "Operator", "driverOwner = Operator: not a choice; did you mean operator?"),
    ("scheduling", "kueue", "scheduling = kueue: text where a section belongs; write {kind: kueue}; kinds are"),
    (
        "scheduling",
        True,
        "scheduling = True: true or false where a section belongs: a section is switched on by being there; write {kind: kueue}; kinds are",
    ),
    ("scheduling", {}, "scheduling.kind = absent: required; use one of 'kueue', 'volcano', 'kai'"),
    (
        "tenancy.teams",
        {"research": {}},
        "tenancy.teams = {'research': {}}: a section where a list belongs; begin each entry with a dash, with its name as a key: - name: …",
    ),
    (
        "tenancy.teams",
        ["research"],
        "tenancy.teams[0] = research: text where a section belongs; write its keys below it, each with its value",
    ),
    (
        "tenancy.teams.0.name",
        "ML Team",
        "tenancy.teams[0].name = ML Team: a name has small letters, digits and dashes, 63 at most; write ml-team",
    ),
    (
        "tenancy.teams.0.share",
        0,
        "tenancy.teams[0].share = 0: too small: it must be more than 0; correct it (docs/profile.md)",
    ),
    (
        "tenancy.teams.0.gpus",
        8,
        "tenancy.teams[0].gpus = 8: a number where a section belongs; write its keys below it, each with its value",
    ),
    (
        "tenancy.teams.0.gpus",
        {"h100": "all"},
        "tenancy.teams[0].gpus.h100 = all: text where a whole number belongs; write a number",
    ),
    (
        "tenancy.teams.0.egress",
        "0.0.0.0/0",
        "tenancy.teams[0].egress = 0.0.0.0/0: text where a list belongs; write it as [0.0.0.0/0]",
    ),
    (
        "tenancy.teams.0.egress",
        ["10.0.0.0/99"],
        "tenancy.teams[0].egress[0] = 10.0.0.0/99: not an IPv4 network; write one such as 10.64.0.0/16",
    ),
    (
        "tenancy.teams.0.containerDefaults",
        {"memory": "16GB"},
        "tenancy.teams[0].containerDefaults.memory = 16GB: not a quantity of Kubernetes; write 16G",
    ),
    ("nodes", 8, "nodes = 8: it does not belong here; move it: there is pools[].nodes"),
    ("shape", "dgx-h100", "shape = dgx-h100: it does not belong here; move it: there is pools[].shape"),
    ("teams", [], "teams = []: it does not belong here; move it: there is tenancy.teams"),
    ("gpu_operator", {}, "gpu_operator = {}: unknown key; did you mean gpuOperator?"),
    ("context", "", "context = : empty; write it, or remove the key if it may be absent (docs/profile.md)"),
    ("context", None, "context = absent: empty; write it, or remove the key if it may be absent (docs/profile.md)"),
    (
        "gpuOperator",
        {"version": 26.7},
        "gpuOperator.version = 26.7: a number where text belongs: YAML reads 1.30 as 1.3; write it in quotes, with every digit",
    ),
    (
        "gpuOperator",
        {"enabled": True},
        "gpuOperator.enabled = True: unknown key; remove it: gpuOperator is switched on by being there, off by being absent",
    ),
    (
        "monitoring",
        True,
        "monitoring = True: true or false where a section belongs: a section is switched on by being there; write {kind: stack}; kinds are",
    ),
    ("nodeOs", "ubuntu22", "nodeOs = ubuntu22: not a choice; did you mean ubuntu?"),
    ("pools.1.nodes", True, "pools[1].nodes = True: true or false where a whole number belongs; write a number"),
    ("pools.1.nodes", "8", "pools[1].nodes = 8: text where a whole number belongs; write 8, without quotes"),
    ("pools.1.nodes", 8.0, "pools[1].nodes = 8.0: only a whole number can stand here; write 8"),
    ("pools.1.mig", {"1g.10gb": True}, "pools[1].mig.1g.10gb = True: true or false where a whole number belongs"),
    ("pools.0.shape.cpus", True, "pools[0].shape.cpus = True: true or false where a whole number belongs"),
    (
        "serving.servers.0.scaling.target",
        True,
        "serving.servers[0].scaling.target = True: true or false where a number belongs",
    ),
    ("fabric.hostOfed", 1, "fabric.hostOfed = 1: a number where true or false belongs; write true or false"),
    ("gpuOperator.gdrcopy", "yes", "gpuOperator.gdrcopy = yes: text where true or false belongs; write true or false"),
    ("pools.1.nodes", 2.5, "pools[1].nodes = 2.5: only a whole number can stand here; round it"),
    (
        "fabric.rails.1",
        "xxxxxxxxxxxxxxxx",
        "fabric.rails[1] = xxxxxxxxxxxxxxxx: not the name of a Linux interface; write letters, digits, dots and dashes, 15 at most: ens1np0",
    ),
    (
        "fabric.hcas.1",
        "mlx5_1:1",
        "fabric.hcas[1] = mlx5_1:1: not the name of an RDMA device; write it as `rdma link` does, without the port: mlx5_0, rocep24s0f0 or ibP2p3s0",
    ),
    ("fabric.rails", True, "fabric.rails = True: true or false where a list belongs; write it as [True]"),
    ("fabric", "roce", "fabric = roce: text where a section belongs; write {kind: roce}; kinds are"),
    ("fabric", [], "fabric = []: a list where a section belongs; write {kind: infiniband}; kinds are"),
    ("fabric.exposures", "shared", "fabric.exposures = shared: unknown key; did you mean exposure?"),
    (
        "fabric.ipam",
        "nv-ipam",
        "fabric.ipam = nv-ipam: text where a section belongs; write its keys below it, each with its value",
    ),
    ("fabric.ipam.kind", "dhcp", "fabric.ipam.kind = dhcp: not a choice; use '"),
    (
        "serving.servers.0.name",
        "Llama 70B",
        "serving.servers[0].name = Llama 70B: a name has small letters, digits and dashes, 63 at most; write llama-70b",
    ),
    (
        "serving.servers.0.replicas",
        "two",
        "serving.servers[0].replicas = two: text where a whole number belongs; write a number",
    ),
    (
        "training",
        "jobset",
        "training = jobset: text where a section belongs; write its keys below it, each with its value",
    ),
    (
        "training.trainer",
        True,
        "training.trainer = True: true or false where a section belongs: a section is switched on by being there; write {} for the defaults, or its keys below it",
    ),
    ("tenancy", [], "tenancy = []: a list where a section belongs; write its keys without dashes"),
    ("tenancy.teams.0.gpu", 8, "tenancy.teams[0].gpu = 8: unknown key; did you mean gpus?"),
    ("pools.1.taint", "gpu", "pools[1].taint = gpu: unknown key; did you mean taints?"),
    (
        "monitoring.retention",
        "2 weeks",
        "monitoring.retention = 2 weeks: not a length of time; write a number and h, d, w or y: 15d",
    ),
    (
        "charts",
        "/mirror",
        "charts = /mirror: text where a section belongs; write its keys below it, each with its value",
    ),
    ("platform", ["eks"], "platform = ['eks']: not a choice; use '"),
    ("gpuDirect", True, "gpuDirect = True: not a choice; use '"),
    ("pools.1", "h100", "pools[1] = h100: text where a section belongs; write its keys below it, each with its value"),
    ("name", "", "name = : a name has small letters, digits and dashes, 63 at most; write a name such as team-a"),
    ("kubeflow", {}, "kubeflow = {}: unknown key; remove it (docs/profile.md has every key)"),
    ("platform", "EKS", "platform = EKS: not a choice; did you mean eks?"),
    ("platform", "aws", "platform = aws: not a choice; did you mean eks?"),
    ("nodeOs", "Ubuntu 22.04", "nodeOs = Ubuntu 22.04: not a choice; did you mean ubuntu?"),
    ("fabric.kind", "RoCE", "fabric.kind = RoCE: not a known kind; did you mean roce?"),
    ("fabric.gpuDirect", "dmabuf", "fabric.gpuDirect = dmabuf: it does not belong here; move it: there is gpuDirect"),
    (
        "fabric.ipam.network",
        "10.66.0.1/16",
        "fabric.ipam.network = 10.66.0.1/16: an address, and not the network that it is in; write 10.66.0.0/16",
    ),
    ("fabric.ipam.network", 10.64, "fabric.ipam.network = 10.64: not a network; write it as text, such as"),
    (
        "tenancy.teams.0.egress",
        ["huggingface.co"],
        "tenancy.teams[0].egress[0] = huggingface.co: the name of a host, and networks are known by addresses; write",
    ),
    ("tenancy.teams.0.users", "anna", "tenancy.teams[0].users = anna: unknown key; remove it"),
    (
        "tenancy.teams.0.share",
        "60%",
        "tenancy.teams[0].share = 60%: a unit where only a whole number can stand; write 60",
    ),
    (
        "tenancy.teams.0.containerDefaults",
        {"memory": "2048"},
        "tenancy.teams[0].containerDefaults.memory = 2048: less than a MiB: without a unit it is in bytes; write it",
    ),
    (
        "gpuOperator.readyTimeout",
        "1h",
        "gpuOperator.readyTimeout = 1h: a unit where only a whole number can stand; write 3600: the key counts seconds",
    ),
    (
        "pools.0.shape.memoryGib",
        "2TB",
        "pools[0].shape.memoryGib = 2TB: a unit where only a whole number can stand; write 2048: the key counts GiB",
    ),
    (
        "pools.1.selector",
        "gpu=true",
        'pools[1].selector = gpu=true: text where a section belongs; write {gpu: "true"}',
    ),
    (
        "pools.1.labels",
        ["rack=1", "row=2"],
        "pools[1].labels = ['rack=1', 'row=2']: a list where a section belongs; write {rack: \"1\", row: \"2\"}",
    ),
    (
        "pools.1.taints",
        ["gpu=yes:NoSchedule"],
        'pools[1].taints[0] = gpu=yes:NoSchedule: text where a section belongs; write {key: gpu, value: "yes", effect: NoSchedule}',
    ),
    (
        "pools.1.taints",
        [{"key": "gpu", "effect": "noschedule"}],
        "pools[1].taints[0].effect = noschedule: not a choice; did you mean NoSchedule?",
    ),
    (
        "storage.volumes.0.size",
        100,
        "storage.volumes[0].size = 100: a number where text belongs: without a unit it would be bytes; write 100Gi",
    ),
    (
        "monitoring.storage.size",
        "500",
        "monitoring.storage.size = 500: less than a MiB: without a unit it is in bytes; write it with one, such as 64Gi",
    ),
    ("monitoring.retention", 30, "monitoring.retention = 30: a number where text belongs: it has no unit; write 30d"),
    ("storage.volumes.0.mode", "RWX", "storage.volumes[0].mode = RWX: not a choice; did you mean ReadWriteMany?"),
    ("storage.volumes.0.path", "data", "storage.volumes[0].path = data: not an absolute path; write /data"),
    ("storage.driver", {"kind": "lustre"}, "storage.driver.kind = lustre: not a known kind; did you mean "),
    (
        "serving.servers.0.model",
        "llama3-70b",
        "serving.servers[0].model = llama3-70b: unknown model; did you mean llama-3-70b or llama-3.3-70b or llama-3.1-70b",
    ),
    ("serving.servers.0.kind", "VLLM", "serving.servers[0].kind = VLLM: not a known kind; did you mean vllm?"),
    (
        "serving.servers.0.gpus",
        2,
        "serving.servers[0].gpus = 2: no key of kind vllm; remove it: another kind has it",
    ),
    ("serving.servers.0.team", "ai", "serving.servers[0].team = ai: unknown key; remove it"),
    (
        "gpuOperator",
        {"driver": {"enabled": True}},
        "gpuOperator.driver = {'enabled': True}: unknown key; did you mean driverVersion?",
    ),
)
JARGON = ("Input should", "tuple", "dict", "instance of", "pattern '", "^", "pydantic", "validation", "str ", "None")


def refused(folder: Path, profile: dict[str, Any]) -> list[str]:
    """The lines that the plan of a stack file with this profile is answered with, without the file's name."""
    file = folder / "Pulumi.test.yaml"
    file.write_text(yaml.safe_dump({"config": {PROFILE_KEY: profile}}, sort_keys=False))
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        assert main(["plan", "--profile", str(file)]) == 2
    lines = said.getvalue().splitlines()
    assert [line for line in lines if not line.startswith(f"{file}:")] == []
    return [line.removeprefix(f"{file}:") for line in lines]


def changed(key: str, value: object) -> dict[str, Any]:
    profile = document("onprem-h100-roce")
    *above, last = key.split(".")
    place: Any = profile
    for part in above:
        place = place[int(part) if part.isdigit() else part]
    place[int(last) if last.isdigit() else last] = value
    return profile


def test_there_are_a_hundred_mistakes_at_least() -> None:
    assert len(MISTAKES) >= 100


@pytest.mark.parametrize(("key", "value", "line"), MISTAKES, ids=[f"{key}={value}" for key, value, _ in MISTAKES])
def test_a_mistake_is_one_line_with_its_place_reason_and_fix(
    tmp_path: Path, key: str, value: object, line: str
) -> None:
    (said,) = refused(tmp_path, changed(key, value))
    number, _, text = said.partition(": ")
    assert text.startswith(line)
    assert "; " in text
    assert not any(word in text.partition(": ")[2] for word in JARGON)
    written = (tmp_path / "Pulumi.test.yaml").read_text().splitlines()[int(number) - 1]
    assert key.rsplit(".", maxsplit=1)[-1] in written or key[-1].isdigit() or key.split(".", maxsplit=1)[0] in text


def test_every_fault_of_a_profile_has_the_line_that_it_stands_in(tmp_path: Path) -> None:
    profile = changed("pools.1.nodes", "many") | {"platform": "mainframe"}
    lines = (tmp_path / "Pulumi.test.yaml", refused(tmp_path, profile))
    written = lines[0].read_text().splitlines()
    assert [written[int(line.split(":")[0]) - 1].strip() for line in lines[1]] == ["platform: mainframe", "nodes: many"]


def test_a_fault_in_the_only_server_is_not_a_list_that_is_too_short_as_well(tmp_path: Path) -> None:
    profile = changed("serving.servers", document("onprem-h100-roce")["serving"]["servers"][:1])
    profile["serving"]["servers"][0]["minReplicas"] = "two"
    assert [line.partition(": ")[2].partition(" = ")[0] for line in refused(tmp_path, profile)] == [
        "serving.servers[0].minReplicas"
    ]


def test_gpus_that_are_promised_of_a_pool_without_nodes_are_told_that(tmp_path: Path) -> None:
    (said,) = refused(tmp_path, changed("pools.1.nodes", 0))
    assert said.partition(": ")[2] == (
        "tenancy.teams[1].gpus.h100 = 24: no pool of this name has nodes with GPUs; "
        "use one of: none, as no pool has such nodes"
    )


def test_a_key_of_another_kind_is_not_told_to_be_spelt_as_it_is(tmp_path: Path) -> None:
    faults = [line.partition(": ")[2] for line in refused(tmp_path, changed("fabric.kind", "infiniband"))]
    assert [fault.partition("; ")[0] for fault in faults] == [
        "fabric.trafficClass = 106: no key of kind infiniband",
        "fabric.qpsPerConnection = 4: no key of kind infiniband",
    ]


FILES: tuple[tuple[str, bytes, str], ...] = (
    ("UTF-16", "config: {}".encode("utf-16"), "is not YAML: it is UTF-16; save it as UTF-8"),
    ("Latin-1", "config:\n  a: caf\u00e9\n".encode("latin-1"), "is not YAML: line 2 is not UTF-8; save it as UTF-8"),
    ("a tab", b"config:\n\ta: 1\n", "indent with spaces, not with tabs"),
    ("a key twice", b"config:\n  a: 1\n  a: 2\n", "is not YAML: a stands twice, in line 2 and in line 3"),
    ("text", b"just words", "holds text where a mapping belongs"),
)


@pytest.mark.parametrize(("data", "line"), [row[1:] for row in FILES], ids=[row[0] for row in FILES])
def test_what_an_editor_did_to_the_file_is_said(tmp_path: Path, data: bytes, line: str) -> None:
    (tmp_path / "Pulumi.test.yaml").write_bytes(data)
    with pytest.raises(StackFileError) as wrong:
        StackFiles(tmp_path, folder="").profile("test")
    assert line in str(wrong.value)
    assert str(wrong.value).startswith("Pulumi.test.yaml: ")
    assert "\n" not in str(wrong.value)


def test_a_mark_of_utf_8_at_the_beginning_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.test.yaml").write_bytes("config: {bedplate:profile: {name: x}}".encode("utf-8-sig"))
    assert StackFiles(tmp_path, folder="").profile("test") == {"name": "x"}


def test_a_path_where_a_name_belongs_is_told_the_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Pulumi.prod.yaml").write_text("config: {}")
    with pytest.raises(
        StackFileError, match=r"is a file where a stack's name belongs; write --profile Pulumi.prod.yaml"
    ):
        StackFiles(tmp_path, folder="").profile("Pulumi.prod.yaml")


def test_a_misspelt_stack_is_told_the_nearest() -> None:
    with pytest.raises(StackFileError, match=r"did you mean eks-p5\? known stacks: "):
        StackFiles().profile("eks-p6")
