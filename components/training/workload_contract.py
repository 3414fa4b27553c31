"""The workload contract where people find it: a ConfigMap in every team's namespace, whose name the stack puts out."""

import json
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.facts.written import written
from bedplate.components.section import Section
from bedplate.components.workload.clouds import topology_files
from bedplate.components.workload.contract import FACTS_KEY, Contract
from bedplate.components.workload.extras import CONFIG_MAP


class WorkloadContract(Component[Section], token="bedplate:training:WorkloadContract"):
    """Writes it down for jobs of others, and beside it the facts from which `bedplate job submit` renders ours."""

    config_map: str
    """Name of the ConfigMap, the same in every team's namespace; the contracts would fill screens after every `up`."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> dict[str, Any]:
        self.config_map, contract = CONFIG_MAP, written(args.facts)
        for team in args.facts.teams:
            k8s.core.v1.ConfigMap(
                f"{team.name}-{CONFIG_MAP}",
                metadata={"name": CONFIG_MAP, "namespace": team.name},
                data={
                    "contract.json": json.dumps(Contract(args.facts, team).document(), indent=2),
                    FACTS_KEY: contract,
                    **topology_files(pool.topology for pool in args.facts.fabric_pools),
                },
                opts=child,
            )
        return {"configMap": self.config_map}
