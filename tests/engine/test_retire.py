"""A team leaves the cluster in two steps of the profile; one alone deletes nothing."""

from typing import Any

import pytest
import yaml

from bedplate.lab.binaries import LabError
from bedplate.lab.engine import Engine

UP = ("up", "--yes", "--stack", "lab")


def profile_of(engine: Engine) -> dict[str, Any]:
    return yaml.safe_load(engine.stack_file.read_text())["config"]["bedplate:profile"]


def of(profile: dict[str, Any], *teams: str, retire: tuple[str, ...] = ()) -> dict[str, Any]:
    kept = [team for team in profile["tenancy"]["teams"] if team["name"] in teams]
    return {**profile, "tenancy": {"teams": kept, "retire": list(retire)}}


def test_a_team_is_deleted_only_after_the_profile_retired_it(deployed: Engine) -> None:
    profile = profile_of(deployed)
    deployed.cluster.kubectl("-n", "platform", "create", "configmap", "work")

    deployed.configure(of(profile, "research"))
    with pytest.raises(LabError, match=r"(?s)Namespace::platform.*protected"):
        deployed.run("preview", "--stack", "lab")
    with pytest.raises(LabError, match=r"(?s)Namespace::platform.*protected"):
        deployed.run(*UP)
    assert deployed.cluster.kubectl("-n", "platform", "get", "configmap", "work", "-o", "name")

    deployed.configure(of(profile, "research", "platform", retire=("platform",)))
    assert "team platform retires" in deployed.run(*UP)
    assert deployed.cluster.kubectl("-n", "platform", "get", "configmap", "work", "-o", "name")

    deployed.configure(of(profile, "research"))
    deployed.run(*UP)
    with pytest.raises(LabError, match="not found"):
        deployed.cluster.kubectl("get", "namespace", "platform")
    deployed.run("preview", "--stack", "lab", "--expect-no-changes")


def test_a_plain_destroy_stops_before_the_teams(deployed: Engine) -> None:
    with pytest.raises(LabError, match=r"(?s)Leaving::research-leaves.*protected"):
        deployed.run("destroy", "--yes", "--stack", "lab")
    assert deployed.cluster.kubectl("get", "namespace", "research", "-o", "name")
    assert deployed.cluster.kubectl("-n", "gpu-operator", "get", "pods", "-o", "name")
