"""The examples of jobs are sound, cover every kind, and stay within the policies."""

import pytest
import yaml

from components.training.render import KINDS
from plan.capture import PROJECT_ROOT
from tests.training_jobs import cluster, rendered

EXAMPLES = {path.name: yaml.safe_load(path.read_text()) for path in (PROJECT_ROOT / "examples" / "jobs").glob("*.yaml")}
ON_VOLCANO = ("pytorchjob.yaml", "pytorchjob-elastic.yaml", "volcano-job.yaml")


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_can_be_rendered(name: str) -> None:
    stack, scheduler = ("onprem-h100-ib", "volcano") if name in ON_VOLCANO else ("onprem-h100-roce", "kueue")
    assert rendered(EXAMPLES[name], cluster(stack, scheduler))


def test_there_is_an_example_of_every_kind() -> None:
    assert {example["kind"] for example in EXAMPLES.values()} == set(KINDS)
