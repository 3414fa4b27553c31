"""What the charts say of their CRDs is what is in the pinned archives."""

import os
import re
import tarfile
from pathlib import Path

import pytest

from bedplate.components.chart import Chart
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile

CRD = re.compile(r"^kind: CustomResourceDefinition", re.MULTILINE)
HOOK = re.compile(r"pre-upgrade")
KEEPABLE = re.compile(r"\.Values\.[\w.]*[aA]nnotations")
CHARTS = sorted({one for one in installable(Profile).values() if isinstance(one, Chart)}, key=lambda one: one.name)


def archived(chart: Chart) -> dict[str, str]:
    """The chart's own files by path; subcharts have owners of their own, but for Prometheus' CRDs."""
    mirror = os.environ.get("BEDPLATE_CHART_MIRROR")
    if not mirror:
        pytest.skip("no charts: set BEDPLATE_CHART_MIRROR to a folder of <chart>-<version>.tgz")
    path = Path(mirror, f"{chart.name}-{chart.version}.tgz")
    if not path.exists():
        pytest.skip(f"{path.name} is not in the mirror")
    with tarfile.open(path) as tar:
        members = [one for one in tar.getmembers() if one.isfile() and one.name.endswith((".yaml", ".yml"))]
        texts = {one.name.partition("/")[2]: tar.extractfile(one) for one in members}
        return {name: file.read().decode() for name, file in texts.items() if file}


@pytest.mark.parametrize("chart", CHARTS, ids=lambda one: one.name)
def test_a_charts_crds_have_the_owner_that_it_says(chart: Chart) -> None:
    files = archived(chart)
    own = {
        name: text for name, text in files.items() if not name.startswith("charts/") or name.startswith("charts/crds")
    }
    with_crds = [name for name, text in own.items() if CRD.search(text)]
    hook = any("crd" in name and HOOK.search(text) for name, text in own.items())
    match chart.crds:
        case "none":
            assert with_crds == [] or chart.name == "kube-prometheus-stack"  # a chart of its own brings them
        case "folder" | "step" | "hook":
            # NFD's template is for the topology updater, which we leave off.
            assert {name for name in with_crds if not name.startswith("crds/")} <= {
                "templates/topologyupdater-crds.yaml"
            }
            assert any(name.startswith("crds/") for name in with_crds)
            assert hook is (chart.crds == "hook")
        case "template" | "release":
            assert with_crds
            assert not any(name.startswith("crds/") for name in with_crds)
            assert any(KEEPABLE.search(own[name]) for name in with_crds) is (chart.crds == "template")
