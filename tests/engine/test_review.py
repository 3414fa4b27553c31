"""What `bedplate diff` takes for an update or a replacement is what the engine makes of it."""

from collections.abc import Mapping
from typing import Any

from bedplate.lab.engine import Engine, lab_profile
from bedplate.review.changes import Resource, What, changes
from bedplate.review.plans import previewed
from tests.engine.profiles import changed
from tests.stack_files import graph_of

UP = ("up", "--yes", "--stack", "lab")


def deployed_first(context: str) -> dict[str, Any]:
    """The lab's profile with a claim, of a class that the site has."""
    home = {
        "name": "home",
        "namespaces": ["research"],
        "mode": "ReadWriteMany",
        "size": "1Ti",
        "path": "/home/research",
    }
    storage = {"existingClasses": [{"name": "nfs", "kind": "nfs"}], "volumes": [home | {"storageClass": "nfs"}]}
    return {**lab_profile(), "context": context, "storage": storage}


def edited(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Many values of it changed at once: claims, queues, rights, limits, policies, networks and charts."""
    (home,) = profile["storage"]["volumes"]
    research, platform = profile["tenancy"]["teams"]
    teams = [
        research | {"share": 3, "group": "scientists", "egress": ["0.0.0.0/0"]},
        platform | {"borrow": True, "priority": "best-effort"},
        {"name": "guests"},
    ]
    topology = {**profile["scheduling"]["topology"], "required": "fabric.topograph.run/tier-2"}
    made = changed(profile, "storage", volumes=[home | {"size": "2Ti"}])
    made = changed(changed(made, "tenancy", teams=teams, longestGrace=900), "scheduling", topology=topology)
    return changed(changed(made, "fabric", mtu=1500), "gpuOperator", gdrcopy=True)


def judged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, What]:
    """By type and name, without the engine."""
    before, after = (
        [Resource(n.urn, n.type, n.name, n.inputs, n.read) for n in graph_of(dict(one)).resources] for one in (old, new)
    )
    return {short(one.resource.urn): one.what for one in changes(before, after)}


def short(urn: str) -> str:
    """Its type and name."""
    return "::".join(urn.split("::")[2:])


def test_what_changes_and_how_is_what_the_engine_says(engine: Engine) -> None:
    old = deployed_first(engine.cluster.context)
    storage_class = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "nfs"}}
    engine.cluster.apply([{**storage_class, "provisioner": "site.lab.bedplate", "allowVolumeExpansion": True}])
    engine.configure(old)
    engine.run(*UP)

    new = edited(old)
    engine.configure(new)
    file = engine.folder / "preview.json"
    file.write_text(engine.run("preview", "--json", "--stack", "lab"))
    state, program = previewed(file)
    said = {short(one.resource.urn): one.what for one in changes(state.resources, program.resources, program.engine)}
    ours = judged(old, new)
    assert len(ours) > 20
    assert said == ours
