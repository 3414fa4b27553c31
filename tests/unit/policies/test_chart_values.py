"""Releases as others write them: a file of values, Flux's HelmRelease, Argo CD's Application."""

from pathlib import Path

import pytest
import yaml

from bedplate.policies.command.cli import main
from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.manifests.charts import from_manifest
from bedplate.policies.resources.release import release_of
from bedplate.policies.values import UNKNOWN

DEAD = {"migStrategy": "mixed"}
PINNED = {"chart": "gpu-operator", "version": "v26.7.0", "sourceRef": {"kind": "HelmRepository", "name": "nvidia"}}


def flux(**spec: object) -> dict[str, object]:
    metadata = {"name": "gpu", "namespace": "gpu-operator"}
    whole = {"chart": {"spec": PINNED}, **spec}
    return {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": metadata, "spec": whole}


def argo(**helm: object) -> dict[str, object]:
    source = {"repoURL": "https://charts.example", "chart": "gpu-operator", "targetRevision": "v26.7.0", "helm": helm}
    spec = {"destination": {"namespace": "gpu-operator"}, "source": source}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "gpu"}, "spec": spec}


def found(document: dict[str, object]) -> list[Verdict]:
    return judge([from_manifest(document)], Facts(), complete=False)


@pytest.mark.parametrize(
    "document",
    [
        flux(values=DEAD),
        argo(valuesObject=DEAD),
        argo(values=yaml.safe_dump(DEAD)),
        argo(parameters=[{"name": "migStrategy", "value": "mixed"}]),
    ],
)
def test_a_release_of_flux_or_argo_cd_is_judged_by_its_values(document: dict[str, object]) -> None:
    (verdict,) = found(document)
    assert verdict.rule == "GPU-101"
    assert verdict.resource == "Release gpu-operator/gpu"


@pytest.mark.parametrize(
    "document", [flux(values=DEAD, valuesFrom=[{"kind": "Secret", "name": "x"}]), argo(valueFiles=["values.yaml"])]
)
def test_values_that_are_kept_elsewhere_are_not_known(document: dict[str, object]) -> None:
    release = release_of(from_manifest(document))
    assert release is not None
    assert release.value("driver", "enabled", default=True) is UNKNOWN


def test_parameters_reach_into_values_as_helm_reads_them() -> None:
    document = argo(
        valuesObject={"driver": {"version": "570"}}, parameters=[{"name": "driver.enabled", "value": "false"}]
    )
    release = release_of(from_manifest(document))
    assert release is not None
    assert release.values["driver"] == {"version": "570", "enabled": False}


def test_an_application_without_a_chart_is_no_release() -> None:
    source = {"repoURL": "https://git.example", "path": "apps"}
    plain = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "x"},
        "spec": {"source": source},
    }
    assert release_of(from_manifest(plain)) is None


def test_a_file_of_values_is_judged_as_a_release_of_its_chart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "values.yaml"
    file.write_text("migStrategy: mixed\ndriver:\n  enabled: false\n")
    assert main(["check", str(file), "--chart", "gpu-operator@v26.7.0"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "migStrategy has no effect" in out
    assert main(["check", str(file)]) == 2


def test_advice_is_given_once_for_each_rule_and_in_full_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in "abc":
        asks = "resources: {limits: {nvidia.com/gpu: 1}}"
        spec = f"spec: {{containers: [{{name: x, image: x, {asks}}}]}}"
        pod = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\n{spec}\n"
        (tmp_path / f"{name}.yaml").write_text(pod)
    assert main(["check", str(tmp_path)]) == 0
    brief = capsys.readouterr().out
    assert brief.count("GPU-102") == 2
    assert "advisory GPU-102 2 more like it" in brief
    assert "0 mandatory, 3 advisory" in brief
    main(["check", str(tmp_path), "--format", "details"])
    assert capsys.readouterr().out.count("GPU-102") == 3
