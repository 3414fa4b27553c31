"""Nothing is deployed to a cluster that the profile does not name, however the kubeconfig is put together."""

import os
from pathlib import Path

import pytest
import yaml

from bedplate.plan.environment import hermetic
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.providers import check_kubeconfig, kubeconfig_files, provider
from tests.stack_files import graph, profile

OURS, OTHER = "onprem-h100-roce", "production"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)


def kubeconfig(path: Path, current: str | None, *contexts: str) -> Path:
    entries = [{"name": name, "context": {"cluster": name, "user": "me"}} for name in contexts]
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump({"contexts": entries} | ({} if current is None else {"current-context": current})))
    return path


def refusals(monkeypatch: pytest.MonkeyPatch, *paths: Path | str) -> list[str]:
    if paths:
        monkeypatch.setenv("KUBECONFIG", os.pathsep.join(map(str, paths)))
    return [f"{problem.reason}; {problem.fix}" for problem in check_kubeconfig(OURS)]


def test_the_profiles_context_is_taken_where_it_is_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kubeconfig(tmp_path / ".kube" / "config", OURS, OTHER, OURS)
    assert refusals(monkeypatch) == []


def test_another_current_context_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kubeconfig(tmp_path / ".kube" / "config", OTHER, OTHER, OURS)
    fix = f"run `kubectl config use-context {OURS}`, or correct the profile"
    assert refusals(monkeypatch) == [f"the kubeconfig's current context is {OTHER}; {fix}"]


@pytest.mark.parametrize("current", ["", None])
def test_no_current_context_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, current: str | None) -> None:
    path = kubeconfig(tmp_path / "one", current, OURS)
    (refusal,) = refusals(monkeypatch, path)
    assert refusal.startswith("the kubeconfig has no current context; run `kubectl config use-context")


def test_a_context_that_no_file_has_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = kubeconfig(tmp_path / "a", OURS, "lab"), kubeconfig(tmp_path / "b", None, OTHER, "lab")
    reason = f"the kubeconfig has no such context, only lab, {OTHER}"
    assert refusals(monkeypatch, first, second) == [f"{reason}; name its file in KUBECONFIG, or correct the profile"]
    (tmp_path / "empty").write_text("")
    (refusal,) = refusals(monkeypatch, tmp_path / "empty")
    assert refusal.startswith("the kubeconfig has no such context, only none at all; ")


def test_the_first_file_that_sets_a_current_context_sets_it_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent, empty = kubeconfig(tmp_path / "silent", None, OURS), kubeconfig(tmp_path / "empty", "", OURS)
    ours, other = kubeconfig(tmp_path / "ours", OURS, OURS), kubeconfig(tmp_path / "other", OTHER, OTHER)
    gone = tmp_path / "gone"

    assert refusals(monkeypatch, gone, silent, empty, ours, other) == []
    (refusal,) = refusals(monkeypatch, gone, "", silent, empty, other, ours)
    assert refusal.startswith(f"the kubeconfig's current context is {OTHER}; ")


def test_contexts_of_later_files_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusals(monkeypatch, kubeconfig(tmp_path / "a", OURS), kubeconfig(tmp_path / "b", OTHER, OURS)) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{[token: hunter2", "is not YAML: line 1: a bracket that is not closed; close it, or put the value in quotes"),
        ("[1]", "holds a list where a mapping belongs"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_without_its_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    good, bad = kubeconfig(tmp_path / "good", OURS, OURS), tmp_path / "bad"
    bad.write_text(text)
    (refusal,) = refusals(monkeypatch, good, bad)
    assert refusal.startswith(f"{bad}: {message}")
    assert refusal.endswith("; mend the file, or leave it out of KUBECONFIG")
    assert "hunter2" not in refusal
    (refusal,) = refusals(monkeypatch, tmp_path)
    assert refusal.startswith(f"{tmp_path}: cannot be read: Is a directory; ")


@pytest.mark.parametrize("contexts", [1, ["x"], [{"context": {}}], None])
def test_malformed_contexts_are_no_contexts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contexts: object) -> None:
    (tmp_path / "odd").write_text(yaml.safe_dump({"contexts": contexts, "current-context": OURS}))
    (refusal,) = refusals(monkeypatch, tmp_path / "odd")
    assert refusal.startswith("the kubeconfig has no such context, only ")


def test_without_a_kubeconfig_nothing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusals(monkeypatch) == []
    assert refusals(monkeypatch, tmp_path / "gone", tmp_path / "gone" / "too") == []


def test_a_plan_sees_no_kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig(tmp_path / "other", OTHER, OTHER)))
    with hermetic():
        assert list(check_kubeconfig(OURS)) == []
    (node,) = (node for node in graph(OURS).nodes if node.type == "pulumi:providers:kubernetes")
    assert node.inputs["context"] == OURS
    assert "kubeconfig" not in node.inputs


def test_the_refusal_is_an_error_of_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig(tmp_path / "other", OTHER, OTHER, OURS)))
    with pytest.raises(ProfileError, match=f"context = {OURS}: the kubeconfig's current context is {OTHER}; run"):
        provider(profile(OURS))


def test_home_and_repeated_files_are_as_the_shell_means_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", f"~/a{os.pathsep}~/a{os.pathsep}{os.pathsep}/b")
    assert kubeconfig_files() == [tmp_path / "a", Path("/b")]


@pytest.mark.parametrize(("files", "given"), [(("a",), None), (("a", "b"), "")])
def test_several_files_are_left_to_the_providers_own_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: tuple[str, ...], given: str | None
) -> None:
    paths = [str(kubeconfig(tmp_path / name, OURS, OURS)) for name in files]
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(paths))
    monkeypatch.setattr("bedplate.stacks.providers.k8s.Provider", lambda _name, **arguments: arguments)
    in_place = {"enable_config_map_mutable": True, "enable_secret_mutable": True}
    expected = {"context": OURS, "cluster_identifier": OURS, "kubeconfig": given, **in_place}
    assert provider(profile(OURS)) == expected
