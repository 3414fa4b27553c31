"""What admission takes the queue admits, too: the real Kueue lets every legitimate manifest of Kubernetes' kinds go."""

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from bedplate.lab.binaries import LabError
from bedplate.lab.cluster import Cluster
from bedplate.lab.watch import watch
from tests.cluster.attacks import HOME
from tests.cluster.conftest import TRAINING
from tests.cluster.real import RUNS, Lab, lab_profile, started
from tests.cluster.tries import Try, played, tries

SERVERS = ("Deployment", "StatefulSet")
RUN = ("Pod", "Job", *SERVERS)
"""Jobs of operators run to their end elsewhere (`test_real_jobs.py`)."""
MINUTES = 5
LACKING = {
    "Huge pages": "no profile of a lab sets any aside",
    "A channel of IMEX beside GPUs": "the lab has no driver of ResourceClaims",
}
"""Of devices that the lab's nodes have not; what waits for them waits rightly."""
LET_GO = "{{if not .spec.schedulingGates}}admitted{{end}}"
"""Kueue's topology knows no affinity with other pods, and gives a pod the node of one that it must not be beside: such
a pod is admitted, and waits for the node."""
COUNTED_MEANWHILE = "Operation cannot be fulfilled on resourcequotas"
ASKED = 10
AS_ADA = ("--as=ada", f"--as-group={HOME}", "--as-group=system:authenticated")


@pytest.fixture(scope="module")
def large(cluster: Cluster) -> Iterator[Lab]:
    """The lab with room for all servers at once."""
    made = lab_profile(14, TRAINING)
    pools = [pool | ({"nodes": 30} if pool["name"] == "system" else {}) for pool in made["pools"]]
    with started(cluster, "large", made | {"pools": pools}, ("kueue",)) as lab:
        lab.cluster.apply(volumes())
        yield lab


def manifests(lab: Lab) -> Iterator[tuple[Try, dict[str, Any]]]:
    """Each that makes pods and can be had here, under a name of its own."""
    made = [one for one in tries("legitimate") if "create" in one.document and not one.alone]
    for number, one in enumerate(played(made, lab.facts)):
        asked = copy.deepcopy(one.document["create"])
        if asked["kind"] in RUN and one.document["title"] not in LACKING:
            asked["metadata"]["name"] = f"t{number:03}"
            yield one, asked if asked["kind"] in SERVERS else short(asked)


def short(one: Any) -> Any:
    """Pods of a job end a second after they start, and make room."""
    if isinstance(one, list):
        return [short(each) for each in one]
    if not isinstance(one, Mapping):
        return one
    made = {key: short(value) for key, value in one.items()}
    if "containers" in made.get("spec", {}):
        metadata = made.get("metadata", {})
        made["metadata"] = metadata | {"annotations": {**metadata.get("annotations", {}), **RUNS}}
    return made


def turn(one: Mapping[str, Any]) -> int:
    """Jobs, which end, come before what stays; of that, what wants a node of its own choice, and servers last."""
    if one["kind"] in SERVERS:
        return 3
    return 0 if one["kind"] != "Pod" else 1 if "nodeSelector" in one["spec"] else 2


CLAIMS = ("data", "models", "scratch", "home", "vllm", "nim", "ollama", "webui", "logs", "claim-ada")
"""Of the team's own, that manifests mount."""
SPARE = 10
"""Volumes for claims that pods bring."""


def volumes() -> list[dict[str, Any]]:
    """As a storage driver would make them."""
    size, modes = {"storage": "10Ti"}, ["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"]
    spec = {"capacity": size, "accessModes": modes, "hostPath": {"path": "/any"}}
    names = [*CLAIMS, *(f"spare-{number}" for number in range(SPARE))]
    head = {"apiVersion": "v1", "kind": "PersistentVolume"}
    asked = {"accessModes": modes, "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": ""}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    return [
        *(head | {"metadata": {"name": name}, "spec": spec} for name in names),
        *(
            claim | {"metadata": {"name": name, "namespace": HOME}, "spec": asked | {"volumeName": name}}
            for name in CLAIMS
        ),
    ]


def submit(lab: Lab, document: Mapping[str, Any]) -> None:
    """As a client does: while others are counted the API server cannot count in a quota, and asks to be asked again."""
    for _ in range(ASKED):
        try:
            lab.cluster.apply([document], *AS_ADA)
        except LabError as error:
            if COUNTED_MEANWHILE not in str(error):
                raise
        else:
            return
    raise AssertionError(f"{document['metadata']['name']}: the quota could not count it, asked {ASKED} times")


def waiting(lab: Lab, names: Sequence[str]) -> set[str]:
    """Those of which no pod, or not every one, is let go after some minutes."""
    placed, without = set[str](), set[str]()

    def done(seen: Mapping[str, str]) -> bool:
        whose = {pod: found[1] for pod in seen if (found := re.match(r"(t\d{3})(-|$)", pod))}
        placed.update(name for pod, name in whose.items() if seen[pod])
        without.clear()
        without.update(name for pod, name in whose.items() if not seen[pod])
        return placed >= set(names) and not without

    try:
        watch(lab.cluster, f"pods --namespace {HOME}", LET_GO, done, MINUTES * 60)
    except LabError:
        return (set(names) - placed) | without
    return set()


def test_every_legitimate_manifest_is_admitted_by_the_queue(large: Lab) -> None:
    every = list(manifests(large))
    assert len(every) >= 150
    left = list[str]()
    for now in range(4):
        asked = {one["metadata"]["name"]: (tried.name, one) for tried, one in every if turn(one) == now}
        for _, one in asked.values():
            submit(large, one)
        left += [asked[name][0] for name in sorted(waiting(large, list(asked)) & set(asked))]
    assert left == []
