"""`bedplate doctor`: every drift is found and named, and a settled cluster has none."""

import json
import re
import ssl
import time
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import grpc
import pytest

from bedplate.cli import main
from bedplate.cluster.errors import ClusterError
from bedplate.live import doctor
from bedplate.live.checks.agents import missing_pods
from bedplate.live.checks.certificate import ends, not_after
from bedplate.live.desired import Desired
from bedplate.live.examine import examine, listed_kinds, observe
from bedplate.live.finding import SUBJECTS, WORDS, Finding
from bedplate.live.kinds import CLUSTER_QUEUE, DAEMON_SET, DEPLOYMENT, NODE, SERVICE, SERVICE_ACCOUNT, Kind
from bedplate.live.reading import Observed, UnreachableError, look
from bedplate.live.show import show, summary
from bedplate.live.subset import differences, same
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.live_cluster import FakeCluster, settled
from tests.rooms import ROOT
from tests.stack_files import STACKS, document, graph, graph_of, profile
from tests.unit.live.plants import GUIDE, Plant, contract
from tests.unit.test_docs import anchors


@cache
def made(stack: str) -> tuple[Desired, FakeCluster]:
    return settled(graph(stack), profile(stack))


def findings(desired: Desired, cluster: FakeCluster) -> list[Finding]:
    return examine(desired, observe(desired, cluster.get))


@pytest.mark.parametrize("stack", STACKS)
def test_a_settled_cluster_has_no_finding(stack: str) -> None:
    assert findings(*made(stack)) == []


@pytest.mark.parametrize("plant", GUIDE, ids=lambda one: one.name)
def test_a_planted_drift_is_found_and_named(plant: Plant) -> None:
    desired, cluster = made(plant.stack)
    broken = cluster.copy()
    plant.change(broken)
    found = findings(desired, broken)
    assert [one for one in found if plant.where in one.where and plant.what in one.what], found
    assert all(one.why and one.page for one in found)


def test_sixty_drifts_and_more_are_planted_and_none_drowns_in_others() -> None:
    assert len({plant.name for plant in GUIDE}) == len(GUIDE) >= 60


def test_every_subject_has_a_title_and_a_page_that_is_there() -> None:
    for title, page in SUBJECTS.values():
        assert title
        path, _, anchor = page.partition("#")
        assert (ROOT / path).exists()
        assert not anchor or anchor in anchors(ROOT / path), page


def test_every_kind_of_finding_is_reported_somewhere() -> None:
    kinds = {f"{check}.{kind}" for check, rows in WORDS.items() for kind, row in rows.items() if isinstance(row, dict)}
    code = "".join(path.read_text() for path in (ROOT / "bedplate/live/checks").glob("*.py"))
    assert kinds == {kind for kind in re.findall(r'"([a-z]+\.[a-z-]+)"', code) if kind.partition(".")[0] in WORDS}


@pytest.mark.parametrize("stack", STACKS)
def test_no_secret_is_read(stack: str) -> None:
    desired, _ = made(stack)
    assert Kind("v1", "Secret") not in listed_kinds(desired)


def test_a_look_at_a_thousand_nodes_takes_less_than_ten_seconds_of_a_processor() -> None:
    stated = document("inference-l40s")
    stated["pools"] = [
        {**pool, "nodes": 1000} if pool["name"] == "l40s" else pool
        for pool in stated["pools"]
        if "autoscale" not in pool
    ]
    desired, cluster = settled(graph_of(stated), load(stated))
    assert len(cluster.objects[NODE]) > 1000
    begun = time.process_time()
    assert findings(desired, cluster) == []
    assert time.process_time() - begun < 10


def test_a_service_account_that_the_site_should_have_is_looked_up_in_its_namespace() -> None:
    stated = document("onprem-h100-roce")
    stated["storage"]["volumes"][0]["serviceAccount"] = "uploader"
    homes = [one.namespace for one in facts(load(stated)).existing if one.kind == "ServiceAccount"]
    desired, cluster = settled(graph_of(stated), load(stated))
    assert homes
    stored = lambda: [one for one in findings(desired, cluster) if one.check == "storage"]  # noqa: E731
    assert stored() == []
    cluster.remove(SERVICE_ACCOUNT, "uploader", homes[0])
    (finding,) = stored()
    assert finding.where == f"ServiceAccount {homes[0]}/uploader"
    assert finding.what == "is not there, as storage.volumes[0].serviceAccount says"


def test_what_may_not_be_listed_is_said_and_not_called_missing() -> None:
    desired, cluster = made("lab")
    shy = cluster.copy()
    shy.forbidden |= {NODE, SERVICE, CLUSTER_QUEUE}
    observed = observe(desired, shy.get)
    assert set(observed.hidden) == {NODE, SERVICE, CLUSTER_QUEUE}
    assert examine(desired, observed) == []


def test_a_cluster_that_does_not_answer_is_not_judged() -> None:
    def get(path: str) -> str:
        raise ClusterError("kubectl get --raw: \nUnable to connect to the server: dial tcp: i/o timeout")

    with pytest.raises(UnreachableError, match="i/o timeout"):
        observe(made("lab")[0], get)


def listed_pods(desired: Desired, cluster: FakeCluster) -> list[str]:
    cluster.asked.clear()
    observe(desired, cluster.get)
    return [path.split("/")[4] for path in cluster.asked if path.endswith("/pods")]


def test_pods_are_listed_only_of_teams_with_a_queue_and_where_some_are_missing() -> None:
    desired, cluster = made("onprem-h100-roce")
    whole = cluster.copy()
    assert listed_pods(desired, whole) == ["research", "serving"]
    for name, home in (("keda", "keda"), ("llama-70b", "serving")):
        whole.one(Kind("apps/v1", "Deployment"), name, home)["status"]["availableReplicas"] = 0
    assert listed_pods(desired, whole) == ["research", "serving", "keda"]
    without, there = made("inference-l40s")
    assert listed_pods(without, there.copy()) == []


def test_each_kind_is_listed_once() -> None:
    desired, cluster = made("onprem-h100-ib")
    fresh = cluster.copy()
    observe(desired, fresh.get)
    lists = [path for path in fresh.asked if len(path.split("/")) > (4 if path.startswith("/apis/") else 3)]
    assert len(lists) > 40
    assert len(lists) == len(set(lists))


@pytest.mark.parametrize(
    ("ours", "live"),
    [
        ({"a": "8192Gi"}, {"a": "8Ti", "b": 1}),
        ({"a": "1000m"}, {"a": 1}),
        ({"a": False, "b": "", "c": [], "d": {"e": None}}, {}),
        ({"a": [{"name": "x", "v": 1}, {"name": "y"}]}, {"a": [{"name": "y", "w": 2}, {"name": "x", "v": 1}]}),
        ({"a": "[secret]"}, {"a": "anything"}),
        ({"a": "x [unknown]"}, {"a": "anything"}),
    ],
)
def test_what_the_api_server_writes_in_another_way_is_the_same(ours: object, live: object) -> None:
    assert list(differences(ours, live)) == []


@pytest.mark.parametrize(
    ("ours", "live", "said"),
    [
        ({"a": 1}, {}, "a is not set, the profile implies 1"),
        ({"a": {"b": "x"}}, {"a": {"b": "y"}}, "a.b is y, the profile implies x"),
        ({"a": [1, 2]}, {"a": [1]}, "a is [1], the profile implies [1, 2]"),
        (
            {"a": [{"name": "x"}]},
            {"a": [{"name": "x"}, {"name": "z"}]},
            "a[z] is there, the profile implies no such entry",
        ),
        (
            {"a": [{"name": "x", "v": 1}]},
            {"a": [{"name": "y"}]},
            "a[x] is not set, the profile implies {'name': 'x', 'v': 1}",
        ),
        (
            {"automountServiceAccountToken": False},
            {},
            "automountServiceAccountToken is not set, the profile implies False",
        ),
        ({"a": {"b": 1}}, {"a": "text"}, "a is text, the profile implies {'b': 1}"),
        ({"a": True}, {"a": 1.5}, "a is 1.5, the profile implies True"),
    ],
)
def test_another_value_is_named_with_its_path(ours: object, live: object, said: str) -> None:
    assert str(next(differences(ours, live))) == said


def test_text_that_is_no_amount_is_compared_as_text() -> None:
    assert not same("a", "b")
    assert not same("1", True)
    assert not same(None, "1")


def test_a_stale_contract_says_how_many_keys_differ() -> None:
    desired, cluster = made("onprem-h100-roce")
    one, two = cluster.copy(), cluster.copy()
    contract("fabric", "infiniband")(one)
    contract("fabric", "infiniband")(two)
    contract("priorityClass", "another")(two)
    assert [found.what.endswith(" more") for found in findings(desired, one)] == [False]
    assert [found.what.endswith(" and 1 more") for found in findings(desired, two)] == [True]


def test_findings_and_what_was_not_seen_are_counted() -> None:
    assert summary("lab", 0, 0) == "lab: settled: the cluster is as its profile says"
    assert summary("lab", 0, 2) == "lab: no finding; 2 kinds could not be looked at"
    assert summary("lab", 1, 0) == "lab: 1 finding"
    assert summary("lab", 2, 1) == "lab: 2 findings; 1 kinds could not be looked at"


def test_certificates_are_read_as_openssl_reads_them() -> None:
    roots = next(Path(grpc.__file__).parent.rglob("roots.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(roots)
    told = {
        datetime.fromtimestamp(ssl.cert_time_to_seconds(str(one["notAfter"])), UTC) for one in context.get_ca_certs()
    }
    read = {not_after(der) for der in context.get_ca_certs(binary_form=True)}
    assert read == told
    assert len(read) > 50


@pytest.mark.parametrize("bundle", ["", "no base64!", "AAAA", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t"])
def test_what_is_no_certificate_has_no_end(bundle: str) -> None:
    assert ends(bundle) is None


def test_findings_fit_80_columns_and_name_their_page(capsys: pytest.CaptureFixture[str]) -> None:
    desired, cluster = made("onprem-h100-roce")
    broken = cluster.copy()
    for plant in GUIDE:
        if plant.name in ("a node has lost a GPU", "a webhook's certificate ended", "the contract is stale"):
            plant.change(broken)
    show("onprem-h100-roce", findings(desired, broken), {"Node v1": "you may not list them"})
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "docs/workload-contract.md" in out
    assert out.splitlines()[-1] == "onprem-h100-roce: 3 findings; 1 kinds could not be looked at"


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCluster:
    """A cluster that the command reaches by the lab's context."""
    cluster = made("lab")[1].copy()
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text("{contexts: [{name: kwok-bedplate-lab}], current-context: kwok-bedplate-lab}")
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    monkeypatch.setattr("bedplate.live.reading.fetched", lambda context, path, **_: _answer(cluster, context, path))
    return cluster


def _answer(cluster: FakeCluster, context: str, path: str) -> str:
    assert context == "kwok-bedplate-lab"
    return cluster.get(path)


def test_a_settled_cluster_ends_with_0(answered: FakeCluster, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "lab"]) == doctor.SETTLED
    assert capsys.readouterr().out == "lab: settled: the cluster is as its profile says\n"


def test_findings_end_with_1_and_machines_get_all_of_them(
    answered: FakeCluster, capsys: pytest.CaptureFixture[str]
) -> None:
    answered.remove(NODE, "h100-1")
    assert main(["doctor", "lab", "--json"]) == doctor.FINDINGS
    said = json.loads(capsys.readouterr().out)
    (one,) = said["findings"]
    assert set(one) == {"check", "where", "what", "why", "page"}
    assert one["where"] == "pool h100"
    assert said["unseen"] == {}


def test_what_cannot_be_looked_at_ends_with_2(answered: FakeCluster, capsys: pytest.CaptureFixture[str]) -> None:
    answered.forbidden.add(SERVICE)
    assert main(["doctor", "lab"]) == doctor.UNKNOWN
    assert "not seen: Service v1: you may not list them" in capsys.readouterr().out


def test_a_cluster_that_the_profile_does_not_name_is_never_touched(
    answered: FakeCluster, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "kubeconfig").write_text("{contexts: [{name: kwok-bedplate-lab}, {name: prod}], current-context: prod}")
    answered.asked.clear()
    assert main(["doctor", "lab"]) == doctor.UNKNOWN
    assert "the kubeconfig's current context is prod" in capsys.readouterr().err
    assert answered.asked == []


def test_a_misspelt_stack_is_one_line_and_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "labb"]) == doctor.UNKNOWN
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_an_empty_list_is_no_fault() -> None:
    answers = {"/api/v1": '{"resources": [{"kind": "Node", "name": "nodes"}]}'}
    assert look(lambda path: answers.get(path, '{"items": null}'), [NODE]).objects == {NODE: []}
    assert Observed().find(NODE, "x") is None


@pytest.mark.parametrize(
    ("kind", "obj", "fault"),
    [
        (DEPLOYMENT, {"metadata": {"generation": 1}}, "its last change has not been seen by its controller"),
        (DEPLOYMENT, {"metadata": {}}, "0 of 1 pods are available"),
        (DEPLOYMENT, {"metadata": {}, "status": {"availableReplicas": 1}}, None),
        (DEPLOYMENT, {"metadata": {}, "spec": {"replicas": 0}}, None),
        (DAEMON_SET, {"metadata": {}, "status": {"desiredNumberScheduled": 1}}, "0 of 1 pods are available"),
        (DAEMON_SET, {"metadata": {}}, None),
    ],
)
def test_what_a_status_leaves_out_counts_as_the_api_server_means_it(
    kind: Kind, obj: dict[str, Any], fault: str
) -> None:
    assert missing_pods(kind, obj) == fault
