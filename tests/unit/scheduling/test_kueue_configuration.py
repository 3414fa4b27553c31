"""Kueue's configuration replaces the chart's own wholly, so it must hold what the chart's holds."""

from dataclasses import replace

import yaml

from bedplate.components.facts import Args
from bedplate.components.scheduling.kueue import KueueSection, configuration
from bedplate.components.scheduling.kueue_queues import ANY_NODE, flavor
from tests.stack_files import known
from tests.upstream import upstream


def test_what_the_chart_sets_and_we_do_not_decide_otherwise_stays_as_it_is() -> None:
    values = yaml.safe_load(upstream("values", "kueue-0.19.2.yaml").read_text())
    charts = yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])
    ours = configuration(Args(KueueSection(kind="kueue"), known("lab")))
    decided = {"metrics", "integrations", "waitForPodsReady"}
    assert {key: value for key, value in charts.items() if key not in decided} == {
        key: ours.get(key) for key in charts if key not in decided
    }


def test_a_pool_with_a_selector_has_its_own_nodes_alone_and_without_all_of_them() -> None:
    """Whoever tolerates the GPUs' taint has the quota of such a pool on their nodes (docs/security.md)."""
    facts = known("onprem-h100-roce")
    system = facts.pool("system")
    assert flavor(system, facts)["nodeLabels"] == ANY_NODE
    chosen = replace(system, selector={"example.com/pool": "system"})
    assert flavor(chosen, facts)["nodeLabels"] == {"example.com/pool": "system"}
    assert all(known(stack).pool("system").selector for stack in ("eks-p5", "gke-a3-mega"))
