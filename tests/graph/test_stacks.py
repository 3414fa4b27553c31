"""What the project's own stacks declare: valid objects, live Helm keys, explicit providers, and no warnings."""

import pytest

from bedplate.components.chart_keys import known_versions
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.charts import component, helm_sections, values
from bedplate.stacks.profile.profile import Profile
from tests.crds import faults, is_custom
from tests.helm_keys import key_faults
from tests.stack_files import STACKS, document, graph, known, kubernetes, manifest, profile


@pytest.mark.parametrize("stack", STACKS)
def test_every_custom_resource_is_valid_against_its_crd(stack: str) -> None:
    objects = [manifest(node) for node in graph(stack).resources if kubernetes(node)]
    said = [fault for one in objects if is_custom(one) for fault in faults(one)]
    assert said == []


@pytest.mark.parametrize("stack", STACKS)
def test_every_resource_has_an_explicit_provider_and_a_parent(stack: str) -> None:
    for node in graph(stack).resources:
        if node.custom and not node.type.startswith("pulumi:providers:"):
            # What looks at the cluster through kubectl has its context as an input instead.
            assert node.provider or node.inputs["context"] == document(stack)["context"], node.urn
            assert graph(stack).by_urn[node.parent].type.startswith("bedplate:"), node.urn


@pytest.mark.parametrize("stack", STACKS)
def test_every_component_has_children_and_registers_its_outputs(stack: str) -> None:
    components = [node for node in graph(stack).resources if node.type.startswith("bedplate:")]
    assert components
    for node in components:
        assert graph(stack).children(node.urn), f"{node.name} is empty, and would cut the chain"
        assert node.outputs is not None, f"{node.name} does not register its outputs"


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_is_logged_to_the_engine(stack: str) -> None:
    assert list(graph(stack).logs) == []


@pytest.mark.parametrize("stack", STACKS)
def test_every_release_is_fixed_pinned_and_awaited(stack: str) -> None:
    releases = [node for node in graph(stack).resources if node.type == "kubernetes:helm.sh/v3:Release"]
    assert releases
    for node in releases:
        assert node.inputs["name"] == node.name
        assert node.inputs["version"]
        assert node.inputs["timeout"] == 1800
        assert "skipAwait" not in node.inputs
        assert node.options.delete_before_replace


@pytest.mark.parametrize("stack", STACKS)
def test_every_helm_value_is_live_in_every_known_version_of_its_chart(stack: str) -> None:
    said: list[str] = []
    for path, section in helm_sections(profile(stack)):
        chart = component(type(section)).CHART
        for version in known_versions(chart.name):
            if version not in chart.versions:
                continue
            written = values(section.model_copy(update={"version": version}), known(stack))
            said += [f"{path}: {fault}" for fault in key_faults(chart.name, version, written)]
    assert said == []


@pytest.mark.parametrize("version", ["v24.9.2", "v25.3.4", "v25.10.1", "v26.3.3", "v26.7.0"])
def test_the_gpu_operator_gets_the_kernel_module_key_that_its_version_honours(version: str) -> None:
    one = document("onprem-h100-roce")
    one["gpuOperator"]["version"] = version
    old = Profile.model_validate(one)  # unchecked: each goes with another Kubernetes
    assert old.gpu_operator is not None
    driver = values(old.gpu_operator, facts(old))["driver"]
    assert ("kernelModuleType" in driver) is (version != "v24.9.2")
    assert ("useOpenKernelModules" in driver) is (version == "v24.9.2")


@pytest.mark.parametrize("stack", STACKS)
def test_there_is_one_owner_of_each_thing(stack: str) -> None:
    kinds = [node.type for node in graph(stack).resources]
    charts = [node.inputs["chart"] for node in graph(stack).resources if node.type == "kubernetes:helm.sh/v3:Release"]
    assert len([chart for chart in charts if chart.endswith("node-feature-discovery")]) <= 1
    for node in graph(stack).resources:
        if node.type == "kubernetes:helm.sh/v3:Release" and node.name in ("gpu-operator", "network-operator"):
            assert node.inputs["values"]["nfd"]["enabled"] is False
    multus_owners = kinds.count("bedplate:network:Multus") + kinds.count("bedplate:operators:NicClusterPolicy")
    assert multus_owners <= 1
