"""A whole verification against a cluster that answers as planted: what is bad is named, what is silent is no pass."""

from collections.abc import Sequence
from dataclasses import replace
from ipaddress import ip_network
from typing import Any

import pytest

from bedplate.components.verification.nccl import VerificationSection
from bedplate.lab.nodes import nodes as simulated
from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.manifests.charts import from_manifest
from bedplate.stacks.facts.policies import policy_facts
from bedplate.verify.cluster import Cluster, Ended
from bedplate.verify.jobs import Desk, Run
from bedplate.verify.outcome import Outcome
from bedplate.verify.probe_jobs import borders
from bedplate.verify.run import Sheet, Task, unseen_links, verify
from tests.stack_files import known, profile
from tests.unit.verify.test_node_log import log as node_log

STACK = "onprem-h100-roce"
FACTS = known(STACK)
(POOL,) = FACTS.gpu_pools
DESK = Desk(FACTS, VerificationSection(team="research", image="example.com/pytorch:1"), "ab12cd")
SOUND = "network IB over 8 HCAs, 455.0 GB/s, floor 396 GB/s\n"
BAD = "rank 9 on x: NCCL uses 7 HCAs, 8 must be: a port is down\n" + SOUND


def nodes() -> list[dict[str, Any]]:
    found = [node for node in simulated(profile(STACK)) if node["metadata"]["name"].startswith("h100")]
    ready = [{"type": "Ready", "status": "True"}]
    return [node | {"status": node["status"] | {"conditions": ready}} for node in found]


def hosts(run: Run) -> frozenset[str]:
    text = run.objects[-1]["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
    (term,) = text["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    return frozenset(term["matchExpressions"][0]["values"])


class Planted(Cluster):
    """Answers for every job."""

    def __init__(self, **faults: Any) -> None:
        super().__init__("nowhere", 0)
        self.__dict__["faults"] = faults
        self.__dict__["played"] = []

    def play(self, runs: Sequence[Run]) -> dict[str, Ended]:
        self.__dict__["played"] += runs
        return {run.name: self._ended(run) for run in runs}

    def _ended(self, run: Run) -> Ended:
        faults = self.__dict__["faults"]
        if "affinity" not in run.objects[-1]["spec"]["template"]["spec"]:
            return Ended(
                True,
                faults.get(
                    "probe",
                    "write 3 GB/s\nread 2.00 GB/s\ncompletion ok 1 s\nmetrics ok 9\nasks all\nsees \nnames yes\ntries a:1\nreaches \n",
                ),
            )
        there = hosts(run)
        if len(there) == 1:
            (host,) = there
            return faults.get("alone", {}).get(host, Ended(True, node_log() + SOUND))
        if there & faults.get("bad", frozenset[str]()) or there in faults.get("links", ()):
            return Ended(False, BAD)
        return Ended(True, SOUND)


def played(level: Any = "full", **faults: Any) -> tuple[Sheet, Planted]:
    cluster = Planted(**faults)
    servers = profile(STACK).serving
    assert servers is not None
    task = Task(DESK, (POOL,), level, servers=servers.servers)
    return verify(task, cluster, faults.get("nodes") or nodes()), cluster


def failed(sheet: Sheet) -> list[tuple[str, str, str]]:
    return [(case.check, case.subject, case.status) for case in sheet.cases if case.status != "passed"]


def test_a_sound_cluster_passes_one_node_before_two_and_all_last() -> None:
    sheet, cluster = played()
    assert failed(sheet) == []
    sizes = [len(hosts(run)) for run in cluster.__dict__["played"][:12]]
    assert sizes == [*[1] * 8, *[2] * 4]
    assert Outcome(STACK, "full", tuple(sheet.cases)).exit_status == 0
    assert {case.check for case in sheet.cases} >= {
        "node",
        "GPUs",
        "ECC",
        "clocks",
        "driver",
        "links",
        "NVLink",
        "fabric",
    }
    assert {case.subject for case in sheet.cases if case.check == "server, completion"} == {"llama-70b"}
    assert {case.subject for case in sheet.cases if case.check == "storage, read"} == {
        "datasets", "checkpoints", "models", "home"
    }  # fmt: skip


def test_level_nodes_looks_at_them_and_makes_no_job() -> None:
    sheet, cluster = played("nodes")
    assert cluster.__dict__["played"] == []
    assert [(case.check, case.status) for case in sheet.cases] == [("node", "passed")] * 8
    few, _ = played("nodes", nodes=nodes()[:7])
    assert failed(few) == [("pool", "h100", "failed")]


def test_a_pool_on_which_a_pod_sees_gpus_that_it_did_not_ask_for_is_named() -> None:
    sheet, cluster = played(probe="asks all\nsees nvidia0 nvidia1\n")
    assert ("no GPUs unasked", "h100", "failed") in failed(sheet)
    (bare,) = [run for run in cluster.__dict__["played"] if "sees" in str(run.objects) and "asks" in str(run.objects)]
    spec = bare.objects[-1]["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == POOL.selector
    assert "nvidia.com/gpu" not in str(spec["containers"][0]["resources"])


def test_a_planted_bad_node_is_named_and_takes_no_part_in_what_follows() -> None:
    sheet, _ = played(bad=frozenset({"h100-5"}))
    assert failed(sheet) == [("fabric", "h100-5", "failed")]
    (case,) = [case for case in sheet.cases if case.status == "failed"]
    assert "NCCL uses 7 HCAs" in case.text


def test_a_planted_bad_link_is_named_by_its_ends() -> None:
    pair = frozenset({"h100-0", "h100-1"})
    sheet, cluster = played(links=[pair])
    met = [hosts(run) for run in cluster.__dict__["played"] if "affinity" in str(run.objects[-1])]
    wanted = [("link", "h100-0 – h100-1", "failed")] if pair in met else []
    assert failed(sheet) == wanted
    assert wanted


def test_where_no_two_nodes_pass_the_fabric_fails_and_no_node_is_called_bad() -> None:
    sheet, _ = played(bad=frozenset(node["metadata"]["name"] for node in nodes()))
    assert ("fabric", "all pairs of nodes", "failed") in failed(sheet)
    assert {status for _, subject, status in failed(sheet) if subject.startswith("h100")} == {"unknown"}


def test_a_node_that_fails_by_itself_meets_nobody() -> None:
    sheet, cluster = played(alone={"h100-2": Ended(False, node_log(gpus=["Failed to initialize NVML"]))})
    assert ("GPUs", "h100-2", "failed") in failed(sheet)
    assert not any("h100-2" in hosts(run) for run in cluster.__dict__["played"][8:] if "affinity" in str(run.objects))


@pytest.mark.parametrize(
    ("ended", "check"),
    [(Ended(None, ""), "GPUs"), (Ended(True, node_log()), "NVLink"), (Ended(True, ""), "GPUs")],
)
def test_a_job_that_never_started_or_whose_log_breaks_off_is_unknown_and_no_pass(ended: Ended, check: str) -> None:
    sheet, _ = played("quick", alone={"h100-1": ended})
    assert (check, "h100-1", "unknown") in failed(sheet)
    assert Outcome(STACK, "quick", tuple(sheet.cases)).exit_status == 3


def test_a_node_without_its_devices_gets_no_job() -> None:
    poor = nodes()
    poor[3]["status"]["allocatable"] = poor[3]["status"]["allocatable"] | {"nvidia.com/gpu": "7"}
    sheet, cluster = played("quick", nodes=poor)
    assert [case.text for case in sheet.cases if case.status == "failed"] == ["has 7 of 8 nvidia.com/gpu"]
    assert len(cluster.__dict__["played"]) == 7


def test_one_node_with_another_driver_than_the_others_is_named() -> None:
    odd = node_log(
        gpus=[f"{n}, NVIDIA H100 80GB HBM3, 570.1, Enabled, 0" for n in range(8)],
        module=["NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.1  Release Build"],
    )
    sheet, _ = played("quick", alone={"h100-4": Ended(True, odd + SOUND)})
    (case,) = [case for case in sheet.cases if case.status == "failed"]
    assert (case.subject, case.text[:7]) == ("all nodes", "h100-4:")


def test_a_team_without_quota_for_two_nodes_leaves_the_fabric_unchecked_and_says_so() -> None:
    facts = known("lab")
    desk = replace(DESK, facts=facts, section=VerificationSection(team="platform", image="x:1"))
    sheet = verify(Task(desk, facts.gpu_pools, "full"), Planted(), [])
    assert any("fewer than two nodes" in text for text in sheet.not_checked)


@pytest.mark.parametrize(
    "stack", ["onprem-h100-roce", "onprem-h100-ib", "eks-p5", "gke-a3-mega", "inference-l40s", "lab"]
)
def test_no_job_of_a_verification_breaks_a_mandatory_policy(stack: str) -> None:
    facts = known(stack)
    team = next(team.name for team in facts.teams)
    desk = replace(DESK, facts=facts, section=VerificationSection(team=team, image="example.com/pytorch:1.0"))
    whole = [pool for pool in facts.gpu_pools if not pool.sliced]
    runs = [desk.on_node(pool, "gpu-0") for pool in whole]
    runs += [desk.between(pool, ["gpu-0", "gpu-1"]) for pool in whole if pool.nics]
    objects = [from_manifest(one, "verify") for run in runs for one in run.objects]
    found = judge(objects, Facts.from_mapping(policy_facts(profile(stack))), complete=False)
    assert [verdict.message for verdict in found if verdict.severity == "mandatory"] == []


def test_jobs_have_the_lowest_priority_and_the_teams_queue_and_run_once() -> None:
    job = DESK.between(POOL, ["h100-0", "h100-1"]).objects[-1]
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "default"
    assert job["spec"]["template"]["spec"]["priorityClassName"] == "best-effort"
    assert job["spec"]["backoffLimit"] == 0


@pytest.mark.parametrize(
    ("kind", "exposure", "said"),
    [
        ("roce", "shared", ""),
        ("roce", "sriov", "RDMA links of pool h100: exposure sriov: a pod sees the virtual functions"),
        ("infiniband", "exclusive", "RDMA links of pool h100: exposure exclusive: a device is in the pod"),
        ("roce", "host-device", "RDMA links of pool h100: exposure host-device: a device is in the pod"),
        ("efa", "none", "RDMA links of pool h100: efa has no ports that a pod can read"),
    ],
)
def test_rdma_links_that_no_check_can_see_are_said_not_to_be_checked(kind: str, exposure: str, said: str) -> None:
    facts = replace(FACTS, fabric=replace(FACTS.fabric, kind=kind, exposure=exposure))
    task = Task(replace(DESK, facts=facts), (POOL,), "quick")
    sheet = verify(task, Planted(), nodes())
    links = [text for text in sheet.not_checked if text.startswith("RDMA links")]
    assert len(links) == bool(said)
    assert "".join(links).startswith(said)
    assert bool([case for case in sheet.cases if case.check == "links"]) == (not said)
    assert bool(list(unseen_links(facts, replace(POOL, nics=0)))) is False


@pytest.mark.parametrize(
    ("egress", "asked"),
    [
        ((), ("10.1.0.7:10250", "[fd00::7]:10250", "169.254.169.254:80")),
        (("0.0.0.0/0",), ("10.1.0.7:10250", "[fd00::7]:10250", "169.254.169.254:80")),
        (("10.1.0.7/32",), ("[fd00::7]:10250", "169.254.169.254:80")),
    ],
)
def test_what_a_team_must_not_reach_is_called_and_not_what_its_egress_opens(
    egress: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    told = [{"type": "InternalIP", "address": one} for one in ("10.1.0.7", "fd00::7")]
    node = {"status": {"addresses": [*told, {"type": "Hostname", "address": "h100-0"}]}}
    desk = replace(DESK, facts=replace(FACTS, cluster_networks=(ip_network("10.1.0.0/16"),)))
    run = borders(desk, POOL, [node], [ip_network(one) for one in egress])
    (container,) = run.objects[0]["spec"]["template"]["spec"]["containers"]
    assert tuple(container["command"][-len(asked) :]) == asked
    assert container["command"][-len(asked) - 1] == "60"
