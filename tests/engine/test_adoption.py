"""A cluster that others have begun: what is there is taken over, nothing of it is replaced, and nothing is lost."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bedplate.components.chart import Chart
from bedplate.components.nodes import feature_discovery
from bedplate.components.observability import prometheus_stack
from bedplate.components.operators import gpu_operator
from bedplate.lab.cluster import Cluster
from bedplate.lab.engine import Engine
from bench.steps import planned
from tests.engine import desk
from tests.engine.test_gates import profile_of

UP = ("up", "--yes", "--skip-preview", "--stack", "lab")
PREVIEW = ("preview", "--stack", "lab")
FIRMLY = {"PULUMI_K8S_ENABLE_PATCH_FORCE": "true"}
"""What others set and the profile wants otherwise becomes ours; said once, as docs/adopting.md says."""
OLDER = gpu_operator.CHART.older[-1]


def install(cluster: Cluster, chart: Chart, version: str, name: str, *values: str) -> None:
    """As a chart's own page says."""
    helm, mirror = shutil.which("helm"), os.environ.get("BEDPLATE_CHART_MIRROR")
    if not (helm and mirror):
        pytest.skip("installs by hand first: needs helm, and BEDPLATE_CHART_MIRROR")
    archive = Path(mirror, f"{chart.name}-{version}.tgz")
    place = ["--namespace", chart.namespace, "--create-namespace"]
    sets = [word for value in values for word in ("--set", value)]
    variables = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig)}
    command = [helm, "install", name, str(archive), *place, *sets, "--wait"]
    subprocess.run(command, env=variables, check=True, capture_output=True)


def uids(cluster: Cluster) -> set[str]:
    kinds = "namespaces,deployments,daemonsets,clusterpolicies,configmaps,crds"
    return set(cluster.kubectl("get", kinds, "-A", "-o", "jsonpath={.items[*].metadata.uid}").split())


def adopted(engine: Engine) -> tuple[dict[str, str], str]:
    """What the preview after it would do, and what it said."""
    status, said = desk.run(engine, "adopt", "--yes")
    assert status == 0, said
    firm = Engine(engine.cluster, engine.folder, engine.cli, FIRMLY)
    steps = planned(firm.run(*PREVIEW, "--json"))
    assert set(steps.values()) <= {"create", "update"}, "no replace, no delete"
    firm.run(*UP)
    engine.run(*UP)
    engine.run(*PREVIEW, "--expect-no-changes")
    return steps, said


def test_what_is_there_is_taken_over_and_nothing_is_replaced_or_lost(engine: Engine) -> None:
    cluster = engine.cluster
    install(cluster, feature_discovery.CHART, feature_discovery.CHART.version, "nfd")
    install(cluster, gpu_operator.CHART, OLDER, "gpu-operator-1712345678", "nfd.enabled=false", "cdi.enabled=false")
    install(cluster, prometheus_stack.CHART, prometheus_stack.CHART.version, "kps")
    cluster.kubectl("create", "namespace", "research")
    cluster.kubectl("label", "namespace", "research", "owner=ai", "pod-security.kubernetes.io/enforce=restricted")
    cluster.kubectl("annotate", "namespace", "research", "mesh/inject=yes")
    cluster.kubectl("-n", "research", "create", "configmap", "work")
    before = uids(cluster)
    url = "http://prometheus-operated.monitoring.svc:9090"
    theirs = {"kind": "existing", "namespace": "monitoring", "url": url, "labels": {"release": "kps"}}
    engine.configure({**profile_of(engine), "monitoring": theirs})

    steps, said = adopted(engine)
    assert f"release gpu-operator/gpu-operator-1712345678: gpu-operator {OLDER}, will be" in said
    taken = ("Release nfd", "Release gpu-operator", "Namespace research", "Namespace gpu-operator")
    assert {steps[one] for one in taken} == {"update"}
    assert not any("monitoring" in one.split()[-1] and one.startswith(("Release", "Namespace")) for one in steps)
    assert before <= uids(cluster), "all is what it was, changed in place"
    metadata = json.loads(cluster.kubectl("get", "namespace", "research", "-o", "json"))["metadata"]
    assert metadata["labels"]["owner"] == "ai"
    assert metadata["labels"]["pod-security.kubernetes.io/enforce"] == "privileged", "ours, as the preview said"
    assert metadata["annotations"]["mesh/inject"] == "yes"
    assert desk.run(engine, "adopt", "--yes")[1].endswith("Nothing that this stack would create is on the cluster.\n")


def test_an_operators_own_nfd_gives_way_and_a_prometheus_is_taken_over_once_its_crds_are_handed_over(
    engine: Engine,
) -> None:
    cluster = engine.cluster
    install(cluster, gpu_operator.CHART, OLDER, "gpu-operator")
    install(cluster, prometheus_stack.CHART, prometheus_stack.CHART.version, "monitoring")
    before = cluster.kubectl("get", "namespaces,crds", "-o", "jsonpath={.items[*].metadata.uid}").split()
    engine.configure({**profile_of(engine), "monitoring": {"kind": "stack"}})
    assert "gpu-operator-node-feature-discovery-worker" in cluster.kubectl("get", "daemonsets", "-A", "-o", "name")

    status, said = desk.run(engine, "adopt", "--yes")
    named = re.search(r"release monitoring/prometheus-crds: 10 CRDs .* \(docs/adopting.md\): (.*)$", said, re.MULTILINE)
    assert (status, bool(named)) == (2, True), said
    assert engine.state() == []
    names = named[1].split() if named else []
    cluster.kubectl("label", "crd", *names, "app.kubernetes.io/managed-by=Helm", "--overwrite")
    owner = ("meta.helm.sh/release-name=prometheus-crds", "meta.helm.sh/release-namespace=monitoring")
    cluster.kubectl("annotate", "crd", *names, *owner, "--overwrite")

    steps, _ = adopted(engine)
    assert {steps[one] for one in ("Release monitoring", "Release gpu-operator", "Namespace monitoring")} == {"update"}
    assert set(before) <= set(
        cluster.kubectl("get", "namespaces,crds", "-o", "jsonpath={.items[*].metadata.uid}").split()
    )
    workers = cluster.kubectl("get", "daemonsets", "-A", "-o", "name").split()
    assert [one for one in workers if one.endswith("-worker")] == ["daemonset.apps/nfd-node-feature-discovery-worker"]
