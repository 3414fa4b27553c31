"""The contract's ConfigMap: what a team's jobs need, and nothing that changes for other reasons."""

from collections.abc import Mapping
from typing import Any

from bedplate.components.facts.written import read
from bedplate.components.workload.contract import FACTS_KEY
from bedplate.components.workload.extras import CONFIG_MAP
from tests.stack_files import document, graph_of
from tests.training_jobs import job, rendered


def written(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Data of the ConfigMap by namespace."""
    found = [node.inputs for node in graph_of(dict(profile)).resources if node.name.endswith(CONFIG_MAP)]
    return {one["metadata"]["namespace"]: one["data"] for one in found}


def test_another_release_of_an_operator_leaves_it_alone() -> None:
    profile = document("lab")
    assert written(profile) == written(profile | {"gpuOperator": {**profile["gpuOperator"], "gdrcopy": True}})


def test_a_job_that_borrows_finds_there_what_others_may_lend() -> None:
    found = written(document("lab"))["research"]
    known = read(found[FACTS_KEY])
    assert rendered(job(nodes=2), known)
