"""On a real API server: a settled cluster has no finding, drift has, and a role that may only list describes it."""

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from bedplate.cli import main
from bedplate.cluster.errors import ClusterError
from bedplate.evidence.envelope import opened
from bedplate.lab.cluster import Cluster
from bedplate.lab.watch import established
from bedplate.live.desired import desired
from bedplate.live.discover.draft import LISTED, draft
from bedplate.live.examine import examine, listed_kinds, observe
from bedplate.live.kinds import NODE
from bedplate.live.reading import Observed, look, version
from bedplate.stacks.load import load
from tests.cluster.definitions import definitions
from tests.cluster.settled import STACK, bring_up, findings, getter
from tests.rooms import ROOT
from tests.stack_files import document, graph, known, profile

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
DIGEST = f"sha256:{'a' * 64}"
RUNS: dict[str, Any] = {"ready": True, "restartCount": 0, "state": {"running": {}}}


@pytest.fixture(scope="module")
def own(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster with everything of the lab's stack, by its objects and a workload for each release."""
    one = Cluster(f"{cluster.name}-live", cluster.binaries)
    one.start()
    try:
        plan = desired(graph(STACK), known(STACK))
        needed = {(kind.group, kind.kind) for kind in (*listed_kinds(plan), *LISTED)}
        brought = [crd for crd in definitions() if (crd["spec"]["group"], crd["spec"]["names"]["kind"]) in needed]
        one.create(brought)
        established(one, (definition["metadata"]["name"] for definition in brought), seconds=180)
        bring_up(one, plan)
        yield one
    finally:
        one.stop()


def test_a_settled_cluster_has_no_finding_whatever_the_type_check_says_of_guards(own: Cluster) -> None:
    guards = "validatingadmissionpolicies"
    own.kubectl("wait", guards, "--all", "--for=jsonpath={.status.observedGeneration}=1", "--timeout=60s")
    assert "undefined field 'runPolicy'" in own.kubectl("get", guards, "bedplate-team-suspend", "-o", "json")
    deadline = time.monotonic() + 60
    while (found := findings(own)) and time.monotonic() < deadline:
        own.kubectl("wait", "localqueue", "--all", "-A", "--for=condition=Active", "--timeout=20s")
    assert found == []


def stated(own: Cluster, folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str, Path]:
    """What `bedplate evidence` says of the cluster, and its file."""
    key, out, file = folder / "a.key", folder / "e.json", folder / "site.yaml"
    key.write_bytes(KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    file.write_text(yaml.safe_dump(document(STACK) | {"context": own.context}))
    status = main(["evidence", str(file), "--key", str(key), "--out", str(out), "--cluster", *more])
    return status, capsys.readouterr().out, out


def test_a_statement_says_what_the_cluster_shows_and_what_it_does_not_and_verifies_without_it(
    own: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(own.kubeconfig))
    monkeypatch.setenv("PATH", f"{own.binaries['kubectl'].parent}:{os.environ['PATH']}")
    (ours, *_), home = own.kubectl("get", "pods", "-n", "kueue-system", "-o", "name").split(), ("-n", "kueue-system")
    pulled = [{"name": "manager", "image": "registry.k8s.io/kueue/kueue:v1", "imageID": f"x@{DIGEST}", **RUNS}]
    patch = json.dumps({"status": {"containerStatuses": pulled}})
    own.kubectl("patch", ours, *home, "--subresource=status", "--type=merge", "-p", patch)
    status, said, out = stated(own, tmp_path, capsys)
    predicate = opened(out.read_bytes(), KEY.public_key())["predicate"]
    observed = predicate["deployed"]["cluster"]
    assert (status, predicate["result"], predicate["faults"]["cluster"]) == (3, "unknown", 0)
    assert observed["version"] == version(getter(own))
    assert observed["findings"] == []
    assert observed["objects"] > 50
    assert observed["images"] == {"registry.k8s.io/kueue/kueue:v1": DIGEST}
    assert "what the engine deployed: no state was given" in " ".join(said.split())
    untold = [one for one in predicate["notChecked"] if one.endswith("its node tells no digest")]
    assert untold, "simulated nodes pull nothing"

    own.kubectl("cordon", "h100-1")
    own.kubectl("delete", ours, *home, "--wait=false")
    try:
        status, _, out = stated(own, tmp_path, capsys)
    finally:
        own.kubectl("uncordon", "h100-1")
    found = opened(out.read_bytes(), KEY.public_key())["predicate"]
    assert (status, found["result"]) == (1, "failed")
    assert any(
        one["where"] == "h100-1" or "h100-1" in json.dumps(one) for one in found["deployed"]["cluster"]["findings"]
    )

    public, file = tmp_path / "a.pub", out.read_bytes()
    public.write_bytes(KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(tmp_path))
    words = ["evidence", "verify", str(out), "--key", str(public)]
    assert main(words) == 0
    for place in range(0, len(file), max(1, len(file) // 500)):
        out.write_bytes(bytes([*file[:place], file[place] ^ 1, *file[place + 1 :]]))
        assert main(words) != 0, f"byte {place} was changed, and it verifies"


def test_a_statement_of_a_cluster_that_may_not_be_listed_says_so_and_is_no_pass(
    own: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = yaml.safe_load(own.kubeconfig.read_text())
    for user in config["users"]:
        user["user"] |= {"as": "nobody-in-particular"}
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(config))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.setenv("PATH", f"{own.binaries['kubectl'].parent}:{os.environ['PATH']}")
    status, said, out = stated(own, tmp_path, capsys)
    predicate = opened(out.read_bytes(), KEY.public_key())["predicate"]
    assert (status, predicate["result"]) == (3, "unknown")
    hidden = [one for one in predicate["notChecked"] if "Node" in one or "Pod" in one]
    assert hidden, said


@pytest.mark.parametrize(
    ("words", "undo", "where", "what"),
    [
        (("cordon", "h100-1"), ("uncordon", "h100-1"), "h100-1", "is cordoned"),
        (
            ("patch", "clusterqueue", "research", "--type=merge", "-p", '{"spec":{"stopPolicy":"Hold"}}'),
            ("patch", "clusterqueue", "research", "--type=merge", "-p", '{"spec":{"stopPolicy":"None"}}'),
            "ClusterQueue research",
            "stopPolicy: Hold",
        ),
        (
            ("label", "ns", "research", "pod-security.kubernetes.io/enforce=baseline", "--overwrite"),
            ("label", "ns", "research", "pod-security.kubernetes.io/enforce=privileged", "--overwrite"),
            "Namespace research",
            "enforce is baseline",
        ),
        (
            ("patch", "priorityclass", "training", "-p", '{"metadata":{"labels":{"x":"y"}}}'),
            ("label", "priorityclass", "training", "x-"),
            "",
            "",
        ),
    ],
)
def test_drift_is_found_on_a_real_api_server_and_what_is_not_ours_is_not(
    own: Cluster, words: tuple[str, ...], undo: tuple[str, ...], where: str, what: str
) -> None:
    own.kubectl(*words)
    found = findings(own)
    own.kubectl(*undo)
    assert [where in one.where and what in one.what for one in found] == ([True] if where else [])


def test_a_role_that_may_only_list_is_enough_to_describe_a_cluster(own: Cluster) -> None:
    page = (ROOT / "docs" / "from-cluster.md").read_text()
    role = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[0])
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role["metadata"]["name"]}
    head = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "describe"},
    }
    subject = {"kind": "User", "name": "ada", "apiGroup": "rbac.authorization.k8s.io"}
    own.apply([role, {**head, "subjects": [subject], "roleRef": reference}])
    get = getter(own, "--as=ada")
    observed = Observed(version=version(get)).with_more(look(get, LISTED))
    assert observed.hidden == {}
    found = draft(observed, STACK, profile(STACK).context)
    assert [pool["shape"] for pool in found.profile["pools"]] == [{"cpus": 8, "memoryGib": 32}, "dgx-h100"]
    assert found.profile["fabric"]["rails"] == list(profile(STACK).fabric.rails)  # type: ignore[union-attr]
    assert load(found.profile).scheduling is not None
    with pytest.raises(ClusterError, match="Forbidden"):
        get("/api/v1/secrets")


def test_a_thousand_nodes_are_looked_at(own: Cluster) -> None:
    model = json.loads(own.kubectl("get", "node", "h100-0", "-o", "json"))
    own.create([spare(index, model) for index in range(1000)])
    plan = desired(graph(STACK), known(STACK))
    observed = observe(plan, getter(own))
    found = examine(plan, observed)
    assert len(observed.of(NODE)) > 1000
    assert any("the profile says 2" in one.what for one in found)


def spare(index: int, model: Mapping[str, Any]) -> dict[str, Any]:
    """A node like another, and with a taint that keeps agents away: thousands of pods would be the scheduler's test."""
    name = f"spare-{index}"
    metadata = {"name": name, "labels": {**model["metadata"]["labels"], "kubernetes.io/hostname": name}}
    spec = {"taints": [{"key": "spare", "effect": "NoSchedule"}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": model["status"]}
