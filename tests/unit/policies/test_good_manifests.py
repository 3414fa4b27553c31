"""The false-positive budget: what is right somewhere is never called a proven mistake."""

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
import yaml

from bedplate.components.workload.kinds import KINDS
from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.manifests.read import deployments, read
from bedplate.stacks.profile.problem import ProfileError
from tests.corpus.builders import jobs, platform, servers
from tests.corpus.builders.parts import Doc
from tests.training_jobs import FABRICS, SCHEDULERS, cluster, job, rendered

BUDGET = 0
"""Mandatory complaints about good manifests."""
LEAST = 300


def ours() -> Iterator[tuple[str, list[Doc]]]:
    """What the product itself renders, for those who know nothing of its cluster."""
    for stack in FABRICS.values():
        for scheduler in SCHEDULERS:
            for kind, row in KINDS.items():
                if row.scheduler in (None, scheduler) and (row.kai or scheduler != "kai"):
                    with suppress(ProfileError):  # a kind that this cluster cannot run
                        yield f"{kind} of {stack} with {scheduler}", rendered(job(kind), cluster(stack, scheduler))


@cache
def good() -> dict[str, str]:
    """Each manifest as text, by its name."""
    made = [*jobs.manifests(), *servers.manifests(), *platform.manifests(), *ours()]
    texts = {name: yaml.safe_dump_all(json.loads(json.dumps(docs))) for name, docs in made}
    assert len(texts) == len(made), "two have one name"
    return texts


def mandatory(folder: Path, name: str) -> list[str]:
    """What a check of that file alone would fail for."""
    file = folder / "manifest.yaml"
    file.write_text(good()[name], encoding="utf-8")
    reading = read([file])
    assert reading.faults == []
    assert reading.resources
    parts = deployments(reading.resources)
    verdicts = [each for part in parts for each in judge(part, Facts(), complete=False)]
    return [f"{each.rule} {each.message}" for each in verdicts if each.severity == "mandatory"]


def test_there_are_good_manifests_enough_to_mean_something() -> None:
    assert len(set(good().values())) >= LEAST


@pytest.mark.parametrize("part", range(8))
def test_a_good_manifest_is_never_called_a_proven_mistake(part: int, tmp_path: Path) -> None:
    names = sorted(good())[part::8]
    assert sum(len(mandatory(tmp_path, name)) for name in names) == BUDGET, [
        (name, found) for name in names if (found := mandatory(tmp_path, name))
    ]
