"""`bedplate rules`: what it prints, and what its exit status says."""

import json
from pathlib import Path

import pytest

from bedplate.policies.command.cli import main
from bedplate.policies.rules import RULES

CLEAN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
ADVISORY = (
    "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: x}\n"
    "spec: {ingressClassName: nginx}\n"
)
MANDATORY = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: fs}\nspec: {csi: {driver: lustre.csi.io}}\n"
RELEASE = "helmRelease: {chart: kueue, version: 0.19.2, namespace: kueue-system, values: {integrations: {}}}\n"


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


@pytest.mark.parametrize(("text", "status"), [(CLEAN, 0), (ADVISORY, 0), (MANDATORY, 1), ("a: [", 2)])
def test_the_exit_status_says_how_it_went(tmp_path: Path, text: str, status: int) -> None:
    assert main(["check", str(write(tmp_path, manifest=text))]) == status


def test_what_cannot_be_read_is_one_line_and_the_rest_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, broken="a: [", fine=MANDATORY)
    assert main(["check", str(tmp_path), str(tmp_path / "absent")]) == 2
    streams = capsys.readouterr()
    assert "STO-701" in streams.out
    assert "broken.yaml: line 2: " in streams.err
    assert "absent: there is no such file or folder" in streams.err
    assert len(streams.err.splitlines()) == 2


def test_json_is_a_list_of_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", str(write(tmp_path, release=RELEASE)), "--format", "json"])
    (verdict,) = json.loads(capsys.readouterr().out)["verdicts"]
    apart = {"title", "what", "why", "fix", "fingerprint"}
    assert set(verdict) == {"rule", "severity", "file", "line", "resource", "message", "sources"} | apart
    assert verdict["rule"] == "GPU-101"
    assert verdict["severity"] == "mandatory"
    assert verdict["file"].endswith("release.yaml")
    assert verdict["resource"] == "Release kueue-system/kueue"


def test_sarif_names_every_rule_and_the_line_of_each_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", str(write(tmp_path, two=f"{CLEAN}---\n{MANDATORY}")), "--format", "sarif"])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (result,) = run["results"]
    described = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in described] == [rule.id for rule in RULES]
    assert [rule["fullDescription"] for rule in described] == [{"text": rule.description} for rule in RULES]
    assert [rule["shortDescription"] for rule in described] == [{"text": rule.title} for rule in RULES]
    assert all(rule["help"]["text"] for rule in described)
    assert result["ruleId"] == "STO-701"
    assert result["level"] == "error"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 8


def test_github_annotates_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", str(write(tmp_path, web=ADVISORY)), "--format", "github"])
    assert capsys.readouterr().out.startswith(f"::warning file={tmp_path}/web.yaml,line=4,title=INF-614::Ingress x/web")


def test_text_fits_80_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", str(write(tmp_path, a=MANDATORY, b=RELEASE, c=ADVISORY))])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["2 mandatory, 1 advisory", "3 objects judged in 3 files"]
    assert all(len(line) <= 80 for line in lines if not line.startswith(str(tmp_path)))


def test_a_level_can_be_changed_and_a_rule_switched_off(tmp_path: Path) -> None:
    path = str(write(tmp_path, volume=MANDATORY))
    assert main(["check", path, "--level", "STO-701=advisory"]) == 0
    assert main(["check", path, "--level", "sto-701=disabled"]) == 0
    assert main(["check", str(write(tmp_path, volume=ADVISORY)), "--level", "INF-614=mandatory"]) == 1


def test_a_wrong_level_or_rule_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path), "--level", "STO-701=loud"]) == 2
    assert main(["--explain", "STO-999"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first == "--level STO-701=loud: write RULE=mandatory, RULE=advisory or RULE=disabled"
    assert second == "STO-999: no rule has this name; `bedplate rules --list` names them all"


def test_a_rule_is_explained_and_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--explain", "ncCL-310"]) == 0
    assert capsys.readouterr().out.startswith(
        "NCCL-310 GPU pods have shared memory (advisory, in some cases mandatory)"
    )
    assert main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(RULES)


def test_a_profile_gives_the_rules_the_cluster(tmp_path: Path) -> None:
    job = """
apiVersion: v1
kind: Pod
metadata: {name: x, namespace: y}
spec: {containers: [{name: a, image: 'a:1', resources: {limits: {rdma/unheard-of: 1}}}]}
"""
    path = str(write(tmp_path, job=job))
    levels = ["--level", "NET-217=disabled", "--level", "NET-224=disabled"]
    assert main(["check", path, *levels]) == 0
    assert main(["check", path, *levels, "--profile", "onprem-h100-roce"]) == 1


def test_an_unknown_stack_is_one_line_with_the_known_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path), "--profile", "moon"]) == 2
    assert "moon: there is no stacks/Pulumi.moon.yaml; known stacks: eks-p5" in capsys.readouterr().err


def test_files_that_declare_the_same_object_are_judged_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    operator = "helmRelease: {chart: gpu-operator, version: v26.7.0, namespace: gpu-operator}\n"
    write(tmp_path, one=operator, two=operator)
    assert main(["check", str(tmp_path)]) == 0
    network = "helmRelease: {chart: network-operator, version: 26.4.1, namespace: net}\n"
    (tmp_path / "two.yaml").write_text(network)
    assert main(["check", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "2 charts bring node feature discovery (gpu-operator, network-operator), if both files are applied" in said
    (tmp_path / "one.yaml").write_text(f"{operator}---\n{network}")
    (tmp_path / "two.yaml").unlink()
    assert main(["check", str(tmp_path)]) == 1


def test_yaml_that_is_no_manifest_is_left_alone_and_a_list_stands_for_its_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = "replicas: 3\non: {8000: yes}\n"
    volume = "{apiVersion: v1, kind: PersistentVolume, metadata: {name: fs}, spec: {csi: {driver: lustre.csi.io}}}"
    listed = f"apiVersion: v1\nkind: List\nitems: [{volume}]\n"
    assert main(["check", str(write(tmp_path, values=values, listed=listed))]) == 1
    assert "PersistentVolume fs" in capsys.readouterr().out
