"""`bedplate rules admission`: where the guards hold, what they do, what they are told."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.verification.admission import AdmissionSection
from bedplate.components.verification.admission import manifests as of_the_component
from bedplate.components.waiver import Waiver
from bedplate.policies.admission import GUARDS, Enforcement, manifests
from bedplate.policies.command.cli import main
from bedplate.policies.rule import REGISTRY


def written(folder: Path, *options: str) -> dict[str, dict[str, Any]]:
    """Bindings' specs and policies' by kind and name."""
    assert main(["admission", "--out", str(folder), *options]) == 0
    docs = [doc for file in folder.glob("*.yaml") for doc in yaml.safe_load_all(file.read_text())]
    return {f"{doc['kind'].removeprefix('ValidatingAdmission')} {doc['metadata']['name']}": doc["spec"] for doc in docs}


def actions(found: dict[str, dict[str, Any]]) -> set[tuple[str, ...]]:
    return {tuple(spec["validationActions"]) for name, spec in found.items() if name.startswith("PolicyBinding")}


def places(found: dict[str, dict[str, Any]]) -> tuple[str, list[str]]:
    bindings = (spec for name, spec in found.items() if name.startswith("PolicyBinding"))
    (place,) = next(bindings)["matchResources"]["namespaceSelector"]["matchExpressions"]
    return place["operator"], place["values"]


def test_mandatory_rules_deny_and_advisory_ones_warn(tmp_path: Path) -> None:
    found = written(tmp_path)
    assert found["PolicyBinding bedplate-sch-416"]["validationActions"] == ["Deny"]
    assert found["PolicyBinding bedplate-trn-518"]["validationActions"] == ["Warn"]


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--warn"], {("Warn",)}),
        (["--audit"], {("Audit",)}),
        (["--warn", "--audit"], {("Warn", "Audit")}),
    ],
)
def test_to_begin_with_nothing_is_refused(options: list[str], wanted: set[tuple[str, ...]], tmp_path: Path) -> None:
    assert actions(written(tmp_path, *options)) == wanted


def test_namespaces_are_chosen_or_let_through(tmp_path: Path) -> None:
    system = ["kube-node-lease", "kube-public", "kube-system"]
    assert places(written(tmp_path / "all")) == ("NotIn", system)
    assert places(written(tmp_path / "some", "--exempt", "gpu-operator, monitoring")) == (
        "NotIn",
        sorted([*system, "gpu-operator", "monitoring"]),
    )
    assert places(written(tmp_path / "two", "--namespaces", "b,a")) == ("In", ["a", "b"])


def test_nodes_that_lift_the_limit_need_no_capability(tmp_path: Path) -> None:
    facts = tmp_path / "facts.yaml"
    facts.write_text("memlockUnlimited: true\n")
    assert "Policy bedplate-net-217" not in written(tmp_path / "lifted", "--facts", str(facts))
    facts.write_text("memlockUnlimited: false\n")
    found = written(tmp_path / "not", "--facts", str(facts))
    assert found["PolicyBinding bedplate-net-217"]["validationActions"] == ["Deny"]


def waived(spec: dict[str, Any]) -> str:
    return next(one["expression"] for one in spec["variables"] if one["name"] == "waived")


def test_waivers_of_a_file_reach_their_rule_alone(tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(
        "waivers:\n- {rule: NET-221, resource: 'Pod team/p*', reason: probe, until: 2027-01-31}\n"
    )
    found = written(tmp_path / "out", "--waivers", str(tmp_path / "w.yaml"))
    expression = waived(found["Policy bedplate-net-221"])
    assert "^Pod team/p.*( [^ ]+)?$".replace(" ", "\\\\ ", 1) in expression
    assert "<= '2027-01-31'" in expression
    assert "2027-01-31" not in waived(found["Policy bedplate-gpu-125"])


def test_the_component_installs_the_same_with_the_profiles_waivers() -> None:
    listed = (Waiver(rule="NET-221", resource="Pod a/*", reason="probe", until=date(2027, 1, 31)),)
    made: list[Any] = list(manifests(Enforcement(waivers=listed)))
    ours = {each["metadata"]["name"]: each["spec"] for each in made if "variables" in each["spec"]}
    theirs = of_the_component(AdmissionSection(), ("a",), listed)
    assert {each["metadata"]["name"]: each["spec"] for each in theirs if "variables" in each["spec"]} == ours


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: f"{guard.rule}-{guard.part}")
def test_a_guard_is_never_graver_than_its_rule(guard: Any) -> None:
    rule = REGISTRY[guard.rule]
    assert guard.severity in (None, rule.severity, rule.also)
