"""The guards hold for the teams' namespaces and for nobody else."""

from bedplate.components.verification.admission import BINDING, AdmissionSection, manifests


def bindings(section: AdmissionSection) -> list[dict[str, object]]:
    return [one["spec"] for one in manifests(section, ("team-a", "team-b")) if one["kind"] == BINDING]


def test_every_policy_is_bound_once() -> None:
    found = manifests(AdmissionSection(), ("team-a",))
    policies = [one["metadata"]["name"] for one in found if one["kind"] != BINDING]
    assert sorted(policies) == sorted(one["spec"]["policyName"] for one in found if one["kind"] == BINDING)
    assert len(policies) >= 30


def test_only_the_teams_namespaces_are_matched() -> None:
    wanted = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["team-a", "team-b"]}
    for spec in bindings(AdmissionSection()):
        assert spec["matchResources"] == {"namespaceSelector": {"matchExpressions": [wanted]}}


def test_mandatory_rules_deny_and_a_profile_may_only_warn() -> None:
    actions = [spec["validationActions"] for spec in bindings(AdmissionSection())]
    assert ["Deny"] in actions
    assert ["Warn"] in actions
    warned = bindings(AdmissionSection(enforce="warn"))
    assert all(spec["validationActions"] == ["Warn"] for spec in warned)
