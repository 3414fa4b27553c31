"""The workload contract where people find it: a ConfigMap in every team's namespace, and an output of the stack."""

import json
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.facts import Args
from components.section import Section
from components.workload.contract import CONFIG_MAP, Contract


class WorkloadContract(pulumi.ComponentResource):
    """Writes it down; jobs that we render need no ConfigMap, they are made from the same object."""

    contracts: pulumi.Output[dict[str, Any]]
    """The contract by team."""

    def __init__(self, name: str, args: Args[Section], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:training:WorkloadContract", name, opts=opts)
        documents = {team.name: Contract(args.facts, team).document() for team in args.facts.teams}
        for team, document in documents.items():
            k8s.core.v1.ConfigMap(
                f"{team}-{CONFIG_MAP}",
                metadata={"name": CONFIG_MAP, "namespace": team},
                data={"contract.json": json.dumps(document, indent=2)},
                opts=pulumi.ResourceOptions(parent=self),
            )
        # As one text: `from_input` would make an Output of every leaf, which costs minutes with a thousand pools.
        self.contracts = pulumi.Output.from_input(json.dumps(documents)).apply(json.loads)
        self.register_outputs({"contracts": self.contracts})
