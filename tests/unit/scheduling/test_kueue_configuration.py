"""Kueue's configuration replaces the chart's own wholly, so it must hold what the chart's holds."""

import yaml

from bedplate.components.facts import Args
from bedplate.components.scheduling.kueue import KueueSection, configuration
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
