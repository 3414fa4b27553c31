"""What the job controllers are told."""

from dataclasses import replace

import pytest

from bedplate.components.facts import Args
from bedplate.components.training.trainer import TrainerSection, helm_values
from tests.training_jobs import cluster


@pytest.mark.parametrize("controllers", [{"trainer"}, {"trainer", "jobset"}])
def test_the_trainer_brings_jobset_once_and_neither_a_cache_nor_runtimes(controllers: set[str]) -> None:
    facts = replace(cluster("onprem-h100-roce"), training=frozenset(controllers))
    assert helm_values(Args(TrainerSection(), facts)) == {
        "jobset": {"install": controllers == {"trainer"}},
        "dataCache": {"enabled": False},
        "runtimes": {"defaultEnabled": False},
    }
