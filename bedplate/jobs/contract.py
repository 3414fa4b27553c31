"""A job rendered from what stands in the team's namespace, without the profile and its repository."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bedplate.components.workload.contract import FACTS_KEY
from bedplate.components.workload.extras import CONFIG_MAP
from bedplate.plan.errors import PlanError

from .kubectl import Kubectl

if TYPE_CHECKING:
    from bedplate.components.facts import Facts
    from bedplate.policies.judging.verdict import Verdict


def facts(kubectl: Kubectl) -> "Facts":
    """The cluster's, as the namespace's ConfigMap has them."""
    from bedplate.components.facts.written import read  # noqa: PLC0415 - needs pydantic, which `why` does without

    place = f"namespace {kubectl.namespace}" if kubectl.namespace else "this namespace"
    found = kubectl.named("configmap", CONFIG_MAP)
    if found is None:
        raise PlanError(
            [f"{CONFIG_MAP}: {place} has no such ConfigMap: is it a team's of this cluster? Or --stack ENV"]
        )
    text = found.get("data", {}).get(FACTS_KEY)
    another = f"{CONFIG_MAP}: {place}'s was written by another version of Bedplate: use that one, or --stack ENV"
    if text is None:
        raise PlanError([another])
    try:
        return read(text)
    except ValueError as error:
        raise PlanError([another]) from error


def render(document: Mapping[str, Any], known: "Facts", source: str) -> "tuple[list[dict[str, Any]], list[Verdict]]":
    """The job's objects, and what those rules say of them that need no profile."""
    from bedplate.components.training.render import manifests  # noqa: PLC0415 - only what is submitted must cost it
    from bedplate.policies.facts import Facts as PolicyFacts  # noqa: PLC0415
    from bedplate.policies.judging.judge import judge  # noqa: PLC0415
    from bedplate.policies.manifests.charts import from_manifest  # noqa: PLC0415
    from bedplate.stacks.jobs.checks import load_job  # noqa: PLC0415

    objects = manifests(load_job(document, known, source), known)
    unknown = PolicyFacts.from_mapping({})
    return objects, judge((from_manifest(one, source) for one in objects), unknown, complete=False)
