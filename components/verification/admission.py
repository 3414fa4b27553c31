"""The rules that the API server enforces by itself on the teams' namespaces, as ValidatingAdmissionPolicies.

`admission.json` beside this file is made from the rules (`make schema`), so that both say the same in the same words.
Operators and the system are left alone: only namespaces of teams are matched. What CEL cannot say of one object stays
with the plan, the review and the policy pack.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pulumi

from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.manifest import BINDING, declare_policies
from bedplate.components.section import Section
from bedplate.components.waiver import Waiver, with_waivers

BUNDLE = Path(__file__).with_name("admission.json")


class AdmissionSection(Section):
    """Rules on the API server."""

    enforce: Literal["deny", "warn"] = "deny"
    """`deny` refuses what breaks a mandatory rule and warns of the rest; `warn` only warns."""


class Admission(Component[AdmissionSection], token="bedplate:verification:Admission"):
    """Refuses pods and jobs that cannot work before they take a GPU."""

    def _declare(self, args: Args[AdmissionSection], _: pulumi.ResourceOptions) -> None:
        teams = tuple(team.name for team in args.facts.teams)
        declare_policies(manifests(args.section, teams, args.facts.waivers), self)


def manifests(
    section: AdmissionSection, namespaces: tuple[str, ...], waivers: tuple[Waiver, ...] = ()
) -> list[dict[str, Any]]:
    """Policies that know what is waived, bindings for these namespaces."""
    found: list[dict[str, Any]] = json.loads(BUNDLE.read_bytes())
    return [bound(one, section, namespaces) if one["kind"] == BINDING else with_waivers(one, waivers) for one in found]


def bound(binding: Mapping[str, Any], section: AdmissionSection, namespaces: tuple[str, ...]) -> dict[str, Any]:
    """A binding that matches the teams' namespaces, with the action that the profile wants."""
    teams = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(namespaces)}
    actions = binding["spec"]["validationActions"] if section.enforce == "deny" else ["Warn"]
    matched = {"matchResources": {"namespaceSelector": {"matchExpressions": [teams]}}, "validationActions": actions}
    return {**binding, "spec": {**binding["spec"], **matched}}
