"""Alerts exist only where they can fire, say what to do, and know the cluster's own numbers."""

import re
from dataclasses import replace

import pytest

from bedplate.components.facts import Args, Facts, Monitoring
from bedplate.components.facts.queues import Scheduler, added
from bedplate.components.observability.alert_rules import prometheus_rule
from bedplate.components.observability.alerts.alert import Alert
from bedplate.components.observability.alerts.fabric import hcas
from bedplate.components.observability.alerts.groups import every_group, groups
from bedplate.components.observability.alerts.ledger import COUNTED, HELD, ledger
from bedplate.components.observability.alerts.nodes import spelt
from bedplate.components.observability.texts import document
from bedplate.components.scheduling.kueue import KueueSection, configuration
from tests.alert_series import CASES, rules
from tests.promql import metrics, selectors
from tests.stack_files import STACKS, known

ROCE = "onprem-h100-roce"
EVERYTHING = frozenset(
    [
        "dcgm",
        "efa",
        "gpu-operator",
        "kube-apiserver",
        "kube-state-metrics",
        "kubelet",
        "kueue",
        "node-exporter",
        "operator-states",
        "triton",
        "vllm",
        "volcano",
    ]
)


def scraping(stack: str, *exporters: str, **labels: str) -> Facts:
    monitoring = Monitoring("monitoring", "http://prometheus:9090", frozenset(exporters), labels)
    return replace(known(stack), monitoring=monitoring)


def alerts(facts: Facts) -> dict[str, Alert]:
    return {alert.name: alert for group in groups(facts) for alert in group.alerts}


def xids(asks: str) -> list[int]:
    """The Xid events that ask for this, as `alerts/gpu.yaml` classifies them."""
    return [int(number) for number in document("alerts/gpu")["texts"][asks].split("|")]


def test_each_xid_is_in_one_class() -> None:
    every = [xid for asks in ("isolate", "reboot", "reset", "application", "harmless") for xid in xids(asks)]
    assert len(every) == len(set(every)) > 60


def test_the_xids_that_everybody_meets_are_in_the_class_of_nvidias_catalog() -> None:
    assert {79} <= set(xids("reboot"))
    assert {48, 64, 74, 95, 119, *range(144, 151)} <= set(xids("reset"))
    assert {13, 31, 43, 94} <= set(xids("application"))
    assert {63, 92} <= set(xids("harmless"))


def test_a_group_is_there_exactly_if_all_its_exporters_are() -> None:
    assert list(groups(scraping(ROCE))) == []
    assert {group.name for group in groups(scraping(ROCE, "dcgm"))} == {"gpu"}
    assert {group.name for group in groups(scraping(ROCE, "dcgm", "kube-state-metrics"))} == {
        "gpu",
        "nodes",
        "exporters",
        "health",
    }
    facts = scraping(ROCE, *EVERYTHING)
    assert list(groups(facts)) == list(every_group(facts))


def test_a_cluster_without_monitoring_has_no_alerts() -> None:
    assert list(groups(replace(known(ROCE), monitoring=None))) == []


@pytest.mark.parametrize("stack", STACKS)
def test_names_are_unique_and_each_says_what_is_wrong_and_what_to_do(stack: str) -> None:
    every = [alert for group in every_group(known(stack)) for alert in group.alerts]
    assert len({alert.name for alert in every}) == len(every)
    for alert in every:
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]+", alert.name)
        assert alert.summary, alert.name
        assert alert.what_to_do.endswith("."), alert.name
        assert re.fullmatch(r"[0-9]+[mh]", alert.hold), alert.name
        assert alert.action == "monitor" or alert.severity != "info", alert.name


@pytest.mark.parametrize("stack", STACKS)
def test_templates_name_only_what_the_expression_leaves(stack: str) -> None:
    """A sum by some labels has no others."""
    for group in every_group(known(stack)):
        for alert in group.alerts:
            kept = re.match(r"(?:sum|min|max|avg) by \(([^)]*)\)", alert.expr)
            if kept:
                named = set(re.findall(r"\$labels\.(\w+)", alert.summary + alert.what_to_do))
                assert named <= set(re.split(r", ?", kept[1])), alert.name


def test_gpu_counts_are_those_of_the_profile() -> None:
    found = alerts(scraping(ROCE, "kube-state-metrics"))
    assert found["ClusterGpuCountShort"].expr.endswith("< 64")
    assert found["NodeGpuCountShort"].expr.endswith(
        'unless (kube_node_status_capacity{resource="nvidia_com_gpu"} == 8)'
    )


def test_slices_and_shared_gpus_are_counted_under_their_own_names() -> None:
    found = alerts(scraping("inference-l40s", "kube-state-metrics"))
    expressions = " ".join(alert.expr for alert in found.values())
    assert 'sum(kube_node_status_allocatable{resource="nvidia_com_gpu"}) or vector(0)) < 32' in expressions
    assert 'resource="nvidia_com_mig_1g_10gb"}) or vector(0)) < 112' in expressions
    assert 'resource="nvidia_com_gpu_shared"}) or vector(0)) < 16' in expressions


def test_only_the_hcas_that_carry_jobs_are_watched_where_the_profile_names_them() -> None:
    facts = known(ROCE)
    assert hcas(facts).startswith("mlx5_0|mlx5_3|")
    assert hcas(replace(facts, fabric=replace(facts.fabric, env={}))) == "mlx5_.+"
    watched = alerts(scraping(ROCE, "node-exporter"))["RdmaPortDown"].expr
    (selector,) = selectors(watched)
    assert selector.matchers.matchers[0].value == hcas(facts)


def test_a_slow_port_is_one_below_the_line_rate_of_the_pool() -> None:
    slow = alerts(scraping(ROCE, "node-exporter"))["RdmaLinkSlow"]
    assert slow.expr.endswith("< 50000000000")
    assert "400 Gb/s" in slow.summary


def test_only_roce_can_lose_packets_and_only_rdma_has_ports() -> None:
    assert "RoceLosesPackets" in alerts(scraping(ROCE, "node-exporter"))
    assert "RoceLosesPackets" not in alerts(scraping("onprem-h100-ib", "node-exporter"))
    assert alerts(scraping("eks-p5", "node-exporter")) == {}


def test_fewer_devices_than_the_machine_has_are_noticed_where_a_clouds_plugin_hands_them_out() -> None:
    """The one sign that TCPXO has, and the one of EFA that needs no exporter of its own."""
    short = {stack: alerts(scraping(stack, "kube-state-metrics")).get("NodeFabricDevicesShort") for stack in STACKS}
    assert {stack for stack, alert in short.items() if alert} == {"eks-p5", "gke-a3-mega"}
    efa, tcpxo = short["eks-p5"], short["gke-a3-mega"]
    assert efa
    assert 'kube_node_status_allocatable{resource="vpc_amazonaws_com_efa"} == 32' in efa.expr
    assert tcpxo
    assert tcpxo.expr.count("networking_gke_io_networks_") == 2 * 8


def test_the_port_of_an_efa_device_is_not_asked_for_a_state_that_its_driver_makes_up() -> None:
    assert "RdmaPortDown" not in alerts(scraping("eks-p5", *EVERYTHING))
    assert "EfaRemoteUnresponsive" in alerts(scraping("eks-p5", *EVERYTHING))


def test_only_volumes_whose_driver_measures_them_are_said_to_fill() -> None:
    """HPE's driver answers NodeGetVolumeStats, that of FSx does not."""
    filling = alerts(known(ROCE))["SharedVolumeFilling"].expr
    assert filling.count('persistentvolumeclaim=~"datasets|checkpoints|models"') == 2
    assert known("eks-p5").volumes
    assert "SharedVolumeFilling" not in alerts(known("eks-p5"))
    (elsewhere,) = set(known(ROCE).volumes) - {"datasets", "checkpoints", "models"}
    assert elsewhere not in filling, "its class is another driver's"


def test_the_rule_carries_the_labels_that_the_site_selects_by() -> None:
    facts = scraping(ROCE, "dcgm", release="site")
    assert facts.monitoring is not None
    rule = prometheus_rule(next(iter(groups(facts))), facts.monitoring)
    assert rule["metadata"]["labels"]["release"] == "site"
    assert rule["metadata"]["namespace"] == "monitoring"


def test_events_that_last_one_scrape_go_on_firing() -> None:
    found = alerts(scraping(ROCE, "dcgm"))
    assert found["GpuXidReboot"].rule()["keep_firing_for"] == "1h"
    assert "keep_firing_for" not in found["GpuRowRemapFailure"].rule()


def test_every_alert_has_series_that_fire_it_and_series_that_do_not() -> None:
    every = {alert.name: (alert, group) for group in rules() for alert in group.alerts}
    assert set(CASES) == set(every)
    for name, case in CASES.items():
        given = {re.split(r"[{ ]", series)[0] for series in case.fires}
        alert, group = every[name]
        asked = {one for rule in (alert, *group.records) for one in metrics(rule.expr)}
        assert given & asked, name


@pytest.mark.parametrize("stack", ["onprem-h100-roce", "onprem-h100-ib", "eks-p5", "gke-a3-mega"])
def test_of_every_resource_of_a_quota_what_is_held_is_kept_beside_what_is_counted(stack: str) -> None:
    facts = known(stack)
    (group,) = ledger(facts)
    counted = {record.labels["resource"] for record in group.records if record.name == COUNTED}
    assert counted == {spelt(name) for name in added(facts.capacity.values())}
    (held,) = (record for record in group.records if record.name == HELD)
    asked = {one.value for vector in selectors(held.expr) for one in vector.matchers.matchers if one.name == "resource"}
    assert {name for one in asked for name in one.split("|")} == counted
    assert group.exporters == {"kube-state-metrics", facts.scheduler.kind}


def test_nothing_is_held_against_a_queue_where_there_is_none_or_it_says_no_amounts() -> None:
    assert ledger(known("inference-l40s")) == ()
    assert ledger(replace(known(ROCE), scheduler=Scheduler("kai"))) == ()


def test_who_ends_has_the_profiles_grace_before_anybody_is_told() -> None:
    holds = {
        known_: next(iter(ledger(replace(known(ROCE), longest_grace=known_)))).alerts[0].hold for known_ in (60, 3601)
    }
    assert holds == {60: "6m", 3601: "66m"}
    assert next(iter(ledger(replace(known(ROCE), longest_grace=None)))).alerts[0].hold == "15m"


def test_kueue_is_told_to_say_what_it_counts() -> None:
    args = Args(KueueSection(kind="kueue"), known(ROCE))
    assert configuration(args)["metrics"]["enableClusterQueueResources"] is True
