"""The workload contract says to others what our own jobs carry."""

import json

import pytest

from bedplate.components.workload.contract import contract
from bedplate.components.workload.extras import CONFIG_MAP
from tests.stack_files import STACKS, graph, known
from tests.training_jobs import FABRICS, all_templates, cluster, container, env, job, rendered


@pytest.mark.parametrize("stack", FABRICS.values())
def test_a_rendered_job_carries_what_the_contract_promises(stack: str) -> None:
    facts = cluster(stack)
    (pod,) = all_templates(rendered(job(), facts))
    agreed = contract(facts, "research").document()
    whole = agreed["wholeNode"][facts.gpu_pools[0].name]
    assert container(pod)["resources"]["limits"] == whole["resources"]
    assert whole["env"].items() <= env(pod).items()
    assert whole["annotations"].items() <= pod["metadata"]["annotations"].items()
    assert pod["spec"]["nodeSelector"] == whole["nodeSelector"]
    assert pod["spec"]["tolerations"] == whole["tolerations"]
    assert agreed["scheduler"]["queue"] == facts.team("research").queue


@pytest.mark.parametrize("stack", STACKS)
def test_every_team_finds_the_contract_in_its_namespace(stack: str) -> None:
    maps = {
        node.inputs["metadata"]["namespace"]: json.loads(node.inputs["data"]["contract.json"])
        for node in graph(stack).resources
        if node.inputs.get("metadata", {}).get("name") == CONFIG_MAP
    }
    assert set(maps) == {team.name for team in known(stack).teams}
    assert all(document["namespace"] == team for team, document in maps.items())
    assert all(document["wholeNode"] for document in maps.values())
