"""Public on-premises sites: planned, with what is installed and asked for as it must be, or refused with the reason."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.plan.errors import PlanError
from bedplate.plan.graph import Graph
from bedplate.plan.verdicts import verdicts
from bedplate.policies.facts import Facts as PolicyFacts
from bedplate.policies.judging.judge import judge
from bedplate.policies.manifests.charts import from_manifest
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.facts.policies import policy_facts
from bedplate.stacks.load import load
from tests.crds import faults, is_custom
from tests.stack_files import graph_of, kubernetes, manifest
from tests.training_jobs import all_templates, container, is_worker, rendered

SITES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("sites.yaml").read_text(encoding="utf-8"))[
    "sites"
]
PLANNED = {site["name"]: site for site in SITES if "refused" not in site}
REFUSED = [site for site in SITES if "refused" in site]
JOBS = [(name, job["name"]) for name, site in PLANNED.items() for job in site["jobs"]]
TO_THE_USER = {"TRN-512", "TRN-518"}
"""Where a job keeps its state, and which of two kinds it takes."""


def document(site: Mapping[str, Any]) -> dict[str, Any]:
    stated = {key: value for key, value in site["profile"].items() if value is not None}
    return {"name": site["name"], "context": site["name"], **stated}


@cache
def graph(name: str) -> Graph:
    return graph_of(document(PLANNED[name]))


def brought(found: Graph) -> list[str]:
    """Charts and manifests, by their last name."""
    kinds = ("kubernetes:helm.sh/v3:Release", "kubernetes:kustomize/v2:Directory")
    each = [node for node in found.resources if node.type in kinds]
    return sorted(str(node.inputs.get("chart") or node.name).rpartition("/")[2] for node in each)


@pytest.mark.parametrize("name", PLANNED)
def test_a_site_is_planned_without_a_complaint_and_its_custom_resources_are_valid(name: str) -> None:
    assert verdicts(graph(name), document(PLANNED[name])) == []
    objects = [manifest(node) for node in graph(name).resources if kubernetes(node)]
    assert [fault for one in objects if is_custom(one) for fault in faults(one)] == []


@pytest.mark.parametrize("name", PLANNED)
def test_a_site_gets_what_it_lacks_and_nothing_twice(name: str) -> None:
    assert brought(graph(name)) == sorted(PLANNED[name]["installs"])


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_a_job_of_its_users_asks_for_its_gpus_and_its_fabric_and_no_rule_complains(name: str, job: str) -> None:
    written = next(dict(each) for each in PLANNED[name]["jobs"] if each["name"] == job)
    asks, profile = written.pop("asks"), load(document(PLANNED[name]))
    objects = rendered(written, facts(profile))
    worker = next(template for template in all_templates(objects) if is_worker(template))
    limits = container(worker)["resources"]["limits"]
    assert {resource: int(count) for resource, count in limits.items() if "/" in resource} == asks
    known = PolicyFacts.from_mapping(policy_facts(profile))
    found = judge([from_manifest(one, "job.yaml") for one in objects], known, complete=False)
    assert [verdict.message for verdict in found if verdict.rule not in TO_THE_USER] == []


@pytest.mark.parametrize("site", REFUSED, ids=lambda site: site["name"])
def test_a_site_that_cannot_be_served_is_refused_with_the_reason(site: Mapping[str, Any]) -> None:
    with pytest.raises(PlanError) as refusal:
        graph_of(document(site))
    lines = str(refusal.value).splitlines()
    assert len(lines) == len(site["refused"]), lines
    assert all(any(all(word in line for word in words) for line in lines) for words in site["refused"]), lines


def test_25_sites_are_kept_with_jobs_and_what_was_wrong_at_first() -> None:
    sources = {site["source"].split()[0].split("/")[0] for site in SITES if not site["source"].startswith("the same")}
    assert len(sources) >= 20
    assert len(PLANNED) >= 20
    assert len(SITES) >= 25
    assert {site["first"].partition(":")[0] for site in SITES} == {"right", "profile", "ours"}
